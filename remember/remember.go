package remember

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/shortterm"
)

// Item is what is to be remembered together.
type Item struct {
	// Scope says whose it is; one of user, agent and run must be there. RunID is the
	// session that the messages are logged in; without it they get one of their own,
	// which is nobody's run.
	Scope memd.Scope
	// Messages are in the order they were said in; see shortterm.Append.Messages. What is stored as it
	// is has its ClientID for its origin.
	Messages []memd.Message
	// Metadata is a JSON object that passes to what is remembered, nil if none came.
	Metadata json.RawMessage
	// LearnAs is what the caller wants of what is remembered, nil for nothing.
	LearnAs *memd.LearnAs
	// Timezone is an IANA name, "" for UTC.
	Timezone string
	// Infer has the messages learned from; without it each is stored as it is, and must
	// have a text.
	Infer bool
	// Later leaves what is learned from it for later: the item is not waited for, and has
	// IngestIDs whatever has become of them.
	Later bool
	// Roles says whose messages are learned from or stored: the user's, the assistant's.
	// What is stored of others counts as the user's.
	Roles []memd.Role
}

// Result is what became of an Item.
type Result struct {
	// Events are what happened to which memory, in order; nil if IngestIDs are given.
	Events []longterm.Event
	// IngestIDs are the messages that are being learned from, if they had not settled in
	// time.
	IngestIDs []int64
	// Degraded names what the item had to do without, never nil: "ingest", some messages
	// could not be learned from; "gone", some were erased or deleted before; "embedding",
	// vectors are made later; "llm", the rules learned in a language model's place; "prompt",
	// nobody took the one that was given.
	Degraded []string
}

// What may stand in Result.Degraded beside recall.Degraded.
const (
	degradedIngest = "ingest"
	degradedGone   = "gone"
	degradedModel  = "llm"
	degradedPrompt = "prompt"
)

// Config says what else is there.
type Config struct {
	// TakesPrompt says that the extractor in force follows memd.LearnAs.Prompt.
	TakesPrompt bool
}

// Remember is safe for concurrent use.
type Remember struct {
	pool  *postgres.Pool
	log   *shortterm.Log
	store *longterm.Store
	rec   *recall.Recall
	cfg   Config
}

// New makes a Remember; log and store must be on pool.
func New(pool *postgres.Pool, log *shortterm.Log, store *longterm.Store, rec *recall.Recall, cfg Config) *Remember {
	return &Remember{pool, log, store, rec, cfg}
}

// Add keeps items, all or none, and says of each what became of it, in their order. It
// waits until all is learned, at most for wait: an item that has not settled by then has
// IngestIDs. With a wait of 0 all items that are learned from have.
//
// key, nil if none came, is known to the log: a repetition of what was logged before
// logs nothing, and has the results of the first. What is stored as it is needs no key:
// the same again is the same memory.
//
// Invalid: an item is wrong, what is stored as it is names an incognito session, or another body came with the key before; fields are those
// of the one item, or "memories[i].…" of several. Conflict: a first request with the key
// has not ended, or all that was to be learned from was erased or deleted while it was waited for. Unavailable: the database is away; whether the items were kept is then
// not known, unless there is a key to ask again with.
func (r *Remember) Add(ctx context.Context, tenant string, items []Item, key *idempotency.Key, wait time.Duration) ([]Result, error) {
	if err := check(items); err != nil {
		return nil, err
	}
	if err := r.checkRuns(ctx, tenant, items); err != nil {
		return nil, err
	}
	g := newGiven(tenant, items)
	done, err := r.keep(ctx, tenant, g, key)
	if err != nil {
		return nil, err
	}
	results := make([]Result, len(items))
	for i := range results {
		results[i].Degraded = []string{}
	}
	for n, i := range g.stored {
		results[i].Events = append([]longterm.Event{}, done.events[g.from[n]:g.from[n+1]]...)
		if len(results[i].Events) > 0 {
			results[i].Degraded = append(results[i].Degraded, done.degraded...)
		}
	}
	if err := r.await(ctx, tenant, g, done.logged, wait, results); err != nil {
		return nil, err
	}
	for n, i := range g.learned {
		byRules := !r.cfg.TakesPrompt || slices.Contains(results[i].Degraded, degradedModel)
		if as := g.appends[n].LearnAs; as != nil && as.Prompt != "" && byRules {
			results[i].Degraded = append(results[i].Degraded, degradedPrompt)
		}
	}
	return results, nil
}

// fieldsOf is what the fields of the i-th of n items begin with.
func fieldsOf(i, n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("memories[%d].", i)
}

// checkRuns refuses to store something for good that is said in an incognito session. What
// is to be learned from goes with that session, by the log.
func (r *Remember) checkRuns(ctx context.Context, tenant string, items []Item) error {
	var at []int
	var users, runs []string
	for i, item := range items {
		if !item.Infer && item.Scope.UserID != "" && item.Scope.RunID != "" {
			at, users, runs = append(at, i), append(users, item.Scope.UserID), append(runs, item.Scope.RunID)
		}
	}
	if len(at) == 0 {
		return nil
	}
	incognito, err := r.log.Incognito(ctx, tenant, users, runs)
	if err != nil {
		return err
	}
	var faults []*memd.Error
	for _, n := range incognito {
		faults = append(faults, memd.InvalidField(fieldsOf(at[n], len(items))+"run_id", "must not name an incognito session: nothing of it is kept"))
	}
	return oneOf(faults)
}

// check gives all faults of the items as one error.
func check(items []Item) error {
	var faults []*memd.Error
	for i, item := range items {
		at := fieldsOf(i, len(items))
		if item.Scope.UserID == "" && item.Scope.AgentID == "" && item.Scope.RunID == "" {
			faults = append(faults, memd.InvalidField(at+"user_id", "is required, or agent_id or run_id"))
		}
		if len(item.Messages) == 0 {
			faults = append(faults, memd.InvalidField(at+"messages", "must not be empty"))
		}
		for j, m := range item.Messages {
			if !item.Infer && !memd.Findable(m.Text) {
				faults = append(faults, memd.InvalidField(fmt.Sprintf("%smessages[%d].content", at, j), "must have a text to be stored"))
			}
		}
	}
	return oneOf(faults)
}

// oneOf gives faults as one error, nil for none.
func oneOf(faults []*memd.Error) error {
	switch len(faults) {
	case 0:
		return nil
	case 1:
		return faults[0]
	}
	return &memd.Error{Kind: memd.Invalid, Op: "remember.add", Msg: "not all that was given can be remembered", Details: faults}
}

// given is what the items come to: what is logged, and what is stored as it is.
type given struct {
	// learned and stored are the items of each kind, by their number.
	learned, stored []int
	appends         []shortterm.Append // of learned
	later           []bool             // of learned
	verbatim        []longterm.Verbatim
	// from is where the memories of each of stored begin in verbatim, and where they end.
	from []int
}

func newGiven(tenant string, items []Item) given {
	var g given
	for i, item := range items {
		item.Scope.Tenant = tenant
		if item.Infer {
			g.learned, g.appends = append(g.learned, i), append(g.appends, item.toLog())
			g.later = append(g.later, item.Later)
		} else {
			g.stored, g.from = append(g.stored, i), append(g.from, len(g.verbatim))
			g.verbatim = append(g.verbatim, item.toStore()...)
		}
	}
	g.from = append(g.from, len(g.verbatim))
	return g
}

func (item Item) toLog() shortterm.Append {
	return shortterm.Append{
		UserID: item.Scope.UserID, SessionID: item.Scope.RunID, AgentID: item.Scope.AgentID, AppID: item.Scope.AppID,
		Messages: item.Messages, Metadata: item.Metadata, LearnAs: item.LearnAs, Timezone: item.Timezone,
		Infer: true, Learn: item.Roles, Direct: item.Scope.RunID == "",
	}
}

func (item Item) toStore() []longterm.Verbatim {
	var as memd.LearnAs
	if item.LearnAs != nil {
		as = *item.LearnAs
	}
	var all []longterm.Verbatim
	for _, m := range item.Messages {
		whose := memd.RoleUser
		if m.Role == memd.RoleAssistant {
			whose = memd.RoleAssistant
		}
		if !slices.Contains(item.Roles, whose) {
			continue
		}
		all = append(all, longterm.Verbatim{
			Scope: item.Scope, Text: m.Text, ActorID: m.Name, Role: string(m.Role), Metadata: item.Metadata,
			Categories: as.Categories, MemoryType: as.MemoryType, MemoryScope: as.Scope,
			ExpiresAt: as.ExpiresAt, OccurredAt: as.OccurredAt, SaidAt: m.CreatedAt, Origin: m.ClientID,
		})
	}
	return all
}

// kept is what was written of a given.
type kept struct {
	logged []shortterm.Appended // of given.appends
	events []longterm.Event     // of given.verbatim
	// degraded is what the verbatim ones had to do without.
	degraded []string
}

// tries is how often a write is tried that only met another one.
const tries = 3

// keep writes what was given, all or none.
func (r *Remember) keep(ctx context.Context, tenant string, g given, key *idempotency.Key) (kept, error) {
	if len(g.appends) == 1 && len(g.stored) == 0 {
		a := g.appends[0]
		a.Key = key
		logged, err := r.log.Append(ctx, tenant, a)
		return kept{logged: []shortterm.Appended{logged}}, err
	}
	var done kept
	if len(g.appends) == 0 {
		key = nil // there is nothing that the log could know
	}
	if key != nil { // before vectors are made in vain
		var err error
		if done.logged, _, err = r.log.Replay(ctx, tenant, *key, counts(g.appends)); err != nil {
			return kept{}, err
		}
	}
	var err error
	if done.degraded, err = r.embed(ctx, g.verbatim); err != nil {
		return kept{}, err
	}
	for again := 1; ; again++ {
		err := r.write(ctx, tenant, g, key, &done)
		switch {
		case err == nil:
			r.log.Announce(tenant, g.appends, done.logged)
			return done, nil
		case errors.Is(err, shortterm.ErrKeyUsed):
			var found bool
			if done.logged, found, err = r.log.Replay(ctx, tenant, *key, counts(g.appends)); err != nil {
				return kept{}, err
			}
			if !found && again >= tries { // it comes and goes
				return kept{}, idempotency.AtWork()
			}
		case again >= tries || ctx.Err() != nil || !metAnother(err):
			return kept{}, err
		default:
			if err := r.log.Meet(ctx, tenant, g.people()); err != nil {
				return kept{}, err
			}
		}
	}
}

// write does what is not done yet, in one transaction.
func (r *Remember) write(ctx context.Context, tenant string, g given, key *idempotency.Key, done *kept) error {
	logged, events := done.logged, []longterm.Event{}
	if logged != nil && len(g.verbatim) == 0 {
		return nil
	}
	err := r.pool.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		if logged == nil {
			if logged, err = r.log.AppendIn(ctx, tx, tenant, g.appends, key); err != nil {
				return err
			}
		}
		events, err = r.store.AddVerbatimIn(ctx, tx, tenant, g.verbatim)
		return err
	})
	if err == nil {
		done.logged, done.events = logged, events
	}
	return err
}

// people are the users that the items are of.
func (g given) people() []string {
	var users []string
	for _, a := range g.appends {
		users = append(users, a.UserID)
	}
	for _, v := range g.verbatim {
		users = append(users, v.Scope.UserID)
	}
	return users
}

func counts(as []shortterm.Append) []int {
	n := make([]int, len(as))
	for i, a := range as {
		n[i] = len(a.Messages)
	}
	return n
}

// metAnother says whether a transaction surely had no effect and may have one if it is
// tried again: people who are new to both were met by another in the opposite order,
// which Postgres ends by failing one of them, or the connection was dead before anything
// was sent.
func metAnother(err error) bool {
	return postgres.Deadlocked(err) || pgconn.SafeToRetry(err)
}

// embed makes the vectors of what is stored as it is.
func (r *Remember) embed(ctx context.Context, all []longterm.Verbatim) (degraded []string, err error) {
	texts := make([]string, len(all))
	for i, v := range all {
		texts[i] = longterm.EmbedText(v.ActorID, v.Text)
	}
	vectors, model, degraded, err := r.rec.Embed(ctx, texts)
	for i := range vectors {
		all[i].Vector, all[i].Model = vectors[i], model
	}
	return degraded, err
}

// await waits for what was logged and tells what was learned. Whatever stands in its
// way, what is logged will be learned from: the answer is then the messages' ids. Conflict:
// of all items that were given nothing is left in the log.
func (r *Remember) await(ctx context.Context, tenant string, g given, logged []shortterm.Appended, wait time.Duration, results []Result) error {
	of := make([][]int64, len(logged))
	var all []int64
	for n, a := range logged {
		of[n] = make([]int64, len(a.Messages))
		for j, m := range a.Messages {
			of[n][j] = m.ID
		}
		if !g.later[n] {
			all = append(all, of[n]...)
		}
		results[g.learned[n]].IngestIDs = of[n]
	}
	if wait <= 0 || len(all) == 0 {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_ = r.log.AwaitSettled(within, tenant, all) // what stands then is looked at anyhow
	open, dead, err := r.log.Standing(ctx, tenant, all)
	if err != nil {
		return nil
	}
	stoodIn, err := r.log.StoodIn(ctx, tenant, all)
	if err != nil {
		return nil // it cannot be told by whom it was learned
	}
	var empty []int // items by which nothing came about
	for n, ids := range of {
		if g.later[n] || anyOf(open, ids) {
			continue
		}
		events, err := r.events(ctx, tenant, logged[n])
		if err != nil {
			continue
		}
		result := &results[g.learned[n]]
		result.Events, result.IngestIDs = events, nil
		if slices.ContainsFunc(events, func(e longterm.Event) bool { return e.Unembedded }) {
			result.Degraded = append(result.Degraded, recall.Degraded)
		}
		if anyOf(stoodIn, ids) {
			result.Degraded = append(result.Degraded, degradedModel)
		}
		if anyOf(dead, ids) {
			result.Degraded = append(result.Degraded, degradedIngest)
		} else if len(events) == 0 {
			empty = append(empty, n)
		}
	}
	return r.whyEmpty(ctx, tenant, g, of, empty, results)
}

// whyEmpty tells items of which there was nothing to keep from those that are in the log no
// more: to these nothing was kept because they were erased or deleted meanwhile. It looks
// after the events were read, so that what goes in between is not taken for the former.
func (r *Remember) whyEmpty(ctx context.Context, tenant string, g given, of [][]int64, empty []int, results []Result) error {
	var ids []int64
	for _, n := range empty {
		ids = append(ids, of[n]...)
	}
	if len(ids) == 0 {
		return nil
	}
	gone, err := r.log.Gone(ctx, tenant, ids)
	if err != nil {
		return err // it cannot be told which it is
	}
	left := len(results)
	for _, n := range empty {
		if anyOf(gone, of[n]) {
			result := &results[g.learned[n]]
			result.Degraded = append(result.Degraded, degradedGone)
		}
		if !slices.ContainsFunc(of[n], func(id int64) bool { return !anyOf(gone, []int64{id}) }) {
			left--
		}
	}
	if left == 0 {
		return &memd.Error{Kind: memd.Conflict, Op: "remember.add",
			Msg: "what was given was erased or deleted before it was learned from: nothing of it is kept"}
	}
	return nil
}

// events tells what was learned from the messages that were logged. What stood in the log
// before brought nothing about now: what it states is known already. A replay knows what
// stood there when the first came.
func (r *Remember) events(ctx context.Context, tenant string, logged shortterm.Appended) ([]longterm.Event, error) {
	var fresh, known []int64
	for _, m := range logged.Messages {
		if m.Duplicate {
			known = append(known, m.ID)
		} else {
			fresh = append(fresh, m.ID)
		}
	}
	events, err := r.store.EventsOf(ctx, tenant, fresh)
	if err != nil || len(known) == 0 {
		return events, err
	}
	before, err := r.store.EventsOf(ctx, tenant, known)
	if err != nil {
		return nil, err
	}
	for _, e := range before {
		if !slices.ContainsFunc(events, func(t longterm.Event) bool { return t.ID == e.ID }) {
			events = append(events, longterm.Event{ID: e.ID, Memory: e.Memory, Event: longterm.EventNone, Unembedded: e.Unembedded})
		}
	}
	return events, nil
}

// anyOf says whether one of ids stands in sorted.
func anyOf(sorted, ids []int64) bool {
	return slices.ContainsFunc(ids, func(id int64) bool {
		_, found := slices.BinarySearch(sorted, id)
		return found
	})
}
