package extract

import (
	"context"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

// fragments are what random messages are made of: bits of every rule.
var fragments = []string{
	"I live in Porto", "my name is Ana", "yesterday", "two days ago", "last week", "in three weeks", "on Friday", "I will", "I went", "It is", "She", "and", "because", "what", "is it", "?", ".", "!", "...", "…", ",", ";", ":",
	"\n", "\n\n", "- ", "1. ", "> ", "# ", "**", "```\n", "~~~", "\"", "“", "”", "(", ")", "[", "]", "[shares a photo: a dog]", "http://a.b/c", "a@b.co", "Dr.", "e.g.", "U.S.", "3.5", "v1.2",
	"hi", "thanks", "lol", "ok", "Did I tell you that", "Remember that", "can you", "write me", "my dog Rex", "retrieved memories:\nuser: x", "<memories>", "</memories>", "User: a", "Assistant: b",
	"4111 1111 1111 1111", "my password is x9", "sk-abcdefghijklmnop1", "猫が好きです。", "我住在上海", "أحب الشاي؟", "मुझे चाय।", "¿Qué?", "🎉", "👨‍👩‍👧", ":)", "\u0000", "\u202e", "\xff", "’", "'", "May", "March 3rd", "7 May 2023", "2024-02-26",
	"|", "---", "I'm vegan", "allergic to nuts", "my favorite color is", "yes", "Lisbon", "sorry, I mean", "oops no, 241", "forget that I live in Porto", "forget everything about Ana", "You live in Oulu", "> quoted", "I said I live in Porto, that was wrong: it's Rome", strings.Repeat("a", 2100), strings.Repeat("long words here ", 30),
}

func message(t *rapid.T, id int64) memd.Message {
	sep := rapid.SampledFrom([]string{" ", " ", " ", "", ". ", "\n"}).Draw(t, "sep")
	m := memd.Message{
		ID:   id,
		Role: rapid.SampledFrom([]memd.Role{"user", "user", "assistant", "system", "tool", "developer"}).Draw(t, "role"),
		Name: rapid.SampledFrom([]string{"", "ana", "Bob Lopes"}).Draw(t, "name"),
		Text: strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(fragments), rapid.String()), 0, 25).Draw(t, "text"), sep),
	}
	if rapid.Bool().Draw(t, "dated") {
		m.CreatedAt = time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "at"), 0)
	}
	m.Timezone = rapid.SampledFrom([]string{"", "Asia/Tokyo", "nowhere"}).Draw(t, "zone")
	return m
}

func TestExtractHoldsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in Input
		for i := range rapid.IntRange(0, 2).Draw(t, "before") {
			in.Before = append(in.Before, message(t, int64(i+1)))
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "messages") {
			in.Messages = append(in.Messages, message(t, int64(i+10)))
		}
		checkExtraction(t, in)
	})
}

var note = regexp.MustCompile(`\(asked: .*?[?？؟\x{037e}]\W*\)|\((?:\d{4}(?:-\d{2}(?:-\d{2})?)?|(?:week of|weekend of|before|after) \d{4}-\d{2}-\d{2}|(?:spring|summer|autumn|fall|winter) \d{4})\)|\[redacted:[a-z]+\]`)

type failer interface {
	Fatalf(format string, args ...any)
	Helper()
}

// checkExtraction holds an extraction to what every one must keep.
func checkExtraction(t failer, in Input) {
	t.Helper()
	extract := func() memd.Extraction {
		e, err := NewRules().Extract(context.Background(), in)
		if err != nil {
			t.Fatalf("Extract: %v", err)
		}
		return e
	}
	got := extract()
	if again := extract(); !reflect.DeepEqual(got, again) {
		t.Fatalf("not deterministic:\n%+v\n%+v", got, again)
	}
	byID, new := map[int64]memd.Message{}, map[int64]bool{}
	for _, m := range in.Before {
		byID[m.ID] = m
	}
	for _, m := range in.Messages {
		byID[m.ID], new[m.ID] = m, true
	}
	positions := map[int64]int{}
	for _, c := range got.Candidates {
		if n := len(c.Sources); n < 1 || n > 2 || n == 2 && c.Sources[0] >= c.Sources[1] {
			t.Fatalf("sources %v", c.Sources)
		}
		id := c.Sources[len(c.Sources)-1]
		m, ok := byID[id]
		if !ok || !new[id] || c.Role != m.Role || c.ActorID != m.Name || !c.SaidAt.Equal(byID[c.Sources[0]].CreatedAt) || !m.Role.Learnable() {
			t.Fatalf("%+v is not of %+v", c, m)
		}
		if c.Slot == "" && (c.Value != "" || c.Negated || len(c.Categories) > 0) {
			t.Fatalf("%+v has no slot", c)
		}
		if c.Position != positions[m.ID] {
			t.Fatalf("position %d, want %d", c.Position, positions[m.ID])
		}
		positions[m.ID]++
		switch {
		case !hasContent(c.Text), !utf8.ValidString(c.Text), c.Text != strings.Join(strings.Fields(c.Text), " "), utf8.RuneCountInString(c.Text) > maxRunes:
			t.Fatalf("text %q of %q", c.Text, m.Text)
		case strings.ContainsAny(c.Text, "\u0000\n\r\u202e"):
			t.Fatalf("control characters in %q", c.Text)
		case Redact(c.Text) != c.Text:
			t.Fatalf("a secret in %q", c.Text)
		}
		if c.OccurredAt != nil && (c.OccurredAt.Year() < 1 || c.OccurredAt.Year() > 9999) {
			t.Fatalf("occurred at %v", c.OccurredAt)
		}
		source := map[string]bool{"said": true, "before": true, "i": true}
		for _, id := range c.Sources {
			for _, w := range wordsOf(Clean(byID[id].Text)) {
				source[w.low] = true
			}
		}
		if c.Slip { // what it takes back may be another's, said before
			for earlier, said := range byID {
				for _, w := range wordsOf(Clean(said.Text)) {
					source[w.low] = source[w.low] || earlier < m.ID
				}
			}
		}
		for _, w := range wordsOf(note.ReplaceAllString(c.Text, " ")) {
			if !source[w.low] && len(w.low) < 1000 && !pieceOf(source, w.low) {
				t.Fatalf("%q in %q was not said in %q", w.low, c.Text, m.Text)
			}
		}
	}
}

// pieceOf says whether a word is what is left of one that a secret or mark was cut from.
func pieceOf(source map[string]bool, low string) bool {
	for w := range source {
		if strings.Contains(w, low) || strings.Contains(low, w) {
			return true
		}
	}
	return false
}

func FuzzExtract(f *testing.F) {
	for _, s := range fragments {
		f.Add(s, "I live in Porto. "+s+" It is nice", true)
	}
	f.Add("Where do you live?", "Lisbon. Yesterday!", false)
	f.Fuzz(func(t *testing.T, before, text string, fromUser bool) {
		m := user(text)
		if !fromUser {
			m.Role = memd.RoleAssistant
		}
		checkExtraction(t, Input{Before: []memd.Message{{ID: 1, Role: memd.RoleUser, Name: "x", Text: before}}, Messages: []memd.Message{m}})
	})
}

func FuzzSentences(f *testing.F) {
	for _, s := range fragments {
		f.Add(s + " I moved. " + s)
	}
	// Blanks are dropped around sentences, full stops behind captions; nothing else is lost.
	signs := func(s string) string {
		return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), ".", "")
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		got := sentences(context.Background(), text)
		if signs(strings.Join(got, " ")) != signs(text) {
			t.Fatalf("%q\n gives %q", text, got)
		}
		for _, s := range got {
			if strings.TrimSpace(s) != s || s == "" {
				t.Fatalf("%q: sentence %q", text, s)
			}
		}
		pieces, err := split(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			if !hasContent(p.text) {
				t.Fatalf("%q: empty piece", text)
			}
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	in := Input{
		Before:   []memd.Message{assistant("Nice to hear from you! How was the move?")},
		Messages: []memd.Message{user("Thanks! It went well. I moved to Porto two weeks ago and my sister Ana helped me carry the piano. She lives nearby. Do you know a good tuner?")},
	}
	b.SetBytes(int64(len(in.Messages[0].Text)))
	for b.Loop() {
		if _, err := NewRules().Extract(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
}
