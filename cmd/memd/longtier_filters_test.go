package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// plants are five memories whose metadata is what filters are tried on.
var plants = map[string]string{
	"Basil":  `{"kind": "herb", "height": 5, "price": 1.5, "indoor": true, "place": "Porto", "email": "rosa@example.org", "tags": ["green", "kitchen"]}`,
	"Chives": `{"kind": "herb", "height": 10, "price": 9.25, "indoor": false, "place": "porto", "email": "ines@example.net", "tags": ["green"]}`,
	"Maple":  `{"kind": "tree", "height": 20, "price": 3.0, "indoor": true, "place": "Braga", "email": "rui.costa@example.org", "tags": []}`,
	"Walnut": `{"kind": "tree", "height": 100, "price": 4.0, "place": "Beja", "note": null, "email": "ROSA@EXAMPLE.ORG", "category": "garden"}`,
	"Moss":   `{"kind": "wild", "height": 7, "place": "50%_shade", "note": "x", "email": "no address", "category": ["garden", "stone"], "size": {"wide": 3}, "size.wide": 4}`,
}

var allPlants = []string{"Basil", "Chives", "Maple", "Moss", "Walnut"}

// filtered is a filter and the plants that pass it.
type filtered struct {
	name, filter string
	want         []string
}

var filterCases = []filtered{
	// Equality.
	{"a text", `{"kind": "herb"}`, []string{"Basil", "Chives"}},
	{"a whole number", `{"height": 10}`, []string{"Chives"}},
	{"a fraction", `{"price": 1.5}`, []string{"Basil"}},
	{"a fraction that is whole", `{"price": 3.0}`, []string{"Maple"}},
	{"the same as a whole number", `{"price": 3}`, []string{"Maple"}},
	{"true", `{"indoor": true}`, []string{"Basil", "Maple"}},
	{"false is not missing", `{"indoor": false}`, []string{"Chives"}},
	{"true is not the text true", `{"indoor": "true"}`, nil},
	{"true is not one", `{"indoor": 1}`, nil},
	{"a number is not its text", `{"height": "10"}`, nil},
	{"two fields", `{"kind": "herb", "height": 5}`, []string{"Basil"}},
	{"metadata by its full name", `{"metadata.kind": "herb"}`, []string{"Basil", "Chives"}},
	{"eq", `{"kind": {"eq": "tree"}}`, []string{"Maple", "Walnut"}},
	{"a case that differs", `{"place": "PORTO"}`, nil},
	{"nothing that any has", `{"colour": "red"}`, nil},
	{"a path into metadata", `{"metadata.size.wide": 3}`, nil}, // there is a key of that very name
	{"a key with a dot", `{"size.wide": 4}`, []string{"Moss"}},

	// Lists.
	{"a list is any of them", `{"kind": ["herb", "wild"]}`, []string{"Basil", "Chives", "Moss"}},
	{"in", `{"kind": {"in": ["herb", "wild"]}}`, []string{"Basil", "Chives", "Moss"}},
	{"in numbers", `{"height": {"in": [5, 20.0]}}`, []string{"Basil", "Maple"}},
	{"in nothing", `{"height": {"in": []}}`, nil},
	{"an empty list", `{"height": []}`, nil},
	{"in with null", `{"note": ["x", null]}`, allPlants},
	{"nin", `{"kind": {"nin": ["herb", "wild"]}}`, []string{"Maple", "Walnut"}},
	{"nin nothing", `{"kind": {"nin": []}}`, allPlants},
	{"nin of a missing field", `{"note": {"nin": ["x"]}}`, []string{"Basil", "Chives", "Maple", "Walnut"}},
	{"an element of a list", `{"tags": "green"}`, []string{"Basil", "Chives"}},
	{"lists that have one in common", `{"tags": ["kitchen", "stone"]}`, []string{"Basil"}},
	{"tags contain", `{"tags": {"contains": "kitchen"}}`, []string{"Basil"}},
	{"the whole list", `{"tags": {"eq": ["green", "kitchen"]}}`, []string{"Basil"}},
	{"the empty list", `{"tags": {"eq": []}}`, []string{"Maple"}},

	// Null and presence.
	{"null", `{"note": null}`, []string{"Basil", "Chives", "Maple", "Walnut"}},
	{"ne null", `{"note": {"ne": null}}`, []string{"Moss"}},
	{"any value", `{"note": "*"}`, []string{"Moss"}},
	{"there", `{"note": {"exists": true}}`, []string{"Moss"}},
	{"not there", `{"note": {"exists": false}}`, []string{"Basil", "Chives", "Maple", "Walnut"}},
	{"a literal star", `{"note": {"eq": "*"}}`, nil},

	// Comparison.
	{"ne", `{"kind": {"ne": "herb"}}`, []string{"Maple", "Moss", "Walnut"}},
	{"ne of a missing field", `{"note": {"ne": "x"}}`, []string{"Basil", "Chives", "Maple", "Walnut"}},
	{"gt", `{"height": {"gt": 10}}`, []string{"Maple", "Walnut"}},
	{"gte", `{"height": {"gte": 10}}`, []string{"Chives", "Maple", "Walnut"}},
	{"lt", `{"height": {"lt": 10}}`, []string{"Basil", "Moss"}},
	{"lte", `{"height": {"lte": 10}}`, []string{"Basil", "Chives", "Moss"}},
	{"numbers, not texts", `{"height": {"lt": 9}}`, []string{"Basil", "Moss"}},
	{"from and to", `{"height": {"gte": 7, "lte": 20}}`, []string{"Chives", "Maple", "Moss"}},
	{"a field that not all have", `{"price": {"gte": 3}}`, []string{"Chives", "Maple", "Walnut"}},
	{"texts in order", `{"kind": {"gt": "i"}}`, []string{"Maple", "Moss", "Walnut"}},
	{"a number beside a text", `{"kind": {"gt": 1}}`, nil},
	{"a text beside a number", `{"height": {"gt": "1"}}`, nil},
	{"with a dollar", `{"height": {"$gte": 10}}`, []string{"Chives", "Maple", "Walnut"}},
	{"two with a dollar", `{"height": {"$gt": 5, "$lt": 20}}`, []string{"Chives", "Moss"}},

	// Patterns.
	{"like", `{"place": {"like": "P%"}}`, []string{"Basil"}},
	{"ilike", `{"place": {"ilike": "p%"}}`, []string{"Basil", "Chives"}},
	{"like with one letter open", `{"place": {"like": "B_ja"}}`, []string{"Walnut"}},
	{"like with escapes", `{"place": {"like": "50\\%\\_%"}}`, []string{"Moss"}},
	{"like of a number", `{"height": {"like": "1%"}}`, nil},
	{"an e-mail domain", `{"email": {"like": "%@example.org"}}`, []string{"Basil", "Maple"}},
	{"an e-mail domain in any case", `{"email": {"ilike": "%@example.org"}}`, []string{"Basil", "Maple", "Walnut"}},
	{"contains", `{"place": {"contains": "orto"}}`, []string{"Basil", "Chives"}},
	{"icontains", `{"place": {"icontains": "PORTO"}}`, []string{"Basil", "Chives"}},
	{"contains what a pattern would mean", `{"place": {"contains": "%_"}}`, []string{"Moss"}},

	// Both, either, neither.
	{"AND", `{"AND": [{"kind": "tree"}, {"height": {"gte": 50}}]}`, []string{"Walnut"}},
	{"AND of one field twice", `{"AND": [{"height": {"gte": 7}}, {"height": {"lte": 20}}]}`, []string{"Chives", "Maple", "Moss"}},
	{"AND that cannot be", `{"AND": [{"kind": "herb"}, {"kind": "tree"}]}`, nil},
	{"AND of nothing", `{"AND": []}`, allPlants},
	{"OR", `{"OR": [{"kind": "wild"}, {"height": {"lte": 5}}]}`, []string{"Basil", "Moss"}},
	{"OR of one field twice", `{"OR": [{"kind": "wild"}, {"kind": "tree"}]}`, []string{"Maple", "Moss", "Walnut"}},
	{"OR in AND", `{"AND": [{"kind": "tree"}, {"OR": [{"height": 20}, {"place": "Porto"}]}]}`, []string{"Maple"}},
	{"AND in OR", `{"OR": [{"AND": [{"kind": "herb"}, {"height": 5}]}, {"AND": [{"kind": "wild"}, {"height": 7}]}]}`, []string{"Basil", "Moss"}},
	{"a field beside AND", `{"indoor": true, "AND": [{"height": {"gte": 5}}]}`, []string{"Basil", "Maple"}},
	{"a field beside OR", `{"kind": "tree", "OR": [{"height": 20}, {"height": 5}]}`, []string{"Maple"}},
	{"NOT", `{"NOT": [{"kind": "herb"}]}`, []string{"Maple", "Moss", "Walnut"}},
	{"NOT of two: neither", `{"NOT": [{"kind": "herb"}, {"height": {"gte": 50}}]}`, []string{"Maple", "Moss"}},
	{"NOT of an object: not all of it", `{"NOT": {"kind": "herb", "height": 5}}`, []string{"Chives", "Maple", "Moss", "Walnut"}},
	{"NOT of a missing field", `{"NOT": [{"price": {"gt": 3}}]}`, []string{"Basil", "Maple", "Moss"}},
	{"four deep", `{"AND": [{"OR": [{"NOT": [{"AND": [{"kind": "herb"}, {"indoor": true}]}]}]}, {"height": {"lt": 50}}]}`, []string{"Chives", "Maple", "Moss"}},

	// Fields that are no metadata.
	{"since long ago", `{"created_at": {"gte": "2000-01-01T00:00:00"}}`, allPlants},
	{"before long ago", `{"created_at": {"lt": "2000-01-01T00:00:00"}}`, nil},
	{"a bare date", `{"created_at": {"gte": "2000-01-01"}}`, allPlants},
	{"between two times", `{"created_at": {"gte": "2000-01-01T00:00:00+02:00", "lt": "9000-01-01T00:00:00Z"}}`, allPlants},
	{"the user", `{"user_id": "USER"}`, allPlants},
	{"another user", `{"AND": [{"OR": [{"user_id": "OTHER"}]}]}`, nil},
	{"any user", `{"user_id": {"like": "%"}}`, allPlants},
	{"the role", `{"role": "user"}`, allPlants},
	{"the text", `{"memory": {"ilike": "m%"}}`, []string{"Maple", "Moss"}},
	{"a category", `{"category": "garden"}`, []string{"Moss", "Walnut"}},
	{"one of two categories", `{"category": {"in": ["stone", "kitchen"]}}`, []string{"Moss"}},
	{"not pinned", `{"pinned": false}`, allPlants},
	{"no agent", `{"agent_id": null}`, allPlants},
	{"an agent", `{"agent_id": {"ne": null}}`, nil},

	// Keys are keys, whatever is in them.
	{"a key like SQL", `{"x') OR 1=1 --": "y"}`, nil},
	{"a key with quotes", `{"\"kind\"": "herb"}`, nil},
	{"an operator's name as a field", `{"eq": "herb"}`, nil},
	{"an empty key", `{"": "herb"}`, nil},
	{"values like SQL", `{"kind": "herb' OR 'a'='a"}`, nil},
	{"nothing asked", `{}`, allPlants},
}

// wrongFilters are refused, at the place of the fault.
var wrongFilters = []struct{ name, filter, location string }{
	{"an unknown operator", `{"height": {"about": 1}}`, "filters.height.about"},
	{"an unknown operator beside a known one", `{"height": {"gt": 1, "below": 9}}`, "filters.height.below"},
	{"an unknown operator deep inside", `{"AND": [{"OR": [{"kind": {"$near": "x"}}]}]}`, "filters.AND[0].OR[0].kind.$near"},
	{"no operator", `{"height": {}}`, "filters.height"},
	{"in without a list", `{"kind": {"in": "herb"}}`, "filters.kind.in"},
	{"nin without a list", `{"kind": {"nin": {"eq": 1}}}`, "filters.kind.nin"},
	{"like of a number", `{"place": {"like": 5}}`, "filters.place.like"},
	{"gt of true", `{"height": {"gt": true}}`, "filters.height.gt"},
	{"exists of a text", `{"note": {"exists": "yes"}}`, "filters.note.exists"},
	{"and in small letters", `{"and": [{"kind": "herb"}]}`, "filters.and"},
	{"or with a dollar", `{"$or": [{"kind": "herb"}]}`, "filters.$or"},
	{"AND of an object", `{"AND": {"kind": "herb"}}`, "filters.AND"},
	{"OR of nothing", `{"OR": []}`, "filters.OR"},
	{"a time that is none", `{"created_at": {"gte": "yesterday"}}`, "filters.created_at.gte"},
	{"a list", `[{"kind": "herb"}]`, "filters"},
	{"a text", `"kind = herb"`, "filters"},
}

// playFilters tries each filter wherever there are filters: all must understand it in the
// same way.
func playFilters(t *testing.T, d *daemon) {
	c := d.caller(t)
	for _, name := range allPlants {
		c.keep(name, object{"user_id": "garden", "metadata": raw(plants[name])})
		c.keep(name, object{"user_id": "neighbour", "metadata": raw(plants[name])}) // never found
	}
	routes := map[string]func(c caller, filter string) []string{
		"search": func(c caller, filter string) []string {
			p := c.search(object{"user_id": "garden", "query": "plants", "limit": 100, "filters": raw(filter)})
			return texts(p.Results)
		},
		"list": func(c caller, filter string) []string {
			p := c.list(object{"user_id": "garden", "filters": raw(filter)})
			if p.Total != len(p.Results) {
				c.Errorf("total = %d of %d", p.Total, len(p.Results))
			}
			return texts(p.Results)
		},
		"context": func(c caller, filter string) []string {
			a := c.context(object{"user_id": "garden", "session_id": "new", "query": "plants", "recall": 100, "filters": raw(filter)})
			for _, m := range a.Recalled {
				if len(a.Messages) != 1 || !strings.Contains(a.Messages[0].words(), "user: "+m.Memory) {
					c.Errorf("messages = %+v without the recalled %q", a.Messages, m.Memory)
				}
			}
			if len(a.Recalled) == 0 && len(a.Messages) != 0 {
				c.Errorf("messages = %+v where nothing is recalled", a.Messages)
			}
			return texts(a.Recalled)
		},
	}
	bodies := map[string]func(filter string) (path string, body object){
		"search": func(f string) (string, object) {
			return "/v1/memories/search", object{"user_id": "garden", "query": "plants", "filters": raw(f)}
		},
		"list": func(f string) (string, object) {
			return "/v1/memories/list", object{"user_id": "garden", "filters": raw(f)}
		},
		"context": func(f string) (string, object) {
			return "/v1/context", object{"user_id": "garden", "query": "plants", "filters": raw(f)}
		},
		"delete": func(f string) (string, object) {
			return "/v1/memories/delete", object{"user_id": "garden", "filters": raw(f), "dry_run": true}
		},
	}
	for route, find := range routes {
		t.Run(route, func(t *testing.T) {
			c := d.caller(t)
			for _, f := range filterCases {
				got, want := find(c, f.in("garden", "neighbour")), slices.Clone(f.want)
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s gives %v, want %v", f.name, f.filter, got, want)
				}
			}
		})
	}
	t.Run("delete, counting only", func(t *testing.T) {
		c := d.caller(t)
		for _, f := range filterCases {
			if f.filter == "{}" { // no filter: the whole scope
				continue
			}
			var answer struct {
				Count  int
				DryRun bool `json:"dry_run"`
			}
			path, body := bodies["delete"](f.in("garden", "neighbour"))
			status, raw := c.send(http.MethodPost, path, body)
			if status != 200 {
				t.Errorf("%s: %s gives %d %s", f.name, f.filter, status, raw)
				continue
			}
			c.want(200, http.MethodPost, path, body, &answer)
			if answer.Count != len(f.want) || !answer.DryRun {
				t.Errorf("%s: %s gives %+v, want %d that would go", f.name, f.filter, answer, len(f.want))
			}
		}
		c.sameTexts("the list after it", c.of("user_id", "garden").Results, allPlants...)
	})
	t.Run("what is no filter is refused where the fault is", func(t *testing.T) {
		for route, body := range bodies {
			t.Run(route, func(t *testing.T) {
				c := d.caller(t)
				for _, f := range wrongFilters {
					path, b := body(f.filter)
					status, answer := c.send(http.MethodPost, path, b)
					if want := fmt.Sprintf("%q", "body."+f.location); status != 422 || !strings.Contains(answer, want) {
						t.Errorf("%s: %s gives %d %s, want 422 at %s", f.name, f.filter, status, answer, want)
					}
				}
			})
		}
	})
	t.Run("an explicit id wins over the filter's", func(t *testing.T) {
		c := d.caller(t)
		for _, f := range []struct {
			filter string
			want   []string
		}{
			{`{"user_id": "neighbour"}`, allPlants},
			{`{"user_id": {"eq": "neighbour"}}`, allPlants},
			{`{"user_id": "neighbour", "kind": "herb"}`, []string{"Basil", "Chives"}},
			{`{"AND": [{"user_id": "neighbour"}, {"kind": "herb"}]}`, []string{"Basil", "Chives"}},
			// All else is a condition like any other, and can only narrow.
			{`{"user_id": ["neighbour"]}`, nil},
			{`{"OR": [{"user_id": "neighbour"}, {"user_id": "garden"}]}`, allPlants},
			{`{"OR": [{"user_id": "neighbour"}]}`, nil},
			{`{"AND": [{"AND": [{"user_id": "neighbour"}]}]}`, nil},
			{`{"NOT": [{"user_id": "garden"}]}`, nil},
			{`{"user_id": {"ne": "garden"}}`, nil},
		} {
			for route, find := range routes {
				got := find(c, f.filter)
				slices.Sort(got)
				if !slices.Equal(got, f.want) {
					t.Errorf("%s: %s gives %v, want %v", route, f.filter, got, f.want)
				}
			}
			for _, p := range []page{
				c.list(object{"user_id": "garden", "filters": raw(f.filter)}),
				c.search(object{"user_id": "garden", "query": "plants", "filters": raw(f.filter)}),
			} {
				for _, m := range p.Results {
					if text(m.UserID) != "garden" {
						t.Errorf("%s gives a memory of %s", f.filter, text(m.UserID))
					}
				}
			}
		}
	})
	t.Run("ids in the filter alone are enough", func(t *testing.T) {
		c := d.caller(t)
		for _, filter := range []string{
			`{"user_id": "garden"}`, `{"user_id": {"eq": "garden"}}`, `{"user_id": ["garden"]}`, `{"user_id": {"in": ["garden"]}}`,
			`{"AND": [{"user_id": "garden"}]}`, `{"AND": [{"user_id": "garden"}, {"kind": {"in": ["herb", "tree", "wild"]}}]}`,
		} {
			c.sameTexts("search with "+filter, c.search(object{"query": "plants", "filters": raw(filter)}).Results, allPlants...)
			c.sameTexts("list with "+filter, c.list(object{"filters": raw(filter)}).Results, allPlants...)
			var n struct{ Count int }
			c.want(200, http.MethodPost, "/v1/memories/delete", object{"filters": raw(filter), "dry_run": true}, &n)
			if n.Count != len(allPlants) {
				t.Errorf("delete with %s would take %d", filter, n.Count)
			}
		}
		both := c.list(object{"filters": raw(`{"user_id": ["garden", "neighbour"]}`)})
		if len(both.Results) != 2*len(allPlants) {
			t.Errorf("two users asked for give %v", texts(both.Results))
		}
	})
	t.Run("without an id it is refused", func(t *testing.T) {
		c := d.caller(t)
		for _, filter := range []string{
			`{}`, `{"kind": "herb"}`, `{"OR": [{"user_id": "garden"}]}`, `{"user_id": {"ne": "x"}}`, `{"user_id": {"like": "g%"}}`,
			`{"user_id": "*"}`, `{"user_id": null}`, `{"NOT": [{"user_id": "garden"}]}`, `{"user_id": ["garden", null]}`,
		} {
			for _, path := range []string{"/v1/memories/search", "/v1/memories/list", "/v1/memories/delete"} {
				body := object{"filters": raw(filter)}
				if path == "/v1/memories/search" {
					body["query"] = "plants"
				}
				if status, answer := c.send(http.MethodPost, path, body); status != 422 {
					t.Errorf("%s with %s: %d %s, want 422", path, filter, status, answer)
				}
			}
		}
		c.sameTexts("the list after it", c.of("user_id", "garden").Results, allPlants...)
		c.sameTexts("the neighbour's", c.of("user_id", "neighbour").Results, allPlants...)
	})
	t.Run("delete takes what the filter says and nothing else", func(t *testing.T) {
		c := d.caller(t)
		var n struct{ Count int }
		c.want(200, http.MethodPost, "/v1/memories/delete", object{"user_id": "garden", "filters": raw(`{"height": {"lte": 7}}`)}, &n)
		if n.Count != 2 {
			t.Errorf("count = %d, want 2", n.Count)
		}
		c.sameTexts("what is left", c.of("user_id", "garden").Results, "Chives", "Maple", "Walnut")
		c.sameTexts("the neighbour's", c.of("user_id", "neighbour").Results, allPlants...)
	})
}

// in puts the names of the users in place.
func (f filtered) in(user, other string) string {
	return strings.NewReplacer("USER", user, "OTHER", other).Replace(f.filter)
}
