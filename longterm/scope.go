package longterm

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/memdhq/memd"
)

// identity says which memories merge: those of one user within an app, or of one
// agent where there is no user, or of one run where there is neither. The ids that
// do not take part are "".
type identity struct{ app, user, agent, run string }

func identityOf(s memd.Scope) identity {
	switch {
	case s.UserID != "":
		return identity{app: s.AppID, user: s.UserID}
	case s.AgentID != "":
		return identity{app: s.AppID, agent: s.AgentID}
	}
	return identity{app: s.AppID, run: s.RunID}
}

// key is the identity's row in memory_scope. Lengths stand before the ids, so that
// no two identities have the same key whatever stands in them.
func (i identity) key(tenant string) [sha256.Size]byte {
	var b []byte
	for _, part := range []string{tenant, i.app, i.user, i.agent, i.run} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(b)
}

// lock is the number of the advisory lock under which the identity's memories change.
func lock(key [sha256.Size]byte) int64 { return int64(binary.BigEndian.Uint64(key[:8])) }

// identities are the scopes that one write is about.
type identities struct {
	all  []identity
	keys [][]byte
	// ids are those of memory_scope, once known.
	ids []int64
	at  map[identity]int
	// byID finds the position of a scope id.
	byID map[int64]int
}

func newIdentities(tenant string, of []identity) *identities {
	s := &identities{at: map[identity]int{}, byID: map[int64]int{}}
	for _, i := range of {
		if _, ok := s.at[i]; !ok {
			key := i.key(tenant)
			s.at[i] = len(s.all)
			s.all = append(s.all, i)
			s.keys = append(s.keys, key[:])
		}
	}
	s.ids = make([]int64, len(s.all))
	return s
}

// columns gives the ids of all scopes column by column, as scopeUpsert wants them.
func (s *identities) columns() (app, user, agent, run []string) {
	for _, i := range s.all {
		app, user = append(app, i.app), append(user, i.user)
		agent, run = append(agent, i.agent), append(run, i.run)
	}
	return app, user, agent, run
}

// reach is what a query's ids make it look at: the memories of one user, those that
// carry an agent or a run, or all of the tenant.
type reach int

const (
	reachUser reach = iota
	reachAgent
	reachRun
	reachTenant
)

// reachOf chooses the narrowest reach that holds every memory with the ids asked for,
// and gives the values of that id: one of the scope, or those of which a filter allows
// one. An id is needed unless allScopes; the error is Invalid and names user_id.
func reachOf(s memd.Scope, f Filter, allScopes bool) (reach, []string, error) {
	for _, by := range []struct {
		reach reach
		id    string
		field string
	}{{reachUser, s.UserID, "user_id"}, {reachRun, s.RunID, "run_id"}, {reachAgent, s.AgentID, "agent_id"}} {
		if by.id != "" {
			return by.reach, []string{by.id}, nil
		}
		if values, ok := f.oneOf(by.field); ok {
			return by.reach, values, nil
		}
	}
	if allScopes {
		return reachTenant, nil, nil
	}
	return 0, nil, memd.InvalidField("user_id", "one of user_id, agent_id and run_id is required")
}

// clean drops what Postgres cannot hold in a text.
func clean(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// some gives nil for "".
func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
