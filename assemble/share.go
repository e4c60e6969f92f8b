package assemble

import (
	"cmp"
	"slices"

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
		found = append(found, recalledLine{of.at, line})
	}
	return found, spent, true
}

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
		line := c.recalledLine(of, share)
		if line == "" {
			continue
		}
		fitting, n, whole := c.fit(line, share)
		if fitting == "" {
			continue
		}
		if whole {
			of.text = ""
		}
		lines, costs, trimmed = append(lines, recalledLine{of.at, fitting}), append(costs, n), append(trimmed, of)
		spent += n
	}
	for i, of := range trimmed {
		if of.text == "" || spent >= room {
			continue
		}
		most := costs[i] + room - spent
		longer, n, all := c.fit(c.recalledLine(of, most), most)
		if longer != "" && n > costs[i] {
			lines[i].text = longer
			spent += n - costs[i]
		}
		if all {
			trimmed[i].text = ""
		}
	}
	return lines, spent, len(lines) == len(all) && !slices.ContainsFunc(trimmed, func(of candidate) bool { return of.text != "" })
}
