package backfill

import (
	"cmp"
	"context"
	"hash/fnv"
	"sync"

	"github.com/memdhq/memd/backfill/format"
)

// Outcome is what became of what was sent.
type Outcome struct {
	// New was not there before, Known was.
	New, Known int
	// Bad was refused.
	Bad []format.Bad
}

// Target is what takes conversations and memories, many at a time and in order. Taking the same
// again must do nothing. An error is one that all else would meet too.
type Target interface {
	Conversations(context.Context, []format.Conversation) (Outcome, error)
	Memories(context.Context, []format.Memory) (Outcome, error)
	// After is told what had become of somebody, or of a session, once all of it is there.
	After(context.Context, format.After) error
}

// Sent says how far it is.
type Sent struct {
	// Conversations and parts of such, messages and memories that were sent.
	Parts, Messages, Memories int
	// New was not there before, Known was, Refused was set aside by who takes it.
	New, Known, Refused int
}

// Done is how much of the totals that is.
func (s Sent) Done() int { return s.Messages + s.Memories }

const (
	// lanes is for how many people something is sent at once, by default.
	lanes = 4
	// waiting is how much waits for each of them.
	waiting = 8
	// MostMessages and mostBytes bound what is sent together of conversations. More at once would be
	// little faster, and keep those waiting for longer who come in between.
	MostMessages = 250
	mostBytes    = 1 << 20
	// memoriesAtOnce are sent together.
	memoriesAtOnce = 100
)

// Send sends everything to a target, what is of one person in order and one after the other, and
// of atOnce people at once (0: a few). progress is told of each step, one at a time. Where ctx
// ends or the target fails, it gives how far it came.
func (g *Gathered) Send(ctx context.Context, to Target, atOnce int, progress func(Sent)) (Sent, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &sending{g: g, to: to, progress: progress}
	queues := make([]chan format.Item, cmp.Or(atOnce, lanes))
	var all sync.WaitGroup
	for i := range queues {
		queues[i] = make(chan format.Item, waiting)
		all.Go(func() {
			if err := s.lane(ctx, queues[i]); err != nil {
				cancel(err)
			}
			for range queues[i] { // who fills it must not wait
			}
		})
	}
	for i, err := range g.All() {
		if err != nil {
			cancel(err)
		}
		if ctx.Err() != nil {
			break
		}
		select {
		case queues[laneOf(i, len(queues))] <- i:
		case <-ctx.Done():
		}
	}
	for _, q := range queues {
		close(q)
	}
	all.Wait()
	return s.sent, context.Cause(ctx)
}

// laneOf gives everything of a person the same lane.
func laneOf(i format.Item, n int) int {
	h := fnv.New32a()
	switch {
	case i.After != nil:
		h.Write([]byte(i.After.UserID))
	case i.Memory != nil:
		h.Write([]byte(cmp.Or(i.Memory.UserID, i.Memory.AgentID, i.Memory.RunID)))
	default:
		h.Write([]byte(i.Conversation.UserID))
	}
	return int(h.Sum32() % uint32(n))
}

type sending struct {
	g        *Gathered
	to       Target
	progress func(Sent)

	mu   sync.Mutex
	sent Sent
}

// lane sends what comes, many at a time: what is of one kind as long as no other comes.
func (s *sending) lane(ctx context.Context, queue <-chan format.Item) error {
	var parts []format.Conversation
	var memories []format.Memory
	messages, bytes := 0, 0
	flush := func() error {
		if len(memories) > 0 {
			out, err := s.to.Memories(ctx, memories)
			if err != nil {
				return err
			}
			s.note(Sent{Memories: len(memories)}, out)
		}
		if len(parts) > 0 {
			out, err := s.to.Conversations(ctx, parts)
			if err != nil {
				return err
			}
			s.note(Sent{Parts: len(parts), Messages: messages}, out)
		}
		memories, parts, messages, bytes = nil, nil, 0, 0
		return nil
	}
	for i := range queue {
		if ctx.Err() != nil {
			return nil
		}
		if i.After != nil {
			err := flush()
			if err == nil {
				err = s.to.After(ctx, *i.After)
			}
			if err != nil {
				return err
			}
			continue
		}
		if i.Memory != nil {
			if len(parts) > 0 || len(memories) >= memoriesAtOnce {
				if err := flush(); err != nil {
					return err
				}
			}
			memories = append(memories, *i.Memory)
			continue
		}
		n, size := len(i.Conversation.Messages), i.Conversation.Size()
		if len(memories) > 0 || messages+n > MostMessages || len(parts) >= MostMessages || bytes+size > mostBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		parts = append(parts, *i.Conversation)
		messages, bytes = messages+n, bytes+size
	}
	if ctx.Err() != nil {
		return nil
	}
	return flush()
}

// note counts a step, and sets aside what was refused.
func (s *sending) note(step Sent, out Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent.Parts += step.Parts
	s.sent.Messages += step.Messages
	s.sent.Memories += step.Memories
	s.sent.New += out.New
	s.sent.Known += out.Known
	s.sent.Refused += len(out.Bad)
	for _, b := range out.Bad {
		s.g.setAside(b)
	}
	if s.progress != nil {
		s.progress(s.sent)
	}
}
