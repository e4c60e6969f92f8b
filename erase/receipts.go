package erase

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/postgres"
)

// Receipts gives the receipts of a person, or with "" those of all of a tenant, newest first, at
// most limit, and those before the one called before, if it is not "". next is where to go on, ""
// at the end. They are there for good, and of somebody who is not known any more.
func (e *Erase) Receipts(ctx context.Context, tenant, userID string, limit int, before string) (all []Receipt, next string, err error) {
	var upto *uuid.UUID
	if before != "" {
		id, err := uuid.Parse(before)
		if err != nil {
			return nil, "", memd.InvalidField("cursor", "is none of this list")
		}
		upto = &id
	}
	query, args := receiptsOfAll, []any{tenant, upto, limit + 1}
	if userID != "" {
		query, args = receiptsOfPerson, append(args, idempotency.UserKey(tenant, userID))
	}
	err = e.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (r Receipt, err error) {
			var id uuid.UUID
			var counts *Counts
			if err = row.Scan(&id, &r.ErasedAt, &counts); err != nil {
				return r, err
			}
			r.ID, r.ErasedAt, r.Uncounted = id.String(), r.ErasedAt.UTC(), counts == nil
			if counts != nil {
				r.Counts = *counts
			}
			return r, nil
		})
		return err
	})
	if err != nil {
		return nil, "", postgres.Err("erase.receipts", err)
	}
	if len(all) > limit {
		all = all[:limit]
		next = all[limit-1].ID
	}
	return all, next, nil
}

const (
	// keepReceipt: what noted the erasure has made it, without the counts.
	keepReceipt = `INSERT INTO erasure_receipt (tenant_id, id, user_key, erased_at, counts) VALUES ($1, $2, $3, clock_timestamp(), $4)
		ON CONFLICT (id) DO UPDATE SET erased_at = excluded.erased_at, counts = excluded.counts
		RETURNING erased_at`

	receiptsOfAll = `SELECT id, erased_at, counts FROM erasure_receipt
		 WHERE tenant_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`

	receiptsOfPerson = `SELECT id, erased_at, counts FROM erasure_receipt
		 WHERE tenant_id = $1 AND user_key = $4 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`
)
