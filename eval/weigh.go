package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
)

// A search explains every part of a score, and a ranking is by the sum of the parts times
// their weights. So what other weights would have made of a question can be told from its
// answer.

// wide is how many results are asked for where they are ranked anew: nearly all that a
// search has in the running.
const wide = 200

// weightSet are the weights of a kind of memory, by the part of the score they are for.
type weightSet map[string]map[string]float64

// explained is a question and what was in the running for it.
type explained struct {
	conversation conversation
	question     question
	said         sayings
	results      []result
}

// kind names the weights that a memory is ranked with.
func (r result) kind() string {
	switch {
	case r.Role == memd.RoleAssistant:
		return string(memd.RoleAssistant)
	case r.ActorID != "":
		return "peer"
	}
	return string(memd.RoleUser)
}

// sum is what a memory is ranked by.
func (w weightSet) sum(r result) (s float64) {
	for part, weight := range w[r.kind()] {
		s += weight * r.Explain[part]
	}
	return s
}

// answer is what would have been found with these weights.
func (e explained) answer(w weightSet) answer {
	ranked := slices.Clone(e.results)
	slices.SortStableFunc(ranked, func(a, b result) int { return cmp.Compare(w.sum(b), w.sum(a)) })
	return answer{conversation: e.conversation, question: e.question, found: foundIn(ranked, e.said)}
}

// gather says the conversations to a memd and asks their questions.
func gather(ctx context.Context, address string, all []conversation) (asked []explained, err error) {
	c, done := newCaller(address)
	defer done()
	shipped := weightSet(longterm.Weights())
	for _, conv := range all {
		s, err := statements.say(c, ctx, conv.name, conv)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", conv.name, err)
		}
		for _, q := range conv.questions {
			wanted := q.search(conv.name, wide)
			wanted["explain"] = true
			results, err := c.search(ctx, wanted)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", conv.name, err)
			}
			for _, r := range results {
				if sum := shipped.sum(r); math.Abs(sum-r.Explain["fused"]) > 1e-6 {
					return nil, fmt.Errorf("%q is ranked by %f, but its parts make %f", r.Memory, r.Explain["fused"], sum)
				}
			}
			asked = append(asked, explained{conv, q, s, results})
		}
	}
	return asked, nil
}

// weigh prints what is asked for about the weights.
func weigh(ctx context.Context, w io.Writer, all []conversation, o options) error {
	var asked []explained
	err := withMemd(ctx, func(address string) (err error) {
		asked, err = gather(ctx, address, all)
		return err
	})
	if err == nil && o.ablate {
		err = ablate(w, asked)
	}
	if err == nil && o.fit {
		err = printFit(w, asked)
	}
	return err
}

// tells says whether a part of the ranking tells some of a question's candidates from others.
func (e explained) tells(part string) bool {
	return slices.ContainsFunc(e.results, func(r result) bool { return r.Explain[part] != e.results[0].Explain[part] })
}

// recallWith is the mean recall@10 of questions.
func recallWith(w weightSet, asked []explained, of func(explained) bool) float64 {
	return figuresWith(w, asked, of).RecallAt10
}

func figuresWith(w weightSet, asked []explained, of func(explained) bool) figures {
	var answers []answer
	for _, e := range asked {
		if of(e) {
			answers = append(answers, e.answer(w))
		}
	}
	return mean(answers, func(answer) bool { return true })
}

// partsOf gives the names of the parts that any kind of memory has a weight for.
func (w weightSet) partsOf() (parts []string) {
	for _, of := range w {
		for part, weight := range of {
			if weight != 0 && !slices.Contains(parts, part) {
				parts = append(parts, part)
			}
		}
	}
	slices.Sort(parts)
	return parts
}

// without are the weights with some parts left out.
func (w weightSet) without(parts ...string) weightSet {
	less := weightSet{}
	for kind, of := range w {
		less[kind] = maps.Clone(of)
		for _, part := range parts {
			delete(less[kind], part)
		}
	}
	return less
}

// ablate prints recall@10 without each part of the ranking, per kind of conversation, and what it
// is worth to the questions on which it has a bearing; the other weights stay.
func ablate(w io.Writer, asked []explained) error {
	var groups []string
	for _, e := range asked {
		if group := e.conversation.group(); !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	shipped := weightSet(longterm.Weights())
	fmt.Fprintf(w, "%s: recall@10 in percent, without each part of the ranking\n\n", longterm.WeightsVersion)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "left out\t")
	for _, group := range groups {
		fmt.Fprintf(t, "%s\t\t", group)
	}
	fmt.Fprintln(t)
	full := map[string]float64{}
	line := func(label string, weights weightSet) {
		fmt.Fprintf(t, "%s\t", label)
		for _, group := range groups {
			recall := 100 * recallWith(weights, asked, func(e explained) bool { return e.conversation.group() == group })
			if label == "nothing" {
				full[group] = recall
			}
			fmt.Fprintf(t, "%.1f\t%+.1f\t", recall, recall-full[group])
		}
		fmt.Fprintln(t)
	}
	line("nothing", shipped)
	for _, part := range shipped.partsOf() {
		line(part, shipped.without(part))
	}
	line("both bm25", shipped.without("z_bm25", "z_bm25_window"))
	line("all but bm25 and cosine", shipped.without(slices.DeleteFunc(shipped.partsOf(), func(part string) bool {
		return part == "z_bm25" || part == "z_bm25_window" || part == "z_cosine"
	})...))
	if err := t.Flush(); err != nil {
		return err
	}
	// Most parts have a bearing on few questions.
	fmt.Fprint(w, "\nof the questions on which a part has a bearing: recall with it, and without\n\n")
	fmt.Fprintln(t, "part\tquestions\trecall@5\t\trecall@10\t\t")
	for _, part := range shipped.partsOf() {
		bears := func(e explained) bool { return e.tells(part) }
		with, without := figuresWith(shipped, asked, bears), figuresWith(shipped.without(part), asked, bears)
		fmt.Fprintf(t, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t\n", part, with.Questions, 100*with.RecallAt5, 100*without.RecallAt5, 100*with.RecallAt10, 100*without.RecallAt10)
	}
	return t.Flush()
}
