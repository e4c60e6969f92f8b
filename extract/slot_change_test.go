package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

// What is told and what says that it has changed meet in one slot.
func TestWhatHasChangedMeetsWhatWasSo(t *testing.T) {
	for _, pair := range [][2]string{
		{"I take 10 mg of lisinopril every morning", "doctor raised my lisinopril to 20 mg"},
		{"I take 10 mg of lisinopril every morning", "I take 20 mg of lisinopril every morning"},
		{"I work for Shell", "I'm with BP now"},
		{"I work at IBM", "I switched jobs, now at Dell"},
		{"I live in Rome", "not in Rome anymore, we live in Pisa"},
		{"I live in Rome", "we finally moved, now in Pisa"},
		{"my birthday is May 4", "my birthday is actually May 5"},
		{"I'm flying to Oslo on May 7", "I'm flying to Oslo on May 9"},
		{"my wedding is on June 5", "my wedding is postponed to July 7"},
		{"my phone number is 555 1234", "I have a new number, 555 9876"},
		{"my locker code is 4471", "my locker code changed to 5582"},
		{"our project uses Java 17", "our project now uses Java 21"},
		{"the deadline of project Heron is May 1", "the deadline of Heron is now June 1"},
		{"I have a dentist appointment on May 4", "my dentist appointment was moved to May 6"},
	} {
		told, now := extracted(t, nil, user(pair[0])), extracted(t, nil, user(pair[1]))
		if len(told) != 1 || len(now) != 1 {
			t.Errorf("%q: %s %s", pair, quoted(texts(told)), quoted(texts(now)))
			continue
		}
		if a, b := told[0], now[0]; a.Slot == "" || a.Slot != b.Slot || a.Subject != b.Subject || a.Value == b.Value || b.Value == "" || b.Negated {
			t.Errorf("%q: %s|%s=%s, %s|%s=%s", pair, a.Subject, a.Slot, a.Value, b.Subject, b.Slot, b.Value)
		}
	}
	for _, pair := range [][2]string{
		{"I take 10 mg of lisinopril every morning", "I stopped lisinopril"},
		{"I have migraines", "I don't get migraines anymore"},
		{"I'm allergic to shellfish", "I outgrew my shellfish allergy"},
		{"I'm allergic to cats", "my cat allergy is gone"},
		{"I'm allergic to nuts", "so the allergist tested me and turns out I'm not allergic to nuts after all"},
		{"I'm a smoker", "I'm a non-smoker now"},
		{"I smoke", "I'm an ex-smoker"},
		{"I'm pregnant", "our baby girl Zoe was born today"},
		{"I drink about four coffees a day", "I no longer drink coffee"},
		{"I'm a data engineer at Booking", "I quit Booking"},
		{"I work at IBM", "today was my last day at IBM"},
		{"I live in Rome", "as you may know I don't live in Rome anymore"},
		{"my favorite movie is Alien", "Alien isn't my favorite movie anymore"},
		{"my wife is called Emma", "my ex-wife Emma got custody"},
		{"I want to learn Rust", "I don't want to learn Rust anymore"},
		{"answer in bullet points", "don't use bullet points anymore"},
		{"I have a dentist appointment on Friday", "my dentist appointment is cancelled"},
	} {
		told, over := extracted(t, nil, user(pair[0])), extracted(t, nil, user(pair[1]))
		if len(told) != 1 || len(over) != 1 {
			t.Errorf("%q: %s %s", pair, quoted(texts(told)), quoted(texts(over)))
			continue
		}
		if a, b := told[0], over[0]; a.Slot == "" || a.Slot != b.Slot || a.Subject != b.Subject || a.Negated || !b.Negated || b.Value != "" && b.Value != a.Value {
			t.Errorf("%q: %s|%s=%s, %s|%s=%s %v", pair, a.Subject, a.Slot, a.Value, b.Subject, b.Slot, b.Value, b.Negated)
		}
	}
	answer := extracted(t, []memd.Message{assistant("Are you still at IBM?")}, user("not anymore"))
	if len(answer) != 1 || answer[0].Slot != "work" || answer[0].Value != "IBM" || !answer[0].Negated {
		t.Errorf("%+v", answer)
	}
}

// What is of something else, of somebody else or of another time of the day stays beside it.
func TestWhatHasNotChanged(t *testing.T) {
	for _, pair := range [][2]string{
		{"my locker code is 4471", "my bike code changed to 5582"},
		{"I have a dentist appointment on Friday", "my doctor appointment is cancelled"},
		{"I have an exam on June 18", "I have an exam on June 25"},
		{"I take 10 mg of lisinopril every morning", "I take 5 mg of lisinopril every evening"},
		{"I take 10 mg of lisinopril every morning", "the doctor raised my metformin to 20 mg"},
		{"I work for Shell", "I'm with Vodafone now"},
		{"I work for Shell", "I'm with Tom now"},
		{"my wife is called Emma", "my brother's ex-wife Emma got custody"},
		{"I'm pregnant", "my sister's baby was born today"},
		{"I'm allergic to cats", "my sister outgrew her cat allergy"},
		{"I want to learn Rust", "I don't want to learn Go anymore"},
		{"our project uses Java 17", "our website uses Java 21"},
		{"I live in Rome", "we finally moved the sofa, now in the hall"},
		{"I work at IBM", "today was my last day at school"},
	} {
		a, b := extracted(t, nil, user(pair[0])), extracted(t, nil, user(pair[1]))
		for _, b := range b {
			if a[0].Slot == b.Slot && a[0].Slot != "" && a[0].Subject == b.Subject {
				t.Errorf("%q: both are %s|%s", pair, b.Subject, b.Slot)
			}
		}
	}
}
