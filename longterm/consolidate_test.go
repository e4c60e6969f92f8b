package longterm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

var monday = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

func TestRepeatWidensTheMemory(t *testing.T) {
	b := newStore(t)
	first := b.learn(memd.Message{UserID: "alice", SessionID: "s1", AgentID: "a", Text: "I like tea.", CreatedAt: monday, Metadata: json.RawMessage(`{"x":1,"y":1}`)})
	second := b.learn(memd.Message{UserID: "alice", SessionID: "s2", AgentID: "b", Text: "i LIKE tea", CreatedAt: monday.Add(time.Hour), Metadata: json.RawMessage(`{"x":2,"z":2}`)})
	ms := b.list(ListQuery{Scope: user("alice")})
	same(t, texts(ms), []string{"I like tea."})
	m := ms[0]
	same(t, m.Sources, []int64{first[0].ID, second[0].ID})
	if *m.AgentID != "a" || *m.RunID != "s1" || !m.ValidFrom.Equal(monday) || !sameJSON(m.Metadata, json.RawMessage(`{"x":1,"y":1,"z":2}`)) {
		t.Fatalf("%+v", m)
	}
	for _, s := range []memd.Scope{{UserID: "alice", RunID: "s1"}, {UserID: "alice", RunID: "s2"}, {RunID: "s2"}, {AgentID: "b"}, {AgentID: "a", RunID: "s2"}} {
		same(t, texts(b.list(ListQuery{Scope: s})), []string{"I like tea."})
		same(t, found(b.search(ask("tea", s))), []string{"I like tea."})
	}
	same(t, texts(b.list(ListQuery{Scope: memd.Scope{UserID: "alice", RunID: "s3"}})), nil)
	history, err := b.History(t.Context(), tenant, m.ID, memd.Scope{UserID: "alice"})
	if err != nil || len(history) != 2 || history[0].Event != EventAdd || history[1].Event != EventNone || history[1].Reason != "said again" || history[1].By != "test/1" {
		t.Fatalf("%+v, %v", history, err)
	}
	events, err := b.EventsOf(t.Context(), tenant, []int64{second[0].ID})
	if err != nil || len(events) != 1 || events[0].Event != EventNone || events[0].ID != m.ID {
		t.Fatalf("%+v, %v", events, err)
	}
	b.checkCounters()
}

func TestWhatDoesNotRepeat(t *testing.T) {
	b := newStore(t)
	b.verbatim("alice", "I like tea")
	for _, m := range []memd.Message{
		{UserID: "alice", Text: "I like tea"},
		{UserID: "alice", Text: "I like tea", Name: "bob"},
		{UserID: "alice", Text: "I like tea", Role: memd.RoleAssistant},
		{UserID: "alice", Text: "I like tea", AppID: "app"},
		{UserID: "bob", Text: "I like tea"},
		{AgentID: "alice", Text: "I like tea"},
		{Text: "I like tea"},
	} {
		m.SessionID = "s1"
		b.learn(m)
	}
	if n := query[int](b, `SELECT count(*) FROM memory`); n != 8 {
		t.Fatalf("there are %d memories", n)
	}
	b.checkCounters()
}

func TestReplayChangesNothing(t *testing.T) {
	b := newStore(t)
	l := whole(b.say(
		memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea"},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea!"},
		memd.Message{UserID: "alice", SessionID: "s1", Role: memd.RoleAssistant, Text: "Tea it is"},
		memd.Message{UserID: "alice", SessionID: "s1", Role: memd.RoleSystem, Text: "Be kind"},
	))
	b.consolidate(l)
	state := func() string {
		return query[string](b, `SELECT concat(
			(SELECT json_agg(m ORDER BY id) FROM memory m), (SELECT json_agg(s ORDER BY memory_id, message_id) FROM memory_source s),
			(SELECT json_agg(h ORDER BY id) FROM memory_history h), (SELECT json_agg(p ORDER BY term, memory_id) FROM memory_posting p),
			(SELECT json_agg(p ORDER BY term, session_no, position) FROM message_posting p), (SELECT json_agg(s ORDER BY id) FROM memory_scope s),
			(SELECT count(*) FROM memory_embedding), (SELECT json_agg(p ORDER BY kind, value, memory_id) FROM memory_provenance p))`)
	}
	before := state()
	b.consolidate(l)
	if after := state(); after != before {
		t.Fatalf("before %s\nafter  %s", before, after)
	}
	if n := query[int](b, `SELECT messages FROM memory_scope`); n != 3 {
		t.Fatalf("%d messages are indexed", n)
	}
	b.checkCounters()
}

func TestMadeUpSessionsAreNoRuns(t *testing.T) {
	b := newStore(t)
	b.learn(memd.Message{UserID: "alice", SessionID: "direct-0190", Text: "I like tea"})
	if m := b.list(ListQuery{Scope: user("alice")})[0]; m.RunID != nil {
		t.Fatalf("run is %q", *m.RunID)
	}
}

func TestSourcesFromBefore(t *testing.T) {
	b := newStore(t)
	said := b.say(
		memd.Message{UserID: "alice", SessionID: "s1", AgentID: "a", Role: memd.RoleAssistant, Text: "Do you like tea?", CreatedAt: monday},
		memd.Message{UserID: "alice", SessionID: "s1", AgentID: "b", Text: "Yes", CreatedAt: monday.Add(time.Minute)},
	)
	b.consolidate(Learned{Messages: said[1:], Extractor: "test/1", Candidates: []memd.Candidate{
		{Text: "I like tea", Role: memd.RoleUser, SaidAt: monday.Add(time.Minute), Sources: []int64{said[0].ID, said[1].ID}}}})
	m := b.list(ListQuery{Scope: user("alice")})[0]
	same(t, m.Sources, []int64{said[0].ID, said[1].ID})
	if n := query[int](b, `SELECT count(*) FROM embedding_open`); n != 1 || *m.AgentID != "a" {
		t.Fatalf("%d wait for a vector, agent %s", n, *m.AgentID)
	}
	err := b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		return b.Consolidate(t.Context(), tx, tenant, Learned{Messages: said[1:], Candidates: []memd.Candidate{{Text: "x", Role: memd.RoleUser, Sources: []int64{1 << 40}}}})
	})
	kind(t, err, memd.Conflict)
}

func TestSupersededIsRepeatedOnlyByWhatWasSaidBefore(t *testing.T) {
	b := newStore(t)
	b.learn(memd.Message{UserID: "alice", SessionID: "s1", Text: "I live in Paris", CreatedAt: monday})
	b.exec(`UPDATE memory SET valid_to = $1`, monday.Add(2*time.Hour))
	b.learn(memd.Message{UserID: "alice", SessionID: "s2", Text: "I live in Paris", CreatedAt: monday.Add(time.Hour)})
	if n := query[int](b, `SELECT count(*) FROM memory`); n != 1 {
		t.Fatalf("there are %d memories", n)
	}
	b.learn(memd.Message{UserID: "alice", SessionID: "s3", Text: "I live in Paris", CreatedAt: monday.Add(2 * time.Hour)})
	b.learn(memd.Message{UserID: "alice", SessionID: "s3", Text: "I live in Paris", CreatedAt: monday.Add(3 * time.Hour)})
	all := b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})
	if len(all) != 2 || len(all[0].Sources) != 2 || len(all[1].Sources) != 2 {
		t.Fatalf("%+v", all)
	}
}

func TestHandMadeMetadataStands(t *testing.T) {
	b := newStore(t)
	b.learn(memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea", CreatedAt: monday, Metadata: json.RawMessage(`{"x":1}`)})
	b.edit(Edit{Metadata: json.RawMessage(`{"x":"mine"}`)})
	b.learn(memd.Message{UserID: "alice", SessionID: "s2", Text: "I like tea", CreatedAt: monday.Add(-time.Hour), Metadata: json.RawMessage(`{"x":2,"y":2}`)})
	if m := b.list(ListQuery{Scope: user("alice")})[0]; !sameJSON(m.Metadata, json.RawMessage(`{"x":"mine","y":2}`)) {
		t.Fatal(string(m.Metadata))
	}
}

func TestWhatCallersWantOfWhatIsLearned(t *testing.T) {
	b := newStore(t)
	soon, late := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond), time.Now().Add(2*time.Hour).UTC().Truncate(time.Microsecond)
	at := monday.Add(-time.Hour)
	say := func(session string, hour int, as *memd.LearnAs) memd.Memory {
		t.Helper()
		l := whole(b.say(memd.Message{UserID: "alice", SessionID: session, Text: "I like tea", CreatedAt: monday.Add(time.Duration(hour) * time.Hour), LearnAs: as}))
		l.Candidates[0].Categories, l.Candidates[0].OccurredAt = []string{"likes", "food"}, &at
		b.consolidate(l)
		return b.list(ListQuery{Scope: user("alice")})[0]
	}
	m := say("s1", 3, &memd.LearnAs{MemoryType: "fact", Categories: []string{"food", "mine"}, ExpiresAt: &soon})
	if *m.MemoryType != "fact" || m.Scope != nil || !m.ExpiresAt.Equal(soon) || m.OccurredAt == nil || !m.OccurredAt.Equal(at) {
		t.Fatalf("%s", encode(t, m))
	}
	same(t, m.Categories, []string{"food", "mine", "likes"})
	m = say("s1", 4, &memd.LearnAs{MemoryType: "plan", Scope: "work", Categories: []string{"more"}, ExpiresAt: &late, OccurredAt: &monday})
	if *m.MemoryType != "fact" || *m.Scope != "work" || !m.ExpiresAt.Equal(late) || !m.OccurredAt.Equal(monday) {
		t.Fatalf("%s", encode(t, m))
	}
	same(t, m.Categories, []string{"food", "mine", "more", "likes"})
	// Said earlier, elsewhere, by someone who wants nothing of it.
	m = say("s0", 0, nil)
	if *m.MemoryType != "fact" || *m.Scope != "work" || m.ExpiresAt != nil || !m.OccurredAt.Equal(monday) || !m.ValidFrom.Equal(monday) {
		t.Fatalf("%s", encode(t, m))
	}
	// Taken back, it is as if it had never been said.
	b.withdraw(m.Sources[0], m.Sources[1])
	m = b.list(ListQuery{Scope: user("alice")})[0]
	if m.MemoryType != nil || m.Scope != nil || m.OccurredAt != nil {
		t.Fatalf("%s", encode(t, m))
	}
	same(t, m.Categories, []string{"likes"})
}

// A source that is not among the messages that were looked at has its say as well.
func TestWhatIsWantedOfSourcesElsewhere(t *testing.T) {
	b := newStore(t)
	said := b.say(
		memd.Message{UserID: "alice", SessionID: "s1", Text: "I like", CreatedAt: monday, LearnAs: &memd.LearnAs{MemoryType: "fact", Categories: []string{"food"}}},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "tea", CreatedAt: monday.Add(time.Minute)},
	)
	b.consolidate(Learned{Messages: said[1:], Extractor: "test/1", Candidates: []memd.Candidate{
		{Text: "I like tea", Role: memd.RoleUser, SaidAt: monday, Sources: []int64{said[0].ID, said[1].ID}}}})
	if m := b.list(ListQuery{Scope: user("alice")})[0]; m.MemoryType == nil || *m.MemoryType != "fact" || !slices.Equal(m.Categories, []string{"food"}) {
		t.Fatalf("%s", encode(t, m))
	}
}

// The same sentence twice is one memory, and so is one that fifty say at once, whichever
// way it comes.
func TestOneFactIsOneRow(t *testing.T) {
	b := newStore(t)
	var learned []Learned
	for i := range 50 {
		learned = append(learned, whole(b.say(memd.Message{UserID: "alice", SessionID: fmt.Sprintf("s%d", i%5), Text: "I like tea", CreatedAt: monday.Add(time.Duration(i) * time.Minute)})))
	}
	b.consolidate(learned[0])
	b.consolidate(learned[1])
	if h := b.history(b.list(ListQuery{Scope: user("alice")})[0].ID); len(h) != 2 || h[1].Event != EventNone {
		t.Fatalf("%+v", h)
	}
	var wg sync.WaitGroup
	errs := make([]error, 2*len(learned))
	for i := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if i%2 == 0 {
				errs[i] = b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error { return b.Consolidate(t.Context(), tx, tenant, learned[i/2]) })
			} else {
				_, errs[i] = b.AddVerbatim(t.Context(), tenant, []Verbatim{{Scope: user("bob"), Text: "I like tea", Role: "user"}})
			}
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	m := b.list(ListQuery{Scope: user("alice")})
	if len(m) != 1 || len(m[0].Sources) != len(learned) || !m[0].ValidFrom.Equal(monday) {
		t.Fatalf("%+v", m)
	}
	if n := len(b.list(ListQuery{Scope: user("bob")})); n != 1 {
		t.Fatalf("%d rows", n)
	}
	for _, l := range learned {
		b.consolidate(l)
	}
	if n := query[int](b, `SELECT count(*) FROM memory`); n != 2 {
		t.Fatalf("%d rows after learning again", n)
	}
	b.checkCounters()
}

// TestOrderOfArrivalDoesNotMatter lets the same sessions arrive in any order, cut into
// batches anyhow and some of them again, and compares what there is in the end.
func TestOrderOfArrivalDoesNotMatter(t *testing.T) {
	b := newStore(t)
	sayings := []string{"I like tea", "i like tea.", "I LIKE TEA!", "Tea is fine", "tea is fine", "Ⅰ like tea"}
	// What an extractor finds differs with the words.
	labels := map[string][]string{"I like tea": {"food", "likes"}, "i like tea.": {"likes"}, "tea is fine": {"work"}}
	happened := map[string]*time.Time{"I LIKE TEA!": ptr(monday.Add(-48 * time.Hour)), "tea is fine": ptr(monday)}
	later := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	learnAs := []*memd.LearnAs{nil, nil, {}, {MemoryType: "fact", Categories: []string{"work", "b"}}, {Scope: "mine", ExpiresAt: &later, Categories: []string{"likes"}},
		{MemoryType: "plan", ExpiresAt: ptr(later.Add(time.Hour)), OccurredAt: ptr(monday.Add(24 * time.Hour))}, {OccurredAt: ptr(monday.Add(time.Hour)), Categories: []string{"food"}}}
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		sessions := rapid.IntRange(1, 3).Draw(r, "sessions")
		var script []memd.Message
		for s := range sessions {
			for range rapid.IntRange(1, 4).Draw(r, "messages") {
				m := memd.Message{
					SessionID: fmt.Sprintf("s%d", s),
					AgentID:   rapid.SampledFrom([]string{"", "a", "b"}).Draw(r, "agent"),
					Name:      rapid.SampledFrom([]string{"", "", "bob"}).Draw(r, "name"),
					Role:      rapid.SampledFrom([]memd.Role{memd.RoleUser, memd.RoleUser, memd.RoleAssistant}).Draw(r, "role"),
					Text:      rapid.SampledFrom(sayings).Draw(r, "text"),
					// Few times, so that many are said at the same.
					CreatedAt: monday.Add(time.Duration(rapid.IntRange(0, 3).Draw(r, "hour")) * time.Hour),
					LearnAs:   rapid.SampledFrom(learnAs).Draw(r, "learn as"),
				}
				if x := rapid.SampledFrom([]string{"", `{"x":1}`, `{"x":2,"y":2}`, `{"z":[1,{"a":null}]}`}).Draw(r, "metadata"); x != "" {
					m.Metadata = json.RawMessage(x)
				}
				script = append(script, m)
			}
		}
		// play says everything and consolidates it in the order and batches drawn.
		play := func(label string) string {
			n++
			who := fmt.Sprintf("user%d", n)
			messages := slices.Clone(script)
			for i := range messages {
				messages[i].UserID = who
			}
			messages = b.say(messages...)
			place := map[int64]string{}
			for _, m := range messages {
				place[m.ID] = fmt.Sprintf("%s/%d", m.SessionID, m.Position)
			}
			learned := func(messages []memd.Message) Learned {
				l := whole(messages)
				for i, c := range l.Candidates {
					l.Candidates[i].Categories, l.Candidates[i].OccurredAt = labels[c.Text], happened[c.Text]
				}
				return l
			}
			rest := rapid.Permutation(messages).Draw(r, label)
			var done []memd.Message
			for len(rest) > 0 {
				k := rapid.IntRange(1, len(rest)).Draw(r, label+" batch")
				b.consolidate(learned(rest[:k]))
				done, rest = append(done, rest[:k]...), rest[k:]
				if again := rapid.IntRange(0, len(done)).Draw(r, label+" again"); again > 0 {
					b.consolidate(learned(done[:again]))
				}
			}
			b.checkCounters()
			var lines []string
			for _, m := range b.list(ListQuery{Scope: user(who)}) {
				h := query[string](b, `SELECT concat(agent_ids, run_ids, (SELECT e.embedding FROM memory_embedding e WHERE e.memory_id = m.id)) FROM memory m WHERE id = $1`, m.ID)
				var sources []string
				for _, s := range m.Sources {
					sources = append(sources, place[s])
				}
				slices.Sort(sources)
				lines = append(lines, fmt.Sprint(m.Memory, m.Role, encode(t, m.ActorID), m.ValidFrom, canonical(m.Metadata), sources, h,
					encode(t, []any{m.Categories, m.MemoryType, m.Scope, m.ExpiresAt, m.OccurredAt})))
			}
			slices.Sort(lines)
			return strings.Join(lines, "\n")
		}
		one, two := play("first"), play("second")
		if one != two {
			r.Fatalf("one order:\n%s\nanother:\n%s", one, two)
		}
	})
}

func TestConcurrentConsolidation(t *testing.T) {
	b := newStore(t)
	const sessions = 8
	var learned []Learned
	for s := range sessions {
		learned = append(learned, whole(b.say(
			memd.Message{UserID: "alice", SessionID: fmt.Sprintf("s%d", s), Text: "I like tea"},
			memd.Message{UserID: "alice", SessionID: fmt.Sprintf("s%d", s), Text: fmt.Sprintf("I am number %d", s)},
		)))
	}
	var wg sync.WaitGroup
	errs := make([]error, 2*sessions)
	for i := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
				return b.Consolidate(t.Context(), tx, tenant, learned[i%sessions])
			})
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	ms := b.list(ListQuery{Scope: user("alice"), Filters: filter(t, `{"memory":"I like tea"}`)})
	if len(ms) != 1 || len(ms[0].Sources) != sessions {
		t.Fatalf("%+v", ms)
	}
	if n := query[int](b, `SELECT count(*) FROM memory`); n != sessions+1 {
		t.Fatalf("there are %d memories", n)
	}
	b.checkCounters()
}

func filter(t testing.TB, raw string) Filter {
	t.Helper()
	f, err := ParseFilter(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return f
}

func TestSettingsOfTheTransactionAreLeftAsTheyWere(t *testing.T) {
	b := newStore(t)
	l := whole(b.say(memd.Message{UserID: "alice", SessionID: "s1", Text: "I like tea"}))
	err := b.pool.InTenant(t.Context(), tenant, func(tx pgx.Tx) error {
		if err := b.Consolidate(t.Context(), tx, tenant, l); err != nil {
			return err
		}
		var got string
		if err := tx.QueryRow(t.Context(), `SELECT concat_ws(' ', current_setting('plan_cache_mode'), current_setting('enable_seqscan'), current_setting('enable_bitmapscan'))`).Scan(&got); err != nil {
			return err
		}
		if got != "auto on on" {
			t.Errorf("settings are %s", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A message without a text is learned from like any other: nothing comes of it, and
// there is nothing to find it by.
func TestMessagesWithoutTextLeaveNothing(t *testing.T) {
	b := newStore(t)
	said := b.say(memd.Message{UserID: "alice", SessionID: "s", Name: "bob"}, memd.Message{UserID: "alice", SessionID: "s", Role: memd.RoleAssistant})
	b.consolidate(Learned{Messages: said, Extractor: "test/1"})
	for _, table := range []string{"message_posting", "memory"} {
		if n := query[int](b, "SELECT count(*) FROM "+table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	b.learn(memd.Message{UserID: "alice", SessionID: "s", Text: "I like tea"}, memd.Message{UserID: "alice", SessionID: "s", Name: "bob", Text: "So do I"})
	if n := query[int](b, `SELECT messages FROM memory_scope WHERE user_id = 'alice'`); n != 2 {
		t.Errorf("%d messages are counted, want 2", n)
	}
	b.checkCounters()
}
