package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
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
	// users are those whom the path and the query name.
	users []string
}

// requireWriter refuses keys that may only read.
func (c *call) requireWriter() error {
	if !c.mayWrite() {
		return &memd.Error{Kind: memd.Forbidden, Msg: "this API key may only read"}
	}
	return nil
}

// requireAdmin refuses keys that may not ask across all scopes.
func (c *call) requireAdmin() error {
	if !c.mayAllScopes() {
		return &memd.Error{Kind: memd.Forbidden, Msg: "all_scopes needs an admin's API key"}
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

// keptIDs name what an answer is of: a message, or a session.
type keptIDs struct {
	Message int64  `json:"message,omitempty"`
	User    string `json:"user,omitempty"`
	Session string `json:"session,omitempty"`
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
		if !op.open {
			turns := s.turns
			if op.method == http.MethodGet && op.waits > 0 && r.URL.Query().Has("wait") {
				turns = s.waiting // who waits must keep nobody else from their turn
			}
			if err := acquire(r.Context(), turns, 1, "too many requests are at work"); err != nil {
				return err
			}
			defer turns.Release(1)
		}
		in := new(I)
		v := reflect.ValueOf(in).Elem()
		if err := invalid(plan.readParams(r, v)); err != nil {
			return err
		}
		if op.method != http.MethodGet {
			body, release, err := s.readBody(w, r)
			if err != nil {
				return err
			}
			defer release()
			c.body = body
			if err := plan.check(body, v); err != nil {
				return err
			}
			if err := c.takeKey(r, op); err != nil {
				return err
			}
			c.users = append(r.URL.Query()["user_id"], pathValue(r, "user_id"))
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.cfg.Timeout+op.waits)
		defer cancel()
		return s.answer(ctx, w, op, c, func() (answer, error) { return do(ctx, c, in) })
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

// acquire takes n of what there is, or gives up after a while.
func acquire(ctx context.Context, s interface {
	TryAcquire(int64) bool
	Acquire(context.Context, int64) error
}, n int64, refusal string) error {
	if s.TryAcquire(n) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.Acquire(ctx, n); err != nil {
		return &memd.Error{Kind: memd.Unavailable, Msg: refusal, RetryAfter: time.Second}
	}
	return nil
}

// readBody reads a body of at most maxBody bytes. release gives its place back.
func (s *server) readBody(w http.ResponseWriter, r *http.Request) (body []byte, release func(), err error) {
	var held int64
	release = func() { s.bodies.Release(held) }
	defer func() {
		if err != nil {
			release()
		}
	}()
	tooLarge := &memd.Error{Kind: memd.TooLarge, Field: "body", Msg: fmt.Sprintf("must have at most %d MiB", maxBody>>20)}
	if r.Body == nil || r.Body == http.NoBody {
		return nil, release, nil
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(s.cfg.Timeout))
	defer func() {
		if err != nil { // what may still come of the body is not waited for
			w.Header().Set("Connection", "close")
			return
		}
		// The deadline must not outlive the body: the connection is read from
		// afterwards too, to learn whether the caller is still there.
		_ = control.SetReadDeadline(time.Time{})
	}()
	if r.ContentLength > maxBody {
		drain(r.Body)
		return nil, release, tooLarge
	}
	var buf []byte
	size := max(512, r.ContentLength+1) // one more: the read that finds the end
	for {
		if len(buf) == cap(buf) {
			if err := acquire(r.Context(), s.bodies, size-held, "too many large requests are at work"); err != nil {
				return nil, release, err
			}
			held = size
			grown := make([]byte, len(buf), size)
			copy(grown, buf)
			buf = grown
			size = min(2*size, maxBody+1)
		}
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > maxBody:
			drain(r.Body)
			return nil, release, tooLarge
		case errors.Is(err, io.EOF):
			return buf, release, nil
		case err != nil:
			var network net.Error
			if errors.As(err, &network) && network.Timeout() {
				return nil, release, httpError{newProblem(http.StatusRequestTimeout, "timeout", "the body did not come in time")}
			}
			return nil, release, httpError{newProblem(http.StatusBadRequest, "bad_request", "the body could not be read")}
		}
	}
}

// drain reads on for a while: a caller that is still sending would not see the answer.
func drain(body io.Reader) { _, _ = io.CopyN(io.Discard, body, 4*maxBody) }

// check reads a body into v, or sees to it that there is none.
func (p inputPlan) check(body []byte, v reflect.Value) error {
	if p.bodyIndex == nil && len(trim(body)) == 0 {
		return nil
	}
	if err := json.Unmarshal(body, new(json.RawMessage)); err != nil {
		if strings.Contains(err.Error(), "max depth") { // JSON, but nothing that memd reads is nested like that
			return memd.InvalidField("body", "is nested too deeply")
		}
		message := "is not valid JSON"
		if len(trim(body)) == 0 {
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

// answer runs an operation and sends what it replies; under an idempotency key only once.
func (s *server) answer(ctx context.Context, w http.ResponseWriter, op operation, c *call, do func() (answer, error)) error {
	if c.key == nil || op.effect != writes {
		a, err := do()
		if err != nil {
			return err
		}
		if a.stream != nil {
			return s.stream(w, op, a)
		}
		if a.replayed {
			w.Header().Set(replayedHeader, "true")
		}
		writeJSON(w, a.status, "application/json", a.body)
		return nil
	}
	kept, claim, err := s.Idempotency.Begin(ctx, c.tenant, *c.key)
	if err != nil {
		return err
	}
	if kept != nil {
		if kept.ContentType == keptAsIDs {
			var ids keptIDs
			if err := json.Unmarshal(kept.Body, &ids); err != nil {
				return err
			}
			now, err := op.again(ctx, c, ids)
			if err != nil {
				return err
			}
			kept.ContentType, kept.Body = "application/json", encode(now.body)
		}
		w.Header().Set(replayedHeader, "true")
		writeBytes(w, kept.Status, kept.ContentType, kept.Body)
		return nil
	}
	done := false
	// The claim outlives the request: what was done is kept though the caller has gone.
	after := context.WithoutCancel(ctx)
	defer func() {
		if !done {
			claim.Drop(after)
		}
	}()
	a, err := do()
	if err != nil {
		return err
	}
	body := encode(a.body)
	done = true
	keepCtx, cancel := context.WithTimeout(after, 5*time.Second)
	defer cancel()
	keep := idempotency.Answer{Status: a.status, ContentType: "application/json", Body: body}
	if a.ids != nil {
		keep.ContentType, keep.Body = keptAsIDs, encode(a.ids)
	}
	var about []string
	if !a.lasts {
		about = usersIn(keep.Body, usersIn(c.body, c.users))
	}
	if err := claim.Keep(keepCtx, keep, about...); err != nil {
		// It is done and stays done; only a repetition will not be known as one.
		s.Logger.Error().Err(err).Str(memd.LogRequest, w.Header().Get(requestIDHeader)).Msg("an answer could not be kept under its idempotency key")
	}
	writeBytes(w, a.status, "application/json", body)
	return nil
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
