package extract

import "testing"

func TestNothingIsOver(t *testing.T) {
	for _, text := range []string{
		"I got fired up about the launch", "I got let go early today, yay friday", "we were let go at 3 today", "I retired to bed early", "I resigned myself to the rain", "I'm so fired up",
		"Rex died laughing", "Rex passed his exam", "Rex passed by the window", "Rex ran away from the vacuum", "Rex ran away but came back", "my dog died of boredom", "I left work early",
		"in 2015 I moved to Hamburg", "I moved to Hamburg in 2010", "Back in 2010 we moved to Hamburg", "remember when I moved to Hamburg?", "do you remember when we moved to Hamburg?", "I moved to Hamburg ten years ago",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Slot != "" && c.Negated || c.Slot == "home" {
				t.Errorf("%q: %q", text, holds(c))
			}
		}
	}
	for text, slot := range map[string]string{
		"I got fired today": "!work", "I got let go last week": "!work", "I was let go on Friday": "!work", "I retired in May": "!work", "I resigned yesterday": "!work",
		"Rex died last week": "!pet:rex", "Rex ran away": "!pet:rex", "Rex passed away in May": "!pet:rex", "I moved to Hamburg in January": "home=Hamburg", "I moved to Hamburg last year": "home=Hamburg",
	} {
		if got := extracted(t, nil, user(text)); len(got) != 1 || holds(got[0]) != slot {
			t.Errorf("%q: %s", text, quoted(texts(got)))
		}
	}
}
