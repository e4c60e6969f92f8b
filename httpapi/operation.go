package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/erase"
	"github.com/memdhq/memd/idempotency"
	"github.com/rs/zerolog"
)

// operation declares a route.
type operation struct {
	method, path string
	// name is the operation's id in the OpenAPI document.
	name, summary, description string
	tag                        string
	// answers holds a value of the type of each success's body, by status.
	answers map[int]any
	// effect says what the route does to the data.
	effect effect
	// again reads anew what of an answer only the ids were kept; see answer.ids.
	again func(context.Context, *call, keptIDs) (answer, error)
	// open routes need no key and no turn, and take no idempotency key.
	open bool
	// canWait says that nobody sits there for the answer, so that nothing gives way to it; gives, that it
	// gives way itself.
	canWait, gives bool
	// waits is how much longer than others the route may take.
	waits time.Duration
	// streams is the content type of a route that answers with a stream, "" for JSON.
	streams string
}

// effect is what an operation does to the data, which decides who may call it and
// what an Idempotency-Key means for it.
type effect int

const (
	// reads changes nothing.
	reads effect = iota
	// writes changes something; its answer is kept under its idempotency key.
	writes
	// logs writes to the log, which keeps the idempotency key itself.
	logs
	// mayLog reads, or writes to the log, as the body has it: the route asks
	// call.requireWriter where it writes.
	mayLog
)

// call is one request on its way through an operation.
type call struct {
	caller
	// body is the request's body, byte for byte.
	body []byte
	// key is the request's idempotency key, nil if none came.
	key *idempotency.Key
	// derive makes a key of the same request for one part of it.
	derive func(part string) *idempotency.Key
	// users are those whom the query and, last, the path name.
	users []string
}

// requireWriter refuses keys that may only read.
func (c *call) requireWriter() error {
	if !c.mayWrite() {
		return &memd.Error{Kind: memd.Forbidden, Msg: "this API key may only read"}
	}
	return nil
}

// requireAdmin refuses keys that may not ask across all scopes, which what does.
func (c *call) requireAdmin(what string) error {
	if !c.mayAllScopes() {
		return &memd.Error{Kind: memd.Forbidden, Msg: what + " needs an admin's API key"}
	}
	return nil
}

// answer is what an operation replies with.
type answer struct {
	status   int
	body     any
	replayed bool
	// stream, unless nil, writes the answer in place of body. An error before it has written
	// anything is answered as any other; after that it ends the connection, so that what has
	// come cannot be taken for all.
	stream func(io.Writer) error
	// lasts says that the answer is kept although those whom it is about are erased.
	lasts bool
	// ids, unless nil, are kept under the idempotency key in place of the body, which must
	// not outlive what it is of: whoever asks again is told what there is of it then.
	ids *keptIDs
}

// keptIDs name what an answer is of: a message, a session, or an erasure.
type keptIDs struct {
	Message int64  `json:"message,omitempty"`
	User    string `json:"user,omitempty"`
	Session string `json:"session,omitempty"`
	// Receipt is of an erasure: whom it was of only the request says.
	Receipt *erase.Receipt `json:"receipt,omitempty"`
}

// keptAsIDs is the content type under which an answer's ids are kept.
const keptAsIDs = "ids"

func ok(body any) (answer, error) { return answer{status: http.StatusOK, body: body}, nil }

const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotent-Replayed"
)

// handle declares an operation whose requests are read into I.
func handle[I any](s *server, op operation, do func(context.Context, *call, *I) (answer, error)) {
	registry := s.api.OpenAPI().Components.Schemas
	plan := planInput(registry, reflect.TypeFor[I]())
	declared := s.declare(op, plan)
	part := "query"
	if plan.bodyIndex != nil {
		part = "body"
	}
	serve := func(w http.ResponseWriter, r *http.Request) error {
		c, err := s.admit(r, op)
		if err != nil {
			return err
		}
		in := new(I)
		v := reflect.ValueOf(in).Elem()
		if err := invalid(plan.readParams(r, v)); err != nil {
			return err
		}
		if op.method != http.MethodGet { // before its turn: it may take long to come
			body, release, err := s.readBody(w, r)
			if err != nil {
				return err
			}
			defer release()
			c.body = body
		}
		out, err := s.reply(w, r, op, c, func(ctx context.Context) (answer, error) { return do(ctx, c, in) }, func() error {
			if op.method == http.MethodGet {
				return nil
			}
			if err := plan.check(c.body, v); err != nil {
				return err
			}
			if err := c.takeKey(r, op); err != nil {
				return err
			}
			c.users = append(r.URL.Query()["user_id"], pathValue(r, "user_id"))
			return nil
		})
		if err != nil || out.sent {
			return err
		}
		return s.send(w, r, out, op.effect != reads)
	}
	s.api.Adapter().Handle(declared, func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		if err := serve(w, r); err != nil {
			s.fail(w, r, err, part)
		}
	})
}

// admit tells who calls and whether they may.
func (s *server) admit(r *http.Request, op operation) (*call, error) {
	if op.open {
		return &call{}, nil
	}
	who, err := s.authenticate(r)
	if err != nil {
		return nil, err
	}
	c := &call{caller: who}
	if op.effect == writes || op.effect == logs {
		if err := c.requireWriter(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// check reads a body into v, or sees to it that there is none.
func (p inputPlan) check(body []byte, v reflect.Value) error {
	if p.bodyIndex == nil && len(memd.TrimJSON(body)) == 0 {
		return nil
	}
	if !json.Valid(body) {
		err := json.Unmarshal(body, new(json.RawMessage))
		if strings.Contains(err.Error(), "max depth") { // JSON, but nothing that memd reads is nested like that
			return memd.InvalidField("body", "is nested too deeply")
		}
		message := "is not valid JSON"
		if len(memd.TrimJSON(body)) == 0 {
			message = "is empty, and must be a JSON object"
		}
		bad := newProblem(http.StatusBadRequest, "bad_request", "the body "+message)
		bad.Errors = []fault{{"body", message}}
		return httpError{bad}
	}
	if p.bodyIndex != nil {
		v = v.FieldByIndex(p.bodyIndex)
	}
	return invalid(readObject(p.body, body, v, "body"))
}

// takeKey reads the header Idempotency-Key.
func (c *call) takeKey(r *http.Request, op operation) error {
	values := r.Header.Values(idempotencyHeader)
	if len(values) == 0 || op.effect == reads {
		return nil
	}
	key, location := values[0], "header."+idempotencyHeader
	switch {
	case len(values) > 1:
		return memd.InvalidField(location, "must be given once")
	case key == "" || len(key) > 255:
		return memd.InvalidField(location, "must have 1 to 255 characters")
	case !validText(key) || strings.ContainsFunc(key, unicode.IsControl):
		return memd.InvalidField(location, "must not contain control characters")
	}
	compared := c.body
	if r.URL.RawQuery != "" { // what is asked for in the query is part of the request
		compared = append(append(bytes.Clone(c.body), 0), r.URL.RawQuery...)
	}
	if c.mayAllScopes() { // what an admin was told is not for others to be told again
		key = "admin\x00" + key // which nobody else can send
	}
	c.derive = func(part string) *idempotency.Key {
		k := idempotency.NewKey(r.Method, pathOf(r)+part, key, compared)
		return &k
	}
	c.key = c.derive("")
	return nil
}

// reply checks a request and runs its operation when it is its turn.
func (s *server) reply(w http.ResponseWriter, r *http.Request, op operation, c *call, do func(context.Context) (answer, error), check func() error) (reply, error) {
	ctx := r.Context()
	if !op.open {
		l, writes, takes := s.laneOf(r, op, c.body)
		n := int64(1)
		if op.gives && s.Live.IsOn() {
			n = bulksAtOnce // it goes alone
		}
		const refusal = "too many requests are at work"
		if op.streams != "" {
			share := s.bounds.exports.lane(c.tenant)
			if err := s.acquire(ctx, share, 1, refusal); err != nil {
				return reply{}, err
			}
			defer share.turns.Release(1)
		}
		if err := s.acquire(ctx, l, n, refusal); err != nil {
			return reply{}, err
		}
		defer l.turns.Release(n)
		if op.gives {
			began := time.Now()
			defer func() { s.Live.GiveWay(ctx, time.Since(began), restOfBulk) }()
		} else if !op.canWait && l != s.bounds.waiting {
			defer s.Live.Begin()()
		}
		if writes && s.Writing != nil {
			ctx = s.Writing(ctx)
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, takes)
		defer cancel()
	}
	if err := check(); err != nil {
		return reply{}, err
	}
	return s.answer(ctx, w, op, c, do)
}

// answer runs an operation, and sends what is a stream; under an idempotency key only once.
func (s *server) answer(ctx context.Context, w http.ResponseWriter, op operation, c *call, do func(context.Context) (answer, error)) (reply, error) {
	const plain = "application/json"
	if c.key == nil || op.effect != writes {
		a, err := do(ctx)
		if err != nil {
			return reply{}, err
		}
		if a.stream != nil { // as long as its turn lasts
			return reply{sent: true}, s.stream(w, op, a)
		}
		return reply{status: a.status, contentType: plain, body: encode(a.body), replayed: a.replayed}, nil
	}
	kept, claim, err := s.Idempotency.Begin(ctx, c.tenant, *c.key)
	if err != nil {
		return reply{}, err
	}
	if kept != nil {
		out := reply{status: kept.Status, contentType: kept.ContentType, body: kept.Body, replayed: true}
		if kept.ContentType == keptAsIDs {
			var ids keptIDs
			if err := json.Unmarshal(kept.Body, &ids); err != nil {
				return reply{}, err
			}
			now, err := op.again(ctx, c, ids)
			if err != nil {
				return reply{}, err
			}
			out.contentType, out.body = plain, encode(now.body)
		}
		return out, nil
	}
	done := false
	// The claim outlives the request: what was done is kept though the caller has gone.
	after := context.WithoutCancel(ctx)
	defer func() {
		if !done {
			claim.Drop(after)
		}
	}()
	a, err := do(ctx)
	if err != nil {
		return reply{}, err
	}
	body := encode(a.body)
	done = true
	keepCtx, cancel := context.WithTimeout(after, 5*time.Second)
	defer cancel()
	keep := idempotency.Answer{Status: a.status, ContentType: plain, Body: body}
	if a.ids != nil {
		keep.ContentType, keep.Body = keptAsIDs, encode(a.ids)
	}
	var about []string
	if !a.lasts {
		about = usersIn(keep.Body, usersIn(c.body, c.users))
	}
	if err := claim.Keep(keepCtx, keep, about...); err != nil {
		// It is done and stays done; only a repetition will not be known as one.
		s.Logger.WithLevel(levelOfNotKept(err)).Err(err).Str(memd.LogRequest, w.Header().Get(requestIDHeader)).Msg("an answer could not be kept under its idempotency key")
	}
	return reply{status: a.status, contentType: plain, body: body}, nil
}

// levelOfNotKept is at what level it is logged that an answer could not be kept. That a claim
// is lost is what an erasure of whom it is about does to it.
func levelOfNotKept(err error) zerolog.Level {
	if memd.KindOf(err) == memd.Conflict {
		return zerolog.InfoLevel
	}
	return zerolog.ErrorLevel
}

// declare adds an operation to the OpenAPI document.
func (s *server) declare(op operation, plan inputPlan) *huma.Operation {
	registry := s.api.OpenAPI().Components.Schemas
	d := &huma.Operation{
		Method: op.method, Path: op.path, OperationID: op.name, Summary: op.summary, Description: op.description,
		Tags: []string{op.tag}, Parameters: plan.parameters(), Responses: map[string]*huma.Response{},
	}
	if op.open {
		d.Security = []map[string][]string{}
	}
	if op.effect != reads {
		most := 255
		d.Parameters = append(d.Parameters, &huma.Param{Name: idempotencyHeader, In: "header",
			Description: "The same key and body within 24 hours get the same answer, with Idempotent-Replayed: true; another body gets 422.",
			Schema:      &huma.Schema{Type: huma.TypeString, MaxLength: &most}})
	}
	if plan.bodyIndex != nil {
		registry.Map()[schemaName(plan.bodyName)] = objectSchema(plan.body)
		d.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{Ref: schemaPrefix + schemaName(plan.bodyName)}}}}
	}
	for status, body := range op.answers {
		d.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status),
			Headers:     map[string]*huma.Param{requestIDHeader: {Description: "The request's id, taken over or made.", Schema: &huma.Schema{Type: huma.TypeString}}},
			Content: map[string]*huma.MediaType{cmp.Or(op.streams, "application/json"): {
				Schema: registry.Schema(reflect.TypeOf(body), true, op.name+"-answer")}}}
	}
	d.Responses["default"] = &huma.Response{
		Description: "A problem document (RFC 9457).",
		Content: map[string]*huma.MediaType{"application/problem+json": {
			Schema: registry.Schema(reflect.TypeFor[problem](), true, "Problem")}}}
	s.api.OpenAPI().AddOperation(d)
	return d
}

const schemaPrefix = "#/components/schemas/"

func schemaName(name string) string { return strings.ToUpper(name[:1]) + name[1:] }
