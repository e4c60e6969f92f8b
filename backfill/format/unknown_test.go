package format

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// readAs reads a text in a format and gives what is said, and why what is set aside is.
func readAs(t *testing.T, format, text string) (said, odd []string, empty int) {
	t.Helper()
	for i, err := range ReadFrom("f", strings.NewReader(text), Options{Format: format}) {
		if err != nil {
			t.Fatal(err)
		}
		checkItem(t, i, nil)
		switch {
		case i.Bad != nil:
			odd = append(odd, i.Bad.Reason)
		case i.Memory != nil:
			said = append(said, i.Memory.Text)
		case i.Conversation != nil:
			empty += i.Conversation.Empty
			for _, m := range i.Conversation.Messages {
				said = append(said, memd.TextOf(m.Raw))
			}
		}
	}
	return said, odd, empty
}

// What has words where nobody looks for them is set aside, never taken for empty; what is empty is.
func TestWordsInUnknownMembersAreSetAside(t *testing.T) {
	gpt := `[{"id":"c","mapping":{"a":{"message":{"id":"a","author":{"role":"%s"},"content":%s,"metadata":{"note":"a word or two"}}}}}]`
	claude := `[{"uuid":"c","chat_messages":[{"uuid":"a","sender":"human",%s}]}]`
	for text, c := range map[string]struct{ format, want string }{
		`{"messages":[{"role":"user","text":"hello there"}]}`:                                                                                        {OpenAI, unknownWords},
		`{"messages":[{"role":"user","content":"","body":{"words":"hello"}}]}`:                                                                       {OpenAI, unknownWords},
		`{"messages":[{"role":"assistant","content":"","reasoning":"I think so"}]}`:                                                                  {OpenAI, "empty"},
		`{"messages":[{"role":"user","content":"","name":"bob","metadata":{"a":"b c"},"id":"x"}]}`:                                                   {OpenAI, "empty"},
		`{"conversations":[{"from":"human","text":"hello"}]}`:                                                                                        {ShareGPT, "hello"},
		`{"conversations":[{"from":"human","content":"hello"}]}`:                                                                                     {ShareGPT, "hello"},
		`{"conversations":[{"role":"human","value":"hello"}]}`:                                                                                       {ShareGPT, "hello"},
		`{"conversations":[{"from":"human","said":"hello"}]}`:                                                                                        {ShareGPT, unknownWords},
		`{"conversations":[{"from":"human","value":""}]}`:                                                                                            {ShareGPT, "empty"},
		fmt.Sprintf(gpt, "user", `{"content_type":"hologram","light":"hello"}`):                                                                      {ChatGPT, unknownWords},
		fmt.Sprintf(gpt, "user", `{"content_type":"text","parts":[""]}`):                                                                             {ChatGPT, "empty"},
		fmt.Sprintf(claude, `"text":"","attachments":[{"file_name":"","extracted_content":"Long pasted text"}]`):                                     {Claude, "Long pasted text"},
		fmt.Sprintf(claude, `"text":"see:","attachments":[{"file_name":"","extracted_content":"pasted"}]`):                                           {Claude, "see:\npasted"},
		fmt.Sprintf(claude, `"text":"","content":[{"type":"voice_note","text":"hello"}]`):                                                            {Claude, "hello"},
		fmt.Sprintf(claude, `"text":"","content":[{"type":"dance","steps":"left, right"}]`):                                                          {Claude, unknownWords},
		fmt.Sprintf(claude, `"text":"","content":[{"type":"thinking","thinking":"hm, hello"}]`):                                                      {Claude, "empty"},
		`[{"id":"1","memory":["hello"],"user_id":"u"}]`:                                                                                              {Mem0, unknownWords},
		`[{"id":"1","papers":"hello","user_id":"u"}]`:                                                                                                {PowerMem, unknownWords},
		`[{"id":"1","memory":"","user_id":"u","metadata":{"k":"hello"}}]`:                                                                            {Mem0, "empty"},
		`[{"type":"message","user":"U1","text":"","ts":"1709280001.0","blocks":[{"type":"rich_text","elements":[{"type":"text","text":"hello"}]}]}]`: {Slack, unknownWords},
		`[{"type":"message","user":"U1","text":"","ts":"1709280001.0","team":"T one"}]`:                                                              {Slack, "empty"},
	} {
		said, odd, empty := readAs(t, c.format, text)
		got := strings.Join(append(said, odd...), "; ")
		if empty > 0 {
			got = strings.TrimSpace("empty " + got)
		}
		if got != c.want {
			t.Errorf("%s is read as %q, want %q", text, got, c.want)
		}
	}
}

// A line that is broken costs no other, be it the first and however long.
func TestABrokenLineCostsNoOther(t *testing.T) {
	good := strings.Repeat(`{"messages":[{"role":"user","content":"fine"}]}`+"\n", 50)
	for _, n := range []int{10, 100_000, 300_000, 600_000} {
		for name, broken := range map[string]string{
			"a string":  `{"messages":[{"role":"user","content":"` + strings.Repeat("x", n),
			"a bracket": `{"messages":[{"role":"user","content":"` + strings.Repeat("x", n) + `"`,
		} {
			if said, odd, _ := readAs(t, "", broken+"\n"+good); len(said) != 50 || len(odd) != 1 || odd[0] != notJSON {
				t.Errorf("behind %s of %d bytes %d are read, odd %q", name, n, len(said), odd)
			}
		}
	}
	said, odd, _ := readAs(t, OpenAI, `[{"messages":[{"role":"user","content":"one"}]},
{"messages":[{"role":"user","content":"open}]},
{"messages":[{"role":"user","content":"two"}]},
{"messages":[{"role":"user","content":"three"}]}]`)
	if strings.Join(said, " ") != "one two three" || len(odd) != 1 {
		t.Errorf("in a list %q, odd %q", said, odd)
	}
	// Files without a line break at their end were joined.
	one := `{"messages":[{"role":"user","content":"one"}]}`
	if said, odd, _ = readAs(t, "", one+"\n"+one+one+"\n"+one+`{"broken`+"\n"+one); len(said) != 4 || len(odd) != 1 {
		t.Errorf("joined, %q are read, odd %q", said, odd)
	}
	// One that really ends in the midst says so.
	if said, odd, _ = readAs(t, "", `{"messages":[{"role":"user","content":"one"}],`+"\n"); len(said) != 0 || len(odd) != 1 || odd[0] == "" {
		t.Errorf("%q, odd %q", said, odd)
	}
}

// A file that cannot be read, or not to its end, costs no other of its folder.
func TestABadFileCostsNoOtherOfItsFolder(t *testing.T) {
	dir := t.TempDir()
	line := `{"messages":[{"role":"user","content":"%s","created_at":"2024-01-01T00:00:00Z"}]}` + "\n"
	var z bytes.Buffer
	g := gzip.NewWriter(&z)
	for i := range 5000 {
		fmt.Fprintf(g, line, fmt.Sprint(i*i, "zipped"))
	}
	g.Close()
	for name, text := range map[string]string{"a.jsonl": fmt.Sprintf(line, "first"), "b.jsonl.gz": z.String()[:z.Len()-50], "c.zip": "PK\x03\x04 an archive", "z.jsonl": fmt.Sprintf(line, "last")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "d.jsonl")); err != nil { // is no file
		t.Fatal(err)
	}
	shut := filepath.Join(dir, "e")
	if err := os.MkdirAll(shut, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(shut, 0o700) })
	var said, odd []string
	for i, err := range Read(dir, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if i.Bad != nil {
			odd = append(odd, strings.TrimPrefix(i.Bad.File, dir+"/")+" "+i.Bad.Reason)
		} else if text := memd.TextOf(i.Conversation.Messages[0].Raw); !strings.Contains(text, "zipped") {
			said = append(said, text)
		}
	}
	if strings.Join(said, " ") != "first last" {
		t.Errorf("%q", said)
	}
	want := []string{"b.jsonl.gz cannot be read: unexpected EOF", "c.zip cannot be read: an archive can only be read from a file"}
	if os.Getuid() != 0 { // who may read all
		want = append(want, "e cannot be read: permission denied")
	}
	if strings.Join(odd, "\n") != strings.Join(want, "\n") {
		t.Errorf("set aside are %q", odd)
	}
}

// What is read as something that it is not says so.
func TestAWrongFormatSaysSo(t *testing.T) {
	for format, texts := range map[string][]string{
		ChatGPT:  {`{"messages":[]}`, `[{"uuid":"c","chat_messages":[]}]`},
		Claude:   {`{"messages":[]}`, `[{"mapping":{}}]`},
		Memd:     {`{"messages":[{"role":"user","content":"hi"}]}`, `{"type":"wat"}`, `{"type":"memd.export","version":9}`},
		Slack:    {`[{"role":"user"}]`},
		Mem0:     {`[{"role":"user"}]`},
		PowerMem: {`[{"id":1}]`},
	} {
		for _, text := range texts {
			if said, odd, empty := readAs(t, format, text); len(said)+empty > 0 || len(odd) != 1 {
				t.Errorf("as %s %s is %q, %d empty, odd %q", format, text, said, empty, odd)
			}
		}
	}
	if _, odd, _ := readAs(t, OpenAI, "role,content\nuser,one two\nuser,three\n"); len(odd) != 3 {
		t.Errorf("a table that is no JSON has %d lines that cannot be read: %q", len(odd), odd)
	}
}

// Messages that name no session are of one that is known by the first of them, whatever their file is called;
// where nothing says when that was, by the file.
func TestASessionIsTheSameWhereverItsFileLies(t *testing.T) {
	session := func(file, text string) (session, id string) {
		for i, err := range ReadFrom(file, strings.NewReader(text), Options{}) {
			if err != nil || i.Conversation == nil {
				t.Fatal(i.Bad, err)
			}
			return i.Conversation.SessionID, i.Conversation.Messages[0].ID
		}
		return "", ""
	}
	const timed, other = `{"role":"user","content":"one","created_at":"2024-01-01T00:00:00Z"}`, `{"role":"user","content":"one","created_at":"2024-01-02T00:00:00Z"}`
	const more, timeless = "\n" + `{"role":"assistant","content":"two"}`, `{"role":"user","content":"one"}`
	const table = "role,content,time\nuser,one,2024-01-01\n"
	a, id := session("2023/chat.jsonl", timed)
	if b, same := session("-", timed+more); a != b || id != same {
		t.Errorf("it is %s and %s", a, b)
	}
	if b, _ := session("2024/chat.jsonl", other+more); a == b {
		t.Error("two are one")
	}
	if a, _ := session("a.jsonl", timeless+more); a != "a" {
		t.Errorf("it is %s", a)
	}
	if a, _ := session("a.csv", table); a == "a" {
		t.Errorf("it is %s", a)
	}
}

// What is set aside stands as it was, with the conversation that it is of.
func TestWhatIsSetAsideStandsAsItWas(t *testing.T) {
	const message = `{"id":"a","author":{"role":"user"},"create_time":"MTcxMDAwMDQwMA==","unknown":{"n":12345678901234567890},"content":{"content_type":"text","parts":["hello"]}}`
	all := readText(t, `[{"id":"conv","mapping":{"a":{"message":`+message+`}}}]`)
	if len(all) != 1 || all[0].Bad == nil || all[0].Bad.Text != message || all[0].Bad.SessionID != "conv" {
		t.Errorf("%+v", all[0].Bad)
	}
}
