package lexical

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string
		not  []string
	}{
		{"rafa", []string{"Rafa has a dog", "I met RAFA.", "Rafa's car", "Rafa’s", "with Ráfa, and", "(rafa)", "Rafa-like"}, []string{"Rafaela sings", "Giraffes", "trafalgar", "Raf a", ""}},
		{"José", []string{"Jose lives here", "josé’s cat"}, []string{"Josefina"}},
		{"project atlas", []string{"Project Atlas is late", "about project-atlas"}, []string{"atlas project", "the project", "Atlas", "project of atlas"}},
		{"my sister", []string{"My sister sings", "sister’s dog"}, []string{"sisters", "sisterhood"}},
		{"the gluten", []string{"I can't have gluten."}, []string{"glutenous"}},
		{"rafa's", []string{"Rafa sings"}, nil},
		{"me", nil, []string{"Call me Al", "me"}},
		{"it", nil, []string{"it rains"}},
		{"", nil, []string{"", "x"}},
		{"🎉", nil, []string{"🎉"}},
		{"田中", []string{"田中さんは元気です", "私は田中です", "我姐姐田中住在北京"}, []string{"田んぼの中"}},
		{"王", nil, []string{"王さん"}},
		{"アナ", []string{"アナは歌う", "姉のアナ", "アナ"}, []string{"アナウンサー", "バナナアナ", "アナー"}},
		{"민수", []string{"민수는 노래한다", "내 친구 민수"}, []string{"김민수는"}},
		{"Анна", []string{"анна поёт"}, []string{"Аннабель"}},
	} {
		n := NamesOf(c.name)
		if n.Empty() != (c.in == nil) {
			t.Errorf("%q: empty is %v", c.name, n.Empty())
		}
		for _, text := range c.in {
			if !n.In(text) {
				t.Errorf("%q is not found in %q", c.name, text)
			}
		}
		for _, text := range c.not {
			if n.In(text) {
				t.Errorf("%q is found in %q", c.name, text)
			}
		}
	}
	if n := NamesOf("", "ana", "bea"); !n.In("Bea sings") || n.In("Cleo sings") {
		t.Error("one of several names")
	}
}

// What the normal form of a text names is among its terms: it is found by them.
func TestNamesAreAmongTheTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, text := mixed(t), mixed(t)
		if rapid.Bool().Draw(t, "within") {
			text = text + " " + name + " " + mixed(t)
		}
		name, text = Normalise(name), Normalise(text)
		if !NamesOf(name).In(text) {
			return
		}
		stored, _ := Terms(text)
		terms, _ := Terms(name)
		if !slices.ContainsFunc(terms, func(a Term) bool { return slices.ContainsFunc(stored, func(b Term) bool { return a.Hash == b.Hash }) }) {
			t.Fatalf("%q is in %q and shares no term with it", name, text)
		}
	})
}

func FuzzNames(f *testing.F) {
	f.Add("Rafa", "Rafa's dog")
	f.Add("田中", "田中さん")
	f.Add("ー", "アー")
	f.Add("\xff", "\u0301")
	f.Fuzz(func(t *testing.T, name, text string) {
		n := NamesOf(name)
		if !n.Empty() && !n.In(name) && !strings.Contains(name, "'") {
			t.Fatalf("%q does not name itself", name)
		}
		if n.In(text) != n.In("x "+text+" x") && !n.In("x "+text+" x") {
			t.Fatalf("%q is in %q only by itself", name, text)
		}
	})
}
