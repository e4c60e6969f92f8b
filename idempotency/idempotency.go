package idempotency

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Header is the request header that a key comes in.
const Header = "Idempotency-Key"

// Key is what a write came with.
type Key struct {
	// Hash is of the method, the path and the Idempotency-Key; Body of the body.
	Hash, Body [32]byte
}

// NewKey makes the Key of a request. body is as it came, byte for byte.
func NewKey(method, path, key string, body []byte) Key {
	h := sha256.New()
	for _, s := range []string{method, path, key} {
		var length [8]byte // so that no two triples run together
		binary.BigEndian.PutUint64(length[:], uint64(len(s)))
		h.Write(length[:])
		h.Write([]byte(s))
	}
	return Key{[32]byte(h.Sum(nil)), sha256.Sum256(body)}
}

// Answer is what a write was answered with.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
}

// Store is the table of answers.
type Store struct {
	pool        *postgres.Pool
	wait, lease time.Duration
}

// atWorkWait is how long Begin waits for a first one at work.
const atWorkWait = 5 * time.Second

// New makes a Store on pool.
func New(pool *postgres.Pool) *Store { return &Store{pool, atWorkWait, claimLease} }

// claimLease is how long a claim holds that is not renewed: then its key is free for a
// new try, since the memd that did the write must be gone.
const claimLease = 20 * time.Second

// Claim is the right to do a write, once. It is renewed until Keep or Drop, one of which
// must be called.
type Claim struct {
	store  *Store
	tenant string
	key    Key
	until  time.Time // tells it from others; while it is renewed, renew's alone
	ending sync.Once
	// stop ends the renewing, stopped says that it has ended.
	stop, stopped chan struct{}
}

// hold begins to renew the claim.
func (c *Claim) hold() {
	c.stop, c.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(c.stopped)
		tick := time.NewTicker(c.store.lease / 5)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				c.renew()
			case <-c.stop:
				return
			}
		}
	}()
}

// renew begins the lease anew. If it fails, the next one may not.
func (c *Claim) renew() {
	ctx, cancel := context.WithTimeout(context.Background(), c.store.lease/5)
	defer cancel()
	b := postgres.TenantBatch(c.tenant)
	b.Queue(renew, c.tenant, c.key.Hash[:], c.until, c.store.lease).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := rows.Scan(&c.until); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	_ = c.store.pool.SendBatch(ctx, b).Close()
}

// end stops renewing. What has ended may be ended again.
func (c *Claim) end() {
	c.ending.Do(func() { close(c.stop) })
	<-c.stopped
}

// Begin gives the answer that the write had before, or the claim to do it now: one of
// the two, or an error. While another does it Begin waits, up to 5 s, then it is
// Conflict with RetryAfter. Another body under the same key is Invalid. Conflict without
// RetryAfter: it was about somebody who was erased since.
func (s *Store) Begin(ctx context.Context, tenant string, k Key) (*Answer, *Claim, error) {
	giveUp := time.Now().Add(s.wait)
	pause := 10 * time.Millisecond
	for {
		a, c, err := s.try(ctx, tenant, k)
		if a != nil || c != nil || err != nil {
			return a, c, err
		}
		if time.Now().After(giveUp) {
			return nil, nil, AtWork()
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, nil, AtWork()
		}
		pause = min(pause*2, 250*time.Millisecond)
	}
}

// try claims the key or reads its answer; neither means that another is at work.
func (s *Store) try(ctx context.Context, tenant string, k Key) (*Answer, *Claim, error) {
	b := postgres.TenantBatch(tenant)
	b.Queue(claim, tenant, k.Hash[:], k.Body[:], s.lease)
	b.Queue(readAnswer, tenant, k.Hash[:])
	r := s.pool.SendBatch(ctx, b)
	defer func() { _ = r.Close() }()
	if err := postgres.ReadTenant(r); err != nil {
		return nil, nil, postgres.Err("idempotency.begin", err)
	}
	c := &Claim{store: s, tenant: tenant, key: k}
	err := r.QueryRow().Scan(&c.until)
	mine := err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, nil, postgres.Err("idempotency.begin", err)
	}
	var body []byte
	var status *int
	var contentType *string
	var a Answer
	err = r.QueryRow().Scan(&body, &status, &contentType, &a.Body)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // just given up by another
		err = nil
	case err != nil:
		return nil, nil, postgres.Err("idempotency.begin", err)
	}
	if err := r.Close(); err != nil {
		return nil, nil, postgres.Err("idempotency.begin", err)
	}
	switch {
	case mine:
		c.hold()
		return nil, c, nil
	case status != nil && *status == statusErased:
		return nil, nil, wasErased()
	case body != nil && !bytes.Equal(body, k.Body[:]):
		return nil, nil, otherBody()
	case status != nil:
		a.Status = *status
		if contentType != nil {
			a.ContentType = *contentType
		}
		return &a, nil, nil
	}
	return nil, nil, nil
}

// Keep stores the answer, for a day, if its status is 2xx; else it is as Drop, and so it is
// where one of those whom it is about was erased in the meantime; it goes when one of them is.
// Conflict means that the write took so long that another took it over.
func (c *Claim) Keep(ctx context.Context, a Answer, about ...string) error {
	if a.Status < 200 || a.Status > 299 {
		c.Drop(ctx)
		return nil
	}
	c.end()
	var n int64
	var err error
	if len(about) > 0 {
		n, err = c.keepAbout(ctx, a, about)
	} else {
		n, err = c.exec(ctx, keep, c.tenant, c.key.Hash[:], c.until, a.Status, a.ContentType, a.Body)
	}
	if err == nil && n == 0 {
		err = &memd.Error{Kind: memd.Conflict, Op: "idempotency.keep", Msg: "the claim was lost"}
	}
	return err
}

// Drop gives the claim up: the write had no effect and may be tried again. If that
// fails, the claim ends by itself, not being renewed.
func (c *Claim) Drop(ctx context.Context) {
	c.end()
	_, _ = c.exec(context.WithoutCancel(ctx), drop, c.tenant, c.key.Hash[:], c.until)
}

// exec runs one statement as the tenant and says how many rows it touched.
func (c *Claim) exec(ctx context.Context, sql string, args ...any) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, atWorkWait)
	defer cancel()
	b := postgres.TenantBatch(c.tenant)
	b.Queue(sql, args...)
	r := c.store.pool.SendBatch(ctx, b)
	defer func() { _ = r.Close() }()
	if err := postgres.ReadTenant(r); err != nil {
		return 0, postgres.Err("idempotency.claim", err)
	}
	tag, err := r.Exec()
	if err == nil {
		err = r.Close()
	}
	return tag.RowsAffected(), postgres.Err("idempotency.claim", err)
}

// Appended is what a write to the log left of its answer.
type Appended struct {
	// MessageIDs are the messages in the order given, Duplicates says which of them
	// stood there before.
	MessageIDs []int64
	Duplicates []bool
	// States is what was said of their ingest, nil if none was a duplicate: then it
	// follows from the messages.
	States []string
}

// Appended gives what a write to the log with this key left, found false if there is
// nothing (any more). Another body is Invalid; a key in use otherwise Conflict.
func (s *Store) Appended(ctx context.Context, tenant string, k Key) (a Appended, found bool, err error) {
	b := postgres.TenantBatch(tenant)
	b.Queue(dropExpired, tenant, k.Hash[:])
	b.Queue(readAppended, tenant, k.Hash[:])
	r := s.pool.SendBatch(ctx, b)
	defer func() { _ = r.Close() }()
	if err := postgres.ReadTenant(r); err != nil {
		return a, false, postgres.Err("idempotency.appended", err)
	}
	if _, err := r.Exec(); err != nil {
		return a, false, postgres.Err("idempotency.appended", err)
	}
	var body []byte
	var status int
	err = r.QueryRow().Scan(&body, &status, &a.MessageIDs, &a.Duplicates, &a.States)
	if err == nil {
		err = r.Close()
	}
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return a, false, postgres.Err("idempotency.appended", r.Close())
	case err != nil:
		return a, false, postgres.Err("idempotency.appended", err)
	case status == statusErased:
		return a, false, wasErased()
	case !bytes.Equal(body, k.Body[:]):
		return a, false, otherBody()
	case len(a.MessageIDs) == 0 || len(a.Duplicates) != len(a.MessageIDs):
		return a, false, AtWork()
	}
	return a, true, nil
}

// AtWork is the error of a write whose key is another's that has not ended.
func AtWork() *memd.Error {
	return &memd.Error{Kind: memd.Conflict, Op: "idempotency", Field: Header,
		Msg: "is in use by a request that has not ended", RetryAfter: time.Second}
}

// wasErased is the error of a write that was done, and about somebody who was erased since.
func wasErased() *memd.Error {
	return &memd.Error{Kind: memd.Conflict, Op: "idempotency", Field: Header,
		Msg: "was used by a request about somebody who was erased since: what it brought is gone, and is not brought back"}
}

func otherBody() *memd.Error { return memd.InvalidField(Header, "was used with another body") }
