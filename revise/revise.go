// Package revise changes what was said before, in both tiers at once: a message that is
// reworded or taken back, a session that is deleted, a message that is to be learned from
// again.
//
// Invariants: what was learned from old words is gone from the long tier in the same
// transaction in which the log changes, what others stated together with them is learned
// from those anew, and whoever is learning from them, or with them in view, at the time
// loses the claim. The session's lock comes first, then those of the memories'
// identities, then what is open, which is the order in which everyone takes them.
package revise

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/shortterm"
)

// Revise revises. It is safe for concurrent use.
type Revise struct {
	pool  *postgres.Pool
	log   *shortterm.Log
	store *longterm.Store
}

// New makes a Revise; log and store must be on pool.
func New(pool *postgres.Pool, log *shortterm.Log, store *longterm.Store) *Revise {
	return &Revise{pool, log, store}
}

// Why a memory went or lost a source, as its history has it.
const (
	reasonReworded = "a message was reworded"
	reasonRemoved  = "a message was deleted"
	reasonSession  = "a session was deleted"
)

// Gone says what was deleted.
type Gone struct {
	// Messages of the log, and Memories that had no other source.
	Messages, Memories int
}

// Reword gives a message another content, a JSON value as POST /v1/messages takes it; by
// stands in the history of what was learned from the old one, which is gone. The message
// is learned from anew, if it was one to be learned from. NotFound: there is none that
// carries every id of check. Invalid: a message of its role cannot have that content.
func (r *Revise) Reword(ctx context.Context, tenant string, id int64, check memd.Scope, content json.RawMessage, by string) error {
	var held shortterm.Held
	var opened []int64
	err := r.inTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		if held, err = r.log.Hold(ctx, tx, tenant, id, check); err != nil {
			return err
		}
		raw, err := memd.WithContent(held.Raw, content)
		if err != nil {
			return err
		}
		done, err := r.withdraw(ctx, tx, tenant, []int64{id}, by, reasonReworded)
		if err != nil {
			return err
		}
		open, err := r.log.Reword(ctx, tx, tenant, id, raw)
		if err != nil {
			return err
		}
		if opened, err = r.log.Relearn(ctx, tx, tenant, held.SessionNo, id, done.Bereft); open {
			opened = append(opened, id)
		}
		return err
	})
	if err == nil && len(opened) > 0 {
		r.log.Publish(tenant, held.SessionNo, opened)
	}
	return err
}

// Delete takes a message back. NotFound: there is none that carries every id of check.
func (r *Revise) Delete(ctx context.Context, tenant string, id int64, check memd.Scope, by string) (Gone, error) {
	gone := Gone{Messages: 1}
	var held shortterm.Held
	var opened []int64
	err := r.inTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		if held, err = r.log.Hold(ctx, tx, tenant, id, check); err != nil {
			return err
		}
		done, err := r.withdraw(ctx, tx, tenant, []int64{id}, by, reasonRemoved)
		if err != nil {
			return err
		}
		gone.Memories = done.Memories
		if opened, err = r.log.Relearn(ctx, tx, tenant, held.SessionNo, id, done.Bereft); err != nil {
			return err
		}
		return r.log.Remove(ctx, tx, tenant, held.SessionNo, []int64{id})
	})
	if err != nil {
		return Gone{}, err
	}
	if len(opened) > 0 {
		r.log.Publish(tenant, held.SessionNo, opened)
	}
	return gone, nil
}

// atOnce is how many messages are taken away in one round.
const atOnce = 1000

// DeleteSession deletes a session with all its messages, and those that limits have rotated
// it to, which go by its name. NotFound: the user has none of this name, or not this agent's,
// where one is given.
func (r *Revise) DeleteSession(ctx context.Context, tenant, userID, sessionID, agentID, by string) (Gone, error) {
	var gone Gone
	err := r.inTenant(ctx, tenant, func(tx pgx.Tx) error {
		gone = Gone{}
		parts, err := r.log.HoldChain(ctx, tx, tenant, userID, sessionID)
		if err != nil {
			return err
		}
		if agentID != "" && parts[0].AgentID != agentID {
			return &memd.Error{Kind: memd.NotFound, Op: "revise.delete_session", Msg: "no such session"}
		}
		for _, p := range parts {
			for some := range slices.Chunk(p.MessageIDs, atOnce) {
				done, err := r.withdraw(ctx, tx, tenant, some, by, reasonSession)
				if err != nil {
					return err
				}
				if err := r.log.Remove(ctx, tx, tenant, p.SessionNo, some); err != nil {
					return err
				}
				gone.Messages, gone.Memories = gone.Messages+len(some), gone.Memories+done.Memories
			}
			if err := r.log.RemoveSession(ctx, tx, tenant, p.SessionNo); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Gone{}, err
	}
	return gone, nil
}

// Again has a message learned from once more, by the extractor in force now: what it
// brings then takes the place of what it brought before. opened is false for a message
// that is never learned from, or is open as it is. NotFound: there is none that carries
// every id of check.
func (r *Revise) Again(ctx context.Context, tenant string, id int64, check memd.Scope) (opened bool, err error) {
	var held shortterm.Held
	err = r.inTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
		if held, err = r.log.Hold(ctx, tx, tenant, id, check); err != nil {
			return err
		}
		n, err := r.log.Reopen(ctx, tx, tenant, []int64{id})
		opened = n > 0
		return err
	})
	if err == nil && opened {
		r.log.Publish(tenant, held.SessionNo, []int64{id})
	}
	return opened, err
}

// withdraw takes messages away as sources, and what a person said of statements in them:
// their words are gone, and so is what was said about these.
func (r *Revise) withdraw(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, by, reason string) (longterm.Withdrawn, error) {
	done, err := r.store.Withdraw(ctx, tx, tenant, messages, by, reason)
	if err != nil {
		return longterm.Withdrawn{}, err
	}
	return done, r.store.Unrule(ctx, tx, tenant, messages)
}

// tries is how often it is tried where another transaction stands in the way.
const tries = 3

func (r *Revise) inTenant(ctx context.Context, tenant string, do func(pgx.Tx) error) error {
	for again := 1; ; again++ {
		err := r.pool.InTenant(ctx, tenant, do)
		if postgres.Deadlocked(err) && again < tries {
			continue
		}
		return err
	}
}
