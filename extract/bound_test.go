package extract

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

// nasty are texts of shapes that rules may stumble over, each by what it repeats.
var nasty = map[string]string{
	"no punctuation":       "word ",
	"one-letter lines":     "a\n",
	"unbroken":             "a",
	"emoji":                "🎉",
	"dates":                "On May 7th we met, ",
	"dates unparted":       "on March 3rd ",
	"ISO dates":            "2024-02-26 last week ",
	"dates to come":        "in three weeks ",
	"yesterdays":           "yesterday ",
	"quotes that open":     "“\"(",
	"brackets":             "[(",
	"brackets that close":  "[a b] ",
	"list":                 "- an item here\n",
	"leads":                "Colours:\n",
	"Han":                  "猫好",
	"Thai":                 "แมว",
	"kana with marks":      "猫です。",
	"digits":               "4111 ",
	"abbreviations":        "e.g. ",
	"stops":                ". ",
	"smileys":              "! :) ",
	"questions":            "what, is it ",
	"commas":               ", ",
	"commas and a verb":    "my dog, ",
	"links":                "http://a.b/c ",
	"addresses":            "a@b.co ",
	"fences":               "```\nx\n~~~\n",
	"tags that open":       "<memory>",
	"tags cut short":       "<memory a ",
	"turns":                "user: a\n",
	"armour that opens":    "-----BEGIN A-----\n",
	"passwords":            "password is x ",
	"values that open":     "TOKEN=“x TOKEN=b ",
	"values that open, ii": "password: \"x pwd: b ",
	"schemes":              "a://",
	"names without values": "key=",
	"names and commas":     "password,",
	"PINs and slips":       "my pin is 4821. No wait, 4822. ",
	"passwords in Han":     "密码是x",
	"invalid":              "\xff\xfea ",
	"control characters":   "\u0000\u202e",
	"sentences":            "I live in Porto. ",
}

func repeated(s string, size int) string { return strings.Repeat(s, size/len(s)) }

// Every shape comes to an end, and what it holds is there: the context is only for
// a failure to end as one.
func TestNastyShapes(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	const fact = "My sister Ines keeps forty bees in Ghent"
	for name, s := range nasty {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sizes := []int{nastySize}
			if largest(name) {
				sizes = append(sizes, largestText)
			}
			for _, size := range sizes {
				text := fact + ".\n\n" + repeated(s, size)
				got, err := NewRules().Extract(ctx, Input{Messages: []memd.Message{user(text)}})
				if err != nil {
					t.Fatal(err)
				}
				want := RulesVersion
				if len(text) > MaxText {
					want = "rules/8 (cut at 65536 bytes)"
				}
				if got.Extractor != want {
					t.Errorf("%d bytes: extractor %q, want %q", size, got.Extractor, want)
				}
				if len(got.Candidates) == 0 || !strings.HasPrefix(got.Candidates[0].Text, fact) {
					t.Errorf("%d bytes: the fact before it is lost", size)
				}
				for _, c := range got.Candidates {
					if !utf8.ValidString(c.Text) || utf8.RuneCountInString(c.Text) > maxRunes {
						t.Errorf("%d bytes: statement of %d characters", size, utf8.RuneCountInString(c.Text))
					}
				}
			}
		})
	}
}

func TestRedactNastyShapes(t *testing.T) {
	for name, s := range nasty {
		text := repeated(s, redactSize)
		for _, text := range []string{text, text + "\nmy password is hunter2"} {
			if once := Redact(text); strings.Contains(once, "hunter2") || Redact(once) != once {
				t.Errorf("%s: redacted badly", name)
			}
		}
	}
}

// Work is counted in steps: how often the context is looked at, which is once for
// each line, mark and piece, and how much a step may have to go over: pieces and
// clauses are of bounded length. (Allocations would not do: pools lose some at will.)
func TestWorkGrowsWithTheText(t *testing.T) {
	looks := func(s string, size int) int {
		counting := &fleeting{t.Context(), 1 << 30}
		if _, err := NewRules().Extract(counting, Input{Messages: []memd.Message{user(repeated(s, size))}}); err != nil {
			t.Fatal(err)
		}
		return 1<<30 - counting.looks
	}
	for name, s := range nasty {
		if small, large := looks(s, growthFrom), looks(s, growthTo); large > 12*small {
			t.Errorf("%s: %d steps for %d bytes, %d for %d", name, small, growthFrom, large, growthTo)
		}
	}
	for _, s := range []string{"word ", "in three weeks ", "we went, ", "and "} {
		text := repeated(s, MaxText)
		r := reader{text: text, words: wordsOf(text)}
		r.cutClauses()
		from := 0
		for _, c := range r.clauses {
			if n := c.end - from; n < 1 || n > clauseWords {
				t.Errorf("%q: a clause of %d words", s, n)
			}
			from = c.end
		}
		if from != len(r.words) {
			t.Errorf("%q: the clauses have %d of %d words", s, from, len(r.words))
		}
	}
	for name, s := range nasty {
		pieces, err := split(t.Context(), repeated(s, splitSize))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			if n := utf8.RuneCountInString(p.text); n > maxRunes {
				t.Errorf("%s: a piece of %d characters", name, n)
			}
		}
	}
}

func TestATextIsCutWhereItMayBe(t *testing.T) {
	filler := func(s string, size int) string { return strings.Repeat("x", size%len(s)) + repeated(s, size) }
	for _, c := range []struct{ name, head, tail string }{
		{"whole", filler("word ", MaxText), ""},
		{"line", filler("word ", MaxText-20) + "end\n", "some words and more to come, much more"},
		{"sentence", filler("word ", MaxText-20) + "The end. ", "Some words and more to come"},
		{"sentence without blanks", filler("字", MaxText-20) + "完。", "字字字字字字字字字字字字字"},
		{"word", filler("wordy\u00a0", MaxText-20) + "end ", "sk-abc123DEF456ghi789JKL0aaaa"}, // no-break blanks are none,
		{"character", filler("a", MaxText-1), "é" + "aaa"},
		{"invalid", filler("\xbf", MaxText), "\xbf\xbf"},
	} {
		kept, rest := bound(c.head + c.tail)
		if c.name == "invalid" {
			if kept+rest != c.head+c.tail || len(kept) > MaxText || len(kept) < MaxText-utf8.UTFMax {
				t.Errorf("%s: %d bytes kept", c.name, len(kept))
			}
			continue
		}
		if kept != c.head || rest != c.tail {
			t.Errorf("%s: kept %d bytes, want %d: …%q", c.name, len(kept), len(c.head), tail(kept, 30))
		}
	}
}

// Nothing before the cut is lost, nothing behind it is told.
func TestWhatIsBeforeTheCutIsKept(t *testing.T) {
	var text strings.Builder
	var facts []string
	for n := 0; text.Len() < 2*MaxText; n++ {
		fact := "My neighbour " + strings.Repeat("n", n%7+1) + " of flat " + string(rune('a'+n/676%26)) + string(rune('a'+n/26%26)) + string(rune('a'+n%26)) + " likes " + strings.Repeat("tea", 60)
		text.WriteString(fact + ".\n")
		facts = append(facts, fact)
	}
	got, err := NewRules().Extract(t.Context(), Input{Messages: []memd.Message{user(text.String())}})
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(texts(got.Candidates), ". ") + "."
	at := 0
	for _, fact := range facts {
		if end := at + len(fact) + 2; strings.Contains(all, fact) != (end <= MaxText) {
			t.Fatalf("%q ends at byte %d: told %v", fact, end, strings.Contains(all, fact))
		}
		at += len(fact) + 2
	}
}

// What closes only behind the cut is no less recalled, or code.
func TestWhatTheCutLeavesOpen(t *testing.T) {
	long := "I live in Rome and I like it.\n" + strings.Repeat(strings.Repeat(".", 99)+"\n", MaxText/90)
	for name, c := range map[string]struct {
		open, close string
		told        bool
	}{
		"tag":              {"<memories>\n", "< / Memories >\nI live in Porto.", false},
		"tag with more":    {"<user-memory id=1>\n", "</user-memory>", false},
		"another tag":      {"<memories>\n", "</memory> < </memories_of", true},
		"open tag":         {"<memories>\n", "", true},
		"fence":            {"```\n", "```\n", false},
		"fence and tildes": {"~~~\n```\n", "```\n", false},
		"open fence":       {"```\n", "and ``` is no end ``````", true},
	} {
		text := "I live in Ghent.\n\n" + c.open + long + c.close
		got, err := NewRules().Extract(t.Context(), Input{Messages: []memd.Message{user(text)}})
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(texts(got.Candidates), " ")
		if strings.Contains(all, "Rome") != c.told || !strings.Contains(all, "Ghent") || strings.Contains(all, "Porto") {
			t.Errorf("%s: told %v, want %v: %.100s", name, strings.Contains(all, "Rome"), c.told, all)
		}
	}
}

func TestTheQuestionAtTheEndOfALongMessage(t *testing.T) {
	long := assistant(strings.Repeat("Porto is lovely. ", MaxText/8) + "Where do you live?")
	check(t, user("Lisbon."), []string{"Lisbon (asked: Where do you live?)"}, long)
}

func TestCutMark(t *testing.T) {
	long := strings.Repeat("word ", MaxText)
	for _, c := range []struct {
		message memd.Message
		want    string
	}{
		{user(long), " (cut at 65536 bytes)"},
		{assistant(long), " (cut at 65536 bytes)"},
		{user(long[:MaxText]), ""},
		{memd.Message{Role: memd.RoleTool, Text: long}, ""},
	} {
		if got := CutMark([]memd.Message{user("hi"), c.message}); got != c.want {
			t.Errorf("%s of %d bytes: %q, want %q", c.message.Role, len(c.message.Text), got, c.want)
		}
	}
}

// fleeting is a context that ends after it has been looked at so many times.
type fleeting struct {
	context.Context
	looks int
}

func (c *fleeting) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestExtractEndsWithItsContext(t *testing.T) {
	for name, s := range nasty {
		in := Input{Before: []memd.Message{assistant(repeated(s, endingSize/2))}, Messages: []memd.Message{user(repeated(s, endingSize))}}
		counting := &fleeting{t.Context(), 1 << 30}
		if _, err := NewRules().Extract(counting, in); err != nil {
			t.Fatal(err)
		}
		looks := 1<<30 - counting.looks
		for _, n := range slices.Compact([]int{0, 1, 2, 5, looks / 4, looks / 2, looks - 1}) {
			got, err := NewRules().Extract(&fleeting{t.Context(), min(n, looks-1)}, in)
			var e *memd.Error
			if !errors.As(err, &e) || e.Kind != memd.Unavailable || !errors.Is(err, context.Canceled) || len(got.Candidates) > 0 {
				t.Errorf("%s, ended at look %d of %d: %d candidates, %v", name, n, looks, len(got.Candidates), err)
			}
		}
	}
	for _, messages := range [][]memd.Message{nil, {user("I live in Porto")}, {{Role: memd.RoleTool, Text: "x"}}} {
		var e *memd.Error
		if _, err := NewRules().Extract(canceled(), Input{Messages: messages}); !errors.As(err, &e) || e.Kind != memd.Unavailable {
			t.Errorf("%d messages, ended before: %v", len(messages), err)
		}
	}
}
