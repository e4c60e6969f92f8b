//go:build long

package main

import (
	"fmt"
	"net/http"
	"testing"
)

// TestRecallFindsAsManyAsThereAreBesideAThousandUsers is the large form, in which also a
// user's own memories are many.
func TestRecallFindsAsManyAsThereAreBesideAThousandUsers(t *testing.T) {
	d := wordy(t, "MEMD_DB_POOL_MAX=2")
	c := d.caller(t)
	c.recallBeside(60, 1000, 50, 900, 100, 12, 3)

	// Over all scopes as well: the tenant is large enough for an index by likeness.
	for i := range 60 {
		query := fmt.Sprintf("beside %d of %d", i%50, i*16)
		p := c.search(object{"all_scopes": true, "query": query, "limit": 50})
		if len(p.Results) != 50 || p.Results[0].Memory != query {
			t.Fatalf("query %d over all scopes: %d results, first %v", i+1, len(p.Results), texts(p.Results[:min(1, len(p.Results))]))
		}
		p = c.search(object{"all_scopes": true, "query": query, "limit": 10, "filters": object{"user_id": object{"like": "has 1%"}}})
		if len(p.Results) != 10 {
			t.Fatalf("query %d over all scopes with a narrow filter: %d results", i+1, len(p.Results))
		}
	}
	var n struct{ Count int }
	c.want(200, http.MethodDelete, "/v1/memories?user_id=beside%207", nil, &n)
	if n.Count != 50 {
		t.Errorf("count = %d", n.Count)
	}
}
