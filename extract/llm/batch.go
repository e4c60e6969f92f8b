package llm

import (
	"strings"
	"unicode/utf8"
)

// smallest is the length in characters below which a text is not split.
const smallest = 200

// passage is an utterance, or a part of one that is too long for one call.
type passage struct {
	at   int // in run.said
	from int // in the utterance's text
	text string
}

// batches gives the new messages in order, as many at a time as one call takes, those
// that are to be read for something else apart.
func (r *run) batches() [][]passage {
	var out [][]passage
	room, wanted := 0, ""
	var add func(p passage, most int)
	add = func(p passage, most int) {
		size := sizeOf(p)
		if size > most {
			if halves, ok := split([]passage{p}); ok {
				add(halves[0][0], most)
				add(halves[1][0], most)
				return
			}
		}
		task := task(r.said[p.at].message)
		if room -= size; room < 0 || len(out) == 0 || task != wanted {
			out, room, wanted = append(out, nil), most-size, task
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	for i, u := range r.said {
		if u.isNew {
			p := passage{at: i, text: u.text}
			l, _ := r.limits([]passage{p})
			add(p, l.input)
		}
	}
	return out
}

// limits gives how much a call for passages of one task takes; ok is false if the
// window has no room for them.
func (r *run) limits(ps []passage) (l limits, ok bool) {
	l, ok = r.client.window.limits(r.told(ps).tokens, r.config.MaxInputTokens, r.config.MaxTokens)
	l.input = max(l.input, minInput)
	return l, ok
}

// sizeOf gives how many tokens of a call passages take.
func sizeOf(ps ...passage) int {
	n := 0
	for _, p := range ps {
		n += tokens(p.text) + lineTokens
	}
	return n
}

// split halves passages, a single one at the end of a sentence near its middle; ok is
// false if it is too short for that.
func split(ps []passage) (halves [2][]passage, ok bool) {
	if n := len(ps) / 2; n > 0 {
		return [2][]passage{ps[:n], ps[n:]}, true
	}
	p := ps[0]
	if utf8.RuneCountInString(p.text) < smallest {
		return halves, false
	}
	cut := middle(p.text)
	first, second := p, p
	first.text = p.text[:cut]
	second.from, second.text = p.from+cut, p.text[cut:]
	return [2][]passage{{first}, {second}}, true
}

// middle gives the best place to cut a long text: within its middle half after a line,
// else after a sentence, else after a word, else anywhere; of its kind the nearest to
// the middle.
func middle(text string) int {
	best, rank := len(text)/2, 0
	for best > 0 && !utf8.RuneStart(text[best]) {
		best--
	}
	previous := ' '
	for i, c := range text {
		if i > len(text)/4 && i < len(text)*3/4 {
			kind := 0
			switch {
			case previous == '\n':
				kind = 3
			case strings.ContainsRune("。！？", previous), c == ' ' && strings.ContainsRune(".!?", previous):
				kind = 2
			case previous == ' ':
				kind = 1
			}
			if kind > rank || kind == rank && kind > 0 && distance(i, len(text)/2) < distance(best, len(text)/2) {
				best, rank = i, kind
			}
		}
		previous = c
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }
