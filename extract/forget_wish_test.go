package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

func TestWishesThatSomethingBeNotRemembered(t *testing.T) {
	for text, slot := range map[string]string{
		"forget my nut allergy": "allergy:nuts", "please forget my peanut allergy": "allergy:peanuts", "forget my asthma": "health:asthma", "forget about my migraines": "health:migraines",
		"i don't want you to remember my salary": "salary", "I don't want you to know where I live": "home", "i'd rather you didn't know about my asthma": "health:asthma", "please don't remember my age": "age",
		"please don't store my salary": "salary", "i want you to forget my birthday": "birthday", "I do not want you to remember that I live in Rome": "home",
	} {
		got := extracted(t, nil, user(text))
		if !slices.ContainsFunc(got, func(c memd.Candidate) bool { return c.Forget && c.Slot == slot }) || slices.ContainsFunc(got, func(c memd.Candidate) bool { return !c.Forget }) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for _, text := range []string{"wipe everything you know about me", "please wipe all you know about me", "wipe my memory", "purge everything you know about me"} {
		if got := extracted(t, nil, user(text)); len(got) != 1 || got[0].Subject != memd.Everything {
			t.Errorf("%q: %+v", text, got)
		}
	}
	for _, text := range []string{"don't forget my address", "i don't remember my salary", "don't save my changes", "I don't want you to forget my birthday", "don't keep my code in one file", "please wipe the table", "I never know my blood type"} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Forget {
				t.Errorf("%q: %+v", text, c)
			}
		}
	}
}
