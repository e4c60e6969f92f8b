package longterm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

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
