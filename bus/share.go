package bus

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// owner is whose work it is, and of which lane.
type owner struct {
	tenant   string
	backfill bool
}

// holdings are what the stream holds of each, as far as this Bus knows: what was counted
// last, what it has published since, less what it has acked.
type holdings struct {
	mu sync.Mutex
	of map[owner]int
	// crowded are those of whom more waits for its turn; room tells that one of them has
	// been acked some.
	crowded map[owner]bool
	room    chan struct{}
}

func (h *holdings) add(w Work, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := owner{w.Tenant, w.Backfill}
	if h.of[o] += n; h.of[o] == 0 {
		delete(h.of, o)
	}
	if n < 0 && h.crowded[o] {
		select {
		case h.room <- struct{}{}:
		default:
		}
	}
}

// isFull says whether more of w's owner has to wait, since the stream holds share of it or
// others of it wait.
func (h *holdings) isFull(w Work, share int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := owner{w.Tenant, w.Backfill}
	if h.of[o] >= share {
		h.crowded[o] = true
	}
	return h.crowded[o]
}

func (h *holdings) set(of map[owner]int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.of = of
}

// Share is how much work of a tenant a lane holds before more of it has to wait its turn.
func (b *Bus) Share() int { return b.cfg.Share }

// Offer is Publish, unless the stream holds its share of the tenant's work already, or other
// work of the tenant waits for its turn: then it is left to the sweeper, so that what others
// publish does not stand behind all of it, and taken is false.
func (b *Bus) Offer(w Work, publishes int) (taken bool) {
	if b.held.isFull(w, b.cfg.Share) {
		return false
	}
	b.Publish(w, publishes)
	return true
}

// SetCrowded says of which tenants more waits for its turn in a lane.
func (b *Bus) SetCrowded(backfill bool, tenants []string) {
	b.held.mu.Lock()
	defer b.held.mu.Unlock()
	maps.DeleteFunc(b.held.crowded, func(o owner, _ bool) bool { return o.backfill == backfill })
	for _, t := range tenants {
		b.held.crowded[owner{t, backfill}] = true
	}
}

// Room tells that there may be room for more of a tenant of whom more waits.
func (b *Bus) Room() <-chan struct{} { return b.held.room }

// Tenants counts what the stream holds of each tenant's work, in each lane. While NATS is
// away it is Unavailable.
func (b *Bus) Tenants(ctx context.Context) (ofLive, ofBackfill map[string]int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestTimeout)
	defer cancel()
	stream, err := b.js.Stream(ctx, b.cfg.Stream)
	if err != nil {
		return nil, nil, unavailable("bus.tenants", err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(b.prefix+".>"))
	if err != nil {
		return nil, nil, unavailable("bus.tenants", err)
	}
	ofLive, ofBackfill = map[string]int{}, map[string]int{}
	counted := map[owner]int{}
	for subject, n := range info.State.Subjects {
		o, ok := ownerOf(subject)
		if !ok {
			continue
		}
		counted[o] += int(n)
		if o.backfill {
			ofBackfill[o.tenant] += int(n)
		} else {
			ofLive[o.tenant] += int(n)
		}
	}
	b.held.set(counted)
	return ofLive, ofBackfill, nil
}

// Remake makes the stream anew, without what it holds.
func (b *Bus) Remake(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := b.js.DeleteStream(ctx, b.cfg.Stream)
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) { // another replica was first
		return unavailable("bus.remake", err)
	}
	b.kick()
	return nil
}

// ownerOf reads a subject that subject wrote.
func ownerOf(subject string) (o owner, ok bool) {
	tokens := strings.Split(subject, ".")
	if len(tokens) < 4 {
		return owner{}, false
	}
	lane, token := tokens[len(tokens)-3], tokens[len(tokens)-2]
	o.backfill = lane == backfill
	if token == noTenant {
		return o, lane == live || o.backfill
	}
	name, err := tenantToken.DecodeString(strings.ToUpper(token))
	o.tenant = string(name)
	return o, err == nil && (lane == live || o.backfill)
}
