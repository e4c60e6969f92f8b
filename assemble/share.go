package assemble

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/memdhq/memd"
)

// candidate is something that may become a line of the system message.
type candidate struct {
	at         int   // where it is from
	message    int64 // that it is of, 0 if it is not of the log
	role, name string
	text       string
	// cleared says that its secrets are taken out of it already.
	cleared bool
	// ends says that of what there is no room for whole the end stays beside the beginning.
	ends bool
	// tier orders those that there is no room for: the lower ones come first.
	tier int
}

// turnsOf gives for each of messages, which are chronological, how many turns back it is: a turn
// begins with what the user says.
func turnsOf(messages []said) []int {
	back := make([]int, len(messages))
	turn := 0
	for i, s := range slices.Backward(messages) {
		back[i] = turn
		if s.role == memd.RoleUser {
			turn++
		}
	}
	return back
}

// tierOf has what was said in a later turn come before what was said in an earlier one, whoever
// said it, and in a turn what the user said before what was answered to it, where there is no
// room for all.
func tierOf(turnsBack int, role string) int {
	if memd.Role(role) == memd.RoleUser {
		return 2 * turnsBack
	}
	return 2*turnsBack + 1
}

const (
	// lineShare is the part of the room left that one line may take while others wait: one in
	// lineShare.
	lineShare = 4
	// leastLine is how many tokens a line may take for all that, so that many are not all cut
	// into pieces.
	leastLine = 64
	// leastRoom is how many tokens the shortest line takes.
	leastRoom = 4
)

// share chooses lines of at most room tokens together, in the order of all, and gives what
// they cost. If there is no room for all of them, the lower tiers come first, none takes more
// than its share at first, and what that leaves goes to those that were trimmed. whole says
// that nothing was left out or trimmed.
func (c *composer) share(all []candidate, room int) (lines []recalledLine, spent int, whole bool) {
	var found []recalledLine
	for _, of := range all {
		left := room - spent
		if c.count(of.text, 2*left) > 2*left { // no need to make a line of it first
			return c.shareShort(slices.Clone(all), room)
		}
		line := c.recalledLine(of, left)
		if line == "" {
			continue
		}
		if spent += c.count(line+"\n", left); spent > room {
			return c.shareShort(slices.Clone(all), room)
		}
		found = append(found, recalledLine{of.at, line, false})
	}
	return found, spent, true
}

// shareAfter is share where first has the first claim: to all that it needs, or if there is no room
// for that to all but one in lineShare, which it leaves to the rest and to what else there is, or to
// as much as is kept for it.
func (c *composer) shareAfter(first, rest []candidate, room, kept int) (lines []recalledLine, spent int, whole bool) {
	lines, spent, whole = c.share(first, room)
	if claimed := min(room, max(claim(room), kept)); !whole && claimed < room {
		if some, n, _ := c.share(first, claimed); len(some) == len(first) {
			lines, spent = some, n
		}
	}
	others, n, all := c.share(rest, room-spent)
	return append(lines, others...), spent + n, whole && all
}

// grow gives lines that are cut as much more as there is room for, the last ones first, and gives
// what that costs.
func (c *composer) grow(lines []recalledLine, of func(at int) candidate, room int) (spent int) {
	for i := range slices.Backward(lines) {
		l := &lines[i]
		if !l.cut || spent >= room {
			continue
		}
		cost := c.count(l.text+"\n", math.MaxInt)
		longer, n, whole := c.fitLine(of(l.at), cost+room-spent)
		if longer != "" && n > cost {
			l.text, l.cut = longer, !whole
			spent += n - cost
		}
	}
	return spent
}

// claim is what the last turn of the session before may take of the room while others wait.
func claim(room int) int { return room - room/lineShare }

// shareShort is share where there is no room for all.
func (c *composer) shareShort(all []candidate, room int) (lines []recalledLine, spent int, whole bool) {
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.tier, b.tier) })
	least := min(leastLine, max(room/lineShare, leastText))
	var costs []int
	var trimmed []candidate // without a text where it is whole
	for _, of := range all {
		left := room - spent
		if left < leastRoom {
			break
		}
		share := min(left, max(left/lineShare, least))
		fitting, n, whole := c.fitLine(of, share)
		if fitting == "" {
			continue
		}
		if whole {
			of.text = ""
		}
		lines, costs, trimmed = append(lines, recalledLine{of.at, fitting, !whole}), append(costs, n), append(trimmed, of)
		spent += n
	}
	for i, of := range trimmed {
		if of.text == "" || spent >= room {
			continue
		}
		most := costs[i] + room - spent
		longer, n, all := c.fitLine(of, most)
		if longer != "" && n > costs[i] {
			lines[i].text, lines[i].cut = longer, !all
			spent += n - costs[i]
		}
		if all {
			trimmed[i].text = ""
		}
	}
	return lines, spent, len(lines) == len(all) && !slices.ContainsFunc(trimmed, func(of candidate) bool { return of.text != "" })
}

// fitLine gives the line of something as it fits into room tokens with the line break after it:
// whole, trimmed, or not at all ("").
func (c *composer) fitLine(of candidate, room int) (fitting string, cost int, whole bool) {
	fitting, cost, whole = c.fit(c.recalledLine(of, room), room)
	behind := !strings.HasSuffix(c.line, "{text}") // as where the speaker stands behind the text
	if whole || fitting == "" || !of.ends && !behind {
		return fitting, cost, whole
	}
	text := c.endsOf(of)
	for short := c.count(c.lineOf(of, "")+"\n", room); short < room; {
		left := c.trim(text, room-short)
		if of.ends {
			begin, end := c.ends(text, room-short)
			if end == "" {
				break
			}
			left = begin + " " + end
		}
		line := c.lineOf(of, left)
		n := c.count(line+"\n", 2*room)
		if n <= room {
			return line, n, false
		}
		short += n - room
	}
	return fitting, cost, false
}

// bytesOfEnds is how much of the beginning and of the end of a text is read for its ends.
const bytesOfEnds = 64 << 10

// endsOf gives the beginning and the end of what is to be quoted, as it is quoted.
func (c *composer) endsOf(of candidate) string {
	key := lineOf{of.message, of.role, of.name, of.text}
	if known, ok := c.endings[key]; ok {
		return known
	}
	clear := func(text string) string {
		if c.secrets.kept || of.message == 0 || of.cleared {
			return text
		}
		return c.secrets.hide(of, text)
	}
	text := of.text
	if len(text) <= 2*bytesOfEnds {
		text = clear(text)
	} else {
		head, _ := cutAt(text, bytesOfEnds+bytesBeyond)
		_, tail := cutAt(text, len(text)-bytesOfEnds-bytesBeyond)
		// A secret may have been cut at the end of the one and at the beginning of the other.
		head, _ = cutAt(clear(head), bytesOfEnds)
		tail = clear(tail)
		_, tail = cutAt(tail, max(0, len(tail)-bytesOfEnds))
		text = head + " " + tail
	}
	text = quotation(text)
	if c.endings != nil {
		c.endings[key] = text
	}
	return text
}

// lineOf is the line of a text that is one.
func (c *composer) lineOf(of candidate, text string) string {
	return strings.NewReplacer("{speaker}", speaker(of.role, of.name), "{text}", text).Replace(c.line)
}
