package longterm

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

var todo = &memd.Error{Kind: memd.Internal, Msg: "not there yet"}

func (s *Store) Consolidate(ctx context.Context, tx pgx.Tx, tenant string, l Learned) error {
	return todo
}
func (s *Store) MemoriesOf(ctx context.Context, tenant string, messageIDs []int64) (map[int64][]string, error) {
	return nil, todo
}
func (s *Store) EventsOf(ctx context.Context, tenant string, messageIDs []int64) ([]Event, error) {
	return nil, todo
}
func (s *Store) AddVerbatim(ctx context.Context, tenant string, vs []Verbatim) ([]Event, error) {
	return nil, todo
}
func (s *Store) Search(ctx context.Context, tenant string, q Query) ([]Hit, error) { return nil, todo }
func (s *Store) List(ctx context.Context, tenant string, l ListQuery) (ms []memd.Memory, total int, next string, err error) {
	return nil, 0, "", todo
}
func (s *Store) Get(ctx context.Context, tenant, id string, check memd.Scope) (memd.Memory, error) {
	return memd.Memory{}, todo
}
func (s *Store) Delete(ctx context.Context, tenant, id string, check memd.Scope, by string) error {
	return todo
}
func (s *Store) DeleteScope(ctx context.Context, tenant string, scope memd.Scope, by string) (int, error) {
	return 0, todo
}
func (s *Store) History(ctx context.Context, tenant, id string, check memd.Scope) ([]HistoryEntry, error) {
	return nil, todo
}

// MissingVectors takes up to n memories of any tenant whose time to be embedded has come.
func (s *Store) MissingVectors(ctx context.Context, n int) ([]Missing, error) { return nil, todo }

// PutVectors stores the vectors of what MissingVectors gave; all of one tenant.
func (s *Store) PutVectors(ctx context.Context, tenant, model string, missing []Missing, vectors [][]float32) error {
	return todo
}

// Calibration gives what is stored of a model; nil if nothing is.
func (s *Store) Calibration(ctx context.Context, tenant, model string) (json.RawMessage, error) {
	return nil, todo
}

// PutCalibration stores what is known of a model, unless something is; it gives what is stored.
func (s *Store) PutCalibration(ctx context.Context, tenant, model string, dimensions int, calibration json.RawMessage) (json.RawMessage, error) {
	return nil, todo
}
