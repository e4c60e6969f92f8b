package longterm

import (
	"cmp"
	"math"
	"slices"

	"github.com/memdhq/memd/lexical"
)

// corpus is what BM25 must know of the documents of the scopes that are searched.
type corpus struct {
	documents int
	terms     int64
}

func (c corpus) plus(d corpus) corpus {
	return corpus{c.documents + d.documents, c.terms + d.terms}
}

func (c corpus) meanLength() float64 {
	if c.documents == 0 {
		return 0
	}
	return float64(c.terms) / float64(c.documents)
}

// question is the terms that a query asks for.
type question struct {
	hashes []int32
	at     map[int32]int
}

func questionOf(text string) question {
	q := question{at: map[int32]int{}}
	for _, t := range lexical.QueryTerms(text) {
		if t.Hash != wholeMessage && t.Hash != asksTerm {
			q.at[t.Hash] = len(q.hashes)
			q.hashes = append(q.hashes, t.Hash)
		}
	}
	return q
}

// parted gives the terms of a question that are none of a part of it, and those that are.
func (q question) parted(part question) (rest, of question) {
	rest, of = question{at: map[int32]int{}}, question{at: map[int32]int{}}
	for _, h := range q.hashes {
		to := &rest
		if _, in := part.at[h]; in {
			to = &of
		}
		to.at[h] = len(to.hashes)
		to.hashes = append(to.hashes, h)
	}
	return rest, of
}

// match is how a document meets the question.
type match struct {
	score float64
	// coverage is the share of the question's terms that it holds, each by its rarity.
	coverage float64
}

// memoryHit is a posting of a memory.
type memoryHit struct {
	term       int32
	memory     memoryID
	tf, length int16
}

// matchMemories scores by BM25 all memories that hold a term of the question; hits of other
// terms are passed over.
func matchMemories(q question, c corpus, hits []memoryHit) map[memoryID]match {
	df := make([]int, len(q.hashes))
	for _, h := range hits {
		if t, of := q.at[h.term]; of {
			df[t]++
		}
	}
	rare, total := rarities(c.documents, df)
	mean := c.meanLength()
	found := make(map[memoryID]match, len(hits))
	for _, h := range hits {
		t, of := q.at[h.term]
		if !of {
			continue
		}
		relative := 1.0
		if mean > 0 {
			relative = float64(h.length) / mean
		}
		tf := float64(h.tf)
		m := found[h.memory]
		m.score += rare[t] * tf * (lexical.K1 + 1) / (tf + lexical.K1*(1-lexical.B+lexical.B*relative))
		m.coverage += rare[t] / total
		found[h.memory] = m
	}
	return found
}

// rarities gives the inverse document frequency of each term of a question among n
// documents, and their sum. It is what BM25 gives a text of mean length that holds the
// term once.
func rarities(n int, df []int) (rare []float64, total float64) {
	rare = make([]float64, len(df))
	for t := range df {
		rare[t] = lexical.BM25(n, df[t], 1, 1, 1)
		total += rare[t]
	}
	return rare, total
}

// place is where a message stands.
type place struct {
	session  int64
	position int32
}

// messageHit is a posting of a message.
type messageHit struct {
	term int32
	place
	tf, length int16
}

// reachOfWindow is how many messages a window holds on each side of its middle.
const reachOfWindow = 2

// windows are messages with their neighbours as one document each: those tell what a
// message is about where it does not say so itself. They are all that hold a term of the
// question.
type windows struct {
	places  []place
	matches []match
}

// hitMessage is a message that holds terms of the question.
type hitMessage struct {
	place
	length int32
	// first is where its counts begin, one for each term.
	first int32
}

// gatherWindows makes windows of the postings of single messages: a hit counts for the
// windows of all positions within reach. So a message that comes later is in the windows
// of those before it as soon as it is indexed, and nothing is indexed twice.
//
// A window stands at every position that has a hit within reach, also where no message
// that was learned from is in its middle; those are no memory's and weigh a little in
// the document frequencies, at most reachOfWindow of them at a session's end. Neighbours
// without a hit have the mean length, since their postings were not read.
func gatherWindows(q question, c corpus, hits []messageHit) *windows {
	terms := len(q.hashes)
	w := &windows{}
	messages, tfs := byPlace(q, hits)

	// Every window holds a stretch of messages; as the places ascend, so do its ends.
	var from, to int
	df := make([]int, terms)
	var sums []int32
	var lengths []int32 // of the messages that hold a term
	var unseen []int8   // how many do not
	each := func(at place) {
		for from < len(messages) && before(messages[from].place, place{at.session, at.position - reachOfWindow}) {
			from++
		}
		for to < len(messages) && !before(place{at.session, at.position + reachOfWindow}, messages[to].place) {
			to++
		}
		n := len(sums)
		length := int32(0)
		sums = append(sums, make([]int32, terms)...)
		for _, m := range messages[from:to] {
			length += m.length
			for t := range terms {
				sums[n+t] += tfs[int(m.first)+t]
			}
		}
		for t := range terms {
			if sums[n+t] > 0 {
				df[t]++
			}
		}
		w.places = append(w.places, at)
		lengths = append(lengths, length)
		unseen = append(unseen, int8(windowSize-max(0, reachOfWindow-int(at.position))-(to-from)))
	}
	next := place{} // the first place that has no window yet
	for _, m := range messages {
		start := place{m.session, max(0, m.position-reachOfWindow)}
		if before(start, next) {
			start = next
		}
		for ; start.position <= m.position+reachOfWindow; start.position++ {
			each(start)
		}
		next = start
	}

	rare, total := rarities(c.documents, df)
	mean := c.meanLength()
	w.matches = make([]match, len(w.places))
	for i := range w.places {
		length := int(float64(lengths[i]) + float64(unseen[i])*mean + .5)
		relative := 1.0
		if mean > 0 {
			relative = float64(length) / (windowSize * mean)
		}
		norm := lexical.K1 * (1 - lexical.B + lexical.B*relative)
		m := &w.matches[i]
		for t := range terms {
			if tf := float64(sums[i*terms+t]); tf > 0 {
				m.score += rare[t] * tf * (lexical.K1 + 1) / (tf + norm)
				m.coverage += rare[t] / total
			}
		}
	}
	return w
}

const windowSize = 2*reachOfWindow + 1

// before orders places by session, then position.
func before(a, b place) bool {
	return a.session < b.session || a.session == b.session && a.position < b.position
}

// byPlace joins the hits of each message, in the order of their places; tfs holds the
// counts of each message's terms from its first on.
func byPlace(q question, hits []messageHit) (messages []hitMessage, tfs []int32) {
	terms := len(q.hashes)
	slices.SortFunc(hits, func(a, b messageHit) int {
		return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.position, b.position))
	})
	for _, h := range hits {
		if n := len(messages); n == 0 || messages[n-1].place != h.place {
			messages = append(messages, hitMessage{h.place, int32(h.length), int32(len(tfs))})
			tfs = append(tfs, make([]int32, terms)...)
		}
		tfs[int(messages[len(messages)-1].first)+q.at[h.term]] += int32(h.tf)
	}
	return messages, tfs
}

// match gives that of the window at a place; the zero match where none of the question's
// terms is near.
func (w *windows) match(at place) match {
	i, ok := slices.BinarySearchFunc(w.places, at, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.position, b.position))
	})
	if !ok {
		return match{}
	}
	return w.matches[i]
}

// best gives up to n places, those with the highest scores first.
func (w *windows) best(n int) []place {
	top := best(len(w.places), n, func(i int) float64 { return w.matches[i].score }, func(a, b int) int {
		return b - a // newer sessions and positions come later
	})
	places := make([]place, len(top))
	for i, at := range top {
		places[i] = w.places[at]
	}
	return places
}

// best gives the indexes of up to n of all items, those with the highest scores first;
// tie orders two of the same score.
func best(all, n int, score func(int) float64, tie func(a, b int) int) []int {
	order := func(a, b int) int { return cmp.Or(cmp.Compare(score(b), score(a)), tie(a, b)) }
	top := make([]int, 0, 2*n)
	least := math.Inf(-1)
	for i := range all {
		if score(i) < least {
			continue
		}
		// Of twice as many as are wanted the worse half is dropped, again and again.
		if top = append(top, i); len(top) == 2*n {
			slices.SortFunc(top, order)
			top = top[:n]
			least = score(top[n-1])
		}
	}
	slices.SortFunc(top, order)
	return top[:min(n, len(top))]
}

// bestMemories gives up to n memories, those with the highest scores first.
func bestMemories(found map[memoryID]match, n int) []memoryID {
	ids := make([]memoryID, 0, len(found))
	scores := make([]float64, 0, len(found))
	for id, m := range found {
		ids, scores = append(ids, id), append(scores, m.score)
	}
	top := best(len(ids), n, func(i int) float64 { return scores[i] }, func(a, b int) int { return slices.Compare(ids[b][:], ids[a][:]) })
	places := make([]memoryID, len(top))
	for i, at := range top {
		places[i] = ids[at]
	}
	return places
}
