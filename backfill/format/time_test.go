package format

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// timed has one thing of each format, in which %s is when it was said, as JSON.
var timed = map[string]string{
	Memd: `{"type":"memd.export","version":1,"form":"transfer"}
{"type":"user","user_id":"u"}
{"type":"message","session_id":"s","created_at":%s,"message":{"role":"user","content":"hello"}}
{"type":"end"}`,
	"memd, a memory": `{"type":"memd.export","version":1,"form":"transfer"}
{"type":"user","user_id":"u"}
{"type":"memory","verbatim":true,"memory":"hello","valid_from":%s}
{"type":"end"}`,
	OpenAI:                         `{"messages":[{"role":"user","content":"hello","created_at":%s}]}`,
	"openai, timestamp":            `{"messages":[{"role":"user","content":"hello","timestamp":%s}]}`,
	"openai, of the conversation":  `{"created_at":%s,"messages":[{"role":"user","content":"hello"}]}`,
	ShareGPT:                       `{"conversations":[{"from":"human","value":"hello","timestamp":%s}]}`,
	ChatGPT:                        `[{"id":"c","mapping":{"a":{"id":"a","message":{"id":"a","author":{"role":"user"},"create_time":%s,"content":{"content_type":"text","parts":["hello"]}}}}}]`,
	"chatgpt, of the conversation": `[{"id":"c","create_time":%s,"mapping":{"a":{"id":"a","message":{"id":"a","author":{"role":"user"},"content":{"content_type":"text","parts":["hello"]}}}}}]`,
	Claude:                         `[{"uuid":"c","chat_messages":[{"uuid":"a","text":"hello","sender":"human","created_at":%s}]}]`,
	Slack:                          `[{"type":"message","user":"U1","text":"hello","ts":%s}]`,
	LangChain:                      `[{"type":"human","data":{"content":"hello","additional_kwargs":{"timestamp":%s}}}]`,
	Mem0:                           `{"results":[{"id":"1","memory":"hello","user_id":"u","created_at":%s}]}`,
	"mem0, when it expires":        `{"results":[{"id":"1","memory":"hello","user_id":"u","expiration_date":%s}]}`,
	PowerMem:                       `{"success":true,"data":{"memories":[{"id":1,"content":"hello","user_id":"u","created_at":%s}]}}`,
	CSV:                            "role,content,time\nuser,hello,%s",
}

func readText(t *testing.T, text string) (all []Item) {
	t.Helper()
	for i, err := range ReadFrom("f", strings.NewReader(text), Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		checkItem(t, i, nil)
		all = append(all, i)
	}
	return all
}

// What was said nobody can tell when is set aside: it stands neither at now nor at another's time. What has no
// time is taken.
func TestATimeThatCannotBeReadSetsAside(t *testing.T) {
	for name, text := range timed {
		for at, want := range map[string]string{
			`"2024-03-01T10:00:00Z"`: "2024-03-01T10:00:00Z", `"1969-12-31T23:00:00Z"`: "1969-12-31T23:00:00Z", `"1970-01-01T00:00:00Z"`: "1970-01-01T00:00:00Z",
			`{"$date":"2024-03-01T10:00:00Z"}`: "2024-03-01T10:00:00Z", `{"$date":{"$numberLong":"1709287200000"}}`: "2024-03-01T10:00:00Z",
			`"whenever"`: unreadTime, `"2024-13-01"`: unreadTime, `-1`: unreadTime, `true`: unreadTime, `{"day":1}`: unreadTime, `[2024]`: unreadTime,
			`null`: "", `""`: "", `0`: "", `"0001-01-01T00:00:00Z"`: "", `"0000-00-00 00:00:00"`: "",
		} {
			if isStructured := strings.ContainsAny(at, "{["); name == CSV {
				if at = strings.Trim(at, `"`); isStructured || at == "true" {
					continue
				}
			} else if name == Slack && isStructured || name == Slack && at == "true" {
				continue // it has a text there
			}
			all := readText(t, fmt.Sprintf(text, at))
			got := "nothing"
			for _, i := range all {
				switch {
				case i.Bad != nil:
					got = i.Bad.Reason
				case i.Memory != nil && name == "mem0, when it expires":
					got = stamp(i.Memory.ExpiresAt)
				default:
					if i.Conversation == nil || len(i.Conversation.Messages) > 0 {
						got = stamp(i.Time())
					}
				}
			}
			if got != want {
				t.Errorf("%s: %s is %q, want %q", name, at, got, want)
			}
		}
	}
	// One that cannot be read does not cost those beside it, nor a conversation whose messages have their own.
	all := readText(t, `[{"id":"c","create_time":"whenever","mapping":{
		"a":{"message":{"id":"a","author":{"role":"user"},"create_time":1709280001,"content":{"content_type":"text","parts":["one"]}}},
		"b":{"parent":"a","message":{"id":"b","author":{"role":"user"},"create_time":"MTcxMDAwMDQwMA==","content":{"content_type":"text","parts":["two"]}}},
		"c":{"parent":"b","message":{"id":"c","author":{"role":"user"},"content":{"content_type":"text","parts":["three"]}}}},"current_node":"c"}]`)
	var said []string
	for _, i := range all {
		if i.Bad != nil {
			said = append(said, i.Bad.Reason)
		} else {
			for _, m := range i.Conversation.Messages {
				said = append(said, memd.TextOf(m.Raw)+" "+stamp(m.CreatedAt))
			}
		}
	}
	if got := strings.Join(said, "; "); got != unreadTime+"; one 2024-03-01T08:00:01Z; three 2024-03-01T08:00:01Z" {
		t.Error(got)
	}
	for _, text := range []string{"role,content,zone\nuser,hello,Mars/X", `{"messages":[{"role":"user","content":"hello","timezone":"Mars/X"}]}`} {
		if all := readText(t, text); len(all) != 1 || all[0].Bad == nil || all[0].Bad.Reason != oddZone {
			t.Errorf("%s is read as %+v", text, all)
		}
	}
}
