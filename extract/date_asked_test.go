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

		"What did I do in the first quarter of 2024?":          "2024-01-01..2024-04-01",
		"What happened in Q3 2024?":                            "2024-07-01..2024-10-01",
		"What did I do in Q4?":                                 "2025-10-01..2026-01-01",
		"What did we do last quarter?":                         "2025-10-01..2026-01-01",
		"What did I do in the third quarter of last year?":     "2025-07-01..2025-10-01",
		"What happened in the first half of 2024?":             "2024-01-01..2024-07-01",
		"What happened in the second half of last year?":       "2025-07-01..2026-01-01",
		"What happened in the second half of May?":             "2025-05-16..2025-06-01",
		"What did I do in H1 2025?":                            "2025-01-01..2025-07-01",
		"What did I do in early June?":                         "2025-06-01..2025-06-11",
		"What did I do in mid-June 2024?":                      "2024-06-11..2024-06-21",
		"What did I do in late June?":                          "2025-06-21..2025-07-01",
		"What did I do in early 2024?":                         "2024-01-01..2024-05-01",
		"What did I do in mid-2024?":                           "2024-05-01..2024-09-01",
		"What did I do late last year?":                        "2025-09-01..2026-01-01",
		"What did I do at the beginning of the year?":          "2026-01-01..2026-04-01",
		"What did I do at the end of last year?":               "2025-10-01..2026-01-01",
		"What happened at the end of August 2024?":             "2024-08-21..2024-09-01",
		"What did I do at the start of last month?":            "2026-02-01..2026-02-11",
		"What did I do early this week?":                       "2026-03-02..2026-03-05",
		"What did I do in late summer?":                        "2025-08-01..2025-09-01",
		"What did I do between March and June 2023?":           "2023-03-01..2023-07-01",
		"What did I do between March and June?":                "2026-03-01..2026-07-01",
		"What did I do from May to July?":                      "2025-05-01..2025-08-01",
		"What did I do from October to January?":               "2025-10-01..2026-02-01",
		"What did I do between November 2024 and March?":       "2024-11-01..2025-04-01",
		"What did I do from May to July on weekends?":          "2025-05-01..2025-08-01",
		"What did Ann do in July and August 2023?":             "2023-07-01..2023-09-01",
		"What did I do in December and January?":               "2025-12-01..2026-02-01",
		"Where did I work from 2019 to 2021?":                  "2019-01-01..2022-01-01",
		"What did I do between 3 and 10 May 2024?":             "2024-05-03..2024-05-11",
		"What did I do in the first week of May?":              "2025-05-01..2025-05-08",
		"What did I do in the second week of August 2024?":     "2024-08-08..2024-08-15",
		"What did I do in the last week of May?":               "2025-05-25..2025-06-01",
		"What did I do in the last three days of June 2024?":   "2024-06-28..2024-07-01",
		"What did I do in the first three months of 2024?":     "2024-01-01..2024-04-01",
		"What did I do on the second Saturday of August 2024?": "2024-08-10..2024-08-11",
		"What did I do on the last Friday of May 2024?":        "2024-05-31..2024-06-01",
		"What did I do on the first weekend of May 2024?":      "2024-05-04..2024-05-06",
		"What happened in the week of 1 April 2024?":           "2024-04-01..2024-04-08",
		"What did I do on the weekend of 10 August 2024?":      "2024-08-10..2024-08-12",
		"What did I do in August last year?":                   "2025-08-01..2025-09-01",
		"What was I up to in January of this year?":            "2026-01-01..2026-02-01",
		"What did I do in the summer of last year?":            "2025-06-01..2025-09-01",
		"What did I do the year before last?":                  "2024-01-01..2025-01-01",
		"Where was I over Christmas?":                          "2025-12-23..2025-12-28",
		"Where was I at Christmas 2023?":                       "2023-12-23..2023-12-28",
		"Where was I at Easter?":                               "2025-04-18..2025-04-22",
		"Where was I over Easter 2024?":                        "2024-03-29..2024-04-02",
		"What did we do over the holidays?":                    "2025-12-23..2026-01-03",
		"What did I do on New Year's Day?":                     "2026-01-01..2026-01-02",
		"What are we doing at Easter?":                         "2026-04-03..2026-04-07",
		"What have I been up to recently?":                     "2026-02-01..2026-03-05",
		"What have I been doing lately?":                       "2026-02-01..2026-03-05",
		"What did I cook in recent weeks?":                     "2026-02-04..2026-03-05",
		"Who did I meet the other day?":                        "2026-02-18..2026-03-04",
		"What did I do a few weeks ago?":                       "2026-01-14..2026-02-25",
		"What did I do several months back?":                   "2025-08-04..2026-02-04",
		"What did I do half a year ago?":                       "2025-09-01..2025-10-01",
		"What did I do in the past half year?":                 "2025-09-04..2026-03-05",
		"What did I do this time last year?":                   "2025-02-18..2025-03-19",
		"What did I do a year ago?":                            "2025-01-18..2025-04-19",
		"What did I do two years ago?":                         "2024-01-01..2025-01-01",
		"What did I do a year ago today?":                      "2025-03-04..2025-03-05",
		"How was my week?":                                     "2026-02-25..2026-03-05",
		"How was my weekend?":                                  "2026-02-28..2026-03-02",
		"What music did I like in the 90s?":                    "1990-01-01..2000-01-01",
		"What did I do the day before 2 April 2024?":           "2024-04-01..2024-04-02",
		"What did I do two weeks after Christmas?":             "2025-12-26..2026-01-09",
		"What did I do around 10 August 2024?":                 "2024-08-06..2024-08-15",
	} {
		if got := periodsOf(question, wednesday); got != want {
			t.Errorf("%q: %s, want %s", question, got, want)
		}
	}
	for _, question := range []string{
		"Where do I live?", "What was the last book I read?", "When did I last see Ann?", "What is my last name?", "Which spring roll do I like?", "Did I fall off my bike?",
		"What do I eat before breakfast?", "Who came first?", "May I ask you something?", "What is a summer job?", "Do I like winter?", "", "When did I move?",
		"What did I do most recently?", "What do I eat for Christmas dinner?", "Who lives in the other house?", "What happened early in the film?", "What was the first week at my job like?", "What did I get at the start?",
		"How do I beat the eggs in the end?", "May I start late?", "What is my second half called?",
	} {
		if got := periodsOf(question, wednesday); got != "" {
			t.Errorf("%q names %s", question, got)
		}
	}
	if got, _ := Periods("What did I do last summer?", time.Time{}); got != nil {
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

// What is left of a question beside the times that it names.
func TestWhatAQuestionAsksBesideItsTimes(t *testing.T) {
	wednesday := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	for question, want := range map[string]string{
		"What did I do last month?":                              "What did I do ?",
		"Who did I meet between March and June 2023?":            "Who did I meet ?",
		"In May, what did I buy for the bath?":                   "In , what did I buy for the bath?",
		"What did I buy yesterday and the day before yesterday?": "What did I buy and the ?",
		"Where do I live?":                                       "Where do I live?",
	} {
		if _, rest := Periods(question, wednesday); strings.Join(strings.Fields(rest), " ") != want {
			t.Errorf("%q leaves %q, want %q", question, rest, want)
		}
	}
}

func periodsOf(question string, asked time.Time) string {
	var all []string
	periods, _ := Periods(question, asked)
	for _, p := range periods {
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
		periods, rest := Periods(question, time.Unix(at%4_000_000_000, 0).UTC())
		if len(rest) > len(question)+len(periods)+16 {
			t.Fatalf("%q: %q is left", question, rest)
		}
		for _, p := range periods {
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
			if periodsOf(text, wednesday) == "" && !slices.ContainsFunc(wordsOf(text), timed) {
				t.Errorf("%q is passed over", text)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d have a date", seen)
	}
}
