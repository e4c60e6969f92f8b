package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"pgregory.net/rapid"
)

func TestWhatIsToBeForgottenIsNotLearned(t *testing.T) {
	// What the rules find to be forgotten is in every answer of the model, too.
	x := New(Config{}, extract.NewRules())
	r := x.begin(t.Context(), t.Context())
	r.hear(extract.Input{Messages: []memd.Message{user(4, "Forget that I live in Oslo.")}})
	ps := r.batches()[0]
	got := r.judge([]fact{{text: "I live in Oslo", cited: []int{1}}}, ps)
	if len(got.candidates) != 1 || !slices.Equal(got.verdicts, []verdict{unwanted}) {
		t.Errorf("%+v", got)
	}
	r.candidates = got.candidates
	if all := r.inOrder(); len(all) != 1 || !all[0].Forget || all[0].Value != "Oslo" {
		t.Errorf("%+v", all)
	}
}

// What comes back from memory in a prompt is not sent, and a model that cites it all
// the same is not believed.
func TestWhatIsRecalledIsNotLearnedAgain(t *testing.T) {
	in := user(1, "retrieved memories:\nuser: I own a yacht in Nice\nuser: I am a baker\n\nI like tea")
	s, e := extractWith(t, replies(says(facts("I own a yacht in Nice", []int{1}, "I am a baker", []int{1}, "I like tea", []int{1}))), in, message(2, memd.RoleSystem, "retrieved memories:\nuser: I am a baker"))
	want(t, e, model, "I like tea")
	if raw := s.requests()[0].raw; strings.Contains(raw, "yacht") || strings.Contains(raw, "baker") {
		t.Errorf("sent %s", raw)
	}
}

// The words of the answers that TestWhateverTheServerSends makes.
var scraps = []string{
	"I live in Bergen", "I live in Oslo", "My name is Ana", "My sister Ana is 34", "I am 34", "I like tea", "I own a yacht", "私は東京に住んでいます", "私は大阪に住んでいます",
	"{", "}", "[", "]", ",", ":", `"`, `'`, "\\", "\n", " ", "```", "</think>", "null", "facts", "text", "sources", "\xff", "\u0000", "// ", "1", "2", "3", "99", "-1", "1e99",
	`{"facts":[`, `]}`, `{"text":"`, `","sources":[1]}`, `","sources":[2,3]},`, `"facts":`, `{"facts":[]}`, `"date":"2024-02-20"`, `"category":"home"`,
	`{"choices":[{"message":{"content":"`, `"},"finish_reason":"length"}]}`, `"},"finish_reason":"stop"}]}`, `"usage":{"prompt_tokens":3}`, `{"error":{"code":429}}`, `{"error":{"code":400,"message":"n_ctx: 300 context size"}}`,
}

// Whatever bytes a server sends, with whatever status, what is extracted cites messages
// that were given and says nothing that they do not, or it is the rules'. No request is
// made twice that was answered, and there are few.
func TestWhateverTheServerSends(t *testing.T) {
	in := extract.Input{
		Before:   []memd.Message{assistant(3, "Where do you live?")},
		Messages: []memd.Message{user(5, "I live in Bergen. My sister Ana is 34."), assistant(6, "Do you like tea?"), user(9, "I like tea. 私は東京に住んでいます")},
	}
	byRules, err := extract.NewRules().Extract(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	ruled := map[string]bool{}
	for _, c := range byRules.Candidates {
		ruled[fmt.Sprint(c.Sources, c.Text)] = true
	}
	said := map[int64]string{3: in.Before[0].Text}
	roles := map[int64]memd.Role{}
	for _, m := range in.Messages {
		said[m.ID], roles[m.ID] = m.Text, m.Role
	}
	rapid.Check(t, func(rt *rapid.T) {
		scrap := rapid.OneOf(rapid.SampledFrom(scraps), rapid.String(), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) }))
		text := rapid.Map(rapid.SliceOfN(scrap, 0, 12), func(all []string) string { return strings.Join(all, "") })
		fact := rapid.Custom(func(rt *rapid.T) string {
			raw, _ := json.Marshal(map[string]any{
				"text": scrap.Draw(rt, "text"), "sources": rapid.SliceOfN(rapid.IntRange(-1, 5), 0, 6).Draw(rt, "sources"), "date": scrap.Draw(rt, "date"), "category": scrap.Draw(rt, "category"),
			})
			return string(raw)
		})
		answers := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) reply {
			r := reply{
				status: rapid.SampledFrom([]int{0, 0, 0, 0, 200, 302, 400, 401, 404, 413, 422, 429, 500, 503}).Draw(rt, "status"),
				finish: rapid.SampledFrom([]string{"stop", "length", "content_filter", "tool_calls", ""}).Draw(rt, "finish"),
				prompt: rapid.SampledFrom([]int{0, 3, 500, -1, 1 << 40}).Draw(rt, "prompt"),
				header: map[string]string{"Retry-After": rapid.SampledFrom([]string{"", "0", "-1", "0.001", "soon", "600"}).Draw(rt, "after")},
			}
			switch rapid.IntRange(0, 3).Draw(rt, "kind") {
			case 0:
				r.body = " " + text.Draw(rt, "body")
			case 1:
				r.content = text.Draw(rt, "content")
			case 2:
				r.calls = []any{text.Draw(rt, "call")}
			default:
				r.content = `{"facts":[` + strings.Join(rapid.SliceOfN(fact, 0, 5).Draw(rt, "facts"), ",") + `]}`
			}
			return r
		}), 1, 6).Draw(rt, "answers")
		s := play(t, replies(answers...))
		defer s.http.Close()
		x := New(Config{URL: s.http.URL + "/v1", Model: "tiny"}, extract.NewRules())
		x.pause = 1
		defer x.Close()
		e, err := x.Extract(t.Context(), in)
		if err != nil {
			rt.Fatal(err)
		}
		if !strings.HasPrefix(e.Extractor, model) && !strings.HasPrefix(e.Extractor, extract.RulesVersion+" (llm: ") {
			rt.Fatalf("extractor %q", e.Extractor)
		}
		if strings.HasPrefix(e.Extractor, extract.RulesVersion) && len(e.Candidates) != len(byRules.Candidates) {
			rt.Fatalf("the rules gave %q, not %q", texts(byRules), texts(e))
		}
		seen := map[string]bool{}
		for _, c := range e.Candidates {
			key := fmt.Sprint(c.Sources, c.Text)
			if seen[string(c.Role)+normal(c.Text)] {
				rt.Fatalf("%s is doubled", key)
			}
			seen[string(c.Role)+normal(c.Text)] = true
			if ruled[key] {
				continue
			}
			ownRole := false
			for _, id := range c.Sources {
				if said[id] == "" {
					rt.Fatalf("%s is of no message that was given", key)
				}
				ownRole = ownRole || roles[id] == c.Role
			}
			rt.Fatalf("%s (own role %v) is no statement of the rules", key, ownRole)
		}
		answered := map[string]bool{}
		for i, a := range s.requests() {
			if answered[a.raw] {
				rt.Fatalf("asked twice: %s", a.raw)
			}
			r := answers[min(i, len(answers)-1)]
			answered[a.raw] = r.status == 400 || r.status == 413 || r.status == 422 || r.status == 0 && r.body == ""
		}
		if n := len(s.requests()); n > 20 {
			rt.Fatalf("%d calls", n)
		}
	})
}
