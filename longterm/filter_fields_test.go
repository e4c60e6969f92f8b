package longterm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

// Values of standard fields as the plain reading knows them, beside those of JSON.
type (
	// oneOrMore are values of which each is looked at: nothing, one, or a list of several.
	oneOrMore []any
	// caseless is an id, which may be asked for in letters of either case.
	caseless string
)

func plainEach(all oneOrMore, op string, operand any) bool {
	switch op {
	case "gt", "gte", "lt", "lte", "like", "ilike", "contains", "icontains":
		return slices.ContainsFunc(all, func(v any) bool { return plainOp(v, op, operand) })
	}
	switch len(all) {
	case 0:
		return plainOp(nil, op, operand)
	case 1:
		return plainOp(all[0], op, operand)
	}
	return plainOp([]any(all), op, operand)
}

func plainTime(at time.Time, op string, operand any) bool {
	compare := func(o any) int {
		then, err := memd.ParseTime("", o.(string))
		if err != nil {
			panic(err) // the parser takes no other
		}
		return at.Compare(then)
	}
	equal := func(o any) bool { return o != nil && compare(o) == 0 }
	switch op {
	case "exists":
		return operand.(bool)
	case "eq":
		return equal(operand)
	case "in":
		return slices.ContainsFunc(operand.([]any), equal)
	case "gt":
		return compare(operand) > 0
	case "gte":
		return compare(operand) >= 0
	case "lt":
		return compare(operand) < 0
	case "lte":
		return compare(operand) <= 0
	}
	return false // a time is no text
}

func inLowerCase(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ToLower(v)
	case []any:
		lower := make([]any, len(v))
		for i := range v {
			lower[i] = inLowerCase(v[i])
		}
		return lower
	}
	return v
}

var (
	names     = []string{"", "a", "A", "ab", "b", "a%", "*", "10", "9", "2026-03-01", "ä"}
	instants  = []string{"2026-03-01T00:00:00Z", "2026-03-01T00:00:00.000001Z", "2026-02-28T23:59:59.999999Z", "2026-03-07T12:30:00Z", "2024-02-29T06:00:00Z", "2024-12-30T23:15:00Z", "2021-01-03T01:00:00Z"}
	wordsOfOp = []string{"gt", "gte", "lt", "lte", "like", "ilike", "contains", "icontains"}
)

// standardRow is a memory with values in its standard fields.
type standardRow struct {
	categories, agents, runs                            []string
	metadata                                            string
	role, actor, kind                                   string
	pinned                                              bool
	created, updated, from, validTo, occurred, expiring string // "" for none
}

func drawStandardRow(r *rapid.T) standardRow {
	several := func(label string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(names[1:]), 0, 3, rapid.ID).Draw(r, label)
	}
	instant := func(label string) string { return rapid.SampledFrom(instants).Draw(r, label) }
	maybe := func(label string) string { return rapid.SampledFrom(append(instants, "", "", "")).Draw(r, label) }
	row := standardRow{
		categories: several("categories"), agents: several("agents"), runs: several("runs"),
		metadata: rapid.SampledFrom([]string{`{}`, `{}`, `{"category":"a"}`, `{"category":["b","a"]}`, `{"category":null}`, `{"category":10}`, `{"category":[]}`, `{"category":[null,"ab",9]}`, `{"category":{"a":"b"}}`, `{"category":""}`}).Draw(r, "metadata"),
		role:     rapid.SampledFrom([]string{"user", "assistant", "tool"}).Draw(r, "role"),
		actor:    rapid.SampledFrom(names).Draw(r, "actor"), kind: rapid.SampledFrom(names).Draw(r, "memory type"),
		pinned:  rapid.Bool().Draw(r, "pinned"),
		created: instant("created"), updated: instant("updated"), from: instant("from"), validTo: maybe("to"), occurred: maybe("occurred"),
	}
	if rapid.Bool().Draw(r, "expiring") {
		row.expiring = "2126-03-01T00:00:00Z"
	}
	return row
}

// plain gives the fields as a filter names them.
func (row standardRow) plain(id string) map[string]any {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	at := func(s string) any {
		if s == "" {
			return nil
		}
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			panic(err)
		}
		return t
	}
	each := func(list []string) []any {
		all := []any{}
		for _, s := range list {
			all = append(all, s)
		}
		return all
	}
	number := func(n int) any { return json.Number(fmt.Sprint(n)) }
	category := oneOrMore(each(row.categories))
	switch own := decode(panics{}, []byte(row.metadata)).(map[string]any)["category"].(type) {
	case nil:
	case []any:
		category = append(category, own...)
	default:
		category = append(category, own)
	}
	from := at(row.from).(time.Time)
	_, week := from.ISOWeek()
	return map[string]any{
		"id": caseless(id), "role": row.role, "actor_id": text(row.actor), "memory_type": text(row.kind), "pinned": row.pinned,
		"agent_id": oneOrMore(each(row.agents)), "run_id": oneOrMore(each(row.runs)), "category": category, "categories": each(row.categories),
		"created_at": at(row.created), "updated_at": at(row.updated), "valid_from": at(row.from), "valid_to": at(row.validTo), "occurred_at": at(row.occurred), "expires_at": at(row.expiring),
		"structured_attributes.year": number(from.Year()), "structured_attributes.month": number(int(from.Month())), "structured_attributes.day": number(from.Day()),
		"structured_attributes.hour": number(from.Hour()), "structured_attributes.minute": number(from.Minute()), "structured_attributes.day_of_year": number(from.YearDay()),
		"structured_attributes.week_of_year": number(week), "structured_attributes.quarter": number((int(from.Month()) + 2) / 3),
		"structured_attributes.day_of_week": strings.ToLower(from.Weekday().String()),
		"structured_attributes.is_weekend":  from.Weekday() == time.Saturday || from.Weekday() == time.Sunday,
	}
}

// panics stands for a test where the fault can only be the test's own.
type panics struct{}

func (panics) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// drawStandardFilter draws a filter on standard fields; ids are those of the memories.
func drawStandardFilter(ids []string, depth int) func(r *rapid.T) string {
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	return func(r *rapid.T) string {
		if depth > 0 && rapid.IntRange(0, 3).Draw(r, "form") == 0 {
			op := rapid.SampledFrom([]string{"AND", "OR", "NOT"}).Draw(r, "op")
			return fmt.Sprintf(`{"%s":[%s]}`, op, strings.Join(rapid.SliceOfN(rapid.Custom(drawStandardFilter(ids, depth-1)), 1, 3).Draw(r, "inner"), ","))
		}
		field := rapid.SampledFrom([]string{"id", "role", "actor_id", "memory_type", "pinned", "agent_id", "agent_id", "run_id", "run_id", "category", "category", "category", "categories",
			"created_at", "updated_at", "valid_from", "valid_to", "occurred_at", "expires_at",
			"structured_attributes.year", "structured_attributes.month", "structured_attributes.day", "structured_attributes.hour", "structured_attributes.minute", "structured_attributes.day_of_year",
			"structured_attributes.week_of_year", "structured_attributes.quarter", "structured_attributes.day_of_week", "structured_attributes.is_weekend"}).Draw(r, "field")
		known := func() string { return quoted(rapid.SampledFrom(names).Draw(r, "name")) }
		isTime := timeFields[field]
		switch {
		case field == "id":
			known = func() string {
				id := rapid.SampledFrom(ids).Draw(r, "id")
				if rapid.Bool().Draw(r, "capitals") {
					id = strings.ToUpper(id)
				}
				return quoted(id)
			}
		case field == "role":
			known = func() string {
				return quoted(rapid.SampledFrom([]string{"user", "assistant", "USER", "us%"}).Draw(r, "role"))
			}
		case isTime:
			known = func() string {
				return quoted(rapid.SampledFrom(append(instants, "2026-03-01", "2026-03-01T01:00:00+01:00", "2026-03-01T00:00:00", "2024-02-29T06:00:00.0000005Z")).Draw(r, "time"))
			}
		case field == "pinned", field == "structured_attributes.is_weekend":
			known = func() string { return rapid.SampledFrom([]string{"true", "false", `"true"`}).Draw(r, "bool") }
		case field == "structured_attributes.day_of_week":
			known = func() string {
				return quoted(rapid.SampledFrom([]string{"monday", "sunday", "Sunday", "saturday", "thursday"}).Draw(r, "day"))
			}
		case strings.HasPrefix(field, "structured_attributes."):
			known = func() string {
				return rapid.SampledFrom([]string{"1", "2", "3", "4", "9", "10", "12", "53", "2024", "2026.0", "60", "366", `"1"`}).Draw(r, "number")
			}
		}
		scalar := func() string {
			switch rapid.IntRange(0, 7).Draw(r, "kind") {
			case 0:
				return "null"
			case 1:
				if !isTime {
					return rapid.SampledFrom([]string{"10", "9.0", "true"}).Draw(r, "other")
				}
			}
			return known()
		}
		list := func() string {
			var all []string
			for range rapid.IntRange(0, 3).Draw(r, "values") {
				all = append(all, scalar())
			}
			return "[" + strings.Join(all, ",") + "]"
		}
		ask := func(op, operand string) string { return fmt.Sprintf(`{%q:{%q:%s}}`, field, op, operand) }
		switch rapid.IntRange(0, 6).Draw(r, "condition") {
		case 0:
			return fmt.Sprintf(`{%q:%s}`, field, scalar())
		case 1:
			return fmt.Sprintf(`{%q:%s}`, field, list())
		case 2:
			operand := scalar()
			if !isTime && rapid.IntRange(0, 3).Draw(r, "whole") == 0 {
				operand = list()
			}
			return ask(rapid.SampledFrom([]string{"eq", "ne"}).Draw(r, "op"), operand)
		case 3:
			return ask(rapid.SampledFrom([]string{"in", "nin"}).Draw(r, "op"), list())
		case 4:
			return ask("exists", fmt.Sprint(rapid.Bool().Draw(r, "exists")))
		}
		op := rapid.SampledFrom(wordsOfOp).Draw(r, "op")
		switch {
		case op == "like" || op == "ilike":
			return ask(op, quoted(rapid.SampledFrom([]string{"%", "a%", "A_", "_", `a\%`, "%1%", "us__", "%day", "ä", "%B%"}).Draw(r, "pattern")))
		case strings.HasSuffix(op, "contains"):
			return ask(op, quoted(rapid.SampledFrom([]string{"", "a", "A", "b", "day", "er", "0", "Ä", "%"}).Draw(r, "part")))
		case isTime:
			return ask(op, known())
		case rapid.Bool().Draw(r, "number"):
			return ask(op, rapid.SampledFrom([]string{"9", "10", "2", "2026", "9.5"}).Draw(r, "number"))
		}
		return ask(op, quoted(rapid.SampledFrom(append(names, "user", "monday", "2026-03-01T00:00:00Z")).Draw(r, "bound")))
	}
}

// TestStandardFieldsMeanWhatTheySay compares the SQL with the plain reading, over the fields
// that are no metadata: of those that hold several values each is looked at.
func TestStandardFieldsMeanWhatTheySay(t *testing.T) {
	b := newStore(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		who := fmt.Sprintf("user%d", n)
		var vs []Verbatim
		drawn := make([]standardRow, rapid.IntRange(15, 30).Draw(r, "rows"))
		for i := range drawn {
			drawn[i] = drawStandardRow(r)
			from, err := time.Parse(time.RFC3339, drawn[i].from)
			if err != nil {
				r.Fatal(err)
			}
			vs = append(vs, Verbatim{Scope: user(who), Text: fmt.Sprintf("row %d", i), Role: drawn[i].role, ActorID: drawn[i].actor, MemoryType: drawn[i].kind,
				Categories: drawn[i].categories, Metadata: json.RawMessage(drawn[i].metadata), SaidAt: from})
		}
		events, err := b.AddVerbatim(t.Context(), tenant, vs)
		if err != nil {
			r.Fatal(err)
		}
		ids, rows := make([]string, len(drawn)), map[string]map[string]any{}
		for i, row := range drawn {
			ids[i] = events[i].ID
			rows[fmt.Sprintf("row %d", i)] = row.plain(ids[i])
			// What comes only with time: others that say the same, edits, and the clock.
			b.exec(`UPDATE memory SET agent_ids = $2, run_ids = $3, pinned = $4, created_at = $5::text::timestamptz, updated_at = $6::text::timestamptz,
				valid_to = nullif($7, '')::timestamptz, occurred_at = nullif($8, '')::timestamptz, expires_at = nullif($9, '')::timestamptz WHERE id = $1`,
				ids[i], row.agents, row.runs, row.pinned, row.created, row.updated, row.validTo, row.occurred, row.expiring)
		}
		for range 60 {
			raw := drawStandardFilter(ids, 2)(r)
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
			ms, _, _, err := b.List(t.Context(), tenant, ListQuery{Scope: user(who), Filters: f, IncludeSuperseded: true, Limit: 1000})
			if err != nil {
				r.Fatalf("%s: %v", raw, err)
			}
			got := texts(ms)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				for _, text := range append(got, want...) {
					if slices.Contains(got, text) != slices.Contains(want, text) {
						r.Logf("%s: %v", text, rows[text])
					}
				}
				r.Fatalf("%s passes %q, want %q", raw, got, want)
			}
		}
	})
}
