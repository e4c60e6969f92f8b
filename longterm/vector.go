package longterm

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
	"github.com/pgvector/pgvector-go"
)

// MissingVectors takes up to n memories of any tenant that wait for their vector, those
// that wait longest first. Each is given again later, at growing intervals, until
// PutVectors has stored its vector.
func (s *Store) MissingVectors(ctx context.Context, n int) ([]Missing, error) {
	const op = "longterm.missing_vectors"
	rows, err := s.pool.Query(ctx, embeddingDue, n)
	if err != nil {
		return nil, postgres.Err(op, err)
	}
	due := map[string][]memoryID{}
	var tenants []string
	var tenant string
	var id memoryID
	if _, err := pgx.ForEachRow(rows, []any{&tenant, &id}, func() error {
		if due[tenant] == nil {
			tenants = append(tenants, tenant)
		}
		due[tenant] = append(due[tenant], id)
		return nil
	}); err != nil {
		return nil, postgres.Err(op, err)
	}
	var all []Missing
	for _, tenant := range tenants {
		err := s.read(ctx, op, tenant, func(b *pgx.Batch) {
			b.Queue(unembeddedSelect, tenant, due[tenant]).Query(func(rows pgx.Rows) error {
				var actor string
				m := Missing{Tenant: tenant}
				_, err := pgx.ForEachRow(rows, []any{&id, &m.ScopeID, &actor, &m.text}, func() error {
					m.ID, m.EmbedText = uuid.UUID(id).String(), EmbedText(actor, m.text)
					all = append(all, m)
					return nil
				})
				return err
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// PutVectors stores the vectors, made with model, of what MissingVectors gave, all of one
// tenant. What was deleted or changed meanwhile is left out; a changed one goes on
// waiting.
func (s *Store) PutVectors(ctx context.Context, tenant, model string, missing []Missing, vectors [][]float32) error {
	if len(missing) != len(vectors) {
		return &memd.Error{Kind: memd.Internal, Op: "longterm.put_vectors", Msg: "not one vector for each memory"}
	}
	if len(missing) == 0 {
		return nil
	}
	ids, texts, halves := make([]memoryID, len(missing)), make([]string, len(missing)), make([]pgvector.HalfVector, len(missing))
	for i, m := range missing {
		id, err := parseID(m.ID)
		if err != nil {
			return err
		}
		ids[i], texts[i], halves[i] = id, m.text, pgvector.NewHalfVector(vectors[i])
	}
	return s.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		if err := lockMemories(ctx, tx, tenant, ids); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, vectorInsert, tenant, model, ids, texts, halves)
		return postgres.Err("longterm.put_vectors", err)
	})
}

// Calibration gives what is stored of a model's calibration, nil if nothing is.
func (s *Store) Calibration(ctx context.Context, tenant, model string) (json.RawMessage, error) {
	var stored json.RawMessage
	err := s.read(ctx, "longterm.calibration", tenant, func(b *pgx.Batch) {
		b.Queue(calibrationSelect, tenant, model).Query(scanCalibration(&stored))
	})
	return stored, err
}

// PutCalibration stores a model's calibration, unless one is stored: that stays, so that
// scores go on meaning the same. It gives the one that is stored then.
func (s *Store) PutCalibration(ctx context.Context, tenant, model string, dimensions int, calibration json.RawMessage) (json.RawMessage, error) {
	var stored json.RawMessage
	err := s.read(ctx, "longterm.put_calibration", tenant, func(b *pgx.Batch) {
		b.Queue(calibrationInsert, tenant, model, dimensions, calibration)
		b.Queue(calibrationSelect, tenant, model).Query(scanCalibration(&stored))
	})
	return stored, err
}

func scanCalibration(into *json.RawMessage) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		for rows.Next() {
			if err := rows.Scan(into); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

// StoredModel is a model that vectors of a tenant were made with.
type StoredModel struct {
	Name       string
	Dimensions int
}

// StoredModels gives the models of the tenant's latest vectors; none if it has none.
func (s *Store) StoredModels(ctx context.Context, tenant string) (models []StoredModel, err error) {
	err = s.read(ctx, "longterm.stored_models", tenant, func(b *pgx.Batch) {
		b.Queue(storedModels, tenant).Query(func(rows pgx.Rows) error {
			models, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StoredModel])
			return err
		})
	})
	return models, err
}
