package httpapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd/internal/memdtest"
)

// say logs a user's message and gives its id.
func (h *house) say(user, session, text string) int64 {
	h.t.Helper()
	var said appendAnswer
	h.send("POST", "/v1/messages", fmt.Sprintf(`{"user_id":%q,"session_id":%q,"messages":[{"role":"user","content":%q}]}`, user, session, text)).want(201).into(&said)
	return said.Messages[0].ID
}

// remembered gives the texts of a user's memories, sorted.
func (h *house) remembered(user string) []string {
	h.t.Helper()
	var list listAnswer
	h.send("GET", "/v1/memories?limit=1000&user_id="+user, nil).want(200).into(&list)
	texts := []string{}
	for _, m := range list.Results {
		texts = append(texts, m.Memory)
	}
	slices.Sort(texts)
	return texts
}

func (h *house) wantRemembered(user string, want ...string) {
	h.t.Helper()
	if got := h.remembered(user); !slices.Equal(got, want) {
		h.t.Errorf("%s is remembered by %q, want %q", user, got, want)
	}
}

func TestAMessageIsReworded(t *testing.T) {
	h := newHouse(t, houseConfig{})
	first := h.say("u", "s", "My bicycle has the number 4471")
	h.say("u", "s", "My cat hates the vacuum cleaner")
	h.settle()
	h.wantRemembered("u", "My bicycle has the number 4471", "My cat hates the vacuum cleaner")
	at := fmt.Sprintf("/v1/messages/%d", first)
	h.send("PATCH", at+"?user_id=u", `{"content":"My bicycle has the number 4417"}`).want(200, `"content":"My bicycle has the number 4417"`, `"role":"user"`)
	h.settle()
	h.wantRemembered("u", "My bicycle has the number 4417", "My cat hates the vacuum cleaner")
	h.send("GET", "/v1/messages?user_id=u&session_id=s", nil).want(200, "4417", "!4471")
	h.send("POST", "/v1/memories/search", `{"user_id":"u","query":"4471","mode":"lexical"}`).want(200, `"results":[]`)

	// Nothing left of it, and parts.
	h.send("PATCH", at, `{"content":[{"type":"text","text":"ok thanks"},{"type":"image_url","image_url":{"url":"x"}}]}`).want(200, `"image_url"`)
	h.settle()
	h.wantRemembered("u", "My cat hates the vacuum cleaner")

	for body, location := range map[string]string{`{}`: "body.content", `{"content":""}`: "body.content", `{"content":7}`: "body.content",
		`{"content":null}`: "body.content", `{"content":"x","role":"tool"}`: "body.role", `{"content":[{"text":"x"}]}`: "body.content"} {
		h.send("PATCH", at, body).want(422, `"location":"`+location+`"`)
	}
	h.send("PATCH", at+"?user_id=v", `{"content":"x"}`).want(404)
	h.send("PATCH", "/v1/messages/999999", `{"content":"x"}`).want(404)
	h.wantRemembered("u", "My cat hates the vacuum cleaner")
}

// An assistant's message that a call of a tool speaks for may say nothing beside it.
func TestAMessageWithToolCallsIsRewordedToNothing(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	var said appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[
		{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"42"},{"role":"assistant","content":"It is 42."},{"role":"user","content":"Thanks for 42"}]}`).want(201).into(&said)
	at := func(i int) string { return fmt.Sprint("/v1/messages/", said.Messages[i].ID) }
	h.send("PATCH", at(0), `{"content":null}`).want(200, `"content":null`, `"tool_calls":[{"id":"c1"`, "!Let me look")
	h.send("GET", at(0), nil).want(200, `"content":null`, `"tool_calls"`)
	h.send("PATCH", at(1), `{"content":null}`).want(200, `"content":null`)
	for _, i := range []int{2, 3} { // nothing else speaks for these
		h.send("PATCH", at(i), `{"content":null}`).want(422, `"location":"body.content"`, "must not be empty")
	}
	h.send("PATCH", at(0), `{}`).want(422, `"location":"body.content"`, "is required")
	h.send("PATCH", at(0), `{"content":"Let me see."}`).want(200, `"content":"Let me see."`, `"tool_calls"`)
}

func TestAMessageThatIsNeverLearnedFromStaysSo(t *testing.T) {
	h := newHouse(t, houseConfig{})
	var said appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","infer":false,"messages":[{"role":"user","content":"My door is red"}]}`).want(201).into(&said)
	at := fmt.Sprintf("/v1/messages/%d", said.Messages[0].ID)
	h.send("PATCH", at, `{"content":"My door is green"}`).want(200, `"state":"skipped"`)
	h.send("POST", at+"/reextract", nil).want(202, `"state":"skipped"`)
	h.settle()
	h.wantRemembered("u")
}

func TestAMessageIsTakenBack(t *testing.T) {
	h := newHouse(t, houseConfig{})
	first := h.say("u", "s", "My sister Ana is a nurse")
	h.say("u", "s2", "My sister Ana is a nurse")
	second := h.say("u", "s", "My parrot sings at night")
	h.settle()
	h.send("DELETE", fmt.Sprintf("/v1/messages/%d?user_id=v", second), nil).want(404)
	h.send("DELETE", fmt.Sprintf("/v1/messages/%d?user_id=u", second), nil).want(200, `"event":"DELETE"`, `"memories":1`)
	h.send("GET", fmt.Sprintf("/v1/messages/%d", second), nil).want(404)
	h.send("DELETE", fmt.Sprintf("/v1/messages/%d", second), nil).want(404)
	h.wantRemembered("u", "My sister Ana is a nurse")
	// The other session says it too.
	h.send("DELETE", fmt.Sprintf("/v1/messages/%d", first), nil).want(200, `"memories":0`)
	h.wantRemembered("u", "My sister Ana is a nurse")
	h.send("POST", "/v1/memories/list", `{"user_id":"u","run_id":"s"}`).want(200, `"total":0`)
	h.send("GET", "/v1/sessions/s?user_id=u", nil).want(200, `"messages":0`, `"last_message_at":null`)

	// What is said then comes after what was said before.
	h.say("u", "s", "I am back again and I collect stamps")
	h.send("GET", "/v1/messages?user_id=u&session_id=s", nil).want(200, "collect stamps", "!parrot")
	h.send("GET", "/v1/sessions/s?user_id=u", nil).want(200, `"messages":1`)
}

// An answer is made anew: the last one is taken back, and another is logged.
func TestAnAnswerIsMadeAnew(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	var said appendAnswer
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"Tell me a joke"},{"role":"assistant","content":"No."}]}`).want(201).into(&said)
	h.send("DELETE", fmt.Sprintf("/v1/messages/%d", said.Messages[1].ID), nil).want(200)
	h.send("POST", "/v1/messages", `{"user_id":"u","session_id":"s","messages":[{"role":"assistant","content":"Two cats walk into a bar."}]}`).want(201)
	h.send("POST", "/v1/context", `{"user_id":"u","session_id":"s"}`).want(200, "Tell me a joke", "Two cats", `!"No."`)
}

func TestASessionIsDeleted(t *testing.T) {
	h := newHouse(t, houseConfig{})
	h.say("u", "s/1", "My boat is called Nonsuch")
	h.say("u", "s2", "My boat is called Nonsuch")
	h.say("v", "s/1", "My house has a tower")
	h.settle()
	open := h.say("u", "s/1", "My uncle breeds geese")
	h.send("DELETE", "/v1/sessions/s%2F1?user_id=w", nil).want(404)
	h.send("DELETE", "/v1/sessions/s%2F1?user_id=u&agent_id=a", nil).want(404)
	h.send("DELETE", "/v1/sessions/s%2F1?user_id=u", nil).want(200, `"messages":2`)
	h.send("GET", "/v1/sessions/s%2F1?user_id=u", nil).want(404)
	h.send("GET", "/v1/messages?user_id=u&session_id=s%2F1", nil).want(404)
	h.send("GET", fmt.Sprintf("/v1/messages/%d", open), nil).want(404)
	h.settle()
	h.wantRemembered("u", "My boat is called Nonsuch")
	h.wantRemembered("v", "My house has a tower")
	h.send("DELETE", "/v1/sessions/s2?user_id=u", nil).want(200, `"messages":1`, `"memories":1`)
	h.wantRemembered("u")
	h.say("u", "s2", "My boat is called Nonsuch")
	h.settle()
	h.wantRemembered("u", "My boat is called Nonsuch")
}

func TestASessionIsRenamed(t *testing.T) {
	h := newHouse(t, houseConfig{idle: true})
	h.send("POST", "/v1/sessions", `{"user_id":"u","session_id":"s","metadata":{"a":1,"b":2}}`).want(201)
	h.send("PATCH", "/v1/sessions/s?user_id=u", `{"title":"On boats","metadata":{"a":null,"c":[1]}}`).want(200, `"title":"On boats"`, `"metadata":{"b":2,"c":[1]}`)
	h.send("GET", "/v1/sessions/s?user_id=u", nil).want(200, `"title":"On boats"`, `{"b":2,"c":[1]}`)
	h.send("PATCH", "/v1/sessions/s?user_id=v", `{"title":"x"}`).want(404)
	h.send("PATCH", "/v1/sessions/s?user_id=u", `{}`).want(422)
	h.send("PATCH", "/v1/sessions/s?user_id=u", `{"title":""}`).want(422, "body.title")
	h.send("PATCH", "/v1/sessions/s?user_id=u", `{"metadata":{"x":"`+strings.Repeat("y", 300<<10)+`"}}`).want(422, "body.metadata")
}

func TestLearningAgainDoublesNothing(t *testing.T) {
	h := newHouse(t, houseConfig{})
	id := h.say("u", "s", "My violin was made in 1910. I play it on Sundays.")
	h.settle()
	before := h.remembered("u")
	if len(before) == 0 {
		t.Fatal("nothing was learned")
	}
	for range 3 {
		h.send("POST", fmt.Sprintf("/v1/messages/%d/reextract?user_id=u", id), nil).want(202, `"state"`)
		h.settle()
	}
	h.wantRemembered("u", before...)
	h.send("POST", fmt.Sprintf("/v1/messages/%d/reextract?user_id=v", id), nil).want(404)
}

// Rewording, taking back and learning at the same time: what is logged at the end is what
// is remembered.
func TestRevisingWhileItIsLearned(t *testing.T) {
	h := newHouse(t, houseConfig{})
	var ids []int64
	for i := range 8 {
		ids = append(ids, h.say("u", "s", fmt.Sprintf("My locker number %d is blue", i)))
	}
	done := make(chan struct{}, len(ids))
	for i, id := range ids {
		go func() {
			defer func() { done <- struct{}{} }()
			at := fmt.Sprintf("/v1/messages/%d", id)
			h.send("PATCH", at, fmt.Sprintf(`{"content":"My locker number %d is green"}`, i)).want(200)
			if i%2 == 0 {
				h.send("DELETE", at, nil).want(200)
			}
		}()
	}
	for range ids {
		<-done
	}
	h.settle()
	memdtest.Until(t, "nothing of the old words is left", func() bool { return !strings.Contains(strings.Join(h.remembered("u"), " "), "blue") })
	h.wantRemembered("u", "My locker number 1 is green", "My locker number 3 is green", "My locker number 5 is green", "My locker number 7 is green")
}
