package shortterm

import (
	"context"
	"sync"

	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/postgres"
)

// left are sessions whose work the queue did not take, by tenant: the relay publishes it in
// its turn.
type left struct {
	mu sync.Mutex
	of map[string]map[int64]bool
	n  int
}

// mostLeft bounds left. What comes beyond is due by itself a little later.
const mostLeft = 10_000

func (l *left) add(tenant string, sessionNo int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[tenant][sessionNo] || l.n >= mostLeft {
		return
	}
	if l.of == nil {
		l.of = map[string]map[int64]bool{}
	}
	if l.of[tenant] == nil {
		l.of[tenant] = map[int64]bool{}
	}
	l.of[tenant][sessionNo] = true
	l.n++
}

func (l *left) take() map[string]map[int64]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.of
	l.of, l.n = nil, 0
	return of
}

func (l *Log) offer(w bus.Work, publishes int) {
	if !l.bus.Offer(w, publishes) {
		l.left.add(w.Tenant, w.SessionNo)
	}
}

// GoBehind has what is open of a session come again behind what waits in the queue, or in
// the tenant's turn where more of the tenant waits than the queue takes. last is a message
// of it.
func (l *Log) GoBehind(tenant string, sessionNo, last int64, backfill bool) {
	l.offer(bus.Work{Tenant: tenant, SessionNo: sessionNo, MessageIDs: []int64{last}, Backfill: backfill}, anew())
}

// takeLeft makes due what the queue did not take.
func (r *Relay) takeLeft(ctx context.Context) error {
	for tenant, of := range r.log.left.take() {
		var nos []int64
		for no := range of {
			nos = append(nos, no)
		}
		if _, err := r.log.exec(ctx, tenant, leftOpen, tenant, nos); err != nil {
			return postgres.Err("shortterm.relay", err)
		}
	}
	return nil
}

const leftOpen = `UPDATE ingest_open SET publish_at = now()
	 WHERE tenant_id = $1 AND session_no = ANY ($2::bigint[]) AND state = 'pending' AND publish_at > now()`
