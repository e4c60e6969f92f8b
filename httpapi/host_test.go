package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestWithoutKeysOnlyNamesOfThisMachineAreServed(t *testing.T) {
	h := onlyLocalNames(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for host, want := range map[string]int{
		"127.0.0.1:7411": 204, "127.0.0.1": 204, "localhost:7411": 204, "LOCALHOST": 204, "memd.localhost:1": 204,
		"[::1]:7411": 204, "127.8.8.8:1": 204, "localhost.:1": 204,
		"evil.example": 403, "evil.example:7411": 403, "localhost.evil.example": 403, "10.0.0.1:7411": 403, "0.0.0.0:7411": 403,
	} {
		r := httptest.NewRequest(http.MethodGet, "/v1/ingest", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s: %d, want %d", host, w.Code, want)
		}
	}
}
