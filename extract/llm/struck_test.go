package llm

import (
	"strings"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// echoes is a model that lists each sentence of a message as it stands.
func echoes(said string) []any {
	var all []any
	for _, s := range extract.Sentences(said, 40) {
		all = append(all, s, []int{1})
	}
	return all
}

// copied are messages that a model copies, and what of them is kept, parted by " / ".
var copied = []struct{ said, want string }{
	// Played, handed over, another's.
	{"Let's roleplay. My name is Polly. I live in Tokyo. I work at Contoso.", ""},
	{"Pretend that I am a doctor from Oslo. My name is Dr. Hansen. I live in Oslo.", ""},
	{"Reply to this mail:\n\nHi,\nI live in Oslo. My name is Bob. I work at Contoso.\nRegards, Bob", ""},
	{"From: Bob <bob@x.org>\nTo: me\nSubject: Moving\n\nI moved to Oslo last week. I work at Contoso.", ""},
	{"Write in first person: I am a nurse from Rome and I live in Oslo.", ""},
	{"My friend wrote: \"I live in Oslo now.\"", ""},
	{"Let's roleplay. My name is Polly. Ok, that was fun. By the way, I moved to Porto.", "By the way, I moved to Porto"},
	// Put right.
	{"I live in Porto. Sorry, I meant Lisbon.", "I live in Lisbon"},
	{"I live in Porto. No wait, Lisbon.", "I live in Lisbon"},
	{"I live in Porto. Scratch that, I live in Lisbon.", "I live in Lisbon"},
	{"My birthday is March 3. Oops, I mean March 5.", "My birthday is March 5"},
	{"I'm 35. Sorry, I'm 36.", "I'm 36"},
	{"My name is Ana. Sorry, typo: my name is Anna.", "my name is Anna"},
	{"I work at Google. Actually, I work at Microsoft.", "I work at Microsoft"},
	{"I like tea. Actually, I hate tea.", "I hate tea"},
	{"I live in Porto. Sorry, I meant Lisbon. No, Berlin.", "I live in Berlin"},
	{"I have a cat. I live in Porto. Sorry, I meant Lisbon.", "I have a cat / I live in Lisbon"},
	{"I live in Porto. I moved to Lisbon yesterday.", "I live in Porto / I moved to Lisbon yesterday (2024-02-25)"},
	// To be forgotten, told in confidence.
	{"I have a dog called Rex. Forget that.", ""},
	{"I have a cold sore. Forget I said that.", ""},
	{"I am pregnant. Forget that.", ""},
	{"No guardes esto: estoy embarazada.", ""},
	{"I live in Lisbon. I have a dog called Rex. Forget that.", "I live in Lisbon"},
	// Merely not worth keeping, to the rules: a model may choose it.
	{"I am at the station. I bought a red bike.", "I am at the station / I bought a red bike"},
}

func TestNoModelBringsBackWhatWasStruck(t *testing.T) {
	for _, c := range copied {
		s := play(t, replies(says(facts(echoes(c.said)...))))
		e := must(t, s.extractor(), extract.Input{Messages: []memd.Message{user(1, c.said)}})
		kept := []string{}
		for _, candidate := range e.Candidates {
			if !candidate.Forget {
				kept = append(kept, candidate.Text)
			}
		}
		if got := strings.Join(kept, " / "); got != c.want {
			t.Errorf("%q: kept %q, want %q (%s)", c.said, got, c.want, e.Extractor)
		}
	}
}

func TestAFactOfWhatWasPutRightIsOfWhatIsRight(t *testing.T) {
	for _, c := range []struct{ said, fact, want string }{
		{"I live in Porto. Sorry, I meant Lisbon.", "I live in Porto", "I live in Lisbon"},
		{"I live in Porto. Sorry, I meant Lisbon.", "User lives in Lisbon, not Porto", "I live in Lisbon"},
		{"I live in Porto. Sorry, I meant Lisbon.", "I meant Lisbon", "I live in Lisbon"},
		{"My birthday is March 3. Oops, I mean March 5.", "My birthday is March 3", "My birthday is March 5"},
		{"My sister is called Ana. I mean Anna.", "My sister is called Ana", "My sister is called Anna"},
		{"I am allergic to peanuts. No wait, to walnuts.", "I am allergic to peanuts", "I am allergic to walnuts"},
	} {
		_, e := extractWith(t, replies(says(facts(c.fact, []int{1}))), user(1, c.said))
		want(t, e, model, c.want)
	}
}

func TestWhatIsNoMatterOfChoice(t *testing.T) {
	for _, c := range []struct {
		name, list string
		in         []memd.Message
		want       []string
	}{
		{"a correction brings its value", "", []memd.Message{user(1, "I live in Porto."), user(2, "Sorry, I meant Lisbon.")}, []string{"I live in Lisbon", "I live in Porto"}},
		{"a denial", "I eat fish", []memd.Message{user(1, "I eat fish."), user(2, "I no longer eat fish.")}, []string{"I eat fish", "I no longer eat fish"}},
		{"an ending", "", []memd.Message{user(1, "I sold my car.")}, []string{"I sold my car"}},
		{"an end and a new value", "", []memd.Message{user(1, "I don't live in Porto anymore, I moved to Lisbon.")}, []string{"I don't live in Porto anymore, I moved to Lisbon"}},
		{"an answer that denies", "I live in Porto", []memd.Message{user(1, "I live in Porto."), assistant(2, "So you live in Porto?"), user(3, "No, in Lisbon.")}, []string{"I live in Porto", "No, in Lisbon (asked: So you live in Porto?)"}},
		{"what is to be remembered", "", []memd.Message{user(1, "Remember that my locker code is 4471.")}, []string{"my locker code is 4471"}},
		{"what is to be remembered, asked politely", "", []memd.Message{user(1, "Please remember: I am allergic to penicillin.")}, []string{"I am allergic to penicillin"}},
		{"a plain statement", "", []memd.Message{user(1, "I have a red bike.")}, nil},
		{"what is remembered by its speaker", "", []memd.Message{user(1, "I remember my school in Graz.")}, nil},
		{"an assistant's denial", "", []memd.Message{user(1, "Is it good?"), assistant(2, "I don't eat fish.")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := facts()
			if c.list != "" {
				list = facts(c.list, []int{1})
			}
			_, e := extractWith(t, replies(says(list)), c.in...)
			want(t, e, model, c.want...)
		})
	}
	// Who says what is to be learned has the choice, but for what is to be forgotten.
	asked := wanting("Only what they eat.", user(1, "I sold my car. Remember that my locker code is 4471. Forget my name."))
	_, e := extractWith(t, replies(says(facts())), asked)
	want(t, e, model, "my name")
}

// A part of a message is read with what the whole says of it.
func TestAPartOfAPlayIsOfThePlay(t *testing.T) {
	for said, kept := range map[string]bool{
		"Let's roleplay. " + strings.Repeat("The dragon comes nearer and roars at all of us. ", 20) + "My name is Polly. I live in Tokyo.":                      false,
		"It was a long day. " + strings.Repeat("The dragon boat came nearer, and we all went aboard. ", 20) + "My name is Polly. I live in Tokyo.":              true,
		"Reply to this mail:\n\nHi,\n" + strings.Repeat("We had much rain in the last week of it. ", 20) + "I live in Tokyo. My name is Polly.\nRegards, Polly": false,
	} {
		s := play(t, func(_ int, a asked) reply {
			_, lines := a.fresh(t)
			var all []any
			for i, l := range lines {
				for _, sentence := range extract.Sentences(l.Text, 40) {
					all = append(all, sentence, []int{i + 1})
				}
			}
			return says(facts(all...))
		})
		x := s.extractor(func(c *Config) { c.MaxInputTokens = 100 })
		got := strings.Join(texts(must(t, x, extract.Input{Messages: []memd.Message{user(1, said)}})), " / ")
		if n := len(s.requests()); n < 2 {
			t.Fatalf("%d calls", n)
		}
		if strings.Contains(got, "Tokyo") != kept || strings.Contains(got, "Polly") != kept {
			t.Errorf("%.30q: %q", said, got)
		}
	}
}
