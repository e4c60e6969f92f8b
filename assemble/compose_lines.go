package assemble

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

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
	d.quotes = map[int]candidate{}
	for _, of := range slices.Concat(last, all) {
		d.quotes[of.at] = of
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
