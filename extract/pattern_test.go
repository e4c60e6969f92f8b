package extract

import (
	"regexp"
	"sync"
	"testing"
)

func TestPatternsCompile(t *testing.T) {
	if len(patterns) < 500 {
		t.Fatalf("%d patterns: they are not all known", len(patterns))
	}
	for _, p := range patterns {
		text := p.written
		if p.spelled != nil {
			text = p.spelled(text)
		}
		if _, err := regexp.Compile(text); err != nil {
			t.Errorf("%q: %v", p.written, err)
		}
	}
}

func TestPatternOfSeveralGoroutines(t *testing.T) {
	p := &pattern{written: `i'm`, spelled: inEnglish}
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			if !p.MatchString("I’M") || p.MatchString("am") {
				t.Error("not the pattern that was written")
			}
		})
	}
	users.Wait()
}
