package main

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memdhq/memd/backfill"
	"github.com/memdhq/memd/backfill/format"
)

// progress tells how far an import is, and holds it up while too much waits to be learned from.
type progress struct {
	memd *remote
	user string
	most int
	// rate is how many messages a second are sent at most, 0 for any number.
	rate int
	// total is how much is to be sent, done how much was.
	total int
	done  atomic.Int64

	mu    sync.Mutex
	shown time.Time
	began time.Time

	// backlog is how many messages wait, as of looked; since counts those sent after that.
	waiting sync.Mutex
	backlog int
	looked  time.Time
	since   int
	// free is when the next may be sent, by the rate.
	free time.Time
}

// reading tells how much was read of items, and ends with ctx.
func (p *progress) reading(ctx context.Context, items iter.Seq2[format.Item, error]) iter.Seq2[format.Item, error] {
	return func(yield func(format.Item, error) bool) {
		parts, messages := 0, 0
		p.shown = time.Now()
		for i, err := range items {
			if err == nil {
				err = ctx.Err()
			}
			if i.Conversation != nil {
				parts++
				messages += len(i.Conversation.Messages)
			} else if i.Memory != nil {
				messages++
			}
			p.say(func() string { return fmt.Sprintf("reading: %d messages so far", messages) })
			if !yield(i, err) || err != nil {
				return
			}
		}
	}
}

// sending tells how much was sent.
func (p *progress) sending(s backfill.Sent) {
	if p.began.IsZero() {
		p.began = time.Now()
	}
	p.done.Store(int64(s.Done()))
	p.say(func() string { return p.words(s) })
}

// words are a bar, the rate, how long it takes and how much waits to be learned from.
func (p *progress) words(s backfill.Sent) string {
	const width = 24
	share := float64(s.Done()) / float64(max(p.total, 1))
	filled := min(int(share*width), width)
	line := fmt.Sprintf("%d of %d (%d%%)", s.Done(), p.total, int(share*100))
	if overwrite() != "" {
		line = "[" + strings.Repeat("=", filled) + strings.Repeat(" ", width-filled) + "] " + line
	}
	if took := time.Since(p.began); took > time.Second {
		rate := float64(s.Done()) / took.Seconds()
		line += fmt.Sprintf(", %.0f/s", rate)
		if left := float64(p.total - s.Done()); rate > 0 && left > 0 {
			line += ", " + time.Duration(left/rate*float64(time.Second)).Round(time.Second).String() + " left"
		}
	}
	if s.Refused > 0 {
		line += fmt.Sprintf(", %d set aside", s.Refused)
	}
	p.waiting.Lock()
	defer p.waiting.Unlock()
	if !p.looked.IsZero() {
		line += fmt.Sprintf(", %d wait to be learned from", p.backlog)
	}
	return line
}

// say shows a line now and then: in the place of the one before on a terminal, else seldom.
func (p *progress) say(line func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	anew := overwrite()
	every := 10 * time.Second
	if anew != "" {
		every = time.Second / 4
	}
	if time.Since(p.shown) < every {
		return
	}
	p.shown = time.Now()
	text := anew + line()
	if anew == "" {
		text += "\n"
	}
	fmt.Fprint(os.Stderr, text)
}

// clear takes the line away that a terminal shows.
func (p *progress) clear() { fmt.Fprint(os.Stderr, overwrite()) }

// lookEvery is how old what is known of the backlog may be where it is shown.
const lookEvery = 5 * time.Second

// await waits until there is room for n more messages, and it is their time.
func (p *progress) await(ctx context.Context, n int) error {
	p.waiting.Lock()
	defer p.waiting.Unlock()
	if p.rate > 0 {
		now := time.Now()
		wait := time.NewTimer(p.free.Sub(now))
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		p.free = maxTime(p.free, now).Add(time.Duration(n) * time.Second / time.Duration(p.rate))
	}
	p.since += n
	for {
		known := !p.looked.IsZero() && time.Since(p.looked) < lookEvery
		switch {
		case p.most == 0 && (known || overwrite() == ""):
			return nil
		case p.most > 0 && known && p.backlog+p.since <= p.most:
			return nil
		}
		over := p.most > 0 && p.backlog+p.since > p.most && !p.looked.IsZero()
		open, err := p.look(ctx, over, "")
		if err != nil {
			return err
		}
		p.backlog, p.looked, p.since = open, time.Now(), n
		if p.most == 0 || open+n <= p.most || open == 0 {
			return nil
		}
		p.say(func() string {
			return fmt.Sprintf("%d of %d, waiting: %d wait to be learned from", p.done.Load(), p.total, open)
		})
	}
}

// room is how many messages may be sent at once: no more than half of what may wait, nor than the
// rate has in a second.
func (p *progress) room() int {
	room := backfill.MostMessages
	if p.most > 0 {
		room = min(room, p.most/2)
	}
	if p.rate > 0 {
		room = min(room, p.rate)
	}
	return max(1, room)
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// look asks how many messages wait; pause has memd take a moment, unless none do.
func (p *progress) look(ctx context.Context, pause bool, user string) (open int, err error) {
	query := url.Values{}
	if pause {
		query.Set("wait", "1s")
	}
	if user != "" {
		query.Set("user_id", user)
	}
	var s struct {
		States struct{ Pending, Running, Failed int }
	}
	err = p.memd.ask(ctx, http.MethodGet, "/v1/ingest", query, &s)
	return s.States.Pending + s.States.Running + s.States.Failed, err
}

// awaitSettled waits until nothing is left to be learned from.
func (p *progress) awaitSettled(ctx context.Context) error {
	for {
		open, err := p.look(ctx, true, p.user)
		if err != nil || open == 0 {
			return err
		}
		p.say(func() string { return fmt.Sprintf("all is sent; %d wait to be learned from", open) })
	}
}
