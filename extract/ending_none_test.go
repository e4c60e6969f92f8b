package extract

import (
	"testing"
)

// What was not done, was said in jest or only sounds like an ending ends nothing.
func TestNothingEndsByIt(t *testing.T) {
	for _, text := range []string{
		"I didn't quit my job", "I never left Siemens", "I did not lose my job", "I left Siemens at 5 today", "I left Siemens early", "I left Siemens for lunch", "I quit my job... just kidding", "I quit my job, jk",
		"Luna is dead tired", "Luna is dead to me lol", "Luna is dead serious about fish", "I'm not allergic to nuts? who said that", "I'm not vegan yet? of course I am", "I quit my job... just joking haha",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Negated && c.Slot != "" {
				t.Errorf("%q: %+v", text, c)
			}
		}
	}
	for _, text := range []string{"I quit my job", "I left Siemens", "Luna is dead", "I'm not allergic to nuts", "I'm no longer vegan, ok?", "I quit my job, just so you know", "I left Siemens in May"} {
		got := extracted(t, nil, user(text))
		if len(got) == 0 || !got[0].Negated || got[0].Slot == "" {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
