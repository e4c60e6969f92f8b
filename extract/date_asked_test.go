package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// What questions name of time, asked on a Wednesday.
func TestPeriodsOfQuestions(t *testing.T) {
	wednesday := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	for question, want := range map[string]string{
		"What did I do last summer?":                    "2025-06-01..2025-09-01",
		"Where was I in the summer?":                    "2025-06-01..2025-09-01",
		"What did we plan for this summer?":             "2026-06-01..2026-09-01",
		"What did I do in the summer of 2023?":          "2023-06-01..2023-09-01",
		"Which trips did I make in spring 2024?":        "2024-03-01..2024-06-01",
		"What happened two weeks ago?":                  "2026-02-16..2026-02-23",
		"What did I say three days ago?":                "2026-03-01..2026-03-02",
		"What happened in May?":                         "2025-05-01..2025-06-01",
		"What did I do in January?":                     "2026-01-01..2026-02-01",
		"What did I do on 7 May 2023?":                  "2023-05-07..2023-05-08",
		"Where did I go on the 3rd of January?":         "2026-01-03..2026-01-04",
		"What have I learned since Christmas?":          "2025-12-25..",
		"What did I get for Christmas?":                 "2025-12-25..2025-12-26",
		"What happened after Christmas?":                "2025-12-26..",
		"Who did I work for in 2019?":                   "2019-01-01..2020-01-01",
		"What have I read since 2024?":                  "2024-01-01..",
		"Where did I live before May 2023?":             "..2023-05-01",
		"What did I do between May 2024 and July 2024?": "2024-05-01..2024-08-01",
		"What did I do in the last two weeks?":          "2026-02-18..2026-03-05",
		"How often did I swim over the past month?":     "2026-02-04..2026-03-05",
		"What did I do last week?":                      "2026-02-23..2026-03-02",
		"What did I do in the last week?":               "2026-02-25..2026-03-05",
		"What am I doing tomorrow?":                     "2026-03-05..2026-03-06",
		"What do I have next week?":                     "2026-03-09..2026-03-16",
		"Where did I live before 2023?":                 "..2023-01-01", "What did I do after 2023?": "2024-01-01..", "What happened during 2023?": "2023-01-01..2024-01-01",
		"What did I do last weekend?":                    "2026-02-28..2026-03-02",
		"Who did I meet on Monday?":                      "2026-03-02..2026-03-03",
		"Where was I last May?":                          "2025-05-01..2025-06-01",
		"What did I do last year?":                       "2025-01-01..2026-01-01",
		"Was habe ich gestern gemacht?":                  "2026-03-03..2026-03-04",
		"What did we do yesterday and what is tomorrow?": "2026-03-03..2026-03-04 2026-03-05..2026-03-06",
	} {
		if got := periodsOf(question, wednesday); got != want {
			t.Errorf("%q: %s, want %s", question, got, want)
		}
	}
	for _, question := range []string{
		"Where do I live?", "What was the last book I read?", "When did I last see Ann?", "What is my last name?", "Which spring roll do I like?", "Did I fall off my bike?",
		"What do I eat before breakfast?", "Who came first?", "May I ask you something?", "What is a summer job?", "Do I like winter?", "", "When did I move?",
	} {
		if got := periodsOf(question, wednesday); got != "" {
			t.Errorf("%q names %s", question, got)
		}
	}
	if got := Periods("What did I do last summer?", time.Time{}); got != nil {
		t.Errorf("asked at no time: %v", got)
	}
	// Late in Honolulu it is still the day before.
	zone, err := time.LoadLocation("Pacific/Honolulu")
	if err != nil {
		t.Fatal(err)
	}
	if got := periodsOf("What did I do yesterday?", wednesday.Add(-4*time.Hour).In(zone)); got != "2026-03-02..2026-03-03" {
		t.Errorf("yesterday in Honolulu: %s", got)
	}
}

func periodsOf(question string, asked time.Time) string {
	var all []string
	for _, p := range Periods(question, asked) {
		end := func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return t.Format(time.DateOnly)
		}
		all = append(all, fmt.Sprintf("%s..%s", end(p.From), end(p.To)))
	}
	return strings.Join(all, " ")
}

func FuzzPeriods(f *testing.F) {
	for _, seed := range []string{"What did I do last summer?", "since 2024 and before 99", "the last", "past", "in the last 9999 years", "after", "spring of"} {
		f.Add(seed, int64(1772618400))
	}
	f.Fuzz(func(t *testing.T, question string, at int64) {
		for _, p := range Periods(question, time.Unix(at%4_000_000_000, 0).UTC()) {
			if p.From.IsZero() && p.To.IsZero() || p.Length() < 0 {
				t.Fatalf("%q: %v", question, p)
			}
		}
	})
}

// Whatever is read as a date has a word by which it is seen that there may be one.
func TestPeriodsAreLookedForWhereADateMayBe(t *testing.T) {
	wednesday := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	seen := 0
	for _, text := range []string{
		"What did we do on the day before yesterday?", "What happened last night?", "Who came over the weekend?", "What's on tonight?", "What did I plan for the other day?", "Who wrote on 5/5/2024?",
		"What is due tmrw?", "What did I do a fortnight ago?", "What did I get for Christmas?", "What happened last fall?", "Who called on Tues?", "What did I do in Sept 2024?", "What was it a decade ago?", "What is due on the 15th?",
		"What did I buy for Valentine's Day?", "Where was I on New Year's Eve?", "Was I out on Monday's walk last Monday?",
	} {
		if len(mentions(text, wednesday, true)) > 0 {
			seen++
			if len(Periods(text, wednesday)) == 0 && !slices.ContainsFunc(wordsOf(text), timed) {
				t.Errorf("%q is passed over", text)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d have a date", seen)
	}
}
