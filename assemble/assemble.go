package assemble

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/shortterm"
	"github.com/rs/zerolog"
	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/panics"
)

// Defaults of a request.
const (
	DefaultTurns       = 5
	DefaultRecall      = 10
	DefaultTokenBudget = 4000
)

// What a context is called degraded by when the long tier did not answer: nothing is
// recalled from it, or what the window does not show is not summed up. What went less
// wrong, package recall names.
const (
	Degraded        = "recall"
	DegradedSummary = "summary"
)

const (
	// queryTurns is how many turns are read to find the last two messages with text.
	queryTurns = 2
	// queryRunes bounds what is asked for, about what an embedding model reads.
	queryRunes = 2000
	// moreHits is how many hits are asked for beyond those wanted, to have enough when
	// the window shows some of them. They cost next to nothing: a search ranks more.
	moreHits = 50
	// maxSaidBefore is how many messages of an earlier session are looked at for its last
	// words.
	maxSaidBefore = 4
	// bytesPerToken is how many bytes of the log are read for each token of the budget to
	// find what stands nowhere else, up to maxBeforeTokens; what was learned from is among
	// them too.
	bytesPerToken   = 16
	maxBeforeTokens = 1 << 18
	// earlierMemories is how many memories may stand for what the window does not show.
	earlierMemories = 100
)

// Config says how contexts look; the zero value is usable.
type Config struct {
	// Header is the first line of what is recalled; default "retrieved memories:".
	Header string
	// Line is the form of each recalled line, with {speaker}, the actor's name or else
	// the role, and {text}; default "{speaker}: {text}". It must hold {text}.
	Line string
	// KeepSecrets leaves secrets in what is quoted of the log.
	KeepSecrets bool
	// RecallTimeout is how long a context waits for the long tier; default 5 s.
	RecallTimeout time.Duration
	Log           zerolog.Logger
}

func (c Config) withDefaults() Config {
	if c.Header == "" {
		c.Header = "retrieved memories:"
	}
	if c.Line == "" {
		c.Line = "{speaker}: {text}"
	}
	if c.RecallTimeout <= 0 {
		c.RecallTimeout = 5 * time.Second
	}
	return c
}

// placeholder is what may stand for something in the form of a recalled line.
var placeholder = regexp.MustCompile(`\{[\pL\pN_.-]*\}`)

// CheckLine says what is wrong with the form of a recalled line.
func CheckLine(line string) error {
	if !strings.Contains(line, "{text}") || strings.ContainsAny(line, "\r\n") {
		return errors.New("must be one line that holds {text}")
	}
	for _, p := range placeholder.FindAllString(line, -1) {
		if p != "{text}" && p != "{speaker}" {
			return fmt.Errorf("must hold nothing in braces but {speaker} and {text}, not %s", p)
		}
	}
	return nil
}

// CheckHeader says what is wrong with the first line of what is recalled.
func CheckHeader(header string) error {
	if strings.ContainsAny(header, "\r\n") || header != "" && strings.TrimSpace(header) == "" {
		return errors.New("must be one line")
	}
	return nil
}

// Assembler makes contexts. It is safe for concurrent use.
type Assembler struct {
	log     *shortterm.Log
	store   *longterm.Store
	recall  *recall.Recall
	cfg     Config
	counter func() (*counter, error)
	// harmless are texts that were quoted before.
	harmless *harmless
}

// New makes an Assembler. The tokenizer is loaded in the background; the first
// context waits for it.
func New(log *shortterm.Log, store *longterm.Store, recall *recall.Recall, cfg Config) (*Assembler, error) {
	cfg = cfg.withDefaults()
	if err := CheckLine(cfg.Line); err != nil {
		return nil, fmt.Errorf("the form of a recalled line %w", err)
	}
	if err := CheckHeader(cfg.Header); err != nil {
		return nil, fmt.Errorf("the first line of what is recalled %w", err)
	}
	harmless, err := newHarmless()
	if err != nil {
		return nil, err
	}
	a := &Assembler{log: log, store: store, recall: recall, cfg: cfg, counter: sync.OnceValues(newCounter), harmless: harmless}
	go func() { _, _ = a.counter() }() // ends by itself
	return a, nil
}

// Request says what context is wanted.
type Request struct {
	UserID, SessionID, AgentID string
	// Here says that the context is of the session itself, also where a limit has rotated it:
	// it has just taken a message, and another's may have opened the next one since.
	Here bool
	// Query is what to recall for; nil or blank stands for the last two messages of
	// the session that carry text.
	Query *string
	// Timezone is the IANA name of the zone in which days that Query tells from today are meant;
	// "" is UTC. What the last messages say is meant when and where they were said.
	Timezone string
	// Turns is how many turns are wanted, none with 0. Recall is how many memories are
	// wanted at most, none with 0, and Threshold their least score. Those that are pinned come
	// first, whatever their score, up to longterm.MaxPinned.
	Turns, Recall int
	Threshold     float64
	Filters       longterm.Filter
	// RecallScope narrows what is recalled: "user" is what carries the user, and the
	// agent's own memories without a user; "agent" what also carries the agent,
	// "session" (or "run") what also carries the session. Empty means "user".
	RecallScope []string
	// TokenBudget is for all that is sent, in Counter's tokens; 0 means
	// DefaultTokenBudget. Below about 20 tokens used can be more than the budget: the
	// newest user message is never dropped.
	TokenBudget int
	// IncludeLongTerm is false for the turns alone.
	IncludeLongTerm bool
	// Summary has what of the session the turns do not show summed up: by a model's summary,
	// if there is one, and by the memories of the session, in order. CarryOver has what
	// earlier sessions left open stand in a session with fewer turns than asked for. Neither
	// counts without turns.
	Summary, CarryOver bool
	// Render is RenderMessages or RenderSystem; "" means RenderMessages.
	Render string
}

// Context is what a chat model is to be sent.
type Context struct {
	SessionID string
	// Messages are in OpenAI's chat format and hold no other members; never nil.
	Messages []json.RawMessage
	// Recalled are the memories among Messages, in their order; never nil.
	Recalled []longterm.Hit
	// Open are the unsettled messages outside of the turns that are quoted, and Carried
	// those of earlier sessions; never nil.
	Open, Carried []int64
	Summary       Summary
	Tokens        Tokens
	// Degraded names what failed without failing the context; never nil.
	Degraded []string
}

// Summary says what stands for the messages that the turns do not show.
type Summary struct {
	// Upto is the last message that the model's summary is of, nil if none is shown.
	Upto *int64
	// Memories are the ids of those of the session, Messages those of the messages that are
	// quoted, since nothing else stands for them; never nil.
	Memories []string
	Messages []int64
	// Trimmed says that the budget left no room for all.
	Trimmed bool
}

// Tokens says how much of the budget is used: of everything that is sent, each
// message counted with a frame of 3 tokens and the answer with one of 3, as OpenAI's
// chat models do; an image counts 1105, or 85 with "detail": "low".
type Tokens struct {
	Budget  int    `json:"budget"`
	Used    int    `json:"used"`
	Counter string `json:"counter" doc:"The tokenizer that was counted with."`
}

// Assemble makes the context of a session for its next answer. A session that is not
// there (yet) has no turns, which is no error. Errors are Invalid, or Unavailable
// when the log cannot be read; a long tier that fails is named in Degraded.
func (a *Assembler) Assemble(ctx context.Context, tenant string, r Request) (Context, error) {
	scope, ownAgent, err := r.check()
	if err != nil {
		return Context{}, err
	}
	counter, err := a.counter()
	if err != nil {
		return Context{}, &memd.Error{Kind: memd.Internal, Op: "assemble.counter", Err: err}
	}
	c := &composer{counter: counter.until(ctx.Done()), header: a.cfg.Header, line: a.cfg.Line}

	query := longterm.Query{Scope: scope, OwnAgentToo: ownAgent, Limit: min(r.Recall+moreHits, longterm.MaxLimit), Threshold: r.Threshold, Filters: r.Filters, Pinned: true}
	if r.Query != nil {
		query.Text, query.AskedAt = strings.TrimSpace(*r.Query), memd.InZone(time.Now(), r.Timezone)
	}
	recalls := r.IncludeLongTerm && r.Recall > 0
	// What is recalled of the session alone is that of the one which a limit has rotated it
	// to: the window tells.
	early := query.Text != "" && scope.RunID == ""

	searching, stop := context.WithCancel(ctx)
	defer stop()
	var found recalled
	var search conc.WaitGroup
	if recalls && early {
		search.Go(func() { found = a.search(searching, tenant, query) })
	}
	window, err := a.read(ctx, tenant, r)
	if err != nil {
		stop()
		search.Wait()
		return Context{}, err
	}
	var earlier []said
	for _, p := range window.past {
		for _, e := range p.Entries {
			earlier = append(earlier, said{id: e.ID, role: e.Role, name: e.Name, text: e.Text})
		}
	}
	c.secrets = newSecrets(a.cfg.KeepSecrets, a.harmless, earlier, window.open, window.before, window.read)
	m := material{window: window.shown, limit: r.Recall, budget: r.TokenBudget, render: r.Render}
	if r.IncludeLongTerm {
		m.open, m.unread = window.open, window.unread
		m.results = r.Turns > 0
	}
	before := r.IncludeLongTerm && r.Turns > 0
	if !before || !r.CarryOver {
		window.past = nil
	}
	var certain []int64
	if recalls && !early || before && r.Summary {
		certain = c.certain(m)
	}
	if scope.RunID != "" {
		query.Scope.RunID = window.sessionID
	}
	if recalls && !early && query.Text != "" {
		search.Go(func() { found = a.search(searching, tenant, query) })
	} else if recalls && !early {
		words := window.read
		if len(window.past) > 0 {
			words = append(saidBefore(window.past[0]), words...)
		}
		query.Text, query.ExcludeSources = lastWords(words), certain
		query.AskedAt = window.lastSaid
		search.Go(func() { found = a.search(searching, tenant, query) })
	}
	m.more = r.Summary && len(window.past) > 0 && window.morePast
	var degraded, unquoted []string
	var account told
	summarises := before && r.Summary && len(certain) < window.messages
	if summarises || len(window.past)+len(m.open) > 0 {
		asked := query
		search.Go(func() {
			told, err := a.told(searching, tenant, asked, window, summarises, certain)
			if err != nil {
				a.cfg.Log.Warn().Err(err).Msg("what has settled is not quoted")
				unquoted = append(unquoted, DegradedSummary)
			}
			told.secrets = c.secrets
			account = told
			m.open = told.quotable(m.open)
			if summarises {
				m.quotes, m.said, m.window = true, told.quotable(window.before), told.quotable(window.shown)
			}
			if r.Summary && len(window.past) > 0 {
				m.quotes, m.said = true, append(told.quotable(window.saidEarlier()), m.said...)
			}
			m.carried = carryOver(told.past(window.past), r.TokenBudget/recallShare*bytesPerToken, c.secrets)
		})
	}
	learned := 0
	if summarises {
		if s := window.summary; s != nil {
			m.earlier.summary, m.earlier.upto = s.Text, s.Upto
		}
		m.more = m.more || window.more
		if r.Recall > 0 {
			scope.RunID = window.sessionID
			search.Go(func() {
				var err error
				if m.earlier.memories, learned, err = a.learned(searching, tenant, scope, r.Filters); err != nil {
					a.cfg.Log.Warn().Err(err).Msg("nothing stands for what has left a window")
					degraded = append(degraded, DegradedSummary)
				}
			})
		}
	}
	search.Wait()
	if found.err != nil {
		return Context{}, found.err
	}
	m.earlier.more = learned > m.known() && !m.earlier.coversTheFirst()

	if len(degraded) == 0 {
		degraded = unquoted
	}

	if !account.asked && slices.ContainsFunc(found.hits, func(h longterm.Hit) bool { return h.Role != string(memd.RoleUser) }) {
		if account, err = a.ask(ctx, tenant, longterm.Telling{Scope: query.Scope}); err != nil {
			a.cfg.Log.Warn().Err(err).Msg("what says back what was taken away is recalled")
		}
	}
	replies, err := a.replies(ctx, tenant, query.Scope, account, found.hits, m.earlier.memories)
	if err != nil {
		a.cfg.Log.Warn().Err(err).Msg("what answers what was taken away is recalled")
	}
	saysBack := func(m memd.Memory) bool {
		return !m.Pinned && (account.SaysBack(m.Role, m.Memory) || replies.saysBack(m))
	}
	found.hits = slices.DeleteFunc(found.hits, func(h longterm.Hit) bool { return saysBack(h.Memory) })
	m.earlier.memories = slices.DeleteFunc(m.earlier.memories, saysBack)
	m.passages = map[string]string{}
	for _, h := range found.hits {
		m.memories = append(m.memories, h.Memory)
		if h.Passage != h.Memory.Memory && !h.Pinned { // what is pinned is to stand there
			m.passages[h.ID] = h.Passage
		}
	}
	made, err := c.compose(ctx, m)
	if err != nil {
		return Context{}, &memd.Error{Kind: memd.Unavailable, Op: "assemble.compose", Err: err}
	}
	out := Context{
		SessionID: window.sessionID,
		Messages:  made.messages,
		Recalled:  make([]longterm.Hit, 0, len(made.recalled)),
		Open:      append([]int64{}, made.open...),
		Carried:   append([]int64{}, made.carried...),
		Summary:   Summary{Memories: []string{}, Messages: append([]int64{}, made.quoted...), Trimmed: made.omitted},
		Tokens:    Tokens{Budget: r.TokenBudget, Used: made.used, Counter: Counter},
		Degraded:  append(append([]string{}, found.degraded...), degraded...),
	}
	if made.summary {
		out.Summary.Upto = &m.earlier.upto
	}
	for _, i := range made.summarised {
		out.Summary.Memories = append(out.Summary.Memories, m.earlier.memories[i].ID)
	}
	for _, i := range made.recalled {
		out.Recalled = append(out.Recalled, found.hits[i])
	}
	return out, nil
}

// check completes the request and gives the scope of its recall, and the agent whose
// own memories belong to it.
func (r *Request) check() (scope memd.Scope, ownAgent string, err error) {
	scope.UserID, ownAgent = r.UserID, r.AgentID
	for i, s := range r.RecallScope {
		field := fmt.Sprintf("recall_scope[%d]", i)
		switch s {
		case "user":
		case "agent":
			if r.AgentID == "" {
				return scope, "", memd.InvalidField(field, "needs an agent_id")
			}
			scope.AgentID = r.AgentID
		case "session", "run":
			if r.SessionID == "" {
				return scope, "", memd.InvalidField(field, "needs a session_id")
			}
			scope.RunID, ownAgent = r.SessionID, ""
		default:
			return scope, "", memd.InvalidField(field, "must be one of user, agent, session")
		}
	}
	switch r.Render {
	case "":
		r.Render = RenderMessages
	case RenderMessages, RenderSystem:
	default:
		return scope, "", memd.InvalidField("render", "must be messages or system")
	}
	switch {
	case r.UserID == "":
		return scope, "", memd.InvalidField("user_id", "is required")
	case r.Turns < 0:
		return scope, "", memd.InvalidField("turns", "must not be negative")
	case r.Recall < 0:
		return scope, "", memd.InvalidField("recall", "must not be negative")
	case r.TokenBudget < 0:
		return scope, "", memd.InvalidField("token_budget", "must not be negative")
	case r.TokenBudget == 0:
		r.TokenBudget = DefaultTokenBudget
	}
	return scope, ownAgent, nil
}

// windowRead is what was read of the log.
type windowRead struct {
	sessionID string
	// read are the messages that were read, shown those of the turns asked for, open
	// the unsettled ones outside of those. All are chronological.
	read, shown, open []said
	// before are settled messages outside of those shown that the summary is not of, the
	// newest of those there are, chronological; more says that there are others.
	before []said
	more   bool
	// lastSaid is when the last of the messages read was said, in its zone; zero without any.
	lastSaid time.Time
	// unread is how many others there are before open.
	unread int
	// messages is how many the session has; summary is a model's of its beginning, and
	// past are the sessions before it; morePast says that not all of these was read.
	messages int
	summary  *shortterm.Summary
	past     []shortterm.Past
	morePast bool
}

func (a *Assembler) read(ctx context.Context, tenant string, r Request) (windowRead, error) {
	room := 0
	if r.IncludeLongTerm && r.Summary && r.Turns > 0 {
		room = min(r.TokenBudget, maxBeforeTokens) * bytesPerToken
	}
	window := a.log.Window
	if r.Here {
		window = a.log.WindowHere
	}
	w, err := window(ctx, tenant, r.UserID, r.SessionID, max(r.Turns, queryTurns), room)
	switch kind := memd.KindOf(err); {
	case err == nil:
	case kind == memd.NotFound:
		return windowRead{sessionID: r.SessionID}, nil
	case kind == memd.Invalid:
		return windowRead{}, err
	default:
		return windowRead{}, &memd.Error{Kind: memd.Unavailable, Op: "assemble.window",
			Msg: "the messages cannot be read", RetryAfter: max(memd.RetryAfterOf(err), time.Second), Err: err}
	}
	out := windowRead{sessionID: r.SessionID, summary: w.Summary, past: w.Past, morePast: w.MorePast, more: w.MoreBefore, unread: w.MoreOpen}
	if w.Session != nil {
		out.sessionID, out.messages = w.Session.SessionID, w.Session.Messages
	}
	for _, e := range w.Open {
		out.open = append(out.open, saidOf(e))
	}
	for _, e := range w.Before {
		out.before = append(out.before, saidOf(e))
	}
	for _, e := range w.Entries {
		out.read = append(out.read, saidOf(e))
	}
	if n := len(w.Entries); n > 0 {
		out.lastSaid = w.Entries[n-1].SaidAt()
	}
	from := lastTurns(out.read, r.Turns)
	out.shown = out.read[from:]
	for _, s := range out.read[:from] {
		switch {
		case s.open:
			out.open = append(out.open, s)
		case w.Summary == nil || s.id > w.Summary.Upto:
			out.before = append(out.before, s)
		}
	}
	return out, nil
}

func saidOf(e shortterm.Entry) said {
	s := said{id: e.ID, role: e.Role, name: e.Name, text: e.Text, raw: e.Raw}
	s.does, s.marks = doings(e.Role, e.Raw)
	switch e.Ingest.State {
	case shortterm.StatePending, shortterm.StateRunning, shortterm.StateFailed:
		s.open = true
	default:
		s.silent = (e.Role.Learnable() || e.Role == memd.RoleTool) && !e.Forgotten() && s.words() != ""
	}
	return s
}

// told is what became of what was learned from messages.
type told struct {
	longterm.Account
	// asked says that somebody asked, unknown that it could not be found out.
	asked, unknown bool
	secrets        secrets
}

// told asks about the messages of earlier sessions and those that are open, and if own says so
// about those of this one of which nothing may have been learned. What is certainly shown is not
// looked at. recall is how the memories are asked for that the messages are quoted beside.
func (a *Assembler) told(ctx context.Context, tenant string, recall longterm.Query, w windowRead, own bool, certain []int64) (told, error) {
	asked := longterm.Telling{Scope: recall.Scope, Filters: recall.Filters}
	if own {
		for _, s := range slices.Concat(w.before, w.shown) {
			if s.silent && !slices.Contains(certain, s.id) {
				asked.Messages = append(asked.Messages, s.id)
			}
		}
	}
	for _, p := range w.past {
		for _, e := range p.Entries {
			if mayBeCarried(e) {
				asked.Messages = append(asked.Messages, e.ID)
			}
		}
	}
	if len(asked.Messages) == 0 && !slices.ContainsFunc(w.open, func(s said) bool { return s.role != memd.RoleUser }) {
		return told{}, nil
	}
	t, err := a.ask(ctx, tenant, asked)
	for _, p := range w.past {
		answer(t.Account, p.Entries, func(e shortterm.Entry) (int64, memd.Role) { return e.ID, e.Role })
	}
	here := slices.Concat(w.before, w.read, w.open)
	slices.SortFunc(here, func(a, b said) int { return cmp.Compare(a.id, b.id) })
	answer(t.Account, here, func(s said) (int64, memd.Role) { return s.id, s.role })
	return t, err
}

// answer has what others said behind a message of the user answer that; messages are
// chronological.
func answer[M any](account longterm.Account, messages []M, of func(M) (int64, memd.Role)) {
	asked := int64(0)
	for _, m := range messages {
		id, role := of(m)
		if role == memd.RoleUser {
			asked = id
		} else if asked != 0 {
			account.Answers(asked, id)
		}
	}
}

// replies is what became of the messages that others answer.
type replies struct {
	longterm.Account
	// asked has for a message the one of the user that it answers.
	asked map[int64]int64
}

// replies asks about the messages that what others than the user are remembered to have said
// answers: only where something was taken away.
func (a *Assembler) replies(ctx context.Context, tenant string, scope memd.Scope, account told, hits []longterm.Hit, earlier []memd.Memory) (replies, error) {
	var said []int64
	if account.TookAway() {
		for _, h := range hits {
			earlier = append(slices.Clone(earlier), h.Memory)
		}
		for _, m := range earlier {
			if m.Role != string(memd.RoleUser) && !m.Pinned {
				said = append(said, m.Sources...)
			}
		}
	}
	if len(said) == 0 {
		return replies{}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.cfg.RecallTimeout)
	defer cancel()
	asked, err := a.log.Answered(ctx, tenant, scope.UserID, said)
	if err != nil {
		return replies{}, err
	}
	of, err := a.ask(ctx, tenant, longterm.Telling{Scope: scope, Messages: slices.Collect(maps.Values(asked))})
	return replies{of.Account, asked}, err
}

// saysBack says whether a memory answers what was taken away, and has a word of that.
func (r replies) saysBack(m memd.Memory) bool {
	return slices.ContainsFunc(m.Sources, func(id int64) bool {
		asked, ok := r.asked[id]
		return ok && r.SaysBackTo(asked, m.Role, m.Memory)
	})
}

// ask is told about what is asked.
func (a *Assembler) ask(ctx context.Context, tenant string, asked longterm.Telling) (told, error) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.RecallTimeout)
	defer cancel()
	t := told{asked: true}
	var err error
	if p := panics.Try(func() { t.Account, err = a.store.Told(ctx, tenant, asked) }); p != nil {
		err = p.AsError()
	}
	t.unknown = err != nil
	return t, err
}

// quotable gives messages as they may be quoted, with what was learned from them. What has
// settled is not, while nobody can tell what of it was taken away.
func (t told) quotable(messages []said) []said {
	messages = slices.Clone(messages)
	for i := range messages {
		switch s := &messages[i]; {
		case t.unknown:
			s.silent = false
		case s.silent:
			t.leave(s, s.earlier)
			s.silent = s.words() != "" || len(s.learned) > 0
		case s.open:
			t.show(s)
		}
	}
	return messages
}

// leave leaves of a message what may be shown of it, and notes what was learned from it: what has
// ended is not shown, nor what was taken away, also where it is said back. filtered has what
// recall is not to give stand in no other place.
func (t told) leave(s *said, filtered bool) {
	of := t.Of[s.id]
	if len(of.Ended)+len(of.Left) > 0 {
		t.secrets.clear(s)
	}
	text := s.text
	hidden := slices.Clone(of.Ended)
	for _, l := range of.Left {
		if t.SaysBackIn(s.id, l.Role, l.Text) {
			continue // no memory stands for it, and what says it is not shown
		}
		if filtered && l.Excluded {
			hidden = append(hidden, l.Text)
		} else {
			s.learned = append(s.learned, l)
		}
	}
	t.show(s)
	// What has ended and was taken away too is not looked for any more.
	hidden = slices.DeleteFunc(hidden, func(h string) bool { return s.text != text && states(text, h) && !states(s.text, h) })
	s.text = unlearned(s.text, nil, hidden)
	s.does, s.marks = t.Shown(s.id, s.role, s.does), t.Shown(s.id, s.role, s.marks)
	s.part = s.text != text
}

// show leaves of the text of a message what may be shown of it though it says something back.
func (t told) show(s *said) {
	if t.Shown(s.id, s.role, s.text) == s.text {
		return
	}
	t.secrets.clear(s)
	s.text = t.Shown(s.id, s.role, s.text)
}

// past gives earlier sessions without what was to be forgotten or has ended. In the place of a
// message of which that is a part, as when a person took something away or rewrote it, stands
// what is left of it.
func (t told) past(sessions []shortterm.Past) []shortterm.Past {
	sessions = slices.Clone(sessions)
	for i, p := range sessions {
		var left []shortterm.Entry
		for _, e := range p.Entries {
			s := saidOf(e)
			if e.Forgotten() || t.unknown && !s.open {
				continue
			}
			if s.silent || s.open {
				does, marks := s.does, s.marks
				if t.leave(&s, false); s.part || s.does != does || s.marks != marks {
					e.Text, e.Raw = s.rest(nil), nil
				}
			}
			left = append(left, e)
		}
		sessions[i].Entries = left
	}
	return sessions
}

// saidEarlier gives the messages of earlier sessions that no summary is of, chronological.
func (w windowRead) saidEarlier() (all []said) {
	for _, p := range w.past {
		for _, e := range p.Entries {
			if p.Summary == nil || e.ID > p.Summary.Upto {
				s := saidOf(e)
				s.earlier = true
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, func(a, b said) int { return cmp.Compare(a.id, b.id) })
	return all
}

// saidBefore gives the last words of the session that this one carries on: with its first
// message alone it is hardly known what it is about.
func saidBefore(p shortterm.Past) []said {
	var all []said
	for _, e := range p.Entries[max(0, len(p.Entries)-maxSaidBefore):] {
		all = append(all, saidOf(e))
	}
	return all
}

// lastTurns gives where the last n turns of messages begin.
func lastTurns(messages []said, n int) int {
	if n <= 0 {
		return len(messages)
	}
	for i, s := range slices.Backward(messages) {
		if s.role == memd.RoleUser {
			if n--; n == 0 {
				return i
			}
		}
	}
	return 0
}

// lastWords gives the text of the last two messages of user and assistant that carry
// any, the older one first; the newer one has the first claim to the space there is.
func lastWords(messages []said) string {
	var words []string
	room := queryRunes
	for _, s := range slices.Backward(messages) {
		text := strings.TrimSpace(s.text)
		if text == "" || !s.role.Learnable() {
			continue
		}
		if n := utf8.RuneCountInString(text); n > room {
			text, room = string([]rune(text)[:room]), 0
		} else {
			room -= n
		}
		words = append(words, text)
		if len(words) == 2 || room == 0 {
			break
		}
	}
	slices.Reverse(words)
	return strings.Join(words, "\n")
}

// learned gives what was learned in a session, in the order it was said: what was said
// last, if there is more than earlierMemories; total is how much there is.
func (a *Assembler) learned(ctx context.Context, tenant string, session memd.Scope, filters longterm.Filter) (found []memd.Memory, total int, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.RecallTimeout)
	defer cancel()
	if p := panics.Try(func() {
		found, total, _, err = a.store.List(ctx, tenant, longterm.ListQuery{Scope: session, Filters: filters, Limit: earlierMemories})
	}); p != nil {
		err = p.AsError()
	}
	slices.SortStableFunc(found, func(x, y memd.Memory) int { return x.ValidFrom.Compare(y.ValidFrom) })
	return found, total, err
}

// known is of how many of the memories of the session something is known to stand in the context if
// there is room: themselves, or the messages that they were learned from.
func (m material) known() int {
	ids := map[string]bool{}
	for _, found := range m.earlier.memories {
		ids[found.ID] = true
	}
	for _, s := range slices.Concat(m.said, m.window) {
		for _, l := range s.learned {
			if m.quotes && !s.earlier && !l.Excluded {
				ids[l.ID] = true
			}
		}
	}
	return len(ids)
}

// recalled is what a search gave. err is set only for a request that is wrong.
type recalled struct {
	hits     []longterm.Hit
	degraded []string
	err      error
}

// search asks the long tier and turns what goes wrong there into a degradation.
func (a *Assembler) search(ctx context.Context, tenant string, q longterm.Query) recalled {
	ctx, cancel := context.WithTimeout(ctx, a.cfg.RecallTimeout)
	defer cancel()
	var out recalled
	if p := panics.Try(func() {
		if q.Text == "" { // nothing was said: what is pinned comes all the same
			out.hits, out.err = a.store.Pinned(ctx, tenant, q)
		} else {
			out.hits, out.degraded, out.err = a.recall.Search(ctx, tenant, q)
		}
	}); p != nil {
		out.err = p.AsError()
	}
	if out.err != nil && memd.KindOf(out.err) != memd.Invalid {
		a.cfg.Log.Warn().Err(out.err).Msg("nothing recalled for a context")
		return recalled{degraded: []string{Degraded}}
	}
	return out
}
