package longterm

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

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
	if kindOfJSON(raw) != kindObject {
		return nil, memd.InvalidField(at, "must be an object")
	}
	all := &node{op: opAnd}
	for key, value := range memd.JSONMembers(raw) {
		inner := at + "." + key
		var n *node
		var err error
		switch {
		case key == string(opAnd) || key == string(opOr):
			n, err = p.list(operator(key), value, inner, depth)
		case key == string(opNot):
			if kindOfJSON(value) == kindObject {
				var none *node
				if none, err = p.object(value, inner, depth+1); err == nil {
					n = &node{op: opNot, nodes: []*node{none}}
				}
				break
			}
			n, err = p.list(opNot, value, inner, depth)
		case slices.Contains([]string{"and", "or", "not"}, strings.ToLower(strings.TrimPrefix(key, "$"))):
			return nil, memd.InvalidField(inner, "must be written AND, OR or NOT")
		default:
			n, err = p.condition(key, value, inner)
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
	all := &node{op: opAnd}
	for key, value := range memd.JSONMembers(raw) {
		op := operator(strings.TrimPrefix(key, "$"))
		if !slices.Contains(fieldOperators, op) {
			return nil, memd.InvalidField(at+"."+key, "is no operator")
		}
		n, err := p.leaf(op, field, value, at+"."+key)
		if err != nil {
			return nil, err
		}
		all.nodes = append(all.nodes, n)
	}
	if len(all.nodes) == 0 {
		return nil, memd.InvalidField(at, "must have an operator")
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
