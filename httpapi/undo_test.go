package httpapi

import (
	"strings"
	"testing"
)

// learnt has messages learned from and gives the answer's memories by their texts.
func (h *house) learnt(user string, texts ...string) map[string]string {
	h.t.Helper()
	ids := map[string]string{}
	for _, text := range texts {
		var added addAnswer
		h.send("POST", "/v1/memories", map[string]any{"user_id": user, "messages": text}).want(200).into(&added)
		for _, e := range added.Results {
			ids[e.Memory] = e.ID
		}
	}
	return ids
}

func TestALaterStatementTakesThePlaceOfAnEarlierOne(t *testing.T) {
	h := newHouse(t, houseConfig{})
	ids := h.learnt("u", "I live in Lisbon", "I moved to Porto")
	old, now := ids["I live in Lisbon"], ids["I moved to Porto"]
	h.wantRemembered("u", "I moved to Porto")
	h.send("GET", "/v1/memories/"+old, nil).want(200, `"superseded_by":"`+now+`"`, `!"valid_to":null`)
	h.send("GET", "/v1/memories?user_id=u&include_superseded=true", nil).want(200, old, now, `"total":2`)
	h.send("POST", "/v1/memories/search", `{"user_id":"u","query":"where do I live"}`).want(200, now, "!"+old+`","memory"`)
	h.send("GET", "/v1/memories/"+old+"/history", nil).want(200, `"reason":"superseded"`)

	// Undone, it is current again beside the other, and stays so.
	h.send("POST", "/v1/memories/"+old+"/undo?user_id=v", nil).want(404)
	h.send("POST", "/v1/memories/"+old+"/undo?user_id=u", nil).want(200, `"valid_to":null`, `"superseded_by":null`, "Lisbon")
	h.wantRemembered("u", "I live in Lisbon", "I moved to Porto")
	h.send("POST", "/v1/memories/"+old+"/undo", nil).want(409)
}

func TestEditsAndDeletionsAreUndone(t *testing.T) {
	h := newHouse(t, houseConfig{})
	id := h.store("u", "The gate is blue", `"metadata":{"a":1}`)
	at := "/v1/memories/" + id
	h.send("POST", at+"/undo", nil).want(409)
	h.send("PATCH", at, `{"memory":"The gate is green","metadata":{"a":2,"b":3}}`).want(200)
	h.send("DELETE", at, nil).want(200)
	h.send("GET", at, nil).want(404)
	h.send("POST", at+"/undo?user_id=u", nil).want(200, "The gate is green", `"metadata":{"a":2,"b":3}`, id)
	h.send("POST", "/v1/memories/search", `{"user_id":"u","query":"The gate is green"}`).want(200, id)
	h.send("POST", at+"/undo", nil).want(200, "The gate is blue", `"metadata":{"a":1}`)
	h.send("POST", "/v1/memories/search", `{"user_id":"u","query":"green","mode":"lexical"}`).want(200, `"results":[]`)
	h.send("POST", at+"/undo", nil).want(409)
	h.send("POST", "/v1/memories/"+neverThere+"/undo", nil).want(404)
}

func TestRelations(t *testing.T) {
	h := newHouse(t, houseConfig{})
	ids := h.learnt("u", "I live in Lisbon", "My favorite color is blue", "I work at Northwind", "My sister lives in Lisbon")
	h.send("POST", "/v1/memories/search", `{"user_id":"u","query":"I live in Lisbon","limit":1}`).want(200, `"relations":[{"source":"user"`, `"target":"Lisbon"`, ids["I live in Lisbon"])
	h.send("POST", "/v1/memories/list", `{"user_id":"u"}`).want(200, `"target":"blue"`, `"target":"Northwind"`)
	g := h.send("GET", "/v1/memories/"+ids["I live in Lisbon"]+"/related?user_id=u", nil).want(200, `"relations":[{"source":"user"`, "My sister lives in Lisbon")
	if strings.Count(g.body, `"event":"RETRIEVE"`) != 1 {
		t.Errorf("not what else is in Lisbon: %s", g.body)
	}
	h.send("GET", "/v1/memories/"+ids["I live in Lisbon"]+"/related?user_id=v", nil).want(404)
	h.send("GET", "/v1/memories/"+ids["I live in Lisbon"]+"/related?limit=0", nil).want(422)
	verbatim := h.store("u", "something else")
	h.send("GET", "/v1/memories/"+verbatim+"/related", nil).want(200, `"results":[]`, `"relations":[]`)
}
