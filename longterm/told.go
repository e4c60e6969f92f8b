package longterm

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

// Told is what became of what was learned from a message.
type Told struct {
	Message int64
	// Taken says that a person took something of it away, rewrote it or had it forgotten: what
	// the message says is not to be shown any more. Left is what of it is remembered, Ended
	// what was and is so no more.
	Taken bool
	Left  []Statement
	Ended []string
}

// Statement is what a memory says, and whose that is.
type Statement struct{ Role, Text string }

// Told gives those of a user's messages from which something was learned, ascending: also
// what has ended since, or was edited, taken away or to be forgotten.
func (s *Store) Told(ctx context.Context, tenant, userID string, messages []int64) (told []Told, err error) {
	b := postgres.TenantBatch(tenant)
	b.Queue(toldMessages, tenant, userID, messages).Query(func(rows pgx.Rows) error {
		told, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Told, err error) {
			var roles, texts []string
			err = row.Scan(&t.Message, &t.Taken, &roles, &texts, &t.Ended)
			for i, role := range roles {
				t.Left = append(t.Left, Statement{role, texts[i]})
			}
			return t, err
		})
		return err
	})
	return told, postgres.Err("longterm.told", s.pool.SendBatch(ctx, b).Close())
}

const toldMessages = `WITH told AS (
	SELECT message_id, bool_or(taken) AS taken FROM (
		SELECT message_id, false AS taken FROM memory_source WHERE message_id = ANY ($3::bigint[]) AND tenant_id = $1
		UNION ALL SELECT message_id, true FROM memory_overruled WHERE message_id = ANY ($3::bigint[]) AND tenant_id = $1
		UNION ALL SELECT message_id, true FROM memory_forgotten WHERE message_id = ANY ($3::bigint[]) AND tenant_id = $1
		UNION ALL SELECT x.id, true FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
		 CROSS JOIN LATERAL (SELECT sources FROM memory_mention m WHERE m.scope_id = s.id AND m.gone IS NOT NULL AND m.tenant_id = $1 OFFSET 0) m
		 CROSS JOIN LATERAL unnest(m.sources) AS x (id)
		       WHERE x.id = ANY ($3::bigint[])
	) t GROUP BY message_id
)
SELECT told.message_id, told.taken, l.roles, l.texts, l.ended FROM told
 CROSS JOIN LATERAL (
	SELECT array_agg(m.role ORDER BY m.valid_from, m.id) FILTER (WHERE m.lives) AS roles, array_agg(m.memory ORDER BY m.valid_from, m.id) FILTER (WHERE m.lives) AS texts,
	       array_agg(m.memory ORDER BY m.valid_from, m.id) FILTER (WHERE NOT m.lives) AS ended
	  FROM (SELECT memory_id FROM memory_source x WHERE x.message_id = told.message_id AND x.tenant_id = $1 OFFSET 0) x
	 CROSS JOIN LATERAL (SELECT *, m.valid_to IS NULL AND (m.expires_at IS NULL OR m.expires_at > now()) AS lives
	                       FROM memory m WHERE m.id = x.memory_id AND m.tenant_id = $1 OFFSET 0) m) l
 ORDER BY 1`
