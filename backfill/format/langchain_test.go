package format

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// saidIn gives session, role, text and time of all that is said, and why what is set aside is.
func saidIn(t *testing.T, all []Item) string {
	t.Helper()
	var lines []string
	for _, i := range all {
		switch {
		case i.Bad != nil:
			lines = append(lines, "odd: "+i.Bad.Reason)
		case i.Conversation != nil:
			for _, m := range i.Conversation.Messages {
				lines = append(lines, strings.TrimSpace(strings.Join([]string{i.Conversation.SessionID, string(m.Role), memd.TextOf(m.Raw), stamp(m.CreatedAt)}, " ")))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Rows of the message histories are what they are in whatever form their tables give them.
func TestRowsOfMessageHistories(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1,"session_id":"a","message":"{\"type\": \"human\", \"data\": {\"content\": \"one\"}}"}` + "\n" + `{"id":2,"session_id":"a","message":"{\"type\": \"ai\", \"data\": {\"content\": \"two\"}}"}`:                                                   "a user one\na assistant two",
		`[{"_id":{"$oid":"65"},"SessionId":"b","History":"{\"type\": \"human\", \"data\": {\"content\": \"one\"}}"},{"_id":{"$oid":"66"},"SessionId":"b","History":"{\"type\": \"ai\", \"data\": {\"content\": \"two\"}}"}]`:                                    "b user one\nb assistant two",
		`[{"SessionId":"c","History":[{"type":"human","data":{"content":"one"}},{"type":"ai","data":{"content":"two"}}]}]`:                                                                                                                                      "c user one\nc assistant two",
		`["{\"type\": \"human\", \"data\": {\"content\": \"one\"}}","{\"type\": \"ai\", \"data\": {\"content\": \"two\"}}"]`:                                                                                                                                    "f user one\nf assistant two",
		"id,session_id,message\n1,d,\"{\"\"type\"\": \"\"human\"\", \"\"data\"\": {\"\"content\"\": \"\"one\"\"}}\"\n2,d,\"{\"\"type\"\": \"\"ai\"\", \"\"data\"\": {\"\"content\"\": \"\"two\"\"}}\"\n3,d,{plain}\n":                                           "d user one\nd assistant two\nd user {plain}",
		`{"id":1,"session_id":"e","message":{"type":"human","data":{"content":"one"}},"created_at":"2024-01-01T00:00:00+00:00"}` + "\n" + `{"id":2,"session_id":"e","message":{"type":"ai","data":{"content":"two"}},"created_at":"2024-01-02T00:00:00+00:00"}`: "e user one 2024-01-01T00:00:00Z\ne assistant two 2024-01-02T00:00:00Z",
	} {
		if got := saidIn(t, readText(t, text)); got != want {
			t.Errorf("%s is read as\n%s", text, got)
		}
	}
}

// A thread is one conversation however often it was saved, and what was said in it was said when it was
// first saved.
func TestAThreadIsOneConversation(t *testing.T) {
	state := func(where, messages, at string) string {
		return `{"values":{"messages":[` + messages + `]},` + where + `,"created_at":"` + at + `"}`
	}
	const a, b, c = `{"content":"A","type":"human","id":"a"}`, `{"content":"B","type":"ai","id":"b"}`, `{"content":"C","type":"human"}`
	for name, where := range map[string]string{"as the API has it": `"checkpoint":{"thread_id":"T"}`, "by its configuration": `"config":{"configurable":{"thread_id":"T"}}`, "by its metadata": `"metadata":{"thread_id":"T"}`} {
		states := []string{
			state(where, a+","+b+","+c, "2024-06-03T10:00:00Z"), state(where, a+","+b, "2024-06-02T10:00:00Z"), state(where, a, "2024-06-01T09:00:00Z"),
			`{"values":{},"next":["__start__"],` + where + `,"created_at":"2024-06-01T08:00:00Z"}`,
		}
		want := "T user A 2024-06-01T09:00:00Z\nT assistant B 2024-06-02T10:00:00Z\nT user C 2024-06-03T10:00:00Z"
		if got := saidIn(t, readText(t, "["+strings.Join(states, ",")+"]")); got != want {
			t.Errorf("%s it is read as\n%s", name, got)
		}
		if got := saidIn(t, readText(t, states[2]+"\n"+states[1]+"\n"+states[0])); got != want {
			t.Errorf("%s, the oldest first, it is read as\n%s", name, got)
		}
	}
	two := state(`"config":{"configurable":{"thread_id":"T"}}`, a, "2024-06-01T09:00:00Z") + "\n" + state(`"config":{"configurable":{"thread_id":"U"}}`, a, "2024-06-02T09:00:00Z")
	if got := saidIn(t, readText(t, two)); got != "T user A 2024-06-01T09:00:00Z\nU user A 2024-06-02T09:00:00Z" {
		t.Errorf("two are read as\n%s", got)
	}
}

// What a bot says is the assistant's though nobody knows the bot; and a day by itself is of its channel.
func TestADayOfSlackByItself(t *testing.T) {
	day := filepath.Join(t.TempDir(), "general", "2024-05-01.json")
	if err := os.MkdirAll(filepath.Dir(day), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(day, []byte(`[{"type":"message","user":"U1","text":"Hi","ts":"1714552200.0"},
		{"type":"message","user":"UB","bot_id":"B1","bot_profile":{"name":"deploys"},"text":"Deployed","ts":"1714552201.0"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{day, filepath.Dir(day)} {
		for _, parted := range []bool{false, true} {
			var all []Item
			for i, err := range Read(name, Options{ByPerson: parted}) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, i)
				if parted && i.Conversation.UserID != "U1" {
					t.Errorf("%s is a person", i.Conversation.UserID)
				}
			}
			if got := saidIn(t, all); got != "slack/general/2024-05-01 user Hi 2024-05-01T08:30:00Z\nslack/general/2024-05-01 assistant Deployed 2024-05-01T08:30:01Z" {
				t.Errorf("%s is read as\n%s", name, got)
			}
		}
	}
}
