package assemble

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/shortterm"
)

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
