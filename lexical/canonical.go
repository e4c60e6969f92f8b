package lexical

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Canonical gives the form in which two statements are compared for equality. It is the
// normal form (Normalise) without what says nothing of its own: smileys before and after
// it, words that lead in or tail off ("as I said before, …", "…, by the way"), with short
// forms written out ("I'm", "don't") and with one spelling where British and American
// English have two. Numbers, names, dates and
// negations are left as they are. What would leave nothing stays. Applying it twice
// changes nothing.
//
// It differs from the normal form only for such texts.
func Canonical(text string) string {
	s := Normalise(text)
	bare := func(text string) string { return strings.TrimRight(strings.TrimLeft(text, " "), ending) }
	for {
		next := withoutSmileys(s)
		if next != s && emojiWord.MatchString(s) {
			next = s
		}
		for leads[first(next)] {
			m := leadIn.FindStringIndex(beginning(next))
			if m == nil || !says(next[m[1]:]) {
				break
			}
			next = bare(next[m[1]:])
		}
		if at := lastMatch(tail, tails, next); at < len(next) && says(next[:at]) {
			next = bare(next[:at])
		}
		if next == s {
			return respell(writeOut(s))
		}
		s = next
	}
}

// first gives the first byte of a text, 0 if there is none.
func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// reach is how many bytes the longest lead-in or tail has, and more.
const reach = 100

func beginning(s string) string {
	at := min(len(s), reach)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[:at]
}

// lastMatch gives where a pattern, which ends in one of some ways, matches the end of a
// text, the text's length if it does not.
func lastMatch(p *regexp.Regexp, ends []string, s string) int {
	if !slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s, end) }) {
		return len(s)
	}
	from := max(0, len(s)-reach)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	end := s[from:]
	if m := p.FindStringIndex(end); m != nil {
		return from + m[0]
	}
	return len(s)
}

// says tells whether a text has anything that can be read.
func says(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

const (
	// asSaid points to what was said already, without saying when.
	asSaid = `(?:as|like) (?:i|we)(?:'ve| have)?(?: just| already)? (?:said|mentioned|told you|noted|wrote)(?: (?:before|earlier|already|previously|above|last time))?`
	aside  = `by the way|btw|fyi|jsyk|just so (?:that )?you know`
	formal = `for your information|for the record`
)

var (
	// leadIn is what stands before a statement. Words that may as well be part of one need
	// a mark after them.
	leadIn = regexp.MustCompile(`^(?:and |oh |so )?(?:` +
		`(?:` + asSaid + `|` + aside + `)(?: that)?(?: ?[,:;.–—-]+ ?| )` +
		`|(?:` + formal + `|(?:once )?again) ?[,:–—-]+ ?` +
		`|(?:oh|and|also|well|so|anyway|okay|ok|hey|yeah) ?[,!.]+ ?)` +
		`|^oh ?[,!.-]* ?(?:and|also|yes|yeah) `)
	// leads are the letters that a lead-in begins with.
	leads = map[byte]bool{'a': true, 'b': true, 'f': true, 'h': true, 'j': true, 'l': true, 'o': true, 's': true, 'w': true, 'y': true}
	// tail is what follows it.
	tail  = regexp.MustCompile(`(?: ?[,;–—-]+ ?(?:` + asSaid + `|` + aside + `|` + formal + `)| (?:btw|fyi|jsyk))$`)
	tails = strings.Fields("said mentioned you noted wrote before earlier already previously above time way btw fyi jsyk know information record")
	// emojiWord is where smileys may be what is spoken of.
	emojiWord = regexp.MustCompile(`emoji|emoticon|smiley`)
)

// smileys are signs of a mood that change nothing of what is stated. Those that can turn
// it around (a thumb down, rolling eyes, a wink, crossed fingers, a broken heart) are not
// among them, nor pictures of things.
var smileys = runes(`😀😃😄😁😆😅😂🤣😊😇🙂😌😍🥰😘😗😙😚😋🤗🤭🤩🥳😎🤓🥹☺😢😭😔😞😟🥺😥😳😬🙈🙉🙊😺😸😹😻` +
	`❤🧡💛💚💙💜🖤🤍🤎♥💕💞💓💗💖💘💝✨🎉🎊🔥💯👍👏🙌💪👋✌👌`)

// emoticons are the same in plain signs, without letters and digits that could be names or
// numbers.
var emoticons = regexp.MustCompile(` (?::['o-]?[)(]+|:-?d|=\)+|\^_?\^)$`)

// mouths are what they end in.
var mouths = strings.Split(") ( d = ^", " ")

func runes(all string) map[rune]bool {
	set := map[rune]bool{}
	for _, r := range all {
		set[r] = true
	}
	return set
}

// withoutSmileys takes them off both ends of a text. One that a sentence leads up to
// ("my mood is 😊") is what it states, and stays.
func withoutSmileys(s string) string {
	rest := s
	for {
		next := strings.TrimRight(rest, ending)
		if cut := lastSmiley(next); cut < len(next) {
			next = next[:cut]
		} else if at := lastMatch(emoticons, mouths, next); at < len(next) {
			next = next[:at]
		} else {
			break
		}
		rest = next
	}
	if bare := strings.TrimRight(rest, ending); rest != s && says(bare) && !leadsOn(bare) {
		s = bare
	}
	for {
		n := firstSmiley(s)
		next := strings.TrimLeft(s[n:], " ,")
		if n == 0 || !says(next) || !strings.Contains(next, " ") {
			return s
		}
		s = next
	}
}

// leadsOn says whether a text is of a kind that something must follow.
func leadsOn(s string) bool {
	if strings.HasSuffix(s, ":") || strings.HasSuffix(s, "=") || strings.HasSuffix(s, "-") || strings.HasSuffix(s, `"`) {
		return true
	}
	i := strings.LastIndexByte(s, ' ')
	return i < 0 || leading[s[i+1:]]
}

// leading are words that lead up to something.
var leading = set(`a an the is are was were be am been to with by of for from in at on and or but as like than my your his her its our their
use used uses send sends sent sign called named means reply answer say says type write`)

// writeOut writes the short forms of verbs out that stand for one thing only. Of "he's" that is
// "is", but before what only "has" goes with; "he'd" can be either.
func writeOut(s string) string {
	if !strings.Contains(s, "'") {
		return s
	}
	words := strings.Split(s, " ")
	for i, w := range words {
		bare := strings.TrimRight(w, ",;:.!?)\"")
		long, ok := shortForms[bare]
		if !ok && strings.HasSuffix(bare, "'s") && shortIs[bare[:len(bare)-2]] {
			long, ok = bare[:len(bare)-2]+" is", true
			if i+1 < len(words) && hasBefore[words[i+1]] {
				long = bare[:len(bare)-2] + " has"
			}
		}
		if ok {
			words[i] = long + w[len(bare):]
		}
	}
	return strings.Join(words, " ")
}

var (
	shortForms = func() map[string]string {
		all := map[string]string{"i'm": "i am", "won't": "will not", "can't": "can not", "shan't": "shall not"}
		for _, who := range strings.Fields("i you we they") {
			all[who+"'ve"] = who + " have"
			if who != "i" {
				all[who+"'re"] = who + " are"
			}
		}
		for _, who := range strings.Fields("i you he she it we they") {
			all[who+"'ll"] = who + " will"
		}
		for _, verb := range strings.Fields("do does did is are was were have has had could should would must need") {
			all[verb+"n't"] = verb + " not"
		}
		all["cannot"] = "can not"
		return all
	}()
	shortIs   = set("he she it that there here what who where")
	hasBefore = set("been got had gone become")
)

// lastSmiley gives where a smiley at the end of a text begins, the text's length if there
// is none.
func lastSmiley(s string) int {
	at, seen, joined := len(s), false, false
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
		switch {
		case modifies(r):
			joined = joined || seen && r == joiner
		case smileys[r] && (!seen || joined):
			at, seen, joined = i, true, false
		case joined:
			return len(s) // one picture of several signs, of which this is none
		default:
			return at
		}
	}
	return at
}

// firstSmiley gives the length of a smiley at the beginning of a text.
func firstSmiley(s string) int {
	n, seen, joined := 0, false, false
	for i, r := range s {
		switch {
		case r == joiner:
			joined = true
		case modifies(r):
		case smileys[r] && (!seen || joined):
			seen, joined = true, false
		case joined:
			return 0
		default:
			return n
		}
		if seen {
			n = i + utf8.RuneLen(r)
		}
	}
	return n
}

// joiner makes one picture of several signs.
const joiner = '\u200d'

// modifies tells what changes the looks of the sign before it.
func modifies(r rune) bool {
	return r == joiner || r == '\ufe0f' || r == '\ufe0e' || r >= 0x1F3FB && r <= 0x1F3FF || r == '♀' || r == '♂'
}

// respell gives words of two spellings the American one.
func respell(s string) string {
	part := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }
	var out strings.Builder
	for rest := s; rest != ""; {
		start := strings.IndexFunc(rest, part)
		if start < 0 {
			out.WriteString(rest)
			break
		}
		out.WriteString(rest[:start])
		rest = rest[start:]
		end := strings.IndexFunc(rest, func(r rune) bool { return !part(r) })
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		if to, ok := american[word]; ok {
			word = to
		}
		out.WriteString(word)
		rest = rest[end:]
	}
	return out.String()
}
