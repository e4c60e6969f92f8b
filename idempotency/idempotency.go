package idempotency

import (
	"context"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Key is what a write came with.
type Key struct {
	// Hash is of the method, the path and the Idempotency-Key; Body of the body.
	Hash, Body [32]byte
}

// NewKey makes the Key of a request. body is as it came, byte for byte.
func NewKey(method, path, key string, body []byte) Key { return Key{} }

// Answer is what a write was answered with.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}

// Store is the table of answers.
type Store struct{ pool *postgres.Pool }

// New makes a Store on pool.
func New(pool *postgres.Pool) *Store { return &Store{pool} }

// Claim is the right to do a write, once.
type Claim struct{}

// Begin gives the answer that the write had before, or the claim to do it now: one of
// the two, or an error. While another does it Begin waits, up to a few seconds, then
// it is Conflict with RetryAfter. Another body under the same key is Invalid.
func (s *Store) Begin(ctx context.Context, tenant string, k Key) (*Answer, *Claim, error) {
	return nil, nil, &memd.Error{Kind: memd.Internal}
}

// Keep stores the answer, for a day.
func (c *Claim) Keep(ctx context.Context, a Answer) error { return &memd.Error{Kind: memd.Internal} }

// Drop gives the claim up: the write had no effect and may be tried again.
func (c *Claim) Drop(ctx context.Context) {}
