package longterm

import (
	"cmp"
	"math"
	"slices"

	"github.com/memdhq/memd"
)

// weights say what each kind of evidence counts for in the ranking. Those of words, window
// and vector are measured in standard deviations over the candidates of the question (z):
// a sum of these beats reciprocal ranks by ten points where the kinds are unequal, and
// needs no scale. The others are added as they are.
type weights struct {
	// words, window and vector: the memory's own words, those of the messages around its
	// sources as well, and its vector.
	words, window, vector float64
	// who: whoever said it is meant by the question.
	who float64
	// assistant: the assistant said it; answers: and the question is about what it said.
	assistant, answers float64
	// date: the date in the question; during: what that does not say of the time it names, told
	// from when it is asked; when, many: a time or a number, where one is asked.
	date, during, when, many float64
	// asks: it is a question itself; answering: it was said right after one.
	asks, answering float64
	// within: it was then, where the question asks for nothing but a time.
	within float64
	// slot: it tells what the question asks for of whom, by its slot.
	slot float64
	// hop: it names whom the question means by a relation.
	hop float64
	// order: it stands where the question asks for, first or last or before or after something;
	// ended: it is over and held when the question asks about; less than nothing if the question
	// asks for what holds.
	order, ended float64
	// length: the logarithm of its words, up to sixty; long: of those beyond.
	length, long float64
}

// weighing has the weights of what people with names said to each other, of what a user
// said to an assistant, and of what the assistant said.
var weighing = struct{ peer, user, assistant weights }{
	peer: weights{words: 0.08, window: 0.87, vector: 0.97, who: 1.45, date: 1.93, during: 1.93, when: 1.25, many: 0.38, within: 4,
		asks: -0.63, answering: 0.46, slot: 1.5, hop: 2.5, order: 1, ended: 3, length: 0.67, long: -0.86},
	user: weights{words: 0.58, window: 0.25, vector: 0.97, who: 1.45, date: 1.93, during: 1.93, when: 1.25, many: 0.38, within: 4,
		slot: 4, hop: 2.5, order: 1, ended: 3, length: -0.42, long: -0.86},
	assistant: weights{words: 0.58, window: 0.25, vector: 0.97, assistant: -1.95, answers: 1.12, date: 1.93, during: 1.93, when: 1.25, many: 0.38, within: 4,
		hop: 2.5, order: 1, ended: 3, long: -0.86},
}

// WeightsVersion names the weights that Weights gives. It goes up with every change of them.
const WeightsVersion = "weights/5"

// Weights gives what each part of a score that a search explains counts for in the ranking, by the
// name of the part, for memories of what people with names said ("peer"), a "user" and the
// "assistant". The sum of the parts times their weights is what explain calls "fused".
func Weights() map[string]map[string]float64 {
	return map[string]map[string]float64{"peer": weighing.peer.byPart(), "user": weighing.user.byPart(), "assistant": weighing.assistant.byPart()}
}

func (w weights) byPart() map[string]float64 {
	return map[string]float64{
		"z_bm25": w.words, "z_bm25_window": w.window, "z_cosine": w.vector,
		"who": w.who, "assistant": w.assistant, "answers": w.answers, "date": w.date, "during": w.during, "when": w.when, "many": w.many, "within": w.within,
		"asks": w.asks, "answering": w.answering, "slot": w.slot, "hop": w.hop, "order": w.order, "ended": w.ended,
		"length": w.length, "long": w.long,
	}
}

// wordShare is how much of what the vector leaves open the shared words can add to a
// relevance: a question and its answer share some, so that they are evidence, but a
// word in common does not make a thing relevant.
const wordShare = 0.4

// windowShare is what words count for a relevance that are not the memory's own but its
// neighbours'.
const windowShare = 0.5

// allWords is the relevance of a text that holds all words of a question and has no vector
// to speak for it: it need not be about the same.
const allWords = 0.92

// byWords is the relevance that the share of a question's words alone speaks for. Answers
// hold a small part of their question's words (a sixth, in the middle), and unrelated
// texts none, so that little already says much.
func byWords(share float64) float64 { return allWords * math.Cbrt(share) }

// Scores are told apart down to step. Those of memories that are not the very text that
// was asked for stay below highest.
const (
	step    = 1e-6
	highest = 0.999
)

// candidate is a memory in the running.
type candidate struct {
	memoryRow
	similarity float64
	embedded   bool
	words      match
	window     match
	// alone says that no message states it: it has no neighbours.
	alone bool
	// answering says that it was said right after a question.
	answering bool
	exact     bool
	// hop says that it names whom the question means by a relation.
	hop bool
	// about is how much it holds of what the question asks, beside what it asks for the time before
	// or after of; order and ended are where that puts it.
	about, order, ended float64

	zWords, zWindow, zVector float64
	evidence                 evidence
	fused, relevance, score  float64
}

// rank orders the candidates by all evidence and gives them scores that fall in that
// order.
//
// The order comes from how the candidates compare with each other, the score from what
// each is worth by itself: the relevance of its cosine and the words it shares with the
// question. Where the two disagree, the scores of those concerned are averaged (isotonic
// regression), so that a threshold cuts the ranking and never picks from it.
func rank(all []*candidate, mode, text string, question *asked, relevance func(float64) float64) {
	if relevance == nil {
		relevance = func(cosine float64) float64 { return min(1, max(0, cosine)) }
	}
	hashes := hashesOf(text)
	if mode == ModeVector {
		question.bare = false
	}
	next := question.bare && question.event != nil
	if question.bare { // the words are of the time, and the vector is of what something was next to
		for _, c := range all {
			c.words, c.window = match{}, match{}
		}
	}
	standardise(all, leastSpreadOfWords, func(c *candidate) (*float64, float64, bool) { return &c.zWords, c.words.score, true })
	standardise(all, leastSpreadOfWords, func(c *candidate) (*float64, float64, bool) { return &c.zWindow, c.window.score, !c.alone })
	standardise(all, leastSpreadOfVectors, func(c *candidate) (*float64, float64, bool) { return &c.zVector, c.similarity, c.embedded && !next })
	if mode != ModeVector {
		question.place(all)
	}
	for _, c := range all {
		if c.alone {
			c.zWindow = c.zWords
		}
		c.exact = slices.Contains(hashes, c.Hash)
		switch {
		case mode == ModeVector:
			c.fused = c.similarity
			if !c.embedded {
				c.fused = -1
			}
		default:
			c.evidence = c.evidenceFor(question)
			w := c.weights()
			c.fused = w.words*c.zWords + w.window*c.zWindow + w.other(c.evidence)
			if mode == ModeHybrid {
				c.fused += w.vector * c.zVector
			}
		}
		switch {
		case mode == ModeVector:
			if c.relevance = 0; c.embedded {
				c.relevance = relevance(c.similarity)
			}
		case mode == ModeHybrid && c.embedded:
			r := relevance(c.similarity)
			c.relevance = r + (1-r)*wordShare*max(c.words.coverage, windowShare*c.window.coverage, c.evidence.within)
		default:
			c.relevance = max(byWords(c.words.coverage), windowShare*byWords(c.window.coverage), byWords(max(0, c.evidence.within)))
		}
	}
	slices.SortFunc(all, func(a, b *candidate) int {
		if a.exact && b.exact { // they all score 1
			return newer(a, b)
		}
		return cmp.Or(compareBool(b.exact, a.exact), cmp.Compare(b.fused, a.fused), newer(a, b))
	})
	score(all)
}

// A word that half of all texts hold adds .7 to a score, one that nearly all do next to nothing; the
// cosines of unrelated texts differ by some hundredths.
const leastSpreadOfWords, leastSpreadOfVectors = 1, 1e-3

// evidence is what speaks for a memory beside its words and its vector, each part in the
// measure that its weight is for.
type evidence struct {
	who, assistant, answers, date, during, when, many, within, asks, answering, slot, hop, order, ended, length, long float64
}

func (c *candidate) weights() weights {
	switch {
	case c.Role == string(memd.RoleAssistant):
		return weighing.assistant
	case c.ActorID != nil && *c.ActorID != "":
		return weighing.peer
	}
	return weighing.user
}

func (c *candidate) evidenceFor(question *asked) evidence {
	var e evidence
	yes := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	assistant := c.Role == string(memd.RoleAssistant)
	named := c.ActorID != nil && *c.ActorID != ""
	e.who = yes(named && question.names(*c.ActorID) || !assistant && !named && question.self)
	e.assistant = yes(assistant)
	e.answers = yes(assistant && question.answers)
	e.date = question.date(c.ValidFrom)
	if c.OccurredAt != nil {
		e.date = max(e.date, question.date(*c.OccurredAt))
	}
	switch during := question.during(c); {
	case question.bounds(), question.readsOtherwise():
		e.date, e.during = 0, during
	case e.date > 0 && during >= 1 && question.year == 0:
		e.during = theYear // of that month, and of the year that is meant
	default:
		e.during = max(0, during-e.date)
	}
	e.when = yes(question.when && (c.OccurredAt != nil || tellsTime.MatchString(c.Memory.Memory)))
	e.many = yes(question.many && tellsNumber.MatchString(c.Memory.Memory))
	e.within = question.within(c)
	e.asks = yes(endsAsking(c.Memory.Memory))
	e.answering = yes(c.answering)
	e.slot = yes(!assistant && !c.negated && question.asksFor(c.slot, c.subject, e.who > 0))
	e.hop = yes(c.hop)
	e.order, e.ended = c.order, c.ended
	words := float64(countWords(c.Memory.Memory))
	e.length = math.Log1p(min(words, 60))
	e.long = math.Log1p(max(0, words-60) / 60)
	return e
}

// other sums up what is not measured over the candidates.
func (w weights) other(e evidence) float64 {
	return w.who*e.who + w.assistant*e.assistant + w.answers*e.answers + w.date*e.date + w.during*e.during + w.when*e.when + w.many*e.many + w.within*e.within +
		w.asks*e.asks + w.answering*e.answering + w.slot*e.slot + w.hop*e.hop + w.order*e.order + w.ended*e.ended +
		w.length*e.length + w.long*e.long
}

// newer orders what was said later first, then what was stored later, then by id.
func newer(a, b *candidate) int {
	return cmp.Or(b.ValidFrom.Compare(a.ValidFrom), b.CreatedAt.Compare(a.CreatedAt), slices.Compare(b.id[:], a.id[:]))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// standardise sets each z to how many standard deviations the feature lies above its
// mean over the candidates that have it; 0 for those that have not. A deviation below least
// counts as that: where all have next to nothing of a feature it tells nothing.
func standardise(all []*candidate, least float64, feature func(*candidate) (z *float64, x float64, has bool)) {
	var n, sum, squares float64
	for _, c := range all {
		if _, x, has := feature(c); has {
			n++
			sum += x
		}
	}
	mean := sum / n
	for _, c := range all {
		if _, x, has := feature(c); has {
			squares += (x - mean) * (x - mean)
		}
	}
	deviation := math.Sqrt(squares / n)
	for _, c := range all {
		z, x, has := feature(c)
		if *z = 0; has {
			*z = (x - mean) / max(deviation, least)
		}
	}
}

// score gives the candidates, which are in order, the scores nearest to their relevances
// that fall from one to the next. Equal evidence gets an equal score.
func score(all []*candidate) {
	exact := 0
	for exact < len(all) && all[exact].exact {
		all[exact].score = 1
		exact++
	}
	rest := all[exact:]
	fitted := fallingFit(rest)
	below := 0.0 // the least score that the next one up may have
	for i := len(rest) - 1; i >= 0; i-- {
		if i+1 < len(rest) {
			if rest[i].fused == rest[i+1].fused {
				rest[i].score = rest[i+1].score
				continue
			}
			below = rest[i+1].score + step
		}
		rest[i].score = round(max(min(fitted[i], highest), below))
	}
}

func round(score float64) float64 { return math.Round(score/step) / (1 / step) }

// fallingFit gives the non-increasing sequence with the least squared distance to the
// relevances: neighbours that rise are pooled until none do.
func fallingFit(all []*candidate) []float64 {
	type block struct {
		sum float64
		n   int
	}
	var blocks []block
	for _, c := range all {
		b := block{c.relevance, 1}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			if last.sum/float64(last.n) >= b.sum/float64(b.n) {
				break
			}
			b = block{b.sum + last.sum, b.n + last.n}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	fitted := make([]float64, 0, len(all))
	for _, b := range blocks {
		for range b.n {
			fitted = append(fitted, b.sum/float64(b.n))
		}
	}
	return fitted
}

// explain gives every part of a score by name.
func (c *candidate) explain() map[string]float64 {
	return map[string]float64{
		"bm25": c.words.score, "bm25_window": c.window.score, "cosine": c.similarity,
		"coverage": c.words.coverage, "coverage_window": c.window.coverage,
		"z_bm25": c.zWords, "z_bm25_window": c.zWindow, "z_cosine": c.zVector,
		"who": c.evidence.who, "assistant": c.evidence.assistant, "answers": c.evidence.answers, "date": c.evidence.date, "during": c.evidence.during,
		"when": c.evidence.when, "many": c.evidence.many, "within": c.evidence.within, "asks": c.evidence.asks, "answering": c.evidence.answering,
		"slot": c.evidence.slot, "hop": c.evidence.hop, "order": c.evidence.order, "ended": c.evidence.ended, "length": c.evidence.length, "long": c.evidence.long,
		"fused": c.fused, "relevance": c.relevance, "score": c.score,
	}
}
