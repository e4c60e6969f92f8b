package importjob

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/backfill"
	"github.com/memdhq/memd/backfill/format"
	"github.com/memdhq/memd/postgres"
)

// The states of an import.
const (
	StatePending   = "pending"
	StateRunning   = "running"
	StateDone      = "done"
	StateCancelled = "cancelled"
	StateFailed    = "failed"
)

// Options say how an import is read and whose it is.
type Options struct {
	// Name stands for what was given in places.
	Name   string `json:"name"`
	Format string `json:"format,omitempty"`
	// UserID is whose everything is, "" for whom it names.
	UserID   string            `json:"user_id,omitempty"`
	AgentID  string            `json:"agent_id,omitempty"`
	AppID    string            `json:"app_id,omitempty"`
	Timezone string            `json:"timezone,omitempty"`
	SaidAt   time.Time         `json:"said_at,omitzero"`
	Columns  map[string]string `json:"columns,omitempty"`
}

func (o Options) reading() format.Options {
	f := format.Options{Format: o.Format, At: o.SaidAt, Columns: o.Columns, ByPerson: o.UserID == ""}
	if o.Timezone != "" {
		f.Place, _ = time.LoadLocation(o.Timezone) // it was looked at when it came
	}
	return f
}

func (o Options) config() backfill.Config {
	return backfill.Config{UserID: o.UserID, AgentID: o.AgentID, AppID: o.AppID}
}

// Job is an import and where it stands.
type Job struct {
	ID      string
	State   string
	Users   []string
	Options Options
	Totals  backfill.Totals
	Sent    Progress
	// Errors are those of what was set aside, the first maxErrors.
	Errors []Refused
	// Error is why it failed, "" if it did not.
	Error     string
	CreatedAt time.Time
	EndedAt   *time.Time
}

// Progress is how far an import is.
type Progress struct {
	Sent  int `json:"sent"`
	New   int `json:"new"`
	Known int `json:"known"`
}

// Refused is what was set aside, and why.
type Refused struct {
	File   string `json:"file"`
	Line   int    `json:"line" doc:"From 1; 0: the file as a whole."`
	Reason string `json:"reason"`
}

// maxErrors is how many are kept of an import.
const maxErrors = 1000

// Jobs are the imports that were posted. It is safe for concurrent use.
type Jobs struct{ pool *postgres.Pool }

// New makes Jobs.
func New(pool *postgres.Pool) *Jobs { return &Jobs{pool} }

// Submit keeps an import to be worked on. Invalid: it cannot be read at all, nothing in it is
// of a form that is known, or nothing says whose it is; the field is data, or user_id.
func (j *Jobs) Submit(ctx context.Context, tenant string, o Options, data []byte) (Job, error) {
	var users []string
	var items, bad int
	var why string // the first of them
	counted := func(yield func(format.Item, error) bool) {
		for i, err := range format.ReadFrom(o.Name, bytes.NewReader(data), o.reading()) {
			if err == nil && i.Bad == nil {
				items++
				if u := userOf(i, o); u != "" && !slices.Contains(users, u) {
					users = append(users, u)
				}
			} else if err == nil {
				if bad++; bad == 1 {
					why = i.Bad.Reason
				}
			}
			if !yield(i, err) {
				return
			}
		}
	}
	cfg := o.config()
	cfg.HeldBytes = len(data)*4 + 1<<20
	gathered, err := backfill.Gather(counted, cfg)
	switch {
	case errors.Is(err, backfill.ErrNobody):
		return Job{}, memd.InvalidField("user_id", "is required: nothing in data says whose it is")
	case err != nil:
		return Job{}, memd.InvalidField("data", "cannot be read")
	}
	gathered.Close()
	switch {
	case !bytes.ContainsFunc(data, memd.IsShown):
		return Job{}, memd.InvalidField("data", "must not be empty")
	case items == 0 && bad > 0 && len(o.Columns) > 0 && strings.HasPrefix(why, "has no column"):
		return Job{}, memd.InvalidField("columns", "names one that is not there: data %s", why)
	case items == 0 && bad > 0 && o.Format != "":
		return Job{}, memd.InvalidField("data", "has nothing of that format")
	case items == 0 && bad > 0:
		return Job{}, memd.InvalidField("data", "has nothing of a format that is known")
	}
	id, err := uuid.NewV7()
	if err != nil {
		return Job{}, &memd.Error{Kind: memd.Internal, Op: "importjob.submit", Err: err}
	}
	packed, err := pack(data)
	if err != nil {
		return Job{}, &memd.Error{Kind: memd.Internal, Op: "importjob.submit", Err: err}
	}
	err = j.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insertJob, id, tenant, orNone(users), o, packed, gathered.Totals)
		return err
	})
	if err != nil {
		return Job{}, postgres.Err("importjob.submit", err)
	}
	return j.Get(ctx, tenant, id.String())
}

func userOf(i format.Item, o Options) string {
	switch {
	case o.UserID != "":
		return o.UserID
	case i.Memory != nil:
		return i.Memory.UserID
	case i.After != nil:
		return i.After.UserID
	}
	return i.Conversation.UserID
}

func orNone(users []string) []string {
	if users == nil {
		return []string{}
	}
	return users
}

func pack(data []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(data, nil), nil
}

func unpack(packed []byte) ([]byte, error) {
	r, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// Get gives one import. NotFound: there is none.
func (j *Jobs) Get(ctx context.Context, tenant, id string) (job Job, err error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return Job{}, noSuch()
	}
	err = j.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT `+jobColumns+` FROM import_job WHERE tenant_id = $1 AND id = $2`, tenant, parsed)
		if err != nil {
			return err
		}
		job, err = pgx.CollectExactlyOneRow(rows, scanJob)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Job{}, noSuch()
	}
	return job, postgres.Err("importjob.get", err)
}

// List gives the newest imports, at most limit, and those before the one called before, if it is not "".
func (j *Jobs) List(ctx context.Context, tenant string, limit int, before string) (all []Job, err error) {
	var upto *uuid.UUID
	if before != "" {
		id, err := uuid.Parse(before)
		if err != nil {
			return nil, memd.InvalidField("cursor", "is none of this list")
		}
		upto = &id
	}
	err = j.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT `+jobColumns+` FROM import_job WHERE tenant_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`, tenant, upto, limit)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, scanJob)
		return err
	})
	return all, postgres.Err("importjob.list", err)
}

// Cancel ends an import; what of it is in stays there. One that has ended stays as it is.
// NotFound: there is none.
func (j *Jobs) Cancel(ctx context.Context, tenant, id string) (Job, error) {
	if parsed, err := uuid.Parse(id); err == nil {
		err = j.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, cancelJob, tenant, parsed)
			return err
		})
		if err != nil {
			return Job{}, postgres.Err("importjob.cancel", err)
		}
	}
	return j.Get(ctx, tenant, id)
}

// ErasePerson takes a person out of imports, within tx, which must be the tenant's. One that is about nobody else
// goes; of others what is theirs goes, and who works on one begins anew with what is left. It says how many it was in.
func ErasePerson(ctx context.Context, tx pgx.Tx, tenant, userID string) (int, error) {
	type about struct {
		id      uuid.UUID
		users   []string
		options Options
		packed  []byte
	}
	rows, err := tx.Query(ctx, jobsOfPerson, tenant, userID)
	if err != nil {
		return 0, postgres.Err("importjob.erase_person", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a about, err error) {
		err = row.Scan(&a.id, &a.users, &a.options, &a.packed)
		return a, err
	})
	for _, a := range all {
		if err != nil {
			break
		}
		switch {
		case len(a.users) == 1:
			_, err = tx.Exec(ctx, `DELETE FROM import_job WHERE tenant_id = $1 AND id = $2`, tenant, a.id)
		case a.packed == nil: // it has ended
			_, err = tx.Exec(ctx, `UPDATE import_job SET users = array_remove(users, $3) WHERE tenant_id = $1 AND id = $2`, tenant, a.id, userID)
		default:
			var left []byte
			if left, err = without(a.packed, a.options, userID); err == nil {
				a.options.Format = format.Items
				_, err = tx.Exec(ctx, lessJob, tenant, a.id, userID, left, a.options)
			}
		}
	}
	return len(all), postgres.Err("importjob.erase_person", err)
}

// without gives what is left of a source without what is a person's.
func without(packed []byte, o Options, userID string) ([]byte, error) {
	data, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i, err := range format.ReadFrom(o.Name, bytes.NewReader(data), o.reading()) {
		if err != nil {
			return nil, err
		}
		if i.Bad != nil {
			i.Bad.Text = "" // it may be theirs
		} else if userOf(i, o) == userID {
			continue
		}
		if err := e.Encode(i); err != nil {
			return nil, err
		}
	}
	return pack(b.Bytes())
}

func noSuch() error {
	return &memd.Error{Kind: memd.NotFound, Op: "importjob.get", Msg: "no such import"}
}

func scanJob(row pgx.CollectableRow) (job Job, err error) {
	var id uuid.UUID
	var errText *string
	var options, totals, sent, faults []byte
	if err := row.Scan(&id, &job.State, &job.Users, &options, &totals, &sent, &faults, &errText, &job.CreatedAt, &job.EndedAt); err != nil {
		return job, err
	}
	job.ID = id.String()
	if errText != nil {
		job.Error = *errText
	}
	for _, of := range []struct {
		raw  []byte
		into any
	}{{options, &job.Options}, {totals, &job.Totals}, {sent, &job.Sent}, {faults, &job.Errors}} {
		if err := json.Unmarshal(of.raw, of.into); err != nil {
			return job, fmt.Errorf("import_job: %w", err)
		}
	}
	return job, nil
}

const (
	jobColumns = `id, state, users, options, totals, sent, errors, error, created_at, ended_at`

	// jobsOfPerson waits for who is just putting something in.
	jobsOfPerson = `SELECT id, users, options, source FROM import_job WHERE tenant_id = $1 AND $2 = ANY (users) ORDER BY id FOR UPDATE`

	// lessJob takes the import from whoever works on it.
	lessJob = `UPDATE import_job SET users = array_remove(users, $3), source = $4, options = $5, state = 'pending', attempts = attempts + 1, lease_until = NULL
		 WHERE tenant_id = $1 AND id = $2`

	insertJob = `INSERT INTO import_job (id, tenant_id, users, options, source, totals) VALUES ($1, $2, $3, $4, $5, $6)`

	cancelJob = `UPDATE import_job SET state = 'cancelled', ended_at = now(), source = NULL, lease_until = NULL
		 WHERE tenant_id = $1 AND id = $2 AND state IN ('pending', 'running')`
)
