package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/internal/memdtest"
)

// turned is a session as an answer shows it.
type turned struct {
	SessionID         string  `json:"session_id"`
	AgentID           *string `json:"agent_id"`
	Title             *string
	Messages          int
	ClosedAt          *string    `json:"closed_at"`
	PreviousSessionID *string    `json:"previous_session_id"`
	NextSessionID     *string    `json:"next_session_id"`
	ForwardsTo        *string    `json:"forwards_to"`
	LastMessageAt     *time.Time `json:"last_message_at"`
	Learn, Incognito  bool
	Rotate            map[string]any
	Metadata          json.RawMessage
}

// landed is an answer of POST /v1/messages.
type landed struct {
	SessionID     string `json:"session_id"`
	NextSessionID string `json:"next_session_id"`
	Messages      []struct {
		ID     int64
		Ingest struct{ State string }
	}
}

func (l landed) ids() (ids []int64) {
	for _, m := range l.Messages {
		ids = append(ids, m.ID)
	}
	return ids
}

// carrying is an answer of POST /v1/context in full.
type carrying struct {
	SessionID string `json:"session_id"`
	Messages  []struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	Recalled      []memory
	Open, Carried []int64
	Summary       struct {
		Upto     *int64
		Memories []string
	}
	Tokens   struct{ Budget, Used int }
	Degraded []string
}

// everything that a model is sent, as one text.
func (c carrying) everything() string {
	var all strings.Builder
	for _, m := range c.Messages {
		var text string
		_ = json.Unmarshal(m.Content, &text)
		all.WriteString(m.Role + ": " + text + "\n")
	}
	return all.String()
}

// said are the messages but the system's own, as one text.
func (c carrying) said() string {
	if len(c.Messages) > 0 && c.Messages[0].Role == "system" {
		c.Messages = c.Messages[1:]
	}
	return c.everything()
}

// ask is want for requests that are made beside many others: it fails without ending the
// test, and what there is no room for is tried again under its key when the answer says.
func (c caller) ask(status int, method, path string, body, into any) bool {
	key := []string{"Idempotency-Key", rand.Text()}
	got, answer := c.send(method, path, body, key...)
	for tries := 1; got == http.StatusServiceUnavailable && tries < 10; tries++ {
		select {
		case <-time.After(time.Second):
		case <-c.Context().Done():
		}
		got, answer = c.send(method, path, body, key...)
	}
	if got != status {
		c.Errorf("%s %s %s: %d %s, want %d", method, path, excerpt(body), got, answer, status)
		return false
	}
	if into != nil {
		if err := json.Unmarshal([]byte(answer), into); err != nil {
			c.Errorf("%s %s: %v in %s", method, path, err, answer)
			return false
		}
	}
	return true
}

// turn posts messages to a session.
func (c caller) turn(user, session string, messages ...any) (l landed) {
	c.Helper()
	c.want(201, http.MethodPost, "/v1/messages", object{"user_id": user, "session_id": session, "messages": list(messages)}, &l)
	return l
}

func (c caller) carrying(body object) (a carrying) {
	c.Helper()
	c.want(200, http.MethodPost, "/v1/context", body, &a)
	return a
}

func (c caller) made(body object) (s turned) {
	c.Helper()
	c.want(201, http.MethodPost, "/v1/sessions", body, &s)
	return s
}

func (c caller) session(user, session string) (s turned) {
	c.Helper()
	c.want(200, http.MethodGet, sessionPath(session)+"?"+parameters("user_id", user), nil, &s)
	return s
}

func (c caller) rotated(user, session string) (s turned) {
	c.Helper()
	c.want(201, http.MethodPost, sessionPath(session)+"/rotate", object{"user_id": user}, &s)
	return s
}

func sessionPath(session string) string { return "/v1/sessions/" + url.PathEscape(session) }

// agentTurns has an agent's sessions with a user turn over, again and again. The last
// thing that is said before each time must stand in the context after it.
func agentTurns(c caller, who, agent string, times int) {
	session := who + "/" + agent
	for i := range times {
		fact := fmt.Sprintf("For %s and %s the train number %d leaves from platform %d", who, agent, i, 7919*(i+1)%1000)
		said := []any{user(fmt.Sprintf("Leg %d.", i)), assistant("Let me see.")}
		switch i % 3 {
		case 0:
			said = append(said, user(fact+"."))
		case 1:
			said = append(said, assistant(fact+"."))
		case 2:
			said = append(said, object{"role": "assistant", "content": nil, "tool_calls": list{object{"id": "c", "type": "function", "function": object{"name": "f", "arguments": "{}"}}}},
				object{"role": "tool", "tool_call_id": "c", "content": "{}"}, assistant(fact+"."))
		}
		at := object{"user_id": who, "agent_id": agent}
		var l landed
		if !c.ask(201, http.MethodPost, "/v1/messages", at.with(object{"session_id": session, "messages": said}), &l) {
			return
		}
		session = l.SessionID // a limit that was set before may have turned it over
		path, byHand := sessionPath(session), object{"user_id": who}
		next := turned{SessionID: session}
		var ok bool
		switch i % 4 {
		case 0:
			ok = c.ask(201, http.MethodPost, path+"/rotate", byHand.with(object{"rotate": object{"turns": 0}}), &next)
		case 1: // another has the same thought
			var two [2]turned
			var both sync.WaitGroup
			var statuses [2]int
			for n := range two {
				both.Go(func() {
					var answer string
					statuses[n], answer = c.send(http.MethodPost, path+"/rotate", byHand)
					if err := json.Unmarshal([]byte(answer), &two[n]); err != nil {
						c.Error(err)
					}
				})
			}
			both.Wait()
			slices.Sort(statuses[:])
			ok = two[0].SessionID != "" && two[0].SessionID == two[1].SessionID && statuses == [2]int{200, 201}
			if !ok {
				c.Errorf("two rotate %s at once: %v %s and %s", session, statuses, two[0].SessionID, two[1].SessionID)
			}
			next = two[0]
		case 2: // by a limit, with the message below
			ok = c.ask(200, http.MethodPatch, path+"?"+parameters("user_id", who), object{"rotate": object{"turns": 1}}, nil)
		case 3:
			ok = c.ask(200, http.MethodPatch, path+"?"+parameters("user_id", who), object{"closed": true}, nil) &&
				c.ask(201, http.MethodPost, path+"/rotate", byHand, &next)
		}
		var a carrying
		question := fmt.Sprintf("And what is next, after %d?", i)
		if !ok || !c.ask(200, http.MethodPost, "/v1/context", at.with(object{"session_id": next.SessionID, "append": list{user(question)}}), &a) {
			return
		}
		if a.SessionID == session || i%4 != 2 && a.SessionID != next.SessionID {
			c.Errorf("the context after %s is of %s, want %s", session, a.SessionID, next.SessionID)
		}
		all := a.everything()
		// What a busy machine takes from recall must not matter.
		if !strings.Contains(all, fact) || !strings.HasSuffix(all, "user: "+question+"\n") || a.Tokens.Used > a.Tokens.Budget {
			c.Errorf("%q, said to %s before it turned over to %s, is not there, or all is not in order:\n%s%+v %v", fact, session, a.SessionID, all, a.Tokens, a.Degraded)
			return
		}
		if strings.Count(all, "For ") != strings.Count(all, "For "+who+" ") {
			c.Errorf("%s is shown what is another's:\n%s", who, all)
		}
		session = a.SessionID
	}
}

// turnOver has sessions of several agents of several users turn over, each so many
// times, while others post.
func turnOver(t *testing.T, d *daemon, users, agents, times int) {
	t.Helper()
	c := d.caller(t)
	var turning, posting sync.WaitGroup
	done := make(chan struct{})
	for i := range 3 {
		posting.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				who, session := fmt.Sprint("u", n%users), fmt.Sprint("busy ", i)
				if i == 0 {
					who = "somebody else"
				}
				if !c.ask(201, http.MethodPost, "/v1/messages", object{"user_id": who, "session_id": session, "messages": list{user(fmt.Sprintf("I am at work on item %d.", n))}}, nil) {
					return
				}
			}
		})
	}
	for u := range users {
		for a := range agents {
			turning.Go(func() { agentTurns(c, fmt.Sprint("u", u), fmt.Sprint("agent ", a), times) })
		}
	}
	turning.Wait()
	close(done)
	posting.Wait()
}

// Nothing is settled here: what is said stands in the log and nowhere else.
func TestTurningOver(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t), "MEMD_WORKERS=0", "MEMD_API_KEYS=k-one=one:admin,k-two=two:admin,k-three=three:admin")
	as := func(t *testing.T, tenant string) caller { return d.caller(t, "Authorization", "Bearer k-"+tenant) }

	t.Run("under load", func(t *testing.T) {
		d := start(t, dataDir(t), "MEMD_WORKERS=0")
		turnOver(t, d, 4, 5, 5)
	})

	t.Run("by each limit", func(t *testing.T) {
		c := as(t, "one")
		for name, test := range map[string]struct {
			limits object
			first  []any // what is posted before the limit is reached
		}{
			"idle":   {object{"idle": "1ms"}, []any{user("The first.")}},
			"age":    {object{"age": "1ms"}, []any{user("The first.")}},
			"turns":  {object{"turns": 2}, []any{user("The first."), assistant("Yes."), user("The second.")}},
			"tokens": {object{"tokens": 20}, []any{user("The first, which is as long as twenty tokens at four bytes each are, and some more.")}},
		} {
			t.Run(name, func(t *testing.T) {
				c := as(t, "one")
				old := c.made(object{"user_id": "lim", "session_id": "of " + name, "agent_id": "a1", "rotate": test.limits, "metadata": object{"k": "v"}})
				c.turn("lim", old.SessionID, test.first...)
				// Only a user message begins something.
				if l := c.turn("lim", old.SessionID, assistant("The last of it.")); l.SessionID != old.SessionID {
					t.Errorf("what an assistant says lands in %s", l.SessionID)
				}
				var backfill landed
				c.want(201, http.MethodPost, "/v1/messages", object{"user_id": "lim", "session_id": old.SessionID, "priority": "backfill", "messages": list{user("From long ago.")}}, &backfill)
				if backfill.SessionID != old.SessionID {
					t.Errorf("what is from long ago lands in %s", backfill.SessionID)
				}
				// A request and its answer may take less than the shortest limit of time.
				last := *c.session("lim", old.SessionID).LastMessageAt
				memdtest.Until(t, "a limit of time is reached", func() bool { return time.Since(last) > time.Millisecond })
				a := c.carrying(object{"user_id": "lim", "session_id": old.SessionID, "append": list{user("The next.")}})
				if a.SessionID == old.SessionID || a.said() != "user: The next.\n" || !strings.Contains(a.everything(), "assistant: The last of it.") {
					t.Errorf("in %s:\n%s", a.SessionID, a.everything())
				}
				was, is := c.session("lim", old.SessionID), c.session("lim", a.SessionID)
				if was.ClosedAt == nil || text(was.NextSessionID) != a.SessionID || text(was.ForwardsTo) != a.SessionID || text(is.PreviousSessionID) != old.SessionID ||
					is.ClosedAt != nil || is.Messages != 1 || text(is.AgentID) != "a1" {
					t.Errorf("the old one is %+v, the next %+v", was, is)
				}
				if jsonOf(is.Rotate) != jsonOf(old.Rotate) || fmt.Sprint(is.Rotate[name]) != fmt.Sprint(test.limits[name]) {
					t.Errorf("limits %v, then %v", old.Rotate, is.Rotate)
				}
				// The old name means the next one where something is to be said, and itself where it
				// is read.
				if l := c.turn("lim", old.SessionID, assistant("Under the old name.")); l.SessionID != a.SessionID {
					t.Errorf("what is posted under the old name lands in %s", l.SessionID)
				}
				if again := c.carrying(object{"user_id": "lim", "session_id": old.SessionID}); again.SessionID != a.SessionID || !strings.HasSuffix(again.said(), "assistant: Under the old name.\n") {
					t.Errorf("the context under the old name is of %s:\n%s", again.SessionID, again.everything())
				}
				var p struct {
					SessionID string `json:"session_id"`
					Messages  []struct{ Content string }
				}
				c.want(200, http.MethodGet, "/v1/messages?limit=100&"+parameters("user_id", "lim", "session_id", old.SessionID), nil, &p)
				if p.SessionID != old.SessionID || len(p.Messages) != len(test.first)+2 {
					t.Errorf("%s has %+v", p.SessionID, p.Messages)
				}
			})
		}
		if n := len(c.sessionsOf("lim")); n < 8 {
			t.Errorf("%d sessions", n)
		}
	})

	t.Run("by the tenant's limits", func(t *testing.T) {
		c, other := as(t, "two"), as(t, "three")
		c.want(200, http.MethodPatch, "/v1/settings", object{"rotate": object{"turns": 1}}, nil)
		for _, from := range []caller{c, other} {
			from.turn("ten", "s", user("One."))
		}
		if l := other.turn("ten", "s", user("Two.")); l.SessionID != "s" {
			t.Errorf("another tenant's session turned over to %s", l.SessionID)
		}
		l := c.turn("ten", "s", user("Two."))
		if l.SessionID == "s" {
			t.Error("the tenant's limit does not hold")
		}
		c.made(object{"user_id": "ten", "session_id": "never", "rotate": object{"turns": 0}})
		for range 3 {
			if l := c.turn("ten", "never", user("On and on.")); l.SessionID != "never" {
				t.Errorf("a session without a limit turned over to %s", l.SessionID)
			}
		}
		c.want(200, http.MethodPatch, "/v1/settings", object{"rotate": object{"turns": nil}}, nil)
		if l2 := c.turn("ten", l.SessionID, user("Three.")); l2.SessionID != l.SessionID {
			t.Errorf("a limit that was taken away turned it over to %s", l2.SessionID)
		}
	})

	t.Run("a tool is being called", func(t *testing.T) {
		c := as(t, "one")
		call := func(id string) object {
			return object{"role": "assistant", "content": nil, "tool_calls": list{object{"id": id, "type": "function", "function": object{"name": "f", "arguments": "{}"}}}}
		}
		c.made(object{"user_id": "tool", "session_id": "s", "rotate": object{"turns": 2}})
		c.turn("tool", "s", user("One."), user("Two."), call("c1"))
		if l := c.turn("tool", "s", user("Still there?")); l.SessionID != "s" {
			t.Errorf("a call and its result are parted: %s", l.SessionID)
		}
		c.turn("tool", "s", object{"role": "tool", "tool_call_id": "c1", "content": "done"}, assistant("It is done."))
		if l := c.turn("tool", "s", user("Go on.")); l.SessionID == "s" {
			t.Error("it never turns over")
		}
		c.made(object{"user_id": "tool", "session_id": "endless", "rotate": object{"turns": 2}})
		c.turn("tool", "endless", user("One."), user("Two."), user("Three."), user("Four."), call("c1"))
		if l := c.turn("tool", "endless", user("Still there?")); l.SessionID == "endless" {
			t.Error("a call that is never answered keeps it from turning over")
		}
	})

	t.Run("late and closed", func(t *testing.T) {
		c := as(t, "one")
		c.turn("late", "s1", user("I am packing."), assistant("Good."))
		next := c.rotated("late", "s1")
		l := c.turn("late", "s1", user("The key lies under the mat."))
		if l.SessionID != "s1" || l.NextSessionID != next.SessionID || l.Messages[0].Ingest.State != "pending" {
			t.Errorf("what came late: %+v", l)
		}
		a := c.carrying(object{"user_id": "late", "session_id": next.SessionID, "append": list{user("Where is it?")}})
		if !strings.Contains(a.everything(), "user: The key lies under the mat.") || !slices.Contains(slices.Concat(a.Open, a.Carried), l.Messages[0].ID) {
			t.Errorf("what came late is not there: open %v, carried %v\n%s", a.Open, a.Carried, a.everything())
		}
		if again := c.carrying(object{"user_id": "late", "session_id": "s1"}); again.SessionID != "s1" {
			t.Errorf("the context of a session that was rotated by hand is of %s", again.SessionID)
		}

		path := sessionPath("s2") + "?user_id=late"
		c.turn("late", "s2", user("Hello."))
		var first, second turned
		c.want(200, http.MethodPatch, path, object{"closed": true}, &first)
		c.want(200, http.MethodPatch, path, object{"closed": true, "title": "Done"}, &second)
		if first.ClosedAt == nil || text(first.ClosedAt) != text(second.ClosedAt) || second.NextSessionID != nil || text(second.Title) != "Done" {
			t.Errorf("closed twice: %+v, %+v", first, second)
		}
		c.refused(http.MethodPatch, path, object{"closed": false}, "body.closed")
		if l := c.turn("late", "s2", user("One more thing.")); l.SessionID != "s2" || l.NextSessionID != "" {
			t.Errorf("posted to a closed session: %+v", l)
		}
		if s := c.rotated("late", "s2"); text(s.PreviousSessionID) != "s2" {
			t.Errorf("%+v", s)
		}
		if s := c.session("late", "s2"); text(s.ClosedAt) != text(first.ClosedAt) {
			t.Errorf("closed at %s, then rotated: %s", text(first.ClosedAt), text(s.ClosedAt))
		}
	})

	t.Run("every turn is in the window or open", func(t *testing.T) {
		c := as(t, "one")
		for i := range 20 {
			c.turn("fast", "s", user(fmt.Sprintf("Turn %02d says this.", i)), assistant(fmt.Sprintf("Answer %02d.", i)))
		}
		a := c.carrying(object{"user_id": "fast", "session_id": "s", "turns": 6})
		for i := range 20 {
			for _, want := range []string{fmt.Sprintf("user: Turn %02d says this.", i), fmt.Sprintf("assistant: Answer %02d.", i)} {
				if strings.Count(a.everything(), want) != 1 || strings.Contains(a.said(), want) != (i >= 14) {
					t.Errorf("%q stands in the wrong place of\n%s", want, a.everything())
				}
			}
		}
		if len(a.Open) != 28 || !slices.IsSorted(a.Open) || a.Tokens.Used > a.Tokens.Budget {
			t.Errorf("open %v, %+v", a.Open, a.Tokens)
		}
	})

	t.Run("the window is the new session's", func(t *testing.T) {
		c := as(t, "one")
		var old []int64
		for i := range 5 {
			old = append(old, c.turn("win", "s1", user(fmt.Sprintf("Old turn %d.", i))).ids()...)
		}
		next := c.rotated("win", "s1")
		a := c.carrying(object{"user_id": "win", "session_id": next.SessionID, "turns": 5, "append": list{user("New turn.")}})
		if a.said() != "user: New turn.\n" {
			t.Errorf("the window is\n%s", a.said())
		}
		for i, id := range old {
			if !slices.Contains(slices.Concat(a.Open, a.Carried), id) || !strings.Contains(a.everything(), fmt.Sprintf("user: Old turn %d.", i)) {
				t.Errorf("old turn %d is not said to be carried: %v %v\n%s", i, a.Open, a.Carried, a.everything())
			}
		}
		bare := c.carrying(object{"user_id": "win", "session_id": next.SessionID, "include_long_term": false})
		if bare.everything() != "user: New turn.\n" || len(bare.Open)+len(bare.Carried) != 0 {
			t.Errorf("without what was before: %v %v\n%s", bare.Open, bare.Carried, bare.everything())
		}
		if off := c.carrying(object{"user_id": "win", "session_id": next.SessionID, "carry_over": false}); len(off.Carried) != 0 {
			t.Errorf("carried: %v", off.Carried)
		}
		// A full window of its own, and it stands by itself.
		for i := range 5 {
			c.turn("win", next.SessionID, user(fmt.Sprintf("Turn %d of the new one.", i)))
		}
		if full := c.carrying(object{"user_id": "win", "session_id": next.SessionID, "turns": 5}); len(full.Carried) != 0 {
			t.Errorf("carried into a full window: %v", full.Carried)
		}
	})

	t.Run("a session is its user's", func(t *testing.T) {
		c := as(t, "one")
		c.turn("own", "mine", user("Mine."))
		c.refused(http.MethodGet, "/v1/messages?session_id=mine", nil, "query.user_id")
		c.refused(http.MethodGet, "/v1/sessions/mine", nil, "query.user_id")
		c.refused(http.MethodPost, "/v1/sessions/mine/rotate", object{}, "body.user_id")
		c.refused(http.MethodPost, "/v1/context", object{"session_id": "mine"}, "body.user_id")
		for _, who := range []string{"stranger", "own"} {
			session := map[string]string{"stranger": "mine", "own": "none"}[who]
			c.want(404, http.MethodGet, "/v1/messages?"+parameters("user_id", who, "session_id", session), nil, nil)
			c.want(404, http.MethodGet, sessionPath(session)+"?"+parameters("user_id", who), nil, nil)
			c.want(404, http.MethodPost, sessionPath(session)+"/rotate", object{"user_id": who}, nil)
		}
	})

	t.Run("appends at once touch nothing else", func(t *testing.T) {
		c := as(t, "one")
		c.made(object{"user_id": "two", "session_id": "s", "agent_id": "a", "rotate": object{"age": "90d", "turns": 1000}, "learn": false, "metadata": object{"plan": "gold", "n": 1}})
		c.want(200, http.MethodPatch, sessionPath("s")+"?user_id=two", object{"title": "Kept"}, nil)
		before := c.session("two", "s")
		var at sync.WaitGroup
		for w := range 4 {
			at.Go(func() {
				for i := range 10 {
					c.ask(201, http.MethodPost, "/v1/messages", object{"user_id": "two", "session_id": "s", "metadata": object{"w": w}, "messages": list{user(fmt.Sprint(w, " ", i)), assistant("Yes.")}}, nil)
				}
			})
		}
		at.Wait()
		after := c.session("two", "s")
		if after.Messages != 80 {
			t.Errorf("%d messages", after.Messages)
		}
		after.Messages, after.LastMessageAt = before.Messages, before.LastMessageAt
		if b, a := fmt.Sprintf("%+v", jsonOf(before)), fmt.Sprintf("%+v", jsonOf(after)); a != b {
			t.Errorf("before %s\nafter %s", b, a)
		}
	})

	t.Run("the order is that of the array", func(t *testing.T) {
		c := as(t, "one")
		var said []any
		for i := range 40 {
			role := "user"
			if i%2 == 1 {
				role = "assistant"
			}
			said = append(said, object{"role": role, "content": fmt.Sprintf("Number %02d.", i), "created_at": fmt.Sprintf("2026-03-02T10:%02d:00Z", 59-i)})
		}
		l := c.turn("ord", "s", said...)
		if !slices.IsSorted(l.ids()) {
			t.Errorf("ids %v", l.ids())
		}
		c.turn("ord", "s", object{"role": "user", "content": "Number 40.", "created_at": "2020-01-01"})
		a := c.carrying(object{"user_id": "ord", "session_id": "s", "turns": 100})
		var want strings.Builder
		for i := range 41 {
			fmt.Fprintf(&want, "%s: Number %02d.\n", []string{"user", "assistant"}[i%2], i)
		}
		if a.everything() != want.String() {
			t.Errorf("in the order\n%s", a.everything())
		}
	})

	t.Run("calls and results stay together", func(t *testing.T) {
		c := as(t, "one")
		arguments := `{"b": 1, "a": 12345678901234567890, "s": "é\u00e9 \"q\""}`
		call := func(id string) object {
			return object{"id": id, "type": "function", "function": object{"name": "look", "arguments": arguments}}
		}
		result := func(id string) object { return object{"role": "tool", "tool_call_id": id, "content": "found " + id} }
		c.turn("tools", "s", result("lost"), user("Look twice."), object{"role": "assistant", "content": nil, "tool_calls": list{call("c1"), call("c2")}}, result("c2"), result("c1"), assistant("Both are there."),
			user("Once more."), object{"role": "assistant", "content": nil, "tool_calls": list{call("c3")}}, result("c3"), object{"role": "assistant", "content": nil, "tool_calls": list{call("unanswered")}},
			user("And now?"))
		for _, turns := range []int{1, 2, 3, 5} {
			for budget := 20; budget < 1000; budget += 60 {
				a := c.carrying(object{"user_id": "tools", "session_id": "s", "turns": turns, "token_budget": budget})
				legal(t, a)
				if !strings.HasSuffix(a.everything(), "user: And now?\n") {
					t.Errorf("turns %d, budget %d: the newest is missing in\n%s", turns, budget, a.everything())
				}
				for _, m := range a.Messages {
					for _, tc := range m.ToolCalls {
						if tc.Function.Arguments != arguments {
							t.Errorf("arguments %s", tc.Function.Arguments)
						}
					}
				}
			}
		}
	})

	t.Run("learning turned off ends what is open", func(t *testing.T) {
		c := as(t, "one")
		c.turn("off", "s1", user("I keep bees."))
		c.turn("off", "s2", user("I keep goats."))
		var s turned
		c.want(200, http.MethodPatch, "/v1/sessions/s1?user_id=off", object{"learn": false}, &s)
		in := func() (n ingestStates) {
			c.want(200, http.MethodGet, "/v1/ingest?user_id=off", nil, &n)
			return n
		}
		if n := in(); s.Learn || n.States.Pending != 1 || n.States.Skipped != 1 {
			t.Errorf("one session: %+v %+v", s, n)
		}
		c.want(200, http.MethodPatch, "/v1/users/off", object{"learn": false}, nil)
		c.turn("off", "s3", user("I keep hens."))
		if n := in(); n.States.Pending != 0 || n.States.Skipped != 3 {
			t.Errorf("the user: %+v", n)
		}
		if a := c.carrying(object{"user_id": "off", "session_id": "s3"}); !strings.Contains(a.said(), "I keep hens.") {
			t.Errorf("the window lacks what is not learned from:\n%s", a.everything())
		}
		c.want(200, http.MethodPatch, "/v1/users/off", object{"learn": true}, nil)
		c.turn("off", "s3", user("I keep ducks."))
		c.turn("off", "s1", user("I keep geese."))
		if n := in(); n.States.Pending != 1 || n.States.Skipped != 4 {
			t.Errorf("turned on again, but for s1: %+v", n)
		}
	})
}

// legal fails unless a context can be sent to a model: results stand behind their call and
// all of them are there.
func legal(t *testing.T, a carrying) {
	t.Helper()
	due := map[string]bool{}
	for i, m := range a.Messages {
		if m.Role == "tool" {
			if !due[m.ToolCallID] {
				t.Errorf("the result of %s stands without its call in\n%s", m.ToolCallID, a.everything())
			}
			delete(due, m.ToolCallID)
			continue
		}
		if len(due) > 0 {
			t.Errorf("before message %d results are missing: %v in\n%s", i, due, a.everything())
		}
		due = map[string]bool{}
		for _, c := range m.ToolCalls {
			due[c.ID] = true
		}
		if len(m.ToolCalls) == 0 && (len(m.Content) == 0 || string(m.Content) == "null") {
			t.Errorf("message %d says nothing", i)
		}
	}
	if len(due) > 0 {
		t.Errorf("results are missing at the end: %v", due)
	}
}

func jsonOf(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

func (c caller) sessionsOf(user string) []turned {
	c.Helper()
	var p struct{ Sessions []turned }
	c.want(200, http.MethodGet, "/v1/sessions?limit=1000&"+parameters("user_id", user), nil, &p)
	return p.Sessions
}

// The same while all that is said is learned from.
func TestTurningOverWhileItIsLearned(t *testing.T) {
	t.Parallel()
	d := start(t, dataDir(t))

	t.Run("what was said last is learned once", func(t *testing.T) {
		c := d.caller(t)
		c.turn("once", "s1", user("Good morning!"))
		last := c.turn("once", "s1", user("My favorite tea is lapsang."))
		next := c.rotated("once", "s1")
		c.want(200, http.MethodPost, "/v1/sessions/s1/rotate", object{"user_id": "once"}, nil)
		late := c.turn("once", "s1", user("I live in Coimbra."))
		c.settle("once")
		c.sameTexts("all of it", c.of("user_id", "once").Results, "My favorite tea is lapsang", "I live in Coimbra")
		for _, id := range append(last.ids(), late.ids()...) {
			var m struct {
				Ingest struct {
					State    string
					Attempts int
					Memories []string
				}
			}
			c.want(200, http.MethodGet, messagePath(id), nil, &m)
			if m.Ingest.State != "done" || m.Ingest.Attempts != 1 || len(m.Ingest.Memories) != 1 {
				t.Errorf("message %d: %+v", id, m.Ingest)
			}
		}
		a := c.carrying(object{"user_id": "once", "session_id": next.SessionID, "append": list{user("What was I about to drink?")}})
		if !strings.Contains(a.everything(), "lapsang") || !strings.Contains(a.everything(), "Coimbra") || a.said() != "user: What was I about to drink?\n" {
			t.Errorf("the next context is\n%s", a.everything())
		}
	})

	t.Run("a summary is of one session", func(t *testing.T) {
		c := d.caller(t)
		facts := map[string][]string{
			"garden":  {"I planted three apple trees in March.", "The pond is two metres deep.", "My neighbour Ruth lends me her mower."},
			"journey": {"I booked a cabin on the night train to Vienna.", "My passport expires in June.", "Otto feeds the parrot meanwhile."},
		}
		for session, said := range facts {
			for _, s := range said {
				c.turn("sum", session, user(s), assistant("I see."))
			}
			c.turn("sum", session, user("Thanks!"), assistant("You are welcome."))
			c.turn("sum", session, user("Bye!"))
		}
		c.settle("sum")
		seen := map[string]string{}
		for session, said := range facts {
			a := c.carrying(object{"user_id": "sum", "session_id": session, "turns": 1, "query": "What is the weather like?"})
			for _, s := range said {
				if !strings.Contains(a.everything(), strings.TrimSuffix(s, ".")) {
					t.Errorf("%q of %s is neither in the window nor summed up:\n%s", s, session, a.everything())
				}
			}
			for _, id := range a.Summary.Memories {
				if m := c.get(id); text(m.RunID) != session || seen[id] != "" {
					t.Errorf("the summary of %s has %q of %s", session, m.Memory, text(m.RunID))
				}
				seen[id] = session
			}
			if off := c.carrying(object{"user_id": "sum", "session_id": session, "turns": 1, "summary": false, "query": "What is the weather like?"}); len(off.Summary.Memories) != 0 {
				t.Errorf("turned off: %v", off.Summary.Memories)
			}
			if none := c.carrying(object{"user_id": "sum", "session_id": session, "turns": 1, "recall": 1, "query": "What is the weather like?"}); len(none.Recalled)+len(none.Summary.Memories) < len(said) {
				t.Errorf("%d recalled, %d summed up", len(none.Recalled), len(none.Summary.Memories))
			}
		}
	})

	t.Run("every turn is in the window or summed up", func(t *testing.T) {
		c := d.caller(t)
		for i := range 20 {
			c.turn("long", "s", user(fmt.Sprintf("Crate number %d holds %d lemons.", 100+i, 7*i+3)), assistant("Noted."))
		}
		c.settle("long")
		a := c.carrying(object{"user_id": "long", "session_id": "s", "turns": 6, "query": "Who wrote it?"})
		for i := range 20 {
			if want := fmt.Sprintf("Crate number %d holds %d lemons", 100+i, 7*i+3); !strings.Contains(a.everything(), want) {
				t.Errorf("%q is lost in\n%s", want, a.everything())
			}
		}
	})

	t.Run("the turns of a moment ago are always there", func(t *testing.T) {
		c := d.caller(t)
		for i := range 3 {
			c.turn("now", "s", user(fmt.Sprintf("Ping %d", i)), assistant(fmt.Sprintf("Pong %d", i)))
			a := c.carrying(object{"user_id": "now", "session_id": "s"})
			for k := range i + 1 {
				if !strings.Contains(a.said(), fmt.Sprintf("user: Ping %d\nassistant: Pong %d\n", k, k)) {
					t.Errorf("after turn %d, turn %d is not in\n%s", i, k, a.everything())
				}
			}
		}
		c.settle("now") // nothing waits for more of it
	})

	t.Run("what is not learned from", func(t *testing.T) {
		c := d.caller(t)
		c.learn("My favorite color is blue", object{"user_id": "quiet"})
		c.made(object{"user_id": "quiet", "session_id": "s1", "learn": false})
		if l := c.turn("quiet", "s1", user("My favorite tea is lapsang.")); l.Messages[0].Ingest.State != "skipped" {
			t.Errorf("%+v", l)
		}
		next := c.rotated("quiet", "s1")
		if next.Learn {
			t.Error("the next session is learned from")
		}
		if a := c.carrying(object{"user_id": "quiet", "session_id": next.SessionID, "append": list{user("Which?")}}); !strings.Contains(a.everything(), "lapsang") {
			t.Errorf("what was said a moment ago is forgotten:\n%s", a.everything())
		}
		c.want(200, http.MethodPatch, "/v1/users/quiet", object{"learn": false}, nil)
		c.turn("quiet", "s2", user("My favorite bird is the wren."))
		if a := c.add(object{"user_id": "quiet", "messages": "My favorite fish is the pike"}); len(a.Results) != 0 {
			t.Errorf("learned: %+v", a)
		}
		c.keep("Stored as it is", object{"user_id": "quiet"})
		c.settle("quiet")
		c.sameTexts("all of it", c.of("user_id", "quiet").Results, "My favorite color is blue", "Stored as it is")
		c.want(200, http.MethodPatch, "/v1/users/quiet", object{"learn": true}, nil)
		c.say(object{"user_id": "quiet", "session_id": "s2", "messages": list{user("My favorite dog is the whippet.")}})
		c.sameTexts("on again", c.of("user_id", "quiet").Results, "My favorite color is blue", "Stored as it is", "My favorite dog is the whippet")
	})

	// Last, for the others would wait for all that is posted meanwhile.
	t.Run("under load", func(t *testing.T) {
		turnOver(t, d, 4, 5, 5)
	})
}

// What is not to be kept is taken away in the background; and of what was said incognito
// nothing is left anywhere.
func TestWhatIsKeptNoLongerGoes(t *testing.T) {
	t.Parallel() // it waits most of the time
	owner, app := memdtest.Postgres(t)
	d := start(t, memdtest.Dir(t), "MEMD_DB_ADMIN_URL="+owner, "DB_URL="+app, "MEMD_KEEP_MESSAGES=1s", "MEMD_INCOGNITO_IDLE=1s",
		"MEMD_ROTATE_TURNS=3", "MEMD_API_KEYS=k-one=one:admin,k-two=two:admin")
	one, two := d.caller(t, "Authorization", "Bearer k-one"), d.caller(t, "Authorization", "Bearer k-two")
	holding := func(word string) []string { return tablesHolding(t, owner, "one", word) }

	two.want(200, http.MethodPatch, "/v1/settings", object{"keep_messages": "0s"}, nil)
	stays := two.turn("ret", "s", user("My favorite tea is oolong."))
	two.settle("ret")

	hide := func(session string) (ids []int64) {
		one.made(object{"user_id": "ret", "session_id": session, "incognito": true, "metadata": object{"about": "quokka"}})
		var l landed
		one.want(201, http.MethodPost, "/v1/messages", object{"user_id": "ret", "session_id": session, "metadata": object{"seen": "quokka"}, "messages": list{
			object{"role": "user", "name": "quokka", "id": "quokka-" + session, "content": "My quokka is called Pip."}, assistant("A fine quokka.")}}, &l, "Idempotency-Key", session)
		return l.ids()
	}
	hidden := hide("closed")
	if a := one.carrying(object{"user_id": "ret", "session_id": "closed", "append": list{user("What is my quokka called?")}}); !strings.Contains(a.said(), "called Pip.") {
		t.Errorf("the window of a session that is incognito is\n%s", a.everything())
	}
	if tables := holding("quokka"); !slices.Contains(tables, "conversation_context") {
		t.Errorf("while it lives it stands in %v", tables)
	}
	one.want(200, http.MethodPatch, "/v1/sessions/closed?user_id=ret", object{"closed": true}, nil)
	hidden = append(hidden, hide("turned")...)
	if next := one.rotated("ret", "turned"); !next.Incognito || next.PreviousSessionID != nil {
		t.Errorf("what follows one that is incognito: %+v", next)
	}
	hidden = append(hidden, hide("limited")...)
	for i := range 3 { // the daemon's limit
		if l := one.turn("ret", "limited", user(fmt.Sprint("My quokka hops, ", i))); (l.SessionID != "limited") != (i == 2) {
			t.Errorf("turn %d is in %s", i+2, l.SessionID)
		}
	}
	// That one lives on, and so does one of which nobody says that it is over.
	hidden = append(hidden, hide("idle")...)

	kept := one.turn("ret", "s", user("My favorite tea is lapsang."))
	one.turn("ret", "done", user("My favorite bird is the wren."))
	one.settle("ret")
	one.want(200, http.MethodPatch, "/v1/sessions/done?user_id=ret", object{"closed": true}, nil)
	gone := func(path string) bool { status, _ := one.send(http.MethodGet, path, nil); return status == 404 }
	d.eventually("all is gone", func() bool {
		return gone(messagePath(kept.Messages[0].ID)) && gone("/v1/sessions/done?user_id=ret") && gone("/v1/sessions/idle?user_id=ret") && len(holding("quokka")) == 0
	})

	// What was learned stays, of what is gone.
	p := one.of("user_id", "ret")
	one.sameTexts("all of it", p.Results, "My favorite tea is lapsang", "My favorite bird is the wren")
	if s := one.search(object{"user_id": "ret", "query": "Which tea is my favorite?", "limit": 1}); len(s.Results) != 1 || !slices.Equal(s.Results[0].Sources, kept.ids()) {
		t.Errorf("%+v", s.Results)
	}
	if s := one.session("ret", "s"); s.Messages != 0 || s.ClosedAt != nil {
		t.Errorf("a session that is not closed: %+v", s)
	}
	if a := one.carrying(object{"user_id": "ret", "session_id": "s", "append": list{user("Which tea is my favorite?")}}); !strings.Contains(a.everything(), "user: My favorite tea is lapsang\n") || len(a.Degraded) > 0 {
		t.Errorf("%v\n%s", a.Degraded, a.everything())
	}
	two.want(200, http.MethodGet, messagePath(stays.Messages[0].ID), nil, nil)

	for _, id := range hidden {
		one.want(404, http.MethodGet, messagePath(id), nil, nil)
	}
	for _, session := range []string{"closed", "turned", "idle"} {
		one.want(409, http.MethodPost, "/v1/messages", object{"user_id": "ret", "session_id": session, "messages": list{user("Late.")}}, nil)
	}
	for _, s := range one.sessionsOf("ret") {
		if s.SessionID == "closed" || s.SessionID == "turned" || s.SessionID == "limited" || s.SessionID == "idle" {
			t.Errorf("it is listed: %+v", s)
		}
	}
}

// tablesHolding names the tables in which a tenant has a row with a word in it.
func tablesHolding(t *testing.T, ownerURL, tenant, word string) (holding []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), ownerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `SELECT set_config('memd.tenant', $1, false)`, tenant); err != nil {
		t.Fatal(err)
	}
	rows, err := conn.Query(t.Context(), `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatal(tables, err)
	}
	for _, table := range tables {
		name := pgx.Identifier{table}.Sanitize()
		var n int
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM `+name+` r WHERE r::text ILIKE '%' || $1 || '%'`, word).Scan(&n); err != nil {
			t.Fatal(table, err)
		}
		if n > 0 {
			holding = append(holding, table)
		}
	}
	return holding
}
