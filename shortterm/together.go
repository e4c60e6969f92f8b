package shortterm

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/postgres"
)

// ErrKeyUsed is the cause of AppendIn's Conflict where the key was used before: roll
// back, and ask Replay.
var ErrKeyUsed = errors.New("the key was used before")

// AppendIn is Append of several, of one session or many, all or none, within tx, which
// must be the tenant's and read committed. They are durable once tx is committed; what
// they opened is then to be told with Announce. key, nil if none came, is that of the
// request that brought them all; their own are not looked at. Conflict with ErrKeyUsed:
// a request had the key before. After any error tx can only be rolled back.
//
// Sessions are locked in one order, whatever theirs in as. Whoever takes other locks in
// the same transaction takes them afterwards.
func (l *Log) AppendIn(ctx context.Context, tx pgx.Tx, tenant string, as []Append, key *idempotency.Key) ([]Appended, error) {
	if len(as) == 0 {
		return []Appended{}, nil
	}
	ready, order := make([]Append, len(as)), make([]int, len(as))
	for i, a := range as {
		a.Key = nil
		var err error
		if ready[i], err = a.ready(); err != nil {
			return nil, err
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(ready[i].UserID, ready[j].UserID), cmp.Compare(ready[i].SessionID, ready[j].SessionID))
	})
	answers := make([]Appended, len(as))
	writes := make([]write, len(as))
	for n, i := range order {
		writes[n] = newWrite(tenant, ready[i])
		if writes[n].rotates {
			writes[n].limits = l.limits(ctx, tenant)
		}
	}
	wait := strconv.FormatInt(l.cfg.LockTimeout.Milliseconds(), 10)
	b := &pgx.Batch{}
	b.Queue(`SAVEPOINT together`)
	b.Queue(lendTimeout, wait)
	queueSessions(b, tenant, writes)
	for n, i := range order {
		writes[n].queue(b, &answers[i])
	}
	if key == nil {
		b.Queue(returnTimeout)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, appendErr(err, key)
	}
	halts := 0
	for ; slices.ContainsFunc(answers, func(a Appended) bool { return len(a.Messages) == 0 }); halts++ {
		if halts == maxHalts {
			return nil, beingDeleted()
		}
		// Locks that were taken are given back: where the messages land, others come first.
		b := &pgx.Batch{}
		b.Queue(`ROLLBACK TO SAVEPOINT together`)
		b.Queue(lendTimeout, wait)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return nil, appendErr(err, key)
		}
		if err := l.landTogether(ctx, tx, tenant, writes, order, answers); err != nil {
			return nil, appendErr(err, key)
		}
	}
	if halts == 0 && key == nil {
		return answers, nil
	}
	b = &pgx.Batch{}
	if key != nil {
		b.Queue(keepTogether, keptOf(tenant, *key, answers)...)
	}
	b.Queue(returnTimeout)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, appendErr(err, key)
	}
	return answers, nil
}

// queueSessions makes those that writes name and that are not there.
func queueSessions(b *pgx.Batch, tenant string, writes []write) {
	var users, sessions, kinds []string
	var agents []*string
	for _, w := range writes {
		users, sessions, kinds, agents = append(users, w.user), append(sessions, w.session), append(kinds, w.kind), append(agents, w.agent)
	}
	b.Queue(makeSessions, tenant, users, sessions, kinds, agents)
}

// landTogether writes each to where it lands. An answer without messages says that such
// a place became another before it was locked; nothing of this holds then.
func (l *Log) landTogether(ctx context.Context, tx pgx.Tx, tenant string, writes []write, order []int, answers []Appended) error {
	for i := range answers {
		answers[i] = Appended{}
	}
	ways := make([]way, len(writes))
	b := &pgx.Batch{}
	for n, w := range writes { // they are in the order of their users
		if n == 0 || w.user != writes[n-1].user {
			b.Queue(lockChains, tenant, w.user)
		}
	}
	queueSessions(b, tenant, writes)
	for n, w := range writes {
		w.queueWay(b, &ways[n])
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	places := make([]int, 0, len(writes))
	for n := range writes {
		if len(ways[n]) == 0 {
			return nil // it was deleted just now
		}
		places = append(places, n)
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(writes[a].user, writes[b].user), cmp.Compare(ways[a].last().sessionID, ways[b].last().sessionID))
	})
	// All locks come before the first is turned over: what follows it has a name of any order.
	for _, n := range places {
		h, found, err := l.holdNamed(ctx, tx, tenant, writes[n].user, ways[n].last().sessionID, Limits{})
		if err != nil {
			return err
		}
		if !found || h.forwardsTo != ways[n].last().forwardsTo {
			return nil
		}
	}
	for n, w := range writes { // in their order, which is that of their sessions and of the call
		b := &pgx.Batch{}
		w.queueWay(b, &ways[n]) // as those before have left it
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		if len(ways[n]) == 0 {
			return nil
		}
		answer, _, err := l.land(ctx, tx, w, ways[n])
		if err != nil || len(answer.Messages) == 0 {
			return err
		}
		answers[order[n]] = answer
	}
	return nil
}

func appendErr(err error, key *idempotency.Key) error {
	switch {
	case key != nil && postgres.Violates(err, idempotency.AppendedConstraint):
		return &memd.Error{Kind: memd.Conflict, Op: "shortterm.append", Field: idempotency.Header, Msg: "was used before", Err: ErrKeyUsed}
	case key != nil && isLockTimeout(err):
		return idempotency.AtWork()
	}
	return postgres.Err("shortterm.append", err)
}

func beingDeleted() error {
	return &memd.Error{Kind: memd.Unavailable, Op: "shortterm.append", Msg: "the session is being deleted or followed by another", RetryAfter: time.Second}
}

// keptOf are the arguments of keepTogether.
func keptOf(tenant string, key idempotency.Key, answers []Appended) []any {
	var ids []int64
	var duplicates []bool
	var states []string
	for _, a := range answers {
		for _, m := range a.Messages {
			ids, duplicates, states = append(ids, m.ID), append(duplicates, m.Duplicate), append(states, m.State)
		}
	}
	if !slices.Contains(duplicates, true) {
		states = nil // they follow from the messages
	}
	return []any{tenant, key.Hash[:], key.Body[:], ids, duplicates, states}
}

// Announce publishes what an AppendIn has opened; to be called once its transaction is
// committed. It can neither fail nor take long, and may be lost: the Relay finds what is
// open.
func (l *Log) Announce(tenant string, as []Append, done []Appended) {
	for i, answer := range done {
		if !answer.Replayed {
			l.publish(tenant, as[i], answer)
		}
	}
}

// Replay gives the answer that the AppendIn with this key got; found is false if there
// was none, or it was never committed. counts says how many messages each Append had.
// Messages that are gone by now are left out. Invalid: another body came with the key.
func (l *Log) Replay(ctx context.Context, tenant string, key idempotency.Key, counts []int) (answers []Appended, found bool, err error) {
	kept, found, err := l.keys.Appended(ctx, tenant, key)
	if err != nil || !found {
		return nil, false, err
	}
	sum := 0
	for _, n := range counts {
		sum += n
	}
	if sum != len(kept.MessageIDs) {
		return nil, false, &memd.Error{Kind: memd.Internal, Op: "shortterm.replay", Msg: "the key is that of another number of messages"}
	}
	answers, err = l.readKept(ctx, tenant, kept, counts)
	return answers, err == nil, err
}
