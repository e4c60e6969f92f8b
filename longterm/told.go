package longterm

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

// Told gives those of a user's messages from which something was learned, ascending: also
// what has ended since, or was edited, taken away or to be forgotten.
func (s *Store) Told(ctx context.Context, tenant, userID string, messages []int64) (told []int64, err error) {
	b := postgres.TenantBatch(tenant)
	b.Queue(toldMessages, tenant, userID, messages).Query(func(rows pgx.Rows) error {
		told, err = pgx.CollectRows(rows, pgx.RowTo[int64])
		return err
	})
	return told, postgres.Err("longterm.told", s.pool.SendBatch(ctx, b).Close())
}

const toldMessages = `SELECT message_id FROM memory_source WHERE message_id = ANY ($3::bigint[]) AND tenant_id = $1
	UNION SELECT message_id FROM memory_overruled WHERE message_id = ANY ($3::bigint[]) AND tenant_id = $1
	UNION SELECT message_id FROM memory_forgotten WHERE message_id = ANY ($3::bigint[]) AND tenant_id = $1
	UNION SELECT m.message_id FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT message_id FROM memory_mention m WHERE m.scope_id = s.id AND m.gone IS NOT NULL AND m.tenant_id = $1 OFFSET 0) m
	       WHERE m.message_id = ANY ($3::bigint[])
	ORDER BY 1`
