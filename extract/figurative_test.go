package extract

import "testing"

func TestNothingIsOver(t *testing.T) {
	for _, text := range []string{
		"I got fired up about the launch", "I got let go early today, yay friday", "we were let go at 3 today", "I retired to bed early", "I resigned myself to the rain", "I'm so fired up",
		"Rex died laughing", "Rex passed his exam", "Rex passed with flying colours", "Rex ran away when the bell rang", "Rex died in a video game", "the volcano died out", "I got fired at by a sniper", "I retired early last night", "they let me go home early", "they fired me up", "I got married in a video game", "lol that joke got me, I'm dead, I quit", "Rex passed by the window", "Rex ran away from the vacuum", "Rex ran away but came back", "my dog died of boredom", "I left work early",
		"remember when I moved to Hamburg?", "do you remember when we moved to Hamburg?", "I moved to Hamburg in 2010 and came back in 2014", "I moved to Hamburg in 2010 for a year",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Slot != "" && c.Negated || c.Slot == "home" {
				t.Errorf("%q: %q", text, holds(c))
			}
		}
	}
	for text, slot := range map[string]string{
		"I got fired today": "!work", "I got let go last week": "!work", "I was let go on Friday": "!work", "I retired in May": "!work", "I resigned yesterday": "!work",
		"I got fired at Aldi": "!work=Aldi", "I got fired at work today": "!work", "I retired early": "!work", "I retired early in march": "!work", "I got let go at noon": "!work", "they fired me": "!work", "my boss fired me yesterday": "!work",
		"I was let go by Aldi": "!work=Aldi", "I was fired at the end of May": "!work", "Rex died out of nowhere": "!pet:rex", "Rex passed with us all by his side": "!pet:rex", "Rex ran away when we left the door open": "!pet:rex",
		"I got married in Rome": "marital status=married", "lol I quit my job": "!work", "Since 2020 I've lived in Hamburg": "home=Hamburg", "I've lived in Hamburg since 2020": "home=Hamburg",
		"Rex died last week": "!pet:rex", "Rex ran away": "!pet:rex", "Rex passed away in May": "!pet:rex", "I moved to Hamburg in January": "home=Hamburg", "in 2015 I moved to Hamburg": "home=Hamburg", "I moved to Hamburg in 2010": "home=Hamburg", "Back in 2010 we moved to Hamburg": "home=Hamburg", "I moved to Hamburg ten years ago": "home=Hamburg", "I moved to Hamburg last year": "home=Hamburg",
	} {
		if got := extracted(t, nil, user(text)); len(got) != 1 || holds(got[0]) != slot {
			t.Errorf("%q: %s", text, quoted(texts(got)))
		}
	}
}
