package assemble

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

var testCounter = sync.OnceValues(newCounter)

func newTestCounter(t interface{ Fatal(...any) }) *counter {
	c, err := testCounter()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const plenty = 1 << 30

func TestCountAgreesWithTheTokenizer(t *testing.T) {
	c := newTestCounter(t)
	for text, want := range map[string]int{ // from OpenAI's own tokenizer
		"":            0,
		"hello world": 2,
		"user":        1,
	} {
		if got := c.count(text, plenty); got != want {
			t.Errorf("count(%q) = %d, want %d", text, got, want)
		}
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	word := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z]{1,12}('s|'LL)?`), rapid.StringMatching(`[0-9]{1,9}`),
		rapid.SampledFrom([]string{"naïve", "Ελλάδα", "里斯本", "，", "e\u0301te\u0301", "👨‍👩‍👧‍👦", "<|endoftext|>", "don't", "https://example.org/a?b=c"}))
	blank := rapid.SampledFrom([]string{" ", "  ", "\n", " \n ", "\t", ", ", ". ", "-", "/", "\r\n\r\n", "'"})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(0, 700).Draw(t, "words") {
			b.WriteString(word.Draw(t, "word"))
			b.WriteString(blank.Draw(t, "blank"))
		}
		want, err := codec.Count(b.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := c.count(b.String(), plenty); got != want {
			t.Fatalf("count = %d, the tokenizer has %d for %q", got, want, b.String())
		}
	})
}

func TestCountStopsAtItsLimit(t *testing.T) {
	c := newTestCounter(t)
	prose := strings.Repeat("The boat leaves at nine. ", 400_000)
	if n := c.count(prose, 100); n <= 100 || n > 100+chunkBytes {
		t.Errorf("count = %d, want a little more than the limit", n)
	}
	if n := c.count(strings.Repeat("x", 100*maxTokenBytes+maxTokenBytes), 100); n != 101 {
		t.Errorf("count = %d, want 101 without looking", n)
	}
}

// Whose caller has gone counts no more, and notes nothing that is no count.
func TestCountEndsWithItsCaller(t *testing.T) {
	c := newTestCounter(t)
	prose := strings.Repeat("The boat leaves at nine. ", 4000)
	gone := make(chan struct{})
	close(gone)
	if n := c.until(gone).count(prose, plenty); n != len(prose) {
		t.Errorf("it counts %d tokens of %d bytes", n, len(prose))
	}
	if n := c.until(make(chan struct{})).count(prose, plenty); n < 20000 || n > 30000 {
		t.Errorf("count = %d", n)
	}
}

func TestNoTokenIsLongerThanAssumed(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	longest, tokens := 0, 0
	for id := range uint(200_019) {
		if token, err := codec.Decode([]uint{id}); err == nil {
			longest = max(longest, len(token))
			tokens++
		}
	}
	if tokens < 199_000 || longest != maxTokenBytes {
		t.Errorf("the longest of %d tokens has %d bytes", tokens, longest)
	}
}

func TestChunksEndAfterWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringN(1, 40, -1).Draw(t, "text"), rapid.IntRange(1, 200).Draw(t, "times"))
		cut := chunkEnd(text)
		if cut < 1 || cut > chunkBytes || cut < len(text) && !utf8.RuneStart(text[cut]) {
			t.Fatalf("chunkEnd = %d of %d", cut, len(text))
		}
	})
}

func TestTrimKeepsAsMuchAsFits(t *testing.T) {
	c := newTestCounter(t)
	text := strings.Repeat("She keeps bees on the roof of the old school. ", 500)
	for _, room := range []int{0, 4, 5, 10, 100, 1000} {
		got := c.trim(text, room)
		kept, marked := strings.CutSuffix(got, trimMark)
		if !marked || !strings.HasPrefix(text, kept) {
			t.Fatalf("trim to %d gives %q", room, got)
		}
		n := c.count(got, plenty)
		if least := c.count(trimMark, plenty); n > max(room, least) {
			t.Errorf("trim to %d has %d tokens", room, n)
		}
		if room >= 10 && n < room-2 {
			t.Errorf("trim to %d keeps only %d tokens", room, n)
		}
	}
}

func FuzzTrim(f *testing.F) {
	f.Add("hello, world", 6)
	f.Add(strings.Repeat("👨‍👩‍👧‍👦", 3), 20)
	f.Add(strings.Repeat(" \n", 20), 10)
	f.Add("e\u0301e\u0301e\u0301 …[", 5)
	f.Fuzz(func(t *testing.T, text string, room int) {
		if !utf8.ValidString(text) || room > 5000 {
			return
		}
		c := newTestCounter(t)
		got := c.trim(text, room)
		kept, marked := strings.CutSuffix(got, trimMark)
		if !marked || !strings.HasPrefix(text, kept) || !utf8.ValidString(got) {
			t.Fatalf("trim(%q, %d) = %q", text, room, got)
		}
		if n := c.count(got, plenty); n > max(room, c.count(trimMark, plenty)) {
			t.Fatalf("trim(%q, %d) = %q has %d tokens", text, room, got, n)
		}
	})
}

// Lines have as many tokens together as one by one.
func TestCountOfLinesIsThatOfTheWhole(t *testing.T) {
	c := newTestCounter(t)
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"user: I like tea", "Ana: 里斯本很好", "\n", "\n\n", "\n  ", ".", "/", "'s", " ", "…", "42", "\u0301", "naïve", "x\r", "👨‍👩‍👧", "{}", "\t"}), 0, 30).Draw(t, "pieces")
		text := strings.Join(pieces, "")
		if got, want := c.countLines(text), c.count(text, plenty); got != want {
			t.Fatalf("%q has %d tokens by lines, %d as a whole", text, got, want)
		}
	})
}
