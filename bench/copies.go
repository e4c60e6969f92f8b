package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/lexical"
	"github.com/memdhq/memd/longterm"
	"github.com/pgvector/pgvector-go"
	pgxvector "github.com/pgvector/pgvector-go/pgx"
)

// copies puts memories of scopes that are there into the tables themselves, where the way
// that memories go would take minutes.
type copies struct{ *place }

func beginCopies(ctx context.Context, p *place) (*copies, error) {
	if err := pgxvector.RegisterTypes(ctx, p.owner); err != nil {
		return nil, err
	}
	// Nothing can be copied into a table whose rows are guarded even from its owner.
	return &copies{p}, guard(ctx, p.owner, "NO FORCE")
}

// end has what was copied be as good as what was added.
func (c *copies) end(ctx context.Context, scopes []int64) error {
	if err := guard(ctx, c.owner, "FORCE"); err != nil {
		return err
	}
	if err := sum(ctx, c.place, scopes); err != nil {
		return err
	}
	return c.settle(ctx)
}

func guard(ctx context.Context, owner *pgx.Conn, how string) error {
	for _, table := range []string{"memory", "memory_embedding", "memory_posting"} {
		if _, err := owner.Exec(ctx, `ALTER TABLE `+table+` `+how+` ROW LEVEL SECURITY`); err != nil {
			return err
		}
	}
	return nil
}

// add copies memories into the tables, each into its scope.
func (c *copies) add(ctx context.Context, all []longterm.Verbatim, scopes []int64) error {
	type posting struct {
		scope      int64
		term       int32
		memory     uuid.UUID
		tf, length int16
	}
	var memories, embeddings, postingRows [][]any
	var postings []posting
	now := time.Now()
	for i, m := range all {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		text := lexical.Normalise(m.Text)
		hash := sha256.Sum256([]byte(text))
		memories = append(memories, []any{id, memd.DefaultTenant, scopes[i], m.Scope.UserID, m.Role, m.Text, hex.EncodeToString(hash[:]), true, now})
		embeddings = append(embeddings, []any{id, memd.DefaultTenant, scopes[i], m.Model, pgvector.NewHalfVector(m.Vector)})
		terms, length := lexical.Terms(text)
		for _, t := range terms {
			postings = append(postings, posting{scopes[i], t.Hash, id, int16(t.Count), int16(length)})
		}
	}
	slices.SortFunc(postings, func(a, b posting) int { // as the index has them
		return cmp.Or(cmp.Compare(a.scope, b.scope), cmp.Compare(a.term, b.term))
	})
	for _, p := range postings {
		postingRows = append(postingRows, []any{p.scope, p.term, p.memory, p.tf, p.length, memd.DefaultTenant})
	}
	return pgx.BeginFunc(ctx, c.owner, func(tx pgx.Tx) error {
		for _, t := range []struct {
			table   string
			columns []string
			rows    [][]any
		}{
			{"memory", []string{"id", "tenant_id", "scope_id", "user_id", "role", "memory", "hash", "verbatim", "valid_from"}, memories},
			{"memory_embedding", []string{"memory_id", "tenant_id", "scope_id", "model", "embedding"}, embeddings},
			{"memory_posting", []string{"scope_id", "term", "memory_id", "tf", "length", "tenant_id"}, postingRows},
		} {
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.table}, t.columns, pgx.CopyFromRows(t.rows)); err != nil {
				return fmt.Errorf("%s: %w", t.table, err)
			}
		}
		return nil
	})
}

// sum brings the sizes that are kept of scopes up to what was copied.
func sum(ctx context.Context, p *place, scopes []int64) error {
	return p.pool.InTenant(ctx, memd.DefaultTenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			UPDATE memory_scope s SET memories = d.memories, memory_terms = d.terms
			  FROM (SELECT scope_id, count(*) AS memories, sum(length) AS terms
			          FROM (SELECT DISTINCT scope_id, memory_id, length FROM memory_posting WHERE scope_id = ANY ($1)) m GROUP BY scope_id) d
			 WHERE s.id = d.scope_id`, scopes)
		return err
	})
}
