package shortterm

import (
	"context"
	"regexp"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/postgres"
)

// origin is the id by which a message that had none was exported: its number is in it.
var origin = regexp.MustCompile(`^memd-([1-9][0-9]{0,17})-[0-9a-f]{16}$`)

// recognise gives messages of the log that had no client id the one by which they were exported, where that
// comes back to where it is from. By that they are then known as others are.
func (l *Log) recognise(ctx context.Context, tenant string, as []Append) error {
	var ids []int64
	var origins, users []string
	for _, a := range as {
		for _, m := range a.Messages {
			if found := origin.FindStringSubmatch(m.ClientID); found != nil {
				id, _ := strconv.ParseInt(found[1], 10, 64) // it is short enough
				ids, origins, users = append(ids, id), append(origins, m.ClientID), append(users, a.UserID)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	err := l.pool.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, recogniseMessages, tenant, ids, origins, users)
		return err
	})
	return postgres.Err("shortterm.recognise", err)
}

var recogniseMessages = `UPDATE conversation_context c SET client_id = g.origin
	FROM unnest($2::bigint[], $3::text[], $4::text[]) AS g (id, origin, user_id)
	WHERE c.tenant_id = $1 AND c.id = g.id AND c.id = ANY ($2::bigint[]) AND c.user_id = g.user_id AND c.client_id IS NULL
	  AND ` + postgres.MessageOrigin("c") + ` = g.origin`
