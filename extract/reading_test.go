package extract

import (
	"testing"

	"github.com/memdhq/memd"
)

func TestRead(t *testing.T) {
	for text, want := range map[string]memd.Candidate{
		"I live in Oslo":              {Slot: "home", Value: "Oslo"},
		"I don't live in Oslo":        {Slot: "home", Value: "Oslo", Negated: true},
		"I no longer live in Oslo":    {Slot: "home", Value: "Oslo", Negated: true},
		"My favorite color is teal":   {Slot: "favorite:color", Value: "teal"},
		"The harbour opens at seven.": {},
		"":                            {},
	} {
		c := Read(memd.RoleUser, text)
		if c.Slot != want.Slot || c.Value != want.Value || c.Negated != want.Negated || c.Text != text {
			t.Errorf("%q is read as %+v", text, c)
		}
		if (len(c.Categories) > 0) != (c.Slot != "") {
			t.Errorf("%q: categories %q", text, c.Categories)
		}
	}
}
