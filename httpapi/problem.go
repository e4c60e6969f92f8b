package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// statuses is the one table from a kind of error to the status that callers see.
var statuses = map[memd.Kind]int{
	memd.Internal:     http.StatusInternalServerError,
	memd.Invalid:      http.StatusUnprocessableEntity,
	memd.NotFound:     http.StatusNotFound,
	memd.Conflict:     http.StatusConflict,
	memd.Forbidden:    http.StatusForbidden,
	memd.Unauthorized: http.StatusUnauthorized,
	memd.TooLarge:     http.StatusRequestEntityTooLarge,
	memd.RateLimited:  http.StatusTooManyRequests,
	memd.Unavailable:  http.StatusServiceUnavailable,
}

// details is what a problem says where the error has no words for callers.
var details = map[memd.Kind]string{
	memd.Internal:     "something went wrong inside memd; its log has more under this request_id",
	memd.Invalid:      "the request is not valid",
	memd.NotFound:     "not found",
	memd.Conflict:     "the state of the thing forbids this now",
	memd.Forbidden:    "this API key may not do this",
	memd.Unauthorized: "a valid API key is needed",
	memd.TooLarge:     "the request is too large",
	memd.RateLimited:  "too many requests; try again later",
	memd.Unavailable:  "something that memd depends on is not available; try again later",
}

// defaultRetryAfter is what 409, 429 and 503 tell callers where the error does not know better.
const defaultRetryAfter = time.Second

// maxFaults bounds how many faults one problem lists.
const maxFaults = maxItems

// problem is an RFC 9457 problem document.
type problem struct {
	Title     string  `json:"title" doc:"The status in words."`
	Status    int     `json:"status" doc:"The HTTP status."`
	Detail    string  `json:"detail" doc:"What went wrong, in words."`
	Code      string  `json:"code" doc:"The kind of error in snake case: invalid, not_found, conflict, unavailable …"`
	RequestID string  `json:"request_id" doc:"The request's X-Request-ID, under which memd's log may say more."`
	Errors    []fault `json:"errors,omitempty" doc:"Each fault of the request and where it lies."`

	// retryAfter becomes the header Retry-After, if it is not zero.
	retryAfter time.Duration
	header     http.Header
}

// fault is one fault of a request.
type fault struct {
	Location string `json:"location" doc:"Where: body.messages[0].content, query.limit, path.id, header.Idempotency-Key."`
	Message  string `json:"message" doc:"What is wrong. Never holds what was sent."`
}

// newProblem makes a problem of a status that no kind of error stands for.
func newProblem(status int, code, detail string) *problem {
	return &problem{Title: http.StatusText(status), Status: status, Code: code, Detail: detail}
}

// problemOf tells an error as a problem. Fields of the error that do not say in which
// part of the request they lie are taken to lie in part ("body", "query").
func problemOf(err error, part string) *problem {
	var own httpError
	if errors.As(err, &own) {
		return own.problem
	}
	var e *memd.Error
	if !errors.As(err, &e) {
		kind := memd.Internal
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			kind = memd.Unavailable
		}
		e = &memd.Error{Kind: kind}
	}
	status, ok := statuses[e.Kind]
	if !ok {
		status = http.StatusInternalServerError
	}
	p := &problem{Title: http.StatusText(status), Status: status, Code: e.Kind.String(), Detail: details[e.Kind]}
	if e.Kind == memd.Internal || !ok {
		p.Code, p.Detail = memd.Internal.String(), details[memd.Internal]
		return p
	}
	if e.Msg != "" {
		p.Detail = e.Msg
	}
	for _, f := range append([]*memd.Error{e}, e.Details...) {
		if (f.Field == "" && f == e) || len(p.Errors) == maxFaults {
			continue
		}
		p.Errors = append(p.Errors, fault{locate(part, f.Field), f.Msg})
	}
	if len(p.Errors) == 1 && e.Field != "" && e.Msg != "" {
		p.Detail = p.Errors[0].Location + ": " + e.Msg
	}
	switch e.Kind {
	case memd.Conflict, memd.RateLimited, memd.Unavailable:
		p.retryAfter = max(e.RetryAfter, defaultRetryAfter)
	case memd.Unauthorized:
		p.header = http.Header{"Www-Authenticate": {`Bearer realm="memd"`}}
	}
	return p
}

// locate puts a field into its part of the request, unless it says itself where it is
// ("query.limit", "header.Idempotency-Key"; "query." is the query as a whole).
func locate(part, field string) string {
	if head, _, dotted := strings.Cut(field, "."); dotted {
		switch head {
		case "body", "query", "path", "header":
			return strings.TrimSuffix(field, ".")
		}
	}
	switch {
	case field == "body":
		return field
	case field == idempotencyHeader:
		return "header." + field
	case field == "":
		return part
	case strings.HasPrefix(field, "["):
		return part + field
	}
	return part + "." + field
}

// invalid makes one error of the faults of a request; nil if there are none.
func invalid(faults []*memd.Error) error {
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	}
	return &memd.Error{Kind: memd.Invalid, Msg: details[memd.Invalid], Details: faults}
}

// httpError is an error of HTTP's own, which is no kind of memd's.
type httpError struct{ *problem }

func (e httpError) Error() string { return e.Detail }

// write sends the problem.
func (p *problem) write(w http.ResponseWriter) {
	p.RequestID = w.Header().Get(requestIDHeader)
	for name, values := range p.header {
		w.Header()[name] = values
	}
	if p.retryAfter > 0 {
		seconds := (p.retryAfter + time.Second - 1) / time.Second
		w.Header().Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	writeJSON(w, p.Status, "application/problem+json", p)
}

// writeJSON sends v as JSON.
func writeJSON(w http.ResponseWriter, status int, contentType string, v any) {
	writeBytes(w, status, contentType, encode(v))
}

// encode writes v as JSON, with a line break at the end. All that httpapi answers can
// be encoded; a value that cannot is a fault of memd, and the panic becomes a 500.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func writeBytes(w http.ResponseWriter, status int, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may be gone
}

// OnlyWatched serves nothing of a handler but what tells whether a memd is well.
func OnlyWatched(all http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/readyz", "/metrics":
			all.ServeHTTP(w, r)
		default:
			w.Header().Set(requestIDHeader, requestID(r))
			problemOf(&memd.Error{Kind: memd.NotFound, Msg: "this memd only works; ask one that serves"}, "").write(w)
		}
	})
}

// Starting answers while memd is starting: it is alive, and not ready for anything.
func Starting() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(requestIDHeader, requestID(r))
		if r.URL.Path == "/healthz" {
			writeJSON(w, http.StatusOK, "application/json", aliveAnswer{"ok"})
			return
		}
		p := newProblem(http.StatusServiceUnavailable, memd.Unavailable.String(), "memd is starting")
		p.retryAfter = time.Second
		p.write(w)
	})
}
