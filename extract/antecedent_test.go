package extract

import (
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// "She" is the person who was told of, not the dog that was told of last.
func TestWhoIsMeantByShe(t *testing.T) {
	for _, c := range []struct {
		said, then string
		before     []string
	}{
		{"(said before: My sister is called Nora)", "she lives in Bonn", []string{"My sister is called Nora", "I have a dog"}},
		{"(said before: My roommate Jan hates cats)", "he works nights at the hospital", []string{"My roommate Jan hates cats. I love cats."}},
		{"(said before: I have a dog)", "she is called Luna", []string{"I have a dog"}},
		{"(said before: My sister is called Nora)", "she lives in Bonn", []string{"My sister is called Nora"}},
	} {
		var before []memd.Message
		for _, text := range c.before {
			before = append(before, user(text))
		}
		got := texts(extracted(t, before, user(c.then)))
		if len(got) != 1 || !strings.Contains(got[0], c.said) {
			t.Errorf("%q, %q: %q", c.before, c.then, got)
		}
	}
}
