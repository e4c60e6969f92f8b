package longterm

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// Ref names a memory. The user and agent of Check, where set, must be the memory's.
type Ref struct {
	ID    string
	Check memd.Scope
}

// Absent is the error of a call about several memories of which some are not there. It
// is NotFound.
type Absent struct {
	// Items are the positions of those in the call, ascending.
	Items []int
}

// Error says no more than that something is not there.
func (a *Absent) Error() string { return notFound.Error() }

// Unwrap makes it an error of kind NotFound.
func (a *Absent) Unwrap() error { return notFound }

// Find gives memories as Get does, nil where Get gives NotFound.
func (s *Store) Find(ctx context.Context, tenant string, refs []Ref) ([]*memd.Memory, error) {
	return make([]*memd.Memory, len(refs)), nil
}

// DeleteEach removes memories, all or none.
func (s *Store) DeleteEach(ctx context.Context, tenant string, refs []Ref, by string) error {
	return notFound
}

// Forgetting says what is to be forgotten.
type Forgetting struct {
	// Scope holds the ids that a memory must carry; one must be there, or in the
	// filters, unless AllScopes.
	Scope     memd.Scope
	Filters   Filter
	AllScopes bool
	// DryRun counts and changes nothing.
	DryRun bool
}

// Forget removes memories within tx and says how many went, or would go.
func (s *Store) Forget(ctx context.Context, tx pgx.Tx, tenant string, f Forgetting, by string) (int, error) {
	return 0, nil
}

// Withdraw takes messages away as sources and says how many memories went with them.
func (s *Store) Withdraw(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, by, reason string) (gone int, err error) {
	return 0, nil
}

// CountByUser gives how many live memories each of the users has.
func (s *Store) CountByUser(ctx context.Context, tenant string, users []string) (map[string]int, error) {
	return nil, nil
}
