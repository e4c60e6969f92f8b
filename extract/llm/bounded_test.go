package llm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// Who was not asked is not marked by what others were answered.
func TestWhoWasNotAskedIsMarkedSo(t *testing.T) {
	for name, c := range map[string]struct {
		bad   reply
		asked string
		calls int // extractions that ask before the server is left alone
	}{
		"useless": {says("Roses are red"), "invalid_answer", maxFruitless},
		"refused": {reply{status: 400}, "refused", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, replies(c.bad))
			x := s.extractor(func(c *Config) { c.Pause = time.Hour })
			for range c.calls {
				wantRules(t, must(t, x, tea), c.asked, tea.Messages...)
			}
			n := len(s.requests())
			for range 3 {
				wantRules(t, must(t, x, tea), "unavailable", tea.Messages...)
			}
			if len(s.requests()) != n {
				t.Errorf("%d calls of what was not to be asked", len(s.requests())-n)
			}
		})
	}
}

// A wrong name is no outage that the next moment ends.
func TestAModelThatIsNotThereIsAskedOnce(t *testing.T) {
	s := play(t, replies(reply{status: 404, body: `{"error":{"message":"model \"tiny\" not found"}}`}))
	e := must(t, s.extractor(), tea)
	if want := extract.RulesVersion + " (llm: unavailable) (no such model or address)"; e.Extractor != want {
		t.Errorf("extractor %q, want %q", e.Extractor, want)
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// However many facts a model lists, it costs few calls and nothing that was said.
func TestHundredsOfFactsLoseNothing(t *testing.T) {
	const items = 400
	var said strings.Builder
	for i := range items {
		fmt.Fprintf(&said, "I own item number %d.\n", i)
	}
	var all []any
	for i := range 300 {
		all = append(all, fmt.Sprintf("I own item number %d", i), []int{1})
	}
	in := extract.Input{Messages: []memd.Message{user(1, said.String())}}
	s := play(t, replies(says(facts(all...))))
	e := must(t, s.extractor(), in)
	text := strings.Join(texts(e), "\n") + "\n"
	for i := range items {
		if n := fmt.Sprintf("number %d", i); !strings.Contains(text, n+"\n") && !strings.Contains(text, n+".") && !strings.Contains(text, n+" ") {
			t.Errorf("item %d is lost", i)
		}
	}
	if n := len(s.requests()); n > 40 {
		t.Errorf("%d calls", n)
	}
	if !strings.HasSuffix(e.Extractor, "(llm: too_long)") {
		t.Errorf("extractor %q", e.Extractor)
	}
}

// What had an answer is not asked again in one extraction.
func TestTheSamePassageIsAskedOnce(t *testing.T) {
	s := play(t, func(_ int, a asked) reply {
		_, lines := a.fresh(t)
		if len(lines) > 1 || len(lines[0].Text) > 2000 {
			return reply{content: `{"facts":[{"text":"I li`, finish: "length"}
		}
		return says(facts("I like tea", []int{1}))
	})
	e := must(t, s.extractor(), extract.Input{Messages: []memd.Message{user(1, strings.Repeat("I like green tea very much. ", 400))}})
	if !strings.HasPrefix(e.Extractor, model) {
		t.Errorf("extractor %q", e.Extractor)
	}
	s.noRequestTwice()
}
