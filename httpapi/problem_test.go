package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

func TestEveryKindHasAStatusAndWords(t *testing.T) {
	for _, kind := range memd.Kinds() {
		if statuses[kind] == 0 {
			t.Errorf("%s has no status", kind)
		}
		if details[kind] == "" {
			t.Errorf("%s has no words", kind)
		}
		p := problemOf(&memd.Error{Kind: kind, Op: "secret.op", Err: errors.New("secret cause")}, "body")
		if p.Status != statuses[kind] || strings.Contains(fmt.Sprint(*p), "secret") {
			t.Errorf("%s: %+v", kind, *p)
		}
		switch p.Status {
		case http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable:
			if p.retryAfter <= 0 {
				t.Errorf("%s has no Retry-After", kind)
			}
		}
	}
}

func TestProblemsOfErrors(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		part string
		want string
	}{
		"a plain error is internal":          {errors.New("password=hunter2"), "body", "500 internal []"},
		"internal words are not shown":       {&memd.Error{Kind: memd.Internal, Msg: "table x", Field: "y"}, "body", "500 internal []"},
		"an unknown kind is internal":        {&memd.Error{Kind: 99, Msg: "table x"}, "body", "500 internal []"},
		"a deadline is unavailable":          {fmt.Errorf("x: %w", context.DeadlineExceeded), "body", "503 unavailable []"},
		"a field lies in the body":           {memd.InvalidField("query", "must not be blank"), "body", "422 invalid [{body.query must not be blank}]"},
		"a field of a query":                 {memd.InvalidField("cursor", "is not valid"), "query", "422 invalid [{query.cursor is not valid}]"},
		"a field that says where it is":      {memd.InvalidField("header.Idempotency-Key", "is long"), "body", "422 invalid [{header.Idempotency-Key is long}]"},
		"a wrapped error":                    {fmt.Errorf("outer: %w", memd.InvalidField("a", "b")), "body", "422 invalid [{body.a b}]"},
		"details are faults of their own":    {&memd.Error{Kind: memd.Invalid, Details: []*memd.Error{memd.InvalidField("a", "b"), memd.InvalidField("[1].c", "d")}}, "body", "422 invalid [{body.a b} {body[1].c d}]"},
		"no field, no fault":                 {&memd.Error{Kind: memd.NotFound, Msg: "there is no such session"}, "query", "404 not_found []"},
		"what the caller is told of the key": {&memd.Error{Kind: memd.Unauthorized}, "", "401 unauthorized []"},
	} {
		t.Run(name, func(t *testing.T) {
			p := problemOf(test.err, test.part)
			if got := fmt.Sprintf("%d %s %v", p.Status, p.Code, p.Errors); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if strings.Contains(p.Detail, "hunter2") || strings.Contains(p.Detail, "table x") {
				t.Errorf("internals are shown: %q", p.Detail)
			}
		})
	}
}

func TestRetryAfterIsInWholeSecondsRoundedUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{0: "1", time.Millisecond: "1", 1500 * time.Millisecond: "2", 7 * time.Second: "7"} {
		w := httptest.NewRecorder()
		problemOf(&memd.Error{Kind: memd.Conflict, RetryAfter: wait}, "").write(w)
		if got := w.Header().Get("Retry-After"); got != want {
			t.Errorf("%s: Retry-After %q, want %q", wait, got, want)
		}
	}
	w := httptest.NewRecorder()
	problemOf(&memd.Error{Kind: memd.Unauthorized}, "").write(w)
	if w.Header().Get("WWW-Authenticate") == "" {
		t.Error("401 without WWW-Authenticate")
	}
}

func TestProblemsListSoManyFaultsAndNoMore(t *testing.T) {
	var faults []*memd.Error
	for range 3 * maxFaults {
		faults = append(faults, memd.InvalidField("body.x", "y"))
	}
	if got := len(problemOf(invalid(faults), "body").Errors); got != maxFaults {
		t.Errorf("%d faults", got)
	}
}
