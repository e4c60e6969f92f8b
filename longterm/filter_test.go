package longterm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

func TestFilterForms(t *testing.T) {
	b := newStore(t)
	var vs []Verbatim
	add := func(text, metadata string, change func(*Verbatim)) {
		v := Verbatim{Scope: user("alice"), Text: text, Role: "user", Metadata: json.RawMessage(metadata), SaidAt: monday}
		if change != nil {
			change(&v)
		}
		vs = append(vs, v)
	}
	later := time.Now().Add(time.Hour)
	add("one", `{"topic":"food","n":5,"score":1.5,"flag":true,"city":"Paris","tags":["a","b"],"a.b":1}`, func(v *Verbatim) { v.Scope.AgentID = "helper" })
	add("two", `{"topic":"food","n":10,"score":9.25,"flag":false,"city":"paris","tags":[1,null],"a":{"b":2},"due":"2024-02-26T10:00:00+02:00"}`, func(v *Verbatim) { v.Role = "assistant"; v.Categories = []string{"x", "y"} })
	add("three", `{"topic":"work","n":20,"score":3.0,"flag":"true","city":"Lyon","tags":[],"category":"x","due":"2024-02-26"}`, func(v *Verbatim) { v.ActorID = "bob"; v.ExpiresAt = &later })
	add("four", `{"topic":"work","n":"5","opt":null,"city":"100%_sure","tags":"a","category":["y","z"],"due":"soon","$and":7,"":0}`, func(v *Verbatim) { v.SaidAt = monday.Add(5 * 24 * time.Hour) })
	if _, err := b.AddVerbatim(t.Context(), tenant, vs); err != nil {
		t.Fatal(err)
	}
	all := []string{"one", "two", "three", "four"}
	for _, c := range []struct {
		filter string
		want   []string
	}{
		{`{}`, all},
		{`null`, all},
		{`{"topic":"food"}`, []string{"one", "two"}},
		{`{"n":5}`, []string{"one"}},
		{`{"n":5.0}`, []string{"one"}},
		{`{"n":"5"}`, []string{"four"}},
		{`{"score":3}`, []string{"three"}},
		{`{"flag":true}`, []string{"one"}},
		{`{"flag":"true"}`, []string{"three"}},
		{`{"flag":1}`, nil},
		{`{"tags":"a"}`, []string{"one", "four"}},
		{`{"tags":{"eq":["a","b"]}}`, []string{"one"}},
		{`{"tags":{"eq":["b","a"]}}`, nil},
		{`{"tags":[]}`, nil},
		{`{"tags":{"eq":[]}}`, []string{"three"}},
		{`{"tags":["b",1]}`, []string{"one", "two"}},
		{`{"topic":{"ne":"food"}}`, []string{"three", "four"}},
		{`{"opt":null}`, all},
		{`{"topic":null}`, nil},
		{`{"score":[1.5,null]}`, []string{"one", "four"}},
		{`{"score":{"nin":[1.5,null]}}`, []string{"two", "three"}},
		{`{"score":{"nin":[]}}`, all},
		{`{"score":{"exists":true}}`, []string{"one", "two", "three"}},
		{`{"opt":{"exists":true}}`, nil},
		{`{"score":"*"}`, []string{"one", "two", "three"}},
		{`{"city":{"eq":"*"}}`, nil},
		{`{"n":{"gt":5}}`, []string{"two", "three"}},
		{`{"n":{"gte":5,"$lt":20}}`, []string{"one", "two"}},
		{`{"NOT":{"n":{"gt":5}}}`, []string{"one", "four"}},
		{`{"NOT":[{"n":5},{"n":10}]}`, []string{"three", "four"}},
		{`{"NOT":{"n":5,"topic":"work"}}`, all},
		{`{"NOT":[]}`, all},
		{`{"AND":[]}`, all},
		{`{"OR":[{"n":5},{"n":10,"topic":"work"},{"n":"5"}]}`, []string{"one", "four"}},
		{`{"topic":{"gt":"g"}}`, []string{"three", "four"}},
		{`{"due":{"lt":"2024-02-26T09:00:00Z"}}`, []string{"two", "three"}},
		{`{"due":{"lte":"2024-02-26"}}`, []string{"three"}},
		{`{"due":{"gt":"2024-02-26T07:59:59.999999Z"}}`, []string{"two", "four"}},
		{`{"city":{"like":"P%"}}`, []string{"one"}},
		{`{"city":{"ilike":"p%"}}`, []string{"one", "two"}},
		{`{"city":{"like":"%\\%\\_%"}}`, []string{"four"}},
		{`{"n":{"like":"%"}}`, []string{"four"}},
		{`{"city":{"contains":"aris"}}`, []string{"one", "two"}},
		{`{"city":{"contains":"%_"}}`, []string{"four"}},
		{`{"tags":{"contains":"a"}}`, []string{"one", "four"}},
		{`{"tags":{"contains":1}}`, []string{"two"}},
		{`{"tags":{"icontains":"A"}}`, []string{"one", "four"}},
		{`{"a.b":1}`, []string{"one"}},
		{`{"a.b":2}`, []string{"two"}},
		{`{"metadata.a.b":2}`, []string{"two"}},
		{`{"metadata.topic":"food"}`, []string{"one", "two"}},
		{`{"metadata.role":"user"}`, nil},
		{`{"role":"assistant"}`, []string{"two"}},
		{`{"actor_id":"bob"}`, []string{"three"}},
		{`{"actor_id":null}`, []string{"one", "two", "four"}},
		{`{"agent_id":"helper"}`, []string{"one"}},
		{`{"agent_id":{"ne":"helper"}}`, []string{"two", "three", "four"}},
		{`{"agent_id":{"like":"help%"}}`, []string{"one"}},
		{`{"user_id":"alice","memory":{"icontains":"O"}}`, []string{"one", "two", "four"}},
		{`{"categories":"x"}`, []string{"two"}},
		{`{"categories":["y","q"]}`, []string{"two"}},
		{`{"category":"x"}`, []string{"two", "three"}},
		{`{"category":["y"]}`, []string{"two", "four"}},
		{`{"category":null}`, []string{"one"}},
		{`{"valid_from":"2026-03-02T10:00:00Z"}`, []string{"one", "two", "three"}},
		{`{"valid_from":{"gt":"2026-03-02T11:00:00+01:00"}}`, []string{"four"}},
		{`{"created_at":{"gte":"2000-01-01T00:00:00"}}`, all},
		{`{"created_at":{"like":"20%"}}`, nil},
		{`{"expires_at":{"exists":true}}`, []string{"three"}},
		{`{"expires_at":null}`, []string{"one", "two", "four"}},
		{`{"pinned":false}`, all},
		{`{"pinned":"false"}`, nil},
		{`{"structured_attributes.day_of_week":"monday"}`, []string{"one", "two", "three"}},
		{`{"structured_attributes.is_weekend":true}`, []string{"four"}},
		{`{"structured_attributes.week_of_year":10,"structured_attributes.hour":{"lt":11}}`, all},
		{`{"structured_attributes.nothing":10}`, nil},
		{`{"$and":7}`, nil}, // refused below
		{`{"":0}`, []string{"four"}},
		{`{"x') OR 1=1 --":"y"}`, nil},
		{`{"topic":"food","topic":"work"}`, nil},
		{`{"a\u0000b":1}`, nil},
	} {
		f, err := ParseFilter(json.RawMessage(c.filter))
		if c.filter == `{"$and":7}` {
			kind(t, err, memd.Invalid)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.filter, err)
			continue
		}
		got := texts(b.list(ListQuery{Scope: user("alice"), Filters: f}))
		hits := found(b.search(Query{Scope: user("alice"), Filters: f, Text: "anything", Vector: vectorOf("x"), Model: model, Limit: 100}))
		slices.Sort(got)
		slices.Sort(hits)
		if want := slices.Sorted(slices.Values(c.want)); !slices.Equal(got, want) || !slices.Equal(hits, want) {
			t.Errorf("%s: lists %q, finds %q; want %q", c.filter, got, hits, want)
		}
	}
}

func TestFilterRefuses(t *testing.T) {
	deep := strings.Repeat(`{"AND":[`, 17) + strings.Repeat(`]}`, 17)
	for raw, field := range map[string]string{
		`{"n":{"frob":1}}`:                   "filters.n.frob",
		`{"n":{}}`:                           "filters.n",
		`[]`:                                 "filters",
		`"x"`:                                "filters",
		`{"n":`:                              "filters",
		`{"OR":[]}`:                          "filters.OR",
		`{"OR":{"a":1}}`:                     "filters.OR",
		`{"AND":[1]}`:                        "filters.AND[0]",
		`{"NOT":1}`:                          "filters.NOT",
		`{"and":[]}`:                         "filters.and",
		`{"$or":[{"a":1}]}`:                  "filters.$or",
		`{"Not":[]}`:                         "filters.Not",
		`{"n":{"in":"x"}}`:                   "filters.n.in",
		`{"n":{"nin":1}}`:                    "filters.n.nin",
		`{"n":{"gt":true}}`:                  "filters.n.gt",
		`{"n":{"gt":[1]}}`:                   "filters.n.gt",
		`{"n":{"like":1}}`:                   "filters.n.like",
		`{"n":{"like":"a\\"}}`:               "filters.n.like",
		`{"n":{"contains":null}}`:            "filters.n.contains",
		`{"n":{"icontains":1}}`:              "filters.n.icontains",
		`{"n":{"exists":"yes"}}`:             "filters.n.exists",
		`{"created_at":"yesterday"}`:         "filters.created_at",
		`{"created_at":{"gt":1}}`:            "filters.created_at.gt",
		`{"created_at":{"in":["2024","x"]}}`: "filters.created_at.in",
		`{"n":"a\u0000b"}`:                   "filters.n",
		`{"n":1e99999}`:                      "filters.n",
		`{"AND":[{"n":{"frob":1}}]}`:         "filters.AND[0].n.frob",
		`{"a":1,"OR":[{"b":{"$ge":1}}]}`:     "filters.OR[0].b.$ge",
	} {
		_, err := ParseFilter(json.RawMessage(raw))
		if e, ok := err.(*memd.Error); !ok || e.Kind != memd.Invalid || e.Field != field {
			t.Errorf("%s: %v, want one about %s", raw, err, field)
		}
	}
	if _, err := ParseFilter(json.RawMessage(deep)); memd.KindOf(err) != memd.Invalid {
		t.Errorf("too deep: %v", err)
	}
	many := `{"OR":[` + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 257), ",") + `]}`
	if _, err := ParseFilter(json.RawMessage(many)); memd.KindOf(err) != memd.Invalid {
		t.Errorf("too many: %v", err)
	}
	if _, err := ParseFilter(json.RawMessage(strings.Repeat(`{"AND":[`, 15) + `{"a":1}` + strings.Repeat(`]}`, 15))); err != nil {
		t.Errorf("not too deep: %v", err)
	}
}

// ---------------------------------------------- what filters mean, read plainly

// plainly says whether a memory passes a filter, from the filter's own JSON.
func plainly(f any, row map[string]any) bool {
	for key, v := range f.(map[string]any) {
		pass := true
		switch key {
		case "AND":
			for _, c := range v.([]any) {
				pass = pass && plainly(c, row)
			}
		case "OR":
			pass = slices.ContainsFunc(v.([]any), func(c any) bool { return plainly(c, row) })
		case "NOT":
			if list, ok := v.([]any); ok {
				pass = !slices.ContainsFunc(list, func(c any) bool { return plainly(c, row) })
			} else {
				pass = !plainly(v, row)
			}
		default:
			pass = plainField(row[key], v)
		}
		if !pass {
			return false
		}
	}
	return true
}

func plainField(value, asked any) bool {
	switch asked := asked.(type) {
	case []any:
		return plainOp(value, "in", asked)
	case map[string]any:
		for op, operand := range asked {
			if !plainOp(value, strings.TrimPrefix(op, "$"), operand) {
				return false
			}
		}
		return true
	case string:
		if asked == "*" {
			return plainOp(value, "exists", true)
		}
	}
	return plainOp(value, "eq", asked)
}

func plainOp(value any, op string, operand any) bool {
	if op != "ne" && op != "nin" {
		switch v := value.(type) {
		case oneOrMore:
			return plainEach(v, op, operand)
		case caseless:
			return plainOp(string(v), op, inLowerCase(operand))
		case time.Time:
			return plainTime(v, op, operand)
		}
	}
	text, isText := value.(string)
	list, isList := value.([]any)
	switch op {
	case "ne":
		return !plainOp(value, "eq", operand)
	case "nin":
		return !plainOp(value, "in", operand)
	case "exists":
		return (value != nil) == operand.(bool)
	case "in":
		return slices.ContainsFunc(operand.([]any), func(o any) bool { return plainOp(value, "eq", o) })
	case "eq":
		switch operand.(type) {
		case nil:
			return value == nil
		case []any, map[string]any:
			return plainEqual(value, operand)
		}
		return plainEqual(value, operand) || slices.ContainsFunc(list, func(e any) bool { return plainEqual(e, operand) })
	case "contains":
		if isList {
			return slices.ContainsFunc(list, func(e any) bool { return plainEqual(e, operand) })
		}
		o, ok := operand.(string)
		return isText && ok && strings.Contains(text, o)
	case "icontains":
		o := strings.ToLower(operand.(string))
		if isList {
			return slices.ContainsFunc(list, func(e any) bool { s, ok := e.(string); return ok && strings.ToLower(s) == o })
		}
		return isText && strings.Contains(strings.ToLower(text), o)
	case "like", "ilike":
		pattern := "(?s)^"
		if op == "ilike" {
			pattern = "(?is)^"
		}
		runes := []rune(operand.(string))
		for i := 0; i < len(runes); i++ {
			switch runes[i] {
			case '%':
				pattern += ".*"
			case '_':
				pattern += "."
			case '\\':
				i++
				pattern += regexp.QuoteMeta(string(runes[i]))
			default:
				pattern += regexp.QuoteMeta(string(runes[i]))
			}
		}
		return isText && regexp.MustCompile(pattern+"$").MatchString(text)
	}
	c, ok := 0, false
	switch o := operand.(type) {
	case json.Number:
		if n, isNumber := value.(json.Number); isNumber {
			c, ok = rat(n).Cmp(rat(o)), true
		}
	case string:
		if isText {
			c, ok = strings.Compare(text, o), true
			one, isTime := isoTime(text)
			two, isTimeToo := isoTime(o)
			if isTime && isTimeToo {
				c = one.Compare(two)
			}
		}
	}
	switch op {
	case "gt":
		return ok && c > 0
	case "gte":
		return ok && c >= 0
	case "lt":
		return ok && c < 0
	case "lte":
		return ok && c <= 0
	}
	panic(op)
}

func rat(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		panic(n)
	}
	return r
}

func plainEqual(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, ok := b.(json.Number)
		return ok && rat(x).Cmp(rat(y)) == 0
	}
	x, ok := a.([]any)
	y, okToo := b.([]any)
	if ok || okToo {
		return ok && okToo && slices.EqualFunc(x, y, plainEqual)
	}
	m, ok := a.(map[string]any)
	n, okToo := b.(map[string]any)
	if ok || okToo {
		if !ok || !okToo || len(m) != len(n) {
			return false
		}
		for k, v := range m {
			w, there := n[k]
			if !there || !plainEqual(v, w) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func decode(t interface{ Fatal(...any) }, raw []byte) any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(string(raw), err)
	}
	return v
}

var (
	oddKeys  = []string{"k", "k.l", "k.l.m", "K", "it's", `q"q`, "$eq", "a$b", "", " ", "ключ", "ne", "%", `\`, "''--", "metadata", "[0]", "0"}
	oddTexts = []string{"", "a", "A", "ab", "*", "true", "1", "null", "100%", "x_y", `\`, "ä", "Ä", "日本", "it's", "2024-02-26", "2024-02-26T00:00:00Z", "2024-02-26T01:00:00+01:00", "2024-02-30", "2024-02-26T00:00:00.0000005Z", "2024-13-01", "\n"}
	numbers  = []string{"0", "-0", "1", "1.0", "1.5", "10e-1", "-3", "12345678901234567890123", "0.1", "1e3"}
)

func drawScalar(r *rapid.T) string {
	switch rapid.IntRange(0, 9).Draw(r, "kind") {
	case 0:
		return "null"
	case 1:
		return rapid.SampledFrom([]string{"true", "false"}).Draw(r, "bool")
	case 2, 3, 4:
		return rapid.SampledFrom(numbers).Draw(r, "number")
	}
	b, _ := json.Marshal(rapid.SampledFrom(oddTexts).Draw(r, "text"))
	return string(b)
}

func drawValue(r *rapid.T) string {
	switch rapid.IntRange(0, 5).Draw(r, "shape") {
	case 0:
		return "[" + strings.Join(rapid.SliceOfN(rapid.Custom(drawScalar), 0, 3).Draw(r, "list"), ",") + "]"
	case 1:
		k, _ := json.Marshal(rapid.SampledFrom([]string{"l", "l.m", "x"}).Draw(r, "inner key"))
		return "{" + string(k) + ":" + drawScalar(r) + "}"
	case 2:
		return `{"l":{"m":` + drawScalar(r) + `}}`
	}
	return drawScalar(r)
}

func drawKey(r *rapid.T) string {
	b, _ := json.Marshal(rapid.SampledFrom(oddKeys).Draw(r, "key"))
	return string(b)
}

func drawText(r *rapid.T) string {
	b, _ := json.Marshal(rapid.SampledFrom(oddTexts).Draw(r, "text"))
	return string(b)
}

func drawFilter(depth int) func(r *rapid.T) string {
	return func(r *rapid.T) string {
		var members []string
		// Within an object each key comes once: the plain reading keeps no more.
		keys := rapid.SliceOfNDistinct(rapid.Custom(drawKey), 1, 2, rapid.ID).Draw(r, "keys")
		nested := false
		for _, key := range keys {
			kind := rapid.IntRange(0, 12).Draw(r, "form")
			if depth == 0 || kind >= 10 && nested {
				kind = min(kind, 9)
			}
			nested = nested || kind >= 10
			switch kind {
			case 0:
				members = append(members, key+":"+drawScalar(r))
			case 1:
				members = append(members, key+":["+strings.Join(rapid.SliceOfN(rapid.Custom(drawValue), 0, 3).Draw(r, "in"), ",")+"]")
			case 2:
				op := rapid.SampledFrom([]string{"eq", "ne", "$eq"}).Draw(r, "op")
				members = append(members, fmt.Sprintf(`%s:{"%s":%s}`, key, op, drawValue(r)))
			case 3:
				op := rapid.SampledFrom([]string{"in", "nin"}).Draw(r, "op")
				members = append(members, fmt.Sprintf(`%s:{"%s":[%s]}`, key, op, strings.Join(rapid.SliceOfN(rapid.Custom(drawScalar), 0, 3).Draw(r, "in"), ",")))
			case 4, 5, 6:
				op := rapid.SampledFrom([]string{"gt", "gte", "lt", "lte"}).Draw(r, "op")
				operand := drawText(r)
				if rapid.Bool().Draw(r, "number") {
					operand = rapid.SampledFrom(numbers).Draw(r, "operand")
				}
				members = append(members, fmt.Sprintf(`%s:{"%s":%s}`, key, op, operand))
			case 7:
				pattern, _ := json.Marshal(rapid.SampledFrom([]string{"%", "a%", "_", `\%`, `%\_%`, "%ä%", `\\`, "A_"}).Draw(r, "pattern"))
				members = append(members, fmt.Sprintf(`%s:{"%s":%s}`, key, rapid.SampledFrom([]string{"like", "ilike"}).Draw(r, "op"), pattern))
			case 8:
				members = append(members, fmt.Sprintf(`%s:{"%s":%s}`, key, rapid.SampledFrom([]string{"contains", "icontains"}).Draw(r, "op"), drawText(r)))
			case 9:
				members = append(members, fmt.Sprintf(`%s:{"exists":%v}`, key, rapid.Bool().Draw(r, "exists")))
			case 10, 11:
				op := rapid.SampledFrom([]string{"AND", "OR", "NOT"}).Draw(r, "op")
				members = append(members, fmt.Sprintf(`"%s":[%s]`, op, strings.Join(rapid.SliceOfN(rapid.Custom(drawFilter(depth-1)), 1, 3).Draw(r, "inner"), ",")))
			case 12:
				members = append(members, `"NOT":`+drawFilter(depth-1)(r))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
}

// plainRow gives the fields of a memory's metadata as a filter names them.
func plainRow(metadata map[string]any) map[string]any {
	row := map[string]any{}
	for _, key := range oddKeys {
		if v, ok := metadata[key]; ok {
			row[key] = v
			continue
		}
		var at any = metadata
		for _, part := range strings.Split(key, ".") {
			m, _ := at.(map[string]any)
			at = m[part]
		}
		row[key] = at
	}
	return row
}

// TestFiltersMeanWhatTheySay compares the SQL with the plain reading, over rows and
// filters of all types.
func TestFiltersMeanWhatTheySay(t *testing.T) {
	b := newStore(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		who := fmt.Sprintf("user%d", n)
		rows := map[string]map[string]any{}
		var vs []Verbatim
		for i := range rapid.IntRange(20, 40).Draw(r, "rows") {
			var members []string
			for range rapid.IntRange(0, 6).Draw(r, "members") {
				members = append(members, drawKey(r)+":"+drawValue(r))
			}
			// Of a key that comes twice both keep the last.
			raw := "{" + strings.Join(members, ",") + "}"
			text := fmt.Sprintf("row %d", i)
			rows[text] = plainRow(decode(r, []byte(raw)).(map[string]any))
			vs = append(vs, Verbatim{Scope: user(who), Text: text, Role: "user", Metadata: json.RawMessage(raw)})
		}
		if _, err := b.AddVerbatim(t.Context(), tenant, vs); err != nil {
			r.Fatal(err)
		}
		for range 40 {
			raw := drawFilter(2)(r)
			f, err := ParseFilter(json.RawMessage(raw))
			if err != nil {
				r.Fatalf("%s: %v", raw, err)
			}
			asked := decode(r, []byte(raw))
			var want []string
			for text, row := range rows {
				if plainly(asked, row) {
					want = append(want, text)
				}
			}
			ms, _, _, err := b.List(t.Context(), tenant, ListQuery{Scope: user(who), Filters: f, Limit: 1000})
			if err != nil {
				r.Fatalf("%s: %v", raw, err)
			}
			got := texts(ms)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				r.Fatalf("%s passes %q, want %q", raw, got, want)
			}
		}
	})
}

// TestFiltersCannotWiden draws filters that try to reach another user.
func TestFiltersCannotWiden(t *testing.T) {
	b := newStore(t)
	for _, who := range []string{"alice", "bob"} {
		for _, run := range []string{"r1", "r2"} {
			if _, err := b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: memd.Scope{UserID: who, RunID: run}, Text: who + " " + run, Role: "user"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var draw func(depth int) func(r *rapid.T) string
	draw = func(depth int) func(r *rapid.T) string {
		return func(r *rapid.T) string {
			var members []string
			for range rapid.IntRange(1, 3).Draw(r, "members") {
				form := rapid.IntRange(0, 7).Draw(r, "form")
				if depth == 0 {
					form = min(form, 4)
				}
				id := rapid.SampledFrom([]string{"user_id", "run_id", "app_id", "agent_id"}).Draw(r, "id")
				value := rapid.SampledFrom([]string{`"bob"`, `"alice"`, `"r1"`, `"r2"`, `null`, `"*"`}).Draw(r, "value")
				switch form {
				case 0:
					members = append(members, fmt.Sprintf(`"%s":%s`, id, value))
				case 1:
					members = append(members, fmt.Sprintf(`"%s":{"eq":%s}`, id, value))
				case 2:
					members = append(members, fmt.Sprintf(`"%s":{"ne":%s}`, id, value))
				case 3:
					members = append(members, fmt.Sprintf(`"%s":["bob",%s]`, id, value))
				case 4:
					members = append(members, fmt.Sprintf(`"%s":{"exists":true}`, id))
				default:
					op := rapid.SampledFrom([]string{"AND", "OR", "NOT"}).Draw(r, "op")
					members = append(members, fmt.Sprintf(`"%s":[%s]`, op, strings.Join(rapid.SliceOfN(rapid.Custom(draw(depth-1)), 1, 3).Draw(r, "inner"), ",")))
				}
			}
			return "{" + strings.Join(members, ",") + "}"
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		for range 4 {
			raw := draw(3)(r)
			f, err := ParseFilter(json.RawMessage(raw))
			if err != nil {
				r.Fatal(err)
			}
			for _, scope := range []memd.Scope{{UserID: "alice"}, {UserID: "alice", RunID: "r1"}, {RunID: "r2"}} {
				ms, _, _, err := b.List(t.Context(), tenant, ListQuery{Scope: scope, Filters: f})
				if err != nil {
					r.Fatal(err)
				}
				hits, err := b.Search(t.Context(), tenant, Query{Scope: scope, Filters: f, Text: "alice bob r1 r2", Vector: vectorOf("bob"), Model: model})
				if err != nil {
					r.Fatal(err)
				}
				if len(hits) != len(ms) {
					r.Fatalf("%s: finds %q and lists %q", raw, found(hits), texts(ms))
				}
				for _, m := range ms {
					if scope.UserID != "" && *m.UserID != scope.UserID || scope.RunID != "" && *m.RunID != scope.RunID {
						r.Fatalf("%s shows %q to %s", raw, m.Memory, scope.Describe())
					}
				}
			}
		}
	})
}

func TestIDsAndFilters(t *testing.T) {
	b := newStore(t)
	for _, who := range []string{"alice", "bob", "carol"} {
		b.verbatim(who, who)
	}
	for _, c := range []struct {
		scope  memd.Scope
		filter string
		want   []string
	}{
		// An explicit id replaces a plain condition at the top or in the top's AND …
		{user("alice"), `{"user_id":"bob"}`, []string{"alice"}},
		{user("alice"), `{"user_id":{"eq":"bob"}}`, []string{"alice"}},
		{user("alice"), `{"AND":[{"user_id":"bob"}]}`, []string{"alice"}},
		{user("alice"), `{"AND":[{"user_id":"bob"},{"role":"user"}],"memory":"alice"}`, []string{"alice"}},
		// … and anything deeper is asked for as well.
		{user("alice"), `{"AND":[{"AND":[{"user_id":"bob"}]}]}`, nil},
		{user("alice"), `{"OR":[{"user_id":"bob"}]}`, nil},
		{user("alice"), `{"user_id":["bob"]}`, nil},
		{user("alice"), `{"user_id":{"ne":"alice"}}`, nil},
		// What is empty is no id.
		{user("alice"), `{"agent_id":""}`, nil},
		{user("alice"), `{"AND":[{"run_id":{"eq":""}}]}`, nil},
		{user("alice"), `{"app_id":""}`, nil},
		// Without one the filter's own top level names whose memories are meant.
		{memd.Scope{}, `{"user_id":"bob"}`, []string{"bob"}},
		{memd.Scope{}, `{"AND":[{"user_id":"bob"},{"memory":"bob"}]}`, []string{"bob"}},
		{memd.Scope{}, `{"user_id":["bob","carol"]}`, []string{"bob", "carol"}},
		{memd.Scope{}, `{"user_id":{"in":["bob"]},"memory":"carol"}`, nil},
		{memd.Scope{}, `{"user_id":"bob","AND":[{"user_id":"carol"}]}`, nil},
	} {
		sameSet(t, texts(b.list(ListQuery{Scope: c.scope, Filters: filter(t, c.filter)})), c.want)
		q := ask("anything", c.scope)
		q.Filters = filter(t, c.filter)
		sameSet(t, found(b.search(q)), c.want)
	}
	for _, raw := range []string{`{"OR":[{"user_id":"bob"}]}`, `{"user_id":{"ne":"bob"}}`, `{"user_id":null}`, `{"user_id":["bob",null]}`, `{"NOT":{"user_id":"bob"}}`, `{"user_id":""}`, `{}`} {
		_, _, _, err := b.List(t.Context(), tenant, ListQuery{Filters: filter(t, raw)})
		kind(t, err, memd.Invalid)
	}
}

func FuzzParseFilter(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1}`, `{"AND":[{"a":{"gte":1,"lt":2}},{"NOT":{"b":null}}]}`, `{"a":{"in":[1,"x",null]}}`, `{"created_at":{"gt":"2024-01-01"}}`, `{"a":{"like":"%\\%"}}`, `[`, `{"a":{}}`, `{"a.b.c":"*"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		filter, err := ParseFilter(json.RawMessage(raw))
		if err != nil {
			if memd.KindOf(err) != memd.Invalid {
				t.Fatal(err)
			}
			return
		}
		filter.narrow(memd.Scope{UserID: "alice"})
		if filter.root == nil {
			return
		}
		st := &statement{}
		sql := filter.root.sql(st)
		if len(st.args) > 100_000 || strings.Count(sql, "(") != strings.Count(sql, ")") && !strings.Contains(sql, iso) {
			t.Fatal(sql)
		}
	})
}
