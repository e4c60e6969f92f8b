package extract

import "strings"

// "APScheduler it is" and "let's go with Postgres" decide for what was proposed by its name.

var settles = english(`^` + lightWords + `(?:(?:i think |i guess |then |so |we )*(?:let's|lets|let us|we'll|i'll|we will|i will|we'd better|going to|gonna)\s+(?:just\s+)?(?:go (?:with|for)|use|pick|take|choose|stick (?:with|to)|settle on)\s+(.+?)|(\S+(?:\s\S+){0,3}?) it is)(?:[\s,]+(?:then|now|for now|after all|instead|thanks|please))*\W*$`)

// decided says whether a sentence settles for something that has a name.
func (g *grouping) decided(text string) bool {
	if len(text) > 120 || endsAsking(text) {
		return false
	}
	m := settles.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	what := strings.Trim(m[1]+m[2], " .!,")
	words := wordsOf(what)
	if len(words) == 0 || pointers[words[0].low] || definite[words[0].low] || countWords(what) > 6 {
		return false
	}
	for _, w := range words {
		name := what[w.start:w.end]
		switch {
		case len(name) < 2 || dayNames[w.low] || w.low == "option" || w.low == "plan" || w.low == "version":
			return false
		case strings.ToLower(name[1:]) != name[1:] || hasDigit(name) && letters(name) > 1:
			return true // "APScheduler"
		case m[1] != "" && w.capital:
			return true
		case m[2] != "" && w.capital && strings.Contains(g.heardLast(), " "+name):
			return true
		}
	}
	return false
}
