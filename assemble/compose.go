package assemble

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
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
		if err != nil || !d.omitted || reserve > 0 {
			return out, err
		}
	}
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

// freed holds what recall may show though the window, taken whole, shows it.
type freed struct{ memories, open map[int]bool }

// add frees what full shows and now does not; false if there is nothing new.
func (f freed) add(m material, open []said, full, now shown) bool {
	grown := false
	for i, memory := range m.memories {
		if !f.memories[i] && full.states(memory) && !now.states(memory) {
			f.memories[i], grown = true, true
		}
	}
	for i, s := range open {
		if !f.open[i] && full.ids[s.id] && !now.ids[s.id] {
			f.open[i], grown = true, true
		}
	}
	return grown
}

// shown is what a reader of the turns sees.
type shown struct {
	// ids are the messages that are there, whole those that were not trimmed.
	ids, whole map[int64]bool
	// texts are what they say, folded, by speaker.
	texts map[string][]string
}

// seen gives what the turns of a draft show; their texts are not needed where no
// memory is to be compared with them.
func seen(d draft, withTexts bool) shown {
	s := shown{ids: map[int64]bool{}, whole: map[int64]bool{}, texts: map[string][]string{}}
	for _, g := range d.groups {
		for i, by := range g.said {
			s.ids[by.id] = true
			// What was trimmed may be another part than its words.
			s.whole[by.id] = !g.cut || g.messages[i].says() == by.text
			var text string
			switch {
			case !withTexts:
			case g.cut:
				text = folded(g.messages[i].says())
			default:
				text = g.words[i]
			}
			if text != "" {
				who := speaker(string(by.role), by.name)
				s.texts[who] = append(s.texts[who], text)
			}
		}
	}
	return s
}

// states says whether a memory can be read in the turns: one of the messages that
// state it is there, or its very words are, by the same speaker.
func (s shown) states(m memd.Memory) bool {
	if slices.ContainsFunc(m.Sources, func(id int64) bool { return s.whole[id] }) {
		return true
	}
	return s.statesWords(m, m.Memory)
}

// statesWords says whether the words of a memory, or as many as are shown of them, are there, said
// by the same speaker; the dates beside them need not be.
func (s shown) statesWords(m memd.Memory, shown string) bool {
	words := folded(extract.Undated(shown))
	if words == "" {
		return false
	}
	short := strings.Count(words, " ") < 4 // a word or two prove nothing within a longer text
	return slices.ContainsFunc(s.texts[speaker(m.Role, actorOf(m))], func(text string) bool {
		return text == words || !short && strings.Contains(text, words)
	})
}

func actorOf(m memd.Memory) string {
	if m.ActorID == nil {
		return ""
	}
	return *m.ActorID
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

// omission is what it costs at most to say beside other lines that something was left out.
func (c *composer) omission() int {
	return c.count(fmt.Sprintf(omittedMany, 999_999_999)+"\n", math.MaxInt)
}

// omission is the line that says that something was left out, and if that is known, how much.
func (d draft) omission(unread int) string {
	switch n := d.openLeft + d.saidLeft + unread; {
	case d.countless || n == 0: // or only trimmed
		return omitted
	case n == 1:
		return omittedOne
	default:
		return fmt.Sprintf(omittedMany, n)
	}
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
	d.omitted = d.countless || m.unread+d.openLeft+d.saidLeft > 0
	for _, lines := range [][]recalledLine{d.open, d.carried, d.earlier, d.said} {
		d.omitted = d.omitted || cutAny(lines)
	}
	c.sayOnce(&d, m, open, before, once)
	return d
}

// cutAny says whether any of the lines is not all of what it is of.
func cutAny(lines []recalledLine) bool {
	return slices.ContainsFunc(lines, func(l recalledLine) bool { return l.cut })
}

// recall is the line of a memory: of a long one the passage that is asked for.
func (m material) recall(at int) candidate {
	memory := m.memories[at]
	text := memory.Memory
	if passage, long := m.passages[memory.ID]; long {
		text = passage
	}
	return candidate{at: at, role: memory.Role, name: actorOf(memory), text: text}
}

// quote is the line of a message that is so many turns back. Of the last turn of the session before
// the end stays too: it may ask.
func (m material) quote(s said, at, turns int) candidate {
	return candidate{at: at, message: s.id, role: string(s.role), name: s.name, text: s.words(), cleared: s.cleared, ends: m.isLast(s.id), tier: tierOf(turns, string(s.role))}
}

func (c *composer) costOf(lines []recalledLine) (n int) {
	for _, l := range lines {
		n += c.count(l.text+"\n", math.MaxInt)
	}
	return n
}

// chooseSaid chooses, anew, the lines of messages that nothing shows and nothing else stands
// for, the newest first. What is carried over whole does not stand there twice, and of what is
// quoted whole no part is carried over. It gives what the lines cost.
func (c *composer) chooseSaid(d *draft, m material, open, before []said, shown shown, room int) (spent int) {
	quoted := map[int64]string{}
	last, all := c.unsaid(d, m, open, before, shown)
	var whole bool
	if d.said, spent, whole = c.shareAfter(last, all, room, 0); !whole {
		d.saidLeft = len(last) + len(all) - len(d.said)
	}
	slices.SortFunc(d.said, func(a, b recalledLine) int { return cmp.Compare(a.at, b.at) })
	for _, l := range d.said {
		quoted[before[l.at].id] = l.text
	}
	d.carried = slices.DeleteFunc(d.carried, func(l recalledLine) bool {
		of := m.carried[l.at]
		line, ok := quoted[of.id]
		return ok && strings.Contains(line, quotation(of.text))
	})
	return spent
}

// unsaid gives the lines of messages that nothing shows and nothing else stands for, the newest
// first; last are those of the last turn of this session that is not all shown.
func (c *composer) unsaid(d *draft, m material, open, before []said, shown shown) (last, all []candidate) {
	waiting := map[int64]bool{} // what has settled since it was read is in both
	for _, l := range d.open {
		waiting[open[l.at].id] = true
	}
	carried := map[int64][]carriedLine{}
	for _, l := range d.carried {
		carried[m.carried[l.at].id] = append(carried[m.carried[l.at].id], m.carried[l.at])
	}
	beside := map[string]bool{}
	for _, l := range d.recalled {
		beside[m.memories[l.at].ID] = true
	}
	for _, l := range d.earlier {
		if l.at != ofSummary {
			beside[m.earlier.memories[l.at].ID] = true
		}
	}
	turns, newest := turnsOf(before), -1
	for i, s := range slices.Backward(before) {
		if shown.ids[s.id] || waiting[s.id] {
			continue
		}
		if newest < 0 {
			newest = turns[i]
		}
		words := c.restOf(s, beside)
		if words == "" || carriesOver(carried[s.id], words, s.part || words != s.words()) {
			continue
		}
		of := candidate{at: i, message: s.id, role: string(s.role), name: s.name, text: words, cleared: s.cleared, tier: tierOf(turns[i], string(s.role))}
		if turns[i] == newest && !s.earlier {
			last = append(last, of)
		} else {
			all = append(all, of)
		}
	}
	return last, all
}

// turnBefore is what of room is kept, from memories and what is carried over, for the turn just
// before those that are shown: the newest message is often said to it.
func (c *composer) turnBefore(d *draft, m material, open, before []said, shown shown, room int) int {
	alone := *d
	alone.carried, alone.earlier = nil, nil
	last, _ := c.unsaid(&alone, m, open, before, shown)
	_, cost, _ := c.shareAfter(last, nil, room, 0)
	return cost
}

// carriesOver says whether what is carried over of a message has all of what is quoted of it.
func carriesOver(carried []carriedLine, words string, part bool) bool {
	return slices.ContainsFunc(carried, func(l carriedLine) bool {
		return l.whole || l.text == words || part && strings.Contains(folded(l.text), folded(words))
	})
}

// restOf is what of a message is quoted beside memories with these ids. It is asked for many
// times.
func (c *composer) restOf(s said, beside map[string]bool) string {
	if len(s.learned) == 0 {
		return s.words()
	}
	of := besideOf{message: s.id}
	for _, l := range s.learned {
		if beside[l.ID] {
			of.beside += l.ID
		}
	}
	rest, known := c.rests[of]
	if !known {
		rest = s.rest(beside)
		c.rests[of] = rest
	}
	return rest
}

// sayOnce leaves out memories that what is quoted states: a message that is quoted whole states
// all that was learned from it, also what is redacted there, and its words state themselves.
// What is pinned stays.
func (c *composer) sayOnce(d *draft, m material, open, before []said, once map[int]bool) {
	quoted := shown{whole: map[int64]bool{}, texts: map[string][]string{}}
	add := func(id int64, role, name, text string, l recalledLine, part bool) {
		if !l.cut && !part {
			quoted.whole[id] = true
		}
		if l.cut {
			text = l.text
		}
		text, _ = cutAt(text, foldedBytes)
		who := speaker(role, name)
		quoted.texts[who] = append(quoted.texts[who], folded(text))
	}
	for _, l := range d.open {
		s := open[l.at]
		add(s.id, string(s.role), s.name, s.text, l, false)
	}
	for _, l := range d.said {
		if s := before[l.at]; len(s.learned) == 0 { // of others what stands beside them is left out already
			add(s.id, string(s.role), s.name, s.text, l, s.part)
		}
	}
	for _, l := range d.carried {
		if of := m.carried[l.at]; of.id != 0 {
			add(of.id, of.role, of.name, of.text, l, !of.whole)
		}
	}
	d.once = map[int]bool{}
	for i := range once {
		d.once[i] = true
		d.lost = d.lost || !quoted.states(m.memories[i])
	}
	if len(quoted.texts) == 0 {
		return
	}
	states := func(memory memd.Memory, l recalledLine) bool {
		if quoted.states(memory) {
			return true
		}
		// Of one that is cut no more is to be seen than its line has.
		begin, _, _ := strings.Cut(c.lineOf(candidate{role: memory.Role, name: actorOf(memory)}, "\x00"), "\x00")
		head, _, cut := strings.Cut(strings.TrimPrefix(l.text, begin), trimMark)
		return l.cut && cut && quoted.statesWords(memory, head)
	}
	d.recalled = slices.DeleteFunc(d.recalled, func(l recalledLine) bool {
		says := !m.memories[l.at].Pinned && states(m.memories[l.at], l)
		if says {
			d.once[l.at] = true
		}
		return says
	})
	if len(d.once) > len(once) { // others of the same message would only take their places
		for i, memory := range m.memories {
			if !memory.Pinned && quoted.states(memory) {
				d.once[i] = true
			}
		}
	}
	d.earlier = slices.DeleteFunc(d.earlier, func(l recalledLine) bool { return l.at != ofSummary && states(m.earlier.memories[l.at], l) })
}

// certain gives the ids of the messages that are shown whole whatever is recalled.
func (c *composer) certain(m material) []int64 {
	all := groups(m.window)
	left := m.budget - c.frame(m, all)
	newest, at := c.newestUser(m, all, left)
	if newest != nil {
		left -= c.cost(m.render, newest.messages, math.MaxInt)
	}
	left -= c.omission()
	var d draft
	c.chooseTurns(&d, m, all, newest, at, left-c.recallBudget(m.budget, left, false))
	var ids []int64
	next := len(all)
	for _, g := range slices.Backward(d.groups) {
		// Beyond a gap more room can mean less: a call that then fits takes the place of
		// what is before it.
		if next--; g.at != next || g.cut {
			break
		}
		for _, s := range g.said {
			ids = append(ids, s.id)
		}
	}
	return ids
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

// trimHard trims a message to limit tokens at all costs but its being there, and some of its
// words.
func (c *composer) trimHard(render string, m outgoing, limit int) outgoing {
	mark := c.count(trimMark, math.MaxInt)
	if t, ok := c.trimTo(render, m, limit, max(mark, min(leastLine, c.count(m.says(), leastLine))), c.withEnds); ok {
		return t
	}
	if t, ok := c.trimAttachments(render, m, limit); ok {
		return t
	}
	if t, ok := c.trimTo(render, m.onlyText(), limit, mark, c.withEnds); ok {
		return t
	}
	t, _ := c.trimTo(render, m.onlyText().unnamed(), limit, 1, c.withEnds)
	return t
}

// trimAttachments leaves out of a message as many of the parts that are no text as there is no room
// for, and says so in their places; its texts keep leastLine tokens. False if there is not even room
// for that.
func (c *composer) trimAttachments(render string, m outgoing, limit int) (outgoing, bool) {
	mark := c.count(trimMark, math.MaxInt)
	bare, _ := c.withAttachments(m, 0, 0)
	least := mark
	if text := m.says(); text == "" {
		least = 0
	} else {
		least = max(mark, min(leastLine, c.count(text, leastLine)))
	}
	bare.parts = slices.DeleteFunc(bare.parts, func(p part) bool { return p.is == textPart || p.is == markPart })
	room := limit - c.cost(render, []outgoing{bare}, max(limit, 0)) - least
	for most := len(m.parts); ; most-- {
		some, kept := c.withAttachments(m, room, most)
		if least == 0 {
			if c.cost(render, []outgoing{some}, max(limit, 0)) <= limit {
				return some, true
			}
		} else if t, ok := c.trimTo(render, some, limit, mark, c.withEnds); ok {
			return t, true
		}
		if most = kept; most == 0 {
			return outgoing{}, false
		}
	}
}

// markAttachments puts marks in the place of as many of the parts of a message that are no text as
// there is no room for beside its texts; false if it has none, or the texts are too long by
// themselves.
func (c *composer) markAttachments(render string, m outgoing, limit int) (outgoing, bool) {
	if !slices.ContainsFunc(m.parts, func(p part) bool { return p.is != textPart }) {
		return outgoing{}, false
	}
	bare := m
	bare.parts = slices.DeleteFunc(slices.Clone(m.parts), func(p part) bool { return p.is != textPart })
	room := limit - c.cost(render, []outgoing{bare}, max(limit, 0))
	for most := len(m.parts); ; most-- {
		some, kept := c.withAttachments(m, room, most)
		if c.cost(render, []outgoing{some}, max(limit, 0)) <= limit {
			return some, true
		}
		if most = kept; most == 0 {
			return outgoing{}, false
		}
	}
}

// trimText trims the texts of a message so that it costs at most limit; false if that
// leaves less than least tokens of them.
func (c *composer) trimText(render string, m outgoing, limit, least int) (outgoing, bool) {
	return c.trimTo(render, m, limit, max(least, c.count(trimMark, math.MaxInt)), c.withText)
}

// trimTo is trimText with what it trims with.
func (c *composer) trimTo(render string, m outgoing, limit, least int, to func(outgoing, int) outgoing) (outgoing, bool) {
	bare := m
	bare.parts = slices.DeleteFunc(slices.Clone(m.parts), func(p part) bool { return p.is == textPart })
	room := limit - c.cost(render, []outgoing{bare}, max(limit, 0))
	for room >= least {
		t := to(m, room)
		over := c.cost(render, []outgoing{t}, limit) - limit
		if over <= 0 {
			return t, true
		}
		room -= over
	}
	return to(m, 0), false
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

// chooseRecall chooses the recalled lines and gives what they cost: memories, the best
// first, then what is open, the newest first. Memories leave what is open and the last turn of the
// session before up to half of the share. frame is what the system message costs beside them.
func (c *composer) chooseRecall(d *draft, m material, open []said, full shown, freed freed, once map[int]bool, share, frame int) (cost int) {
	room := share - frame
	if room <= 0 {
		return 0
	}
	shows := func(i int) bool { return full.ids[open[i].id] && !freed.open[i] }
	last := c.lastSettled(m, room)
	waiting := last + c.chooseOpen(&draft{}, m, open, room-last, shows)
	var all []candidate
	for i, memory := range m.memories {
		if len(all) == m.limit {
			break
		}
		if !once[i] && (!full.states(memory) || freed.memories[i]) {
			all = append(all, m.recall(i))
		}
	}
	var spent int
	d.recalled, spent, _ = c.share(all, room-min(waiting, room/2))
	spent += c.chooseOpen(d, m, open, room-spent-min(last, claim(room-spent)), shows)
	if spent == 0 {
		return 0
	}
	return frame + spent
}

// isLast says whether a message is of the last turn of the session before.
func (m material) isLast(id int64) bool {
	return slices.ContainsFunc(m.carried, func(l carriedLine) bool { return l.last && l.id == id })
}

// lastTurn gives the lines of the last turn of the session before that no memory states; settled are
// those that are carried over, the others are open.
func (m material) lastTurn(stated statements) (settled, open []candidate) {
	for i, l := range m.carried {
		switch {
		case !l.last || stated.have(l.role, l.name, l.text):
		case l.open:
			open = append(open, l.candidate(i))
		default:
			settled = append(settled, l.candidate(i))
		}
	}
	return settled, open
}

// lastSettled is what of room is kept from what is open for as much of the last turn of the session
// before as has settled, which is carried over: all of it if there is room for all of that turn.
func (c *composer) lastSettled(m material, room int) int {
	settled, open := m.lastTurn(nil)
	_, cost, whole := c.share(settled, room)
	if whole && len(open) > 0 {
		_, _, whole = c.share(open, room-cost)
	}
	if !whole {
		_, cost, _ = c.share(settled, claim(room))
	}
	return cost
}

// giveWay has memories that are not pinned be as few and as short as it takes for the last turn of
// the session before to stand there whole, if it can beside what is pinned, and gives what that frees.
func (c *composer) giveWay(d *draft, m material, room int) (freed int) {
	settled, open := m.lastTurn(stated(d, m))
	turn := append(settled, open...)
	if len(turn) == 0 || len(d.recalled) == 0 {
		return 0
	}
	if _, _, whole := c.share(turn, room); whole {
		return 0
	}
	had := c.costOf(d.recalled)
	var left []recalledLine
	var others []candidate
	for _, l := range d.recalled {
		if m.memories[l.at].Pinned {
			left = append(left, l)
		} else {
			others = append(others, m.recall(l.at))
		}
	}
	room += had - c.costOf(left)
	_, cost, whole := c.share(turn, room)
	if !whole {
		return 0
	}
	lines, _, _ := c.share(others, room-cost)
	d.recalled = append(left, lines...)
	slices.SortFunc(d.recalled, func(a, b recalledLine) int { return cmp.Compare(a.at, b.at) })
	return had - c.costOf(d.recalled)
}

// chooseOpen chooses, anew, the lines of what is open, the newest first, and gives what they
// cost, at most room. shows says of a place in open that the turns show it. What was learned
// from a moment ago and is recalled in the same words does not stand there twice.
func (c *composer) chooseOpen(d *draft, m material, open []said, room int, shows func(int) bool) (spent int) {
	stated, turns := stated(d, m), turnsOf(open)
	var last, all []candidate
	for i, s := range slices.Backward(open) {
		words := s.words()
		if shows(i) || words == "" || stated.have(string(s.role), s.name, words) {
			continue
		}
		if of := m.quote(s, i, turns[i]); of.ends {
			last = append(last, of)
		} else {
			all = append(all, of)
		}
	}
	var whole bool
	d.openLeft = 0
	if d.open, spent, whole = c.shareAfter(last, all, room, 0); !whole {
		d.openLeft = len(last) + len(all) - len(d.open)
	}
	slices.SortFunc(d.open, func(a, b recalledLine) int { return cmp.Compare(a.at, b.at) })
	return spent
}

// statements are texts, folded, after who said them.
type statements map[string]bool

// stated is what is recalled.
func stated(d *draft, m material) statements {
	all := statements{}
	for _, l := range d.recalled {
		if l.cut {
			continue
		}
		memory := m.memories[l.at]
		all[speaker(memory.Role, actorOf(memory))+folded(extract.Undated(memory.Memory))] = true
	}
	return all
}

// remembered is what is recalled of each message, whole.
func (m material) remembered(d *draft) map[int64][]string {
	all := map[int64][]string{}
	for _, l := range d.recalled {
		if memory := m.memories[l.at]; !l.cut {
			for _, id := range memory.Sources {
				all[id] = append(all[id], memory.Memory)
			}
		}
	}
	return all
}

// have says whether a text is among them. One that is very long is not.
func (s statements) have(role, name, text string) bool {
	return len(s) > 0 && len(text) <= foldedBytes && s[speaker(role, name)+folded(extract.Undated(text))]
}

// chooseBefore chooses, anew, the lines of what earlier sessions have left open, and of what
// stands for what this one said before what is shown of it; the former leave the latter up to
// half of the room, but for what is kept for the last turn of the nearest. It gives what they cost,
// at most room.
func (c *composer) chooseBefore(d *draft, m material, open []said, shown shown, room, keptForLast int) (spent int) {
	quoted := map[int64]bool{}
	for _, l := range d.open {
		quoted[open[l.at].id] = true
	}
	stated, remembered := stated(d, m), m.remembered(d)
	var last, carried []candidate
	for i, l := range m.carried {
		switch {
		case quoted[l.id] || stated.have(l.role, l.name, l.text) || !l.whole && len(remembered[l.id]) > 0 && unlearned(l.text, remembered[l.id], nil) == "":
		case l.last:
			last = append(last, l.candidate(i))
		default:
			carried = append(carried, l.candidate(i))
		}
	}
	ids := map[string]bool{}
	for _, l := range d.recalled {
		ids[m.memories[l.at].ID] = true
	}
	var earlier []candidate
	if m.earlier.summary != "" {
		earlier = append(earlier, candidate{at: ofSummary, role: speakerOfSummary, text: m.earlier.summary})
	}
	for i, memory := range slices.Backward(m.earlier.memories) { // the latest first
		if !ids[memory.ID] && !shown.states(memory) && !m.earlier.covers(memory) {
			earlier = append(earlier, candidate{at: i, role: memory.Role, name: actorOf(memory), text: memory.Memory})
		}
	}
	_, waiting, _ := c.share(earlier, room)
	d.countless = false
	var n int
	var whole bool
	if d.carried, spent, whole = c.shareAfter(last, carried, room-min(waiting, room/2, room-keptForLast), keptForLast); !whole {
		// Of a message that is not shown it may be a part.
		d.countless = len(d.carried) < len(last)+len(carried)
	}
	if d.earlier, n, whole = c.share(earlier, room-spent); !whole {
		d.countless = true
	}
	slices.SortStableFunc(d.carried, func(a, b recalledLine) int { return cmp.Compare(m.carried[a.at].place, m.carried[b.at].place) })
	slices.SortStableFunc(d.earlier, func(a, b recalledLine) int { return cmp.Compare(a.at, b.at) })
	return spent + n
}

// covers says whether the summary is of all messages that state a memory.
func (e earlier) covers(m memd.Memory) bool {
	return e.summary != "" && !slices.ContainsFunc(m.Sources, func(id int64) bool { return id > e.upto })
}

// coversTheFirst says whether the summary is of the first of the memories, and so of what there is
// before them.
func (e earlier) coversTheFirst() bool { return len(e.memories) > 0 && e.covers(e.memories[0]) }

// recalledLine gives the line of something recalled, "" if it says nothing. What
// cannot fit into room tokens need not be whole: no more of a text is read than about that.
func (c *composer) recalledLine(of candidate, room int) string {
	room = max(room, 0)
	key := lineOf{of.message, of.role, of.name, of.text}
	known, ok := c.lines[key]
	if ok && (known.whole || room <= known.room) {
		return known.line
	}
	var line string
	length := (room + 1) * bytesOfQuoted
	if len(of.text) > length {
		length = c.head(of.text, room+room/8) + bytesOfQuoted
	}
	for ; ; length *= 2 {
		read, whole := c.secrets.beginning(of, length, &known.cleared)
		if line = quotation(read); line != "" {
			line = c.lineOf(of, line)
		}
		if whole || c.count(line, room) > room {
			if c.lines != nil {
				c.lines[key] = quotedLine{line, room, whole, known.cleared}
			}
			return line
		}
	}
}

// fit gives a line as it fits into room tokens with the line break after it: whole,
// trimmed, or not at all ("").
func (c *composer) fit(line string, room int) (fitting string, cost int, whole bool) {
	if room <= 0 {
		return "", 0, false
	}
	if n := c.count(line+"\n", room); n <= room {
		return line, n, true
	}
	if room < leastText {
		return "", 0, false
	}
	line = c.trim(line, room-1)
	if n := c.count(line+"\n", room); n <= room {
		return line, n, false
	}
	return "", 0, false
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

// trimResults trims the results of a call so that all of it costs at most limit; the
// shortest keep most. False if that leaves too little of them.
func (c *composer) trimResults(render string, messages []outgoing, limit int) ([]outgoing, bool) {
	left := limit - c.cost(render, messages[:1], max(limit, 0))
	trimmed := slices.Clone(messages)
	byLength := make([]int, 0, len(messages)-1)
	for i := 1; i < len(messages); i++ {
		byLength = append(byLength, i)
	}
	slices.SortStableFunc(byLength, func(a, b int) int {
		return cmp.Compare(len(messages[a].says()), len(messages[b].says()))
	})
	for k, i := range byLength {
		share := left / (len(byLength) - k)
		n := c.cost(render, messages[i:i+1], max(share, 0))
		if n > share {
			var ok bool
			if trimmed[i], ok = c.trimText(render, messages[i], share, leastText); !ok {
				return nil, false
			}
			n = c.cost(render, trimmed[i:i+1], math.MaxInt)
		}
		left -= n
	}
	return trimmed, true
}

// encode writes the context down and counts all of it.
func (c *composer) encode(m material, open, before []said, d draft) composed {
	out := composed{messages: []json.RawMessage{}, omitted: d.omitted || cutAny(d.recalled)}
	d.mark = d.mark && d.omitted
	var lines []string
	if len(d.recalled)+len(d.carried)+len(d.earlier)+len(d.open)+len(d.said) > 0 || d.mark {
		lines = append(lines, c.header)
	}
	for _, l := range d.recalled {
		lines = append(lines, l.text)
		out.recalled = append(out.recalled, l.at)
	}
	// What is quoted of earlier sessions stands among what is carried over of them.
	var past []recalledLine
	for _, l := range d.said {
		if before[l.at].earlier {
			past = append(past, l)
		}
	}
	for _, l := range d.carried {
		id := m.carried[l.at].id
		for ; len(past) > 0 && before[past[0].at].id < id; past = past[1:] {
			lines = append(lines, past[0].text)
		}
		lines = append(lines, l.text)
		if id != 0 && !slices.Contains(out.carried, id) {
			out.carried = append(out.carried, id)
		}
	}
	for _, l := range past {
		lines = append(lines, l.text)
	}
	for _, l := range d.earlier {
		lines = append(lines, l.text)
		if l.at == ofSummary {
			out.summary = true
		} else {
			out.summarised = append(out.summarised, l.at)
		}
	}
	if d.mark {
		lines = append(lines, d.omission(m.unread))
	}
	lines = append(lines, c.quotations(&out, open, before, d)...)
	var sent []outgoing
	for _, g := range d.groups {
		sent = append(sent, g.messages...)
	}
	if m.render == RenderSystem && len(sent) > 0 {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, turnsHeader)
		for _, s := range sent {
			lines = append(lines, turnLine(s))
		}
		sent = nil
	}
	if len(lines) > 0 {
		system := outgoing{role: string(memd.RoleSystem), plain: true, parts: []part{{text: strings.Join(lines, "\n")}}}
		out.messages = append(out.messages, system.encode())
		out.used += tokensPerMessage + c.count(system.role, math.MaxInt) + c.countLines(system.parts[0].text)
	}
	for _, s := range sent {
		out.messages = append(out.messages, s.encode())
		out.used += c.tokens(s, math.MaxInt)
	}
	if len(out.messages) > 0 {
		out.used += tokensPerAnswer
	}
	return out
}

// quotations gives the lines of what is quoted of this session, in the order it was said, and
// notes whose all are.
func (c *composer) quotations(out *composed, open, before []said, d draft) []string {
	type quoted struct {
		id   int64
		text string
	}
	var all []quoted
	for _, l := range d.open {
		if open[l.at].open {
			out.open = append(out.open, open[l.at].id)
		} else {
			out.quoted = append(out.quoted, open[l.at].id)
		}
		all = append(all, quoted{open[l.at].id, l.text})
	}
	for _, l := range d.said {
		out.quoted = append(out.quoted, before[l.at].id)
		if !before[l.at].earlier {
			all = append(all, quoted{before[l.at].id, l.text})
		}
	}
	if len(d.said) > 0 {
		slices.Sort(out.quoted)
		slices.SortStableFunc(all, func(a, b quoted) int { return cmp.Compare(a.id, b.id) })
	}
	var lines []string
	for _, q := range all {
		lines = append(lines, q.text)
	}
	return lines
}

// turnLine is a message as RenderSystem shows it: who speaks, what they say with its
// further lines indented, so that no line of it can pass for another message, and
// what they call.
func turnLine(m outgoing) string {
	var said []string
	for _, p := range m.parts {
		switch p.is {
		case textPart:
			said = append(said, indented(p.text))
		case markPart:
			said = append(said, p.text)
		default:
			said = append(said, indented(p.mark().text))
		}
	}
	for _, does := range m.does() {
		said = append(said, indented(does))
	}
	return speaker(m.role, stringOf(m.member("name"))) + ": " + unled(strings.Join(said, "\n  "))
}
