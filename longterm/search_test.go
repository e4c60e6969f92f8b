package longterm

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/memdhq/memd/lexical"
	"github.com/memdhq/memd/postgres"
	"pgregory.net/rapid"
)

var vocabulary = []string{"tea", "coffee", "dog", "Lisbon", "rain", "sister", "violin", "marathon", "the", "is", "and", "ßtraße", "東京", "naïve"}

// TestLexicalScores holds both BM25 scores to a plain reading of their definition.
func TestLexicalScores(t *testing.T) {
	b := newStore(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		who := fmt.Sprintf("user%d", n)
		sentence := func(label string) string {
			words := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 8).Draw(r, label)
			s := ""
			for i, w := range words {
				if i > 0 {
					s += " "
				}
				s += w
			}
			return s
		}
		var said []memd.Message
		for i := range rapid.IntRange(1, 10).Draw(r, "messages") {
			said = append(said, memd.Message{
				UserID: who, SessionID: rapid.SampledFrom([]string{"s1", "s2"}).Draw(r, "session"),
				Name: rapid.SampledFrom([]string{"", "bob"}).Draw(r, "name"), CreatedAt: monday.Add(time.Duration(i) * time.Minute),
				Text: sentence("text"),
				Role: rapid.SampledFrom([]memd.Role{memd.RoleUser, memd.RoleAssistant, memd.RoleTool}).Draw(r, "role"),
			})
		}
		said = b.say(said...)
		// In two batches: neighbours that come later count as well.
		cut := rapid.IntRange(0, len(said)).Draw(r, "cut")
		b.consolidate(whole(said[:cut]))
		b.consolidate(whole(said[cut:]))
		text := sentence("query")
		q := ask(text, user(who))
		q.Limit, q.Explain = 100, true
		hits := b.search(q)

		type document struct {
			tf     map[int32]int
			length int
		}
		read := func(m memd.Message) document {
			d := document{tf: map[int32]int{}}
			terms, length := lexical.Terms(EmbedText(m.Name, m.Text))
			for _, t := range terms {
				d.tf[t.Hash] = t.Count
			}
			d.length = length
			return d
		}
		// The messages that are indexed, by place; all say at least one word.
		indexed := map[string]document{}
		mean := 0.0
		for _, m := range said {
			if m.Role.Learnable() {
				d := read(m)
				indexed[fmt.Sprint(m.SessionID, m.Position)] = d
				mean += float64(d.length)
			}
		}
		mean /= float64(len(indexed))
		asked := lexical.QueryTerms(text)
		holds := func(d document) bool {
			return slices.ContainsFunc(asked, func(t lexical.Term) bool { return d.tf[t.Hash] > 0 })
		}
		// window joins the neighbours of a place; those that hold no term asked for count
		// with the mean length.
		window := func(session string, position int) document {
			w := document{tf: map[int32]int{}}
			unknown := 0
			for p := max(0, position-2); p <= position+2; p++ {
				d, ok := indexed[fmt.Sprint(session, p)]
				if !ok || !holds(d) {
					unknown++
					continue
				}
				w.length += d.length
				for t, n := range d.tf {
					w.tf[t] += n
				}
			}
			w.length = int(float64(w.length) + float64(unknown)*mean + .5)
			return w
		}
		df := map[int32]int{}
		for _, session := range []string{"s1", "s2"} {
			for p := range len(said) + 2 {
				w := window(session, p)
				for _, t := range asked {
					if w.tf[t.Hash] > 0 {
						df[t.Hash]++
					}
				}
			}
		}
		var memories []document
		own := map[int32]int{}
		memoryMean := 0.0
		all := b.list(ListQuery{Scope: user(who), Limit: 100})
		for _, m := range all {
			name := ""
			if m.ActorID != nil {
				name = *m.ActorID
			}
			d := read(memd.Message{Name: name, Text: m.Memory})
			memories = append(memories, d)
			memoryMean += float64(d.length)
			for t := range d.tf {
				own[t]++
			}
		}
		memoryMean /= float64(len(all))
		if len(hits) != len(all) {
			r.Fatalf("%d hits of %d memories", len(hits), len(all))
		}
		for i, m := range all {
			h := hits[slices.IndexFunc(hits, func(h Hit) bool { return h.ID == m.ID })]
			want, wantWindow := 0.0, 0.0
			for _, t := range asked {
				want += lexical.BM25(len(all), own[t.Hash], memories[i].tf[t.Hash], memories[i].length, memoryMean)
			}
			for _, s := range m.Sources {
				source := said[slices.IndexFunc(said, func(x memd.Message) bool { return x.ID == s })]
				w := window(source.SessionID, source.Position)
				score := 0.0
				for _, t := range asked {
					score += lexical.BM25(len(indexed), df[t.Hash], w.tf[t.Hash], w.length, 5*mean)
				}
				wantWindow = max(wantWindow, score)
			}
			if math.Abs(h.Explain["bm25"]-want) > 1e-9 || math.Abs(h.Explain["bm25_window"]-wantWindow) > 1e-9 {
				r.Fatalf("%q for %q: bm25 %v, want %v; window %v, want %v", m.Memory, text, h.Explain["bm25"], want, h.Explain["bm25_window"], wantWindow)
			}
			cosine := 0.0
			for j, x := range vectorOf(EmbedText(deref(m.ActorID), m.Memory)) {
				cosine += float64(x) * float64(q.Vector[j])
			}
			if math.Abs(h.Similarity-cosine) > 2e-3 {
				r.Fatalf("similarity %v, want %v", h.Similarity, cosine)
			}
		}
		checkScores(r, hits, text)
	})
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// checkScores holds hits to what is promised of scores.
func checkScores(t interface{ Fatalf(string, ...any) }, hits []Hit, text string) {
	for i, h := range hits {
		isText := lexical.Canonical(h.Memory.Memory) == lexical.Canonical(text)
		if h.Score < 0 || h.Score > 1 || isText != (h.Score == 1) {
			t.Fatalf("%q has score %v for %q", h.Memory.Memory, h.Score, text)
		}
		if h.Score != math.Round(h.Score*1e6)/1e6 {
			t.Fatalf("score %v is not rounded", h.Score)
		}
		if i > 0 && (hits[i-1].Score < h.Score || hits[i-1].Score == h.Score && hits[i-1].ValidFrom.Before(h.ValidFrom)) {
			t.Fatalf("%d: %v at %s before %v at %s", i, hits[i-1].Score, hits[i-1].ValidFrom, h.Score, h.ValidFrom)
		}
	}
}

func TestScoresFollowTheRanking(t *testing.T) {
	memdtest.Checks(t, 100)
	rapid.Check(t, func(r *rapid.T) {
		var all []*candidate
		for i := range rapid.IntRange(1, 40).Draw(r, "n") {
			c := &candidate{embedded: rapid.Bool().Draw(r, "embedded"), alone: rapid.Bool().Draw(r, "alone")}
			c.similarity = rapid.Float64Range(-1, 1).Draw(r, "similarity")
			c.words = match{rapid.Float64Range(0, 20).Draw(r, "words"), rapid.Float64Range(0, 1).Draw(r, "coverage")}
			c.window = match{rapid.Float64Range(0, 20).Draw(r, "window"), rapid.Float64Range(0, 1).Draw(r, "window coverage")}
			c.Memory.Memory = rapid.SampledFrom([]string{"tea", "Tea!", "coffee", "two teas in May?"}).Draw(r, "text")
			c.Role = rapid.SampledFrom([]string{"user", "assistant"}).Draw(r, "role")
			if rapid.Bool().Draw(r, "named") {
				name := "Ann"
				c.ActorID = &name
			}
			c.answering = rapid.Bool().Draw(r, "answering")
			c.Hash = hashOf(c.Memory.Memory)
			c.id = memoryID{byte(i)}
			all = append(all, c)
		}
		mode := rapid.SampledFrom([]string{ModeHybrid, ModeVector, ModeLexical}).Draw(r, "mode")
		question := rapid.SampledFrom([]string{"", "How many teas did I have in May?", "When did Ann say so?", "What did you suggest?"}).Draw(r, "question")
		rank(all, mode, "tea", askedBy(question, time.Time{}), nil)
		before := 1.0
		for i, c := range all {
			if c.score > before || c.score < 0 || c.exact != (c.score == 1) {
				r.Fatalf("%d: score %v after %v", i, c.score, before)
			}
			if i > 0 && !c.exact && !all[i-1].exact && all[i-1].fused > c.fused && all[i-1].score <= c.score {
				r.Fatalf("%d: better evidence, not a better score", i)
			}
			before = c.score
		}
	})
}

func TestTextEqualToTheQueryComesFirst(t *testing.T) {
	b := newStore(t)
	b.verbatim("alice", "I like green tea very much", "green tea", "Tea, green", "the green green green tea tea tea")
	b.verbatim("alice", "Green  TEA.")
	for _, mode := range []string{ModeHybrid, ModeVector, ModeLexical} {
		q := ask("green tea!", user("alice"))
		q.Mode = mode
		hits := b.search(q)
		// Both are the text; the newer one comes first.
		same(t, found(hits)[:2], []string{"Green  TEA.", "green tea"})
		if hits[0].Score != 1 || hits[1].Score != 1 || hits[2].Score >= 1 {
			t.Fatalf("%s: scores %v %v %v", mode, hits[0].Score, hits[1].Score, hits[2].Score)
		}
		checkScores(t, hits, q.Text)
	}
	if hits := b.search(ask("the", user("alice"))); len(hits) != 5 {
		t.Fatalf("a stop word finds %d", len(hits))
	}
}

func TestThresholdCutsTheRanking(t *testing.T) {
	b := newStore(t)
	b.verbatim("alice", "green tea", "black tea", "red wine", "a long walk", "some rain")
	q := ask("green tea please", user("alice"))
	all := b.search(q)
	for i, h := range all {
		q.Threshold = h.Score
		got := b.search(q)
		if len(got) < i+1 || got[len(got)-1].Score < q.Threshold {
			t.Fatalf("threshold %v gives %d of %d", h.Score, len(got), len(all))
		}
		same(t, found(got), found(all)[:len(got)])
	}
	q.Threshold, q.Limit = 0, 2
	same(t, found(b.search(q)), found(all)[:2])
}

func TestRelevanceIsTheModels(t *testing.T) {
	b := newStore(t)
	b.verbatim("alice", "green tea", "black coffee")
	q := ask("weather", user("alice"))
	q.Relevance = func(cosine float64) float64 { return 0.25 }
	for _, h := range b.search(q) {
		if math.Abs(h.Score-0.25) > 1e-5 {
			t.Errorf("score is %v", h.Score)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	b := newStore(t)
	for field, q := range map[string]Query{
		"query":   ask(" \t", user("alice")),
		"mode":    {Text: "x", Scope: user("alice"), Mode: "fuzzy"},
		"limit":   {Text: "x", Scope: user("alice"), Limit: 1001},
		"user_id": {Text: "x", Scope: memd.Scope{AppID: "p"}},
	} {
		_, err := b.Search(t.Context(), tenant, q)
		kind(t, err, memd.Invalid)
		if e := err.(*memd.Error); e.Field != field {
			t.Errorf("names %q, want %q", e.Field, field)
		}
	}
}

// TestEveryResultThatExists asks for k in scopes where most of what is nearest does not
// qualify, on one connection, more often than a plan needs to change.
func TestEveryResultThatExists(t *testing.T) {
	b := newStoreWith(t, postgres.Config{MinConns: 1, MaxConns: 1})
	r := rand.New(rand.NewPCG(1, 2))
	sentence := func() string {
		s := ""
		for range 6 {
			s += vocabulary[r.IntN(len(vocabulary))] + " "
		}
		return s
	}
	add := func(who string, n int, change func(i int, v *Verbatim)) {
		var vs []Verbatim
		for i := range n {
			v := Verbatim{Scope: user(who), Role: "user", Text: fmt.Sprintf("%s%d", sentence(), i), Model: model}
			if change != nil {
				change(i, &v)
			}
			v.Vector = vectorOf(v.Text)
			vs = append(vs, v)
		}
		if _, err := b.AddVerbatim(t.Context(), tenant, vs); err != nil {
			t.Fatal(err)
		}
	}
	// The connection's first searches are on empty tables.
	if hits := b.search(ask("tea", user("alice"))); len(hits) != 0 {
		t.Fatalf("found %q", found(hits))
	}
	past := time.Now().Add(-time.Hour)
	// 150 that lie nearest to the query are expired, and 150 superseded.
	add("alice", 150, func(_ int, v *Verbatim) { v.Text = "green tea " + v.Text; v.ExpiresAt = &past })
	add("alice", 150, func(_ int, v *Verbatim) { v.Text = "green tea, " + v.Text })
	b.exec(`UPDATE memory SET valid_to = now() WHERE expires_at IS NULL`)
	add("alice", 200, func(i int, v *Verbatim) {
		v.Metadata = json.RawMessage(fmt.Sprintf(`{"n":%d}`, i%20))
		v.Scope.AgentID = fmt.Sprintf("agent%d", i%10)
		v.Scope.RunID = fmt.Sprintf("run%d", i%8)
		if i%4 == 0 {
			v.Role = "assistant"
		}
	})
	for i := range 30 {
		add(fmt.Sprintf("other%d", i), 20, nil)
	}
	past = past.Add(-time.Hour)
	queries := []struct {
		name string
		q    Query
		want int
	}{
		{"user", Query{Scope: user("alice"), Limit: 50}, 50},
		{"all", Query{Scope: user("alice"), Limit: 500}, 200},
		{"agent", Query{Scope: memd.Scope{UserID: "alice", AgentID: "agent3"}, Limit: 50}, 20},
		{"agent alone", Query{Scope: memd.Scope{AgentID: "agent3"}, Limit: 10}, 10},
		{"run", Query{Scope: memd.Scope{UserID: "alice", RunID: "run2"}, Limit: 50}, 25},
		{"run alone", Query{Scope: memd.Scope{RunID: "run2"}, Limit: 50}, 25},
		{"filter", Query{Scope: user("alice"), Filters: filter(t, `{"n":7}`), Limit: 50}, 10},
		{"filter none", Query{Scope: user("alice"), Filters: filter(t, `{"n":"7"}`), Limit: 50}, 0},
		{"assistant", Query{Scope: user("alice"), ScopesAssistant: true, Limit: 100}, 50},
		{"not assistant", Query{Scope: user("alice"), ScopesUser: true, Limit: 500}, 150},
		{"superseded too", Query{Scope: user("alice"), IncludeSuperseded: true, Limit: 500}, 350},
		{"before all", Query{Scope: user("alice"), AsOf: &past, Limit: 500}, 0},
		{"tenant", Query{AllScopes: true, Limit: 1000}, 800},
		{"users", Query{Filters: filter(t, `{"user_id":["alice","other1"]}`), Limit: 1000}, 220},
		{"other", Query{Scope: user("other7"), Limit: 10}, 10},
		{"nobody", Query{Scope: user("nobody"), Limit: 10}, 0},
	}
	text := "green tea in the rain"
	first := map[string][]string{}
	for round := range 13 {
		for _, c := range queries {
			c.q.Text, c.q.Model = text, model
			c.q.Vector = vectorOf(text)
			hits := b.search(c.q)
			if len(hits) != c.want {
				t.Fatalf("round %d, %s: %d hits, want %d", round, c.name, len(hits), c.want)
			}
			if round == 0 {
				first[c.name] = found(hits)
			} else if !slices.Equal(found(hits), first[c.name]) {
				t.Fatalf("round %d, %s: another result", round, c.name)
			}
			checkScores(t, hits, text)
		}
	}
	// Deleting leaves the rest right.
	for _, m := range b.list(ListQuery{Scope: user("alice"), Limit: 100}) {
		if err := b.Delete(t.Context(), tenant, m.ID, memd.Scope{}, "test"); err != nil {
			t.Fatal(err)
		}
		q := ask(text, user("alice"))
		for _, h := range b.search(q) {
			if h.ID == m.ID {
				t.Fatal("found after it was deleted")
			}
		}
	}
	if hits := b.search(Query{Scope: user("alice"), Text: text, Vector: vectorOf(text), Model: model, Limit: 500}); len(hits) != 100 {
		t.Fatalf("%d hits are left", len(hits))
	}
	b.checkCounters()
}

func TestAsOf(t *testing.T) {
	b := newStore(t)
	b.learn(
		memd.Message{UserID: "alice", SessionID: "s1", Text: "I live in Paris", CreatedAt: monday},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "I live in Lisbon", CreatedAt: monday.Add(time.Hour)},
	)
	b.exec(`UPDATE memory SET valid_to = $1 WHERE memory LIKE '%Paris'`, monday.Add(time.Hour))
	b.exec(`UPDATE memory_embedding SET live = false WHERE memory_id = (SELECT id FROM memory WHERE valid_to IS NOT NULL)`)
	at := func(d time.Duration) *time.Time { t := monday.Add(d); return &t }
	for _, c := range []struct {
		asOf *time.Time
		too  bool
		want []string
	}{
		{nil, false, []string{"I live in Lisbon"}},
		{nil, true, []string{"I live in Lisbon", "I live in Paris"}},
		{at(-time.Minute), false, nil},
		{at(time.Minute), false, []string{"I live in Paris"}},
		{at(time.Hour), false, []string{"I live in Lisbon"}},
		{at(time.Minute), true, []string{"I live in Paris"}},
	} {
		q := ask("Where do I live?", user("alice"))
		q.AsOf, q.IncludeSuperseded = c.asOf, c.too
		sameSet(t, found(b.search(q)), c.want)
		sameSet(t, texts(b.list(ListQuery{Scope: user("alice"), AsOf: c.asOf, IncludeSuperseded: c.too})), c.want)
	}
}

func TestScopesAndOwnAgent(t *testing.T) {
	b := newStore(t)
	b.learn(memd.Message{UserID: "alice", AgentID: "a", SessionID: "s1", Text: "tea one"})
	b.learn(memd.Message{UserID: "alice", AgentID: "b", SessionID: "s2", Text: "tea two"})
	b.learn(memd.Message{UserID: "alice", AppID: "p", SessionID: "s3", Text: "tea three"})
	b.learn(memd.Message{UserID: "bob", AgentID: "a", SessionID: "s4", Text: "tea four"})
	b.learn(memd.Message{AgentID: "a", SessionID: "s5", Text: "tea five"})
	b.learn(memd.Message{AgentID: "b", SessionID: "s6", Text: "tea six"})
	b.learn(memd.Message{SessionID: "s7", Text: "tea seven"})
	for _, c := range []struct {
		scope memd.Scope
		own   string
		want  []string
	}{
		{memd.Scope{UserID: "alice"}, "", []string{"tea one", "tea two", "tea three"}},
		{memd.Scope{UserID: "alice"}, "a", []string{"tea one", "tea two", "tea three", "tea five"}},
		{memd.Scope{UserID: "alice", AgentID: "a"}, "", []string{"tea one"}},
		{memd.Scope{UserID: "alice", RunID: "s2"}, "a", []string{"tea two"}},
		{memd.Scope{UserID: "alice", AppID: "p"}, "", []string{"tea three"}},
		{memd.Scope{UserID: "alice", AppID: "p"}, "a", []string{"tea three"}},
		{memd.Scope{UserID: "alice", AgentID: "a", RunID: "s2"}, "", nil},
		{memd.Scope{AgentID: "a"}, "", []string{"tea one", "tea four", "tea five"}},
		{memd.Scope{AgentID: "a", RunID: "s4"}, "", []string{"tea four"}},
		{memd.Scope{RunID: "s7"}, "", []string{"tea seven"}},
		{memd.Scope{RunID: "s7", AppID: "p"}, "", nil},
		{memd.Scope{AppID: "p"}, "", []string{"tea three"}},
		{memd.Scope{UserID: "a"}, "", nil},
	} {
		for _, mode := range []string{ModeHybrid, ModeLexical} {
			q := ask("tea", c.scope)
			q.OwnAgentToo, q.AllScopes, q.Mode = c.own, c.scope == memd.Scope{AppID: "p"}, mode
			sameSet(t, found(b.search(q)), c.want)
			if c.own == "" {
				sameSet(t, texts(b.list(ListQuery{Scope: c.scope, AllScopes: q.AllScopes})), c.want)
			}
		}
	}
	// What a message says that is in sight already is left out.
	q := ask("tea", user("alice"))
	q.ExcludeSources = b.list(ListQuery{Scope: memd.Scope{UserID: "alice", RunID: "s2"}})[0].Sources
	sameSet(t, found(b.search(q)), []string{"tea one", "tea three"})
}

func TestWordsOfNeighbours(t *testing.T) {
	b := newStore(t)
	b.learn(
		memd.Message{UserID: "alice", SessionID: "s1", Text: "Something quite different first"},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "Padding goes here"},
		memd.Message{UserID: "alice", SessionID: "s1", Text: "More padding over here"},
	)
	l := whole(b.say(
		memd.Message{UserID: "alice", SessionID: "s1", Text: "She was delighted with it"},
		memd.Message{UserID: "alice", SessionID: "s1", Role: memd.RoleAssistant, Text: "How did your sister like the violin?"},
	))
	l.Candidates, l.Vectors = l.Candidates[:1], l.Vectors[:1] // the question states nothing
	b.consolidate(l)
	q := ask("violin", user("alice"))
	q.Mode = ModeLexical
	if hits := b.search(q); len(hits) == 0 || hits[0].Memory.Memory != "She was delighted with it" && hits[0].Memory.Memory != "More padding over here" {
		t.Fatalf("found %q", found(hits))
	}
}

func TestTenantsApart(t *testing.T) {
	b := newStore(t)
	mine := b.verbatim("alice", "tea")[0].ID
	theirs, err := b.AddVerbatim(t.Context(), "other", []Verbatim{{Scope: user("alice"), Text: "tea", Role: "user", Vector: vectorOf("tea"), Model: model}})
	if err != nil || theirs[0].Event != EventAdd {
		t.Fatalf("%+v, %v", theirs, err)
	}
	if hits := b.search(ask("tea", user("alice"))); len(hits) != 1 || hits[0].ID != mine {
		t.Fatalf("found %+v", hits)
	}
	if ms := b.list(ListQuery{AllScopes: true}); len(ms) != 1 {
		t.Fatalf("listed %+v", ms)
	}
	for _, id := range []string{theirs[0].ID, "00000000-0000-7000-8000-000000000000", "no uuid", "", "urn:uuid:" + mine, mine + " "} {
		_, err := b.Get(t.Context(), tenant, id, memd.Scope{})
		kind(t, err, memd.NotFound)
		missing := err.Error()
		if err := b.Delete(t.Context(), tenant, id, memd.Scope{}, "test"); err == nil || err.Error() != missing {
			t.Errorf("delete says %v, get says %s", err, missing)
		}
		_, err = b.History(t.Context(), tenant, id, memd.Scope{})
		if err == nil || err.Error() != missing {
			t.Errorf("history says %v, get says %s", err, missing)
		}
	}
	if n := b.forget(Forgetting{Scope: user("alice")}); n != 1 {
		t.Fatalf("%d went", n)
	}
	if _, err := b.Get(t.Context(), "other", theirs[0].ID, memd.Scope{}); err != nil {
		t.Fatal(err)
	}
	// A query that forgets its tenant sees nothing, though it names no tenant to look for.
	for _, table := range []string{"memory", "memory_scope", "memory_embedding", "memory_posting", "message_posting", "memory_history", "memory_provenance", "memory_source", "embedding_open", "embedding_model"} {
		var n int
		if err := b.pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: %d rows, %v", table, n, err)
		}
	}
}
