package extract

import (
	"regexp/syntax"
	"strings"
)

// Nearly all patterns match nearly no text, and to find that out a regular expression walks
// through all of it, slowly. Most cannot match without one of a few words: whether one of
// these may be there at all is seen from the pairs of letters that the text has.

// needles are strings, in lower-case ASCII and of two bytes at least, one of which stands in
// whatever a pattern matches. None: nothing is known.
type needles []string

// mostNeedles is how many are looked for at most.
const mostNeedles = 64

// needlesOf gives those of a regular expression.
func needlesOf(expression string) needles {
	re, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil // compiling it says so
	}
	return needlesIn(re)
}

func needlesIn(re *syntax.Regexp) needles {
	switch re.Op {
	case syntax.OpLiteral:
		return needleIn(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needlesIn(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needlesIn(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all needles
		for _, sub := range re.Sub {
			some := needlesIn(sub)
			if some == nil || len(all)+len(some) > mostNeedles {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		var best needles
		for _, sub := range re.Sub {
			if some := needlesIn(sub); some.isBetterThan(best) {
				best = some
			}
		}
		return best
	}
	return nil
}

// needleIn gives the longest run of ASCII in a literal.
func needleIn(literal []rune) needles {
	longest := ""
	for run := range strings.FieldsFuncSeq(string(literal), func(r rune) bool { return r >= 0x80 }) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	if len(longest) < 2 {
		return nil
	}
	return needles{strings.ToLower(longest)}
}

// isBetterThan says whether n are likelier to be missing from a text than o: fewer, or longer.
func (n needles) isBetterThan(o needles) bool {
	if n == nil || o == nil {
		return n != nil
	}
	return n.shortest()*len(o) > o.shortest()*len(n)
}

func (n needles) shortest() int {
	least := len(n[0])
	for _, s := range n {
		least = min(least, len(s))
	}
	return least
}

// mayBeIn says whether one of the needles may stand in a text, in whatever case. It errs only
// by saying that it may.
func (n needles) mayBeIn(text string) bool {
	if n == nil {
		return true
	}
	var pairs [1 << 6]uint64 // one bit each, which several pairs share
	var last byte
	for i := range len(text) {
		c := lowered(text[i])
		// The Kelvin sign is a k in another case, and the long s an s.
		if c >= 0x80 && (strings.HasPrefix(text[i:], "\u212a") || strings.HasPrefix(text[i:], "\u017f")) {
			return true
		}
		at := pairAt(last, c)
		pairs[at>>6] |= 1 << (at & 63)
		last = c
	}
search:
	for _, s := range n {
		for i := 1; i < len(s); i++ {
			if at := pairAt(s[i-1], s[i]); pairs[at>>6]&(1<<(at&63)) == 0 {
				continue search
			}
		}
		return true
	}
	return false
}

func pairAt(a, b byte) uint { return (uint(a)*67 + uint(b)) & (1<<12 - 1) }

func lowered(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
