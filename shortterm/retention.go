package shortterm

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
)

// SweepIncognito ends up to n incognito sessions, of any tenant, in which nothing was said
// for as long as Config.IncognitoIdle, and says how many there were.
func (l *Log) SweepIncognito(ctx context.Context, n int) (int, error) {
	return 0, &memd.Error{Kind: memd.Internal, Op: "shortterm.sweep_incognito", Msg: "not there yet"}
}

// SweepMessages takes up to n messages, of any tenant, out of the log that have settled
// and came longer ago than their tenant keeps them, and says how many it found. A closed
// session that has no others goes too, unless what is posted under its name lands in
// another. drop is called for those of each session, in the transaction that they go in
// and under the session's lock, to take them out of what was made of them elsewhere.
func (l *Log) SweepMessages(ctx context.Context, n int, drop func(ctx context.Context, tx pgx.Tx, tenant string, messages []int64) error) (int, error) {
	return 0, &memd.Error{Kind: memd.Internal, Op: "shortterm.sweep_messages", Msg: "not there yet"}
}
