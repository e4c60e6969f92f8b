package longterm

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/lexical"
)

// request takes a request that something be forgotten in and gives it, or the one that is
// known of the same place.
func (c *change) request(m *mention, slip bool) *request {
	is := &request{speaker: m.speaker, topic: m.topic, sources: m.sources, said: m.said, hash: m.hash, value: m.value, negated: m.negated, slip: slip, isNew: true}
	for _, r := range c.requests {
		if !r.lost && r.row() == is.row() && r.scopeID == is.scopeID {
			return r
		}
	}
	c.requests = append(c.requests, is)
	return is
}

// asksFor says whether a request asks for what a mention does.
func (r *request) asksFor(m *mention, slip bool) bool {
	return r.topic == m.topic && r.hash == m.hash && r.value == m.value && r.negated == m.negated && r.slip == slip
}

// drop takes a request away, and wants what it was about.
func (c *change) drop(r *request, was requestRow) {
	c.w.requestsGone = append(c.w.requestsGone, was)
	key := c.scopes[r.scopeID].key
	if r.slot != "" {
		c.wanted.slot(key, r.slot)
	} else {
		c.wanted.hash(key, r.hash)
	}
	if r.ofSubject() {
		c.subjects.seek(key, r.subject, r.said.at)
	}
}

// ofSubject says whether a request is about somebody or something as a whole.
func (r *request) ofSubject() bool { return r.slot == "" && r.subject != "" }

// everything says whether a request is about all that was said.
func (r *request) everything() bool { return r.ofSubject() && r.subject == memd.Everything }

// heeds says whether it is a request of who may ask that of a speaker's statements: the
// same speaker. A user without a name, who is nobody of several, may ask it of assistants as
// well; that an assistant got something wrong any user may say.
func (r *request) heeds(s speaker) bool {
	if r.scopeID != s.scopeID {
		return false
	}
	return r.speaker == s || r.role == "user" && s.role == "assistant" && (r.actor == "" || r.slip)
}

// means says whether a request is about a claim: one in the same words, and with a subject
// what is about that; or with a slot what is said of it; or everything.
func (r *request) means(c *claim) bool {
	if r.everything() {
		return true
	}
	if r.slot == "" {
		return slices.Contains(c.hashes, r.hash) || r.ofSubject() && !r.naming.empty() && r.naming.reaches(c.form(), c.subject, c.texts()...)
	}
	return r.slot == c.slot && (r.subject == c.subject || r.calls(c)) && (r.value == "" || lexical.Canonical(r.value) == c.value) && (r.negates == nil || *r.negates == c.negated)
}

// calls says whether a request means by a relation, "my sister", who a claim says to be that:
// "my sister Eva lives in Bonn".
func (r *request) calls(c *claim) bool {
	same := relations[r.subject]
	return same != nil && c.subject != "" && slices.ContainsFunc(c.texts(), func(text string) bool {
		return slices.ContainsFunc(bonds(text, c.value), func(b bond) bool { return b.name == c.subject && slices.Contains(same, b.relation) })
	})
}

// readRequests finds out what requests are about, by what was said before them.
func (c *change) readRequests() {
	c.nameRequests()
	for _, r := range c.requests {
		r.negates = nil
		if r.slot == "" || r.value != "" {
			continue
		}
		// "that I love tea" and "my taste in tea" have the same slot: the first means what is
		// affirmed, the second all of it.
		if r.negated {
			r.negates = &r.negated
			continue
		}
		for _, m := range c.mentions {
			if !m.lost && m.writtenOver == nil && m.topic == r.topic && !m.negated && r.heeds(m.speaker) && m.said.compare(r.said) < 0 && (m.hash == r.hash || m.former == r.hash) {
				r.negates = &m.negated
				break
			}
		}
	}
}

// takesBack says whether a slip of a request's speaker is what was said at a time. What was
// said in the same session is meant before what was said elsewhere.
func (r *request) takesBack(c *claim, at saidAt) bool {
	return at.session == r.said.session || !slices.ContainsFunc(c.mentions, func(m *mention) bool {
		return m.writtenOver == nil && m.said.session == r.said.session && m.said.compare(r.said) < 0
	})
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
	negated, slips := make([]bool, n), make([]bool, n)
	for i, r := range all {
		messages[i], parts[i], scopes[i], actors[i], roles[i] = r.sources[0], int32(r.said.part), r.scopeID, r.actor, r.role
		sources[i], said[i], sessions[i], positions[i] = idsLiteral(r.sources), r.said.at, r.said.session, int32(r.said.position)
		hashes[i], slots[i], subjects[i], values[i] = r.hash, some(r.slot), r.subject, r.value
		memories[i], negated[i], slips[i] = uuidsLiteral(r.memories), r.negated, r.slip
	}
	b.Queue(requestInsert, tenant, messages, parts, scopes, actors, roles, sources, said, sessions, positions, hashes, slots, subjects, values, memories, negated, slips)
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
