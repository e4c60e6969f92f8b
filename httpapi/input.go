package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

// An operation's input is a struct. Fields tagged path or query are parameters; a
// field named Body holds the body, a struct with json tags. Of every field the schema
// that OpenAPI shows (from its tags, by huma) is also what a request is held to:
// required, default, enum, minimum, maximum, minItems, maxItems. A missing field and
// null are the same; a field of pointer or slice type without default is then nil. Only
// a field that tellsNull tells the two apart. An object within a body is a pointer to a
// struct of the same kind.

// identifier is an id from a caller; see memd.CheckID.
type identifier string

// Schema gives the OpenAPI schema of an id.
func (identifier) Schema(huma.Registry) *huma.Schema {
	least, most := 1, memd.MaxIDLength
	return &huma.Schema{Type: huma.TypeString, MinLength: &least, MaxLength: &most}
}

// metadata is a caller's JSON object as it was given; see checkMetadata.
type metadata json.RawMessage

// Schema gives the OpenAPI schema of an object of any shape.
func (metadata) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

const (
	// maxMetadata is the most bytes that an object of metadata may have, its numbers
	// written out.
	maxMetadata = longterm.MaxMetadata
	// maxNumber bounds a number in it: its characters, and the size of its exponent.
	maxNumber = 1000
)

// checkMetadata holds an object to what can be stored and filtered by.
func checkMetadata(raw json.RawMessage, location string) *memd.Error {
	if holdsNUL(raw) {
		return memd.InvalidField(location, "must not hold the character U+0000")
	}
	if memd.NestsTooDeep(raw, memd.MaxNesting) {
		return memd.InvalidField(location, "must not be nested deeper than %d arrays and objects", memd.MaxNesting)
	}
	size := len(raw)
	for number := range numbers(raw) {
		exponent := 0
		if _, after, ok := bytes.Cut(bytes.ToLower(number), []byte("e")); ok {
			var err error
			if exponent, err = strconv.Atoi(string(after)); err != nil {
				exponent = math.MaxInt
			}
		}
		if len(number) > maxNumber || exponent > maxNumber || exponent < -maxNumber {
			return memd.InvalidField(location, "must only have numbers of usual size")
		}
		size += max(exponent, -exponent)
	}
	if size > maxMetadata {
		return memd.InvalidField(location, "must have at most %d KiB", maxMetadata>>10)
	}
	return nil
}

// chatMessage is a message as it was given, for memd.ParseMessage.
type chatMessage json.RawMessage

// Schema gives the OpenAPI schema of a chat message.
func (chatMessage) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        huma.TypeObject,
		Description: "A chat message in OpenAI's shape. Members not named here are kept as given.",
		Properties: map[string]*huma.Schema{
			"role":       {Type: huma.TypeString, Enum: []any{"user", "assistant", "system", "developer", "tool", "function"}},
			"content":    {Description: "A string, an array of parts, or null where the role allows it."},
			"name":       {Type: huma.TypeString, Description: "Who speaks; becomes actor_id of what is learned."},
			"id":         {Type: huma.TypeString, Nullable: true, Description: "The caller's own id, unique per user and session; kept as client_id."},
			"created_at": {Type: huma.TypeString, Nullable: true, Description: "When it was said, RFC 3339; a missing offset is UTC. Default: when it came."},
		},
		Required:             []string{"role"},
		AdditionalProperties: true,
	}
}

// anyMessages is a string, a message or an array of messages.
type anyMessages json.RawMessage

// Schema gives the OpenAPI schema of what POST /v1/memories takes as messages.
func (anyMessages) Schema(r huma.Registry) *huma.Schema {
	message := chatMessage{}.Schema(r)
	most := maxItems
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString}, message, {Type: huma.TypeArray, Items: message, MaxItems: &most},
	}}
}

// conditions are filters as they were given, for parseFilter.
type conditions json.RawMessage

// Schema gives the OpenAPI schema of filters; the language is longterm's.
func (conditions) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Examples: []any{
		map[string]any{"topic": "food", "score": map[string]any{"gte": 3}},
		map[string]any{"AND": []any{map[string]any{"role": "user"}, map[string]any{"OR": []any{
			map[string]any{"category": []any{"work", "home"}}, map[string]any{"city": map[string]any{"ilike": "p%"}}}}}},
		map[string]any{"NOT": []any{map[string]any{"metadata.archived": true}}, "created_at": map[string]any{"lt": "2026-01-01"}},
	}}
}

// moment is a time from a caller; see memd.ParseTime.
type moment struct{ time.Time }

// Schema gives the OpenAPI schema of a time.
func (moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// clearable is a time from a caller, or null to take away the one that is there.
type clearable struct {
	// given says that there was a time or null; at is then the time, nil for null.
	given bool
	at    *time.Time
}

// Schema gives the OpenAPI schema of a time or null.
func (clearable) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
}

func (c *clearable) missing(null bool) { c.given = null }

// span is a duration from a caller; see memd.ParseSpan.
type span time.Duration

// Schema gives the OpenAPI schema of a duration.
func (span) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Examples: []any{"30m", "7d"}}
}

// clearableSpan is a span from a caller, or null to take away the one that is there.
type clearableSpan struct {
	given bool
	value *time.Duration
}

// Schema gives the OpenAPI schema of a duration or null.
func (clearableSpan) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true, Examples: []any{"30m", "7d"}}
}

func (c *clearableSpan) missing(null bool) { c.given = null }

// clearableCount is a number of things from a caller, or null to take away the one that is
// there.
type clearableCount struct {
	given bool
	value *int64
}

// Schema gives the OpenAPI schema of a number or null.
func (clearableCount) Schema(huma.Registry) *huma.Schema {
	least := 0.0
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Nullable: true}
}

func (c *clearableCount) missing(null bool) { c.given = null }

// content is a message's content from a caller. null stands for itself: it is the content
// of a message that something else speaks for.
type content json.RawMessage

// Schema gives the OpenAPI schema of any content.
func (content) Schema(huma.Registry) *huma.Schema { return &huma.Schema{} }

func (c *content) missing(null bool) {
	if null {
		*c = content("null")
	}
}

// tellsNull is a field that tells null, which takes away what is there, from one that is
// missing, which leaves it.
type tellsNull interface{ missing(null bool) }

// pointer gives the time, nil if none came.
func (m *moment) pointer() *time.Time {
	if m == nil {
		return nil
	}
	return &m.Time
}

// wait is a duration from a caller: Go's form ("30s"), or seconds.
type wait time.Duration

// Schema gives the OpenAPI schema of a duration.
func (wait) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Examples: []any{"30s"}}
}

// maxWait bounds how long a caller may ask a request to wait.
const maxWait = time.Minute

// field is one field of an input.
type field struct {
	name     string
	index    []int
	required bool
	schema   *huma.Schema
	fallback json.RawMessage // the default as JSON, nil if there is none
	items    []field         // of an itemList, those of an item; of an object, its own
}

// inputPlan says how an input is read.
type inputPlan struct {
	path, query []field
	body        []field // of the struct in the field Body
	bodyIndex   []int   // nil: the operation takes no body
	bodyName    string
}

// planInput reads the tags of an input type. It panics on a type it does not know:
// inputs are declared in this package.
func planInput(registry huma.Registry, t reflect.Type) inputPlan {
	var p inputPlan
	for _, f := range reflect.VisibleFields(t) {
		switch {
		case f.Anonymous:
		case f.Name == "Body":
			p.bodyIndex, p.bodyName = f.Index, f.Type.Name()
			p.body = planObject(registry, f.Type)
		case f.Tag.Get("path") != "":
			p.path = append(p.path, planField(registry, f, f.Tag.Get("path"), true))
		case f.Tag.Get("query") != "":
			p.query = append(p.query, planField(registry, f, f.Tag.Get("query"), f.Tag.Get("required") == "true"))
		}
	}
	return p
}

// planObject plans the fields of a body, or of an item of one.
func planObject(registry huma.Registry, t reflect.Type) []field {
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.IsExported() {
			fields = append(fields, planField(registry, f, f.Tag.Get("json"), f.Tag.Get("required") == "true"))
		}
	}
	return fields
}

func planField(registry huma.Registry, f reflect.StructField, name string, required bool) field {
	p := field{name: name, index: f.Index, required: required, schema: huma.SchemaFromField(registry, f, name)}
	p.schema.Nullable = false
	if list, ok := reflect.New(f.Type).Interface().(itemList); ok {
		p.items = planObject(registry, list.itemType())
	}
	if f.Type == reflect.TypeFor[limits]() {
		p.items = planObject(registry, f.Type)
	}
	if p.schema.Default != nil {
		b, err := json.Marshal(p.schema.Default)
		if err != nil {
			panic(err)
		}
		p.fallback = b
		if fault := p.read(reflect.New(f.Type).Elem(), b, ""); fault != nil {
			panic(fault)
		}
	}
	return p
}

// objectSchema gives the schema of a body, or of an item of one, for the OpenAPI document.
func objectSchema(fields []field) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: false, Properties: map[string]*huma.Schema{}}
	for _, f := range fields {
		shown := *f.schema
		if !f.required && shown.Type != "" {
			shown.Nullable = true
			if shown.Enum != nil {
				shown.Enum = append(slices.Clone(shown.Enum), nil)
			}
		}
		s.Properties[f.name] = &shown
		if f.required {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

// parameters gives the parameters for the OpenAPI document.
func (p inputPlan) parameters() []*huma.Param {
	var all []*huma.Param
	for _, f := range p.path {
		all = append(all, &huma.Param{Name: f.name, In: "path", Required: true, Description: f.schema.Description, Schema: f.schema})
	}
	for _, f := range p.query {
		all = append(all, &huma.Param{Name: f.name, In: "query", Required: f.required, Description: f.schema.Description, Schema: f.schema})
	}
	return all
}

// readParams reads the path's and the query's parameters into v.
func (p inputPlan) readParams(r *http.Request, v reflect.Value) []*memd.Error {
	var faults []*memd.Error
	for _, f := range p.path {
		if fault := f.readText(v.FieldByIndex(f.index), pathValue(r, f.name), "path."+f.name); fault != nil {
			faults = append(faults, fault)
		}
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return append(faults, memd.InvalidField("query.", "is not a valid query string"))
	}
	for name := range query {
		if !slices.ContainsFunc(p.query, func(f field) bool { return f.name == name }) {
			faults = append(faults, memd.InvalidField("query."+shown(name), "is not a known parameter"))
		}
	}
	for _, f := range p.query {
		values, location := query[f.name], "query."+f.name
		var fault *memd.Error
		switch {
		case len(values) > 1:
			fault = memd.InvalidField(location, "must be given once")
		case len(values) == 1:
			fault = f.readText(v.FieldByIndex(f.index), values[0], location)
		case f.required:
			fault = memd.InvalidField(location, "is required")
		case f.fallback != nil:
			fault = f.read(v.FieldByIndex(f.index), f.fallback, location)
		}
		if fault != nil {
			faults = append(faults, fault)
		}
	}
	slices.SortFunc(faults, func(a, b *memd.Error) int { return strings.Compare(a.Field, b.Field) })
	return faults
}

// checked is a body, or an item of one, that has more to hold to than its fields one by
// one.
type checked interface {
	// check tells what is wrong; location is where the object lies.
	check(location string) []*memd.Error
}

// readObject reads an object of valid JSON, which lies at location, into v.
func readObject(fields []field, raw json.RawMessage, v reflect.Value, location string) []*memd.Error {
	var faults []*memd.Error
	if raw = trim(raw); len(raw) == 0 || raw[0] != '{' {
		return append(faults, memd.InvalidField(location, "must be a JSON object"))
	}
	given := make([]json.RawMessage, len(fields))
	for name, value := range members(raw) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		switch {
		case i < 0:
			if len(faults) < maxFaults {
				faults = append(faults, memd.InvalidField(location+"."+shown(name), "is not a known field"))
			}
		case given[i] != nil:
			faults = append(faults, memd.InvalidField(location+"."+name, "must be given once"))
		default:
			given[i] = value
		}
	}
	for i, f := range fields {
		value, at, target := given[i], location+"."+f.name, v.FieldByIndex(f.index)
		if value == nil || isNull(value) {
			c, tells := target.Addr().Interface().(tellsNull)
			if f.required && (value == nil || !tells) {
				faults = append(faults, memd.InvalidField(at, "is required"))
				continue
			}
			if tells {
				c.missing(value != nil)
				continue
			}
			if value = f.fallback; value == nil {
				continue
			}
		}
		switch fault := f.read(target, value, at); {
		case fault == nil:
		case len(fault.Details) > 0: // an object within this one
			faults = append(faults, fault.Details...)
		default:
			faults = append(faults, fault)
		}
	}
	if c, ok := v.Addr().Interface().(checked); ok && len(faults) == 0 {
		faults = c.check(location)
	}
	return faults
}

// itemList is a field that holds the bodies of several single calls.
type itemList interface {
	itemType() reflect.Type
	readItems(fields []field, raw json.RawMessage, location string)
}

// batch is the list of a call that does what several single calls do. Each item is read
// as the body of the single call is. What is wrong with items is kept until all that can
// be wrong has been looked at, so that the answer names every one of them.
type batch[T any] struct {
	items []T
	// faults are those of each item.
	faults [][]*memd.Error
}

func (*batch[T]) itemType() reflect.Type { return reflect.TypeFor[T]() }

// Schema gives the OpenAPI schema of the list and declares that of an item.
func (b *batch[T]) Schema(r huma.Registry) *huma.Schema {
	name := schemaName(b.itemType().Name())
	if r.Map()[name] == nil {
		r.Map()[name] = objectSchema(planObject(r, b.itemType()))
	}
	least, most := 1, maxItems
	return &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Ref: schemaPrefix + name}, MinItems: &least, MaxItems: &most}
}

func (b *batch[T]) readItems(fields []field, raw json.RawMessage, location string) {
	for e := range elements(raw) {
		at := itemAt(location, len(b.items))
		b.items, b.faults = append(b.items, *new(T)), append(b.faults, nil)
		last := len(b.items) - 1
		b.faults[last] = readObject(fields, e, reflect.ValueOf(&b.items[last]).Elem(), at)
	}
}

// itemAt is where the item of a list lies.
func itemAt(location string, i int) string { return fmt.Sprintf("%s[%d]", location, i) }

// wrong adds a fault to those of an item.
func (b *batch[T]) wrong(i int, fault *memd.Error) { b.faults[i] = append(b.faults[i], fault) }

// err makes one error of the faults of all items; nil if there are none. Where they are
// more than a problem lists it is rather the first one of each item.
func (b *batch[T]) err() error {
	faults := slices.Concat(b.faults...)
	if len(faults) > maxFaults {
		faults = nil
		for _, of := range b.faults {
			faults = append(faults, of[:min(1, len(of))]...)
		}
	}
	return invalid(faults)
}

// shown makes an unknown name fit to be shown: bounded and without control characters.
func shown(name string) string {
	const most = 64
	var b strings.Builder
	n := 0
	for _, r := range name {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if !strconv.IsPrint(r) {
			r = '\uFFFD'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// readText reads a parameter, whose value is plain text.
func (f field) readText(v reflect.Value, s, location string) *memd.Error {
	raw := json.RawMessage(s)
	switch kindOf(v.Type()) {
	case reflect.Bool:
		if s != "true" && s != "false" {
			return memd.InvalidField(location, "must be true or false")
		}
	case reflect.Int, reflect.Int64:
		if digits := strings.TrimPrefix(s, "-"); digits == "" || strings.Trim(digits, "0123456789") != "" || len(digits) > 1 && digits[0] == '0' {
			return memd.InvalidField(location, "must be %s", f.expected())
		}
	default:
		if !validText(s) {
			return memd.InvalidField(location, "must be valid UTF-8")
		}
		raw, _ = json.Marshal(s)
	}
	return f.read(v, raw, location)
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

// kindOf gives the kind that a field of type t is read as.
func kindOf(t reflect.Type) reflect.Kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[wait]() {
		return reflect.String
	}
	return t.Kind()
}

// read reads a JSON value that is not null into v and holds it to the field's schema.
func (f field) read(v reflect.Value, raw json.RawMessage, location string) *memd.Error {
	if v.Kind() == reflect.Pointer {
		target := reflect.New(v.Type().Elem())
		if fault := f.read(target.Elem(), raw, location); fault != nil {
			return fault
		}
		v.Set(target)
		return nil
	}
	raw = trim(raw)
	wrong := func() *memd.Error { return memd.InvalidField(location, "must be %s", f.expected()) }
	switch target := v.Addr().Interface().(type) {
	case *metadata:
		if raw[0] != '{' {
			return wrong()
		}
		raw = memd.CleanJSON(raw)
		if fault := checkMetadata(raw, location); fault != nil {
			return fault
		}
		*target = metadata(bytes.Clone(raw))
	case itemList:
		if raw[0] != '[' {
			return wrong()
		}
		n := 0
		for range elements(raw) {
			n++
		}
		if fault := f.checkCount(n, location); fault != nil {
			return fault
		}
		target.readItems(f.items, raw, location)
	case *anyMessages:
		if raw[0] != '{' && raw[0] != '[' && raw[0] != '"' {
			return memd.InvalidField(location, "must be a string, a message or an array of messages")
		}
		*target = anyMessages(raw)
	case *json.RawMessage:
		*target = raw
	case *content:
		*target = content(raw)
	case *conditions:
		*target = conditions(raw)
	case *[]chatMessage:
		if raw[0] != '[' {
			return wrong()
		}
		for e := range elements(raw) {
			if len(*target) == maxItems {
				return memd.InvalidField(location, "must have at most %d items", maxItems)
			}
			*target = append(*target, chatMessage(e))
		}
		return f.checkCount(len(*target), location)
	case *identifier:
		if raw[0] != '"' {
			return wrong()
		}
		s, fault := readID(raw, location)
		if fault != nil {
			return fault
		}
		*target = identifier(s)
	case *clearable:
		at := new(moment)
		if fault := f.read(reflect.ValueOf(at).Elem(), raw, location); fault != nil {
			return fault
		}
		target.given, target.at = true, &at.Time
	case *limits:
		target.given = true
		switch faults := readObject(f.items, raw, v, location); len(faults) {
		case 0:
		case 1:
			return faults[0]
		default:
			return &memd.Error{Kind: memd.Invalid, Field: location, Details: faults}
		}
	case *clearableSpan:
		at := new(span)
		if fault := f.read(reflect.ValueOf(at).Elem(), raw, location); fault != nil {
			return fault
		}
		target.given, target.value = true, (*time.Duration)(at)
	case *span:
		if raw[0] != '"' {
			return memd.InvalidField(location, "must be a duration like 30m or 7d")
		}
		d, err := memd.ParseSpan(location, text(raw))
		if err != nil {
			return err.(*memd.Error)
		}
		*target = span(d)
	case *clearableCount:
		n := new(int64)
		if fault := f.read(reflect.ValueOf(n).Elem(), raw, location); fault != nil {
			return fault
		}
		target.given, target.value = true, n
	case *moment:
		if raw[0] != '"' {
			return wrong()
		}
		t, err := memd.ParseTime(location, text(raw))
		if err != nil {
			return err.(*memd.Error)
		}
		target.Time = t
	case *wait:
		if raw[0] != '"' {
			return wrong()
		}
		d, err := time.ParseDuration(text(raw))
		if err != nil {
			seconds, numeric := strconv.ParseFloat(text(raw), 64)
			if numeric != nil || math.IsNaN(seconds) || math.Abs(seconds) > 1e6 {
				return memd.InvalidField(location, "must be a duration like 30s, or seconds")
			}
			d = time.Duration(seconds * float64(time.Second))
		}
		if d < 0 || d > maxWait {
			return memd.InvalidField(location, "must be between 0s and %s", maxWait)
		}
		*target = wait(d)
	case *string:
		if raw[0] != '"' {
			return wrong()
		}
		s := text(raw)
		if f.schema.Enum != nil && !slices.Contains(f.schema.Enum, any(s)) {
			return wrong()
		}
		*target = s
	case *[]string:
		if raw[0] != '[' {
			return wrong()
		}
		list := []string{}
		for e := range elements(raw) {
			item := fmt.Sprintf("%s[%d]", location, len(list))
			if len(list) == maxItems {
				return memd.InvalidField(location, "must have at most %d items", maxItems)
			}
			if e[0] != '"' {
				return memd.InvalidField(item, "must be a string")
			}
			s := text(e)
			if enum := f.schema.Items.Enum; enum != nil && !slices.Contains(enum, any(s)) {
				return memd.InvalidField(item, "must be %s", oneOf(enum))
			}
			list = append(list, s)
		}
		*target = list
		return f.checkCount(len(list), location)
	case *bool:
		switch string(raw) {
		case "true":
			*target = true
		case "false":
			*target = false
		default:
			return wrong()
		}
	case *int:
		n, ok := integer(raw)
		if !ok {
			return wrong()
		}
		if fault := f.checkRange(float64(n), location); fault != nil {
			return fault
		}
		*target = int(n)
	case *int64:
		n, ok := integer(raw)
		if !ok {
			return wrong()
		}
		if fault := f.checkRange(float64(n), location); fault != nil {
			return fault
		}
		*target = n
	case *float64:
		n, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || raw[0] == '"' || !json.Valid(raw) {
			return wrong()
		}
		if fault := f.checkRange(n, location); fault != nil {
			return fault
		}
		*target = n
	default:
		panic(fmt.Sprintf("httpapi: no reader for %s", v.Type()))
	}
	return nil
}

// readID reads a JSON string that is an id, or a name of the same form.
func readID(raw json.RawMessage, location string) (string, *memd.Error) {
	s := text(raw)
	if !validText(s) || !bytes.Equal(memd.CleanJSON(raw), raw) {
		return "", memd.InvalidField(location, "must be valid UTF-8")
	}
	if err := memd.CheckID(location, s); err != nil {
		return "", err.(*memd.Error)
	}
	return s, nil
}

// integer reads a whole number; 5.0 and 5e0 are 5.
func integer(raw []byte) (int64, bool) {
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > 1<<53 {
		return 0, false
	}
	return int64(n), true
}

func (f field) checkRange(n float64, location string) *memd.Error {
	low, high := f.schema.Minimum, f.schema.Maximum
	switch {
	case low != nil && high != nil && (n < *low || n > *high):
		return memd.InvalidField(location, "must be between %s and %s", decimal(*low), decimal(*high))
	case low != nil && n < *low:
		return memd.InvalidField(location, "must be at least %s", decimal(*low))
	case high != nil && n > *high:
		return memd.InvalidField(location, "must be at most %s", decimal(*high))
	}
	return nil
}

// decimal writes a number with all its digits.
func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (f field) checkCount(n int, location string) *memd.Error {
	if f.schema.MinItems != nil && n < *f.schema.MinItems {
		return memd.InvalidField(location, "must have at least %d item%s", *f.schema.MinItems, plural(*f.schema.MinItems))
	}
	if f.schema.MaxItems != nil && n > *f.schema.MaxItems {
		return memd.InvalidField(location, "must have at most %d items", *f.schema.MaxItems)
	}
	return nil
}

// expected says what a value of the field has to be.
func (f field) expected() string {
	if f.schema.Enum != nil {
		return oneOf(f.schema.Enum)
	}
	switch f.schema.Type {
	case huma.TypeInteger:
		return "a whole number"
	case huma.TypeNumber:
		return "a number"
	case huma.TypeBoolean:
		return "true or false"
	case huma.TypeArray:
		return "an array"
	case huma.TypeObject:
		return "an object"
	}
	return "a string"
}

func oneOf(enum []any) string {
	words := make([]string, len(enum))
	for i, e := range enum {
		words[i] = fmt.Sprint(e)
	}
	return "one of " + strings.Join(words, ", ")
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
