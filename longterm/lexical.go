package longterm

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/memdhq/memd/lexical"
)

// corpus is what BM25 must know of the documents of the scopes that are searched.
type corpus struct {
	documents int
	terms     int64
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
		if t.Hash != wholeMessage {
			q.at[t.Hash] = len(q.hashes)
			q.hashes = append(q.hashes, t.Hash)
		}
	}
	return q
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

// matchMemories scores by BM25 all memories that hold a term of the question.
func matchMemories(q question, c corpus, hits []memoryHit) map[memoryID]match {
	df := make([]int, len(q.hashes))
	for _, h := range hits {
		df[q.at[h.term]]++
	}
	weights, total := rarities(c.documents, df)
	mean := c.meanLength()
	found := make(map[memoryID]match, len(hits))
	for _, h := range hits {
		t := q.at[h.term]
		m := found[h.memory]
		m.score += lexical.BM25(c.documents, df[t], int(h.tf), int(h.length), mean)
		m.coverage += weights[t] / total
		found[h.memory] = m
	}
	return found
}

// rarities gives the weight of each term of a question, and their sum: how rare it is
// among n documents.
func rarities(n int, df []int) (weights []float64, total float64) {
	weights = make([]float64, len(df))
	for t := range df {
		// A text of mean length that holds a term once has BM25 equal to its idf.
		weights[t] = lexical.BM25(n, df[t], 1, 1, 1)
		total += weights[t]
	}
	return weights, total
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

// window is a message with its neighbours as one document: they tell what it is about
// where it does not say so itself.
type window struct {
	tf []int32
	// seen marks the messages of the window whose length is known, and length is the
	// sum of those.
	seen   uint8
	length int32
}

// windows are all windows that hold a term of the question.
type windows struct {
	question question
	corpus   corpus
	at       map[place]int32
	all      []window
	df       []int
	weights  []float64
	total    float64
}

// gatherWindows makes them of the postings of single messages: a hit counts for the
// windows of all positions within reach. So a message that comes later is in the windows
// of those before it as soon as it is indexed, and nothing is indexed twice.
//
// A window stands at every position that has a hit within reach, also where no message
// that was learned from is in its middle; those are no memory's and weigh a little in
// the document frequencies, at most reachOfWindow of them at a session's end.
func gatherWindows(q question, c corpus, hits []messageHit) *windows {
	w := &windows{question: q, corpus: c, at: make(map[place]int32, 2*len(hits)), df: make([]int, len(q.hashes))}
	tfs := make([]int32, 0, 5*len(hits)*len(q.hashes)/2)
	for _, h := range hits {
		t := q.at[h.term]
		for d := int32(-reachOfWindow); d <= reachOfWindow; d++ {
			at := place{h.session, h.position + d}
			if at.position < 0 {
				continue
			}
			i, ok := w.at[at]
			if !ok {
				i = int32(len(w.all))
				w.at[at] = i
				n := len(tfs)
				for range q.hashes {
					tfs = append(tfs, 0)
				}
				w.all = append(w.all, window{tf: tfs[n:len(tfs):len(tfs)]})
			}
			win := &w.all[i]
			if win.tf[t] == 0 {
				w.df[t]++
			}
			win.tf[t] += int32(h.tf)
			if bit := uint8(1) << (reachOfWindow - d); win.seen&bit == 0 {
				win.seen |= bit
				win.length += int32(h.length)
			}
		}
	}
	w.weights, w.total = rarities(c.documents, w.df)
	return w
}

// match scores the window at a place by BM25. Neighbours without a hit have the mean
// length, since their postings were not read.
func (w *windows) match(at place) match {
	i, ok := w.at[at]
	if !ok {
		return match{}
	}
	const size = 2*reachOfWindow + 1
	win := w.all[i]
	unseen := size - max(0, reachOfWindow-int(at.position)) - bits.OnesCount8(win.seen)
	mean := w.corpus.meanLength()
	length := int(float64(win.length) + float64(unseen)*mean + .5)
	var m match
	for t, tf := range win.tf {
		if tf > 0 {
			m.score += lexical.BM25(w.corpus.documents, w.df[t], int(tf), length, size*mean)
			m.coverage += w.weights[t] / w.total
		}
	}
	return m
}

// best gives up to n places, those with the highest scores first.
func (w *windows) best(n int) []place {
	type scored struct {
		place
		score float64
	}
	all := make([]scored, 0, len(w.at))
	for at := range w.at {
		all = append(all, scored{at, w.match(at).score})
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.session, a.session), cmp.Compare(b.position, a.position))
	})
	places := make([]place, min(n, len(all)))
	for i := range places {
		places[i] = all[i].place
	}
	return places
}

// bestMemories gives up to n memories, those with the highest scores first.
func bestMemories(found map[memoryID]match, n int) []memoryID {
	type scored struct {
		id    memoryID
		score float64
	}
	all := make([]scored, 0, len(found))
	for id, m := range found {
		all = append(all, scored{id, m.score})
	}
	slices.SortFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), slices.Compare(b.id[:], a.id[:]))
	})
	ids := make([]memoryID, min(n, len(all)))
	for i := range ids {
		ids[i] = all[i].id
	}
	return ids
}
