package memd

import (
	"encoding/json"
	"time"
)

// Candidate is a fact proposed by an extractor, before it meets the memories
// that are there already. Both extractors yield it.
type Candidate struct {
	// Text is the statement in the speaker's own words and language, complete
	// enough to be understood alone, secrets redacted.
	Text string
	// Role is the role of the message it was said in; what the assistant says is
	// the assistant's, never the user's.
	Role Role
	// ActorID is the message's name, "" if it had none.
	ActorID string
	// Slot names what the statement is about, if it is one of the kinds that can
	// be updated or contradicted ("name", "home", "favorite:color"); else "".
	Slot string
	// Subject is whom or what the slot belongs to: "" for the speaker, else as the
	// speaker calls it, lower case ("sister", "project atlas").
	Subject string
	// Value is what the slot holds by this statement, as it was said ("Lisbon"); "" if
	// that is not known, or the slot's name says it ("allergy:nuts").
	Value string
	// Negated says that the statement denies: that the slot holds Value, or anything
	// at all where Value is "".
	Negated bool
	// Forget says that the speaker asked for this statement to be forgotten: Text,
	// or, with a Slot, what Subject, Slot and Value say, as far as it was said before. Without
	// a Slot a Subject stands for all that is about it, Everything for all that was said.
	// Such a candidate is never remembered itself.
	Forget bool
	// Slip says, with Forget, that the statement was wrong from the start: a slip of the
	// tongue, or what another got wrong. It never ended anything. What was so, and is asked to
	// be forgotten, still ended what it ended.
	Slip bool
	// Corrects says that the statement puts right what was said by mistake, in its own words and
	// those of an earlier message: it was said by the last of its sources.
	Corrects bool
	// Categories are the extractor's labels, lower case.
	Categories []string
	// SaidAt is when it was said: the first source message's CreatedAt, or with Corrects the
	// last one's.
	SaidAt time.Time
	// OccurredAt is when what it speaks of happened, if the text says so.
	OccurredAt *time.Time
	// Sources are the ids of the messages that state it, ascending, at least one.
	Sources []int64
	// Position orders candidates of one message: 0, 1, …
	Position int
}

// Everything, as the Subject of a Candidate that asks to be forgotten, stands for all that
// its speaker has said, in any session.
const Everything = "*"

// LearnAs is what a caller wants of all that is learned from a message. It stays with
// the message, so that learning from it again does the same. Empty fields want nothing.
type LearnAs struct {
	// MemoryType, Scope and Categories become the memory's; Categories beside those
	// that the extractor finds.
	MemoryType string   `json:"memory_type,omitempty"`
	Scope      string   `json:"scope,omitempty"`
	Categories []string `json:"categories,omitempty"`
	// ExpiresAt is when what is learned is to be found no more.
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	// OccurredAt is when what the message speaks of happened; it stands before what
	// the text says.
	OccurredAt *time.Time `json:"occurred_at,omitempty"`
	// Prompt is an instruction to an extractor that takes one, in place of its own.
	Prompt string `json:"prompt,omitempty"`
}

// Extraction is what an extractor made of some messages of one session.
type Extraction struct {
	Candidates []Candidate
	// Extractor names who made them and which version: "rules/8".
	Extractor string
}

// Memory is one remembered statement, in the shape that every endpoint gives.
type Memory struct {
	ID                   string          `json:"id" doc:"UUIDv7 of the memory."`
	Memory               string          `json:"memory" doc:"The statement, in the language it was said in."`
	UserID               *string         `json:"user_id"`
	AgentID              *string         `json:"agent_id" doc:"The agent of its first source; a memory also matches every other agent its sources carry."`
	RunID                *string         `json:"run_id" doc:"The session of its first source; a memory also matches every other session its sources carry."`
	AppID                *string         `json:"app_id"`
	ActorID              *string         `json:"actor_id" doc:"Who said it: the message's name."`
	Role                 string          `json:"role" doc:"The role of who said it."`
	Scope                *string         `json:"scope"`
	MemoryType           *string         `json:"memory_type"`
	Categories           []string        `json:"categories"`
	Metadata             json.RawMessage `json:"metadata"`
	Hash                 string          `json:"hash" doc:"Hash of the normalised text."`
	Pinned               bool            `json:"pinned"`
	CreatedAt            time.Time       `json:"created_at" doc:"When the memory was made."`
	UpdatedAt            time.Time       `json:"updated_at"`
	OccurredAt           *time.Time      `json:"occurred_at" doc:"When what it speaks of happened, if the text says so."`
	ValidFrom            time.Time       `json:"valid_from" doc:"Since when it holds: when it was said, or when, it says, that came about years ago."`
	ValidTo              *time.Time      `json:"valid_to" doc:"When a later statement took its place."`
	SupersededBy         *string         `json:"superseded_by"`
	ExpiresAt            *time.Time      `json:"expires_at"`
	Sources              []int64         `json:"sources" doc:"Ids of the messages that state it."`
	StructuredAttributes TimeAttributes  `json:"structured_attributes"`
	Event                string          `json:"event" doc:"Always RETRIEVE."`
	// Relation is what it says of how one thing stands to another, nil for nothing. It is
	// shown beside memories, not in them.
	Relation *Relation `json:"-"`
}

// TimeAttributes are the parts of a memory's valid_from, in UTC.
type TimeAttributes struct {
	Year       int    `json:"year"`
	Month      int    `json:"month"`
	Day        int    `json:"day"`
	Hour       int    `json:"hour"`
	Minute     int    `json:"minute"`
	DayOfWeek  string `json:"day_of_week" doc:"Lower-case English name."`
	WeekOfYear int    `json:"week_of_year" doc:"ISO week."`
	DayOfYear  int    `json:"day_of_year"`
	Quarter    int    `json:"quarter"`
	IsWeekend  bool   `json:"is_weekend"`
}

var weekdays = [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// AttributesOf takes a time apart, in UTC.
func AttributesOf(t time.Time) TimeAttributes {
	t = t.UTC()
	_, week := t.ISOWeek()
	return TimeAttributes{
		Year: t.Year(), Month: int(t.Month()), Day: t.Day(), Hour: t.Hour(), Minute: t.Minute(),
		DayOfWeek: weekdays[t.Weekday()], WeekOfYear: week, DayOfYear: t.YearDay(),
		Quarter:   (int(t.Month())-1)/3 + 1,
		IsWeekend: t.Weekday() == time.Saturday || t.Weekday() == time.Sunday,
	}
}

// Relation is what a memory says of how one thing stands to another.
type Relation struct {
	Source       string `json:"source" doc:"Whom or what it is about: the speaker by name or role, or as the speaker calls it."`
	Relationship string `json:"relationship" doc:"How the one stands to the other: home, employer, favorite_color."`
	Target       string `json:"target" doc:"What it holds, as it was said."`
	MemoryID     string `json:"memory_id" doc:"The memory that says so."`
}
