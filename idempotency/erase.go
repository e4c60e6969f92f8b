package idempotency

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/memdhq/memd/postgres"
)

// ErasePerson drops the answers that are about a person, of whom messages and memories are
// all that there is or was until now, save that their keys were used, within tx, which must be the tenant's and holds the
// person as shortterm.Log.HoldPerson does. It says how many. An answer that is about others too goes
// as well, save that of a write to the log, which holds nothing but ids. What was done before
// and is answered only after tx is not kept.
func (s *Store) ErasePerson(ctx context.Context, tx pgx.Tx, tenant, userID string, messages []int64, memories []uuid.UUID, receipt uuid.UUID) (int, error) {
	n := 0
	count := func(tag pgconn.CommandTag) error {
		n += int(tag.RowsAffected())
		return nil
	}
	quoted, err := json.Marshal(userID)
	if err != nil {
		return 0, postgres.Err("idempotency.erase_person", err)
	}
	byID, err := answersByID(ctx, tx, tenant, messages, memories)
	if err != nil {
		return 0, postgres.Err("idempotency.erase_person", err)
	}
	b := &pgx.Batch{}
	if len(byID) > 0 {
		b.Queue(eraseKeys, tenant, byID).Exec(count)
	}
	b.Queue(noteErasure, tenant, UserKey(tenant, userID), receipt)
	b.Queue(eraseAnswers, tenant, userID, quoted).Exec(count)
	if len(messages) > 0 {
		b.Queue(eraseAppended, tenant, userID, messages).Exec(count)
	}
	err = tx.SendBatch(ctx, b).Close()
	return n, postgres.Err("idempotency.erase_person", err)
}

// answersByID gives the keys of answers that name nobody, and one of the messages or memories
// by its id.
func answersByID(ctx context.Context, tx pgx.Tx, tenant string, messages []int64, memories []uuid.UUID) (keys [][]byte, err error) {
	if len(messages)+len(memories) == 0 {
		return nil, nil
	}
	theirs := make(map[string]bool, len(messages)+len(memories))
	for _, id := range messages {
		theirs[strconv.FormatInt(id, 10)] = true
	}
	for _, id := range memories {
		theirs[id.String()] = true
	}
	rows, err := tx.Query(ctx, nameless, tenant)
	if err != nil {
		return nil, err
	}
	var key, answer []byte
	_, err = pgx.ForEachRow(rows, []any{&key, &answer}, func() error {
		var of struct {
			ID    any `json:"id"`
			Items []struct {
				ID any `json:"id"`
			} `json:"items"`
		}
		d := json.NewDecoder(bytes.NewReader(answer))
		d.UseNumber()
		if d.Decode(&of) != nil {
			return nil // of another form: it has no such ids
		}
		mine := theirs[fmt.Sprint(of.ID)]
		for _, i := range of.Items {
			mine = mine || theirs[fmt.Sprint(i.ID)]
		}
		if mine {
			keys = append(keys, bytes.Clone(key))
		}
		return nil
	})
	return keys, err
}

// UserKey stands for a person where their name must not.
func UserKey(tenant, userID string) []byte {
	h := sha256.New()
	for _, s := range []string{tenant, userID} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(s)))
		h.Write(length[:])
		h.Write([]byte(s))
	}
	return h.Sum(nil)
}

// keepAbout is Keep for an answer about people: it is kept unless one of them was erased
// since the claim was made. Then the claim is given up.
func (c *Claim) keepAbout(ctx context.Context, a Answer, users []string) (kept int64, err error) {
	users = slices.Clone(users)
	slices.Sort(users)
	users = slices.Compact(users)
	keys := make([][]byte, len(users))
	for i, u := range users {
		keys[i] = UserKey(c.tenant, u)
	}
	ctx, cancel := context.WithTimeout(ctx, atWorkWait)
	defer cancel()
	b := postgres.TenantBatch(c.tenant)
	b.Queue(sharePeople, c.tenant, users)
	b.Queue(keepUnlessErased, c.tenant, c.key.Hash[:], c.until, a.Status, a.ContentType, a.Body, users, keys).Exec(func(tag pgconn.CommandTag) error {
		kept = tag.RowsAffected()
		return nil
	})
	b.Queue(drop, c.tenant, c.key.Hash[:], c.until) // if it was not kept
	err = c.store.pool.SendBatch(ctx, b).Close()
	return kept, postgres.Err("idempotency.keep", err)
}

// statusErased is that of a row of which nothing is left but that its key was used: a write
// that is sent again must not bring back whom it was about.
const statusErased = http.StatusGone

const (
	// erased has statusErased.
	erased = `body = '', message_ids = NULL, duplicates = NULL, states = NULL, status = 410, content_type = NULL, answer = NULL, users = NULL`

	// noteErasure: the clock's time, since what it stands against was written before the
	// locks were had, and may have begun after the transaction did.
	noteErasure = `INSERT INTO erasure (tenant_id, user_key, receipt_id, erased_at) VALUES ($1, $2, $3, clock_timestamp())
		ON CONFLICT (tenant_id, user_key) DO UPDATE SET receipt_id = excluded.receipt_id, erased_at = excluded.erased_at`

	// eraseAnswers: of answers that were kept before it was known whom they are about, those
	// that name the person go.
	eraseAnswers = `UPDATE idempotency SET ` + erased + ` WHERE tenant_id = $1
		   AND ($2 = ANY (users) OR users IS NULL AND answer IS NOT NULL AND position($3::bytea IN answer) > 0)`

	nameless = `SELECT key, answer FROM idempotency WHERE tenant_id = $1 AND users = '{}' AND answer IS NOT NULL`

	eraseKeys = `UPDATE idempotency SET ` + erased + ` WHERE tenant_id = $1 AND key = ANY ($2::bytea[])`

	// eraseAppended leaves what others' messages were written with in the same call.
	eraseAppended = `UPDATE idempotency i SET ` + erased + `
		  FROM (SELECT DISTINCT o.key FROM idempotency o CROSS JOIN LATERAL unnest(o.message_ids) AS m (id)
		          JOIN unnest($3::bigint[]) AS k (id) ON k.id = m.id WHERE o.tenant_id = $1) theirs
		 WHERE i.tenant_id = $1 AND i.key = theirs.key
		   AND NOT EXISTS (SELECT FROM unnest(i.message_ids) AS m (id) JOIN conversation_context c ON c.id = m.id AND c.tenant_id = $1 AND c.user_id <> $2)`

	// sharePeople waits for who erases one of them: the lock is that of shortterm under which
	// sessions of a user go one after the other.
	sharePeople = `SELECT pg_advisory_xact_lock_shared(hashtext($1), hashtext(u)) FROM unnest($2::text[]) AS u`

	keepUnlessErased = `UPDATE idempotency i SET status = $4, content_type = $5, answer = $6, users = $7
		WHERE tenant_id = $1 AND key = $2 AND status IS NULL AND claimed_until = $3
		  AND NOT EXISTS (SELECT FROM erasure e WHERE e.tenant_id = $1 AND e.user_key = ANY ($8::bytea[]) AND (e.erased_at >= i.created_at OR i.created_at > clock_timestamp()))`
)
