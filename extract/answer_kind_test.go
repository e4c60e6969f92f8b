package extract

import (
	"context"
	"regexp"
	"testing"

	"github.com/memdhq/memd"
)

// talked gives what the last of some messages is found to state; those that begin with
// ">" are an assistant's.
func talked(t *testing.T, said ...string) []memd.Candidate {
	t.Helper()
	var all []memd.Message
	for i, text := range said {
		m := memd.Message{ID: int64(i + 1), Role: memd.RoleUser, Text: text}
		if text[0] == '>' {
			m.Role, m.Text = memd.RoleAssistant, text[1:]
		}
		all = append(all, m)
	}
	last := len(all) - 1
	got, err := NewRules().Extract(context.Background(), Input{Before: all[:last], Messages: all[last:]})
	if err != nil {
		t.Fatal(err)
	}
	return got.Candidates
}

func TestAnswersOfNoKindTellNothing(t *testing.T) {
	for _, said := range [][]string{
		{">Would a cup of tea help?", "perhaps, dunno"},
		{">Want me to read you a poem?", "lol yes pls"},
		{">How can I help you today?", "just browsing around"},
		{">I'm fine. And you?", "splendid"},
		{">What's up?", "omg drumroll"},
		{">You climbed Everest?", "haha you wish"},
		{">What is the currency of Japan?", "yen"},
		{"test me on rivers", ">Which river runs through Vienna?", "the Danube"},
		{">Posso aiutarla?", "un momento"},
		{"Dear Mr Holloway,"},
		{"Yours sincerely"},
		{"afk 10 mins"},
		{"hello doc"},
		{"ugh, tuesdays"},
		{"ok so um is it recording"},
		{"could ya check this for me"},
		{"çok teşekkürler"},
	} {
		if got := talked(t, said...); len(got) > 0 {
			t.Errorf("%q states %q", said, got[0].Text)
		}
	}
}

func TestShortAnswersAreKept(t *testing.T) {
	for _, said := range [][]string{
		{">Which department do you work in, Odile?", "shipping, the night crew"},
		{">Do you have any kids, and do you own a car?", "one boy, and lease"},
		{">Which choir are you singing in?", "hold on phone", "back, sorry", "the Bach choir"},
		{">You're a lighthouse keeper?", "lol yes spot on"},
		{">What should I call you?", "Nadi"},
		{">Should I avoid any foods?", "celery"},
		{">How many siblings do you have?", "four"},
		{">May I ask how old you are?", "58"},
		{">How long have you been rowing?", "since I was 11"},
	} {
		if got := talked(t, said...); len(got) == 0 {
			t.Errorf("%q states nothing", said)
		}
	}
}

func TestSlipsAndRequestsToForgetReachBack(t *testing.T) {
	for _, c := range []struct {
		said         []string
		forgot, then string
	}{
		{[]string{"My nephew Otis is 9.", "*10, his party was yesterday"}, "My nephew Otis is 9", "My nephew Otis is 10"},
		{[]string{"the fitter comes on monday", "no wait friday he said friday"}, "the fitter comes on monday", "the fitter comes on friday"},
		{[]string{"I moved to Lyon", "sorry, I meant my cousin Eva moved to Lyon"}, "I moved to Lyon", "my cousin Eva moved to Lyon"},
		{[]string{"I work at Shell", "Actually it's not Shell but Total"}, "I work at Shell", "I work at Total"},
		{[]string{"My locker code hint is my first pet", "Forget that please"}, "My locker code hint is my first pet", ""},
		{[]string{"please forget that I told you I live in Basel"}, "I live in Basel", ""},
		{[]string{"forget what I told you about Priya, we fell out"}, "Priya", ""},
		{[]string{"I want you to forget that I smoke cigars"}, "I smoke cigars", ""},
	} {
		got := talked(t, c.said...)
		if len(got) == 0 || !got[0].Forget || plainText(got[0].Text) != c.forgot {
			t.Errorf("%q forgets nothing of %q: %+v", c.said, c.forgot, got)
			continue
		}
		if c.then == "" && len(got) > 1 || c.then != "" && (len(got) != 2 || plainText(got[1].Text) != c.then) {
			t.Errorf("%q states %+v, want %q", c.said, got[1:], c.then)
		}
	}
	for _, said := range [][]string{{"I live in Basel", "how do I boil eggs?", "forget that"}, {"I forgot that he likes tea"}} {
		if got := talked(t, said...); len(got) > 0 && got[0].Forget {
			t.Errorf("%q forgets %q", said, got[0].Text)
		}
	}
}

// plainText is a text without the dates that were added to it.
func plainText(text string) string {
	return regexp.MustCompile(` \(\d{4}-[^)]*\)`).ReplaceAllString(text, "")
}
