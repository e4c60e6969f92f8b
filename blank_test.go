package memd

import "testing"

func TestBlank(t *testing.T) {
	for text, want := range map[string]struct{ blank, findable bool }{
		"":                           {true, false},
		" \t\r\n\u00a0\u3000\u2028":  {true, false},
		"\u200b\u200d\u202e\ufeff":   {true, false},
		"\x00\x07\u00ad":             {true, false},
		"\u115f\u3164\u2800\u034f":   {true, false}, // letters, a symbol and an accent that are drawn as nothing
		"\ufe0f\U000e0041\U000e0101": {true, false},
		"\ufffd":                     {false, false}, // of what was said that much is shown
		"\xff\xfe":                   {false, false},
		"a":                          {false, true},
		"\u200bа":                    {false, true},
		"👍":                          {false, true},
		"❤\ufe0f":                    {false, true},
		"\u200c\u06a9":               {false, true},
		"?":                          {false, true},
		"\U0001fae9":                 {false, true},
		" \u200b 日":                  {false, true},
		"\ue000":                     {false, true}, // of private use: its readers have it drawn
	} {
		if Blank(text) != want.blank || Findable(text) != want.findable {
			t.Errorf("%q: blank %v, findable %v, want %v", text, Blank(text), Findable(text), want)
		}
	}
}
