package assemble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

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
