package extract

import (
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// Which verb tells the tense of a date, and which word only looks like one.
func TestTenseIsOfTheVerbOfTheDate(t *testing.T) {
	wednesday := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"I have a meeting with Ahmed on friday": "2026-03-06", "I have a meeting with Fred on friday": "2026-03-06", "my interview with winifred is on the 10th": "2026-03-10", "I have a date with Jared in May": "2026-05",
		"lunch with Fred on the 9th": "2026-03-09", "I have a meeting with Tom on friday": "2026-03-06", "I saw Ahmed on friday": "2026-02-27", "I moved in on friday": "2026-02-27",
		"I forgot to mention that I moved to Ghent in January": "2026-01", "I forgot to tell you I moved to Ghent in January": "2026-01", "I moved to Ghent in January": "2026-01", "they moved my exam to friday": "2026-03-06",
		"the exam moved to the 12th": "2026-03-12", "I was told the exam is on friday": "2026-03-06", "I told the doctor on monday": "2026-03-02", "I've decided to move out in May": "2026-05",
		"I wanted to tell you I got married in December": "2025-12", "I need to tell you I got divorced in January": "2026-01",
		"We're flying to Iceland on 14 August, back on the 28th": "2026-08-28", "I leave on August 20 and return on the 3rd": "2026-09-03", "starting march 15 I'll be working from Madeira": "2026-03-15",
		"my contract ends at the end of the month": "2026-03-31", "the week after next I'm in Paris": "2026-03-16", "Ann's birthday party is on sunday": "2026-03-08",
		"my red dress must be ready by friday": "2026-03-06", "I'm so tired, exam on friday": "2026-03-06",
	} {
		if got := dated(t, wednesday, text); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %s", text, got, want)
		}
	}
	for _, text := range []string{"I get paid at the end of the month", "my birthday is on the 5th of May", "I was busy, exam on friday", "we were busy at the end of the month"} {
		if got := dated(t, wednesday, text); strings.Contains(got, "(20") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func dated(t *testing.T, said time.Time, text string) string {
	t.Helper()
	m := user(text)
	m.CreatedAt = said
	got, err := NewRules().Extract(t.Context(), Input{Messages: []memd.Message{m}})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(texts(got.Candidates), " | ")
}
