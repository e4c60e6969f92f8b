package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/idempotency"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/remember"
)

type postMemoriesInput struct {
	Body postMemories
}

// postMemories is what one call adds, or one item of a batch.
type postMemories struct {
	Messages   anyMessages     `json:"messages" required:"true" doc:"What to remember: a text of the user's, a message, or messages."`
	UserID     identifier      `json:"user_id" doc:"Whose memory. One of user_id, agent_id and run_id is needed."`
	AgentID    identifier      `json:"agent_id"`
	RunID      identifier      `json:"run_id" doc:"The session it was said in."`
	AppID      identifier      `json:"app_id"`
	Metadata   metadata        `json:"metadata" doc:"Passes to the memories."`
	Infer      bool            `json:"infer" default:"true" doc:"true: what the messages state is learned. false: each message is stored as it is; one with an id is known by that within the user's memories (or the agent's, or the run's): what was deleted, edited or has expired does not come back by it, and what it says anew takes the place of what it said before."`
	Scopes     []string        `json:"scopes" default:"USER,ASSISTANT" enum:"USER,ASSISTANT" doc:"Whose messages are learned from, or stored."`
	Prompt     *string         `json:"prompt" doc:"With infer: how a chat model is to extract, in place of memd's own words; at most 32 KiB. Where no chat model takes it, degraded says prompt."`
	MemoryType identifier      `json:"memory_type" doc:"Becomes the memories'."`
	Scope      identifier      `json:"scope" doc:"Becomes the memories'."`
	Categories []string        `json:"categories" maxItems:"100" doc:"Become the memories', beside those that are found in the text."`
	Store      json.RawMessage `json:"store" doc:"true, or a name that is kept as metadata.store unless the metadata has that key. Never false: what is added is stored."`
	Filters    conditions      `json:"filters" doc:"Ids that are asked for here at the top level (user_id, agent_id, run_id, app_id) stand in for those missing beside it. Other conditions have no bearing on what is added."`
	ExpiresAt  *moment         `json:"expires_at" doc:"When it is to be found no more."`
	OccurredAt *moment         `json:"occurred_at" doc:"When what it speaks of happened."`
	Timezone   string          `json:"timezone" default:"UTC" doc:"The IANA name of the zone that relative dates are meant in."`
	Wait       bool            `json:"wait" default:"true" doc:"With infer: wait up to 30 s for what is learned. false: 202 at once."`

	// item is what the fields say, made by check.
	item remember.Item
}

type postBatchInput struct {
	Body postBatch
}

type postBatch struct {
	Memories batch[postMemories] `json:"memories" required:"true" doc:"Bodies of POST /v1/memories, with at most 1,000 messages in all. All are added, or none."`
}

type addAnswer struct {
	Results   []longterm.Event `json:"results" doc:"What happened to which memory: ADD, UPDATE, DELETE, or NONE where it was known already."`
	Relations []memd.Relation  `json:"relations" doc:"What the results say of how one thing stands to another."`
	Degraded  []string         `json:"degraded" doc:"embedding: the embedder is away; what was stored is found by its words until its vector follows. ingest: some messages could not be learned from, see dead letters. gone: some were erased or deleted before they were. llm: the rules learned in the chat model's place, if only from some. prompt: no chat model took it, the prompt had no bearing."`
}

type addLaterAnswer struct {
	IngestIDs []int64 `json:"ingest_ids" doc:"Ids of the messages that are being learned from; see GET /v1/messages/{id}."`
}

type addBatchAnswer struct {
	Items []any `json:"items" doc:"In the order given, each what POST /v1/memories answers: results, relations and degraded, or ingest_ids where it is still being learned from."`
}

// maxPrompt is the most bytes a prompt may have.
const maxPrompt = 32 << 10

func (s *server) addRoutes(tag string) {
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories", name: "add-memories", tag: tag, effect: writes, waits: s.cfg.LearnWait,
		summary: "Remember something",
		description: "With infer the messages are logged first (in the session run_id, else in one of their own), so that " +
			"nothing is lost whatever the models do; 202 if they are not all learned from in time, 409 if they were all erased or deleted meanwhile.",
		answers: map[int]any{200: addAnswer{}, 202: addLaterAnswer{}},
	}, s.postMemories)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/memories/batch", name: "add-memories-batch", tag: tag, effect: writes, waits: s.cfg.LearnWait,
		summary:     "Remember several things, or none of them",
		description: "202 if some are not learned from in time. 422 lists every item that is wrong.",
		answers:     map[int]any{200: addBatchAnswer{}, 202: addBatchAnswer{}},
	}, s.postBatch)
}

func (s *server) postMemories(ctx context.Context, c *call, in *postMemoriesInput) (answer, error) {
	bodies, status, err := s.add(ctx, c, []postMemories{in.Body})
	if err != nil {
		return answer{}, err
	}
	return answer{status: status, body: bodies[0]}, nil
}

func (s *server) postBatch(ctx context.Context, c *call, in *postBatchInput) (answer, error) {
	b := &in.Body.Memories
	if err := b.err(); err != nil {
		return answer{}, err
	}
	n := 0
	for _, item := range b.items {
		n += len(item.item.Messages)
	}
	if n > maxItems {
		return answer{}, memd.InvalidField("body.memories", "must have at most %d messages in all", maxItems)
	}
	bodies, status, err := s.add(ctx, c, b.items)
	if err != nil {
		return answer{}, err
	}
	return answer{status: status, body: addBatchAnswer{bodies}}, nil
}

// add adds all of what is given, or nothing. It gives an answer for each, and the status
// of them together.
func (s *server) add(ctx context.Context, c *call, given []postMemories) (bodies []any, status int, err error) {
	items := make([]remember.Item, len(given))
	var wait time.Duration
	for i, b := range given {
		items[i] = b.item
		items[i].Scope.Tenant = c.tenant
		if items[i].Later = !b.Wait; b.Wait {
			wait = s.cfg.LearnWait
		}
	}
	var key *idempotency.Key
	if c.derive != nil {
		// The log knows a repetition too: the answer may have been lost before it was kept.
		key = c.derive("#log")
	}
	results, err := s.Remember.Add(ctx, c.tenant, items, key, wait)
	if err != nil {
		return nil, 0, err
	}
	status = http.StatusOK
	for _, r := range results {
		if r.IngestIDs != nil {
			status = http.StatusAccepted
			bodies = append(bodies, addLaterAnswer{r.IngestIDs})
			continue
		}
		out := addAnswer{Results: append([]longterm.Event{}, r.Events...), Relations: []memd.Relation{}, Degraded: r.Degraded}
		ids := make([]string, 0, len(r.Events))
		for _, e := range r.Events {
			ids = append(ids, e.ID)
		}
		// It is stored whether or not more can be told about it.
		if relations, err := s.Store.Relations(ctx, c.tenant, ids); err == nil {
			out.Relations = relations
		}
		bodies = append(bodies, out)
	}
	return bodies, status, nil
}

// check makes of the fields what is to be remembered, and tells what is wrong with them.
func (b *postMemories) check(location string) []*memd.Error {
	var faults []*memd.Error
	wrong := func(f *memd.Error) {
		if f != nil && len(faults) < maxFaults {
			faults = append(faults, f)
		}
	}
	wrong(b.readScope(location))
	given, single, fault := messagesOf(b.Messages, location+".messages")
	wrong(fault)
	messages, unread := parseMessages(given, location+".messages")
	at := func(i int) string {
		if single {
			return location + ".messages"
		}
		return itemAt(location+".messages", i)
	}
	for _, f := range unread {
		if single {
			f.Field = at(0) + strings.TrimPrefix(f.Field, itemAt(location+".messages", 0))
		}
		wrong(f)
	}
	if !b.Infer && len(unread) == 0 {
		for i, m := range messages {
			if !memd.Findable(m.Text) {
				wrong(memd.InvalidField(at(i)+".content", "must have a text to be stored"))
			}
		}
	}
	for _, f := range checkCategories(b.Categories, location) {
		wrong(f)
	}
	prompt := ""
	if b.Prompt != nil {
		prompt = *b.Prompt
		switch {
		case memd.Blank(prompt):
			wrong(memd.InvalidField(location+".prompt", "must not be blank"))
		case len(prompt) > maxPrompt:
			wrong(memd.InvalidField(location+".prompt", "must have at most %d KiB", maxPrompt>>10))
		case strings.ContainsRune(prompt, 0):
			wrong(memd.InvalidField(location+".prompt", "must not hold the character U+0000"))
		}
	}
	wrong(b.readStore(location))
	zone, fault := checkZone(b.Timezone, location)
	wrong(fault)

	b.item.Messages, b.item.Metadata = messages, json.RawMessage(b.Metadata)
	b.item.Timezone, b.item.Infer, b.item.Roles = zone, b.Infer, roles(b.Scopes)
	if b.MemoryType != "" || b.Scope != "" || len(b.Categories) > 0 || b.ExpiresAt != nil || b.OccurredAt != nil || prompt != "" {
		b.item.LearnAs = &memd.LearnAs{MemoryType: string(b.MemoryType), Scope: string(b.Scope), Categories: b.Categories,
			ExpiresAt: b.ExpiresAt.pointer(), OccurredAt: b.OccurredAt.pointer(), Prompt: prompt}
	}
	return faults
}

// readScope says whose the memories are to be: by the ids given, else by those that the
// filters ask for.
func (b *postMemories) readScope(location string) *memd.Error {
	filters, err := parseFilter(b.Filters, location)
	if err != nil {
		return err.(*memd.Error)
	}
	scope, _ := filters.Narrow(memd.Scope{UserID: string(b.UserID), AgentID: string(b.AgentID), RunID: string(b.RunID), AppID: string(b.AppID)})
	for _, id := range []string{scope.UserID, scope.AgentID, scope.RunID, scope.AppID} {
		if id != "" {
			if err := memd.CheckID(location+".filters", id); err != nil {
				return err.(*memd.Error)
			}
		}
	}
	if scope.UserID == "" && scope.AgentID == "" && scope.RunID == "" {
		return memd.InvalidField(location+".user_id", "is required, or agent_id or run_id")
	}
	b.item.Scope = scope
	return nil
}

// readStore keeps the name of a store in the metadata.
func (b *postMemories) readStore(location string) *memd.Error {
	at := location + ".store"
	switch {
	case b.Store == nil || string(b.Store) == "true":
		return nil
	case string(b.Store) == "false":
		return memd.InvalidField(at, "must not be false: what is added is stored")
	case b.Store[0] != '"':
		return memd.InvalidField(at, "must be true or a name")
	}
	name, fault := readID(b.Store, at)
	if fault != nil {
		return fault
	}
	for key := range memd.JSONMembers(b.Metadata) {
		if key == "store" {
			return nil
		}
	}
	named := []byte(`{"store":` + string(memd.TrimJSON(encode(name))))
	if inner := memd.TrimJSON(bytes.TrimPrefix(memd.TrimJSON(b.Metadata), []byte("{"))); len(inner) > 1 {
		named = append(named, ',')
		b.Metadata = append(named, inner...)
	} else {
		b.Metadata = append(named, '}')
	}
	return checkMetadata(json.RawMessage(b.Metadata), location+".metadata")
}

// checkCategories holds categories to the form of ids.
func checkCategories(categories []string, location string) []*memd.Error {
	var faults []*memd.Error
	for i, category := range categories {
		if err := memd.CheckID(itemAt(location+".categories", i), category); err != nil {
			faults = append(faults, err.(*memd.Error))
		}
	}
	return faults
}

// messagesOf gives the messages of what POST /v1/memories takes: a string, a message,
// or an array of messages; single says that it is no array.
func messagesOf(raw anyMessages, location string) (given []chatMessage, single bool, fault *memd.Error) {
	switch raw[0] {
	case '"':
		if memd.Blank(memd.JSONString(raw)) {
			return nil, true, memd.InvalidField(location, "must not be blank")
		}
		return []chatMessage{chatMessage(fmt.Sprintf(`{"role":"user","content":%s}`, raw))}, true, nil
	case '{':
		return []chatMessage{chatMessage(raw)}, true, nil
	}
	for e := range memd.JSONElements(raw) {
		if len(given) == maxItems {
			return nil, false, memd.InvalidField(location, "must have at most %d items", maxItems)
		}
		given = append(given, chatMessage(e))
	}
	if len(given) == 0 {
		return nil, false, memd.InvalidField(location, "must have at least 1 item")
	}
	return given, false, nil
}
