package extract

import (
	"regexp"
	"sync"
)

// A pattern is a regular expression that is compiled when it is first used. The rules
// have some hundreds of them, which takes a third of a second and tens of megabytes:
// who extracts nothing pays for none. It may be used from several goroutines at once.
type pattern struct {
	written string
	spelled func(written string) string // makes of it what is compiled; nil: itself

	once     sync.Once
	compiled *regexp.Regexp
	needles  needles
}

// patterns are all there are: that each can be compiled is found by a test, not by
// the first message that needs it.
var patterns []*pattern

// newPattern is for package variables only.
func newPattern(written string) *pattern { return newSpelledPattern(written, nil) }

func newSpelledPattern(written string, spelled func(string) string) *pattern {
	p := &pattern{written: written, spelled: spelled}
	patterns = append(patterns, p)
	return p
}

func (p *pattern) re() *regexp.Regexp {
	p.once.Do(p.compile)
	return p.compiled
}

func (p *pattern) compile() {
	text := p.written
	if p.spelled != nil {
		text = p.spelled(text)
	}
	p.compiled, p.needles = regexp.MustCompile(text), needlesOf(text)
}

// matches says whether the pattern may match s; if not, there is no need to look.
func (p *pattern) matches(s string) bool {
	p.once.Do(p.compile)
	return p.needles.mayBeIn(s)
}

func (p *pattern) MatchString(s string) bool { return p.matches(s) && p.compiled.MatchString(s) }

func (p *pattern) FindString(s string) string {
	if !p.matches(s) {
		return ""
	}
	return p.compiled.FindString(s)
}

func (p *pattern) FindStringIndex(s string) []int {
	if !p.matches(s) {
		return nil
	}
	return p.compiled.FindStringIndex(s)
}

func (p *pattern) FindStringSubmatch(s string) []string {
	if !p.matches(s) {
		return nil
	}
	return p.compiled.FindStringSubmatch(s)
}

func (p *pattern) FindStringSubmatchIndex(s string) []int {
	if !p.matches(s) {
		return nil
	}
	return p.compiled.FindStringSubmatchIndex(s)
}

func (p *pattern) FindAllString(s string, n int) []string {
	if !p.matches(s) {
		return nil
	}
	return p.compiled.FindAllString(s, n)
}

func (p *pattern) FindAllStringIndex(s string, n int) [][]int {
	if !p.matches(s) {
		return nil
	}
	return p.compiled.FindAllStringIndex(s, n)
}

func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.matches(s) {
		return nil
	}
	return p.compiled.FindAllStringSubmatch(s, n)
}

func (p *pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !p.matches(s) {
		return nil
	}
	return p.compiled.FindAllStringSubmatchIndex(s, n)
}

func (p *pattern) ReplaceAllString(s, by string) string {
	if !p.matches(s) {
		return s
	}
	return p.compiled.ReplaceAllString(s, by)
}

func (p *pattern) ExpandString(dst []byte, template, s string, match []int) []byte {
	return p.re().ExpandString(dst, template, s, match)
}

func (p *pattern) Split(s string, n int) []string { return p.re().Split(s, n) }
