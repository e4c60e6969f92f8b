package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones are known whatever the machine has

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/backfill"
	"github.com/memdhq/memd/backfill/format"
)

type importCommand struct {
	remoteFlags
	Files      []string          `arg:"" name:"file" help:"Files (plain, gzip, zstd), folders or zip archives; - is standard input."`
	User       string            `placeholder:"ID" help:"Whose everything is; default: whom the files name."`
	Agent      string            `placeholder:"ID" help:"The agent that was talked to, where the files name none."`
	App        string            `placeholder:"ID" help:"The app it was talked to in, where the files name none."`
	Format     string            `placeholder:"F" help:"memd, openai, sharegpt, chatgpt, claude, slack, langchain, mem0, powermem or csv; default: each file is looked at."`
	Columns    map[string]string `mapsep:"," placeholder:"WHAT=NAME,…" help:"Which column of a table holds what: content, role, name, time, zone, session, user, agent, id."`
	Timezone   string            `placeholder:"ZONE" help:"IANA name of the zone of times that do not say where they are of, and in which relative dates are meant; default: UTC."`
	SaidAt     string            `placeholder:"TIME" help:"When messages were said of which nothing says when; default: now."`
	DryRun     bool              `help:"Only say what would be done."`
	Wait       bool              `help:"Wait until all is learned from."`
	MaxBacklog int               `default:"50000" placeholder:"N" help:"Send no more while so many messages wait to be learned from; 0: whatever waits."`
	Rate       int               `default:"0" placeholder:"N" help:"Send no more than so many messages a second; 0: as many as memd takes."`
	Bad        string            `default:"memd-import-bad.jsonl" placeholder:"FILE" help:"Where what cannot be taken is set aside, with its place and the reason; it is made when something is."`
	AtOnce     int               `default:"4" placeholder:"N" help:"People for whom something is sent at a time."`
	JSON       bool              `help:"Print the result as JSON."`

	LLMPromptPrice     float64 `hidden:"" name:"llm-prompt-price" env:"MEMD_LLM_PROMPT_PRICE"`
	LLMCompletionPrice float64 `hidden:"" name:"llm-completion-price" env:"MEMD_LLM_COMPLETION_PRICE"`
}

// Validate is called by kong.
func (c *importCommand) Validate() error {
	for _, id := range []struct{ flag, value string }{{"--user", c.User}, {"--agent", c.Agent}, {"--app", c.App}} {
		if id.value != "" {
			if err := memd.CheckID(id.flag, id.value); err != nil {
				return errors.New(plain(err))
			}
		}
	}
	switch {
	case c.Format != "" && !slices.Contains(format.Names, c.Format):
		return errors.New("--format: must be one of " + strings.Join(format.Names, ", "))
	case c.AtOnce < 1 || c.AtOnce > 64:
		return errors.New("--at-once: must be 1 to 64")
	case c.Rate < 0:
		return errors.New("--rate: must not be negative")
	case c.MaxBacklog < 0:
		return errors.New("--max-backlog: must not be negative")
	}
	for what := range c.Columns {
		if _, ok := format.Columns[what]; !ok {
			return fmt.Errorf("--columns: %q is nothing that a column can hold", what)
		}
	}
	if _, err := c.options(); err != nil {
		return err
	}
	return nil
}

func (c *importCommand) options() (format.Options, error) {
	o := format.Options{Format: c.Format, Columns: c.Columns, ByPerson: c.User == ""}
	if c.Timezone != "" {
		place, err := time.LoadLocation(c.Timezone)
		if err != nil || c.Timezone == "Local" {
			return o, errors.New("--timezone: must be the IANA name of a zone")
		}
		o.Place = place
	}
	if c.SaidAt != "" {
		at, err := memd.ParseTime("--said-at", c.SaidAt)
		if err != nil {
			return o, errors.New("--said-at: must be a time in RFC 3339, or a date")
		}
		o.At = at
	}
	return o, nil
}

// imported is the result of an import.
type imported struct {
	backfill.Totals
	// Sent is how much was sent, New how much of that was not there before.
	Sent  int `json:"sent"`
	New   int `json:"new"`
	Known int `json:"known"`
	// Complete says that nothing was left out but what was set aside.
	Complete bool `json:"complete"`
	// Files says which format each has.
	Files []foundFile `json:"files"`
	// Estimate is what a model would take, of a dry run.
	Estimate *estimate `json:"estimate,omitempty"`
	DryRun   bool      `json:"dry_run,omitempty"`
}

type foundFile struct {
	File   string `json:"file"`
	Format string `json:"format"`
	// Columns say which of a table hold what.
	Columns map[string]string `json:"columns,omitempty"`
}

// maxFiles is of how many files the result tells the format.
const maxFiles = 1000

// Run imports.
func (c importCommand) Run(ctx context.Context) (err error) {
	standBack()
	debug.SetGCPercent(50) // what is read is soon garbage, and much of it
	options, err := c.options()
	if err != nil {
		return err
	}
	m, err := c.open()
	if err != nil {
		return err
	}
	defer m.close()
	var out imported
	options.Found = func(file, format string) {
		if len(out.Files) < maxFiles {
			out.Files = append(out.Files, foundFile{File: file, Format: format})
		}
	}
	options.Tabled = func(file string, columns map[string]string) {
		if n := len(out.Files); n > 0 && out.Files[n-1].File == file {
			out.Files[n-1].Columns = columns
		}
	}
	aside := &setAside{name: c.Bad}
	if err := aside.check(); err != nil {
		return err
	}
	for _, name := range c.Files { // before anything goes in
		if name == "-" {
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return err
		}
	}
	defer func() {
		if closeErr := aside.close(); closeErr != nil {
			err = closeErr
		}
	}()
	show := &progress{memd: m, user: c.User, most: c.MaxBacklog, rate: c.Rate}
	cfg := backfill.Config{UserID: c.User, AgentID: c.Agent, AppID: c.App, Bad: aside.add}
	if c.DryRun {
		if cfg.Tokens, err = tokensOf(); err != nil {
			return err
		}
	}
	gathered, err := backfill.Gather(show.reading(ctx, c.items(options)), cfg)
	if err != nil {
		show.clear()
		if errors.Is(err, backfill.ErrNobody) {
			return errors.New("nothing says whose messages these are: give --user")
		}
		return orInterrupted(ctx, err)
	}
	defer gathered.Close()
	out.Totals = gathered.Totals
	if c.DryRun {
		show.clear()
		out.DryRun, out.Complete = true, true
		out.Estimate = c.estimate(gathered.Totals)
		c.print(os.Stdout, out, aside)
		if out.Bad > 0 {
			return errSaid
		}
		return nil
	}
	show.total = gathered.Messages + gathered.Memories
	sent, err := gathered.Send(ctx, &remoteTarget{memd: m, backlog: show}, c.AtOnce, show.sending)
	if err == nil && c.Wait {
		err = show.awaitSettled(ctx)
	}
	show.clear()
	out.Totals = gathered.Totals
	out.Sent, out.New, out.Known = sent.Done(), sent.New, sent.Known
	out.Complete = err == nil
	c.print(os.Stdout, out, aside)
	if err == nil && out.Bad > 0 {
		return errSaid
	}
	if err != nil && sent.Done() > 0 {
		return fmt.Errorf("%w; the same command goes on from here", orInterrupted(ctx, err))
	}
	return orInterrupted(ctx, err)
}

func orInterrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// items reads all files, one after the other.
func (c importCommand) items(o format.Options) iter.Seq2[format.Item, error] {
	return func(yield func(format.Item, error) bool) {
		for _, name := range c.Files {
			all := format.Read(name, o)
			if name == "-" {
				all = format.ReadFrom("-", os.Stdin, o)
			}
			for i, err := range all {
				if err != nil {
					if i.Bad = format.Aside(name, err); i.Bad != nil { // what else there is goes in
						err = nil
					}
				}
				if !yield(i, err) || err != nil {
					return
				}
			}
		}
	}
}

func (c importCommand) print(w io.Writer, out imported, aside *setAside) {
	if c.JSON {
		_ = json.NewEncoder(w).Encode(out)
		return
	}
	for _, f := range out.Files {
		fmt.Fprintf(w, "%s: %s", f.File, f.Format)
		for _, what := range slices.Sorted(maps.Keys(f.Columns)) {
			fmt.Fprintf(w, " %s=%s", what, f.Columns[what])
		}
		fmt.Fprintln(w)
	}
	t := out.Totals
	fmt.Fprintf(w, "%s with %s of %s, %s\n", count(t.Conversations, "conversation"), count(t.Messages, "message"), count(t.People, "person", "people"), count(t.Memories, "memory", "memories"))
	if out.DryRun {
		fmt.Fprintf(w, "%s to be learned from, with %s\n", count(t.Learnable, "message"), count(t.Tokens, "token"))
		fmt.Fprintln(w, out.Estimate.words())
	} else {
		fmt.Fprintf(w, "%d new, %d known already\n", out.New, out.Known)
	}
	if t.Empty+t.Repeated > 0 {
		fmt.Fprintf(w, "%d empty, %d repeated: left out\n", t.Empty, t.Repeated)
	}
	if t.Bad > 0 {
		fmt.Fprintf(w, "%d set aside%s\n", t.Bad, aside.where())
	}
}

// count is a number of things in words.
func count(n int, one string, many ...string) string {
	if n != 1 {
		if len(many) > 0 {
			one = many[0]
		} else {
			one += "s"
		}
	}
	return fmt.Sprintf("%d %s", n, one)
}

// setAside keeps what cannot be taken.
type setAside struct {
	name string
	n    int
	file *os.File
	err  error
}

// check says at the start whether there is a place for it, and leaves that as it was.
func (s *setAside) check() error {
	_, missing := os.Stat(s.name)
	f, err := os.OpenFile(s.name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
		if missing != nil {
			err = errors.Join(err, os.Remove(s.name))
		}
	}
	if err != nil {
		return fmt.Errorf("--bad: %w", err)
	}
	return nil
}

// toldBad is how many are told on standard error.
const toldBad = 10

func (s *setAside) add(b format.Bad) {
	if s.n++; s.n <= toldBad {
		fmt.Fprintf(os.Stderr, "%smemd: %s: %s\n", overwrite(), placeOf(b.Place), b.Reason)
	}
	if s.err != nil {
		return
	}
	if s.file == nil {
		if s.file, s.err = os.OpenFile(s.name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); s.err != nil {
			return
		}
	}
	e := json.NewEncoder(s.file)
	e.SetEscapeHTML(false)
	s.err = e.Encode(b)
}

func placeOf(p format.Place) string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

func (s *setAside) where() string {
	if s.file == nil {
		return ""
	}
	return " in " + s.name
}

func (s *setAside) close() error {
	if s.file != nil {
		s.err = errors.Join(s.err, s.file.Close())
	}
	if s.err != nil {
		return fmt.Errorf("--bad: %w", s.err)
	}
	return nil
}
