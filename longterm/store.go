package longterm

import (
	"encoding/json"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/postgres"
)

// Config tunes a Store; the zero value is usable.
type Config struct {
	// Candidates is how many memories each way of finding them proposes to the
	// ranking; default 100, which loses under two points of recall against ranking
	// everything.
	Candidates int
	// LargeScope is how many memories of one identity make it large: their nearest are
	// then found by a graph, once TendNeighbours has made it. Default 50,000, at least 256.
	LargeScope int
}

func (c Config) withDefaults() Config {
	if c.Candidates <= 0 {
		c.Candidates = 100
	}
	if c.LargeScope <= 0 {
		c.LargeScope = 50_000
	}
	c.LargeScope = max(c.LargeScope, leastLargeScope)
	return c
}

// Store reads and writes the long tier. It is safe for concurrent use.
type Store struct {
	pool *postgres.Pool
	cfg  Config
}

// New makes a Store on pool.
func New(pool *postgres.Pool, cfg Config) *Store {
	return &Store{pool: pool, cfg: cfg.withDefaults()}
}

// Learned is what an extractor made of messages of one session.
type Learned struct {
	// Messages are all messages that were looked at, with or without a result: their
	// words are indexed, and what is learned takes its ids and metadata from them.
	Messages   []memd.Message
	Candidates []memd.Candidate
	// Vectors are those of the candidates' EmbedText, in their order. A nil one is
	// made later.
	Vectors [][]float32
	// Model names the model of Vectors.
	Model string
	// Extractor is who made the candidates; it stands in the history.
	Extractor string
	// Again are those of Messages that were learned from before: what they state now takes
	// the place of what they stated, save where a person changed it.
	Again []int64
}

// Event is what a write did to one memory.
type Event struct {
	ID string `json:"id"`
	// Memory is its text, of one that went the last.
	Memory string `json:"memory"`
	// Event is ADD, UPDATE, DELETE, or NONE where it was known already.
	Event          string  `json:"event"`
	PreviousMemory *string `json:"previous_memory"`
	// Unembedded says that it has no vector yet. EventsOf tells it.
	Unembedded bool `json:"-"`
}

// The events of a memory's history.
const (
	EventAdd    = "ADD"
	EventUpdate = "UPDATE"
	EventDelete = "DELETE"
	EventNone   = "NONE"
)

// Verbatim is a memory that is stored as it was given.
type Verbatim struct {
	// Scope holds the ids; one of user, agent and run must be there.
	Scope         memd.Scope
	Text          string
	ActorID, Role string
	// Metadata is a JSON object, nil for none.
	Metadata   json.RawMessage
	Categories []string
	// MemoryType and MemoryScope are kept as given, "" for none.
	MemoryType, MemoryScope string
	ExpiresAt, OccurredAt   *time.Time
	// SaidAt is when it was said; zero stands for now.
	SaidAt time.Time
	// Origin is by what it is known where it comes from, "" if that is not told.
	Origin string
	// Vector is that of the EmbedText, made with Model; nil has it made later.
	Vector []float32
	Model  string
}

// The ways of searching.
const (
	ModeHybrid  = "hybrid"
	ModeVector  = "vector"
	ModeLexical = "lexical"
)

// Query asks for the memories of a scope that have most to do with a text.
type Query struct {
	// Scope holds the ids that a memory must carry; one of user, agent and run must
	// be there, or AllScopes.
	Scope memd.Scope
	Text  string
	// Vector is Text's, made with Model; nil searches by words alone.
	Vector []float32
	Model  string
	// Relevance makes of a cosine of Model a relevance from 0 to 1; nil takes the
	// cosine itself.
	Relevance func(cosine float64) float64
	// Limit is the most hits wanted; 0 means 10.
	Limit int
	// Threshold is the least score of a hit.
	Threshold float64
	// ScopesUser and ScopesAssistant choose by who said it; neither means both. All
	// that the assistant did not say counts as the user's.
	ScopesUser, ScopesAssistant bool
	Filters                     Filter
	// AsOf asks for what held at that time instead of now.
	AsOf *time.Time
	// AskedAt is when Text was asked, in the zone of who asks: times in it are told from then.
	// Zero is AsOf, or else now.
	AskedAt time.Time
	// IncludeSuperseded also gives what a later statement took the place of.
	IncludeSuperseded bool
	// AllScopes allows a query without ids, over the whole tenant.
	AllScopes bool
	// Explain fills Hit.Explain.
	Explain bool
	// Mode is one of the Mode constants; "" means hybrid.
	Mode string
	// OwnAgentToo also gives the memories of this agent that have no user.
	OwnAgentToo string
	// ExcludeSources leaves out memories that one of these messages states.
	ExcludeSources []int64
	// Pinned also gives, before all others and whatever their score, the pinned memories of
	// the scope; of more than MaxPinned those that were made last.
	Pinned bool
}

func (q Query) askedAt() time.Time {
	switch {
	case !q.AskedAt.IsZero():
		return q.AskedAt
	case q.AsOf != nil:
		return *q.AsOf
	}
	return time.Now().UTC()
}

// Hit is a memory that was found.
type Hit struct {
	memd.Memory
	// Score is the relevance, 0 to 1; hits are sorted by it.
	Score float64 `json:"score"`
	// Similarity is the plain cosine, 0 where there is none.
	Similarity float64 `json:"similarity"`
	// Unembedded says that there was no vector to compare, though the question has one.
	Unembedded bool `json:"-"`
	// Explain holds every part of the score, if it was asked for.
	Explain map[string]float64 `json:"explain,omitempty"`
	// Passage is the part of a long memory that has most to do with the question, of others all
	// of it.
	Passage string `json:"-"`
}

// ListQuery asks for the memories of a scope, newest first.
type ListQuery struct {
	Scope                       memd.Scope
	Filters                     Filter
	ScopesUser, ScopesAssistant bool
	AsOf                        *time.Time
	IncludeSuperseded           bool
	AllScopes                   bool
	// Limit is the most memories wanted; 0 means 100.
	Limit int
	// Offset skips that many; Cursor goes on where an earlier answer ended. Not both.
	Offset int
	Cursor string
}

// HistoryEntry is one thing that happened to a memory.
type HistoryEntry struct {
	Event          string    `json:"event"`
	PreviousMemory *string   `json:"previous_memory"`
	Memory         *string   `json:"memory"`
	Reason         string    `json:"reason"`
	At             time.Time `json:"at"`
	By             string    `json:"by"`
}

// Missing is a memory that waits for its vector.
type Missing struct {
	Tenant string
	// ID is the memory's.
	ID      string
	ScopeID int64
	// EmbedText is what the vector is to be made of.
	EmbedText string

	// text is the memory as it was read: a vector of an older text is not stored.
	text string
}

// EmbedText is what of a memory is embedded and indexed: named actors are part of
// it, so that what they say is found by their name.
func EmbedText(actor, text string) string {
	if actor == "" {
		return text
	}
	return actor + ": " + text
}
