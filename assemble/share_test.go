package assemble

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestShare(t *testing.T) {
	c := newTestComposer(t)
	all := []candidate{
		{at: 0, role: "tool", text: strings.Repeat(`{"row": 1, "value": "x"} `, 3000), tier: 2},
		{at: 1, role: "assistant", text: strings.Repeat("It is a long story. ", 400), tier: 1},
		{at: 2, role: "user", text: "My locker code is 4418.", tier: 0},
		{at: 3, role: "user", text: "Which ferry?", tier: 0},
	}
	lines, spent, whole := c.share(all, 400)
	got := map[int]string{}
	for _, l := range lines {
		got[l.at] = l.text
	}
	if got[2] != "user: My locker code is 4418." || got[3] != "user: Which ferry?" {
		t.Errorf("what is short is not whole: %v", got)
	}
	if !strings.HasSuffix(got[0], "[trimmed]") || !strings.HasSuffix(got[1], "[trimmed]") || len(got[1]) < len(got[0]) {
		t.Errorf("long ones of %d and %d bytes: %v", len(got[0]), len(got[1]), got)
	}
	if whole || spent < 380 || spent > 400 {
		t.Errorf("%d tokens, whole %t", spent, whole)
	}
	if lines, _, whole := c.share(all[2:], 400); !whole || len(lines) != 2 {
		t.Errorf("%v, whole %t", lines, whole)
	}
}

// Lines are never more than there is room for, and nothing is trimmed while there is.
func TestSharesAreWithinTheirRoom(t *testing.T) {
	c := newTestComposer(t)
	rapid.Check(t, func(t *rapid.T) {
		var all []candidate
		sum := 0
		for i := range rapid.IntRange(0, 12).Draw(t, "lines") {
			text := fmt.Sprint("m", i, strings.Repeat(" word", rapid.SampledFrom([]int{0, 3, 30, 300}).Draw(t, "words")))
			role := rapid.SampledFrom([]string{"user", "assistant", "tool"}).Draw(t, "role")
			all = append(all, candidate{at: i, role: role, text: text, tier: tierOf(0, role)})
			sum += c.count(role+": "+text+"\n", 1<<30)
		}
		room := rapid.IntRange(-1, 600).Draw(t, "room")
		lines, spent, whole := c.share(slices.Clone(all), room)
		n := c.costOf(lines)
		if n != spent || n > max(room, 0) {
			t.Fatalf("%d tokens, said to be %d, in %d", n, spent, room)
		}
		if whole != (sum <= max(room, 0)) || whole && len(lines) != len(all) {
			t.Fatalf("whole %t: %d of %d lines, %d tokens in %d", whole, len(lines), len(all), sum, room)
		}
	})
}
