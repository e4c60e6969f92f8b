package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// wordy starts a memd whose vectors come from a server that makes them of words, which
// takes no time.
func wordy(t *testing.T, env ...string) *daemon {
	t.Helper()
	m := &modelServer{t: t, addr: "127.0.0.1:0"}
	m.listen()
	return start(t, dataDir(t), append(env, "MEMD_EMBED_URL=http://"+m.addr+"/v1", "MEMD_EMBED_MODEL=words")...)
}

// keepAll stores texts of a scope as they are, in as few calls as there can be, and gives
// the memories' ids in their order.
func (c caller) keepAll(scope object, texts []string) (ids []string) {
	c.Helper()
	for part := range slices.Chunk(texts, 1000) {
		said := list{}
		for _, text := range part {
			said = append(said, user(text))
		}
		for _, e := range c.add(scope.with(object{"infer": false, "messages": said})).Results {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) != len(texts) {
		c.Fatalf("%d of %d stored", len(ids), len(texts))
	}
	return ids
}

// numbered gives n texts.
func numbered(format string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(format, i)
	}
	return out
}

func TestManyMemories(t *testing.T) {
	t.Parallel()
	d := wordy(t)

	t.Run("all of a user's 2,500 are deleted and none of another's", func(t *testing.T) {
		c := d.caller(t)
		c.keepAll(object{"user_id": "full"}, numbered("entry %d", 2500))
		c.keepAll(object{"user_id": "neighbour"}, numbered("entry %d", 25))
		if p := c.of("user_id", "full"); p.Total != 2500 || len(p.Results) != 1000 {
			t.Fatalf("total = %d, %d on a page", p.Total, len(p.Results))
		}
		var n struct {
			Count  int
			DryRun bool `json:"dry_run"`
		}
		c.want(200, http.MethodPost, "/v1/memories/delete", object{"user_id": "full", "dry_run": true}, &n)
		if total := c.of("user_id", "full").Total; n.Count != 2500 || !n.DryRun || total != 2500 {
			t.Errorf("counting only: %+v, and %d are left", n, total)
		}
		c.want(200, http.MethodPost, "/v1/memories/delete", object{"user_id": "full", "filters": raw(`{"memory": {"like": "entry 2%"}}`)}, &n)
		if total := c.of("user_id", "full").Total; n.Count != 611 || n.DryRun || total != 2500-611 { // 2, 20–29, 200–299, 2000–2499
			t.Errorf("by a filter: %+v, and %d are left", n, total)
		}
		c.want(200, http.MethodDelete, "/v1/memories?user_id=full", nil, &n)
		if n.Count != 2500-611 {
			t.Errorf("count = %d", n.Count)
		}
		if p := c.list(object{"user_id": "full", "include_superseded": true}); p.Total != 0 || len(p.Results) != 0 || p.NextCursor != nil {
			t.Errorf("left: %d", p.Total)
		}
		c.sameTexts("search", c.search(object{"user_id": "full", "query": "entry 7"}).Results)
		c.sameTexts("the neighbour's", c.of("user_id", "neighbour").Results, numbered("entry %d", 25)...)
		if p := c.search(object{"user_id": "neighbour", "query": "entry 7", "limit": 100}); len(p.Results) != 25 || p.Results[0].Memory != "entry 7" {
			t.Errorf("the neighbour's search: %v", texts(p.Results))
		}
	})
	t.Run("all of 1,137 are reached by a cursor while more come in", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "paged"}
		want := numbered("page %d", 1137)
		c.keepAll(who.with(object{"metadata": object{"old": true}}), want)
		slices.Reverse(want) // newest first; those of one call count as in its order
		for _, route := range []string{"GET", "list", "list with filters"} {
			var got []string
			var cursor *string
			for pages := 0; ; pages++ {
				var p page
				body := who.with(object{"limit": 100})
				query := []string{"user_id", "paged", "limit", "100"}
				if cursor != nil {
					body["cursor"], query = *cursor, append(query, "cursor", *cursor)
				}
				switch route {
				case "GET":
					c.want(200, http.MethodGet, "/v1/memories?"+parameters(query...), nil, &p)
				case "list":
					c.want(200, http.MethodPost, "/v1/memories/list", body, &p)
				case "list with filters":
					c.want(200, http.MethodPost, "/v1/memories/list", body.with(object{"filters": object{"old": true}}), &p)
				}
				if total := c.of("user_id", "paged").Total; route == "list with filters" && p.Total != 1137 || route != "list with filters" && p.Total != total {
					t.Fatalf("%s: total = %d, there are %d", route, p.Total, total)
				}
				for _, m := range p.Results {
					if m.Metadata["old"] == true {
						got = append(got, m.Memory)
					} else if pages > 0 {
						t.Errorf("%s: %q came in after the first page, and is on a later one", route, m.Memory)
					}
				}
				if cursor = p.NextCursor; cursor == nil {
					break
				}
				if len(p.Results) != 100 {
					t.Errorf("%s: %d on a page with more to come", route, len(p.Results))
				}
				c.keepAll(who, []string{fmt.Sprintf("%s, after page %d", route, pages), fmt.Sprintf("%s, too, after page %d", route, pages)})
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d of %d, in the order they came: %v", route, len(got), len(want), slices.IsSortedFunc(got, func(a, b string) int { return slices.Index(want, a) - slices.Index(want, b) }))
			}
		}
	})
	t.Run("a cursor goes on where it was, whatever is deleted", func(t *testing.T) {
		c := d.caller(t)
		who := object{"user_id": "shrinking"}
		ids := c.keepAll(who, numbered("item %d", 30))
		p := c.list(who.with(object{"limit": 10}))
		for _, i := range []int{29, 25, 20, 19, 12} { // seen ones, the last seen one, and two to come
			c.want(200, http.MethodDelete, "/v1/memories/"+ids[i], nil, nil)
		}
		rest := c.list(who.with(object{"limit": 1000, "cursor": *p.NextCursor}))
		want := slices.DeleteFunc(numbered("item %d", 20), func(s string) bool { return s == "item 19" || s == "item 12" })
		c.sameTexts("the rest", rest.Results, want...)
		if rest.Total != 25 {
			t.Errorf("total = %d, want 25", rest.Total)
		}
	})
}

// TestWhateverHappensAtOnce adds, changes and deletes one user's memories from several
// sides. What the answers said is then what there is, and each is found by its words.
func TestWhateverHappensAtOnce(t *testing.T) {
	t.Parallel()
	d := wordy(t)
	c := d.caller(t)
	const who, sides, steps = "storm", 8, 40
	have := make([]map[string]string, sides)
	var wg sync.WaitGroup
	for side := range sides {
		wg.Go(func() {
			mine := map[string]string{}
			have[side] = mine
			made := func(a added) {
				for _, e := range a.Results {
					mine[e.ID] = e.Memory
				}
			}
			ok := func(into any, method, path string, body any) {
				status, answer := c.send(method, path, body)
				if err := json.Unmarshal([]byte(answer), into); status != 200 || err != nil {
					t.Errorf("%s %s %s: %d %s", method, path, excerpt(body), status, answer)
				}
			}
			for step := range steps {
				text := func(n int) string { return fmt.Sprintf("I own lot%d%dx%d and barrel%d", n, side, step, step%7) }
				ids := slices.Sorted(maps.Keys(mine))
				switch {
				case step%4 == 0 || len(ids) < 3:
					var a added
					ok(&a, http.MethodPost, "/v1/memories", object{"user_id": who, "messages": text(0), "infer": step%8 == 0, "run_id": fmt.Sprint("r", step%5), "agent_id": fmt.Sprint("a", side%3)})
					made(a)
				case step%4 == 1:
					var b struct{ Items []added }
					ok(&b, http.MethodPost, "/v1/memories/batch", object{"memories": list{object{"user_id": who, "messages": text(1), "infer": true}, object{"user_id": who, "messages": text(2), "infer": false}}})
					for _, a := range b.Items {
						made(a)
					}
				case step%4 == 2:
					var m memory
					id := ids[step%len(ids)]
					ok(&m, http.MethodPatch, "/v1/memories/"+id, object{"memory": text(3), "metadata": object{"step": step}})
					mine[id] = text(3)
				default:
					var b struct{ Items []event }
					ok(&b, http.MethodDelete, "/v1/memories/batch", object{"memories": list{object{"id": ids[0]}}})
					delete(mine, ids[0])
				}
			}
		})
	}
	wg.Wait()
	want := map[string]string{}
	for _, mine := range have {
		maps.Copy(want, mine)
	}
	got := map[string]string{}
	for _, m := range c.of("user_id", who).Results {
		got[m.ID] = m.Memory
	}
	if !maps.Equal(got, want) {
		t.Errorf("there is %v, the answers said %v", got, want)
	}
	for id, text := range got {
		for _, mode := range []string{"hybrid", "vector", "lexical"} {
			if p := c.search(object{"user_id": who, "query": text, "limit": 1, "mode": mode}); len(p.Results) != 1 || p.Results[0].ID != id {
				t.Errorf("%s: %q gives %s", mode, text, quoted(texts(p.Results)))
			}
		}
	}
	if all := c.search(object{"user_id": who, "query": "barrel", "limit": 1000}); len(all.Results) != len(want) {
		t.Errorf("search gives %d of %d", len(all.Results), len(want))
	}
}

// recallIsRight asks again and again, over one connection, for as many as there are.
func (c caller) recallIsRight(who string, have []string, times int) {
	c.Helper()
	for i := range times {
		query := have[i%len(have)]
		limit := []int{10, len(have), 1, 10, len(have) + 50}[i%5]
		body := object{"user_id": who, "query": query, "limit": limit}
		if i%3 == 1 {
			body["mode"] = "vector"
		}
		p := c.search(body)
		if want := min(limit, len(have)); len(p.Results) != want || p.Results[0].Memory != query || len(p.Degraded) != 0 {
			c.Fatalf("%s's query %d, limit %d: %d results, want %d, the first %s; degraded %v", who, i+1, limit, len(p.Results), want, quoted(texts(p.Results[:min(1, len(p.Results))])), p.Degraded)
		}
		if limit >= len(have) {
			c.sameTexts(fmt.Sprintf("%s's query %d", who, i+1), p.Results, have...)
		}
		a := c.context(object{"user_id": who, "session_id": "new", "query": query, "recall": 10})
		if len(a.Recalled) != min(10, len(have)) || a.Recalled[0].Memory != query {
			c.Fatalf("%s's context %d: %v", who, i+1, texts(a.Recalled))
		}
	}
}

// besides stores a few memories of each of many users.
func (c caller) besides(users, each int) {
	c.Helper()
	var items []object
	for u := range users {
		said := list{}
		for i := range each {
			said = append(said, user(fmt.Sprintf("beside %d of %d", i, u)))
		}
		items = append(items, object{"user_id": fmt.Sprint("beside ", u), "infer": false, "messages": said})
	}
	for part := range slices.Chunk(items, max(1, 1000/each)) {
		var answer struct{ Items []added }
		c.want(200, http.MethodPost, "/v1/memories/batch", object{"memories": part}, &answer)
		if len(answer.Items) != len(part) {
			c.Fatalf("%d of %d items answered", len(answer.Items), len(part))
		}
	}
}

// recallBeside asks for the memories of some users: alone, beside many others, and after
// deletions and changes.
func (c caller) recallBeside(times, users, each int, sizes ...int) {
	have := map[string][]string{}
	ids := map[string][]string{}
	for _, n := range sizes {
		who := fmt.Sprint("has ", n)
		have[who] = numbered("thing %d", n)
		ids[who] = c.keepAll(object{"user_id": who}, have[who])
		c.recallIsRight(who, have[who], times)
	}
	c.besides(users, each)
	for who := range have {
		c.recallIsRight(who, have[who], times)
	}
	for who := range have {
		if len(have[who]) < 10 {
			continue
		}
		kept := []string{}
		for i, id := range ids[who][:min(200, len(have[who]))] {
			switch i % 4 {
			case 0:
				c.want(200, http.MethodDelete, "/v1/memories/"+id, nil, nil)
			case 1:
				text := strings.Replace(have[who][i], "thing", "matter", 1)
				c.want(200, http.MethodPatch, "/v1/memories/"+id, object{"memory": text}, nil)
				kept = append(kept, text)
			default:
				kept = append(kept, have[who][i])
			}
		}
		have[who] = append(kept, have[who][min(200, len(have[who])):]...)
		c.recallIsRight(who, have[who], times)
	}
}

func TestRecallFindsAsManyAsThereAre(t *testing.T) {
	t.Parallel()
	d := wordy(t, "MEMD_DB_POOL_MAX=2")
	d.caller(t).recallBeside(60, 200, 5, 100, 12, 3)
}
