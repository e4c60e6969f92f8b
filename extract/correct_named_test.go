package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// current gives what holds of what is said message by message, without what is taken back as a slip.
func current(t *testing.T, said ...string) []string {
	t.Helper()
	var before []memd.Message
	var all []string
	for i, text := range said {
		m := user(text)
		if rest, ok := strings.CutPrefix(text, ">"); ok {
			m = assistant(rest)
		}
		m.ID = int64(i + 1)
		got, err := NewRules().Extract(t.Context(), Input{Before: before, Messages: []memd.Message{m}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got.Candidates {
			if c.Role != memd.RoleUser {
				continue
			}
			if c.Forget {
				all = slices.DeleteFunc(all, func(text string) bool { return text == c.Text })
				continue
			}
			all = append(all, c.Text)
		}
		before = append(before, m)
	}
	return all
}

// A correction that names what is wrong, or says more behind what is right, puts it right where it was
// said.
func TestCorrectionsThatNameWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ said, want []string }{
		{[]string{"I land at JFK on May 3 at 7 pm, BA 177", ">ok", "correction, I land at 4 pm not 7, I read the wrong line"}, []string{"I land at JFK on May 3 (2024-05-03) at 4 pm, BA 177"}},
		{[]string{"My daughter Ellen starts school in August", ">How exciting! Is she nervous?", "it's Elin, not Ellen, autocorrect"}, []string{"My daughter Elin starts school in August (2024-08)"}},
		{[]string{"her class is 2B at Lindenschule", ">Updated.", "small correction, she's in 2C not 2B, and it's 26 kids"}, []string{"her class is 2C at Lindenschule. it's 26 kids"}},
		{[]string{"I'm having a party on Friday at 7, need a playlist", ">ok", "scratch that, make it 8, and we're 12 now"}, []string{"I'm having a party on Friday (2024-03-01) at 8, need a playlist", "we're 12 now"}},
		{[]string{"My wife Ingrid and I have our anniversary on June 12", ">nice", "wait no, June 14, she'd kill me"}, []string{"My wife Ingrid and I have our anniversary on June 14"}},
		{[]string{"I've played the violin since I was nine. sorry, I mean the cello"}, []string{"I've played the cello since I was nine"}},
		{[]string{"I go to the gym on Mondays and Tuesdays", ">Great", "I meant Mondays and Thursdays"}, []string{"I go to the gym on Mondays and Thursdays"}},
		{[]string{"our budget is 2000 euros", ">Tight but doable.", "ok let's say 2500"}, []string{"our budget is 2500 euros"}},
		{[]string{"hey it's Alex", ">Hi Alex!", "it's Alexis actually"}, []string{"hey it's Alexis"}},
		{[]string{"I have three siblings", ">A big family!", "sorry two siblings i mean, one sister one brother, i was counting myself haha"}, []string{"I have two siblings"}},
		{[]string{"I'm 34", ">ok", "sorry, 35 not 34"}, []string{"I'm 35"}},
		{[]string{"I'm having a party on Friday at 7, 10 people, need a playlist", ">What genre?", "80s and disco", ">Great", "scratch that, make it 8 o'clock"}, []string{"80s and disco (asked: What genre?)", "I'm having a party on Friday (2024-03-01) at 8, 10 people, need a playlist"}},
		{[]string{"My wife Ingrid and I have our anniversary on June 12, ideas for a gift?", ">A weekend away?", "wait no, June 14, she'd kill me"}, []string{"My wife Ingrid and I have our anniversary on June 14"}},
		{[]string{"My brother and I are going to Japan in November, our budget is 2000 euros", ">Tight but doable.", "ok let's say 2500"}, []string{"My brother and I are going to Japan in November (2024-11), our budget is 2500 euros"}},
		// What names something else, or is what one wants, puts nothing right.
		{[]string{"I drink coffee every morning", ">ok", "I'd like tea, not coffee"}, []string{"I drink coffee every morning"}},
		{[]string{"My brother lives in Milan", ">ok", "I live in Rome, not Milan"}, []string{"My brother lives in Milan", "I live in Rome, not Milan"}},
		{[]string{"I run 7 km", ">ok", "I have 4 cats, not 5"}, []string{"I run 7 km", "I have 4 cats, not 5"}},
		{[]string{"our budget is 2000 euros", ">ok", "let's say goodbye"}, []string{"our budget is 2000 euros"}},
	} {
		if got := current(t, c.said...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.said, got, c.want)
		}
	}
}
