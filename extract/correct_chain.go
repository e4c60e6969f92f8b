package extract

import "github.com/memdhq/memd"

// What puts something right may be wrong itself: "I live in Lisbon", "no, I meant Porto", "argh
// no, Faro". So a message that is corrected is read with what it corrects.

// chained is how many corrections of one another are followed back.
const chained = 3

// looked is a message that was looked at again, and how.
type looked struct {
	message *memd.Message
	chain   int
}

// saidBefore gives what a message that was heard states, one that is a correction as such.
func (g *grouping) saidBefore(i int) ([]statement, error) {
	earlier := g.heard[i]
	before := &hearing{rules: g.rules, names: g.hearing.names, heard: g.heard[:i], shallow: true, chain: g.chain + 1}
	if before.chain <= chained && !g.shallow && earlier.Role == memd.RoleUser && slipBefore.MatchString(earlier.Text) && len(earlier.Text) <= 120 {
		before.shallow = false
	}
	if g.known == nil {
		g.known = map[looked][]statement{}
	}
	before.known = g.known
	key := looked{earlier, before.chain}
	if all, ok := g.known[key]; ok {
		return all, nil
	}
	all, err := before.statements(g.ctx, earlier)
	if err == nil {
		g.known[key] = all
	}
	return all, err
}

// ownCorrected is own, of what was put right as it is then.
func (g *grouping) ownCorrected() (from *memd.Message, last statement, chatting bool) {
	return g.ownBy(g.message, g.saidBefore)
}
