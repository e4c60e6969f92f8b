package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

func TestAnswersEndWhatIsAskedAfter(t *testing.T) {
	for _, test := range [][3]string{
		{"Do you still have your cat?", "no", "!has:cat"},
		{"Do you still have a dog?", "not anymore", "!has:dog"},
		{"How is Rex?", "he died last month", "!pet:rex"},
		{"How's your dog doing?", "sadly he passed away in May", "!has:dog"},
		{"Do you still smoke?", "i quit", "!habit:smoke"},
		{"Do you still drink coffee?", "no, i stopped last year", "!habit:drink coffee"},
		{"Do you drink coffee these days?", "no, i stopped", "!habit:drink coffee"},
		{"Do you still live in Kiel?", "no, i left", "!home=Kiel"},
		{"Do you drink coffee at night?", "no, i stopped", ""},
		{"Do you still play tennis on sundays?", "no, i stopped", ""},
		{"Do you still smoke indoors?", "i quit", ""},
		{"Do you smoke?", "yes", "habit:smoke"},
		{"How is Rex?", "he sleeps a lot", ""},
		{"How is Rex?", "he died laughing at the cat", ""},
	} {
		got := extracted(t, []memd.Message{assistant(test[0])}, user(test[1]))
		if len(got) != 1 || holds(got[0]) != test[2] {
			t.Errorf("%q, %q: %s", test[0], test[1], quoted(texts(got)))
			for _, c := range got {
				t.Log(holds(c))
			}
		}
	}
}

func TestWhatWasOnceAndWhatIsNew(t *testing.T) {
	for text, want := range map[string]string{
		"I used to live in Kiel": "!home=Kiel", "I used to work at Aldi": "!work=Aldi", "we used to live in Kiel and loved it": "!home=Kiel", "I used to think so": "", "I used to play tennis": "!habit:play tennis", "I used to play tennis with my dad": "", "I used to drink coffee at night": "", "I used to live in Berlin Mitte": "", "I used to live in New York": "!home=New York", "I used to live in Kiel near the lake": "",
		"I quit": "!work", "i quit last week": "!work", "I got divorced in May": "marital status=divorced", "my asthma is gone": "!health:asthma", "my money is gone": "",
		"i relocated to munich for work": "home=munich", "I live in Munich for work": "", "I found a job at Lidl": "work=Lidl", "we had a third kid": "number of children=three",
		"staging server runs on port 9443 now": "staging server|port=9443", "my flight to Rome leaves at 8": "date:flight to rome leaves=8", "my flight leaves at 8": "date:flight leaves=8",
		"Ana is my sister": "sister:ana", "I have a sister called Eva": "sister:eva", "Ana is my wife": "partner=Ana", "Today is my sister's birthday": "", "Nobody is my boss": "",
	} {
		got := extracted(t, nil, user(text))
		held := ""
		if len(got) > 0 {
			held = holds(got[0])
		}
		if held != want {
			t.Errorf("%q: %q, want %q", text, held, want)
		}
	}
}
