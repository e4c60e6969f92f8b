package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/assemble"
	"github.com/memdhq/memd/erase"
	"github.com/memdhq/memd/export"
	"github.com/memdhq/memd/forget"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/importjob"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/remember"
	"github.com/memdhq/memd/revise"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
)

// While Postgres is away every route says so; none answers as if there were nothing.
func TestWithoutPostgresEveryRouteIs503(t *testing.T) {
	pool, err := postgres.Open(context.Background(), "postgres://memd_app@127.0.0.1:1/x?sslmode=disable", postgres.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	log, store := shortterm.New(pool, nil, shortterm.Config{Log: zerolog.Nop()}), longterm.New(pool, longterm.Config{})
	rec := recall.New(store, &words{}, recall.Config{})
	assembler, err := assemble.New(log, store, rec, assemble.Config{})
	if err != nil {
		t.Fatal(err)
	}
	b := serveBare(t, Deps{Log: log, Store: store, Recall: rec, Assembler: assembler, Idempotency: idempotency.New(pool),
		Remember: remember.New(pool, log, store, rec, remember.Config{}), Forget: forget.New(pool, log, store), Revise: revise.New(pool, log, store),
		Erase: erase.New(pool, log, store, idempotency.New(pool), zerolog.Nop()), Export: export.New(pool), Imports: importjob.New(pool)}, Config{}, nil)
	n := 0
	for path, item := range b.api.OpenAPI().Paths {
		for method, op := range operationsOf(item) {
			if !strings.HasPrefix(path, "/v1/") {
				continue
			}
			n++
			target := strings.NewReplacer("/memories/{id}", "/memories/"+neverThere, "/import/{id}", "/import/"+neverThere, "{id}", "1", "{session_id}", "s", "{user_id}", "u").Replace(path)
			if method != "POST" && !slices.Contains([]string{"/v1/users", "/v1/settings", "/v1/import", "/v1/export", "/v1/erasures"}, path) { // which are about nobody alone
				target += "?user_id=u"
			}
			for _, key := range []string{"", "k"} {
				if key != "" && !writesSomething(op.Parameters) {
					continue
				}
				var header []string
				if key != "" {
					header = []string{"Idempotency-Key", key}
				}
				resp, body := b.do(t, method, target, strings.NewReader(bodyOf(method, path, neverThere)), header...)
				wantProblem(t, resp, body, 503)
				if resp.Header.Get("Retry-After") == "" || strings.Contains(body, "127.0.0.1") {
					t.Errorf("%s %s: %s %v", method, target, body, resp.Header)
				}
			}
		}
	}
	if n != 46 {
		t.Errorf("%d routes", n)
	}
}

// An answer that was lost before it was kept: the log knows the repetition.
func TestALostAnswerIsNotWrittenTwice(t *testing.T) {
	h := newHouse(t, houseConfig{})
	body := `{"messages":"I live in Porto","user_id":"u","run_id":"r"}`
	var first, again addAnswer
	h.send("POST", "/v1/memories", body, "Idempotency-Key", "k").want(200).into(&first)
	err := h.pool.InTenant(t.Context(), "default", func(tx pgx.Tx) error {
		tag, err := tx.Exec(t.Context(), `DELETE FROM idempotency WHERE status IS NOT NULL`)
		if err == nil && tag.RowsAffected() != 1 {
			t.Errorf("%d answers were kept", tag.RowsAffected())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.send("POST", "/v1/memories", body, "Idempotency-Key", "k").want(200).into(&again)
	if len(first.Results) != 1 || len(again.Results) != 1 || first.Results[0] != again.Results[0] {
		t.Errorf("%+v\n%+v", first, again)
	}
	if got := h.send("GET", "/v1/messages?user_id=u&session_id=r", nil).want(200); strings.Count(got.body, "Porto") != 1 {
		t.Errorf("logged twice: %s", got.body)
	}
}

// heeded tells when somebody begins to heed it.
type heeded struct {
	context.Context
	by chan struct{}
}

func (h heeded) Done() <-chan struct{} {
	select {
	case h.by <- struct{}{}:
	default:
	}
	return h.Context.Done()
}

// Who waits while memd is stopped is told at once what there is.
func TestNobodyWaitsForAMemdThatStops(t *testing.T) {
	draining, drain := context.WithCancel(t.Context())
	defer drain()
	begun := heeded{draining, make(chan struct{}, 1)}
	h := newHouse(t, houseConfig{idle: true, draining: begun})
	last := h.say("u", "s", "I keep bees")
	paths := map[string]string{
		fmt.Sprint("/v1/messages?user_id=u&session_id=s&wait=60s&after=", last): `"messages":[]`,
		"/v1/ingest?user_id=u&wait=60s":                                         `"pending":1`,
	}
	told := make(chan string)
	for path, want := range paths {
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, "GET", h.url+path, nil)
			if err != nil {
				told <- err.Error()
				return
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				told <- err.Error()
				return
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), want) {
				told <- fmt.Sprintf("%s: %d %s %v", path, resp.StatusCode, body, err)
				return
			}
			told <- ""
		}()
		<-begun.by
	}
	drain()
	for range paths {
		if fault := <-told; fault != "" {
			t.Error(fault)
		}
	}
	for path, want := range paths { // and who comes later
		h.send("GET", path, nil).want(200, want)
	}
}
