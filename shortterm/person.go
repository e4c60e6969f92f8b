package shortterm

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Person is one of whom something is kept.
type Person struct {
	UserID string
	// CreatedAt is when they first came up.
	CreatedAt time.Time
	// Sessions counts those of kind chat; Messages those of all sessions, messages that
	// were given to be remembered among them.
	Sessions, Messages int
	// LastMessageAt is when the latest message of theirs was said, nil without any.
	LastMessageAt *time.Time
	// Learn is false if nothing is learned from what is posted to their sessions.
	Learn bool

	no int64
}

// People lists the people of a tenant, those who came up last first, up to limit after
// cursor ("" for the first page), and says how many there are in all. next is "" at the
// end. Invalid: the cursor is none of this list.
func (l *Log) People(ctx context.Context, tenant string, limit int, cursor string) (people []Person, total int, next string, err error) {
	pages := list{"people", tenant}
	before, err := pages.readCursor(cursor)
	if err != nil {
		return nil, 0, "", err
	}
	people = []Person{}
	var last int64
	b := postgres.TenantBatch(tenant)
	b.Queue(countPeople, tenant).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
	b.Queue(listPeople, tenant, before, limit+1).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if len(people) == limit {
				next = pages.writeCursor(last)
				break
			}
			var p Person
			if err := p.scan(rows); err != nil {
				return err
			}
			last = p.no
			people = append(people, p)
		}
		return rows.Err()
	})
	if err := l.pool.SendBatch(ctx, b).Close(); err != nil {
		return nil, 0, "", postgres.Err("shortterm.people", err)
	}
	return people, total, next, nil
}

// Meet makes people known who may be new, each in a transaction of its own, so that
// writes that bring several up do not wait for each other.
func (l *Log) Meet(ctx context.Context, tenant string, users []string) error {
	users = slices.Clone(users)
	slices.Sort(users)
	for _, u := range slices.Compact(users) {
		if u == "" {
			continue
		}
		if _, err := l.exec(ctx, tenant, meetPerson, tenant, u); err != nil {
			return err
		}
	}
	return nil
}

// SetPersonLearn says whether anything is learned from what is posted to a person's
// sessions; one who is not known yet comes up by it. Turned off, what is open is skipped
// when it returns. Turned on, nothing comes back by itself.
func (l *Log) SetPersonLearn(ctx context.Context, tenant, userID string, learn bool) (Person, error) {
	if userID == "" {
		return Person{}, memd.InvalidField("user_id", "is required")
	}
	if _, err := l.exec(ctx, tenant, personLearn, tenant, userID, learn); err != nil {
		return Person{}, err
	}
	if !learn {
		// Whoever appends has a session's lock, which makes sure that what they opened before
		// they could know is seen here; what they open later, nobody does. Those who make a
		// session have held the person's row.
		err := l.inTenant(ctx, tenant, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, lockSessionsOf, tenant, userID); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, dropOpenOfUser, tenant, userID, "", "", "", notLearned)
			return err
		})
		if err != nil {
			return Person{}, postgres.Err("shortterm.set_person_learn", err)
		}
	}
	var p Person
	err := l.read(ctx, tenant, p.scan, onePerson, tenant, userID)
	return p, err
}

// notLearned is the error of messages that ended because learning was turned off.
const notLearned = "not learned from"

// scan reads a row of a list of people.
func (p *Person) scan(rows pgx.Rows) error {
	err := rows.Scan(&p.no, &p.UserID, &p.CreatedAt, &p.Learn, &p.Sessions, &p.Messages, &p.LastMessageAt)
	p.CreatedAt, p.LastMessageAt = p.CreatedAt.UTC(), utc(p.LastMessageAt)
	return err
}
