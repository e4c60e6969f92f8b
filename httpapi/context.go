package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/assemble"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/shortterm"
)

type postContextInput struct {
	Body postContext
}

type postContext struct {
	UserID          identifier    `json:"user_id" required:"true" doc:"Who is talked with."`
	SessionID       identifier    `json:"session_id" doc:"The session. Default: a new one with append, else the user's latest, else a new one."`
	AgentID         identifier    `json:"agent_id" doc:"The agent that talks; what it remembers apart from users is recalled too."`
	Append          []chatMessage `json:"append" maxItems:"1000" doc:"Messages to write first, exactly as POST /v1/messages would."`
	Timezone        string        `json:"timezone" default:"UTC" doc:"Of append and query: the IANA name of the zone that relative dates are meant in."`
	Metadata        metadata      `json:"metadata" doc:"Of append: passes to what is learned."`
	Query           *string       `json:"query" doc:"What to recall for. Default, also for a blank one: the last two messages that carry text."`
	Turns           int           `json:"turns" default:"5" minimum:"0" maximum:"1000" doc:"How many of the last turns; 0 gives the system message alone."`
	Recall          int           `json:"recall" default:"10" minimum:"0" maximum:"1000" doc:"The most memories to recall."`
	Threshold       float64       `json:"threshold" default:"0" minimum:"0" maximum:"1" doc:"The least score of a memory."`
	Filters         conditions    `json:"filters" doc:"Conditions on memories; see Filters above."`
	RecallScope     []string      `json:"recall_scope" default:"user" enum:"user,agent,session" minItems:"1" doc:"user: whatever carries the user, and the agent's own memories without a user; agent and session narrow to what carries this agent or this session."`
	TokenBudget     int           `json:"token_budget" default:"4000" minimum:"1" maximum:"10000000" doc:"The most tokens of all that is to be sent."`
	IncludeLongTerm bool          `json:"include_long_term" default:"true" doc:"false: turns only."`
	Summary         bool          `json:"summary" default:"true" doc:"What of the session the turns do not show is summed up in the system message, unless there are no turns or nothing is to be recalled."`
	CarryOver       bool          `json:"carry_over" default:"true" doc:"What earlier sessions left open stands in the system message as long as this one has fewer turns than asked for, unless there are no turns."`
	Render          string        `json:"render" default:"messages" enum:"messages,system" doc:"system: recalls and turns in one system message."`
}

type contextAnswer struct {
	SessionID string            `json:"session_id"`
	Appended  []appendedMessage `json:"appended"`
	Messages  []json.RawMessage `json:"messages" doc:"In OpenAI's shape, to be sent as they are."`
	Recalled  []scoredMemory    `json:"recalled"`
	Open      []int64           `json:"open" doc:"Messages outside of the turns that are quoted in the system message since they are not settled."`
	Carried   []int64           `json:"carried" doc:"Messages of earlier sessions that are quoted."`
	Summary   contextSummary    `json:"summary" doc:"What stands in the system message for the messages of the session that the turns do not show."`
	Tokens    contextTokens     `json:"tokens"`
	Degraded  []string          `json:"degraded" doc:"What was away, so that less was recalled."`
}

type contextSummary struct {
	Upto     *int64   `json:"upto" doc:"The last message that the line of a model's summary is of; null without one."`
	Memories []string `json:"memories" doc:"Ids of memories of the session, beside those recalled."`
	Messages []int64  `json:"messages" doc:"Messages that are quoted since nothing else stands for them."`
	Trimmed  bool     `json:"trimmed" doc:"There was no room for all that has left the window, or a line of it was cut. What is cut of the turns says so itself."`
}

type contextTokens struct {
	Budget  int    `json:"budget"`
	Used    int    `json:"used"`
	Counter string `json:"counter" doc:"The tokenizer that counted."`
}

func (s *server) contextRoutes() {
	handle(s, operation{
		method: http.MethodPost, path: "/v1/context", name: "assemble-context", tag: "Context", effect: mayLog,
		summary: "Write what was said, and get what to send to the model",
		description: "One call a turn is enough. An Idempotency-Key covers append: a repetition appends nothing and " +
			"assembles anew. The long tier failing never fails the call: see degraded.",
		answers: map[int]any{200: contextAnswer{}},
	}, s.postContext)
}

func (s *server) postContext(ctx context.Context, c *call, in *postContextInput) (answer, error) {
	b := in.Body
	messages, faults := parseMessages(b.Append, "body.append")
	zone, fault := checkZone(b.Timezone, "body")
	if fault != nil {
		faults = append(faults, fault)
	}
	if b.AgentID == "" && slices.Contains(b.RecallScope, "agent") {
		faults = append(faults, memd.InvalidField("body.agent_id", "is required for the recall_scope agent"))
	}
	filters, err := parseFilter(b.Filters, "body")
	if err != nil {
		return answer{}, err
	}
	if err := invalid(faults); err != nil {
		return answer{}, err
	}
	if b.Query != nil && !memd.Findable(*b.Query) {
		b.Query = nil
	}

	sessionID := string(b.SessionID)
	var appended shortterm.Appended
	here := false
	switch {
	case len(messages) > 0:
		if err := c.requireWriter(); err != nil {
			return answer{}, err
		}
		appended, err = s.Log.Append(ctx, c.tenant, shortterm.Append{
			UserID: string(b.UserID), SessionID: sessionID, AgentID: string(b.AgentID), Messages: messages,
			Metadata: json.RawMessage(b.Metadata), Timezone: zone, Infer: true,
			Learn: []memd.Role{memd.RoleUser, memd.RoleAssistant}, Key: c.key,
		})
		if err != nil {
			return answer{}, err
		}
		sessionID = appended.SessionID
		// Where something new was written the answer is of that session, though others may
		// have gone on to the next one.
		here = slices.ContainsFunc(appended.Messages, func(m shortterm.AppendedMessage) bool { return !m.Duplicate })
	case sessionID == "" && slices.Contains(b.RecallScope, "session"):
		if sessionID, err = s.latestSession(ctx, c.tenant, string(b.UserID)); err != nil {
			return answer{}, err
		}
	}
	assembled, err := s.Assembler.Assemble(ctx, c.tenant, assemble.Request{
		UserID: string(b.UserID), SessionID: sessionID, Here: here, AgentID: string(b.AgentID), Query: b.Query, Timezone: zone, Turns: b.Turns,
		Recall: b.Recall, Threshold: b.Threshold, Filters: filters, RecallScope: b.RecallScope, TokenBudget: b.TokenBudget,
		IncludeLongTerm: b.IncludeLongTerm, Summary: b.Summary, CarryOver: b.CarryOver, Render: b.Render,
	})
	if err != nil {
		return answer{}, err
	}
	out := contextAnswer{
		SessionID: assembled.SessionID, Appended: appendedMessages(appended), Messages: assembled.Messages,
		Recalled: scoredMemories(assembled.Recalled), Degraded: append([]string{}, assembled.Degraded...),
		Open: assembled.Open, Carried: assembled.Carried, Summary: contextSummary(assembled.Summary),
		Tokens: contextTokens{assembled.Tokens.Budget, assembled.Tokens.Used, assembled.Tokens.Counter},
	}
	if out.SessionID == "" {
		out.SessionID = uuid.NewString() // comes to be with its first message
	}
	if out.Messages == nil {
		out.Messages = []json.RawMessage{}
	}
	return answer{status: http.StatusOK, body: out, replayed: appended.Replayed}, nil
}

// latestSession names the user's latest session, or one that is not there yet.
func (s *server) latestSession(ctx context.Context, tenant, userID string) (string, error) {
	id, _, _, err := s.Log.Messages(ctx, tenant, shortterm.Page{UserID: userID, Limit: 1})
	if memd.KindOf(err) == memd.NotFound && err != nil {
		return uuid.NewString(), nil
	}
	return id, err
}

// parseFilter reads the filters of a body, or of an item of one, that lies at location.
func parseFilter(given conditions, location string) (longterm.Filter, error) {
	if len(given) == 0 {
		return longterm.Filter{}, nil
	}
	filter, err := longterm.ParseFilter(json.RawMessage(given))
	var fault *memd.Error
	if errors.As(err, &fault) {
		return longterm.Filter{}, memd.InvalidField(location+"."+fault.Field, "%s", fault.Msg)
	}
	return filter, err
}
