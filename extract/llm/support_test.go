package llm

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// judged says whether a fact stands that cites the last of what was said.
func judged(t *testing.T, text string, said ...memd.Message) []memd.Candidate {
	t.Helper()
	r := New(Config{}, extract.NewRules()).begin(t.Context(), t.Context())
	last := len(said) - 1
	r.hear(extract.Input{Before: said[:last], Messages: said[last:]})
	candidates, _ := r.judge([]fact{{text: text, cited: []int{1}}}, r.batches()[0])
	return candidates
}

func TestWhatATextBearsOut(t *testing.T) {
	for _, c := range []struct {
		said, fact string
		stands     bool
	}{
		{"I'm allergic to peanuts", "I have a peanut allergy", true},
		{"i live in lisbon now", "I live in Lisbon", true},
		{"We adopted two dogs, Rex and Bo", "I have 2 dogs called Rex and Bo", true},
		{"We adopted two dogs, Rex and Bo", "We adopted three dogs, Rex and Bo", false},
		{"The rent is 1,250 euros", "The rent is 1250 euros", true},
		{"The rent is 1,250 euros", "The rent is 1520 euros", false},
		{"I love my big sunny apartment", "I love my big sunny apartment in Oslo", false},
		{"I like tea", "I own a yacht", false},
		{"I like tea", "", false},
		{"I like tea", "!!", false},
		// Somebody else's.
		{"My sister Ana is vegan", "My sister Ana is vegan", true},
		{"My sister Ana is vegan", "Ana is vegan", true},
		{"My sister Ana is vegan", "I am vegan", false},
		{"My sister Ana is vegan", "My name is Ana", false},
		{"My name is Tom and my sister's name is Ana", "My name is Tom", true},
		{"My name is Tom and my sister's name is Ana", "My name is Ana", false},
		{"My sister lives in Oslo and I live in Bergen", "I live in Bergen", true},
		{"My sister lives in Oslo and I live in Bergen", "I live in Oslo", false},
		{"I moved to Lisbon with my sister", "I moved to Lisbon", true},
		{"Meine Schwester wohnt in Bremen", "Ich wohne in Bremen", false},
		{"Ich wohne mit meiner Schwester in Bremen", "Ich wohne in Bremen", true},
		// Denied or supposed.
		{"I don't eat fish", "I eat fish", false},
		{"I don’t eat fish", "I do not eat fish", true},
		{"I eat fish", "I never eat fish", false},
		{"I no longer eat fish, I eat meat", "I eat meat", true},
		{"I eat meat, not fish", "I eat meat", true},
		{"I eat meat, not fish", "I eat fish", false},
		{"I might move to Porto", "I move to Porto", false},
		{"I might move to Porto", "I might move to Porto", true},
		{"If I were rich I would buy a boat", "I am rich and buy a boat", false},
		// Other languages and scripts.
		{"Vivo en Lisboa desde mayo", "Vivo en Lisboa", true},
		{"Vivo en Lisboa desde mayo", "I live in Lisbon since May", false},
		{"No como carne", "Como carne", false},
		{"私は東京に住んでいます", "私は東京に住んでいます", true},
		{"私は東京に住んでいます", "私は大阪に住んでいます", false},
		{"肉は食べません", "肉は食べます", false},
		{"我住在上海", "我住在上海", true},
		{"我住在上海", "我住在北京", false},
		{"أعيش في القاهرة مع عائلتي", "أعيش في القاهرة", true},
		{"Я живу в Берлине", "Я живу в Москве", false},
		// What only asks or commands tells nothing of who asks.
		{"Prove that there are infinitely many primes", "I proved that there are infinitely many primes", false},
		{"Can you find a quiet hotel in Rome for my honeymoon in June?", "My honeymoon is in Rome in June", true},
		{"What is the capital of Peru?", "The capital of Peru", false},
		{"I eat fish. I don't smoke.", "I don't eat fish", false},
		{"I eat meat, not fish", "I eat meat, not fish", true},
	} {
		if got := judged(t, c.fact, user(1, c.said)); len(got) > 0 != c.stands {
			t.Errorf("%q from %q: stands = %v, want %v", c.fact, c.said, !c.stands, c.stands)
		}
	}
}

func TestAFactMayLeanOnWhatWasSaidBefore(t *testing.T) {
	question := assistant(1, "Which city do you live in?")
	for _, c := range []struct {
		fact   string
		stands bool
	}{
		{"I live in the city of Lisbon", true},
		{"I live in the city of Porto", false},
		{"I live in a city", false}, // nothing of it is in the message cited
	} {
		got := judged(t, c.fact, question, user(2, "Lisbon."))
		if len(got) > 0 != c.stands {
			t.Errorf("%q: stands = %v, want %v", c.fact, !c.stands, c.stands)
		}
		for _, g := range got {
			if g.Role != memd.RoleUser || len(g.Sources) != 1 || g.Sources[0] != 2 {
				t.Errorf("%q: %+v", c.fact, g)
			}
		}
	}
	if got := judged(t, "I eat fish", assistant(1, "So you eat fish?"), user(2, "I don't eat fish")); len(got) > 0 {
		t.Errorf("what was asked stands against what was answered: %+v", got)
	}
	ana := user(2, "I love hiking")
	ana.Name = "Ana"
	if got := judged(t, "So Ana loves hiking", ana); len(got) != 1 || got[0].ActorID != "Ana" {
		t.Errorf("the speaker's name is no support: %+v", got)
	}
}

func TestDates(t *testing.T) {
	at := func(s string) *time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return &d
	}
	m := user(1, "x")
	m.CreatedAt, m.Timezone = time.Date(2024, 2, 28, 23, 30, 0, 0, time.UTC), "Asia/Tokyo"
	for date, want := range map[string]bool{"2024-02-26": true, "1950-01-01": true, "2024-02-28": true, "2024-02-29": false, "0001-01-01": false, "9999-12-31": false} {
		if got := plausible(at(date), &m); got != want {
			t.Errorf("%s: %v", date, got)
		}
	}
	for raw, want := range map[string]string{
		`{"text":"a","date":"2024-02-26"}`: "2024-02-26", `{"text":"a","date":"2024-02-26T10:00:00Z"}`: "", `{"text":"a","date":"next week"}`: "",
		`{"text":"a","date":"2024-02-31"}`: "", `{"text":"a","date":20240226}`: "", `{"text":"a"}`: "", `{"text":"a","date":"0000-01-01"}`: "",
	} {
		got := ""
		r := reader{in: raw}
		n, _ := r.value(0)
		if f := factOf(&n); f.date != nil {
			got = f.date.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

// Whatever a model answers, it can be read, and what comes of it is bounded, tidy and
// of a message that was given.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"", "{", "}", `{"facts":[]}`, `{"facts":null}`, `{"facts":{"km":5}}`, "```json\n{\"facts\":[{\"text\":\"I live in Bergen\",\"sources\":[1]}]}\n```",
		`{"facts":[{"text":"I live in Bergen","sources":["2",3,null,[1]],"date":"2024-13-40","category":"A b"}]}{"facts":[1]}`,
		`<think>{"facts":[{"text":1}]}</think>{"facts":["a",{"text":"\u0000\ud800 I live in Bergen","sources":1e99}]}`,
		`{"facts":[{"text":"My sister Ana","sources":[1,1,2,2,99999999999999999999]}],"facts":3}`, `{"FACTS":[{"Text":"私は東京に住んでいます","sources":[3]}]}`,
	} {
		f.Add(seed, "", "")
		f.Add("", seed, "")
		f.Add(seed, seed, "{}")
	}
	in := extract.Input{Messages: []memd.Message{user(5, "I live in Bergen. My sister Ana is 34."), assistant(6, "Nice!"), user(9, "私は東京に住んでいます")}}
	x := New(Config{}, extract.NewRules())
	f.Fuzz(func(t *testing.T, content, first, second string) {
		var calls []string
		for _, c := range []string{first, second} {
			if c != "" {
				calls = append(calls, c)
			}
		}
		r := x.begin(t.Context(), t.Context())
		r.hear(in)
		ps := r.batches()[0]
		l, _ := r.limits(ps)
		candidates, err := r.read(answer{content: content, calls: calls}, r.promptFor(ps, l, ""), ps)
		if err != nil && len(candidates) > 0 {
			t.Fatal("candidates with an error")
		}
		r.candidates = candidates
		positions := map[int64]int{}
		for _, c := range r.inOrder() {
			if c.Text == "" || !utf8.ValidString(c.Text) || extract.Redact(c.Text) != c.Text || utf8.RuneCountInString(c.Text) > 2*maxFactRunes {
				t.Errorf("text %q", c.Text)
			}
			if len(c.Sources) == 0 || c.SaidAt.IsZero() || c.Position != positions[c.Sources[0]] {
				t.Errorf("%+v", c)
			}
			positions[c.Sources[0]]++
			for _, s := range c.Sources {
				if s != 5 && s != 6 && s != 9 {
					t.Errorf("source %d", s)
				}
			}
		}
	})
}
