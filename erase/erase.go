// Package erase takes a person out of every tier at once: what they said, what was learned
// of it, what is still to be learned, and what repeated writes would be told of it.
//
// Invariants: all of it goes in one transaction, in every app of the tenant; a write about
// the person that happens at the same time is wholly before it, and then goes too, or wholly
// after, and is then of somebody new. Nothing brings anything back: who is learning from a
// message of theirs loses the claim with it, and the queue holds nothing but ids. Sessions
// come first, then the person, then the memories' identities, then what is open, which is
// the order in which everyone takes these locks.
package erase

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/importjob"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
)

// Erase erases. It is safe for concurrent use.
type Erase struct {
	pool    *postgres.Pool
	log     *shortterm.Log
	store   *longterm.Store
	answers *idempotency.Store
	logger  zerolog.Logger
}

// New makes an Erase; log, store and answers must be on pool.
func New(pool *postgres.Pool, log *shortterm.Log, store *longterm.Store, answers *idempotency.Store, logger zerolog.Logger) *Erase {
	return &Erase{pool, log, store, answers, logger}
}

// Receipt tells of an erasure. It does not name who was erased.
type Receipt struct {
	ID       string
	ErasedAt time.Time
	// Counts is zero where Uncounted: a memd of a schema before 10 did not keep it.
	Counts    Counts
	Uncounted bool `json:",omitempty"`
}

// Counts says how much went, tier by tier.
type Counts struct {
	Sessions  int `json:"sessions"`
	Messages  int `json:"messages"`
	Summaries int `json:"summaries" doc:"Of sessions."`
	// Queued and DeadLetters are of Messages.
	Queued      int `json:"queued" doc:"Messages that were still to be learned from."`
	DeadLetters int `json:"dead_letters" doc:"Messages that could not be learned from."`
	Memories    int `json:"memories" doc:"Superseded and expired ones too."`
	Vectors     int `json:"vectors"`
	Sources     int `json:"sources" doc:"Which message states which memory."`
	History     int `json:"history" doc:"Entries, of memories that were deleted before too."`
	Statements  int `json:"statements" doc:"What was known of what was said, forgotten and taken back."`
	Origins     int `json:"origins" doc:"By what memories that were imported were known where they come from."`
	Idempotency int `json:"idempotency" doc:"Answers that were kept for repeated writes."`
	Imports     int `json:"imports" doc:"Imports that were about them."`
}

// tries is how often it is tried where another transaction stands in the way.
const tries = 5

// Person erases a person of a tenant, and says what went; by stands in the history of
// memories of others that lose a source by it. Who is not known is erased too: nothing goes.
// Unavailable: the database is away, or others stood in the way; nothing went then, unless
// the connection broke at the very end.
func (e *Erase) Person(ctx context.Context, tenant, userID, by string) (Receipt, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return Receipt{}, &memd.Error{Kind: memd.Internal, Op: "erase.person", Err: err}
	}
	var r Receipt
	tidy := false
	for again := 1; ; again++ {
		r = Receipt{ID: id.String()}
		err = e.pool.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
			r.Counts, tidy, err = e.person(ctx, tx, tenant, userID, id, by)
			if err != nil {
				return err
			}
			return tx.QueryRow(ctx, keepReceipt, tenant, id, idempotency.UserKey(tenant, userID), r.Counts).Scan(&r.ErasedAt)
		})
		if !postgres.Deadlocked(err) || again >= tries {
			break
		}
	}
	if err != nil {
		return Receipt{}, err
	}
	r.ErasedAt = r.ErasedAt.UTC()
	e.logger.Info().Str(memd.LogTenant, tenant).Str("receipt_id", r.ID).Interface("counts", r.Counts).Msg("a person was erased")
	if tidy {
		// What is left are empty tables: another erasure drops them too.
		if err := e.store.TidyNeighbours(ctx); err != nil {
			e.logger.Warn().Err(err).Msg("empty tables of an erased person's neighbours are left")
		}
	}
	return r, nil
}

func (e *Erase) person(ctx context.Context, tx pgx.Tx, tenant, userID string, receipt uuid.UUID, by string) (c Counts, tidy bool, err error) {
	// First: what an import is just putting in is then there to be held.
	imports, err := importjob.ErasePerson(ctx, tx, tenant, userID)
	if err != nil {
		return c, false, err
	}
	held, err := e.log.HoldPerson(ctx, tx, tenant, userID)
	if err != nil {
		return c, false, err
	}
	said := longterm.Said{SessionNos: held.SessionNos, MessageIDs: held.MessageIDs}
	learned, err := e.store.ErasePerson(ctx, tx, tenant, userID, said, by)
	if err != nil {
		return c, false, err
	}
	logged, err := e.log.ErasePerson(ctx, tx, held)
	if err != nil {
		return c, false, err
	}
	answers, err := e.answers.ErasePerson(ctx, tx, tenant, userID, held.MessageIDs, learned.MemoryIDs, receipt)
	if err != nil {
		return c, false, err
	}
	return Counts{
		Sessions: logged.Sessions, Messages: logged.Messages, Summaries: logged.Summaries, Queued: logged.Open, DeadLetters: logged.Dead,
		Memories: learned.Memories, Vectors: learned.Vectors, Sources: learned.Sources, History: learned.History, Statements: learned.Statements,
		Origins: learned.Origins, Idempotency: answers, Imports: imports,
	}, learned.HasNeighbours, nil
}
