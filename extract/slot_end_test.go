package extract

import "testing"

// What is said first and what is said of it later must meet in one slot.
func TestEndsMeetWhatTheyEnd(t *testing.T) {
	for _, c := range []struct{ was, is string }{
		{"I'm on a keto diet for a month", "the keto thing is over, hello pasta"},
		{"I'm flying to Oslo on 4 May", "Oslo is off, no budget"},
		{"I'm flying to Turin in June", "my trip to Turin got cancelled"},
		{"I take lessons in pottery on Fridays", "I gave up the pottery, no time"},
		{"I take lessons in Danish", "I dropped Danish"},
		{"I vape all day", "haven't vaped since March"},
		{"I'm allergic to latex", "turns out I was wrong about the latex, the doctor says I'm not allergic to it"},
		{"I eat meat", "I don't eat meat"},
		{"I'm vegetarian", "I was vegetarian until last spring"},
		{"I work remotely", "I no longer work remotely"},
		{"I love coriander", "I can't stand coriander anymore"},
		{"I enjoy opera", "I cannot bear opera any more"},
		{"I like jazz", "I've stopped liking jazz"},
		{"I work at Siemens as an engineer", "I left Siemens"},
	} {
		was, is := slotOf(c.was), slotOf(c.is)
		if was.name == "" {
			was = looseSlot(c.was)
		}
		if was.name == "" || is.name != was.name || is.subject != was.subject || was.negated || !is.negated || is.value != "" && is.value != was.value {
			t.Errorf("%q is %+v, which %q, %+v, does not end", c.was, was, c.is, is)
		}
	}
}

func TestChangesMeetWhatTheyChange(t *testing.T) {
	for _, c := range []struct{ was, is string }{
		{"Our service keeps invoices in Mongo", "We migrated the invoices from Mongo to Aurora"},
		{"The reports are stored in Dropbox", "We moved the reports to Nextcloud last week"},
		{"I live at the Moor campus", "I have moved to the Vale campus"},
		{"My flight lands at 7", "My flight lands at 9"},
		{"My name is Piet", "I changed my name to Petra"},
		{"I'm 41", "My age is 42"},
		{"I work at Aldi", "I've been working for Bosch since May"},
	} {
		was, is := slotOf(c.was), slotOf(c.is)
		if was.name == "" || is.name != was.name || is.subject != was.subject || is.negated || is.value == "" || is.value == was.value {
			t.Errorf("%q is %+v, which %q, %+v, does not change", c.was, was, c.is, is)
		}
	}
}

func TestOthersDoNotMeet(t *testing.T) {
	for _, c := range []struct{ one, other string }{
		{"My older brother lives in Cork", "My younger brother lives in Bari"},
		{"My oldest daughter is 15", "My youngest daughter is 6"},
		{"I work at Lidl", "I work with Excel"},
		{"I work at Lidl", "I work with teenagers"},
		{"I live in Ghent", "I live in sweatpants"},
		{"I live in Ghent", "I moved to Brno in 2011 and came back in 2014"},
		{"I live in Ghent", "I live in Split during the summer"},
		{"I'm married", "I'm not married to the idea"},
		{"I'm vegan", "I'm not a vegan who preaches"},
		{"I'm allergic to nuts", "I'm not allergic to nuts that are roasted"},
		{"I speak Polish", "I don't speak Polish at work"},
	} {
		one, other := slotOf(c.one), slotOf(c.other)
		if one.name == "" {
			t.Errorf("%q has no slot", c.one)
		}
		if one.name == other.name && one.subject == other.subject {
			t.Errorf("%q and %q are both of %+v", c.one, c.other, other)
		}
	}
}
