package extract

import (
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// However somebody says that it was wrong, what is right stands in its place, once.
func TestFormsOfCorrections(t *testing.T) {
	for _, c := range correctable {
		for _, form := range []string{
			"no, I meant X", "sorry, X not Y", "actually it's X", "*X", "typo: X", "I mean X", "not Y, X", "wait, it's X, I mistyped", "correction: X", "I made a mistake, it's X",
			"I said Y but it's X", "oh sorry I wrote Y, I meant X", "sorry, I got that wrong. Z",
		} {
			right := strings.Replace(c.said, c.wrong, c.right, 1)
			text := strings.NewReplacer("X", c.right, "Y", c.wrong, "Z", right).Replace(form)
			got := extracted(t, []memd.Message{user(c.said)}, user(text))
			if len(got) != 2 || !got[0].Forget || !got[0].Slip || strings.TrimSuffix(noted.ReplaceAllString(got[1].Text, ""), ".") != right {
				t.Errorf("%q after %q: %s", text, c.said, quoted(texts(got)))
			}
		}
	}
}

func TestCorrectionsOfCorrections(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{"I live in Lisbon", "no, I meant Porto", "argh no, Faro"}, "I live in Faro"},
		{[]string{"I live in Lisbon", "no, I meant Porto", "haha no, Lisbon was right"}, "I live in Lisbon"},
		{[]string{"I live in Lisbon", "no, I meant Porto", "argh no, Faro", "sorry, Porto was right"}, "I live in Porto"},
		{[]string{"im 34", "sorry 35", "no wait 34 after all"}, "im 34"},
		{[]string{"My cat is called Misty", "Minty with an n"}, "My cat is called Minty"},
		{[]string{"i drive a toyota corola", "yaris. not corolla. my bad"}, "i drive a toyota yaris"},
		{[]string{"my flight to Tokyo is on may 3rd", "*may 4th"}, "my flight to Tokyo is on may 4th (2024-05-04)"},
		{[]string{"I hate mushrooms", "wait I mistyped, I hate mussels"}, "I hate mussels"},
	} {
		whole := extracted(t, nil, talk(c.lines...)...)
		last := whole[len(whole)-1]
		if before := whole[len(whole)-2]; last.Text != c.want || !before.Forget || len(c.lines) > 2 && before.Text == whole[0].Text {
			t.Errorf("%q: %s", c.lines, quoted(texts(whole)))
		}
	}
}

// What names itself what it corrects does so in a later session too.
func TestCorrectionsThatNameWhatTheyCorrect(t *testing.T) {
	for text, want := range map[string]string{
		"btw you have my birthday wrong, it's July 12":    "birthday=July 12",
		"you got my name wrong, it's Petra":               "name=Petra",
		"it's the viola that my son plays, not the cello": "son|habit:play viola",
		"you have the date wrong, it's July 12":           "",
		"it's the cello that my teacher recommended":      "",
	} {
		got := extracted(t, nil, user(text))
		if want == "" {
			for _, c := range got {
				if c.Forget || c.Slot == "birthday" {
					t.Errorf("%q: %+v", text, c)
				}
			}
		} else if len(got) == 0 || holds(got[len(got)-1]) != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// The day that is right is when it is, in any form.
func TestACorrectedDayIsTheOther(t *testing.T) {
	for _, c := range [][3]string{
		{"my flight to Tokyo is on May 3", "not May 3, May 4", "2024-05-04"},
		{"my flight to Tokyo is on May 3", "sorry, May 4 not May 3", "2024-05-04"},
		{"My meeting is on Tuesday", "no wait, Wednesday", "2024-03-06"},
	} {
		got := extracted(t, []memd.Message{user(c[0])}, user(c[1]))
		if len(got) != 2 || got[1].OccurredAt == nil || got[1].OccurredAt.Format("2006-01-02") != c[2] {
			t.Errorf("%q: %+v", c[1], got)
		}
	}
}
