package longterm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// Bounds of a filter.
const (
	maxFilterDepth      = 16
	maxFilterConditions = 256
	// maxFilterValues bounds the values in all lists of a filter: each is compared with
	// each row.
	maxFilterValues = 1000
	// maxFilterGroups bounds the objects and lists that conditions stand in.
	maxFilterGroups = 4096
	// maxWildcards bounds those of one pattern: Postgres goes one level deeper for each.
	maxWildcards = 1000
	// maxArrows is up to how many parts of a path are followed one by one.
	maxArrows = 16
	// maxExponent keeps numbers within what Postgres compares.
	maxExponent = 1000
)

// Filter is a condition on memories. The zero value lets all of them pass.
//
// Its logic is two-valued: a condition on a field that is missing or of another type is
// false, and NOT, ne and nin are complements.
type Filter struct{ root *node }

// Empty says whether every memory passes.
func (f Filter) Empty() bool { return f.root == nil }

// node is an inner node (and, or, not) or a condition on one field.
type node struct {
	op operator
	// nodes are those of an inner node; opNot holds where none of them does.
	nodes []*node
	// listed tells a conjunction that was written as AND from several keys in an object.
	listed bool
	field  string
	// operand is the raw JSON of what is compared with; of opIn a list.
	operand json.RawMessage
}

type operator string

const (
	opAnd operator = "AND"
	opOr  operator = "OR"
	opNot operator = "NOT"

	opEq        operator = "eq"
	opNe        operator = "ne"
	opIn        operator = "in"
	opNin       operator = "nin"
	opGt        operator = "gt"
	opGte       operator = "gte"
	opLt        operator = "lt"
	opLte       operator = "lte"
	opLike      operator = "like"
	opIlike     operator = "ilike"
	opContains  operator = "contains"
	opIcontains operator = "icontains"
	opExists    operator = "exists"
)

var fieldOperators = []operator{opEq, opNe, opIn, opNin, opGt, opGte, opLt, opLte, opLike, opIlike, opContains, opIcontains, opExists}

// ParseFilter reads a filter; nothing, null and {} let all memories pass. The error is
// Invalid, its field begins with "filters" and leads to the fault.
func ParseFilter(raw json.RawMessage) (Filter, error) {
	if len(bytes.TrimSpace(raw)) == 0 || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return Filter{}, nil
	}
	raw = memd.CleanJSON(raw)
	if !json.Valid(raw) {
		return Filter{}, memd.InvalidField("filters", "must be a JSON object")
	}
	p := &filterParser{}
	root, err := p.object(raw, "filters", 1)
	if err != nil {
		return Filter{}, err
	}
	if root.op == opAnd && len(root.nodes) == 0 {
		return Filter{}, nil
	}
	return Filter{root}, nil
}

type filterParser struct{ conditions, values, groups int }

// object reads an object of conditions, all of which must hold.
func (p *filterParser) object(raw json.RawMessage, at string, depth int) (*node, error) {
	if depth > maxFilterDepth {
		return nil, memd.InvalidField(at, "is nested deeper than %d", maxFilterDepth)
	}
	if p.groups++; p.groups > maxFilterGroups {
		return nil, memd.InvalidField("filters", "has more than %d objects", maxFilterGroups)
	}
	members, err := objectMembers(raw)
	if err != nil {
		return nil, memd.InvalidField(at, "must be an object")
	}
	all := &node{op: opAnd}
	for _, m := range members {
		inner := at + "." + m.key
		var n *node
		switch {
		case m.key == string(opAnd) || m.key == string(opOr):
			n, err = p.list(operator(m.key), m.value, inner, depth)
		case m.key == string(opNot):
			if kindOfJSON(m.value) == kindObject {
				var none *node
				if none, err = p.object(m.value, inner, depth+1); err == nil {
					n = &node{op: opNot, nodes: []*node{none}}
				}
				break
			}
			n, err = p.list(opNot, m.value, inner, depth)
		case slices.Contains([]string{"and", "or", "not"}, strings.ToLower(strings.TrimPrefix(m.key, "$"))):
			return nil, memd.InvalidField(inner, "must be written AND, OR or NOT")
		default:
			n, err = p.condition(m.key, m.value, inner)
		}
		if err != nil {
			return nil, err
		}
		all.nodes = append(all.nodes, n)
	}
	if len(all.nodes) == 1 {
		return all.nodes[0], nil
	}
	return all, nil
}

func (p *filterParser) list(op operator, raw json.RawMessage, at string, depth int) (*node, error) {
	var items []json.RawMessage
	if kindOfJSON(raw) != kindList || json.Unmarshal(raw, &items) != nil {
		return nil, memd.InvalidField(at, "must be a list of conditions")
	}
	if op == opOr && len(items) == 0 {
		return nil, memd.InvalidField(at, "must not be empty")
	}
	n := &node{op: op, listed: true}
	for i, item := range items {
		inner, err := p.object(item, at+"["+strconv.Itoa(i)+"]", depth+1)
		if err != nil {
			return nil, err
		}
		n.nodes = append(n.nodes, inner)
	}
	return n, nil
}

// condition reads what is asked of one field.
func (p *filterParser) condition(field string, raw json.RawMessage, at string) (*node, error) {
	switch kindOfJSON(raw) {
	case kindObject:
	case kindList:
		return p.leaf(opIn, field, raw, at)
	case kindString:
		if text, err := textOf(raw); err == nil && text == "*" {
			return p.leaf(opExists, field, json.RawMessage("true"), at)
		}
		fallthrough
	default:
		return p.leaf(opEq, field, raw, at)
	}
	members, err := objectMembers(raw)
	if err != nil {
		return nil, memd.InvalidField(at, "must be a value or an object of operators")
	}
	if len(members) == 0 {
		return nil, memd.InvalidField(at, "must have an operator")
	}
	all := &node{op: opAnd}
	for _, m := range members {
		op := operator(strings.TrimPrefix(m.key, "$"))
		if !slices.Contains(fieldOperators, op) {
			return nil, memd.InvalidField(at+"."+m.key, "is no operator")
		}
		n, err := p.leaf(op, field, m.value, at+"."+m.key)
		if err != nil {
			return nil, err
		}
		all.nodes = append(all.nodes, n)
	}
	if len(all.nodes) == 1 {
		return all.nodes[0], nil
	}
	return all, nil
}

func (p *filterParser) leaf(op operator, field string, operand json.RawMessage, at string) (*node, error) {
	if p.conditions++; p.conditions > maxFilterConditions {
		return nil, memd.InvalidField("filters", "has more than %d conditions", maxFilterConditions)
	}
	if err := checkOperand(op, field, operand, at); err != nil {
		return nil, err
	}
	if op == opIn || op == opNin {
		if p.values += len(items(operand)); p.values > maxFilterValues {
			return nil, memd.InvalidField(at, "the lists of a filter must have at most %d values", maxFilterValues)
		}
	}
	if field == "id" {
		operand = lowered(operand)
	}
	return &node{op: op, field: field, operand: operand}, nil
}

// lowered writes an id, or a list of some, in the letters that memories have theirs in.
func lowered(operand json.RawMessage) json.RawMessage {
	lower := func(raw json.RawMessage) json.RawMessage {
		text, err := textOf(raw)
		if err != nil {
			return raw
		}
		b, err := json.Marshal(strings.ToLower(text))
		if err != nil {
			return raw
		}
		return b
	}
	if kindOfJSON(operand) != kindList {
		return lower(operand)
	}
	several := items(operand)
	for i := range several {
		several[i] = lower(several[i])
	}
	b, err := json.Marshal(several)
	if err != nil || len(several) == 0 {
		return operand
	}
	return b
}

func checkOperand(op operator, field string, operand json.RawMessage, at string) error {
	if err := storable(operand, at); err != nil {
		return err
	}
	kind := kindOfJSON(operand)
	switch op {
	case opEq, opNe:
		if timeFields[field] && kind != kindNull {
			return timeOperand(operand, at)
		}
	case opIn, opNin:
		if kind != kindList {
			return memd.InvalidField(at, "must be a list")
		}
		for _, item := range items(operand) {
			if timeFields[field] && kindOfJSON(item) != kindNull {
				if err := timeOperand(item, at); err != nil {
					return err
				}
			}
		}
	case opGt, opGte, opLt, opLte:
		if timeFields[field] {
			return timeOperand(operand, at)
		}
		if kind != kindNumber && kind != kindString {
			return memd.InvalidField(at, "must be a number, a text or a time")
		}
	case opLike, opIlike:
		text, err := textOf(operand)
		if err != nil {
			return memd.InvalidField(at, "must be a text")
		}
		if escapes := len(text) - len(strings.TrimRight(text, `\`)); escapes%2 == 1 {
			return memd.InvalidField(at, "must not end with an escape")
		}
		if strings.Count(text, "%")+strings.Count(text, "_") > maxWildcards {
			return memd.InvalidField(at, "must have at most %d wildcards", maxWildcards)
		}
	case opContains:
		if kind == kindNull || kind == kindList || kind == kindObject {
			return memd.InvalidField(at, "must be a text, a number or a truth value")
		}
	case opIcontains:
		if kind != kindString {
			return memd.InvalidField(at, "must be a text")
		}
	case opExists:
		if kind != kindBool {
			return memd.InvalidField(at, "must be true or false")
		}
	}
	return nil
}

func timeOperand(raw json.RawMessage, at string) error {
	text, err := textOf(raw)
	if err != nil {
		return memd.InvalidField(at, "must be a time in RFC 3339")
	}
	_, err = memd.ParseTime(at, text)
	return err
}

// storable refuses what no memory can hold and Postgres cannot compare with.
func storable(raw json.RawMessage, at string) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	for {
		t, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return memd.InvalidField(at, "must be valid JSON")
		}
		switch t := t.(type) {
		case string:
			if strings.ContainsRune(t, 0) {
				return memd.InvalidField(at, "must not contain NUL characters")
			}
		case json.Number:
			if _, e, ok := strings.Cut(strings.ToLower(t.String()), "e"); ok {
				if n, err := strconv.Atoi(e); err != nil || n > maxExponent || n < -maxExponent {
					return memd.InvalidField(at, "must be a number of usual size")
				}
			}
			if len(t) > maxExponent {
				return memd.InvalidField(at, "must be a number of usual size")
			}
		}
	}
}

// ------------------------------------------------------------------ narrowing

// idFields are the fields that a scope names as well.
var idFields = []string{"user_id", "agent_id", "run_id", "app_id"}

// narrow brings a scope and a filter beside it together. An id of the scope replaces a
// plain condition on the same id in the filter's top-level conjunction; a plain
// condition on an id that the scope has not becomes the scope's.
func (f Filter) narrow(s memd.Scope) (memd.Scope, Filter) {
	ids := map[string]*string{"user_id": &s.UserID, "agent_id": &s.AgentID, "run_id": &s.RunID, "app_id": &s.AppID}
	given := map[string]bool{}
	for field, id := range ids {
		given[field] = *id != ""
	}
	rest := &node{op: opAnd}
	for _, n := range f.conjunction() {
		id, isID := ids[n.field]
		text, err := textOf(n.operand)
		switch {
		case n.op != opEq || !isID:
		case given[n.field]:
			continue
		case err != nil || text == "": // no id: nothing has it
		case *id == "" || *id == text:
			*id = text
			continue
		}
		rest.nodes = append(rest.nodes, n)
	}
	if len(rest.nodes) == 0 {
		return s, Filter{}
	}
	return s, Filter{rest}
}

// oneOf gives the values of which a field must have one, by a condition of the top-level
// conjunction; ok is false if there is none that says so.
func (f Filter) oneOf(field string) (values []string, ok bool) {
	for _, n := range f.conjunction() {
		if n.op != opIn || n.field != field {
			continue
		}
		values = []string{}
		ok = true
		for _, item := range items(n.operand) {
			switch kindOfJSON(item) {
			case kindString:
				text, _ := textOf(item) // it is one
				values = append(values, text)
			case kindNull: // the field may be missing
				ok = false
			}
		}
		if ok {
			return values, true
		}
	}
	return nil, false
}

// conjunction gives the conditions all of which must hold: those at the top level and
// in its AND. What lies deeper stays together.
func (f Filter) conjunction() []*node {
	if f.root == nil {
		return nil
	}
	var all []*node
	var add func(n *node, top bool)
	add = func(n *node, top bool) {
		if n.op != opAnd || n.listed && !top {
			all = append(all, n)
			return
		}
		for _, inner := range n.nodes {
			add(inner, top && !n.listed)
		}
	}
	add(f.root, true)
	return all
}

// ------------------------------------------------------------------------ SQL

var timeFields = map[string]bool{"created_at": true, "updated_at": true, "occurred_at": true, "valid_from": true, "valid_to": true, "expires_at": true}

// several makes a JSON value of a list of texts: nothing of none, the text of one.
func several(list string) string {
	return "(CASE cardinality(" + list + ") WHEN 0 THEN NULL WHEN 1 THEN to_jsonb((" + list + ")[1]) ELSE to_jsonb(" + list + ") END)"
}

const validFromUTC = "(m.valid_from AT TIME ZONE 'UTC')"

// standardFields are those that are no metadata, as JSON values of a row m.
var standardFields = map[string]string{
	"id": "to_jsonb(m.id::text)", "user_id": "to_jsonb(m.user_id)", "app_id": "to_jsonb(m.app_id)",
	"agent_id": several("m.agent_ids"), "run_id": several("m.run_ids"),
	"actor_id": "to_jsonb(m.actor_id)", "role": "to_jsonb(m.role)", "scope": "to_jsonb(m.scope)", "memory_type": "to_jsonb(m.memory_type)",
	"categories": "to_jsonb(m.categories)", "hash": "to_jsonb(m.hash)", "pinned": "to_jsonb(m.pinned)", "memory": "to_jsonb(m.memory)",
	// The lists as one; a single category is a text.
	"category": `(SELECT CASE jsonb_array_length(c) WHEN 0 THEN NULL WHEN 1 THEN c -> 0 ELSE c END
		FROM (SELECT ` + allCategories + ` AS c) x)`,
	"structured_attributes.year":         "to_jsonb(extract(year FROM " + validFromUTC + ")::int)",
	"structured_attributes.month":        "to_jsonb(extract(month FROM " + validFromUTC + ")::int)",
	"structured_attributes.day":          "to_jsonb(extract(day FROM " + validFromUTC + ")::int)",
	"structured_attributes.hour":         "to_jsonb(extract(hour FROM " + validFromUTC + ")::int)",
	"structured_attributes.minute":       "to_jsonb(extract(minute FROM " + validFromUTC + ")::int)",
	"structured_attributes.day_of_week":  "to_jsonb(to_char(" + validFromUTC + ", 'FMday'))",
	"structured_attributes.week_of_year": "to_jsonb(extract(week FROM " + validFromUTC + ")::int)",
	"structured_attributes.day_of_year":  "to_jsonb(extract(doy FROM " + validFromUTC + ")::int)",
	"structured_attributes.quarter":      "to_jsonb(extract(quarter FROM " + validFromUTC + ")::int)",
	"structured_attributes.is_weekend":   "to_jsonb(extract(isodow FROM " + validFromUTC + ") >= 6)",
}

// severalFields are the standard fields that hold one value or several, as lists: what is
// asked of their text is asked of each value, however many there are.
var severalFields = map[string]string{
	"agent_id": "to_jsonb(m.agent_ids)", "run_id": "to_jsonb(m.run_ids)", "category": allCategories,
}

// byText are the operators that look at a single text or number.
var byText = []operator{opGt, opGte, opLt, opLte, opLike, opIlike, opContains, opIcontains}

// allCategories is a list of those of the row and that, or those, of its metadata.
const allCategories = `(to_jsonb(m.categories) || coalesce(nullif(m.metadata -> 'category', 'null'::jsonb), '[]'::jsonb))`

// value writes the JSON value of a field of a row m; NULL stands for a missing one.
func value(st *statement, field string) string {
	if sql, ok := standardFields[field]; ok {
		return sql
	}
	key := strings.TrimPrefix(field, "metadata.")
	if strings.ContainsRune(key, 0) {
		return "NULL::jsonb" // no row can have it
	}
	bound := st.bind(key, "text")
	if !strings.Contains(key, ".") {
		return "(m.metadata -> " + bound + ")"
	}
	parts := strings.Split(key, ".")
	path := "m.metadata"
	if len(parts) > maxArrows { // it steps into lists as well, which nobody nests that deep
		path += " #> " + st.bind(parts, "text[]")
	} else {
		for _, part := range parts {
			path += " -> " + st.bind(part, "text")
		}
	}
	return "(CASE WHEN m.metadata ? " + bound + " THEN m.metadata -> " + bound + " ELSE " + path + " END)"
}

// sql writes a condition on a row m that is true or false, never null.
func (n *node) sql(st *statement) string {
	switch n.op {
	case opAnd:
		return joined(n.nodes, " AND ", "true", st)
	case opOr:
		return joined(n.nodes, " OR ", "false", st)
	case opNot:
		return "NOT " + joined(n.nodes, " OR ", "false", st)
	case opNe:
		return "NOT " + (&node{op: opEq, field: n.field, operand: n.operand}).sql(st)
	case opNin:
		return "NOT " + (&node{op: opIn, field: n.field, operand: n.operand}).sql(st)
	}
	if timeFields[n.field] {
		return "coalesce(" + n.timeSQL(st, "m."+n.field) + ", false)"
	}
	if list, ok := severalFields[n.field]; ok && slices.Contains(byText, n.op) {
		return "EXISTS (SELECT FROM jsonb_array_elements(" + list + ") AS f (v) WHERE " + n.valueSQL(st) + ")"
	}
	// The value is made once for each row, however often the condition looks at it; OFFSET 0
	// keeps the planner from writing it out again and again.
	v := value(st, n.field)
	return "coalesce((SELECT " + n.valueSQL(st) + " FROM (SELECT " + v + " AS v OFFSET 0) f), false)"
}

func joined(nodes []*node, by, none string, st *statement) string {
	if len(nodes) == 0 {
		return "(" + none + ")"
	}
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = n.sql(st)
	}
	return "(" + strings.Join(parts, by) + ")"
}

const missing = "(v IS NULL OR jsonb_typeof(v) = 'null')"

var comparisons = map[operator]string{opGt: ">", opGte: ">=", opLt: "<", opLte: "<="}

// valueSQL writes a condition on a JSON value v.
func (n *node) valueSQL(st *statement) string {
	switch n.op {
	case opExists:
		if string(bytes.TrimSpace(n.operand)) == "true" {
			return "NOT " + missing
		}
		return missing
	case opEq:
		return n.equalSQL(st, n.operand)
	case opIn:
		return n.amongSQL(st)
	case opGt, opGte, opLt, opLte:
		return n.compareSQL(st, comparisons[n.op])
	case opLike, opIlike:
		text, _ := textOf(n.operand) // checked
		return "(CASE jsonb_typeof(v) WHEN 'string' THEN (v #>> '{}') " + strings.ToUpper(string(n.op)) + " " + st.bind(text, "text") + " ELSE false END)"
	case opContains:
		operand := st.bind(string(n.operand), "jsonb")
		within := "false"
		if text, err := textOf(n.operand); err == nil {
			within = "strpos(v #>> '{}', " + st.bind(text, "text") + ") > 0"
		}
		return "(CASE jsonb_typeof(v) WHEN 'string' THEN " + within + " WHEN 'array' THEN v @> " + operand + " ELSE false END)"
	case opIcontains:
		text, _ := textOf(n.operand) // checked
		operand := "lower(" + st.bind(text, "text") + ")"
		return "(CASE jsonb_typeof(v) WHEN 'string' THEN strpos(lower(v #>> '{}'), " + operand + ") > 0" +
			" WHEN 'array' THEN EXISTS (SELECT FROM jsonb_array_elements(CASE jsonb_typeof(v) WHEN 'array' THEN v ELSE '[]' END) e" +
			" WHERE jsonb_typeof(e) = 'string' AND lower(e #>> '{}') = " + operand + ") ELSE false END)"
	}
	panic(fmt.Sprintf("longterm: no SQL for %s", n.op)) // every operator is above or in sql
}

// equalSQL writes that v, or an element of it, is the operand. Lists and objects are
// compared whole; null means missing.
func (n *node) equalSQL(st *statement, operand json.RawMessage) string {
	switch kindOfJSON(operand) {
	case kindNull:
		return missing
	case kindList, kindObject:
		return "coalesce(v = " + st.bind(string(operand), "jsonb") + ", false)"
	}
	bound := st.bind(string(operand), "jsonb")
	return "coalesce(v = " + bound + " OR jsonb_typeof(v) = 'array' AND v @> " + bound + ", false)"
}

// amongSQL writes that v, or an element of it, is one of the operand's items. Its plain
// values are looked up in one list, so that the text of the condition does not grow with
// them.
func (n *node) amongSQL(st *statement) string {
	either := []string{"false"}
	plain := []json.RawMessage{}
	for _, item := range items(n.operand) {
		switch kindOfJSON(item) {
		case kindNull, kindList, kindObject:
			either = append(either, n.equalSQL(st, item))
		default:
			plain = append(plain, item)
		}
	}
	if len(plain) > 0 {
		list, err := json.Marshal(plain)
		if err != nil {
			panic(err) // each is JSON
		}
		bound := st.bind(string(list), "jsonb")
		either = append(either, "coalesce(CASE jsonb_typeof(v) WHEN 'object' THEN false"+
			" WHEN 'array' THEN EXISTS (SELECT FROM jsonb_array_elements(CASE jsonb_typeof(v) WHEN 'array' THEN v ELSE '[]' END) e"+
			" WHERE jsonb_typeof(e) NOT IN ('array', 'object') AND "+bound+" @> e)"+
			" ELSE "+bound+" @> v END, false)")
	}
	return "(" + strings.Join(either, " OR ") + ")"
}

// iso is what texts look like that are compared as times.
const iso = `^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?((Z|[+-](0\d|1[0-5]):[0-5]\d))?)?)?$`

var isoPattern = regexp.MustCompile(iso)

// isoTime reads a text as a time if it looks like one.
func isoTime(text string) (time.Time, bool) {
	if !isoPattern.MatchString(text) {
		return time.Time{}, false
	}
	t, err := memd.ParseTime("", text)
	return t, err == nil
}

// compareSQL writes a comparison of v by size: numbers with numbers, times with times,
// text with text.
func (n *node) compareSQL(st *statement, by string) string {
	if kindOfJSON(n.operand) == kindNumber {
		return "(CASE jsonb_typeof(v) WHEN 'number' THEN (v #>> '{}')::numeric " + by + " " + st.bind(numeric(n.operand), "numeric") + " ELSE false END)"
	}
	text, _ := textOf(n.operand) // checked
	asText := "(v #>> '{}') COLLATE \"C\" " + by + " " + st.bind(text, "text")
	if t, ok := isoTime(text); ok {
		// Digits beyond the microsecond are cut, as they are everywhere.
		cut := `regexp_replace(v #>> '{}', '(\.\d{6})\d+', '\1')`
		asText = "CASE WHEN (v #>> '{}') ~ '" + iso + "' AND pg_input_is_valid(" + cut + ", 'timestamptz') THEN " +
			cut + "::timestamptz " + by + " " + st.bind(t, "timestamptz") + " ELSE " + asText + " END"
	}
	return "(CASE jsonb_typeof(v) WHEN 'string' THEN " + asText + " ELSE false END)"
}

// numeric writes a number in the form that every Postgres reads.
func numeric(raw json.RawMessage) string {
	r, ok := new(big.Rat).SetString(string(bytes.TrimSpace(raw)))
	if !ok {
		return "0" // a JSON number always reads
	}
	digits, exact := r.FloatPrec()
	if !exact {
		digits = 2 * maxExponent
	}
	return r.FloatString(digits)
}

// timeSQL writes a condition on a time column.
func (n *node) timeSQL(st *statement, column string) string {
	instant := func(raw json.RawMessage) string {
		text, _ := textOf(raw)
		t, _ := memd.ParseTime("", text) // checked
		return st.bind(t, "timestamptz")
	}
	equal := func(raw json.RawMessage) string {
		if kindOfJSON(raw) == kindNull {
			return column + " IS NULL"
		}
		return "coalesce(" + column + " = " + instant(raw) + ", false)"
	}
	switch n.op {
	case opEq:
		return equal(n.operand)
	case opIn:
		either := []string{"false"}
		instants := []time.Time{}
		for _, item := range items(n.operand) {
			if text, err := textOf(item); err == nil {
				t, _ := memd.ParseTime("", text) // checked
				instants = append(instants, t)
				continue
			}
			either = append(either, equal(item))
		}
		if len(instants) > 0 {
			either = append(either, "coalesce("+column+" = ANY ("+st.bind(instants, "timestamptz[]")+"), false)")
		}
		return "(" + strings.Join(either, " OR ") + ")"
	case opExists:
		if string(bytes.TrimSpace(n.operand)) == "true" {
			return column + " IS NOT NULL"
		}
		return column + " IS NULL"
	case opGt, opGte, opLt, opLte:
		return column + " " + comparisons[n.op] + " " + instant(n.operand)
	}
	return "false" // a time is no text
}

// ----------------------------------------------------------------------- JSON

type jsonKind int

const (
	kindNull jsonKind = iota
	kindBool
	kindNumber
	kindString
	kindList
	kindObject
)

func kindOfJSON(raw json.RawMessage) jsonKind {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return kindNull
	}
	switch raw[0] {
	case 'n':
		return kindNull
	case 't', 'f':
		return kindBool
	case '"':
		return kindString
	case '[':
		return kindList
	case '{':
		return kindObject
	}
	return kindNumber
}

// textOf reads a JSON string; anything else is an error.
func textOf(raw json.RawMessage) (string, error) {
	if kindOfJSON(raw) != kindString {
		return "", memd.InvalidField("", "must be a text")
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// items are those of a JSON list.
func items(raw json.RawMessage) []json.RawMessage {
	var all []json.RawMessage
	if kindOfJSON(raw) != kindList || json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

type objectMember struct {
	key   string
	value json.RawMessage
}

// objectMembers takes an object apart; a key that comes twice is there twice.
func objectMembers(raw json.RawMessage) ([]objectMember, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	t, err := dec.Token()
	if err != nil || t != json.Delim('{') {
		return nil, memd.InvalidField("", "must be an object")
	}
	var members []objectMember
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string) // keys are strings
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		members = append(members, objectMember{key, v})
	}
	return members, nil
}
