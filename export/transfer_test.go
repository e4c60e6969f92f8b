package export

import "testing"

// A chat line has what OpenAI takes, and nothing that it refuses.
func TestChatMembersAreOpenAIs(t *testing.T) {
	for raw, want := range map[string]string{
		`{"role":"user","content":"hi","attachments":[1],"weight":0}`:    `{"role":"user","content":"hi","weight":0}`,
		`{"role":"tool","tool_call_id":"c1","content":"4","name":"add"}`: `{"role":"tool","content":"4","name":"add","tool_call_id":"c1"}`,
		`{"role":"tool","name":"add","content":"4"}`:                     `{"role":"function","content":"4","name":"add"}`,
		`{"role":"tool","content":"4"}`:                                  `{"role":"function","content":"4","name":"function"}`,
	} {
		if got := string(chatMembers(raw)); got != want {
			t.Errorf("%s becomes %s", raw, got)
		}
	}
}
