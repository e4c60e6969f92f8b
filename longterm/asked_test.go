package longterm

import (
	"testing"
	"time"
)

func TestDatesInQuestions(t *testing.T) {
	for _, c := range []struct {
		question         string
		year, month, day int
	}{
		{"What did I do in May 2023?", 2023, 5, 0},
		{"What did I do on 7 May 2023?", 2023, 5, 7},
		{"What did I do on the 7th of May?", 0, 5, 7},
		{"What happened on May 7th, 2023?", 2023, 5, 7},
		{"What happened May 7?", 0, 5, 7},
		{"Where was I in 2019?", 2019, 0, 0},
		{"Where was I in Sept?", 0, 9, 0},
		{"Where was I before February?", 0, 2, 0},
		{"September was busy, wasn't it?", 0, 9, 0},
		{"What happened on 2024-02-26?", 2024, 2, 26},
		{"What happened in 2024-02?", 2024, 2, 0},
		{"Was habe ich im Mai gemacht?", 0, 5, 0},
		{"Was war am 3. März 2021?", 2021, 3, 3},
		{"¿Qué hice en agosto de 2022?", 2022, 8, 0},
		{"Où étais-je en février 2020 ?", 2020, 2, 0},
		{"Onde estive em março?", 0, 3, 0},
		{"May I ask what I like?", 0, 0, 0},
		{"What does April think of June?", 0, 6, 0},
		{"What does April like?", 0, 0, 0},
		{"Did we march together?", 0, 0, 0},
		{"What did Jan and Mark decide?", 0, 0, 0},
		{"How many of the 20000 came?", 0, 0, 0},
		{"Where do I live?", 0, 0, 0},
	} {
		if a := askedBy(c.question, time.Time{}); a.year != c.year || a.month != c.month || a.day != c.day {
			t.Errorf("%q is of %d-%d-%d, want %d-%d-%d", c.question, a.year, a.month, a.day, c.year, c.month, c.day)
		}
	}
}

func TestWhatQuestionsAskFor(t *testing.T) {
	for _, c := range []struct {
		question                  string
		self, answers, when, many bool
	}{
		{"When did I move?", true, false, true, false},
		{"How long have we lived here?", true, false, true, false},
		{"How many weeks did Ann stay?", false, false, true, true},
		{"How often does Ann swim?", false, false, false, true},
		{"What did you recommend for my knee?", true, true, false, false},
		{"What was your advice?", false, true, false, false},
		{"Which books have you listed?", false, true, false, false},
		{"Who lives in the US?", false, false, false, false},
		{"Wann bin ich umgezogen?", true, false, true, false},
		{"¿Cuántos hermanos tiene Ann?", false, false, false, true},
		{"What happened when Ann fell?", false, false, false, false},
	} {
		if a := askedBy(c.question, time.Time{}); a.self != c.self || a.answers != c.answers || a.when != c.when || a.many != c.many {
			t.Errorf("%q: self %v, answers %v, when %v, many %v", c.question, a.self, a.answers, a.when, a.many)
		}
	}
}

func TestWhoIsNamedInAQuestion(t *testing.T) {
	a := askedBy("What did caroline's brother tell Jo?", time.Time{})
	for actor, want := range map[string]bool{"Caroline": true, "Caroline Smith": true, "Jo": true, "Joanna": false, "brother-in-law": false, "": false, "Caro": false} {
		if got := a.names(actor); got != want {
			t.Errorf("%q is named: %v", actor, got)
		}
	}
}

func TestTimesThatAgreeWithAQuestion(t *testing.T) {
	for _, c := range []struct {
		question, at string
		want         float64
	}{
		{"What happened in May 2023?", "2023-05-20", 1},
		{"What happened in May 2023?", "2023-06-02", nextMonth},
		{"What happened in May 2023?", "2022-05-20", 0},
		{"What happened in May 2023?", "2023-04-20", 0},
		{"What happened in May?", "2021-05-20", 1},
		{"What happened on 7 May 2023?", "2023-05-07", 2},
		{"What happened on 7 May 2023?", "2023-05-17", 2},
		{"What happened on 7 May 2023?", "2023-05-18", 1},
		{"What happened on 7 May 2023?", "2023-05-06", 1},
		{"What happened in December 2022?", "2023-01-31", nextMonth},
		{"What happened in 2022?", "2022-12-31", 1},
		{"What happened in 2022?", "2023-01-01", 0},
		{"What happened?", "2023-01-01", 0},
	} {
		at, err := time.Parse(time.DateOnly, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := askedBy(c.question, time.Time{}).date(at); got != c.want {
			t.Errorf("%q and %s: %v, want %v", c.question, c.at, got, c.want)
		}
	}
}

func TestTextsThatAsk(t *testing.T) {
	for text, want := range map[string]bool{
		"Where to?": true, "Where to? 😀": true, "Where to? [shares a photo: a map]": true, "どこ？": true, "أين؟": true,
		"Lisbon (asked: Where to?)": false, "Lisbon": false, "[a photo of what?]": true, "Really? Yes.": false, "": false,
	} {
		if got := endsAsking(text); got != want {
			t.Errorf("%q asks: %v", text, got)
		}
	}
}

func FuzzAskedBy(f *testing.F) {
	for _, seed := range []string{"What did I do on 31 May 2023?", "2024-02-31", "in may 99", "¿Cuándo?", "\xff may 3", "İn MAY"} {
		f.Add(seed, "Ann")
	}
	f.Fuzz(func(t *testing.T, question, actor string) {
		a := askedBy(question, time.Time{})
		a.names(actor)
		endsAsking(question)
		if a.month < 0 || a.month > 12 || a.day < 0 || a.day > 31 {
			t.Fatalf("%q is of %d-%d-%d", question, a.year, a.month, a.day)
		}
		if got := a.date(time.Date(2023, 1, 31, 0, 0, 0, 0, time.UTC)); got < 0 || got > 2 {
			t.Fatalf("%q agrees by %v", question, got)
		}
	})
}
