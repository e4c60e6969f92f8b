package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
	"golang.org/x/text/unicode/norm"
)

// plain is a text as it is compared: composed, lower case, straight quotes, single blanks.
func plain(text string) string {
	text = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`).Replace(norm.NFKC.String(text))
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// matches says whether a memory, current or not, is one of those meant.
func (p pattern) matches(m memd.Memory) bool {
	text := plain(m.Memory)
	found := func(entry string) bool {
		return slices.ContainsFunc(strings.Split(entry, "|"), func(a string) bool { return strings.Contains(text, plain(a)) })
	}
	switch {
	case p.Role != "" && p.Role != m.Role:
		return false
	case p.OccurredOn != "" && (m.OccurredAt == nil || m.OccurredAt.UTC().Format(time.DateOnly) != p.OccurredOn):
		return false
	case slices.ContainsFunc(p.Not, found):
		return false
	}
	return !slices.ContainsFunc(p.All, func(entry string) bool { return !found(entry) })
}

// String writes a pattern for people.
func (p pattern) String() string {
	out := strings.Join(p.All, " + ")
	if len(p.Not) > 0 {
		out += ", without " + strings.Join(p.Not, ", ")
	}
	if p.Role != "" {
		out += ", by the " + p.Role
	}
	if p.OccurredOn != "" {
		out += ", on " + p.OccurredOn
	}
	return out
}

func (w wanted) String() string {
	if !w.holds() {
		return w.pattern.String() + ", no longer current"
	}
	return w.pattern.String()
}

// counts are what precision and recall are made of.
type counts struct {
	// Cases is how many there are, Clean how many of them have nothing wrong.
	Cases int `json:"cases"`
	Clean int `json:"clean"`
	// Right and Wrong are current memories; those that only may be there are neither.
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	// Found and Missed are memories that must be there.
	Found  int `json:"found"`
	Missed int `json:"missed"`
}

func (c *counts) add(d counts) {
	c.Cases, c.Clean = c.Cases+d.Cases, c.Clean+d.Clean
	c.Right, c.Wrong = c.Right+d.Right, c.Wrong+d.Wrong
	c.Found, c.Missed = c.Found+d.Found, c.Missed+d.Missed
}

// precision is the share of current memories that are right, recall of wanted ones that
// are there; ok is false if there are none to be a share of.
func (c counts) precision() (share float64, ok bool) { return ratio(c.Right, c.Wrong) }
func (c counts) recall() (share float64, ok bool)    { return ratio(c.Found, c.Missed) }

func ratio(good, bad int) (float64, bool) {
	if good+bad == 0 {
		return 0, false
	}
	return float64(good) / float64(good+bad), true
}

// outcome is what came of one case.
type outcome struct {
	counts
	Category string
	// Misses and False say what is wrong, for people.
	Misses, False []string
}

// score holds what is remembered at the end of a case against what is wanted. Past are
// memories that hold no more.
func score(c evalCase, current, past []memd.Memory) outcome {
	out := outcome{Category: c.Category}
	out.Cases = 1
	for _, w := range c.Remember {
		among := current
		if !w.holds() {
			among = past
		}
		if slices.ContainsFunc(among, w.matches) {
			out.Found++
			continue
		}
		out.Missed++
		out.Misses = append(out.Misses, w.String())
	}
	taken := make([]bool, len(c.Remember)) // wanted once and there
	// The one that was said first is what later ones repeat.
	current = slices.Clone(current)
	slices.SortStableFunc(current, func(a, b memd.Memory) int { return a.ValidFrom.Compare(b.ValidFrom) })
	for _, m := range current {
		switch fault := judge(c, m, taken); {
		case fault != "":
			out.Wrong++
			out.False = append(out.False, fmt.Sprintf("%s: %s (%s)", m.Role, m.Memory, fault))
		case slices.ContainsFunc(c.Remember, func(w wanted) bool { return w.holds() && w.matches(m) }):
			out.Right++
		}
	}
	if out.Wrong+out.Missed == 0 {
		out.Clean = 1
	}
	return out
}

// judge says what is wrong with a current memory, "" if nothing is.
func judge(c evalCase, m memd.Memory, taken []bool) string {
	for _, p := range c.Never {
		if p.matches(m) {
			return "never: " + p.String()
		}
	}
	named, new := false, false
	for i, w := range c.Remember {
		if !w.holds() || !w.matches(m) {
			continue
		}
		named = true
		new = new || !w.Once || !taken[i]
		taken[i] = true
	}
	switch {
	case new, slices.ContainsFunc(c.May, func(p pattern) bool { return p.matches(m) }):
		return ""
	case named:
		return "once is enough"
	case slices.ContainsFunc(c.Remember, func(w wanted) bool { return w.matches(m) }):
		return "still current"
	}
	return "not asked for"
}
