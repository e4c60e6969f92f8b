package httpapi

import (
	"bytes"
	"cmp"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// docsRoute is one operation as the page shows it.
type docsRoute struct {
	Method, Path string
	*huma.Operation
	Body      string // name of the body's schema
	BodyTable []docsField
	Answers   []docsAnswer
}

type docsField struct {
	Name, Type, Note, In string
	Required             bool
}

type docsAnswer struct {
	Status, Schema string
}

type docsSchema struct {
	Name   string
	Fields []docsField
}

type docsTag struct {
	*huma.Tag
	Routes []docsRoute
}

// renderDocs makes a page of the OpenAPI document that needs nothing from elsewhere,
// no script and no style.
func renderDocs(doc *huma.OpenAPI) []byte {
	schemas := doc.Components.Schemas.Map()
	bodies := map[string]bool{}
	var tags []docsTag
	for _, tag := range doc.Tags {
		shown := docsTag{Tag: tag}
		for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
			item := doc.Paths[path]
			for _, o := range []struct {
				method string
				*huma.Operation
			}{{"GET", item.Get}, {"POST", item.Post}, {"PATCH", item.Patch}, {"DELETE", item.Delete}} {
				if o.Operation == nil || !slices.Contains(o.Tags, tag.Name) {
					continue
				}
				r := docsRoute{Method: o.method, Path: path, Operation: o.Operation}
				if o.RequestBody != nil {
					r.Body = refName(o.RequestBody.Content["application/json"].Schema.Ref)
					r.BodyTable = docsFields(schemas[r.Body])
					bodies[r.Body] = true
				}
				for status, response := range o.Responses {
					a := docsAnswer{Status: status}
					for _, media := range response.Content {
						if media.Schema != nil {
							a.Schema = refName(media.Schema.Ref)
						}
					}
					r.Answers = append(r.Answers, a)
				}
				slices.SortFunc(r.Answers, func(a, b docsAnswer) int { return cmp.Compare(a.Status, b.Status) })
				shown.Routes = append(shown.Routes, r)
			}
		}
		tags = append(tags, shown)
	}
	var shapes []docsSchema
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if !bodies[name] {
			shapes = append(shapes, docsSchema{name, docsFields(schemas[name])})
		}
	}
	var b bytes.Buffer
	if err := docsPage.Execute(&b, map[string]any{
		"Info": doc.Info, "Paragraphs": strings.Split(doc.Info.Description, "\n\n"), "Tags": tags, "Schemas": shapes,
	}); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func refName(ref string) string { return strings.TrimPrefix(ref, schemaPrefix) }

func docsFields(s *huma.Schema) []docsField {
	var fields []docsField
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		fields = append(fields, docsField{Name: name, Type: docsType(p), Note: docsNote(p), Required: slices.Contains(s.Required, name)})
	}
	slices.SortStableFunc(fields, func(a, b docsField) int {
		if a.Required == b.Required {
			return 0
		}
		if a.Required {
			return -1
		}
		return 1
	})
	return fields
}

func docsType(s *huma.Schema) string {
	switch {
	case s.Ref != "":
		return refName(s.Ref)
	case s.Type == huma.TypeArray && s.Items != nil:
		return "array of " + docsType(s.Items)
	case s.Format != "":
		return s.Type + " (" + s.Format + ")"
	case s.Type == "" && len(s.OneOf) > 0:
		var all []string
		for _, o := range s.OneOf {
			all = append(all, docsType(o))
		}
		return strings.Join(all, " or ")
	case s.Type == "":
		return "any"
	}
	return s.Type
}

func docsNote(s *huma.Schema) string {
	var notes []string
	if s.Description != "" {
		notes = append(notes, s.Description)
	}
	enum := s.Enum
	if s.Items != nil && enum == nil {
		enum = s.Items.Enum
	}
	if enum != nil {
		enum = slices.DeleteFunc(slices.Clone(enum), func(v any) bool { return v == nil })
		notes = append(notes, "O"+oneOf(enum)[1:]+".")
	}
	if s.Default != nil {
		notes = append(notes, "Default "+strings.TrimSpace(string(encode(s.Default)))+".")
	}
	return strings.Join(notes, " ")
}

var docsPage = template.Must(template.New("docs").Funcs(template.FuncMap{"type": docsType, "note": docsNote}).Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Info.Title}} {{.Info.Version}}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
code,h3{font-family:ui-monospace,monospace}h3{font-size:1rem;margin:2rem 0 .3rem;border-top:1px solid #ddd;padding-top:1rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #eee}
td:first-child{white-space:nowrap}.m{display:inline-block;min-width:4.5rem;font-weight:700}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}td,th,h3{border-color:#333}a{color:#8bf}}
</style></head><body>
<h1>{{.Info.Title}} {{.Info.Version}}</h1>
{{range .Paragraphs}}<p>{{.}}</p>{{end}}
<p>The same for programs: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<ul>{{range .Tags}}{{range .Routes}}<li><a href="#{{.OperationID}}"><code>{{.Method}} {{.Path}}</code></a> {{.Summary}}</li>{{end}}{{end}}</ul>
{{range .Tags}}<h2>{{.Name}}</h2><p>{{.Description}}</p>
{{range .Routes}}<h3 id="{{.OperationID}}"><span class="m">{{.Method}}</span> {{.Path}}</h3><p>{{.Summary}}. {{.Description}}</p>
{{if .Parameters}}<table><tr><th>Parameter</th><th>In</th><th>Type</th><th></th></tr>
{{range .Parameters}}<tr><td><code>{{.Name}}</code>{{if .Required}} *{{end}}</td><td>{{.In}}</td><td>{{type .Schema}}</td><td>{{if .Schema.Description}}{{note .Schema}}{{else}}{{.Description}} {{note .Schema}}{{end}}</td></tr>{{end}}</table>{{end}}
{{if .Body}}<table><tr><th>Body</th><th>Type</th><th></th></tr>
{{range .BodyTable}}<tr><td><code>{{.Name}}</code>{{if .Required}} *{{end}}</td><td>{{.Type}}</td><td>{{.Note}}</td></tr>{{end}}</table>{{end}}
<p>{{range .Answers}}<code>{{.Status}}</code> {{if .Schema}}<a href="#{{.Schema}}">{{.Schema}}</a>{{end}} {{end}}</p>
{{end}}{{end}}
<h2>Shapes</h2>
{{range .Schemas}}<h3 id="{{.Name}}">{{.Name}}</h3><table>
{{range .Fields}}<tr><td><code>{{.Name}}</code></td><td>{{.Type}}</td><td>{{.Note}}</td></tr>{{end}}</table>{{end}}
</body></html>
`))
