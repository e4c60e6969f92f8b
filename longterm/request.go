package longterm

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/lexical"
)

// request takes a request that something be forgotten in, unless it is known.
func (c *change) request(m *mention) {
	for _, r := range c.requests {
		if r.speaker == m.speaker && r.sources[0] == m.sources[0] && r.said.part == m.said.part {
			return
		}
	}
	r := &request{speaker: m.speaker, topic: m.topic, sources: m.sources, said: m.said, hash: m.hash, value: m.value, isNew: true}
	c.requests = append(c.requests, r)
}

// ofSubject says whether a request is about somebody or something as a whole.
func (r *request) ofSubject() bool { return r.slot == "" && r.subject != "" }

// heeds says whether it is a request of who may ask that of a speaker's statements: the
// same speaker, or the user.
func (r *request) heeds(s speaker) bool {
	return r.scopeID == s.scopeID && (r.role == "user" || r.speaker == s)
}

// means says whether a request is about a claim: one in the same words, and with a subject
// what is about that; or with a slot what is said of it.
func (r *request) means(c *claim) bool {
	if r.slot == "" {
		return slices.Contains(c.hashes, r.hash) || r.ofSubject() && !r.naming.empty() && r.naming.reaches(c.form(), c.subject)
	}
	return r.topic == c.topic && (r.value == "" || lexical.Canonical(r.value) == c.value)
}

// takeRequests notes the requests that are new or took memories away.
func (c *change) takeRequests() {
	for _, r := range c.requests {
		if r.isNew || len(r.memories) > 0 {
			c.w.requests = append(c.w.requests, r)
		}
	}
}

// queueRequests keeps requests, so that what they are about does not come back when it is
// learned later that it was said before.
func queueRequests(b *pgx.Batch, tenant string, all []*request) {
	n := len(all)
	if n == 0 {
		return
	}
	messages, parts, scopes, actors, roles := make([]int64, n), make([]int32, n), make([]int64, n), make([]string, n), make([]string, n)
	sources, said, sessions, positions := make([]string, n), make([]time.Time, n), make([]string, n), make([]int32, n)
	hashes, slots, subjects, values, memories := make([]string, n), make([]*string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, r := range all {
		messages[i], parts[i], scopes[i], actors[i], roles[i] = r.sources[0], int32(r.said.part), r.scopeID, r.actor, r.role
		sources[i], said[i], sessions[i], positions[i] = idsLiteral(r.sources), r.said.at, r.said.session, int32(r.said.position)
		hashes[i], slots[i], subjects[i], values[i] = r.hash, some(r.slot), r.subject, r.value
		memories[i] = uuidsLiteral(r.memories)
	}
	b.Queue(requestInsert, tenant, messages, parts, scopes, actors, roles, sources, said, sessions, positions, hashes, slots, subjects, values, memories)
}

// requestRow is the key of a request in its table.
type requestRow struct {
	message     int64
	part        int
	role, actor string
}

func (r *request) row() requestRow { return requestRow{r.sources[0], r.said.part, r.role, r.actor} }

// queueRequestDelete takes requests out of their table.
func queueRequestDelete(b *pgx.Batch, tenant string, all []requestRow) {
	if len(all) == 0 {
		return
	}
	var messages []int64
	var parts []int32
	var roles, actors []string
	for _, r := range all {
		messages, parts = append(messages, r.message), append(parts, int32(r.part))
		roles, actors = append(roles, r.role), append(actors, r.actor)
	}
	b.Queue(requestDelete, tenant, messages, parts, roles, actors)
}
