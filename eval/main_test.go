package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/postgres"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

// played are one case that the rules get right, one that misses something, and one of
// which a secret would show.
const played = `[
	{"name": "right", "category": "slots", "difficulty": "easy",
	 "sessions": [{"session": "s1", "timezone": "Asia/Tokyo", "messages": [
		{"role": "system", "content": "I live in Oslo", "created_at": "2024-05-09T22:30:00Z"},
		{"role": "assistant", "content": "What is your dog called?", "created_at": "2024-05-09T22:30:00Z"},
		{"role": "user", "content": "Waffle", "created_at": "2024-05-09T22:30:00Z"},
		{"role": "user", "content": "I moved to Lisbon yesterday", "created_at": "2024-05-09T22:31:00Z"}]}],
	 "remember": [{"all": ["Waffle", "dog"], "role": "user"}, {"all": ["Lisbon"], "occurred_on": "2024-05-09"}], "may": [], "never": [{"all": ["Oslo"]}]},
	{"name": "missed", "category": "slots", "difficulty": "easy",
	 "sessions": [{"session": "s1", "messages": [{"role": "user", "content": "My aunt keeps bees", "created_at": "2024-05-09T22:30:00Z"}]},
		{"session": "s2", "messages": [{"role": "user", "content": "my aunt keeps bees!", "created_at": "2024-05-10T22:30:00Z"}]}],
	 "remember": [{"all": ["aunt", "wasps"]}], "may": [], "never": []}
]`

func TestCasesArePlayed(t *testing.T) {
	ownerURL, appURL := memdtest.Postgres(t)
	if err := postgres.Migrate(t.Context(), ownerURL); err != nil {
		t.Fatal(err)
	}
	pool, err := postgres.Open(t.Context(), appURL, postgres.Config{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	for _, name := range []string{openSet, heldOutSet} {
		cases, err := parse([]byte(played))
		if err != nil {
			t.Fatal(err)
		}
		for _, live := range []bool{false, true} {
			h := newHouse(pool)
			h.live = live
			set := caseSet{name: name, cases: cases}
			if live {
				set.cases = nil
				for i, c := range cases { // by another user
					o, err := h.play(t.Context(), name+"-live-"+cases[i].Name, c)
					if err != nil {
						t.Fatal(err)
					}
					set.cases, set.outcomes = append(set.cases, c), append(set.outcomes, o)
				}
			} else if err := set.play(t.Context(), h); err != nil {
				t.Fatal(err)
			}
			if got := set.sum(""); got != (counts{Cases: 2, Clean: 1, Right: 2, Wrong: 1, Found: 2, Missed: 1}) {
				t.Errorf("live %v: %+v", live, got)
			}
			var out bytes.Buffer
			set.explain(&out)
			if err := printTable(&out, []caseSet{set}); err != nil {
				t.Fatal(err)
			}
			if shown := strings.Contains(out.String(), "My aunt keeps bees"); shown != (name == openSet) {
				t.Errorf("%s shows its cases: %v\n%s", name, shown, out.String())
			}
			if !strings.Contains(out.String(), "0.667") {
				t.Errorf("no figures in\n%s", out.String())
			}
		}
	}
}

// Nothing of the held-out set is shown, however broken it is.
func TestBrokenHeldOutCasesAreNotShown(t *testing.T) {
	data := t.TempDir()
	for _, set := range []string{openSet, heldOutSet} {
		if err := os.Mkdir(filepath.Join(data, set), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(set, text string) {
		if err := os.WriteFile(filepath.Join(data, set, "slots.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(openSet, good)
	if sets, err := choose(data, "all"); err != nil || len(sets) != 1 {
		t.Errorf("%d sets, %v", len(sets), err)
	}
	if _, err := choose(data, heldOutSet); err == nil {
		t.Error("an empty held-out set is taken")
	}
	write(heldOutSet, strings.ReplaceAll(strings.ReplaceAll(good, `"tea"`, `"hidden"`), "easy", "hidden"))
	for _, which := range []string{"all", heldOutSet} {
		if _, err := choose(data, which); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("-set %s: %v", which, err)
		}
	}
	if _, err := choose(data, "most"); err == nil {
		t.Error("-set most is taken")
	}
}
