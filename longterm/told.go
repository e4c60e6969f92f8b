package longterm

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Telling asks what became of what was learned from messages of a user's.
type Telling struct {
	// Scope has the user, and with Filters what is recalled beside what is told.
	Scope    memd.Scope
	Filters  Filter
	Messages []int64
}

// Account is what became of what was learned from messages.
type Account struct {
	// Of has those from which something was learned, also what has ended since, or was edited,
	// taken away or to be forgotten.
	Of map[int64]Told
	// away is what of the user was taken away of late, whatever said it, and not said anew.
	away []away
}

// Told is what became of what was learned from a message.
type Told struct {
	// Left is what of it is remembered, Ended what was and is so no more.
	Left  []Statement
	Ended []string
	// Taken says that a person took something of it away, rewrote it or had it forgotten.
	Taken bool
	// hushed says that it cannot be told what of the message that is, taken what it is.
	hushed bool
	taken  []away
	// gone are those of taken that were not said anew, overruled those of them that the message does
	// not bring about again; answered those of the message that this one answers.
	gone, overruled, answered []away
}

// Statement is what a memory says, and whose that is. Excluded says that the scope and filters
// asked with leave it out.
type Statement struct {
	ID, Role, Text string
	Excluded       bool
}

// ofOneWord is how many terms there are at most, with that of a statement of one term, where that
// is said back.
const ofOneWord = 3

// SaysBack says whether what another than the user is remembered to have said is what was taken
// away of the user: most of it, so that what only mentions the thing is not.
func (a Account) SaysBack(role, text string) bool {
	if role == string(memd.RoleUser) || len(a.away) == 0 {
		return false
	}
	terms := saidTerms(text)
	return slices.ContainsFunc(a.away, func(t away) bool {
		both := t.common(terms)
		if !t.stands(terms) || !t.owns(terms) {
			return false
		}
		if len(t.terms) == 1 {
			return both == 1 && len(terms) <= ofOneWord
		}
		return both >= 2 && (t.most(terms) || float64(both) >= mostOfIt*float64(len(terms)))
	})
}

// Answers has a message count as the answer to another, right behind it: what says back there a word
// of what was taken away of that one is not shown, be it ever so little.
func (a Account) Answers(asked, answer int64) {
	of := a.Of[asked]
	if len(of.gone) == 0 {
		return
	}
	t := a.Of[answer]
	t.answered = append(t.answered, of.gone...)
	a.Of[answer] = t
}

// SaysBackTo says whether what another than the user is remembered to have said in answer to a
// message has a word of what was taken away of that.
func (a Account) SaysBackTo(asked int64, role, text string) bool {
	if role == string(memd.RoleUser) {
		return false
	}
	terms := saidTerms(text)
	return slices.ContainsFunc(a.Of[asked].gone, func(t away) bool { return t.hasWord(terms) })
}

// SaysBackIn is SaysBack of what is remembered of a message, which may be the answer to another.
func (a Account) SaysBackIn(message int64, role, text string) bool {
	if a.SaysBack(role, text) {
		return true
	}
	answered := a.Of[message].answered
	if role == string(memd.RoleUser) || len(answered) == 0 {
		return false
	}
	terms := saidTerms(text)
	return slices.ContainsFunc(answered, func(t away) bool { return t.hasWord(terms) })
}

// TookAway says whether anything of the user was taken away of late.
func (a Account) TookAway() bool { return len(a.away) > 0 }

// leave leaves of what was taken away of messages the terms that nothing has which is remembered of
// them: as where a statement was rewritten, or one of two was taken away.
func (a *Account) leave() {
	for id, t := range a.Of {
		if len(t.gone) == 0 {
			continue
		}
		var still []int32
		for _, l := range t.Left {
			still = append(still, termsOf(ungrouped(l.Text))...)
		}
		for _, o := range t.overruled {
			if o, is := o.less(still); is {
				a.away = append(a.away, o)
			}
		}
		for i := range t.gone {
			t.gone[i].terms = slices.DeleteFunc(slices.Clone(t.gone[i].terms), func(term int32) bool { return slices.Contains(still, term) })
		}
		a.Of[id] = t
	}
}

// awayMost is how much of what was taken away last is known, whatever said it.
const awayMost = 200

// Told gives what became of what was learned from messages.
func (s *Store) Told(ctx context.Context, tenant string, t Telling) (Account, error) {
	a := Account{}
	sel, err := newSelection(tenant, t.Scope, t.Filters, false)
	if err != nil {
		return a, err
	}
	b := postgres.TenantBatch(tenant)
	b.Queue(pinPlans)
	recalled := map[memoryID]bool{}
	if !sel.plain() {
		queue(b, sel.toldStatement(t.Messages)).Query(func(rows pgx.Rows) error {
			var id memoryID
			_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
				recalled[id] = true
				return nil
			})
			return err
		})
	}
	a.queue(b, tenant, t.Scope.UserID, t.Messages, func(id memoryID) bool { return !sel.plain() && !recalled[id] })
	err = PoolFor(s.pool, sel.filters).SendBatch(ctx, b).Close()
	return a, postgres.Err("longterm.told", err)
}

// ToldIn is Told within tx, which must be the tenant's, of all that a user's messages made known.
func (s *Store) ToldIn(ctx context.Context, tx pgx.Tx, tenant, userID string, messages []int64) (Account, error) {
	a := Account{}
	b := &pgx.Batch{}
	a.queue(b, tenant, userID, messages, func(memoryID) bool { return false })
	return a, postgres.Err("longterm.told", tx.SendBatch(ctx, b).Close())
}

// queue asks for the account, of which excluded leaves some out.
func (a *Account) queue(b *pgx.Batch, tenant, userID string, messages []int64, excluded func(memoryID) bool) {
	a.Of = map[int64]Told{}
	note := func(message int64, do func(*Told)) {
		t := a.Of[message]
		do(&t)
		a.Of[message] = t
	}
	b.Queue(toldMessages, tenant, messages).Query(func(rows pgx.Rows) error {
		var message int64
		var id memoryID
		var role, text string
		var lives bool
		_, err := pgx.ForEachRow(rows, []any{&message, &id, &role, &text, &lives}, func() error {
			note(message, func(t *Told) {
				if lives {
					t.Left = append(t.Left, Statement{uuid.UUID(id).String(), role, text, excluded(id)})
				} else {
					t.Ended = append(t.Ended, text)
				}
			})
			return nil
		})
		return err
	})
	b.Queue(toldOverruled, tenant, userID, messages).Query(func(rows pgx.Rows) error {
		var message int64
		var terms []int32
		var again bool
		_, err := pgx.ForEachRow(rows, []any{&message, &terms, &again}, func() error {
			note(message, func(t *Told) {
				t.Taken, t.hushed = true, t.hushed || len(terms) == 0
				t.taken = append(t.taken, away{terms: slices.Clone(terms)})
				if !again {
					t.gone = append(t.gone, away{terms: slices.Clone(terms)})
				}
				if len(terms) > 0 && !again {
					t.overruled = append(t.overruled, away{terms: slices.Clone(terms)})
				}
			})
			return nil
		})
		return err
	})
	b.Queue(toldForgotten, tenant, messages).Query(func(rows pgx.Rows) error {
		var message int64
		_, err := pgx.ForEachRow(rows, []any{&message}, func() error {
			note(message, func(t *Told) { t.Taken, t.hushed = true, true })
			return nil
		})
		return err
	})
	b.Queue(toldGone, tenant, userID, messages).Query(func(rows pgx.Rows) error {
		var text string
		var of []int64
		_, err := pgx.ForEachRow(rows, []any{&text, &of}, func() error {
			gone := awayOf(text)
			for _, message := range of {
				note(message, func(t *Told) {
					t.Taken, t.hushed = true, t.hushed || len(gone.terms) == 0
					t.taken, t.gone = append(t.taken, gone), append(t.gone, gone)
				})
			}
			return nil
		})
		return err
	})
	b.Queue(toldAway, tenant, userID, awayMost).Query(func(rows pgx.Rows) error {
		var text string
		var instead *string
		_, err := pgx.ForEachRow(rows, []any{&text, &instead}, func() error {
			gone, is := awayOf(text), true
			if instead != nil {
				gone, is = editedAway(text, *instead)
			}
			if is && len(gone.terms) > 0 {
				a.away = append(a.away, gone)
			}
			return nil
		})
		a.leave()
		return err
	})
}

// toldStatement gives those of the memories that messages state that are selected.
func (s selection) toldStatement(messages []int64) *statement {
	st := &statement{}
	tenant := st.bind(s.tenant, "text")
	return st.write("SELECT m.id FROM (SELECT DISTINCT memory_id FROM memory_source x WHERE x.message_id = ANY (", st.bind(messages, "bigint[]"), ") AND x.tenant_id = ", tenant, " OFFSET 0) x",
		" CROSS JOIN LATERAL (SELECT m.* FROM memory m WHERE m.id = x.memory_id AND m.tenant_id = ", tenant, s.conditions(st), " OFFSET 0) m")
}

const (
	toldMessages = `SELECT x.message_id, m.id, m.role, m.memory, m.lives
	  FROM (SELECT memory_id, message_id FROM memory_source x WHERE x.message_id = ANY ($2::bigint[]) AND x.tenant_id = $1 OFFSET 0) x
	 CROSS JOIN LATERAL (SELECT *, m.valid_to IS NULL AND (m.expires_at IS NULL OR m.expires_at > now()) AS lives
	                       FROM memory m WHERE m.id = x.memory_id AND m.tenant_id = $1 OFFSET 0) m
	 ORDER BY x.message_id, m.valid_from, m.id`

	// toldOverruled also says whether the same is remembered again.
	toldOverruled = `SELECT o.message_id, o.terms, EXISTS (
		SELECT FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
		 CROSS JOIN LATERAL (SELECT FROM memory m WHERE m.scope_id = s.id AND m.hash = o.hash AND m.tenant_id = $1 AND m.valid_to IS NULL OFFSET 0) m)
	  FROM memory_overruled o WHERE o.message_id = ANY ($3::bigint[]) AND o.tenant_id = $1`

	toldForgotten = `SELECT DISTINCT message_id FROM memory_forgotten WHERE message_id = ANY ($2::bigint[]) AND tenant_id = $1`

	// toldGone gives what is not remembered of what messages $3 state.
	toldGone = `SELECT n.memory, n.of FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT memory, ARRAY(SELECT x FROM unnest(n.sources) AS x WHERE x = ANY ($3::bigint[])) AS of
	                       FROM memory_mention n WHERE n.scope_id = s.id AND n.gone IS NOT NULL AND n.tenant_id = $1 OFFSET 0) n
	 WHERE n.of <> '{}'`

	// toldAway gives what was taken away last, up to $3 of each kind, save what is remembered again,
	// and what was rewritten, with what stands in its place.
	toldAway = `SELECT a.memory, NULL FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
	 CROSS JOIN LATERAL (
		(SELECT n.memory, n.hash FROM memory_mention n WHERE n.scope_id = s.id AND n.gone IS NOT NULL AND n.tenant_id = $1 ORDER BY n.said_at DESC LIMIT $3)
		UNION
		SELECT h.previous_memory, h.hash FROM (SELECT * FROM memory_history h WHERE h.scope_id = s.id AND h.tenant_id = $1 ORDER BY h.id DESC LIMIT $3) h
		 WHERE h.event = 'DELETE' AND h.reason IN ('` + reasonDeleted + `', '` + reasonForgotten + `') AND h.previous_memory IS NOT NULL
	 ) a
	 WHERE NOT EXISTS (SELECT FROM memory m WHERE m.scope_id = s.id AND m.hash = a.hash AND m.tenant_id = $1 AND m.valid_to IS NULL OFFSET 0)
	UNION ALL
	SELECT e.previous_memory, e.memory FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT * FROM memory_history h WHERE h.scope_id = s.id AND h.tenant_id = $1 ORDER BY h.id DESC LIMIT $3) e
	 WHERE e.event = 'UPDATE' AND e.reason LIKE '` + reasonEdited + `%' AND e.previous_memory <> e.memory
	   AND NOT EXISTS (SELECT FROM memory_history l WHERE l.scope_id = s.id AND l.tenant_id = $1 AND l.id > e.id AND l.memory = e.previous_memory OFFSET 0)`
)
