package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"pgregory.net/rapid"
)

// A model may leave out much, but not what keeps a statement from being plainly so.
func TestWhatIsNotPlainlySoStaysSo(t *testing.T) {
	for _, c := range []struct {
		said, fact string
		stands     bool
	}{
		{"I used to live in Oslo", "I live in Oslo", false},
		{"I used to live in Oslo", "I used to live in Oslo", true},
		{"I used to live in Oslo but now I live in Bergen", "I live in Oslo", false},
		{"I used to live in Oslo but now I live in Bergen", "I live in Bergen", true},
		{"I lived in Oslo for years", "I live in Oslo", false},
		{"I was a vegan for a year", "I am a vegan", false},
		{"I stopped eating meat and I keep bees", "I keep bees", true},
		{"I want to move to Porto", "I move to Porto", false},
		{"I want to move to Porto in May", "I want to move to Porto in May", true},
		{"I work at Novo and want to move to Porto", "I work at Novo", true},
		{"I'd love to own a horse", "I own a horse", false},
		{"I am going to adopt a cat called Mia", "I adopt a cat called Mia", false},
		{"I almost bought a boat", "I bought a boat", false},
		{"Maybe I am allergic to nuts", "I am allergic to nuts", false},
		{"Should I move to Porto?", "I move to Porto", false},
		{"Do I have a dog called Rex?", "I have a dog called Rex", false},
		{"I like green tea", "I like green tea and coffee", false},
		{"I like green tea", "I really like green tea", false},
		{"My cat Mia sleeps all day", "My cat is called Mia", true},
		{"I love Mia", "I am called Mia", false},
		{"I hate coriander", "I love coriander", false},
		{"I dislike coriander", "I like coriander", false},
		{"Ich möchte nach Porto ziehen", "Ich ziehe nach Porto", false},
		// Two that have nothing to do with each other.
		{"My manager is Rosa and my dentist is Paul", "My manager is Paul", false},
		{"My manager is Rosa and my dentist is Paul", "My dentist is Paul", true},
		{"Tom works at Novo. Ana works at Lego.", "Tom works at Lego", false},
		{"Tom is a baker. Ana is a vegan.", "Tom is a vegan", false},
		{"My cat Mia sleeps all day. She is 3 now.", "My cat Mia is 3", true},
		{"I have a dog. His name is Rex.", "My dog's name is Rex", true},
		{"I have 3 cats. I have 40 books.", "I have 40 cats", false},
	} {
		if got := judged(t, c.fact, user(1, c.said)); len(got) > 0 != c.stands {
			t.Errorf("%q from %q: stands = %v, want %v", c.fact, c.said, !c.stands, c.stands)
		}
	}
}

// What the rules read of the cited words stands before what a model makes of them.
func TestTheRulesReadSlotsFromTheCitedWords(t *testing.T) {
	ruled := []memd.Candidate{{Role: memd.RoleUser, Slot: "name", Subject: "sister", Value: "Ana"}, {Role: memd.RoleUser, Slot: "diet", Value: "vegan", Negated: true}}
	for _, c := range []struct {
		c    memd.Candidate
		want bool
	}{
		{memd.Candidate{Role: memd.RoleUser, Slot: "name", Value: "Ana"}, true},
		{memd.Candidate{Role: memd.RoleUser, Slot: "name", Subject: "sister", Value: "ana"}, false},
		{memd.Candidate{Role: memd.RoleUser, Slot: "name", Value: "Tom"}, false},
		{memd.Candidate{Role: memd.RoleUser, Slot: "diet", Value: "vegan"}, true},
		{memd.Candidate{Role: memd.RoleAssistant, Slot: "diet", Value: "vegan"}, false},
		{memd.Candidate{Role: memd.RoleUser}, false},
	} {
		if got := contradicted(&c.c, ruled); got != c.want {
			t.Errorf("%+v: %v", c.c, got)
		}
	}
}

func TestTheThirdPersonGivesWayToTheSpeakersWords(t *testing.T) {
	for fact, want := range map[string]string{
		"User likes green tea":                 "I like green tea",
		"The user is allergic to peanuts":      "I am allergic to peanuts",
		"The user's cat is called Mia":         "My cat is called Mia",
		"User enjoys green tea from porcelain": "",
	} {
		got := judged(t, fact, user(1, "I like green tea. I am allergic to peanuts. My cat is called Mia."))
		if want == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Text != want || got[0].Role != memd.RoleUser || !slices.Equal(got[0].Sources, []int64{1}) {
			t.Errorf("%q became %+v, want %q", fact, got, want)
		}
	}
}

func TestWhatIsToBeForgottenIsNotLearned(t *testing.T) {
	asked := []memd.Candidate{{Forget: true, Text: "I live in Oslo"}, {Text: "I keep bees"}}
	for text, want := range map[string]bool{
		"I live in Oslo": true, "I live in Oslo in a house": true, "I live in Bergen": false, "I keep bees": false,
	} {
		if got := asksToForget(asked, text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	// What the rules find to be forgotten is in every answer of the model, too.
	x := New(Config{}, extract.NewRules())
	r := x.begin(t.Context(), t.Context())
	r.hear(extract.Input{Messages: []memd.Message{user(4, "Forget that I live in Oslo.")}})
	ps := r.batches()[0]
	r.stated[ps[0]] = []memd.Candidate{{Forget: true, Text: "I live in Oslo", Slot: "home", Value: "Oslo", Role: memd.RoleUser, Sources: []int64{4}}}
	got, refused := r.judge([]fact{{text: "I live in Oslo", cited: []int{1}}}, ps)
	if len(got) != 0 || len(refused) != 0 {
		t.Errorf("%+v, refused %v", got, refused)
	}
	r.candidates = r.forgotten(ps)
	if all := r.inOrder(); len(all) != 1 || !all[0].Forget || all[0].Value != "Oslo" {
		t.Errorf("%+v", all)
	}
}

func TestCategoriesAreAddedToTheRules(t *testing.T) {
	_, e := extractWith(t, replies(says(`{"facts":[{"text":"My cat is called Mia","sources":[1],"category":"animals"}]}`)), user(1, "My cat is called Mia."))
	if len(e.Candidates) != 1 || !slices.Contains(e.Candidates[0].Categories, "animals") {
		t.Errorf("%+v", e.Candidates)
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
			words := said[3] // the words of the question may be in the answer
			ownRole := false
			for _, id := range c.Sources {
				if roles[id] == "" {
					rt.Fatalf("%s is of no message that was given", key)
				}
				words += "\n" + said[id]
				ownRole = ownRole || roles[id] == c.Role
			}
			words += "\n" + said[5] + "\n" + said[6] // and what came before
			if len(c.Sources) == 0 || !ownRole || !utf8.ValidString(c.Text) || c.SaidAt.IsZero() {
				rt.Fatalf("%+v", c)
			}
			held := bag(words)
			for _, term := range termsOf(withoutDates(c.Text)) {
				if !held.has(term) && !names[term.text] {
					rt.Fatalf("%q is in none of %q", term.text, words)
				}
			}
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

// withoutDates drops what the rules write beside relative words.
func withoutDates(text string) string {
	for {
		start := strings.Index(text, " (20")
		if start < 0 {
			return text
		}
		end := strings.IndexByte(text[start:], ')')
		if end < 0 {
			return text
		}
		text = text[:start] + text[start+end+1:]
	}
}

// What holds of a text bears itself out, whatever it is, and nothing of another does.
func FuzzSupport(f *testing.F) {
	for _, seed := range []string{"I live in Bergen", "My sister Ana is 34.", "I don't eat fish, but I eat 3,000 eggs", "私は東京に住んでいます", "أعيش في القاهرة", "", "!!", "1,", "\xff\u0301", "if", "n't"} {
		f.Add(seed, "Ana")
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		text = extract.Clean(text)
		own := []*evidence{newEvidence(text)}
		if len(termsOf(text)) == 0 && supports(own, nil, text) {
			t.Fatalf("%q holds nothing and is borne out", text)
		}
		// A word that stands nowhere in it is not borne out, nor is a number.
		for _, more := range []string{"zanzibar", "734519"} {
			if !strings.Contains(strings.ToLower(text), more) && supports(own, nil, text+" "+more) {
				t.Fatalf("%q bears out %q", text, more)
			}
		}
		if supports(nil, own, text) {
			t.Fatalf("%q is borne out by what is near it alone", text)
		}
		supports([]*evidence{newEvidence(other)}, own, text)
	})
}
