package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/shortterm"
)

type ingestInput struct {
	UserID    identifier `query:"user_id" doc:"Only this user's messages."`
	SessionID identifier `query:"session_id" doc:"Only this session's messages; needs user_id."`
	Wait      wait       `query:"wait" doc:"Wait up to this long (at most 60s) for nothing to be open, then answer."`
}

// ingestAnswer is of one moment. Of all of a tenant, with very much open, that may be some seconds ago.
type ingestAnswer struct {
	States        ingestCounts `json:"states"`
	OldestPending float64      `json:"oldest_pending_s" doc:"Age of the oldest open message in seconds; 0 if none is open."`
	PerSecond     float64      `json:"per_s" doc:"How many were settled a second, over the last minute."`
}

type ingestCounts struct {
	Pending int64 `json:"pending"`
	Running int64 `json:"running"`
	Failed  int64 `json:"failed" doc:"Will be tried again."`
	Done    int64 `json:"done"`
	Skipped int64 `json:"skipped"`
	Dead    int64 `json:"dead"`
}

type deadLettersInput struct {
	UserID    identifier `query:"user_id" doc:"Only this user's."`
	SessionID identifier `query:"session_id" doc:"Only those of sessions of this name."`
	Class     string     `query:"class" maxLength:"100" doc:"Only those of this class of cause (extract, embedder, longterm, postgres, crash), or of this cause."`
	pages
}

// pages are the parameters of a list that is read page by page.
type pages struct {
	Limit  int     `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"How many."`
	Offset *int    `query:"offset" minimum:"0" maximum:"100000" doc:"How many to leave out first. Not beside cursor."`
	Cursor *string `query:"cursor" doc:"The next_cursor of the answer before. Not beside offset."`
}

func (p pages) check() error { return oneOfPages("query", p.Offset, p.Cursor) }

func oneOfPages(part string, offset *int, cursor *string) error {
	switch {
	case offset != nil && cursor != nil:
		return memd.InvalidField(part+".cursor", "must not stand beside offset")
	case cursor != nil && *cursor == "":
		return memd.InvalidField(part+".cursor", "must not be empty")
	}
	return nil
}

// read reads a page of a list that only knows cursors.
func readPage[T any](p pages, list func(limit int, cursor string) ([]T, string, error)) ([]T, *string, error) {
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	cursor := ""
	if p.Cursor != nil {
		cursor = *p.Cursor
	}
	if p.Offset != nil {
		for skip := *p.Offset; skip > 0; {
			skipped, next, err := list(min(skip, maxItems), cursor)
			if err != nil {
				return nil, nil, err
			}
			if next == "" {
				return []T{}, nil, nil
			}
			skip, cursor = skip-len(skipped), next
		}
	}
	got, next, err := list(p.Limit, cursor)
	return got, optional(next), err
}

type deadLettersAnswer struct {
	DeadLetters []deadLetter `json:"dead_letters" doc:"Newest first."`
	NextCursor  *string      `json:"next_cursor"`
}

type deadLetter struct {
	ID        int64      `json:"id" doc:"The message's id."`
	UserID    *string    `json:"user_id"`
	SessionID string     `json:"session_id"`
	AgentID   *string    `json:"agent_id"`
	Role      string     `json:"role"`
	Attempts  int        `json:"attempts"`
	Class     string     `json:"class" doc:"Where it failed: extract, embedder, longterm, postgres or crash."`
	Error     string     `json:"error" doc:"Class and code of the last failure."`
	CreatedAt time.Time  `json:"created_at"`
	SettledAt *time.Time `json:"settled_at" doc:"When it was given up."`
}

type deadLetterAnswer struct {
	ID     int64       `json:"id"`
	Ingest ingestState `json:"ingest"`
}

func (s *server) ingestRoutes() {
	handle(s, operation{
		method: http.MethodGet, path: "/v1/ingest", name: "get-ingest", tag: "Short tier", waits: maxWait, canWait: true,
		summary: "How many messages are in which state of being learned from",
		answers: map[int]any{200: ingestAnswer{}},
	}, s.getIngest)
	handle(s, operation{
		method: http.MethodGet, path: "/v1/dead-letters", name: "list-dead-letters", tag: "Short tier",
		summary: "Messages that could not be learned from and were given up",
		answers: map[int]any{200: deadLettersAnswer{}},
	}, s.getDeadLetters)
	handle(s, operation{
		method: http.MethodPost, path: "/v1/dead-letters/{id}/retry", name: "retry-dead-letter", tag: "Short tier", effect: writes,
		summary: "Open a dead letter again, with all its attempts",
		answers: map[int]any{200: deadLetterAnswer{}},
	}, s.endDeadLetter(s.Log.RetryDead, shortterm.StatePending))
	handle(s, operation{
		method: http.MethodPost, path: "/v1/dead-letters/{id}/discard", name: "discard-dead-letter", tag: "Short tier", effect: writes,
		summary: "Give a dead letter up for good; the message stays in the log, skipped",
		answers: map[int]any{200: deadLetterAnswer{}},
	}, s.endDeadLetter(s.Log.DiscardDead, shortterm.StateSkipped))
}

func (s *server) getIngest(ctx context.Context, c *call, in *ingestInput) (answer, error) {
	if in.SessionID != "" && in.UserID == "" {
		return answer{}, memd.InvalidField("query.user_id", "is required beside session_id")
	}
	count := s.Log.Counts
	if in.Wait > 0 {
		count = func(ctx context.Context, tenant, user, session string) (shortterm.Counts, error) {
			waiting, stop := s.waitFor(ctx, time.Duration(in.Wait))
			defer stop()
			n, err := s.Log.AwaitIdle(waiting, tenant, user, session)
			if err != nil && errors.Is(waiting.Err(), context.Canceled) && ctx.Err() == nil { // the daemon is about to stop
				return s.Log.Counts(ctx, tenant, user, session)
			}
			return n, err
		}
	}
	n, err := count(ctx, c.tenant, string(in.UserID), string(in.SessionID))
	if err != nil {
		return answer{}, err
	}
	return ok(ingestAnswer{
		States: ingestCounts{Pending: n.Pending, Running: n.Running, Failed: n.Failed,
			Done: n.Done, Skipped: n.Skipped, Dead: n.Dead},
		OldestPending: n.OldestPending.Seconds(), PerSecond: n.PerSecond,
	})
}

// classes are those of the causes of dead letters.
var classes = []string{"extract", "embedder", "longterm", "postgres", "crash"}

func (s *server) getDeadLetters(ctx context.Context, c *call, in *deadLettersInput) (answer, error) {
	if class, _, _ := strings.Cut(in.Class, ":"); class != "" && !slices.Contains(classes, class) {
		return answer{}, memd.InvalidField("query.class", "must be one of %s, or a cause of one, as \"embedder: unavailable\"", strings.Join(classes, ", "))
	}
	letters, next, err := readPage(in.pages, func(limit int, cursor string) ([]shortterm.DeadLetter, string, error) {
		return s.Log.DeadLetters(ctx, c.tenant, string(in.UserID), string(in.SessionID), in.Class, limit, cursor)
	})
	if err != nil {
		return answer{}, err
	}
	out := deadLettersAnswer{DeadLetters: []deadLetter{}, NextCursor: next}
	for _, l := range letters {
		class, _, _ := strings.Cut(l.Ingest.Error, ":")
		out.DeadLetters = append(out.DeadLetters, deadLetter{
			ID: l.ID, UserID: optional(l.UserID), SessionID: l.SessionID, AgentID: optional(l.AgentID), Role: string(l.Role),
			Attempts: l.Ingest.Attempts, Class: class, Error: l.Ingest.Error, CreatedAt: l.CreatedAt.UTC(), SettledAt: utc(l.Ingest.SettledAt),
		})
	}
	return ok(out)
}

// endDeadLetter makes the operation that ends a dead letter with end.
func (s *server) endDeadLetter(end func(ctx context.Context, tenant string, id int64) error, state string) func(context.Context, *call, *messageInput) (answer, error) {
	return func(ctx context.Context, c *call, in *messageInput) (answer, error) {
		if in.permission != (permission{}) {
			if _, err := s.Log.Message(ctx, c.tenant, in.ID, in.scope(c.tenant)); memd.KindOf(err) == memd.NotFound {
				return answer{}, &memd.Error{Kind: memd.NotFound, Msg: shortterm.NoDeadLetter}
			} else if err != nil {
				return answer{}, err
			}
		}
		if err := end(ctx, c.tenant, in.ID); err != nil {
			return answer{}, err
		}
		return ok(deadLetterAnswer{in.ID, ingestState{state}})
	}
}
