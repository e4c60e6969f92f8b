package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
)

// An operation's input is a struct. Fields tagged path or query are parameters; a
// field named Body holds the body, a struct with json tags. Of every field the schema
// that OpenAPI shows (from its tags, by huma) is also what a request is held to:
// required, default, enum, minimum, maximum, minItems, maxItems. A missing field and
// null are the same; a field of pointer or slice type without default is then nil. Only
// a field that tellsNull tells the two apart. An object within a body is a pointer to a
// struct of the same kind.

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
	if raw = memd.TrimJSON(raw); len(raw) == 0 || raw[0] != '{' {
		return append(faults, memd.InvalidField(location, "must be a JSON object"))
	}
	given := make([]json.RawMessage, len(fields))
	for name, value := range memd.JSONMembers(raw) {
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
		if value == nil || memd.IsNullJSON(value) {
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
