package remember

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/extract/llm"
	"github.com/rs/zerolog"
)

// Where the rules stood in for the model the answer says so, and that a prompt was not heeded.
func TestWhoStoodInForTheModelIsTold(t *testing.T) {
	h := open(t, Config{TakesPrompt: true})
	var status atomic.Int32
	var answer atomic.Value
	answer.Store("")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":`+answer.Load().(string)+`},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	model := func() *llm.Extractor {
		x := llm.New(llm.Config{URL: server.URL + "/v1", Model: "m", Log: zerolog.Nop()}, extract.NewRules())
		t.Cleanup(x.Close)
		return x
	}
	for _, c := range []struct {
		name, answer string
		status       int
		degraded     bool
	}{
		{"well", `"{\"facts\":[{\"text\":\"I like sushi\",\"sources\":[1]}]}"`, 200, false},
		{"nothing to learn", `"{\"facts\":[]}"`, 200, false},
		{"away", `""`, 500, true},
		{"no such model", `""`, 404, true},
		{"a poem", `"Roses are red"`, 200, true},
		{"only invented", `"{\"facts\":[{\"text\":\"I own a yacht in Nice\",\"sources\":[1]}]}"`, 200, true},
	} {
		h.extractor.model = model()
		status.Store(int32(c.status))
		answer.Store(c.answer)
		plain, prompted := learn("a "+c.name, "I like sushi. I live in Rome."), learn("b "+c.name, "I like sushi. I live in Rome.")
		prompted.LearnAs = &memd.LearnAs{Prompt: "food only"}
		got := h.add(nil, bound, plain, prompted)
		var want, wantPrompted []string
		if c.degraded {
			want, wantPrompted = []string{"llm"}, []string{"llm", "prompt"}
		}
		wantTold(t, c.name, got[0], told(got[0]), want...)
		wantTold(t, c.name+", with a prompt", got[1], told(got[1]), wantPrompted...)
	}
}
