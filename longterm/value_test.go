package longterm

import "testing"

// A value gives way to another of the same kind only.
func TestContradicts(t *testing.T) {
	for _, c := range []struct {
		slot, was, is string
		want          bool
	}{
		{"home", "Porto", "Lisbon", true}, {"home", "Rome", "Italy", false}, {"home", "Rome", "Trastevere", false}, {"home", "Italy", "Spain", true},
		{"home", "New York", "New York City", false}, {"home", "York", "New York", true}, {"home", "San Francisco", "California", false}, {"home", "the Netherlands", "Utrecht", false},
		{"date:party", "5 may", "8pm", false}, {"date:party", "5 may", "12 may", true}, {"date:party", "5 may at 3pm", "5 may at 8pm", true}, {"date:party", "5 may at 3pm", "5 may", false},
		{"date:exam", "9", "5 may", false}, {"date:exam", "9", "10", true}, {"date:exam", "10:30", "5 may", false}, {"date:exam", "2026-04", "2026-04-12", false}, {"date:exam", "2026-04", "2026-05-12", true},
		{"date:exam", "week of 2026-03-16", "2026-03-18", false}, {"date:exam", "week of 2026-03-16", "2026-03-24", true}, {"deadline", "5 may", "12 may", true}, {"date:party", "at noon", "noon", false},
		{"date:call", "2026-03-12 10:30", "2026-03-12", false}, {"date:call", "3pm", "3 pm", false},
		{"date:call", "9", "9am", false}, {"date:call", "18:00", "6pm", false}, {"date:call", "9am", "9pm", true}, {"date:call", "nine", "9:00", false}, {"date:call", "noon", "12", false}, {"date:call", "9:15", "9", true}, {"date:call", "9.30", "9:30 am", false},
		{"diet", "vegan", "gluten-free", false}, {"diet", "vegetarian", "kosher", false}, {"diet", "vegetarian", "low-carb", false}, {"diet", "pescatarian", "halal", false}, {"diet", "vegan", "vegetarian", true},
		{"diet", "vegetarian", "meat", true}, {"diet", "everything", "meat", false}, {"diet", "vegan", "keto", false}, {"diet", "keto", "paleo", true}, {"diet", "a vegetarian diet", "eats anything", true},
		{"commute", "40 minutes", "train", false}, {"commute", "bus", "train", true}, {"commute", "40 minutes", "50 minutes", true},
		{"name", "Ana", "Ana Lopez", false}, {"name", "Ana", "Bea", true}, {"work", "Acme", "Acme Corp", false}, {"age", "41", "42", true}, {"home", "", "Porto", false}, {"home", "Porto", "", false},
	} {
		if got := contradicts(c.slot, c.was, c.is); got != c.want {
			t.Errorf("%s: %q, %q: %v", c.slot, c.was, c.is, got)
		}
	}
}

func TestDenies(t *testing.T) {
	for _, c := range []struct {
		slot, denied, value string
		want                bool
	}{
		{"diet", noMeat, "vegetarian", true}, {"diet", noMeat, "Vegan", true}, {"diet", noMeat, "everything", false}, {"diet", noMeat, "halal", false},
		{"work", "Acme", "acme", true}, {"work", "Acme", "Acme Corp", true}, {"work", "Acme", "Bosch", false}, {"home", "Porto", "", false},
	} {
		if got := denies(c.slot, c.denied, c.value); got != c.want {
			t.Errorf("%s: %q, %q: %v", c.slot, c.denied, c.value, got)
		}
	}
}
