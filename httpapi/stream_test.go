package httpapi

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memdhq/memd/internal/memdtest"
)

// Who reads nothing of a stream keeps others of the tenant from theirs for as long as a
// piece of it may take, and nobody of another tenant.
func TestWhoReadsNothingKeepsNobodyFromReading(t *testing.T) {
	for name, patience := range map[string]time.Duration{"while it is waited for": time.Hour, "after that": time.Second} {
		t.Run(name, func(t *testing.T) {
			var begun, ended atomic.Int32
			piece := strings.Repeat("z", streamedAtOnce)
			b := serveBare(t, Deps{}, Config{StreamPatience: patience, Keys: []Key{{Token: "one", Tenant: "one", Role: "admin"}, {Token: "two", Tenant: "two", Role: "admin"}}}, func(s *server) {
				for path, n := range map[string]int{"/v1/some": 20, "/v1/endless": 1 << 20} {
					handle(s, operation{method: http.MethodGet, path: path, name: path[4:], tag: "x", summary: "x", waits: time.Hour, streams: "application/x-ndjson", answers: map[int]any{200: exportLine{}}},
						func(context.Context, *call, *struct{}) (answer, error) {
							return answer{status: 200, stream: func(w io.Writer) error {
								if n > 20 {
									begun.Add(1)
									defer ended.Add(1)
								}
								for range n {
									if _, err := io.WriteString(w, piece); err != nil {
										return err
									}
								}
								return nil
							}}, nil
						})
				}
			})
			for range exportsOfTenant {
				c, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Close() }) // before the server waits for them
				if _, err := io.WriteString(c, "GET /v1/endless HTTP/1.1\r\nHost: localhost\r\nX-API-Key: one\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
			}
			memdtest.Until(t, "they are at it", func() bool { return begun.Load() == exportsOfTenant })
			read := func(key string) bool {
				resp, body := b.do(t, "GET", "/v1/some", nil, "X-API-Key", key)
				if resp.StatusCode == http.StatusServiceUnavailable {
					wantProblem(t, resp, body, 503)
					return false
				}
				if resp.StatusCode != 200 || len(body) != 20*streamedAtOnce {
					t.Errorf("%d, %d bytes", resp.StatusCode, len(body))
				}
				return true
			}
			if !read("two") {
				t.Error("another tenant is refused")
			}
			if patience == time.Hour {
				if read("one") || ended.Load() > 0 {
					t.Error("a tenant has more than its part")
				}
				return
			}
			memdtest.Until(t, "they are cut off", func() bool { return ended.Load() == exportsOfTenant })
			if !read("one") {
				t.Error("the tenant is refused after they were cut off")
			}
		})
	}
}

// What somebody takes long to read, in pieces that each come in time, is counted.
func TestHowLongAStreamMayTake(t *testing.T) {
	w := &streamWriter{ResponseWriter: &slowWriter{takes: 30 * time.Millisecond}, control: http.NewResponseController(&slowWriter{}), status: 200,
		patience: time.Minute, granted: time.Second}
	for range 3 {
		if _, err := w.Write(make([]byte, 64)); err != nil {
			t.Fatal(err)
		}
	}
	if w.granted > time.Second-85*time.Millisecond {
		t.Errorf("%v are left of a second after three writes of 30 ms", w.granted)
	}
	before := w.granted
	if _, err := w.Write(make([]byte, 10*slowest)); err != nil || w.granted < before+time.Second {
		t.Errorf("%v are left of %v after much was read quickly, %v", w.granted, before, err)
	}
}

// slowWriter takes so long for what it is given.
type slowWriter struct{ takes time.Duration }

func (*slowWriter) Header() http.Header { return http.Header{} }
func (*slowWriter) WriteHeader(int)     {}
func (w *slowWriter) Write(b []byte) (int, error) {
	<-time.After(w.takes)
	return len(b), nil
}
