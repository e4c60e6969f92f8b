package longterm

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

const reasonExpired = "expired"

// bySweeper is who removes what has expired.
const bySweeper = "memd"

// Sweep removes up to n memories of any tenant that have expired, longest ago first, and
// says how many. Nothing finds them from the moment at which they expire; the messages
// that state one do not bring it about again. A tenant's failure keeps no other from being
// swept; the first is returned.
func (s *Store) Sweep(ctx context.Context, n int) (int, error) {
	rows, err := s.pool.Query(ctx, expiredDue, n)
	if err != nil {
		return 0, postgres.Err("longterm.sweep", err)
	}
	due := map[string][]memoryID{}
	var tenant string
	var id memoryID
	if _, err := pgx.ForEachRow(rows, []any{&tenant, &id}, func() error {
		due[tenant] = append(due[tenant], id)
		return nil
	}); err != nil {
		return 0, postgres.Err("longterm.sweep", err)
	}
	swept := 0
	var failed error
	for tenant, ids := range due {
		gone := 0
		err := s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) (err error) {
			if err = lockMemories(ctx, tx, tenant, ids); err != nil {
				return err
			}
			// Under the locks: a person may have given one more time.
			rows, err := tx.Query(ctx, expiredSelect, tenant, ids)
			if err != nil {
				return err
			}
			expired, err := pgx.CollectRows(rows, pgx.RowTo[memoryID])
			if err != nil {
				return err
			}
			gone, err = (&loss{tenant: tenant, by: bySweeper, reason: reasonExpired, overrule: overruleWording}).take(ctx, tx, expired)
			return err
		})
		if err != nil {
			failed = cmp.Or(failed, postgres.Err("longterm.sweep", err))
			continue
		}
		swept += gone
	}
	return swept, failed
}
