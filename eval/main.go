// Command eval measures two things.
//
// Memories: it plays short conversations through the log, the rules and the long tier,
// and prints how much of what must be remembered is (recall), and how much of what is
// remembered is right (precision), for each kind of conversation.
//
// Search: it says long conversations to a memd over HTTP, asks it questions, and prints
// how many of the messages that answer a question are cited by the first results
// (recall@k), for each kind of conversation and of question.
//
//	go run ./eval                   both, of all sets
//	go run ./eval -v -set open      also what was missed or wrong, of the open set
//	go run ./eval -live             learning message by message, not a session as a whole
//	go run ./eval -recall FOLDER    only recall@k, on the conversations of a folder
//	go run ./eval -also FOLDER      both, and then recall@k on the conversations of a folder
//	go run ./eval -json             the figures as JSON
//	go run ./eval -ablate           only what each part of the ranking brings, also with -recall
//	go run ./eval -fit              only what the open conversations alone would have it weigh
//	go run ./eval -check FOLDER     only what is wrong with the cases of a folder
//
// The cases of testdata/open are for whoever works on the rules. Those of
// testdata/heldout are not to be looked at by them: of these only figures are printed.
// The long conversations are in testdata/recall; those whose names end in -heldout are
// left out of every fit of weights. A folder for -recall or -also holds pairs of files,
// NAME.turns.jsonl and NAME.questions.jsonl, with the members of these; the environment
// variable MEMD_EVAL_RECALL names one for -also.
// It starts its own memd or Postgres in a temporary folder and ends it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"

	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/postgres"
)

const (
	openSet    = "open"
	heldOutSet = "heldout"
)

// options are what the flags say.
type options struct {
	set     string
	verbose bool
	live    bool
	check   string
	data    string
	// recall is a folder of conversations to measure recall@k on, and nothing else.
	recall string
	// also is one to measure it on beside the project's own.
	also string
	json bool
	// ablate and fit are about the weights of the ranking.
	ablate, fit bool
}

func main() {
	var o options
	flag.StringVar(&o.set, "set", "all", "which cases: open, heldout or all")
	flag.BoolVar(&o.verbose, "v", false, "list what was missed or wrong, of the open set")
	flag.BoolVar(&o.live, "live", false, "learn message by message, not a session as a whole")
	flag.StringVar(&o.check, "check", "", "only check the cases of this folder")
	flag.StringVar(&o.recall, "recall", "", "measure only recall@k, on the conversations of this folder")
	flag.StringVar(&o.also, "also", os.Getenv("MEMD_EVAL_RECALL"), "after the rest measure recall@k on the conversations of this folder")
	flag.BoolVar(&o.json, "json", false, "print the figures as JSON")
	flag.BoolVar(&o.ablate, "ablate", false, "say what each part of the ranking brings to recall@k")
	flag.BoolVar(&o.fit, "fit", false, "fit the weights of the ranking on the open conversations")
	flag.StringVar(&o.data, "data", filepath.Join("eval", "testdata"), "folder that holds the sets")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, o options) error {
	if o.check != "" {
		cases, err := load(o.check)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%d cases, nothing wrong with their form\n", len(cases))
		return err
	}
	var sets []caseSet
	dir := o.recall
	switch {
	case o.fit && (dir != "" || o.set != "all"):
		return errors.New("-fit is of the project's own conversations, all of them")
	case dir == "" && (o.ablate || o.fit):
		dir = filepath.Join(o.data, "recall")
	case dir == "":
		dir = filepath.Join(o.data, "recall")
		var err error
		if sets, err = choose(o.data, o.set); err != nil {
			return err
		}
	}
	conversations, err := loadConversations(dir, o.set)
	if err != nil {
		return err
	}
	var beside []conversation
	if o.also != "" && o.recall == "" && !o.ablate && !o.fit {
		if beside, err = loadConversations(o.also, "all"); err != nil {
			return err
		}
	}
	if sets != nil {
		if err := playAll(ctx, sets, o.live); err != nil {
			return err
		}
		if o.verbose && !o.json {
			for _, s := range sets {
				s.explain(w)
			}
		}
		if !o.json {
			if err := printTable(w, sets); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
	}
	if o.ablate || o.fit {
		return weigh(ctx, w, conversations, o)
	}
	var r recallReport
	err = withMemd(ctx, func(address string) error {
		if r, err = measureRecall(ctx, address, conversations); err != nil || o.recall != "" || len(inEachForm(conversations)) == 0 {
			return err
		}
		forms, err := measureForms(ctx, address, conversations)
		r.compareForms(conversations, forms)
		return err
	})
	if err != nil {
		return err
	}
	var also *recallReport
	if beside != nil {
		also = &recallReport{}
		err := withMemd(ctx, func(address string) error {
			*also, err = measureRecall(ctx, address, beside)
			return err
		})
		if err != nil {
			return err
		}
	}
	if o.json {
		return printJSON(w, sets, r, also)
	}
	if o.verbose {
		r.explain(w)
	}
	if err := r.print(w); err != nil || also == nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n\n", o.also)
	return also.print(w)
}

// playAll plays the cases of all sets on a Postgres of their own.
func playAll(ctx context.Context, sets []caseSet, live bool) error {
	return withPostgres(ctx, func(pool *postgres.Pool) error {
		h := newHouse(pool)
		h.live = live
		for i := range sets {
			if err := sets[i].play(ctx, h); err != nil {
				return err
			}
		}
		return nil
	})
}

// printJSON writes the counts of each set and category, and the figures of recall@k, also of a
// second folder if there is one.
func printJSON(w io.Writer, sets []caseSet, r recallReport, also *recallReport) error {
	memories := map[string]map[string]counts{}
	for _, s := range sets {
		memories[s.name] = map[string]counts{"all": s.sum("")}
		for _, category := range categories {
			memories[s.name][category] = s.sum(category)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Memories map[string]map[string]counts `json:"memories,omitempty"`
		Recall   recallReport                 `json:"recall"`
		Also     *recallReport                `json:"also,omitempty"`
	}{memories, r, also})
}

// caseSet are the cases of one folder and what came of them.
type caseSet struct {
	name     string
	cases    []evalCase
	outcomes []outcome
}

// choose loads the sets that are asked for. A held-out set that is not there is left
// out unless it is asked for by name.
func choose(data, which string) ([]caseSet, error) {
	var names []string
	switch which {
	case openSet, heldOutSet:
		names = []string{which}
	case "all":
		names = []string{openSet, heldOutSet}
	default:
		return nil, fmt.Errorf("-set is %q; it must be open, heldout or all", which)
	}
	var sets []caseSet
	for _, name := range names {
		cases, err := load(filepath.Join(data, name))
		switch {
		case name == heldOutSet && which == "all" && errors.Is(err, os.ErrNotExist):
			continue
		case name == heldOutSet && err != nil && !errors.Is(err, os.ErrNotExist):
			// What it holds is not shown, not by an error either.
			return nil, fmt.Errorf("the held-out set has %d problems; -check lists them", len(each(err)))
		case err != nil:
			return nil, err
		}
		sets = append(sets, caseSet{name: name, cases: cases})
	}
	return sets, nil
}

func (s *caseSet) play(ctx context.Context, h *house) error {
	for i, c := range s.cases {
		o, err := h.play(ctx, fmt.Sprintf("%s-%d", s.name, i), c)
		if err != nil {
			if s.name == heldOutSet {
				return fmt.Errorf("case %d of the held-out set: %w", i, err)
			}
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		s.outcomes = append(s.outcomes, o)
	}
	return nil
}

// explain lists what was missed or wrong, of the open set only.
func (s *caseSet) explain(w io.Writer) {
	if s.name == heldOutSet {
		return
	}
	for i, o := range s.outcomes {
		if o.Clean == 1 {
			continue
		}
		fmt.Fprintf(w, "%s / %s (%s)\n", s.cases[i].Category, s.cases[i].Name, s.cases[i].Difficulty)
		for _, m := range o.Misses {
			fmt.Fprintf(w, "  missed  %s\n", m)
		}
		for _, f := range o.False {
			fmt.Fprintf(w, "  wrong   %s\n", f)
		}
	}
	fmt.Fprintln(w)
}

// sum adds up the outcomes of a category, of all if it is "".
func (s *caseSet) sum(category string) counts {
	var total counts
	for _, o := range s.outcomes {
		if category == "" || o.Category == category {
			total.add(o.counts)
		}
	}
	return total
}

// printTable prints for each category how many cases there are, how many of them have
// nothing wrong, and the figures.
func printTable(out io.Writer, sets []caseSet) error {
	fmt.Fprintf(out, "%s; precision: of the memories that hold; recall: of what must be remembered\n\n", extract.RulesVersion)
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for _, s := range sets {
		fmt.Fprintf(w, "%s: cases\tclean\tprecision\trecall\t", s.name)
	}
	fmt.Fprintln(w)
	line := func(label, category string) {
		fmt.Fprintf(w, "%-16s\t", label)
		for _, s := range sets {
			c := s.sum(category)
			fmt.Fprintf(w, "%d\t%d\t%s\t%s\t", c.Cases, c.Clean, share(c.precision()), share(c.recall()))
		}
		fmt.Fprintln(w)
	}
	for _, category := range categories {
		line(category, category)
	}
	line("all", "")
	return w.Flush()
}

func share(value float64, ok bool) string {
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.3f", value)
}
