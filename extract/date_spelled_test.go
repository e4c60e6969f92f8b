package extract

import (
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// Days that are spelled out, and feasts, are dates in the zone of the message; what only looks like one
// is none, nor is a birthday that the words do not tell.
func TestSpelledDaysAndFeasts(t *testing.T) {
	for text, want := range map[string]string{
		"I moved to Utrecht on the first of June":             "2025-06-01",
		"I got married on the twelfth":                        "2026-02-12",
		"I'm flying home on the twenty-first of May":          "2026-05-21",
		"I started the job on the second of March 2021":       "2021-03-02",
		"On the thirty-first of December we moved to Ghent":   "2025-12-31",
		"he moved in on the first":                            "2026-03-01",
		"We got engaged on Christmas Eve":                     "2025-12-24",
		"I quit smoking on New Year's Day":                    "2026-01-01",
		"My flight leaves on Christmas Eve":                   "2026-12-24",
		"my parents visited at Easter":                        "2025-04-20",
		"we're going to Rome at Easter":                       "2026-04-05",
		"My exam is on Good Friday":                           "2026-04-03",
		"We'll marry on my birthday":                          "",
		"I live on the second floor":                          "",
		"I passed on the third try":                           "",
		"I won on the first of three days":                    "",
		"this is the first of many moves":                     "",
		"we have dinner with my parents every year at Easter": "",
	} {
		m := memd.Message{ID: 7, Role: memd.RoleUser, Text: text, CreatedAt: time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)}
		got := ""
		for _, c := range extracted(t, nil, m) {
			if c.OccurredAt != nil {
				got = c.OccurredAt.Format(time.DateOnly)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for year, want := range map[int]string{2024: "2024-03-31", 2025: "2025-04-20", 2026: "2026-04-05", 2038: "2038-04-25"} {
		if got := easter(year).Format(time.DateOnly); got != want {
			t.Errorf("Easter of %d is %s, want %s", year, got, want)
		}
	}
}
