package bus

import (
	"testing"

	"github.com/memdhq/memd/internal/memdtest"
	"pgregory.net/rapid"
)

func TestATenantIsOfferedItsShare(t *testing.T) {
	b := open(t, memdtest.NATS(t), Config{Share: 3})
	ready(t, b)
	offer := func(tenant string, from, n int64, want uint64) {
		t.Helper()
		before, _ := b.Published()
		for i := range n {
			b.Offer(work(tenant, i+1, from+i), 0)
		}
		b.Publish(work("end", 1, from), 0)
		memdtest.Until(t, "what was offered is published", func() bool { n, _ := b.Published(); return n >= before+want+1 })
		if got, _ := b.Published(); got != before+want+1 {
			t.Errorf("%d of %q were published, want %d", got-before-1, tenant, want)
		}
	}
	offer("a.ä", 1, 10, 3)
	offer("b", 100, 2, 2)
	live, backfill, err := b.Tenants(t.Context())
	if err != nil || live["a.ä"] != 3 || live["b"] != 2 || len(backfill) != 0 {
		t.Errorf("the stream holds %v and %v, %v", live, backfill, err)
	}
	offer("a.ä", 20, 2, 0) // counted, not only remembered
	fetchAll(t, b, 7)
	select {
	case <-b.Room(): // what was acked makes room, but others may wait for it
	default:
		t.Error("nobody is told that there is room")
	}
	offer("a.ä", 30, 10, 0)
	b.SetCrowded(true, []string{"a.ä"}) // another lane
	offer("a.ä", 40, 10, 0)
	b.SetCrowded(false, nil)
	offer("a.ä", 50, 10, 3)
	b.SetCrowded(false, []string{"c"})
	offer("c", 60, 1, 0)
}

// Live work that never ends does not keep backfill out for ever.
func TestBackfillComesBehindLiveWorkButComes(t *testing.T) {
	b := open(t, memdtest.NATS(t), Config{})
	ready(t, b)
	for i := range int64(3) {
		w := work("a", 1, 1000+i)
		w.Backfill = true
		b.Publish(w, 0)
	}
	for i := range int64(100) {
		b.Publish(work("a", 1, 1+i), 0)
	}
	memdtest.Until(t, "all is published", func() bool { n, _ := b.Published(); return n == 103 })
	var at []int
	for i := 0; len(at) < 3 && i < 100; {
		ds, err := b.Fetch(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range ds {
			if d.Backfill {
				at = append(at, i)
			}
			i++
			_ = d.Ack()
		}
	}
	if len(at) != 3 || at[0] < 10 || at[0] > 20 || at[2] > 60 {
		t.Errorf("backfill came at %v of 100", at)
	}
}

func TestSubjectsNameTheirOwner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Work{Tenant: rapid.String().Draw(t, "tenant"), SessionNo: rapid.Int64Min(1).Draw(t, "session"), Backfill: rapid.Bool().Draw(t, "backfill")}
		if o, ok := ownerOf(subject("memd", w)); !ok || o != (owner{w.Tenant, w.Backfill}) {
			t.Fatalf("ownerOf(%q) = %+v, %v", subject("memd", w), o, ok)
		}
	})
	for _, s := range []string{"", "memd", "memd.live", "memd.live.1.1", "memd.other.me.1", "...."} {
		if o, ok := ownerOf(s); ok {
			t.Errorf("ownerOf(%q) = %+v", s, o)
		}
	}
}
