package backfill

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"hash/maphash"
	"iter"
	"math"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/backfill/format"
)

// Config says what becomes of what is read; the zero value is usable.
type Config struct {
	// UserID is whose everything is, whatever the sources say; "" leaves that to them.
	UserID string
	// AgentID and AppID are of what the sources say nothing of.
	AgentID, AppID string
	// Bad is told what is set aside, one at a time.
	Bad func(format.Bad)
	// Tokens counts what messages have; nil: they are not counted.
	Tokens func(text string) int
	// Dir is where files are made that do not fit into memory; "" for the system's.
	Dir string
	// HeldBytes is how much is held in memory; default 32 MiB.
	HeldBytes int
}

// Totals say what is in sources.
type Totals struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	// Learnable are those of the messages that are learned from.
	Learnable int `json:"learnable"`
	Memories  int `json:"memories"`
	// Tokens are those of learnable messages, 0 if they were not counted.
	Tokens int `json:"tokens,omitempty"`
	// Bad could not be read, Empty say nothing, Repeated stand there twice.
	Bad      int `json:"bad"`
	Empty    int `json:"empty"`
	Repeated int `json:"repeated"`
	// People are as many as are told apart, up to maxPeople.
	People int `json:"people"`
}

// maxPeople bounds for how many it is remembered that they were seen.
const maxPeople = 1 << 19

// ErrNobody says that no source tells whose messages they are.
var ErrNobody = errors.New("nothing says whose messages these are")

// nobody is why one of them is set aside.
const nobody = "nothing says whose it is"

// Gathered is what sources hold, in order.
type Gathered struct {
	Totals
	cfg   Config
	spill spill
	// sessions are those that came up of late, people all, by their hashes.
	sessions *lru.Cache[uint64, *session]
	people   map[uint64]struct{}
	seed     maphash.Seed
	unowned  int
}

// session is what is kept of one.
type session struct {
	// last is where its last part stands in the order: the next comes after it.
	last int64
	// counted says that it is one of the conversations.
	counted bool
}

// Gather reads all items and puts them into order. Close must be called on what it gives.
func Gather(items iter.Seq2[format.Item, error], cfg Config) (*Gathered, error) {
	g := &Gathered{cfg: cfg, people: map[uint64]struct{}{}, seed: maphash.MakeSeed(), spill: spill{dir: cfg.Dir, most: cmp.Or(cfg.HeldBytes, heldBytes)}}
	g.sessions, _ = lru.New[uint64, *session](1 << 16) // the size is none that is refused
	for i, err := range items {
		if err == nil {
			err = g.add(i)
		}
		if err != nil {
			g.Close()
			return nil, err
		}
	}
	if g.unowned > 0 && g.Conversations+g.Memories == 0 {
		g.Close()
		return nil, ErrNobody
	}
	return g, nil
}

// Close gives back what it holds.
func (g *Gathered) Close() { g.spill.close() }

func (g *Gathered) add(i format.Item) error {
	switch {
	case i.Bad != nil:
		g.setAside(*i.Bad)
		return nil
	case i.After != nil:
		if i.After.UserID = cmp.Or(g.cfg.UserID, i.After.UserID); i.After.UserID == "" {
			return nil // nor is anything else there of them
		}
	case i.Memory != nil:
		m := i.Memory
		m.UserID = cmp.Or(g.cfg.UserID, m.UserID)
		if m.AgentID, m.AppID = cmp.Or(m.AgentID, g.cfg.AgentID), cmp.Or(m.AppID, g.cfg.AppID); m.UserID == "" && m.AgentID == "" && m.RunID == "" {
			g.unowned++
			g.setAside(format.Bad{Place: m.Place, Reason: nobody, Text: m.Text})
			return nil
		}
		g.Memories++
		g.meet(m.UserID)
	default:
		c := i.Conversation
		g.Empty += c.Empty
		g.Repeated += c.Repeated
		if len(c.Messages) == 0 && !c.Opens {
			return nil
		}
		c.UserID = cmp.Or(g.cfg.UserID, c.UserID)
		c.AgentID, c.AppID = cmp.Or(c.AgentID, g.cfg.AgentID), cmp.Or(c.AppID, g.cfg.AppID)
		if c.UserID == "" {
			g.unowned++
			var text []byte // as it stands there, each on a line
			for _, m := range c.Messages {
				if text = append(append(text, m.Raw...), '\n'); len(text) > 1<<16 {
					break
				}
			}
			g.setAside(format.Bad{Place: c.Place, SessionID: c.SessionID, Reason: nobody, Text: strings.TrimSuffix(string(text[:min(len(text), 1<<16)]), "\n")})
			return nil
		}
		g.count(c)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // what was said stays as it was written
	if err := e.Encode(i); err != nil {
		return err
	}
	return g.spill.add(g.key(i), b.Bytes())
}

func (g *Gathered) setAside(b format.Bad) {
	g.Bad++
	if g.cfg.Bad != nil {
		g.cfg.Bad(b)
	}
}

func (g *Gathered) meet(user string) {
	if len(g.people) < maxPeople {
		g.people[maphash.String(g.seed, user)] = struct{}{}
		g.People = len(g.people)
	}
}

func (g *Gathered) count(c *format.Conversation) {
	g.meet(c.UserID)
	if s := g.sessionOf(c); !s.counted && len(c.Messages) > 0 {
		s.counted = true
		g.Conversations++
	}
	g.Messages += len(c.Messages)
	for _, m := range c.Messages {
		if m.Role.Learnable() && !m.NoLearn {
			g.Learnable++
			if g.cfg.Tokens != nil {
				g.Tokens += g.cfg.Tokens(memd.TextOf(m.Raw))
			}
		}
	}
}

func (g *Gathered) sessionOf(c *format.Conversation) *session {
	key := maphash.String(g.seed, c.UserID+"\x00"+c.SessionID)
	s, ok := g.sessions.Get(key)
	if !ok {
		s = &session{last: math.MinInt64}
		g.sessions.Add(key, s)
	}
	return s
}

// key is where an item stands in the order: at the time it was said, and a part of a session never
// before the part that came before it.
func (g *Gathered) key(i format.Item) int64 {
	if i.After != nil {
		return math.MaxInt64
	}
	at := int64(0)
	if t := i.Time(); !t.IsZero() {
		at = t.UnixMicro()
	}
	if c := i.Conversation; c != nil {
		s := g.sessionOf(c)
		at = max(at, s.last)
		s.last = at
	}
	return at
}

// All gives everything in order. Every time it is asked, it begins anew.
func (g *Gathered) All() iter.Seq2[format.Item, error] {
	return func(yield func(format.Item, error) bool) {
		for r, err := range g.spill.all() {
			var i format.Item
			if err == nil {
				err = json.Unmarshal(r.data, &i)
			}
			if !yield(i, err) || err != nil {
				return
			}
		}
	}
}
