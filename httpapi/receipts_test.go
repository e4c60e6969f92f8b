package httpapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Every erasure keeps its receipt, which can be read again and says nothing of the person.
func TestReceiptsOfErasuresAreKept(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true, Config: Config{Keys: []Key{{"w", "acme", RoleWriter}, {"r", "acme", RoleReader}, {"a", "acme", RoleAdmin}, {"o", "other", RoleAdmin}}}})
	erase := func(who string) (r eraseAnswer) {
		t.Helper()
		h.send("DELETE", "/v1/users/"+who, nil, "X-API-Key", "w").want(200).into(&r)
		return r
	}
	list := func(key, target string) (l erasuresAnswer) {
		t.Helper()
		h.send("GET", target, nil, "X-API-Key", key).want(200).into(&l)
		return l
	}
	var given []receipt
	for n := range 3 {
		for range n {
			h.send("POST", "/v1/messages", `{"user_id":"alice","session_id":"s","messages":[{"role":"user","content":"I keep a secret falcon"}]}`, "X-API-Key", "w").want(201)
			h.send("POST", "/v1/import", `{"user_id":"alice","data":"{\"messages\":[{\"role\":\"user\",\"content\":\"I row\"}]}"}`, "X-API-Key", "w").want(202)
		}
		r := erase("alice")
		if r.Counts.Messages != n || r.Counts.Imports != n {
			t.Errorf("erased of %d messages and imports were %+v", n, r.Counts)
		}
		given = append(given, receipt{r.ReceiptID, r.ErasedAt, &r.Counts})
	}
	slices.Reverse(given)
	bobs := erase("bob")
	same := func(what string, got erasuresAnswer, want ...receipt) {
		t.Helper()
		g, _ := json.Marshal(got.Erasures)
		w, _ := json.Marshal(want)
		if string(g) != string(w) {
			t.Errorf("%s: %s, want %s", what, g, w)
		}
	}
	same("alice's", list("r", "/v1/users/alice/erasures"), given...)
	first := list("r", "/v1/users/alice/erasures?limit=2")
	same("the first", first, given[:2]...)
	if first.NextCursor == nil {
		t.Fatal("there is no next page")
	}
	rest := list("r", "/v1/users/alice/erasures?limit=2&cursor="+*first.NextCursor)
	if same("the rest", rest, given[2:]...); rest.NextCursor != nil {
		t.Errorf("after the last comes %s", *rest.NextCursor)
	}
	same("all", list("a", "/v1/erasures"), append([]receipt{{bobs.ReceiptID, bobs.ErasedAt, &bobs.Counts}}, given...)...)
	for _, none := range []string{"/v1/users/alice/erasures", "/v1/erasures"} {
		if l := list("o", none); len(l.Erasures) != 0 {
			t.Errorf("another tenant sees %+v", l)
		}
	}
	h.send("GET", "/v1/users/nobody/erasures", nil, "X-API-Key", "r").want(200, `"erasures":[]`)
	h.send("GET", "/v1/erasures", nil, "X-API-Key", "r").want(403)
	h.send("GET", "/v1/users/alice/erasures?user_id=bob", nil, "X-API-Key", "r").want(404)
	h.send("GET", "/v1/users/alice/erasures?cursor=x", nil, "X-API-Key", "r").want(422)
	for name, kept := range h.rows("acme") {
		if strings.Contains(kept, "alice") || strings.Contains(kept, "falcon") {
			t.Errorf("%s keeps %s", name, kept)
		}
	}

	// What keeps late answers away is kept for a day, receipts for good.
	h.exec("acme", `UPDATE erasure SET erased_at = erased_at - interval '25 hours'`)
	if _, err := h.pool.Exec(t.Context(), `SELECT memd_expire_idempotency(100)`); err != nil {
		t.Fatal(err)
	}
	same("a day later", list("r", "/v1/users/alice/erasures"), given...)

	// One that a memd of schema 9 noted has a receipt without counts, and takes none away.
	h.exec("acme", `INSERT INTO erasure (tenant_id, user_key, receipt_id, erased_at)
		SELECT tenant_id, user_key, '01a22ee7-f5ab-73ad-a4e9-5c36e3b3c057', now() FROM erasure_receipt WHERE id = $1`, given[0].ReceiptID)
	if l := list("r", "/v1/users/alice/erasures"); len(l.Erasures) != 4 || l.Erasures[3].Counts != nil || l.Erasures[0].Counts == nil {
		t.Errorf("%+v", l)
	}
}

// rows gives all that a tenant has in each table, as text.
func (h *house) rows(tenant string) map[string]string {
	h.t.Helper()
	all := map[string]string{}
	for name := range h.tables(tenant) {
		err := h.pool.InTenant(h.t.Context(), tenant, func(tx pgx.Tx) error {
			var rows string
			err := tx.QueryRow(h.t.Context(), `SELECT coalesce(string_agg(r::text, E'\n'), '') FROM `+pgx.Identifier{name}.Sanitize()+` r`).Scan(&rows)
			all[name] = rows
			return err
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return all
}
