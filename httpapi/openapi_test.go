package httpapi

import (
	"encoding/json"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

func operationsOf(item *huma.PathItem) iter.Seq2[string, *huma.Operation] {
	return func(yield func(string, *huma.Operation) bool) {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PATCH": item.Patch, "DELETE": item.Delete, "PUT": item.Put} {
			if op != nil && !yield(method, op) {
				return
			}
		}
	}
}

func writesSomething(params []*huma.Param) bool {
	return slices.ContainsFunc(params, func(p *huma.Param) bool { return p.Name == idempotencyHeader })
}

// routes is every route of the contract that is there so far.
var routes = []string{
	"POST /v1/messages", "POST /v1/messages/batch", "GET /v1/messages", "GET /v1/messages/{id}", "PATCH /v1/messages/{id}", "DELETE /v1/messages/{id}",
	"POST /v1/messages/{id}/reextract", "GET /v1/ingest",
	"GET /v1/dead-letters", "POST /v1/dead-letters/{id}/retry", "POST /v1/dead-letters/{id}/discard",
	"POST /v1/context", "POST /v1/sessions", "GET /v1/sessions", "GET /v1/sessions/{session_id}",
	"PATCH /v1/sessions/{session_id}", "DELETE /v1/sessions/{session_id}", "POST /v1/sessions/{session_id}/rotate",
	"POST /v1/memories", "GET /v1/memories", "DELETE /v1/memories", "GET /v1/memories/{id}", "DELETE /v1/memories/{id}",
	"PATCH /v1/memories/{id}", "GET /v1/memories/{id}/history", "POST /v1/memories/{id}/undo", "GET /v1/memories/{id}/related", "POST /v1/memories/search", "POST /v1/memories/list",
	"POST /v1/memories/batch", "PATCH /v1/memories/batch", "DELETE /v1/memories/batch", "POST /v1/memories/delete", "GET /v1/users", "PATCH /v1/users/{user_id}", "DELETE /v1/users/{user_id}", "GET /v1/users/{user_id}/erasures", "GET /v1/erasures", "GET /v1/users/{user_id}/export", "GET /v1/export",
	"GET /v1/settings", "PATCH /v1/settings",
	"POST /v1/import", "GET /v1/import", "GET /v1/import/{id}", "POST /v1/import/{id}/cancel",
	"GET /healthz", "GET /readyz", "GET /metrics", "GET /openapi.json", "GET /docs",
}

func TestTheOpenAPIDocument(t *testing.T) {
	b := serveBare(t, Deps{Version: "1.2.3", Metrics: http.NotFoundHandler()}, Config{}, nil)
	resp, body := b.do(t, "GET", "/openapi.json", nil)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header)
	}
	var doc struct {
		OpenAPI    string                                `json:"openapi"`
		Info       struct{ Title, Version string }       `json:"info"`
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components struct {
			Schemas         map[string]json.RawMessage `json:"schemas"`
			SecuritySchemes map[string]json.RawMessage `json:"securitySchemes"`
		} `json:"components"`
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.2.3" || len(doc.Components.SecuritySchemes) != 2 {
		t.Errorf("%+v", doc.Info)
	}
	var listed []string
	ids := map[string]bool{}
	for path, item := range doc.Paths {
		for method, raw := range item {
			listed = append(listed, strings.ToUpper(method)+" "+path)
			var op struct {
				OperationID string `json:"operationId"`
				Summary     string
				Parameters  []struct {
					Name, In string
					Required bool
					Schema   json.RawMessage
				}
				Responses map[string]struct{ Description string }
			}
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatal(err)
			}
			if op.OperationID == "" || ids[op.OperationID] || op.Summary == "" || len(op.Responses) == 0 {
				t.Errorf("%s %s: %s", method, path, raw)
			}
			ids[op.OperationID] = true
			for _, r := range op.Responses {
				if r.Description == "" {
					t.Errorf("%s %s: a response has no description", method, path)
				}
			}
			for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				if !slices.ContainsFunc(op.Parameters, func(p struct {
					Name, In string
					Required bool
					Schema   json.RawMessage
				}) bool {
					return p.Name == name[1] && p.In == "path" && p.Required && len(p.Schema) > 0
				}) {
					t.Errorf("%s %s: %s is not described", method, path, name[1])
				}
			}
			if strings.HasPrefix(path, "/v1/") && strings.Contains(path, "{") {
				for _, check := range []string{`"name": "user_id"`, `"name": "agent_id"`} {
					if !strings.Contains(string(raw), check) {
						t.Errorf("%s %s does not take the permission check %s", method, path, check)
					}
				}
			}
		}
	}
	slices.Sort(listed)
	want := slices.Sorted(slices.Values(routes))
	if !slices.Equal(listed, want) {
		t.Errorf("listed %q\nwant %q", listed, want)
	}
	for _, ref := range regexp.MustCompile(`"\$ref": "([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if _, ok := doc.Components.Schemas[strings.TrimPrefix(ref[1], schemaPrefix)]; !ok {
			t.Errorf("%s leads nowhere", ref[1])
		}
	}
	// Every route that is described is there, and the other way round.
	for _, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		r, _ := http.NewRequest(method, strings.NewReplacer("{id}", "1", "{session_id}", "s").Replace(path), nil)
		if _, pattern := b.mux.Handler(r); pattern != route {
			t.Errorf("%s is served as %q", route, pattern)
		}
	}
	// Every schema is one of JSON Schema's types.
	for name, raw := range doc.Components.Schemas {
		var schema any
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		checkSchema(t, name, schema)
	}
}

func checkSchema(t *testing.T, at string, schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		if _, isBool := schema.(bool); !isBool {
			t.Errorf("%s is no schema: %v", at, schema)
		}
		return
	}
	types, _ := s["type"].([]any)
	if one, ok := s["type"]; ok && types == nil {
		types = []any{one}
	}
	for _, typ := range types {
		if !slices.Contains([]any{"string", "integer", "number", "boolean", "array", "object", "null"}, typ) {
			t.Errorf("%s has the type %v", at, typ)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		checkSchema(t, at+"."+name, p)
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if properties[name.(string)] == nil && properties != nil && name != "content" {
			t.Errorf("%s requires %v, which it does not have", at, name)
		}
	}
	if items, ok := s["items"]; ok {
		checkSchema(t, at+"[]", items)
	}
	alternatives, _ := s["oneOf"].([]any)
	for _, alternative := range alternatives {
		checkSchema(t, at, alternative)
	}
}

func TestTheDocsPageNeedsNothingFromElsewhere(t *testing.T) {
	b := serveBare(t, Deps{Metrics: http.NotFoundHandler()}, Config{}, nil)
	resp, body := b.do(t, "GET", "/docs", nil)
	if resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header)
	}
	for _, elsewhere := range []string{"http://", "https://", "<script", "src=", "<link"} {
		if strings.Contains(body, elsewhere) {
			t.Errorf("the page holds %s", elsewhere)
		}
	}
	for _, route := range routes {
		method, path, _ := strings.Cut(route, " ")
		if !strings.Contains(body, method+" "+path+"</code>") {
			t.Errorf("the page does not show %s", route)
		}
	}
}
