package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // zones are known whatever the machine has

	"github.com/danielgtaylor/huma/v2"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/shortterm"
)

type postMessagesInput struct {
	Body postMessages
}

type postMessages struct {
	UserID    identifier    `json:"user_id" required:"true" doc:"Whose messages they are."`
	SessionID identifier    `json:"session_id" doc:"The session they belong to. Default: a new one."`
	AgentID   identifier    `json:"agent_id" doc:"The agent that was talked to."`
	AppID     identifier    `json:"app_id" doc:"The app it was talked to in; memories of different apps are apart."`
	Messages  []chatMessage `json:"messages" required:"true" minItems:"1" maxItems:"1000" doc:"In the order they were said. All are written, or none."`
	Metadata  metadata      `json:"metadata" doc:"Passes to what is learned."`
	Timezone  string        `json:"timezone" default:"UTC" doc:"The IANA name of the zone that relative dates are meant in."`
	Infer     bool          `json:"infer" default:"true" doc:"false: logged, never learned from."`
	Scopes    []string      `json:"scopes" default:"USER,ASSISTANT" enum:"USER,ASSISTANT" doc:"Whose messages are learned from."`
	Priority  string        `json:"priority" default:"live" enum:"live,backfill" doc:"backfill waits behind live traffic."`

	// append is what the fields say, made by check.
	append shortterm.Append
}

// check makes of the fields what is to be written, and tells what is wrong with them.
func (b *postMessages) check(location string) []*memd.Error {
	messages, faults := parseMessages(b.Messages, location+".messages")
	zone, fault := checkZone(b.Timezone, location)
	if fault != nil {
		faults = append(faults, fault)
	}
	b.append = shortterm.Append{
		UserID: string(b.UserID), SessionID: string(b.SessionID), AgentID: string(b.AgentID), AppID: string(b.AppID),
		Messages: messages, Metadata: json.RawMessage(b.Metadata), Timezone: zone,
		Infer: b.Infer, Learn: roles(b.Scopes), Backfill: b.Priority == "backfill",
	}
	return faults
}

type postMessagesBatchInput struct {
	Body postMessagesBatch
}

type postMessagesBatch struct {
	Items batch[postMessages] `json:"items" required:"true" doc:"Bodies of POST /v1/messages, with at most 1,000 messages in all. All are written, or none."`
}

type appendBatchAnswer struct {
	Items []appendAnswer `json:"items" doc:"In the order given, each what POST /v1/messages answers."`
}

type appendAnswer struct {
	SessionID     string            `json:"session_id" doc:"Where they are: of a session that a limit has rotated, the one that follows it."`
	NextSessionID string            `json:"next_session_id,omitempty" doc:"The session that follows, of messages that came late to a closed one."`
	Messages      []appendedMessage `json:"messages" doc:"In the order given."`
}

type appendedMessage struct {
	ID        int64       `json:"id" doc:"The message's number; within a session they ascend."`
	ClientID  *string     `json:"client_id" doc:"The id the caller gave it, or null."`
	Role      string      `json:"role"`
	CreatedAt time.Time   `json:"created_at"`
	Ingest    ingestState `json:"ingest"`
	Duplicate bool        `json:"duplicate,omitempty" doc:"true: a message with this client_id stood there already, and stands as it was."`
	Deleted   bool        `json:"deleted,omitempty" doc:"true: it was deleted, and backfill does not bring it back. The id is the one it had."`
}

type ingestState struct {
	State string `json:"state" enum:"pending,running,failed,done,skipped,dead"`
}

// ingestDetail is all that is known of where a message stands.
type ingestDetail struct {
	State         string     `json:"state" enum:"pending,running,failed,done,skipped,dead" doc:"failed will be tried again; done, skipped and dead are settled."`
	Attempts      int        `json:"attempts"`
	NextAttemptAt *time.Time `json:"next_attempt_at" doc:"When a failed one is tried again at the earliest; null once that has come: it waits for a worker, or for what was away."`
	Error         *string    `json:"error" doc:"Class and code of the last failure."`
	Memories      []string   `json:"memories" doc:"Ids of the memories that it states; none before it has settled."`
	Extractor     *string    `json:"extractor"`
	SettledAt     *time.Time `json:"settled_at"`
	Degraded      []string   `json:"degraded,omitempty" doc:"Only where there is something to tell. embedding: one of the memories has no vector yet, as when the embedder was away or refuses its text: it is found by its words."`
}

type messagesInput struct {
	UserID    identifier `query:"user_id" required:"true" doc:"Whose session."`
	SessionID identifier `query:"session_id" doc:"Default: the user's latest; what comes late to a closed session makes it no later."`
	Turns     *int       `query:"turns" minimum:"1" maximum:"1000" doc:"How many turns: the last ones, or with after the first ones after it. 5 if there is neither a limit nor after. A turn is a user message and all that follows it up to the next."`
	Limit     *int       `query:"limit" minimum:"1" maximum:"1000" doc:"How many messages, in place of turns; with after 100 if there are no turns either."`
	Before    *int64     `query:"before" minimum:"1" doc:"Only messages before this id."`
	After     *int64     `query:"after" minimum:"0" doc:"Only messages after this id, and the first of them; 0 is before the very first. To read on, give the last id of the page before."`
	Wait      wait       `query:"wait" doc:"Wait up to this long (at most 60s) for there to be one after after, which it needs, or for the session to be rotated, closed or deleted; then answer, with none if none came."`
}

// What is read if the caller does not say how much: the last turns, or going forward so
// many messages.
const (
	defaultTurns   = 5
	defaultForward = 100
)

type messagesAnswer struct {
	SessionID string        `json:"session_id"`
	Messages  []loggedEntry `json:"messages" doc:"Chronological."`
	HasMore   bool          `json:"has_more" doc:"Whether there are more within the bounds: later ones with after, else earlier ones."`

	NextSessionID string `json:"next_session_id,omitempty" doc:"Of a session that was rotated: the one that follows it, where who reads on goes on once there are no more."`
	ForwardsTo    string `json:"forwards_to,omitempty" doc:"Of a session that a limit has rotated: where what is posted under its name lands now."`

	ClosedAt *time.Time `json:"closed_at,omitempty" doc:"When the session was closed; what comes late is still logged."`
}

type messageInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The message's id."`
	permission
}

// permission is the check that any route with an id in its path takes.
type permission struct {
	UserID  identifier `query:"user_id" doc:"404 unless it is this user's."`
	AgentID identifier `query:"agent_id" doc:"404 unless it is this agent's."`
}

func (p permission) scope(tenant string) memd.Scope {
	return memd.Scope{Tenant: tenant, UserID: string(p.UserID), AgentID: string(p.AgentID)}
}

// loggedEntry is a message of the log: the members it was given with, and ours.
type loggedEntry struct {
	entry shortterm.Entry
	// detail stands for the entry's ingest in full.
	detail *ingestDetail
}

// Schema gives the OpenAPI schema of a message of the log.
func (loggedEntry) Schema(r huma.Registry) *huma.Schema {
	s := chatMessage{}.Schema(r)
	s.Description = "A message with the members it was given with, and where it stands. id, client_id, user_id, session_id, metadata, created_at, received_at and ingest are always memd's own: members that were given under these names stay in the log but are not shown."
	at := func(doc string) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Format: "date-time", Description: doc}
	}
	s.Properties["id"] = &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
	s.Properties["client_id"] = &huma.Schema{Type: huma.TypeString, Description: "The id the caller gave it; missing if there was none."}
	s.Properties["created_at"] = at("When it was said.")
	s.Properties["received_at"] = at("When it came.")
	s.Properties["ingest"] = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Description: "state: pending, running, failed, done, skipped or dead. GET /v1/messages/{id} also gives attempts, next_attempt_at, error, memories, extractor and settled_at, and the message's user_id, session_id and metadata."}
	s.Required = []string{"id", "role", "content", "created_at", "received_at", "ingest"}
	return s
}

// ownMembers are the names that memd gives values under when it shows a message. What a
// message was given with under one of them is not shown, also where memd has nothing to
// say under it: nobody must be able to speak for memd. It stays in the log.
var ownMembers = map[string]bool{
	"id": true, "client_id": true, "user_id": true, "session_id": true,
	"metadata": true, "created_at": true, "received_at": true, "ingest": true,
}

// MarshalJSON puts our members around those of the message, whose values stay byte for
// byte. No member comes twice: of one that was given twice the last stands.
func (l loggedEntry) MarshalJSON() ([]byte, error) {
	m := l.entry.Message
	var b bytes.Buffer
	b.WriteString(`{"id":`)
	b.WriteString(strconv.FormatInt(m.ID, 10))
	write := func(name string, value []byte) {
		b.WriteByte(',')
		b.Write(memd.TrimJSON(encode(name)))
		b.WriteByte(':')
		b.Write(memd.TrimJSON(value))
	}
	last := map[string]json.RawMessage{}
	for name, value := range memd.JSONMembers(m.Raw) {
		if !ownMembers[name] {
			last[name] = value
		}
	}
	for name := range memd.JSONMembers(m.Raw) {
		if value, ok := last[name]; ok {
			write(name, value)
			delete(last, name)
		}
	}
	if m.ClientID != "" {
		write("client_id", encode(m.ClientID))
	}
	write("created_at", encode(m.CreatedAt.UTC()))
	write("received_at", encode(m.ReceivedAt.UTC()))
	if l.detail == nil {
		write("ingest", encode(ingestState{l.entry.Ingest.State}))
	} else {
		write("user_id", encode(m.UserID))
		write("session_id", encode(m.SessionID))
		write("metadata", encode(orEmptyObject(m.Metadata)))
		write("ingest", encode(l.detail))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (s *server) messageRoutes() {
	handle(s, operation{
		method: http.MethodPost, path: "/v1/messages", name: "append-messages", tag: "Short tier", effect: logs,
		summary:     "Write messages to the log",
		description: "201 means that they are durable. What is worth remembering is learned from them afterwards.",
		answers:     map[int]any{201: appendAnswer{}},
	}, s.postMessages)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/messages/batch", name: "append-messages-batch", tag: "Short tier", effect: logs, gives: true,
		summary:     "Write messages of several sessions to the log, or none of them",
		description: "In one transaction: what imports bring. It gives way to all other requests. What is backfill and was deleted here, by its id, does not come back. 422 lists every item that is wrong.",
		answers:     map[int]any{201: appendBatchAnswer{}},
	}, s.postMessagesBatch)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/messages", name: "list-messages", tag: "Short tier", waits: maxWait,
		summary:     "Read a session",
		description: "Chronological, in the order of arrival: the last ones, or with after the first ones after it, so that a client that gives the last id it saw misses nothing.",
		answers:     map[int]any{200: messagesAnswer{}},
	}, s.getMessages)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/messages/{id}", name: "get-message", tag: "Short tier",
		summary: "Read one message and where its ingest stands",
		answers: map[int]any{200: loggedEntry{}},
	}, s.getMessage)
}

func (s *server) postMessages(ctx context.Context, c *call, in *postMessagesInput) (answer, error) {
	a := in.Body.append
	a.Key = c.key
	appended, err := s.Log.Append(ctx, c.tenant, a)
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, replayed: appended.Replayed,
		body: shownAppend(appended)}, nil
}

func (s *server) postMessagesBatch(ctx context.Context, c *call, in *postMessagesBatchInput) (answer, error) {
	b := &in.Body.Items
	if err := b.err(); err != nil {
		return answer{}, err
	}
	all := make([]shortterm.Append, len(b.items))
	n := 0
	for i, item := range b.items {
		all[i] = item.append
		n += len(item.append.Messages)
	}
	if n > maxItems {
		return answer{}, memd.InvalidField("body.items", "must have at most %d messages in all", maxItems)
	}
	appended, err := s.Log.AppendAll(ctx, c.tenant, all, c.key)
	if err != nil {
		return answer{}, err
	}
	out, replayed := appendBatchAnswer{}, false
	for _, a := range appended {
		out.Items = append(out.Items, shownAppend(a))
		replayed = replayed || a.Replayed
	}
	return answer{status: http.StatusCreated, replayed: replayed, body: out}, nil
}

func shownAppend(a shortterm.Appended) appendAnswer {
	return appendAnswer{a.SessionID, a.NextSessionID, appendedMessages(a)}
}

func (s *server) getMessages(ctx context.Context, c *call, in *messagesInput) (answer, error) {
	page := shortterm.Page{UserID: string(in.UserID), SessionID: string(in.SessionID), Before: in.Before, After: in.After}
	switch {
	case in.Turns != nil && in.Limit != nil:
		return answer{}, memd.InvalidField("query.limit", "must not stand beside turns")
	case in.Turns != nil:
		page.Turns = *in.Turns
	case in.Limit != nil:
		page.Limit = *in.Limit
	case in.After != nil:
		page.Limit = defaultForward
	default:
		page.Turns = defaultTurns
	}
	if in.Wait > 0 {
		if in.After == nil {
			return answer{}, memd.InvalidField("query.wait", "needs after")
		}
		waiting, stop := s.waitFor(ctx, time.Duration(in.Wait))
		_, err := s.Log.AwaitAfter(waiting, c.tenant, page.UserID, page.SessionID, *in.After)
		stop()
		if err != nil {
			return answer{}, err
		}
	}
	// Asked first: what a session leads on from has all its messages.
	onward, err := s.Log.Onward(ctx, c.tenant, page.UserID, page.SessionID)
	if err != nil {
		return answer{}, err
	}
	session, entries, more, err := s.Log.Messages(ctx, c.tenant, page)
	if err != nil {
		return answer{}, err
	}
	out := messagesAnswer{SessionID: session, Messages: []loggedEntry{}, HasMore: more, NextSessionID: onward.Next, ForwardsTo: onward.ForwardsTo, ClosedAt: utc(onward.ClosedAt)}
	for _, e := range entries {
		out.Messages = append(out.Messages, loggedEntry{entry: e})
	}
	return ok(out)
}

func (s *server) getMessage(ctx context.Context, c *call, in *messageInput) (answer, error) {
	return s.message(ctx, c, in.ID, in.scope(c.tenant))
}

// message gives one message that carries every id of check.
func (s *server) message(ctx context.Context, c *call, id int64, check memd.Scope) (answer, error) {
	entry, err := s.Log.Message(ctx, c.tenant, id, check)
	if err != nil {
		return answer{}, err
	}
	i := entry.Ingest
	// The two are read at two moments: what was not settled at the first has nothing
	// to show, whatever came to be until the second.
	var memories map[int64][]string
	var degraded []string
	switch i.State {
	case shortterm.StateDone, shortterm.StateSkipped, shortterm.StateDead:
		var unembedded map[int64]bool
		if memories, unembedded, err = s.Store.MemoriesOf(ctx, c.tenant, []int64{id}); err != nil {
			return answer{}, err
		}
		if unembedded[id] {
			degraded = append(degraded, recall.Degraded)
		}
	}
	return ok(loggedEntry{entry: entry, detail: &ingestDetail{
		State: i.State, Attempts: i.Attempts, NextAttemptAt: utc(i.NextAttemptAt), Error: optional(i.Error),
		Memories: append([]string{}, memories[id]...), Extractor: optional(i.Extractor), SettledAt: utc(i.SettledAt), Degraded: degraded,
	}})
}

// parseMessages reads messages as callers send them. The faults name each message by
// its place.
func parseMessages(given []chatMessage, location string) ([]memd.Message, []*memd.Error) {
	messages := make([]memd.Message, 0, len(given))
	var faults []*memd.Error
	for i, raw := range given {
		m, err := memd.ParseMessage(json.RawMessage(raw))
		if err == nil {
			if twice, ok := memd.TwiceGiven(json.RawMessage(raw)); ok {
				err = memd.InvalidField(shown(twice), "must be given once")
			}
		} else if e := (*memd.Error)(nil); errors.As(err, &e) {
			err = memd.InvalidField(shown(e.Field), "%s", e.Msg)
		}
		if err != nil {
			fault := &memd.Error{Kind: memd.Invalid}
			errors.As(err, &fault)
			at := itemAt(location, i)
			if fault.Field != "" {
				at += "." + fault.Field
			}
			if len(faults) < maxFaults {
				faults = append(faults, memd.InvalidField(at, "%s", fault.Msg))
			}
			continue
		}
		messages = append(messages, m)
	}
	return messages, faults
}

// checkZone holds the zone of a body, or of an item of one, that lies at location to the
// names that IANA gives; "" stands for UTC.
func checkZone(name, location string) (string, *memd.Error) {
	if name == "UTC" {
		return "", nil
	}
	if name == "" || name == "Local" {
		return "", memd.InvalidField(location+".timezone", "must be the IANA name of a zone")
	}
	if _, known := zones.Load(name); known {
		return name, nil
	}
	if _, err := time.LoadLocation(name); err != nil {
		return "", memd.InvalidField(location+".timezone", "must be the IANA name of a zone")
	}
	if path.Clean(name) == name { // there are no end of other ways to write one
		zones.Store(name, true)
	}
	return name, nil
}

// zones are names of zones that were found to be there: a file is read to find out.
var zones sync.Map

// roles gives the roles that scopes stand for.
func roles(scopes []string) []memd.Role {
	learn := []memd.Role{}
	for _, scope := range scopes {
		switch scope {
		case "USER":
			learn = append(learn, memd.RoleUser)
		case "ASSISTANT":
			learn = append(learn, memd.RoleAssistant)
		}
	}
	return learn
}

func appendedMessages(a shortterm.Appended) []appendedMessage {
	out := []appendedMessage{}
	for _, m := range a.Messages {
		out = append(out, appendedMessage{ID: m.ID, ClientID: optional(m.ClientID), Role: string(m.Role),
			CreatedAt: m.CreatedAt.UTC(), Ingest: ingestState{m.State}, Duplicate: m.Duplicate, Deleted: m.Removed})
	}
	return out
}

// optional gives nil for what is not there.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
