package extract

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestNeedles(t *testing.T) {
	for expression, want := range map[string]needles{
		`(?i)\bI live in (.+)$`:           {"i live in "},
		`(?i)^(?:my (?:dog|cat)|Hamster)`: {"my ", "hamster"},
		`(?:ab|cd)+x`:                     {"ab", "cd"},
		`(?:ab|cd){2,3}`:                  {"ab", "cd"},
		`(?:ab|cd)*x?`:                    nil,
		`(?:ab|cd){0,3}`:                  nil,
		`ab|[xy]z`:                        nil,
		`ab|`:                             nil,
		`[0-9]+ (?:euro|dollars)`:         {"euro", "dollars"},
		`Straße`:                          {"stra"},
		`日本`:                              nil,
		`(`:                               nil,
	} {
		if got := needlesOf(expression); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
	for _, c := range []struct {
		expression, text string
		may              bool
	}{
		{`(?i)live in`, "I LIVE IN ROME", true}, {`live`, "lie", false}, {`live`, "", false}, {`(?i)kiss`, "\u212aISS", true}, {`(?i)kiss`, "ki\u017fs", true},
		{`[0-9]+`, "", true}, {`a|b`, "c", true}, {`live`, "li ve liv ive", true}, // each pair is there
	} {
		if got := needlesOf(c.expression).mayBeIn(c.text); got != c.may {
			t.Errorf("%s in %q: %v", c.expression, c.text, got)
		}
	}
}

// Whatever a pattern matches has one of its needles.
func TestNoPatternMatchesWithoutItsNeedles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	matched, known := 0, 0
	for _, p := range patterns {
		written := p.re().String()
		if p.needles != nil {
			known++
		}
		re, err := syntax.Parse(written, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			var b strings.Builder
			write(&b, re, r)
			text := b.String()
			for _, text := range []string{text, "Well, " + text + " and so on"} {
				if p.compiled.MatchString(text) {
					matched++
					if !p.needles.mayBeIn(text) {
						t.Errorf("%q matches %q and has none of %q", written, text, p.needles)
					}
				}
			}
		}
	}
	if len(patterns) < 500 || known < len(patterns)/2 || matched < 5*len(patterns) {
		t.Errorf("%d patterns, %d with needles, %d matches: this tests nothing", len(patterns), known, matched)
	}
}

// write writes a text that matches re, but for what it demands of what stands around it.
func write(b *strings.Builder, re *syntax.Regexp, r *rand.Rand) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				for range r.IntN(3) {
					c = unicode.SimpleFold(c)
				}
			}
			b.WriteRune(c)
		}
	case syntax.OpCharClass:
		i := 2 * r.IntN(len(re.Rune)/2)
		b.WriteRune(re.Rune[i] + r.Int32N(min(re.Rune[i+1]-re.Rune[i], 90)+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("ax 7."[r.IntN(5)])
	case syntax.OpCapture:
		write(b, re.Sub[0], r)
	case syntax.OpQuest, syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		least, most := re.Min, re.Max
		switch re.Op {
		case syntax.OpQuest:
			least, most = 0, 1
		case syntax.OpStar:
			least, most = 0, 2
		case syntax.OpPlus:
			least, most = 1, 2
		}
		if most < 0 || most > least+2 {
			most = least + 2
		}
		for range least + r.IntN(most-least+1) {
			write(b, re.Sub[0], r)
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, sub, r)
		}
	case syntax.OpAlternate:
		write(b, re.Sub[r.IntN(len(re.Sub))], r)
	}
}

func FuzzNeedles(f *testing.F) {
	f.Add(`(?i)\bI (?:live|work) in (\w+)`, "I live in Rome")
	f.Add(`(?i)k[ei]y|ſtop`, "\u212aey \u017ftop")
	f.Fuzz(func(t *testing.T, expression, text string) {
		re, err := regexp.Compile(expression)
		if err != nil {
			t.Skip("this is no regular expression")
		}
		if n := needlesOf(expression); re.MatchString(text) && !n.mayBeIn(text) {
			t.Errorf("%q matches %q and has none of %q", expression, text, n)
		}
	})
}
