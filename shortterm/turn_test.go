package shortterm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

// modelled is what a session should be.
type modelled struct {
	texts, clients []string // of its messages
	roles          []memd.Role
	turns, limit   int
	closed, learn  bool
	incognito      bool
	next, forwards string
	previous       string
	no             int // in the order in which they were made
}

func (m *modelled) over() bool { return m.incognito && m.closed }

// model is the user's sessions by name, as simply as they can be told.
type model map[string]*modelled

// way gives the sessions that what is posted under a name passes, and whether the one that
// the last forwards to was deleted.
func (m model) way(name string) (all []string, dangles bool) {
	for {
		all = append(all, name)
		to := m[name].forwards
		if to == "" {
			return all, false
		}
		if m[to] == nil {
			return all, true
		}
		name = to
	}
}

// through gives a session, the last that it leads to, and those in between, whatever its
// name leads to at once.
func (m model) through(name, last string) []string {
	all := []string{name}
	for at := last; at != "" && at != name && m[at] != nil; at = m[at].previous {
		all = append(all, at)
	}
	return all
}

// named gives those that go by a name and are not over, in the order in which they were made,
// and the one that is running, nil if it is over.
func (m model) named(name string) (parts []string, running *modelled) {
	if m[name] == nil {
		return nil, nil
	}
	way, _ := m.way(name)
	last := way[len(way)-1]
	for _, at := range append(way, m.through(name, last)...) {
		if !m[at].over() && !slices.Contains(parts, at) && m[at].no >= m[name].no {
			parts = append(parts, at)
		}
	}
	slices.SortFunc(parts, func(a, b string) int { return m[a].no - m[b].no })
	if !m[last].over() {
		running = m[last]
	}
	return parts, running
}

// add makes a session.
func (m model) add(name string, s *modelled) {
	for _, other := range m {
		s.no = max(s.no, other.no+1)
	}
	m[name] = s
}

// end closes a session for one that follows it.
func (m model) end(name, next string, forwards bool) {
	s := m[name]
	s.closed, s.next = true, next
	if s.forwards = ""; forwards {
		s.forwards = next
	}
	after := &modelled{limit: s.limit, learn: s.learn, incognito: s.incognito, previous: name}
	if s.incognito {
		s.texts, s.clients, s.roles, after.previous = nil, nil, nil, ""
	}
	m.add(next, after)
}

// remove takes one away and joins what surrounds it; fresh tells the new name that one which
// has nothing else to forward to does so to.
func (m model) remove(name string, fresh func(string) string) {
	gone := m[name]
	delete(m, name)
	for other, s := range m {
		if s.previous == name {
			s.previous = gone.previous
		}
		switch {
		case s.forwards != name:
		case s.next != name && s.next != "":
			s.forwards = s.next
		case gone.forwards != "":
			s.forwards = gone.forwards
		case gone.next != "":
			s.forwards = gone.next
		default:
			s.forwards = fresh(other)
		}
		if s.next == name {
			s.next = gone.next
		}
	}
}

// Whatever is done to sessions, in whatever order: they are what the model says.
func TestSessionsProperty(t *testing.T) {
	f := open(t, Config{})
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		who := fmt.Sprint("user ", n)
		m := model{}
		var names []string
		for i, limit := range []int{0, 1, 2} {
			name := fmt.Sprint("s", i)
			s := NewSession{UserID: who, SessionID: name, Limits: Limits{Turns: ptr(limit)}, Incognito: i == 2 && rapid.Bool().Draw(rt, "incognito")}
			f.make(t, s)
			m.add(name, &modelled{limit: limit, learn: !s.Incognito, incognito: s.Incognito})
			names = append(names, name)
		}
		said := 0
		some := func() string { return rapid.SampledFrom(names).Draw(rt, "session") }
		of := func(name string) (heldSession, error) {
			var h heldSession
			err := f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) (err error) {
				h, _, err = f.holdNamed(t.Context(), tx, tenant, who, name, Limits{})
				return err
			})
			return h, err
		}
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				name := some()
				if m[name] == nil {
					return
				}
				a := Append{UserID: who, SessionID: name, Infer: true, Learn: both}
				for i := range rapid.IntRange(1, 3).Draw(rt, "messages") {
					said++
					role := rapid.SampledFrom(both).Draw(rt, "role")
					client := rapid.SampledFrom([]string{"", "", "", "c1", "c2", "c3"}).Draw(rt, "client")
					msg := message(t, role, fmt.Sprint(said, " ", i), client)
					if role == memd.RoleAssistant && rapid.IntRange(0, 3).Draw(rt, "calls") == 0 {
						msg = raw(t, fmt.Sprintf(`{"role":"assistant","content":"%d %d","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}`, said, i))
					}
					a.Messages = append(a.Messages, msg)
				}
				way, dangles := m.way(name)
				last := m[way[len(way)-1]]
				known := map[string]bool{}
				for _, w := range m.through(name, way[len(way)-1]) {
					for _, c := range m[w].clients {
						known[c] = c != ""
					}
				}
				overdue := last.limit > 0 && last.turns >= last.limit
				inCall := len(last.roles) > 0 && last.roles[len(last.roles)-1] == "calls" && last.turns < 2*last.limit
				repeats := slices.ContainsFunc(a.Messages, func(msg memd.Message) bool { return known[msg.ClientID] })
				rotates := !dangles && a.Messages[0].Role == memd.RoleUser && !last.closed && len(last.texts) > 0 && overdue && !inCall && !repeats

				got, err := f.Append(t.Context(), tenant, a)
				if last.over() && !dangles {
					field(t, "appending to one that is over", err, memd.Conflict, "session_id")
					return
				}
				if err != nil {
					rt.Fatal(err)
				}
				lands := way[len(way)-1]
				switch {
				case dangles:
					lands = last.forwards
					m.end(way[len(way)-1], lands, true)
				case rotates:
					lands = got.SessionID
					if m[lands] != nil {
						rt.Fatalf("landed in %s, want a new one", lands)
					}
					m.end(way[len(way)-1], lands, true)
					names = append(names, lands)
				}
				if len(way) > 1 || rotates || dangles {
					m[name].forwards = lands // kept short
				}
				s := m[lands]
				fresh := false
				for i, msg := range a.Messages {
					g := got.Messages[i]
					if g.Duplicate != known[msg.ClientID] {
						rt.Fatalf("message %d is %+v, known are %v", i, g, known)
					}
					if g.Duplicate {
						continue
					}
					if want := map[bool]string{true: StatePending, false: StateSkipped}[s.learn]; g.State != want {
						rt.Fatalf("message %d is %s, want %s", i, g.State, want)
					}
					fresh = true
					known[msg.ClientID] = msg.ClientID != ""
					role := msg.Role
					if isUnanswered(msg.Role, msg.Raw) {
						role = "calls"
					}
					s.texts, s.clients, s.roles = append(s.texts, msg.Text), append(s.clients, msg.ClientID), append(s.roles, role)
					if msg.Role == memd.RoleUser {
						s.turns++
					}
				}
				if fresh && (got.SessionID != lands || got.NextSessionID != s.next) {
					rt.Fatalf("landed in %s, followed by %q, want %s and %q", got.SessionID, got.NextSessionID, lands, s.next)
				}
			},
			"rotate": func(rt *rapid.T) {
				name := some()
				next, made, err := f.Rotate(t.Context(), tenant, Rotation{UserID: who, SessionID: name})
				if m[name] != nil {
					way, _ := m.way(name)
					name = way[len(way)-1]
				}
				s := m[name]
				if s == nil || s.over() && s.next == "" {
					kind(t, "rotating one that is gone", err, memd.NotFound)
					return
				}
				if err != nil {
					rt.Fatal(err)
				}
				if s.next != "" && m[s.next] != nil {
					if made || next.SessionID != s.next {
						rt.Fatalf("rotated to %s, made %v, want %s", next.SessionID, made, s.next)
					}
					return
				}
				if !made || m[next.SessionID] != nil {
					rt.Fatalf("rotated to %s, made %v, want a new one", next.SessionID, made)
				}
				m.end(name, next.SessionID, s.forwards != "")
				names = append(names, next.SessionID)
			},
			"close": func(rt *rapid.T) {
				name := some()
				parts, s := m.named(name)
				_, err := f.ChangeSession(t.Context(), tenant, who, name, "", Change{Closed: ptr(true)})
				if len(parts) == 0 {
					kind(t, "closing one that is gone", err, memd.NotFound)
					return
				}
				if err != nil {
					rt.Fatal(err)
				}
				if s == nil {
					return
				}
				// It leads on no longer to what was deleted.
				if s.closed, s.forwards = true, ""; s.incognito {
					s.texts, s.clients, s.roles = nil, nil, nil
				}
			},
			"learn": func(rt *rapid.T) {
				name := some()
				learn := rapid.Bool().Draw(rt, "learn")
				parts, _ := m.named(name)
				_, err := f.ChangeSession(t.Context(), tenant, who, name, "", Change{Learn: &learn})
				switch {
				case len(parts) == 0:
					kind(t, "changing one that is gone", err, memd.NotFound)
				case learn && slices.ContainsFunc(parts, func(part string) bool { return m[part].incognito }):
					kind(t, "learning from an incognito one", err, memd.Invalid)
				case err != nil:
					rt.Fatal(err)
				default:
					for _, part := range parts {
						m[part].learn = learn
					}
				}
			},
			"delete": func(rt *rapid.T) {
				name := some()
				parts, _ := m.named(name)
				err := f.removeOf(t, who, name) // the first of them
				if len(parts) == 0 {
					kind(t, "deleting one that is gone", err, memd.NotFound)
					return
				}
				if err != nil {
					rt.Fatal(err)
				}
				name = parts[0]
				if s := m[name]; s.incognito {
					s.closed, s.texts, s.clients, s.roles = true, nil, nil, nil
				} else {
					m.remove(name, func(other string) string {
						h, err := of(other)
						if err != nil || h.forwardsTo == "" || slices.Contains(names, h.forwardsTo) {
							rt.Fatalf("%s forwards to %q, %v, want a new name", other, h.forwardsTo, err)
						}
						return h.forwardsTo
					})
				}
			},
			"take back": func(rt *rapid.T) {
				name := some()
				s := m[name]
				if s == nil || len(s.texts) == 0 {
					return
				}
				_, entries, _, err := f.Messages(t.Context(), tenant, Page{UserID: who, SessionID: name})
				if err != nil || len(entries) != len(s.texts) {
					rt.Fatalf("%d messages, %v, want %d", len(entries), err, len(s.texts))
				}
				i := rapid.IntRange(0, len(entries)-1).Draw(rt, "message")
				err = f.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
					h, err := f.Hold(t.Context(), tx, tenant, entries[i].ID, memd.Scope{})
					if err == nil {
						err = f.Remove(t.Context(), tx, tenant, h.SessionNo, []int64{entries[i].ID})
					}
					return err
				})
				if err != nil {
					rt.Fatal(err)
				}
				s.texts, s.clients, s.roles = slices.Delete(s.texts, i, i+1), slices.Delete(s.clients, i, i+1), slices.Delete(s.roles, i, i+1)
			},
		})
		for _, name := range names {
			s := m[name]
			got, err := f.Session(t.Context(), tenant, who, name)
			if s == nil || s.over() {
				kind(t, "one that is gone", err, memd.NotFound)
				continue
			}
			if err != nil {
				rt.Fatal(err)
			}
			_, entries, _, err := f.Messages(t.Context(), tenant, Page{UserID: who, SessionID: name})
			if err != nil {
				rt.Fatal(err)
			}
			texts := []string{}
			for _, e := range entries {
				texts = append(texts, e.Text)
			}
			if !slices.Equal(texts, s.texts) || got.Messages != len(s.texts) {
				rt.Fatalf("%s holds %q and counts %d, want %q", name, texts, got.Messages, s.texts)
			}
			if (got.ClosedAt != nil) != s.closed || value(got.NextSessionID) != s.next || value(got.PreviousSessionID) != s.previous || got.Learn != s.learn || got.Incognito != s.incognito {
				rt.Fatalf("%s is %+v, want %+v", name, got, s)
			}
			if h, err := of(name); err != nil || h.forwardsTo != s.forwards {
				rt.Fatalf("%s forwards to %q, %v, want %q", name, h.forwardsTo, err, s.forwards)
			}
		}
		equal(t, "in no one state", f.query(t, stateless), 0)
	})
}

// Whatever values come, what turning over and keeping less take to find is found by an
// index.
func TestPlansOfTurningOver(t *testing.T) {
	f := open(t, Config{})
	f.do(t, `INSERT INTO conversation_session (tenant_id, user_id, session_id, incognito, previous_session_id, next_session_id, forwards_to)
		SELECT 'acme', 'u' || i % 20, 's' || i, i % 50 = 0, 's' || i - 20, 's' || i + 20, CASE WHEN i % 3 = 0 THEN 's' || i + 20 END FROM generate_series(1, 2000) i`)
	f.do(t, `INSERT INTO person (tenant_id, user_id) SELECT 'acme', 'p' || i FROM generate_series(1, 2000) i`)
	f.do(t, `INSERT INTO conversation_context (tenant_id, user_id, session_id, session_no, role, message, position, learn, client_id)
		SELECT 'acme', s.user_id, s.session_id, s.no, 'user', '{"role":"user","content":"x"}', i, true, CASE WHEN i < 5 THEN 'c' || i END
		  FROM conversation_session s, generate_series(1, 10) i`)
	f.do(t, `INSERT INTO ingest_open (message_id, tenant_id, session_no) SELECT id, 'acme', session_no FROM conversation_context WHERE id % 2 = 0`)
	f.do(t, `INSERT INTO ingest_settled (message_id, tenant_id, state, attempts) SELECT id, 'acme', 'done', 1 FROM conversation_context WHERE id % 2 = 1`)
	for _, table := range []string{"conversation_session", "conversation_context", "ingest_open", "ingest_settled", "person"} {
		f.analyze(t, table)
	}
	const (
		session, byNo = "conversation_session_tenant_id_user_id_session_id_key", "conversation_session_pkey"
		given         = `'acme', 'u7', 's7', '{user}', '{"{\"role\":\"user\",\"content\":\"x\"}"}', '{NULL}', '{t}', '{NULL}', '{c1}', NULL, NULL, NULL, NULL, 0, NULL, NULL, true, '1 h', 5, 500, '1 d'`
		shared        = `'acme', '{u7,u8}', '{s7,s8}', '{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}', '{NULL,NULL}', '{0,0}', '{NULL,NULL}', '{t,t}', '{1 h,1 h}', '{5,5}', '{500,500}', '{1 d,1 d}',
			'{1,2}', '{0,0}', '{user,user}', '{"{\"role\":\"user\",\"content\":\"x\"}","{\"role\":\"user\",\"content\":\"x\"}"}', '{NULL,NULL}', '{t,t}', '{NULL,NULL}'`
	)
	f.wantPlans(t, map[string]planned{
		"makeSession":       {makeSession, `'acme', 'u7', 's7', 'chat', NULL`, []string{session, "person_pkey"}},
		"makeSessions":      {makeSessions, `'acme', '{u7}', '{s7}', '{chat}', '{NULL}'`, []string{session, "person_pkey"}},
		"lockSession":       {lockSession, `'acme', 'u7', 's7'`, []string{session}},
		"appendPlain":       {appendPlain, given, []string{byNo, "person_pkey"}},
		"appendKeyed":       {appendKeyed, given + `, '\x00', '\x00'`, []string{byNo, "person_pkey"}},
		"appendNamed":       {appendNamed, given + `, '{3}'`, []string{byNo, "person_pkey", "conversation_context_client_id"}},
		"appendNamedKeyed":  {appendNamedKeyed, given + `, '\x00', '\x00', '{3}'`, []string{byNo, "person_pkey", "conversation_context_client_id"}},
		"lockShared":        {lockShared, `'acme', '{u7,u8}', '{s7,s8}'`, []string{session}},
		"appendShared":      {appendShared, shared, []string{session, "person_pkey", byNo}},
		"appendSharedKeyed": {appendSharedKeyed, shared + `, '{"\\x00",NULL}', '{"\\x00",NULL}'`, []string{session, "person_pkey", byNo}},
		"wayOn":             {wayOn, `'acme', 'u7', 's7', true`, []string{session}},
		"shortenWay":        {shortenWay, `'acme', 7, 's7', 's8'`, []string{byNo}},
		"holdNamed":         {holdNamed, `'acme', 'u7', 's7', '1 h', 5, 500, '1 d'`, []string{session}},
		"anyThere":          {anyThere, `'acme', '{7,8}', '{c1}'`, []string{"conversation_context_client_id"}},
		"lastOf":            {lastOf, `'acme', 7`, []string{"conversation_context_pkey"}},
		"makeNext":          {makeNext, `'acme', 7, 'x', NULL, '{}', NULL, NULL, NULL, NULL`, []string{byNo}},
		"closeFor":          {closeFor, `'acme', 7, 'x', true`, []string{byNo}},
		"hasten":            {hasten, `'acme', 7`, []string{"ingest_open_session", "ingest_open_pkey"}},
		"dropSaid":          {dropSaid, `'acme', 7`, []string{byNo, "conversation_context_session"}},
		"blankSession":      {blankSession, `'acme', 7`, []string{byNo}},
		"lockedSessions":    {lockedSessions, `'acme', '{7,8}'`, []string{byNo}},
		"onward":            {onward, `'acme', 'u7', 's7'`, []string{session}},
		"changeSession":     {changeSession, `'acme', 7, 't', '{}', true, NULL, NULL, NULL, NULL, true`, []string{byNo}},
		"dropOpenOfSession": {dropOpenOfSession, `'acme', 7, 'x'`, []string{"ingest_open_session", "ingest_open_pkey"}},
		"lockSessionsOf":    {lockSessionsOf, `'acme', 'u7'`, []string{session}},
		"onePerson":         {onePerson, `'acme', 'u7'`, []string{"person_pkey", session}},
		"rewordMessage":     {rewordMessage, `'acme', 7, '{}'`, []string{"conversation_context_pkey", byNo, "person_pkey"}},
		"reopenMessages":    {reopenMessages, `'acme', '{7}', 0`, []string{"ingest_settled_pkey", "conversation_context_pkey", byNo, "person_pkey"}},
		"retryDead":         {retryDead, `'acme', 7`, []string{"ingest_settled_", "conversation_context_pkey", byNo, "person_pkey"}},
		"anyAfter":          {anyAfter, `'acme', 'u7', 's7', 5`, []string{session, "conversation_context_session"}},
		"lockIdle":          {lockIdle, `'acme', 'u7', 's7', '1 h'`, []string{session}},
		"stillSettled":      {stillSettled, `'acme', '{7,8}'`, []string{"conversation_context_pkey", "ingest_open_pkey"}},
		"joinEmptied":       {joinEmptied, `'acme', 7`, []string{byNo, session}},
		"joinNeighbours":    {joinNeighbours, `'acme', 7`, []string{byNo, session}},
		"dropEmptied":       {dropEmptied, `'acme', 7`, []string{byNo}},
	})
}
