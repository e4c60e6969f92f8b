package extract

import (
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// What was got is for a day to come, whatever was done to get it.
func TestDaysOfPlansAndFeasts(t *testing.T) {
	said := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"got tickets to see Coldplay on June 5": "2026-06-05", "bought tickets for june 5": "2026-06-05", "got an appointment on April 9": "2026-04-09",
		"signed up for a race on May 9": "2026-05-09", "I got tickets for the game on Saturday": "2026-03-07", "got an interview on Friday": "2026-03-06",
		"off from the 5th to the 9th of april": "2026-04-05", "exam on the 20th": "2026-03-20", "exam on thurs": "2026-03-05", "dentist tmrw": "2026-03-03", "last thurs I ran": "2026-02-26",
		"going to Rome for christmas": "2026-12-25", "we went to Rome for christmas": "2025-12-25", "flying home for thanksgiving": "2026-11-26", "I'm dressing up as a witch for halloween": "2026-10-31", "I was in Rome last new year's eve": "2025-12-31",
		// The other way.
		"we bought a house on June 5": "2025-06-05", "we got the keys on February 2": "2026-02-02", "I bought the tickets on June 5": "2025-06-05", "had my exam on the 20th": "2026-02-20", "I got a dog on June 5": "2025-06-05",
		"my bday's nov 3rd": "", "my birthday's june 3": "", "I love christmas": "", "for christmas we eat carp": "", "I always bake for halloween": "",
	} {
		_, when := resolve(text, said, true)
		day := ""
		if at := when.instant(); at != nil {
			day = at.Format("2006-01-02")
		}
		if day != want {
			t.Errorf("%q: %s, want %s", text, day, want)
		}
	}
}

func TestABirthdayAskedForIsOfNoYear(t *testing.T) {
	for _, c := range []struct{ question, answer, slot string }{
		{"When's your birthday?", "june 3", "birthday=june 3"},
		{"when is your bday?", "the 3rd of june", "birthday=3rd of june"},
	} {
		got := extracted(t, []memd.Message{assistant(c.question)}, user(c.answer))
		if len(got) != 1 || holds(got[0]) != c.slot || got[0].OccurredAt != nil {
			t.Errorf("%q %q: %+v", c.question, c.answer, got)
		}
	}
	if got := extracted(t, []memd.Message{assistant("When do you fly?")}, user("june 3")); len(got) != 1 || got[0].OccurredAt == nil {
		t.Errorf("%+v: a flight is of one year", got)
	}
}
