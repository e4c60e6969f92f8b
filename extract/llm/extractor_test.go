package llm

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"pgregory.net/rapid"
)

const model = Version + ":tiny"

var talk = []memd.Message{
	user(1, "I moved to Lisbon last month. My sister Ana stayed in Bergen."),
	assistant(2, "Lisbon is lovely. Do you have any allergies?"),
	user(3, "Peanuts, sadly. And I teach chemistry at a night school."),
}

func TestFactsOfABatchComeWithTheirSources(t *testing.T) {
	s := play(t, replies(says(`{"facts":[
		{"text":"I moved to Lisbon last month","sources":[1],"date":"2024-01-15","category":"Home"},
		{"text":"I have a peanut allergy","sources":[2,3],"date":null,"category":"health"},
		{"text":"I teach chemistry at a night school.","sources":[3],"date":"2024-02-26","category":"not one word"}]}`)))
	x := s.extractor(func(c *Config) { c.APIKey = "sesame" })
	e := must(t, x, extract.Input{Before: []memd.Message{user(-1, "I keep bees.")}, Messages: talk})
	want(t, e, model, "I moved to Lisbon last month (2024-01)", "Peanuts, sadly (asked: Do you have any allergies?)", "And I teach chemistry at a night school")
	if len(e.Candidates) != 3 {
		t.FailNow()
	}
	home, allergy, work := e.Candidates[0], e.Candidates[1], e.Candidates[2]
	if !slices.Equal(home.Sources, []int64{1}) || home.Role != memd.RoleUser || !slices.Contains(home.Categories, "home") ||
		!home.SaidAt.Equal(talk[0].CreatedAt) || home.OccurredAt == nil || home.OccurredAt.Format(time.DateOnly) != "2024-01-01" {
		t.Errorf("home: %+v", home)
	}
	if !slices.Equal(allergy.Sources, []int64{2, 3}) || allergy.Role != memd.RoleUser || !allergy.SaidAt.Equal(talk[1].CreatedAt) {
		t.Errorf("the answer to a question is not who answers's: %+v", allergy)
	}
	if work.OccurredAt != nil || slices.Contains(work.Categories, "not one word") || work.Position != 0 || allergy.Position != 0 {
		t.Errorf("work: %+v", work)
	}
	calls := s.requests()
	if len(calls) != 1 {
		t.Fatalf("%d calls for one batch", len(calls))
	}
	a := calls[0]
	if a.Model != "tiny" || a.auth != "Bearer sesame" || a.ResponseFormat == nil || a.Temperature == nil || a.MaxTokens == 0 {
		t.Errorf("request %s", a.raw)
	}
	before, lines := a.fresh(t)
	if !strings.Contains(before, "I keep bees.") || strings.Contains(before, `"id"`) || len(lines) != 3 || lines[2].ID != 3 ||
		!strings.HasPrefix(lines[0].Said, "Monday, 2024-02-26 10:01") {
		t.Errorf("before %q, new %+v", before, lines)
	}
}

func TestOnlyWhatMayBeLearnedIsSent(t *testing.T) {
	s, e := extractWith(t, replies(says(facts())),
		message(1, memd.RoleSystem, "System secret plan"), message(2, memd.RoleTool, "tool result"), message(3, memd.RoleDeveloper, "developer text"),
		user(4, "Retrieved memories:\n- user: I own a yacht\n\nMy password is hunter2 and I like tea. \u202e\u0000"), user(5, "  "),
	)
	want(t, e, model)
	raw := s.requests()[0].raw
	for _, never := range []string{"secret plan", "tool result", "developer text", "yacht", "hunter2", `"id\":2`} {
		if strings.Contains(raw, never) {
			t.Errorf("%q was sent", never)
		}
	}
	if !strings.Contains(raw, "I like tea") {
		t.Errorf("the message was not sent: %s", raw)
	}
}

func TestNothingToAskIsNotAsked(t *testing.T) {
	s, e := extractWith(t, replies(reply{status: 500}), message(1, memd.RoleSystem, "Be brief."), user(2, ""))
	want(t, e, model)
	if n := len(s.requests()); n != 0 {
		t.Errorf("%d calls", n)
	}
}

func TestAnEmptyAnswerIsAnAnswer(t *testing.T) {
	s, e := extractWith(t, replies(says(`{"facts":[]}`)), user(1, "My locker code changed to 4471"))
	want(t, e, model)
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestAnswersAreFoundInWhateverIsAroundThem(t *testing.T) {
	good := facts("I like green tea", []int{1})
	for name, content := range map[string]string{
		"bare":                good,
		"fenced":              "```json\n" + good + "\n```",
		"prose around":        "Sure! Here are the {facts}:\n" + good + "\nAnything else?",
		"second value":        good + "\n" + facts("I like gin", []int{1}),
		"stray brace":         good + "}",
		"stray brace before":  "{ " + good,
		"invented next chat":  good + "<|im_end|>\n<|im_start|>user\nI own {a} boat",
		"thought before":      `<think>maybe {"facts":[]}</think>` + good,
		"blanks":              strings.ReplaceAll(good, ":", strings.Repeat(" ", 100)+":"+strings.Repeat("\n", 100)),
		"wrapped":             `{"result":` + good + `}`,
		"key twice":           `{"facts":[{"text":"x","sources":[9]},{"text":"y","sources":[1]}],"facts":[{"text":"I like green tea","sources":[1]}]}`,
		"numbers as text":     `{"facts":[{"text":"I like green tea","sources":["[1]"],"date":7,"category":{"a":[]}}]}`,
		"one number":          `{"facts":[{"text":"I like green tea","sources":1}]}`,
		"blanks in the text":  facts("I like"+strings.Repeat(" ", 100)+"green tea\u0000\u202e", []int{1}),
		"same fact 20 times":  `{"facts":[` + strings.TrimSuffix(strings.Repeat(`{"text":"I like green tea!","sources":[1]},`, 19), ",") + `,{"text":"I like green tea","sources":[1,7]}]}`,
		"bad items beside it": `{"facts":["I like gin",3,null,{"text":5},{"text":"I like gin"},` + good[len(`{"facts":[`):],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, e := extractWith(t, replies(says(content)), user(1, "I like green tea."))
			if got := texts(e); len(got) != 1 || strings.TrimRight(got[0], "!") != "I like green tea" || e.Extractor != model {
				t.Errorf("candidates %q by %s", got, e.Extractor)
			}
			if n := len(s.requests()); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

func TestAnAbsurdAnswerGivesWayToTheRules(t *testing.T) {
	in := []memd.Message{user(1, "My name is Tom. My sister Ana is a vegan. I live in Bergen, Norway."), assistant(2, "Noted.")}
	for name, r := range map[string]reply{
		"a poem":               says("Roses are red,\nviolets are blue"),
		"empty content":        says(""),
		"wrong shape":          says(`{"facts":{"km":5}}`),
		"null":                 says(`{"facts":null}`),
		"deep nesting":         says(strings.Repeat(`{"facts":[`, 5000)),
		"messages not read":    {content: facts("I live in Bergen", []int{1}), prompt: 3},
		"empty body":           {body: " "},
		"html":                 {body: "<html>It works!</html>"},
		"no choices":           {body: `{"choices":[]}`},
		"content is an object": {body: `{"choices":[{"message":{"content":{"km":5}}}]}`},
		"echo of the prompt":   {body: "echo"},
		"an unended thought":   says(`<think>maybe {"facts":[]}, or`),
		"items without a text": says(`{"facts":[{},3,null,{"text":5}]}`),
		"a bare refusal":       {body: `{"choices":[{"message":{"content":null,"refusal":"I can't."}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, e := extractWith(t, func(_ int, a asked) reply {
				if r.body == "echo" {
					return says(a.Messages[0].Content + a.Messages[1].Content)
				}
				return r
			}, in...)
			wantRules(t, e, "invalid_answer", in...)
			if n := len(s.requests()); n != 2 {
				t.Errorf("%d calls", n)
			}
			s.noRequestTwice()
		})
	}
}

func TestTheSecondTrySaysWhatWasWrong(t *testing.T) {
	for name, first := range map[string]reply{"empty body": {body: " "}, "empty content": says(""), "prose": says("no")} {
		t.Run(name, func(t *testing.T) {
			s, e := extractWith(t, replies(first, says(facts("I like tea", []int{1}))), user(1, "I like tea"))
			want(t, e, model, "I like tea")
			calls := s.requests()
			if len(calls) != 2 || !strings.Contains(calls[1].raw, "could not be used") || strings.Contains(calls[0].raw, "could not be used") {
				t.Errorf("calls %+v", calls)
			}
		})
	}
}

// What a message states is not lost with what was invented about it. An answer of which
// some is so is the model's; of one of which nothing is the rules' result stands in.
func TestRulesTakeOverWhereNothingIsFound(t *testing.T) {
	in := []memd.Message{user(1, "I like green tea. My cat is called Mia."), user(2, "I work at a bakery in Porto."), user(3, "Hello!")}
	_, e := extractWith(t, replies(says(facts("I like green tea", []int{1}, "I own a yacht", []int{1, 2}, "I run a hotel", []int{3}))), in...)
	want(t, e, model, "I like green tea", "I work at a bakery in Porto")
	for name, invented := range map[string]string{
		"invented":           facts("I own a yacht", []int{1, 2}, "I run a hotel", []int{3}),
		"example given back": facts("<statement>", []int{1}, "I live in Oslo", []int{1}, "string", []int{1}),
		"another language":   facts("Prowadzę piekarnię", []int{1}),
		"garbled":            `{"facts":[{"text":"I like green te\ud800a","sources":[1]}]}`,
	} {
		s, e := extractWith(t, replies(says(invented)), in...)
		wantRules(t, e, "unsupported", in...)
		if n := len(s.requests()); n != 1 {
			t.Errorf("%s: %d calls", name, n)
		}
	}
}

func TestRepeatsBecomeOneWithAllSources(t *testing.T) {
	in := []memd.Message{user(1, "I like tea"), assistant(2, "I recommend the smoked tea"), user(3, "I like tea!!")}
	_, e := extractWith(t, replies(says(facts("I like tea", []int{3}, "I like tea.", []int{1}, "I recommend the smoked tea", []int{2}))), in...)
	want(t, e, model, "I like tea", "I recommend the smoked tea")
	if len(e.Candidates) != 2 || !slices.Equal(e.Candidates[0].Sources, []int64{1, 3}) || !e.Candidates[0].SaidAt.Equal(in[0].CreatedAt) ||
		e.Candidates[1].Role != memd.RoleAssistant {
		t.Errorf("%+v", e.Candidates)
	}
}

func TestWhatTheAssistantSaysIsTheAssistants(t *testing.T) {
	ask := user(1, "Prove that the square root of 2 is irrational.")
	proof := assistant(2, "The square root of 2 is irrational: suppose it were p/q in lowest terms, then both are even.")
	_, e := extractWith(t, replies(says(facts("The square root of 2 is irrational", []int{1, 2}))), ask, proof)
	if len(e.Candidates) != 1 || e.Candidates[0].Role != memd.RoleAssistant {
		t.Errorf("%+v", e)
	}
	// Who only takes the words up does not make them theirs.
	thanks := user(3, "Thanks, irrational then!")
	_, e = extractWith(t, replies(says(facts("The square root of 2 is irrational", []int{2, 3}))), ask, proof, thanks)
	if len(e.Candidates) == 0 || e.Candidates[0].Role != memd.RoleAssistant {
		t.Errorf("%+v", e)
	}
	_, e = extractWith(t, replies(says(facts("User proved that the square root of 2 is irrational", []int{1}))), ask, proof)
	for _, c := range e.Candidates {
		if c.Role != memd.RoleAssistant {
			t.Errorf("the user's: %+v", c)
		}
	}
}

func TestSecretsStayOut(t *testing.T) {
	_, e := extractWith(t, func(_ int, a asked) reply {
		return says(facts("My password is hunter2", []int{1}, "I pay with 4111 1111 1111 1111", []int{1}, "My password is [redacted:password]", []int{1}))
	}, user(1, "My password is hunter2. I pay with 4111 1111 1111 1111."))
	if got := fmt.Sprint(texts(e)); strings.Contains(got, "hunter2") || strings.Contains(got, "4111") || !strings.Contains(got, "[redacted:password]") {
		t.Errorf("candidates %s", got)
	}
}

func TestSecretsThatAreAskedForStayOut(t *testing.T) {
	s, e := extractWith(t, func(_ int, a asked) reply {
		return says(facts("swordfish", []int{2}, "I like tea", []int{2}))
	}, message(1, memd.RoleAssistant, "What is your wifi password?"), user(2, "swordfish\n\nI like tea"))
	if got := fmt.Sprint(texts(e)); strings.Contains(got, "swordfish") || !strings.Contains(got, "tea") {
		t.Errorf("candidates %s", got)
	}
	for _, r := range s.requests() {
		if strings.Contains(r.raw, "swordfish") {
			t.Errorf("sent %s", r.raw)
		}
	}
}

// modelOf is a model that lists each sentence of the new messages which begins with
// "I", if there are at most so many characters in them.
func modelOf(t *testing.T, limit int, over reply) func(int, asked) reply {
	return func(_ int, a asked) reply {
		_, lines := a.fresh(t)
		var all []any
		size := 0
		for _, l := range lines {
			size += len(l.Text)
			for _, s := range strings.SplitAfter(l.Text, ". ") {
				if s = strings.TrimSpace(s); strings.HasPrefix(s, "I ") {
					all = append(all, s, []int{l.ID})
				}
			}
		}
		if size > limit {
			return over
		}
		return says(facts(all...))
	}
}

func things(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "I own %d boats called Aurora%d. ", 100+i, i)
	}
	return strings.TrimSpace(b.String())
}

// However the input is split, nothing is lost, doubled or asked twice.
func TestACutOffAnswerHalvesTheInput(t *testing.T) {
	for name, over := range map[string]reply{
		"broken JSON":    {content: `{"facts":[{"text":"I own 100 bo`, finish: "length"},
		"whole JSON":     {content: facts("I own 100 boats called Aurora0", []int{1}), finish: "length"},
		"nothing":        {finish: "length"},
		"context 400":    {status: 400, body: `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`},
		"too large":      {status: 413},
		"context opaque": {status: 400, body: `{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 4096 tokens"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := []memd.Message{user(1, things(3)), assistant(2, "Impressive!"), user(3, things(9)), user(4, "I like tea.")}
			s, e := extractWith(t, modelOf(t, 200, over), in...)
			if e.Extractor != model {
				t.Errorf("extractor %q", e.Extractor)
			}
			got := texts(e)
			for i := range 9 {
				fact := fmt.Sprintf("I own %d boats called Aurora%d", 100+i, i)
				if n := count(got, fact); n != 1 {
					t.Errorf("%q is there %d times", fact, n)
				}
			}
			if len(s.requests()) < 4 {
				t.Errorf("only %d calls", len(s.requests()))
			}
			s.noRequestTwice()
		})
	}
}

func count(list []string, s string) int {
	n := 0
	for _, l := range list {
		if l == s {
			n++
		}
	}
	return n
}

func TestWhatCannotBeSplitGoesToTheRules(t *testing.T) {
	in := []memd.Message{user(1, "I like tea."), user(2, "I own 3 boats.")}
	s, e := extractWith(t, func(_ int, a asked) reply {
		if strings.Contains(a.Messages[1].Content, `"id":1,"role":"user","said":"Monday, 2024-02-26 10:02"`) || strings.Contains(a.Messages[1].Content, `"id":2`) {
			return reply{content: strings.Repeat(" ", 50), finish: "length"}
		}
		return says(facts("I like tea", []int{1}))
	}, in...)
	want(t, e, model+" + "+extract.RulesVersion+" (llm: too_long)", "I like tea", "I own 3 boats")
	s.noRequestTwice()
	if n := len(s.requests()); n != 3 {
		t.Errorf("%d calls", n)
	}
}

// A model that rambles on behind its answer was done with it.
func TestACutOffRambleIsNoCutOffAnswer(t *testing.T) {
	s, e := extractWith(t, replies(reply{content: facts("I like tea", []int{1}) + "\nuser: and then I", finish: "length"}), user(1, "I like tea"), user(2, "Thanks"))
	want(t, e, model, "I like tea")
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestBigBatchesAreSplitInOrder(t *testing.T) {
	var in []memd.Message
	for i := range 40 {
		in = append(in, user(int64(i+1), fmt.Sprintf("I own %d boats called Aurora%d. %s", 100+i, i, strings.Repeat("word ", 60))))
	}
	s := play(t, replies(says(facts())))
	must(t, s.extractor(), extract.Input{Messages: in})
	next := 0
	for _, a := range s.requests() {
		_, lines := a.fresh(t)
		for _, l := range lines {
			if !strings.Contains(l.Text, fmt.Sprintf("Aurora%d.", next)) {
				t.Fatalf("message %d out of order: %s", next, l.Text)
			}
			next++
		}
		if n := tokens(a.Messages[1].Content); n > 5000 {
			t.Errorf("a call of %d tokens", n)
		}
	}
	if next != 40 || len(s.requests()) < 2 {
		t.Errorf("%d messages in %d calls", next, len(s.requests()))
	}
}

func TestAPartOfALongMessageIsReadAfterThePartBefore(t *testing.T) {
	s := play(t, replies(says(facts())))
	x := s.extractor(func(c *Config) { c.MaxInputTokens = 200 })
	must(t, x, extract.Input{Messages: []memd.Message{user(1, things(30))}})
	calls := s.requests()
	if len(calls) < 2 {
		t.Fatalf("%d calls", len(calls))
	}
	for i := range calls[1:] {
		_, part := calls[i].fresh(t)
		before, _ := calls[i+1].fresh(t)
		if end := tail(part[0].Text, 60); !strings.Contains(before, strings.TrimSpace(end)) {
			t.Errorf("%q is not before the next part: %q", end, before)
		}
	}
}

func TestWhatCameBeforeIsCutFromItsFront(t *testing.T) {
	for _, text := range []string{strings.Repeat("a long story ", 5000) + "the end", strings.Repeat("長い話", 5000) + "終わり", "short"} {
		s := play(t, replies(says(facts())))
		must(t, s.extractor(), extract.Input{Before: []memd.Message{user(1, text)}, Messages: []memd.Message{user(2, "I like tea")}})
		before, _ := s.requests()[0].fresh(t)
		if !strings.Contains(before, tail(text, 9)) || tokens(before) > 900 {
			t.Errorf("before is %d tokens: %q", tokens(before), before)
		}
	}
}

func TestBatchesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := extract.Input{}
		for i, text := range rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab .\n!。日é😀")), 0, 2000, -1), 0, 8).Draw(t, "texts") {
			in.Messages = append(in.Messages, user(int64(i+1), text))
		}
		x := New(Config{MaxInputTokens: rapid.IntRange(30, 600).Draw(t, "budget")}, extract.NewRules())
		r := x.begin(context.Background(), context.Background())
		r.hear(in)
		whole := make([]string, len(r.said))
		for _, ps := range r.batches() {
			if len(ps) == 0 {
				t.Fatal("an empty batch")
			}
			for _, p := range ps {
				if p.from != len(whole[p.at]) || p.text == "" {
					t.Fatalf("part at %d, want %d", p.from, len(whole[p.at]))
				}
				whole[p.at] += p.text
			}
		}
		for i, u := range r.said {
			if whole[i] != u.text {
				t.Fatalf("%q became %q", u.text, whole[i])
			}
		}
	})
}

func TestAServerThatRefusesAParameterIsAskedWithout(t *testing.T) {
	good := says(facts("I like tea", []int{1}))
	for name, c := range map[string]struct {
		refuses func(asked) bool
		refusal reply
	}{
		"schema, 400": {func(a asked) bool { return a.ResponseFormat != nil },
			reply{status: 400, body: `{"error":{"message":"'response_format.type' must be 'text'"}}`}},
		"schema, 422": {func(a asked) bool { return a.ResponseFormat != nil }, reply{status: 422, body: `{"detail":"extra fields"}`}},
		"schema, 404": {func(a asked) bool { return a.ResponseFormat != nil }, reply{status: 404, body: `no endpoint for response_format`}},
		"temperature": {func(a asked) bool { return a.Temperature != nil }, reply{status: 400, body: `{"error":{"message":"Unsupported value: 'temperature'"}}`}},
		"tokens":      {func(a asked) bool { return a.MaxTokens != 0 }, reply{status: 400, body: `{"error":{"message":"Use 'max_completion_tokens' instead."}}`}},
		"everything at once": {func(a asked) bool { return a.ResponseFormat != nil || a.Temperature != nil || a.MaxTokens != 0 },
			reply{status: 400, body: `temperature, max_completion_tokens, response_format`}},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, func(_ int, a asked) reply {
				if c.refuses(a) {
					return c.refusal
				}
				return good
			})
			x := s.extractor()
			want(t, must(t, x, extract.Input{Messages: []memd.Message{user(1, "I like tea")}}), model, "I like tea")
			first := len(s.requests())
			want(t, must(t, x, extract.Input{Messages: []memd.Message{user(1, "I like tea")}}), model, "I like tea")
			if n := len(s.requests()); n != first+1 {
				t.Errorf("what works is not remembered: %d calls, then %d", first, n-first)
			}
		})
	}
}

func TestALongMessageIsCut(t *testing.T) {
	t.Parallel()
	long := user(1, "I keep bees in Ghent.\n"+strings.Repeat("word ", extract.MaxText/5)+".\nI own a yacht.")
	for _, c := range []struct {
		answer  reply
		want    string
		refused bool
	}{
		{says(facts()), model + " (cut at 65536 bytes)", false},
		{reply{status: 401}, extract.RulesVersion + " (llm: unauthorized) (cut at 65536 bytes)", true},
	} {
		s, e := extractWith(t, replies(c.answer), long)
		if e.Extractor != c.want {
			t.Errorf("extractor %q, want %q", e.Extractor, c.want)
		}
		for _, r := range s.requests() {
			if strings.Contains(r.raw, "yacht") {
				t.Error("what is behind the cut was sent")
			}
		}
		if got := strings.Join(texts(e), " "); strings.Contains(got, "yacht") || strings.Contains(got, "bees") != c.refused {
			t.Errorf("%s: candidates %.200q", c.want, got)
		}
	}
}

func TestAnEndedContextIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := play(t, func(n int, _ asked) reply {
		cancel()
		return says(facts())
	})
	observed := 0
	x := s.extractor(func(c *Config) { c.Observe = func(error) { observed++ } })
	for range 2 {
		e, err := x.Extract(ctx, extract.Input{Messages: talk})
		if memd.KindOf(err) != memd.Unavailable || len(e.Candidates) > 0 {
			t.Errorf("Extract gave %+v, %v", e, err)
		}
	}
	if n := len(s.requests()); n != 1 || observed > 1 {
		t.Errorf("%d calls, %d observed", n, observed)
	}
	if x.client.circuit.Counts().ConsecutiveFailures > 0 {
		t.Error("a caller that went away opened the circuit")
	}
}

func TestManyAtOnce(t *testing.T) {
	s := play(t, func(n int, a asked) reply {
		if a.ResponseFormat != nil {
			return reply{status: http.StatusBadRequest}
		}
		return says(facts("I like tea", []int{1}))
	})
	x := s.extractor()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			e, err := x.Extract(t.Context(), extract.Input{Messages: []memd.Message{user(1, "I like tea")}})
			if err != nil || e.Extractor != model || len(e.Candidates) != 1 {
				t.Errorf("%+v, %v", e, err)
			}
		})
	}
	all.Wait()
}
