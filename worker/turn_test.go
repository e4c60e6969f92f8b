package worker_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/shortterm"
)

// say appends messages that somebody of some tenant says.
func (h *house) say(tenant, user, session string, texts ...string) (ids []int64) {
	h.t.Helper()
	a := shortterm.Append{UserID: user, SessionID: session, Infer: true, Learn: []memd.Role{memd.RoleUser}}
	for _, text := range texts {
		m, err := memd.ParseMessage([]byte(fmt.Sprintf(`{"role":"user","content":%q}`, text)))
		if err != nil {
			h.t.Fatal(err)
		}
		a.Messages = append(a.Messages, m)
	}
	done, err := h.log.Append(h.within(), tenant, a)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, m := range done.Messages {
		ids = append(ids, m.ID)
	}
	return ids
}

// Ten people of a tenant have twenty long sessions open when one of another tenant and one
// more of theirs say something: neither waits for much of it.
func TestATenantWithLongSessionsLeavesTheOthersFree(t *testing.T) {
	h := newHouse(t, shortterm.Config{})
	cfg := quick()
	cfg.Workers, cfg.Batch = 2, 4
	const people, length = 10, 100 // 25 batches of each of two sessions
	at, goOn := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	batches, before := 0, map[string]int{}
	h.worker(plain{see: func(_ context.Context, in extract.Input) error {
		mu.Lock()
		defer mu.Unlock()
		for _, one := range []string{"Lisbon", "Porto"} {
			if anyContains(textsOf(in), one) {
				before[one] = batches
				return nil
			}
		}
		if batches++; batches == 1 {
			close(at)
			<-goOn
		}
		return nil
	}}, hashed{}, cfg)
	var busy []int64
	for p := range people {
		for s := range 2 {
			busy = append(busy, h.say("busy", fmt.Sprint("u", p), fmt.Sprintf("s%d-%d", p, s), facts(length, fmt.Sprintf("box %d-%d", p, s))...)...)
		}
	}
	<-at
	other := h.say("other", "ana", "s", "I live in Lisbon")
	another := h.say("busy", "rui", "s", "I live in Porto")
	close(goOn)
	for _, one := range []struct {
		tenant string
		ids    []int64
	}{{"other", other}, {"busy", another}} {
		if err := h.log.AwaitSettled(h.within(), one.tenant, one.ids); err != nil {
			t.Fatal(err)
		}
	}
	open, _, err := h.log.Standing(h.within(), "busy", busy)
	if err != nil || len(open) == 0 {
		t.Errorf("%d of the busy tenant are open, %v", len(open), err)
	}
	mu.Lock()
	defer mu.Unlock()
	if n := before["Lisbon"]; n > 2*h.bus.Share() {
		t.Errorf("%d batches came before another tenant's message", n)
	}
	if n := before["Porto"]; n > 20*people {
		t.Errorf("%d batches came before another person's message", n)
	}
}
