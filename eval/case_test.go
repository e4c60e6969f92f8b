package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const good = `[{"name": "tea", "category": "slots", "difficulty": "easy",
	"sessions": [{"session": "s1", "timezone": "Europe/Lisbon", "messages": [
		{"role": "user", "content": "I like tea", "created_at": "2024-03-01T10:00:00Z", "name": "ana"},
		{"role": "assistant", "content": "Noted", "created_at": "2024-03-01T10:00:00Z"}]}],
	"remember": [{"all": ["tea", "like|love"], "not": ["hate"], "role": "user", "occurred_on": "2024-02-26", "current": true, "superseded": false, "once": true}],
	"may": [{"all": ["noted"], "role": "assistant"}],
	"never": []}]`

func TestAGoodCaseIsRead(t *testing.T) {
	cases, err := parse([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	m := cases[0].Sessions[0].Messages[0].parsed
	if m.Text != "I like tea" || m.Name != "ana" || m.CreatedAt.IsZero() || !cases[0].Remember[0].holds() {
		t.Errorf("%+v", cases[0])
	}
}

func TestBadCasesAreRefused(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"name": "tea"`, `"name": "Tea time"`, "kebab-case"},
		{`"name": "tea"`, `"name": "tea", "nmae": 1`, "nmae"},
		{`"name": "ana"`, `"nam": "ana"`, "nam"},
		{`"once": true`, `"onec": true`, "onec"},
		{`"slots"`, `"slot"`, "not known"},
		{`"easy"`, `"hard"`, "neither easy nor mean"},
		{`Europe/Lisbon`, `Europe/Nowhere`, "not known"},
		{`"session": "s1"`, `"session": ""`, "session"},
		{`"role": "assistant", "content"`, `"role": "bot", "content"`, "role"},
		{`"I like tea"`, `""`, "content"},
		{`2024-03-01T10:00:00Z", "name"`, `2024-03-01", "name"`, "RFC 3339"},
		{`2024-03-01T10:00:00Z", "name"`, `2024-03-02T10:00:00Z", "name"`, "before the one above"},
		{`["tea", "like|love"]`, `[]`, "all is empty"},
		{`["tea", "like|love"]`, `["tea", "like||love"]`, "empty"},
		{`["hate"]`, `[" "]`, "empty"},
		{`"role": "user", "occurred_on"`, `"role": "system", "occurred_on"`, "nothing that is kept"},
		{`2024-02-26`, `2024-02-30`, "no day"},
		{`"superseded": false`, `"superseded": true`, "or neither"},
		{`"current": true, "superseded": false`, `"current": false`, "once but not current"},
		{`"never": []}]`, `"never": []}] []`, "follows"},
		{`"never": []}]`, `"never": [{"all": ["x"], "current": true}]}]`, "current"},
		{good, `[]`, "no cases"},
	} {
		if !strings.Contains(good, c.old) {
			t.Fatalf("%s is not in the good case", c.old)
		}
		_, err := parse([]byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	second := strings.TrimSuffix(strings.Replace(good, "slots", "chatter", 1), "]")
	if _, err := parse([]byte(second + "," + strings.TrimPrefix(good, "["))); err == nil || !strings.Contains(err.Error(), "among") {
		t.Errorf("two categories in one file: %v", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"a.json", "b.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(good), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := load(dir); err == nil || !strings.Contains(err.Error(), "second case") {
		t.Errorf("a name that is there twice: %v", err)
	}
	if _, err := load(t.TempDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestTheSets holds both sets to the format. Of the held-out one nothing is printed but
// counts, here as anywhere.
func TestTheSets(t *testing.T) {
	open, err := load(filepath.Join("testdata", openSet))
	if err != nil {
		t.Fatal(err)
	}
	heldOut, err := load(filepath.Join("testdata", heldOutSet))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the held-out set has %d problems; -check lists them", len(each(err)))
	}
	if err := unique(slices.Concat(open, heldOut)); err != nil {
		t.Errorf("%d names are there twice", len(each(err)))
	}
	if total := len(open) + len(heldOut); len(open) < 110 || total < 150 {
		t.Errorf("%d cases, %d of them open", total, len(open))
	}
	for _, category := range categories {
		n, mean := 0, 0
		for _, c := range open {
			if c.Category == category {
				n++
				if c.Difficulty == "mean" {
					mean++
				}
			}
		}
		if n < 4 || mean == 0 || mean == n {
			t.Errorf("%s: %d open cases, %d of them mean", category, n, mean)
		}
	}
	languages := map[string]bool{}
	for _, c := range open {
		if c.Category == "languages" {
			languages[c.Name[:2]] = true
		}
	}
	for _, l := range []string{"es", "fr", "de", "pt", "ja", "zh", "ar"} {
		if !languages[l] {
			t.Errorf("no open case in %s", l)
		}
	}
}

// What is wanted of the open cases can be met in the speaker's own words: some
// alternative of each entry is in what was said, or is a date that is written beside it.
func TestWhatIsWantedWasSaid(t *testing.T) {
	open, err := load(filepath.Join("testdata", openSet))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range open {
		said := ""
		for _, s := range c.Sessions {
			for _, m := range s.Messages {
				if m.parsed.Role.Learnable() {
					said += plain(m.parsed.Text) + "\n"
				}
			}
		}
		for i, w := range c.Remember {
			for _, entry := range w.All {
				if !slices.ContainsFunc(strings.Split(entry, "|"), func(a string) bool { return strings.Contains(said, plain(a)) }) && !year(entry) {
					t.Errorf("%s: remember[%d]: %q was not said", c.Name, i, entry)
				}
			}
		}
	}
}

func year(s string) bool {
	var n int
	_, err := fmt.Sscanf(s, "%d", &n)
	return err == nil && n > 1900 && n < 2100
}
