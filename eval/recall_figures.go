package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// found is what a search gave for a question.
type found struct {
	// ranked are the distinct messages that the results cite, in the order of rank.
	ranked []string
	// words is how many the first ten results have.
	words int
}

// depths are the numbers of messages at which recall is taken.
var depths = [3]int{5, 10, 30}

// mainDepth is the one that counts.
const mainDepth = 10

// figures are means over questions, as shares of 1.
type figures struct {
	Questions int     `json:"questions"`
	RecallAt5 float64 `json:"recall@5"`
	// RecallAt10 is the share of a question's evidence among the first ten distinct
	// messages that results cite. A memory that cites several messages spends a place on
	// each, so long memories gain nothing.
	RecallAt10 float64 `json:"recall@10"`
	RecallAt30 float64 `json:"recall@30"`
	// HitAt10 is the share of questions with any evidence among the first ten.
	HitAt10 float64 `json:"hit@10"`
	// WordsAt10 is how many the first ten results have, in blank-separated words.
	WordsAt10 float64 `json:"words@10"`
}

// answer is a question with what was found.
type answer struct {
	conversation conversation
	question     question
	found
}

// share is how much of the evidence is among the first k messages.
func (a answer) share(k int) float64 {
	n := 0
	first := a.ranked[:min(k, len(a.ranked))]
	for _, id := range a.question.Evidence {
		if slices.Contains(first, id) {
			n++
		}
	}
	return float64(n) / float64(len(a.question.Evidence))
}

// mean takes the figures of those answers that are among.
func mean(answers []answer, among func(answer) bool) (f figures) {
	for _, a := range answers {
		if !among(a) {
			continue
		}
		f.Questions++
		for i, sum := range []*float64{&f.RecallAt5, &f.RecallAt10, &f.RecallAt30} {
			*sum += a.share(depths[i])
		}
		if a.share(mainDepth) > 0 {
			f.HitAt10++
		}
		f.WordsAt10 += float64(a.words)
	}
	if f.Questions > 0 {
		for _, sum := range []*float64{&f.RecallAt5, &f.RecallAt10, &f.RecallAt30, &f.HitAt10, &f.WordsAt10} {
			*sum /= float64(f.Questions)
		}
	}
	return f
}

// recallReport is what is known of recall after a run.
type recallReport struct {
	figures
	// Groups are the kinds of conversations.
	Groups map[string]groupFigures `json:"groups"`
	// Messages is how many were said, MessagesPerSecond how many of them were learned
	// from a second, from the first that was sent to the last that settled.
	Messages          int     `json:"messages"`
	MessagesPerSecond float64 `json:"messages_per_s"`
	// SearchP50 and SearchP95 are of the whole request, in milliseconds.
	SearchP50 float64 `json:"search_ms_p50"`
	SearchP95 float64 `json:"search_ms_p95"`
	// Forms are figures of some conversations by the form in which they are remembered, and by
	// group; nil where they were not compared.
	Forms   map[string]map[string]figures `json:"forms,omitempty"`
	answers []answer
}

// groupFigures are those of conversations of one kind.
type groupFigures struct {
	figures
	Kinds map[string]figures `json:"categories"`
	// Open and HeldOut tell conversations that weights are fitted on from the others.
	Open    figures `json:"open"`
	HeldOut figures `json:"heldout"`
}

// report sums up. ingest is how long it took until the messages had settled.
func report(answers []answer, messages int, ingest time.Duration, searches []time.Duration) recallReport {
	r := recallReport{answers: answers, Messages: messages, Groups: map[string]groupFigures{}}
	r.figures = mean(answers, func(answer) bool { return true })
	for _, a := range answers {
		group := a.conversation.group()
		if _, done := r.Groups[group]; done {
			continue
		}
		in := func(more func(answer) bool) figures {
			return mean(answers, func(a answer) bool { return a.conversation.group() == group && more(a) })
		}
		g := groupFigures{Kinds: map[string]figures{}, figures: in(func(answer) bool { return true })}
		g.Open = in(func(a answer) bool { return !a.conversation.heldOut() })
		g.HeldOut = in(func(a answer) bool { return a.conversation.heldOut() })
		for _, b := range answers {
			if kind := b.question.Kind; b.conversation.group() == group {
				g.Kinds[kind] = in(func(a answer) bool { return a.question.Kind == kind })
			}
		}
		r.Groups[group] = g
	}
	if ingest > 0 {
		r.MessagesPerSecond = float64(messages) / ingest.Seconds()
	}
	if n := len(searches); n > 0 {
		sorted := slices.Sorted(slices.Values(searches))
		r.SearchP50 = float64(sorted[n/2].Microseconds()) / 1000
		r.SearchP95 = float64(sorted[n*95/100].Microseconds()) / 1000
	}
	return r
}

// print writes the figures for people, recall in percent.
func (r recallReport) print(out io.Writer) error {
	fmt.Fprint(out, "recall@k: of the messages that answer a question, among the first k that results cite; in percent\n\n")
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tquestions\trecall@5\trecall@10\trecall@30\thit@10\twords@10\t")
	line := func(label string, f figures) {
		if f.Questions > 0 {
			fmt.Fprintf(w, "%-20s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t\n", label, f.Questions,
				100*f.RecallAt5, 100*f.RecallAt10, 100*f.RecallAt30, 100*f.HitAt10, f.WordsAt10)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Groups)) {
		g := r.Groups[name]
		line(name, g.figures)
		if g.HeldOut.Questions > 0 {
			line("  open", g.Open)
			line("  held out", g.HeldOut)
		}
		for _, kind := range slices.Sorted(maps.Keys(g.Kinds)) {
			line("  "+kind, g.Kinds[kind])
		}
	}
	line("all", r.figures)
	if len(r.Forms) > 0 {
		fmt.Fprintln(w, "\nsome of them, by form\t\t\t\t\t\t\t")
		for _, name := range slices.Sorted(maps.Keys(r.Forms)) {
			for _, group := range slices.Sorted(maps.Keys(r.Forms[name])) {
				line(group+", "+name, r.Forms[name][group])
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%d messages, %.1f a second until they had settled; search p50 %.1f ms, p95 %.1f ms\n",
		r.Messages, r.MessagesPerSecond, r.SearchP50, r.SearchP95)
	return err
}

// explain lists the questions of open conversations whose evidence is not all among the
// first ten messages, with the place of each message of it.
func (r recallReport) explain(w io.Writer) {
	for _, a := range r.answers {
		if a.share(mainDepth) == 1 || a.conversation.heldOut() {
			continue
		}
		var places []string
		for _, id := range a.question.Evidence {
			place := "none"
			if i := slices.Index(a.ranked, id); i >= 0 {
				place = fmt.Sprint(i + 1)
			}
			places = append(places, id+": "+place)
		}
		fmt.Fprintf(w, "%s / %s: %s (%s)\n", a.conversation.name, a.question.Kind, a.question.Question, strings.Join(places, ", "))
	}
	fmt.Fprintln(w)
}
