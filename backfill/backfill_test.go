package backfill

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/backfill/format"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRecordsComeInOrderHoweverManyTheyAre(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.Int64Range(-3, 3), 0, 400).Draw(t, "keys")
		s := spill{dir: dir, most: rapid.IntRange(64, 20000).Draw(t, "most")}
		defer s.close()
		var want []record
		for i, k := range keys {
			data := []byte(strings.Repeat("x", i%50))
			if err := s.add(k, data); err != nil {
				t.Fatal(err)
			}
			want = append(want, record{k, uint64(i), data})
		}
		slices.SortFunc(want, record.compare)
		for range 2 {
			n := 0
			for r, err := range s.all() {
				if err != nil {
					t.Fatal(err)
				}
				if n >= len(want) || r.compare(want[n]) != 0 || string(r.data) != string(want[n].data) {
					t.Fatalf("record %d is %+v", n, r)
				}
				n++
			}
			if n != len(want) {
				t.Fatalf("%d records, want %d", n, len(want))
			}
		}
	})
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

func message(text string, at time.Time) format.Message {
	return format.Message{ID: text, Role: memd.RoleUser, Raw: []byte(fmt.Sprintf(`{"role":"user","content":%q}`, text)), CreatedAt: at}
}

func conversation(user, session string, messages ...format.Message) format.Item {
	return format.Item{Conversation: &format.Conversation{UserID: user, SessionID: session, Messages: messages}}
}

func items(all ...format.Item) iter.Seq2[format.Item, error] {
	return func(yield func(format.Item, error) bool) {
		for _, i := range all {
			if !yield(i, nil) {
				return
			}
		}
	}
}

// taker takes what it does not have yet.
type taker struct {
	mu    sync.Mutex
	has   map[string]bool
	order map[string][]string // by person
	after []string
	fail  func(id string) error
	odd   string
	// together is the most messages that came at once.
	together int
}

func (k *taker) take(user, id string) (known bool) {
	if k.has == nil {
		k.has, k.order = map[string]bool{}, map[string][]string{}
	}
	known = k.has[user+"/"+id]
	k.has[user+"/"+id] = true
	if !known {
		k.order[user] = append(k.order[user], id)
	}
	return known
}

func (k *taker) Conversations(_ context.Context, all []format.Conversation) (out Outcome, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, c := range all {
		for _, m := range c.Messages {
			if k.fail != nil {
				if err := k.fail(m.ID); err != nil {
					return out, err
				}
			}
			switch {
			case m.ID == k.odd:
				out.Bad = append(out.Bad, format.Bad{Place: c.Place, Reason: "odd"})
			case k.take(c.UserID, m.ID):
				out.Known++
			default:
				out.New++
			}
			n++
		}
	}
	k.together = max(k.together, n)
	return out, nil
}

// After implements Target: it comes when all of the person is there.
func (k *taker) After(_ context.Context, a format.After) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.after = append(k.after, a.UserID+"/"+a.SessionID+" after "+strconv.Itoa(len(k.order[a.UserID])))
	return nil
}

func (k *taker) Memories(_ context.Context, all []format.Memory) (out Outcome, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range all {
		if k.take(m.UserID, m.Text) {
			out.Known++
		} else {
			out.New++
		}
	}
	return out, nil
}

var day = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

func sample() iter.Seq2[format.Item, error] {
	return items(
		format.Item{After: &format.After{UserID: "alice", SessionID: "early", Unlearned: true}},
		conversation("alice", "late", message("a3", day.AddDate(2, 0, 0))),
		conversation("bob", "b", message("b1", day), message("odd", day)),
		conversation("alice", "early", message("a1", day)),
		format.Item{Memory: &format.Memory{UserID: "alice", Text: "a memory", Role: memd.RoleUser, CreatedAt: day.AddDate(3, 0, 0)}},
		// The clock went back within a session: its order stays.
		conversation("alice", "clock", message("a4", day.AddDate(2, 6, 0))),
		conversation("alice", "clock", message("a5", day.AddDate(1, 0, 0))),
		conversation("alice", "middle", message("a2", day.AddDate(1, 0, 0))),
		format.Item{Bad: &format.Bad{Place: format.Place{File: "f", Line: 3}, Reason: "is not valid JSON"}},
		format.Item{Conversation: &format.Conversation{Empty: 2, Repeated: 1}},
	)
}

func TestEachPersonsPastComesInItsOrder(t *testing.T) {
	for _, held := range []int{0, 1} {
		var odd []format.Bad
		g, err := Gather(sample(), Config{Dir: t.TempDir(), HeldBytes: held, Bad: func(b format.Bad) { odd = append(odd, b) },
			Tokens: func(s string) int { return len(s) }})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		want := Totals{Conversations: 5, Messages: 7, Learnable: 7, Memories: 1, Tokens: 15, Bad: 1, Empty: 2, Repeated: 1, People: 2}
		if g.Totals != want {
			t.Errorf("totals %+v, want %+v", g.Totals, want)
		}
		k := &taker{odd: "odd"}
		var last Sent
		sent, err := g.Send(t.Context(), k, 3, func(s Sent) { last = s })
		if err != nil || sent != (Sent{Parts: 6, Messages: 7, Memories: 1, New: 7, Refused: 1}) || last != sent {
			t.Errorf("sent %+v, %v, told %+v", sent, err, last)
		}
		if got := k.order["alice"]; !slices.Equal(got, []string{"a1", "a2", "a3", "a4", "a5", "a memory"}) {
			t.Errorf("alice's past comes as %q", got)
		}
		if !slices.Equal(k.after, []string{"alice/early after 6"}) {
			t.Errorf("in the end it is said %q", k.after)
		}
		if len(odd) != 2 || g.Bad != 2 {
			t.Errorf("set aside %+v", odd)
		}
		again, err := g.Send(t.Context(), k, 3, nil)
		if err != nil || again.New != 0 || again.Known != 7 {
			t.Errorf("the second time %+v, %v", again, err)
		}
	}
}

// What failed half-way, and is begun anew, comes to what it would have been.
func TestWhatWasInterruptedIsGoneOnWith(t *testing.T) {
	straight := &taker{}
	run := func(k *taker) (Sent, error) {
		g, err := Gather(sample(), Config{UserID: "one"})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		return g.Send(t.Context(), k, 2, nil)
	}
	if _, err := run(straight); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	resumed := &taker{fail: func(id string) error {
		if id == "a3" {
			return broken
		}
		return nil
	}}
	sent, err := run(resumed)
	if !errors.Is(err, broken) || len(resumed.order["one"]) == 0 || slices.Contains(resumed.order["one"], "a3") {
		t.Fatalf("sent %+v, %v, %q", sent, err, resumed.order)
	}
	resumed.fail = nil
	if _, err := run(resumed); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(resumed.order["one"], straight.order["one"]) {
		t.Errorf("resumed %q, straight %q", resumed.order["one"], straight.order["one"])
	}
}

func TestSendingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var all []format.Item
	for i := range 200 {
		var said []format.Message
		for m := range 100 {
			said = append(said, message(fmt.Sprint(i, ".", m), day))
		}
		all = append(all, conversation(fmt.Sprint("user", i%7), "s", said...))
	}
	g, err := Gather(items(all...), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	k := &taker{}
	sent, err := g.Send(ctx, k, 2, func(Sent) { cancel() })
	if !errors.Is(err, context.Canceled) || sent.Messages < 200 || sent.Messages > 4*200 {
		t.Errorf("sent %+v, %v", sent, err)
	}
	if k.together != 200 { // as many as may be, of whole parts
		t.Errorf("%d messages came at once", k.together)
	}
}

// However much there is, no more of it is held than is to be.
func TestWhatIsHeldDoesNotGrow(t *testing.T) {
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, most, messages := held(), uint64(0), 0
	text := strings.Repeat("word ", 40)
	many := func(yield func(format.Item, error) bool) {
		for c := range 20_000 {
			var said []format.Message
			for m := range 10 {
				said = append(said, message(fmt.Sprint(c, ".", m, text), day.AddDate(0, 0, -c%4000)))
			}
			messages += len(said)
			if c%2000 == 1999 {
				most = max(most, held())
			}
			if !yield(conversation(fmt.Sprint("user", c%500), fmt.Sprint("s", c), said...), nil) {
				return
			}
		}
	}
	g, err := Gather(many, Config{Dir: t.TempDir(), HeldBytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	read := 0
	for i, err := range g.All() {
		if err != nil {
			t.Fatal(err)
		}
		if read += len(i.Conversation.Messages); read%20_000 == 0 {
			most = max(most, held())
		}
	}
	if read != messages {
		t.Errorf("%d of %d messages are read", read, messages)
	}
	if grown := int(most-before) >> 20; grown > 24 { // of a hundred in all
		t.Errorf("%d MiB are held", grown)
	}
}

func TestNobodysMessagesAreRefused(t *testing.T) {
	if _, err := Gather(items(conversation("", "s", message("x", day))), Config{}); !errors.Is(err, ErrNobody) {
		t.Errorf("error %v", err)
	}
	g, err := Gather(items(conversation("", "s", message("x", day)), conversation("alice", "s", message("y", day))), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.Bad != 1 || g.Messages != 1 {
		t.Errorf("%+v", g.Totals)
	}
	failed := errors.New("unreadable")
	if _, err := Gather(func(yield func(format.Item, error) bool) { yield(format.Item{}, failed) }, Config{}); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
}
