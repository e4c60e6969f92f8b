package assemble

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/memdhq/memd"
)

// The ways of rendering a context.
const (
	// RenderMessages gives what is recalled as a system message, then the turns.
	RenderMessages = "messages"
	// RenderSystem gives both in one system message.
	RenderSystem = "system"
)

const (
	// recallShare is the part of the budget that recall may take: one in recallShare.
	recallShare = 4
	// leastRecall is what recall may take at least, in tokens, where there is no turn
	// to take it from.
	leastRecall = 64
	// leastText is how many tokens of a text must be left for trimming it to be worth
	// while.
	leastText = 16
	// bytesOfQuoted is how many bytes of a text are read for each token that a line may have, to
	// begin with.
	bytesOfQuoted = 8
	// omitted is the line that says that the budget left no room for all that the session
	// said before, omittedOne and omittedMany where it is known of how many messages nothing is
	// shown.
	omitted     = "… [earlier messages trimmed]"
	omittedOne  = "… [1 earlier message trimmed]"
	omittedMany = "… [%d earlier messages trimmed]"
	// turnsHeader is the line above the turns with RenderSystem.
	turnsHeader = "conversation:"
)

// material is what a context is made of. Everything in it is given in full; the
// composition chooses and trims.
type material struct {
	// window are the messages of the turns asked for, chronological.
	window []said
	// open are unsettled messages outside of the window, chronological.
	open []said
	// memories are what was recalled, the best first, and limit how many of them to
	// show at most.
	memories []memd.Memory
	limit    int
	// passages are what is handed on of long ones, by id: the part that is asked for.
	passages map[string]string
	// carried is what earlier sessions have left open, what matters most first.
	carried []carriedLine
	// earlier is what there is of the session before the window.
	earlier earlier
	// quotes says that messages are quoted as far as nothing else stands for them: those of said
	// and those of the window that are not shown. said are chronological; more says that there
	// are others before them.
	quotes, more bool
	said         []said
	// unread is how many there are before those that are open. results says that results of
	// tools in the window are quoted of which the call is not there.
	unread  int
	results bool
	budget  int
	render  string
}

// earlier stands for the messages of a session that its window does not show.
type earlier struct {
	// summary is a model's, "" if there is none, of the messages up to upto.
	summary string
	upto    int64
	// memories are what was learned in the session, in the order it was said. Those that
	// the window states, and those from upto and before, are left out. more says that there
	// are others before them.
	memories []memd.Memory
	more     bool
}

// composed is a context.
type composed struct {
	messages []json.RawMessage
	// recalled are the places in material.memories of what is shown, in that order, and
	// summarised those in material.earlier.memories; open, carried and quoted are messages
	// that are quoted. omitted says that the budget left no room for all of the session.
	recalled, summarised  []int
	open, carried, quoted []int64
	summary, omitted      bool
	used                  int
}

// composer chooses and trims. compose is safe for concurrent use.
type composer struct {
	*counter
	header string
	// line is the form of a recalled line, with {speaker} and {text}.
	line    string
	secrets secrets
	// lines are those made for one context, rests what is quoted of messages: each is asked for
	// many times.
	lines map[lineOf]quotedLine
	rests map[besideOf]string
	// endings are the beginnings and ends of texts that are not quoted whole.
	endings map[lineOf]string
}

// besideOf is a message and the memories that it is quoted beside.
type besideOf struct {
	message int64
	beside  string
}

// lineOf is what a line is made of; message is 0 for what is not of the log.
type lineOf struct {
	message          int64
	role, name, text string
}

// quotedLine is a line, whole or as much of it as cannot fit into room tokens.
type quotedLine struct {
	line    string
	room    int
	whole   bool
	cleared cleared
}

// draft is a choice that may yet prove too long, or to repeat itself.
type draft struct {
	// recalled are the lines of what is recalled, and behind them those of what earlier
	// sessions have left open, of what stands for what this one said before the window, and
	// of what is quoted: what is open, and what nothing else stands for.
	recalled []recalledLine
	carried  []recalledLine
	earlier  []recalledLine
	open     []recalledLine
	said     []recalledLine
	quotes   map[int]candidate // what the lines of said are of
	// omitted says that there was no room for all that the session said before; mark, that
	// a line says so. openLeft and saidLeft are how many messages were not quoted for want of
	// room, and countless says that they are not all.
	omitted, mark      bool
	openLeft, saidLeft int
	countless          bool
	// groups are those chosen, chronological; cut says which were trimmed.
	groups []chosen
	// once are the places of memories that are not recalled since a line says them; lost says that
	// none does so of one of which that was foreseen.
	once map[int]bool
	lost bool
}

type recalledLine struct {
	at   int // the place in material.memories, or where else it is from
	text string
	cut  bool // it is not all of it
}

// ofSummary is the place of the line that is a model's summary.
const ofSummary = -1

type chosen struct {
	group
	at  int // the place among the window's groups
	cut bool
}

// compose makes the context. used is at most the budget, unless that is too small for
// the frame of one message and the mark of a trimmed text (about 20 tokens): the
// newest user message is never dropped. It ends early with the error of ctx.
func (c *composer) compose(ctx context.Context, m material) (composed, error) {
	own := *c
	own.lines, own.rests, own.endings = map[lineOf]quotedLine{}, map[besideOf]string{}, map[lineOf]string{}
	c = &own
	all := groups(m.window)
	// open messages that the window holds but cannot show are recalled like others, and so are
	// results of which the call is not there: the model is about to answer to them.
	open := slices.Clone(m.open)
	var late map[int64]bool
	if m.results {
		late = lateResults(m.window, all)
	}
	for _, s := range m.window {
		if s.open || late[s.id] {
			open = append(open, s)
		}
	}
	// What the window shows is not recalled. What it shows depends on what recall
	// leaves it, so what turns out not to be shown is offered to recall again; with
	// each round there is less that is held back.
	freed := freed{memories: map[int]bool{}, open: map[int]bool{}}
	compares := len(m.memories)+len(m.earlier.memories) > 0
	if compares {
		for i := range all {
			all[i].fold()
		}
	}
	full := seen(draft{groups: chooseAll(all)}, compares)
	before := c.before(m, late)
	// try gives a context that has extra tokens more to give out than there are, since some are
	// always left over, and reserve of them kept for saying that something was left out.
	// once are memories that lines proved to say: they take no room from others.
	try := func(extra, reserve int, once map[int]bool) (draft, composed, error) {
		for spare := 0; ; {
			if err := ctx.Err(); err != nil {
				return draft{}, composed{}, err
			}
			d := c.choose(m, all, open, before, full, freed, once, m.budget-spare, extra, reserve)
			if freed.add(m, open, full, seen(d, compares)) {
				continue
			}
			out := c.encode(m, open, before, d)
			if out.used <= m.budget || spare >= m.budget || extra > 0 {
				return d, out, ctx.Err()
			}
			// Lines may join in more tokens than each has by itself.
			spare += out.used - m.budget
		}
	}
	for reserve := 0; ; reserve = c.omission() {
		d, out, err := try(0, reserve, nil)
		// What is free at the end, as where a memory proved to be said by a line, goes to what
		// was left out.
		extra, more := 0, m.budget-out.used
		var once map[int]bool
		for round := 0; err == nil && d.lacks(len(all)) && round < regiven && more >= leastRoom; round++ {
			step := more
			if round == 0 && len(d.once) > 0 {
				step, once = 0, d.once // what they took is room enough
			}
			again, longer, failed := try(extra+step, reserve, once)
			switch err = failed; {
			case err == nil && longer.used <= m.budget && !again.lost && again.hasMoreThan(d, longer.used-out.used):
				d, out, extra = again, longer, extra+step
				more = m.budget - out.used
			case step == 0:
				once = nil
			default:
				more /= 2
			}
		}
		if err == nil {
			d, out = c.lengthen(d, out, m, open, before)
		}
		if err != nil || !d.omitted || reserve > 0 {
			return out, err
		}
	}
}

// lengthen gives what is still free to lines that are cut: those of the last turn first.
func (c *composer) lengthen(d draft, out composed, m material, open, before []said) (draft, composed) {
	free := m.budget - out.used
	if free < leastRoom || !cutAny(slices.Concat(d.open, d.carried, d.said)) {
		return d, out
	}
	longer := d
	longer.open, longer.carried, longer.said = slices.Clone(d.open), slices.Clone(d.carried), slices.Clone(d.said)
	free -= c.grow(longer.carried, func(at int) candidate { return m.carried[at].candidate(at) }, free)
	free -= c.grow(longer.open, func(at int) candidate { return m.quote(open[at], at, 0) }, free)
	c.grow(longer.said, func(at int) candidate { return d.quotes[at] }, free)
	longer.omitted = longer.leavesOut(m)
	longer.mark = longer.mark && longer.omitted
	c.sayOnce(&longer, m, open, before, nil)
	if again := c.encode(m, open, before, longer); again.used > out.used && again.used <= m.budget {
		return longer, again
	}
	return d, out
}

// leavesOut says whether what the session said before is not all there.
func (d draft) leavesOut(m material) bool {
	return d.countless || m.unread+d.openLeft+d.saidLeft > 0 ||
		slices.ContainsFunc([][]recalledLine{d.open, d.carried, d.earlier, d.said}, cutAny)
}

// regiven is how often what is free at the end is given out again.
const regiven = 5

// lacks says whether anything was left out or cut, of so many groups among others.
func (d draft) lacks(groups int) bool {
	return d.omitted || cutAny(d.recalled) || len(d.groups) < groups || slices.ContainsFunc(d.groups, func(g chosen) bool { return g.cut })
}

// hasMoreThan says whether a draft that is so many tokens longer than another has more of what
// there is.
func (d draft) hasMoreThan(other draft, longer int) bool {
	if left, otherLeft := d.openLeft+d.saidLeft, other.openLeft+other.saidLeft; left != otherLeft {
		return left < otherLeft
	}
	return longer > 0 || !d.omitted && other.omitted
}

func chooseAll(all []group) []chosen {
	kept := make([]chosen, len(all))
	for i, g := range all {
		kept[i] = chosen{group: g, at: i}
	}
	return kept
}

// before gives the messages that are quoted if nothing shows them and nothing else stands
// for them, chronological; late are quoted anyway.
func (c *composer) before(m material, late map[int64]bool) []said {
	if !m.quotes {
		return nil
	}
	var all []said
	for _, messages := range [][]said{m.said, m.window} {
		for _, s := range messages {
			if s.silent && !late[s.id] {
				all = append(all, s)
			}
		}
	}
	return all
}

// systemFrame is what a system message costs beside the lines below its header; framed says
// that there is one anyway.
func (c *composer) systemFrame(framed bool) int {
	frame := c.count(c.header+"\n", math.MaxInt)
	if !framed {
		frame += tokensPerMessage + c.count(string(memd.RoleSystem), math.MaxInt)
	}
	return frame
}

// choose gives out the budget, and extra beside it: the newest user message, recall, then the rest
// from the newest back, and what that leaves to what is open and what was said before. reserve is
// kept for saying that something was left out.
func (c *composer) choose(m material, all []group, open, before []said, full shown, freed freed, once map[int]bool, budget, extra, reserve int) draft {
	left := budget + extra - c.frame(m, all)
	newest, newestAt := c.newestUser(m, all, left)
	if newest != nil {
		left -= c.cost(m.render, newest.messages, math.MaxInt)
	}
	var d draft
	if d.mark = reserve > 0 && left >= reserve+leastText; d.mark {
		left -= reserve
	}
	framed := m.render == RenderSystem && len(all) > 0
	frame := c.systemFrame(framed)
	share := c.recallBudget(budget, left, len(all) == 0)
	spent := 0
	if share > 0 {
		spent = c.chooseRecall(&d, m, open, full, freed, once, share, frame)
	}
	// What went before gets what recall leaves of its share, and when the turns are
	// chosen, what they leave.
	kept := 0
	if room := share - max(spent, frame); room > 0 {
		if kept = c.chooseBefore(&d, m, open, full, room, c.lastSettled(m, room)); kept > 0 {
			kept += max(0, frame-spent)
		}
	}
	left = c.chooseTurns(&d, m, all, newest, newestAt, left-spent-kept)
	now := seen(d, len(m.earlier.memories)+len(m.memories) > 0)
	// What more room than was foreseen has the turns show is not recalled.
	shown := func(l recalledLine) bool { return now.states(m.memories[l.at]) }
	room := spent + kept + max(left, 0) - frame - c.costOf(d.recalled)
	if slices.ContainsFunc(d.recalled, shown) {
		d.recalled = slices.DeleteFunc(d.recalled, shown)
		room = spent + kept + max(left, 0) - frame - c.costOf(d.recalled)
	}
	room += c.giveWay(&d, m, room)
	last := c.lastSettled(m, room)
	room -= c.chooseOpen(&d, m, open, room-last, func(i int) bool { return now.ids[open[i].id] })
	turn := c.turnBefore(&d, m, open, before, now, room-last)
	room -= c.grow(d.recalled, m.recall, room-last-turn)
	room -= c.chooseBefore(&d, m, open, now, room-turn, last)
	room -= c.chooseSaid(&d, m, open, before, now, room)
	room -= c.grow(d.open, func(at int) candidate { return m.quote(open[at], at, 0) }, room)
	c.grow(d.carried, func(at int) candidate { return m.carried[at].candidate(at) }, room)
	d.countless = d.countless || m.more || m.earlier.more
	d.omitted = d.leavesOut(m)
	c.sayOnce(&d, m, open, before, once)
	return d
}

// cutAny says whether any of the lines is not all of what it is of.
func cutAny(lines []recalledLine) bool {
	return slices.ContainsFunc(lines, func(l recalledLine) bool { return l.cut })
}

// frame is what every request of the kind costs.
func (c *composer) frame(m material, all []group) int {
	if len(all) == 0 {
		return tokensPerAnswer
	}
	if m.render == RenderSystem {
		// One message, its header, and the blank line before it.
		return tokensPerAnswer + tokensPerMessage + c.count(string(memd.RoleSystem), math.MaxInt) + c.count(turnsHeader+"\n\n\n", math.MaxInt)
	}
	return tokensPerAnswer
}

// newestUser gives the newest user message, trimmed if alone it is more than left,
// and its place; nil if there is none.
func (c *composer) newestUser(m material, all []group, left int) (*chosen, int) {
	for i, g := range slices.Backward(all) {
		if g.messages[0].role != string(memd.RoleUser) {
			continue
		}
		kept := chosen{group: g, at: i}
		if c.cost(m.render, g.messages, left) > left {
			kept.messages, kept.cut = []outgoing{c.trimHard(m.render, g.messages[0], left)}, true
		}
		return &kept, i
	}
	return nil, -1
}

// cost is what messages add to a context rendered so, if that is at most limit, else
// any number above limit.
func (c *composer) cost(render string, messages []outgoing, limit int) int {
	n := 0
	for _, m := range messages {
		if n > limit {
			return n
		}
		if room := max(limit-n, 0); render == RenderSystem && len(m.says())/maxTokenBytes > room {
			n += room + 1 // the line of a text so long need not be made
		} else if render == RenderSystem {
			n += c.count(turnLine(m)+"\n", room)
		} else {
			n += c.tokens(m, limit-n)
		}
	}
	return n
}

func (c *composer) recallBudget(budget, left int, alone bool) int {
	share := budget / recallShare
	if alone {
		share = max(share, leastRecall)
	}
	return min(share, left)
}

// chooseTurns adds groups from the newest back until one does not fit: that is
// trimmed, and the last. Images and files that there is no room for are marked, and a call
// with its results is not trimmed but left out whole: what came before these still has its
// chance. The results that the conversation ends with are what the model is about to read: they
// are trimmed.
func (c *composer) chooseTurns(d *draft, m material, all []group, newest *chosen, newestAt, left int) (rest int) {
	full := false // where anything before would leave a gap
	for i, g := range slices.Backward(all) {
		if i == newestAt {
			d.groups = append(d.groups, *newest)
			continue
		}
		if full {
			if i < newestAt || newestAt < 0 {
				break
			}
			continue
		}
		kept := chosen{group: g, at: i}
		if n := c.cost(m.render, g.messages, max(left, 0)); n <= left {
			d.groups = append(d.groups, kept)
			left -= n
			continue
		}
		var ok bool
		switch {
		case !g.call:
			var t outgoing
			if t, ok = c.markAttachments(m.render, g.messages[0], left); !ok {
				full = true
				if t, ok = c.trimText(m.render, g.messages[0], left, leastText); !ok {
					marked, _ := c.withAttachments(g.messages[0], 0, 0)
					t, ok = c.trimText(m.render, marked, left, leastText)
				}
			}
			kept.messages = []outgoing{t}
		case i == len(all)-1:
			kept.messages, ok = c.trimResults(m.render, g.messages, left)
		}
		if ok {
			kept.cut = true
			d.groups = append(d.groups, kept)
			left -= c.cost(m.render, kept.messages, math.MaxInt)
		}
	}
	slices.Reverse(d.groups)
	return left
}
