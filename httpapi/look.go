package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
)

// aliveAnswer is what /healthz says.
type aliveAnswer struct {
	Status string `json:"status" doc:"Always ok."`
}

// readyAnswer is what /readyz says.
type readyAnswer struct {
	Degraded []string `json:"degraded" doc:"Dependencies that are away, without which memd serves all the same."`
}

// lookRoutes are the routes that show how memd is doing and what it can do. They hold
// nothing of any tenant and need no key.
func (s *server) lookRoutes() {
	handle(s, operation{
		method: http.MethodGet, path: "/healthz", name: "alive", tag: "Looking in", open: true,
		summary: "Whether the process is alive", answers: map[int]any{200: aliveAnswer{}},
	}, func(context.Context, *call, *struct{}) (answer, error) { return ok(aliveAnswer{"ok"}) })

	handle(s, operation{
		method: http.MethodGet, path: "/readyz", name: "ready", tag: "Looking in", open: true,
		summary:     "Whether requests are served",
		description: "503 until start-up is complete and while Postgres is away, with what is away in the detail.",
		answers:     map[int]any{200: readyAnswer{}},
	}, func(ctx context.Context, _ *call, _ *struct{}) (answer, error) {
		out := readyAnswer{Degraded: []string{}}
		if s.Ready != nil {
			ready, degraded := s.Ready(ctx)
			if !ready {
				why := "memd is not ready"
				if len(degraded) > 0 {
					why += "; away: " + strings.Join(degraded, ", ")
				}
				return answer{}, &memd.Error{Kind: memd.Unavailable, Msg: why, RetryAfter: time.Second}
			}
			out.Degraded = append(out.Degraded, degraded...)
		}
		return ok(out)
	})

	if s.Metrics != nil {
		s.mux.Handle("GET /metrics", s.Metrics)
		s.describePlain("/metrics", "metrics", "Metrics for Prometheus", "text/plain")
	}
	s.describePlain("/openapi.json", "openapi", "This document, OpenAPI 3.1", "application/json")
	s.describePlain("/docs", "docs", "This document, for reading", "text/html")
	for _, schema := range s.api.OpenAPI().Components.Schemas.Map() {
		for _, p := range schema.Properties {
			if p.Type == huma.TypeArray && schema.AdditionalProperties != false {
				p.Nullable = false // lists in answers are never null
			}
		}
	}
	// All routes are known by now, and most processes are never asked: it is made once, when
	// somebody asks.
	document := sync.OnceValue(func() []byte {
		document, err := json.MarshalIndent(s.api.OpenAPI(), "", " ")
		if err != nil {
			panic(err)
		}
		return document
	})
	s.mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		writeBytes(w, http.StatusOK, "application/json", document())
	})
	page := sync.OnceValue(func() []byte { return renderDocs(s.api.OpenAPI()) })
	s.mux.HandleFunc("GET /docs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
		writeBytes(w, http.StatusOK, "text/html; charset=utf-8", page())
	})
}

// describePlain adds a route that does not speak JSON to the OpenAPI document.
func (s *server) describePlain(path, name, summary, contentType string) {
	s.api.OpenAPI().AddOperation(&huma.Operation{
		Method: http.MethodGet, Path: path, OperationID: name, Summary: summary, Tags: []string{"Looking in"},
		Security: []map[string][]string{},
		Responses: map[string]*huma.Response{"200": {Description: "OK",
			Content: map[string]*huma.MediaType{contentType: {}}}},
	})
}

// describe begins the OpenAPI document. memd serves the document and its page itself:
// huma's page would load scripts from elsewhere.
func (s *server) describe() huma.Config {
	version := s.Version
	if version == "" {
		version = "dev"
	}
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "memd", Version: version, Description: description},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"bearer": {Type: "http", Scheme: "bearer"},
					"apiKey": {Type: "apiKey", In: "header", Name: "X-API-Key"},
				},
			},
			Security: []map[string][]string{{}, {"bearer": {}}, {"apiKey": {}}},
			Tags: []*huma.Tag{
				{Name: "Short tier", Description: "The log of messages, its sessions, and what became of each message."},
				{Name: "Context", Description: "The last turns and what is remembered, ready to be sent to a model."},
				{Name: "Long tier", Description: "Memories: what was learned from messages, or stored as given."},
				{Name: "Settings", Description: "What a tenant sets for itself."},
				{Name: "Looking in", Description: "How memd is doing, and whom it knows."},
			},
		},
	}
	config.AllowAdditionalPropertiesByDefault = true // answers may grow; bodies are closed
	return config
}

const description = `A memory for chat models: messages in, memories out.

Errors are problem documents (RFC 9457) whose errors[].location names the field; they
never hold what was sent. 400 is only for bodies that are not JSON, everything else wrong
with a request is 422. Unknown fields and parameters are errors. A missing field and null
are the same, save where a field says what null does. Bodies are JSON whatever their Content-Type says, at most 20 MiB and 1,000
messages or items. Metadata is an object of at most 256 KiB, whose numbers have at most
1,000 digits.

Ids are 1 to 255 characters of any script without control characters, not "." or "..";
in paths they are percent-encoded. Times are RFC 3339; a missing offset is UTC, a bare date
midnight UTC; answers are in UTC with Z.

With API keys: Authorization: Bearer, Authorization: Token, or X-API-Key. Without any key
configured none is asked for. /healthz, /readyz, /metrics, /openapi.json and /docs are open.

Filters are one language wherever they stand: {"field": value} is equality, with JSON's
types kept and an element of a list counting; {"field": [a, b]} is any of; {"field": null}
is missing or null; {"field": "*"} is anything else. {"field": {operator: operand}} takes
eq, ne, in, nin, gt, gte, lt, lte (numbers, times, or text with text), like and ilike (%, _,
\\ escapes), contains and icontains (part of a text, or element of a list), and exists; a
$ before an operator is allowed. AND and OR take lists, NOT a list (none of them) or an
object (not all of it); several keys together must all hold. A condition on a missing or
wrongly typed field is false; NOT, ne and nin are complements. Depth is at most 16,
conditions 256, values in lists 1,000. What is no operator is 422.

Fields of filters: id, user_id, agent_id, run_id, app_id, actor_id, role, scope,
memory_type, categories, category (any of categories or metadata.category), hash, pinned,
memory, created_at, updated_at, occurred_at, valid_from, valid_to, expires_at and
structured_attributes.*; any other name is a key of the metadata, which metadata.name always
is, and a dotted one also a path into it. An id beside filters takes the place of a plain condition on it at their top
level; nothing in filters can widen what is asked for.

429, 503 and 409 carry Retry-After. Any route with an id in its path takes user_id and
agent_id as a permission check: a mismatch is 404, as if there were no such thing.`
