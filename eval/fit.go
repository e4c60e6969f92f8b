package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/memdhq/memd/longterm"
)

// Weights are fitted so that what answers a question has as much as possible of what all in the
// running share out by the exponentials of their sums (a softmax over the list), and so that
// they stay near the weights there are: some hundred questions say less than those were
// measured on.

// steps and rate are of the descent; the loss is convex, and more steps change the third decimal.
const (
	steps = 200
	rate  = 0.5
)

// pulls are the strengths with which weights are held to those there are; what left-out
// conversations are found best with is taken.
var pulls = []float64{1, 0.1, 0.03, 0.01}

// fitting is a fit under way: weights and gradients are rows of numbers, a kind's parts beside
// each other.
type fitting struct {
	from  weightSet
	kinds []string
	parts []string
	// fixed are the places of parts that a kind has no weight for, and gets none for.
	fixed []bool
	lists []list
}

// list is a question: what is in the running, and how much of the answer each is.
type list []listed

type listed struct {
	first int // the place of its kind's first part
	parts []float64
	share float64
}

func newFitting(asked []explained, from weightSet) *fitting {
	f := &fitting{from: from, kinds: slices.Sorted(maps.Keys(from)), parts: from.partsOf()}
	for _, w := range f.row(from) {
		f.fixed = append(f.fixed, w == 0)
	}
	for _, e := range asked {
		var l list
		answers := 0.0
		for _, r := range e.results {
			m := listed{first: slices.Index(f.kinds, r.kind()) * len(f.parts)}
			for _, part := range f.parts {
				m.parts = append(m.parts, r.Explain[part])
			}
			if slices.ContainsFunc(e.said.of(r), func(id string) bool { return slices.Contains(e.question.Evidence, id) }) {
				m.share = 1
				answers++
			}
			l = append(l, m)
		}
		if answers == 0 {
			continue // nothing in the running answers it
		}
		for i := range l {
			l[i].share /= answers
		}
		f.lists = append(f.lists, l)
	}
	return f
}

func (f *fitting) row(w weightSet) (row []float64) {
	for _, kind := range f.kinds {
		for _, part := range f.parts {
			row = append(row, w[kind][part])
		}
	}
	return row
}

// fit gives the weights for questions: gradient descent from what there is, towards which pull
// draws.
func fit(asked []explained, from weightSet, pull float64) weightSet {
	f := newFitting(asked, from)
	start, w := f.row(from), f.row(from)
	for range steps {
		slope := f.slope(w)
		for i := range w {
			if !f.fixed[i] {
				// The pull is of where the step leads, so that no pull overshoots.
				w[i] = (w[i] - rate*slope[i] + rate*pull*start[i]) / (1 + rate*pull)
			}
		}
	}
	fitted := weightSet{}
	for k, kind := range f.kinds {
		fitted[kind] = map[string]float64{}
		for i, part := range f.parts {
			fitted[kind][part] = w[k*len(f.parts)+i]
		}
	}
	return fitted
}

// slope is the gradient of the mean loss.
func (f *fitting) slope(w []float64) []float64 {
	slope := make([]float64, len(w))
	for _, l := range f.lists {
		chances := l.softmax(w)
		for i, m := range l {
			off := (chances[i] - m.share) / float64(len(f.lists))
			for j, x := range m.parts {
				slope[m.first+j] += off * x
			}
		}
	}
	return slope
}

func (l list) softmax(w []float64) []float64 {
	p := make([]float64, len(l))
	most, total := math.Inf(-1), 0.0
	for i, m := range l {
		for j, x := range m.parts {
			p[i] += w[m.first+j] * x
		}
		most = max(most, p[i])
	}
	for i := range p {
		p[i] = math.Exp(p[i] - most)
		total += p[i]
	}
	for i := range p {
		p[i] /= total
	}
	return p
}

// perConversation is the mean over conversations of their recall@10, each asked with the weights
// that are fitted on the others.
func perConversation(asked []explained, fittedOn func(others []explained) weightSet) float64 {
	var names []string
	for _, e := range asked {
		if !slices.Contains(names, e.conversation.name) {
			names = append(names, e.conversation.name)
		}
	}
	sum := 0.0
	for _, name := range names {
		others := slices.DeleteFunc(slices.Clone(asked), func(e explained) bool { return e.conversation.name == name })
		sum += recallWith(fittedOn(others), asked, func(e explained) bool { return e.conversation.name == name })
	}
	return sum / float64(len(names))
}

// printFit fits the weights on the open conversations and prints them beside those there are, with what is
// found with either. Held-out conversations are only asked.
func printFit(w io.Writer, asked []explained) error {
	open := slices.DeleteFunc(slices.Clone(asked), func(e explained) bool { return e.conversation.heldOut() })
	shipped := weightSet(longterm.Weights())
	fmt.Fprintf(w, "%s, and a fit on the open conversations that is held to them\n\n", longterm.WeightsVersion)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "pull\trecall@10 of left-out conversations\t")
	fmt.Fprintf(t, "as they are\t%.1f\t\n", 100*perConversation(open, func([]explained) weightSet { return shipped }))
	best, found := 0.0, math.Inf(-1)
	for _, pull := range pulls {
		r := perConversation(open, func(others []explained) weightSet { return fit(others, shipped, pull) })
		fmt.Fprintf(t, "%g\t%.1f\t\n", pull, 100*r)
		if r > found {
			best, found = pull, r
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fitted := fit(open, shipped, best)
	heldOut := func(e explained) bool { return e.conversation.heldOut() }
	all := func(explained) bool { return true }
	fmt.Fprintf(w, "\nrecall@10, open and held out: %.1f and %.1f with the weights there are, %.1f and %.1f with the fit (pull %g)\n\n",
		100*recallWith(shipped, open, all), 100*recallWith(shipped, asked, heldOut), 100*recallWith(fitted, open, all), 100*recallWith(fitted, asked, heldOut), best)
	fmt.Fprintln(t, "part\tpeer\t\tuser\t\tassistant\t\t")
	for _, part := range shipped.partsOf() {
		fmt.Fprintf(t, "%s\t", part)
		for _, kind := range []string{"peer", "user", "assistant"} {
			if shipped[kind][part] == 0 {
				fmt.Fprint(t, "\t\t")
				continue
			}
			fmt.Fprintf(t, "%.2f\t%.2f\t", shipped[kind][part], fitted[kind][part])
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
