package shortterm

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// A message with a caller's id that is deleted by request leaves a mark, by a hash of that id, so
// that an import which has it still passes it over. Whoever posts the same id as live traffic
// says it anew.

// passedOver are those messages of appends that were deleted, by their places in these.
type passedOver map[[2]int]AppendedMessage

// withoutRemoved gives of as what is to be written, and from which of as it is: messages that
// are backfill and were deleted are left out, and so is what has no others.
func withoutRemoved(ctx context.Context, tx pgx.Tx, tenant string, as []Append) (kept []Append, of []int, over passedOver, err error) {
	var users, sessions, clients []string
	var places [][2]int
	for i, a := range as {
		of = append(of, i)
		if !a.Backfill {
			continue
		}
		for j, m := range a.Messages {
			if m.ClientID != "" {
				users, sessions, clients, places = append(users, a.UserID), append(sessions, a.SessionID), append(clients, m.ClientID), append(places, [2]int{i, j})
			}
		}
	}
	if len(places) == 0 {
		return as, of, nil, nil
	}
	rows, err := tx.Query(ctx, removedAmong, tenant, users, sessions, clients)
	if err != nil {
		return nil, nil, nil, err
	}
	var place int
	var was AppendedMessage
	_, err = pgx.ForEachRow(rows, []any{&place, &was.ID, &was.CreatedAt}, func() error {
		at := places[place]
		m := as[at[0]].Messages[at[1]]
		gone := AppendedMessage{ID: was.ID, ClientID: m.ClientID, Role: m.Role, CreatedAt: was.CreatedAt, State: StateSkipped, Duplicate: true, Removed: true}
		if !m.CreatedAt.IsZero() {
			gone.CreatedAt = m.CreatedAt
		}
		if over == nil {
			over = passedOver{}
		}
		over[at] = gone
		return nil
	})
	if err != nil || over == nil {
		return as, of, nil, err
	}
	of = of[:0]
	for i, a := range as {
		messages := a.Messages[:0:0]
		for j, m := range a.Messages {
			if _, gone := over[[2]int{i, j}]; !gone {
				messages = append(messages, m)
			}
		}
		if len(messages) > 0 {
			a.Messages = messages
			kept, of = append(kept, a), append(of, i)
		}
	}
	return kept, of, over, nil
}

// answer puts what was passed over among the answers to what was written, from which of as each is.
func (p passedOver) answer(as []Append, of []int, written []Appended) []Appended {
	if p == nil {
		return written
	}
	all := make([]Appended, len(as))
	for n, i := range of {
		all[i] = written[n]
	}
	for i, a := range as {
		if all[i].SessionID == "" {
			all[i].SessionID = a.SessionID
		}
		rest := all[i].Messages
		all[i].Messages = make([]AppendedMessage, len(a.Messages))
		for j := range a.Messages {
			if gone, ok := p[[2]int{i, j}]; ok {
				all[i].Messages[j] = gone
			} else {
				all[i].Messages[j], rest = rest[0], rest[1:]
			}
		}
	}
	return all
}

const (
	// markRemoved comes before the messages go.
	markRemoved = `INSERT INTO message_removed (tenant_id, user_id, origin, message_id)
		SELECT c.tenant_id, c.user_id, sha256(convert_to(json_build_array(c.session_id, c.client_id)::text, 'UTF8')), c.id
		  FROM (SELECT * FROM conversation_context WHERE tenant_id = $1 AND id = ANY ($2::bigint[]) OFFSET 0) c
		 CROSS JOIN LATERAL (SELECT incognito FROM conversation_session WHERE tenant_id = $1 AND no = c.session_no OFFSET 0) s
		 WHERE c.client_id IS NOT NULL AND c.user_id <> '' AND NOT s.incognito
		ON CONFLICT DO NOTHING`

	removedAmong = `SELECT (g.place - 1)::int, r.message_id, r.removed_at
		  FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS g (user_id, session_id, client_id, place)
		 CROSS JOIN LATERAL (SELECT message_id, removed_at FROM message_removed r WHERE r.tenant_id = $1 AND r.user_id = g.user_id
		        AND r.origin = sha256(convert_to(json_build_array(g.session_id, g.client_id)::text, 'UTF8')) OFFSET 0) r`
)
