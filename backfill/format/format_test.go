package format

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/memdhq/memd"
)

var update = flag.Bool("update", false, "write the golden files anew")

// samples are files as programs write them, with their oddities, and what each is.
var samples = map[string]string{
	"memd.jsonl": Memd, "openai.jsonl": OpenAI, "openai_messages.jsonl": OpenAI, "sharegpt.json": ShareGPT, "chatgpt": ChatGPT, "claude.json": Claude,
	"slack": Slack, "langchain.json": LangChain, "langgraph.jsonl": LangChain, "mem0.json": Mem0, "mem0_rows.jsonl": Mem0,
	"powermem.json": PowerMem, "powermem.jsonl": PowerMem, "powermem_rows.jsonl": PowerMem, "chroma.json": Mem0, "table.csv": CSV, "table.tsv": CSV,
}

func optionsOf(name string) Options {
	o := Options{}
	switch name {
	case "table.tsv":
		o.Columns = map[string]string{"time": "when", "name": "who", "content": "what"}
	case "openai_messages.jsonl", "table.csv":
		o.Place = mustZone("Europe/Vienna")
	case "sharegpt.json":
		o.At = time.Date(2023, 5, 1, 0, 0, 0, 0, time.UTC)
	}
	return o
}

func collect(t testing.TB, name string, o Options) []Item {
	t.Helper()
	var all []Item
	for i, err := range Read(filepath.Join("testdata", name), o) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, i)
	}
	return all
}

func asLines(all []Item) []byte {
	var b bytes.Buffer
	for _, i := range all {
		b.Write(encode(i))
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func TestSamplesAreReadAsTheGoldenFilesHaveIt(t *testing.T) {
	for name, format := range samples {
		o := optionsOf(name)
		var found []string
		o.Found = func(_, f string) { found = append(found, f) }
		got := asLines(collect(t, name, o))
		if !slices.Equal(found, []string{format}) {
			t.Errorf("%s is taken for %q, want %s", name, found, format)
		}
		golden := filepath.Join("testdata", "golden", name+".jsonl")
		if *update {
			if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is read as\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Where nobody is named whose all of it is, each has what they said themselves, and what bots said there
// after them.
func TestSlackIsPartedByWhoSpeaks(t *testing.T) {
	got := map[string][]string{}
	for _, i := range collect(t, "slack", Options{ByPerson: true}) {
		if c := i.Conversation; c != nil {
			for _, m := range c.Messages {
				parsed, err := memd.ParseMessage(m.Raw)
				if err != nil {
					t.Fatal(err)
				}
				got[c.UserID] = append(got[c.UserID], c.SessionID+" "+string(m.Role)+" "+parsed.Text)
			}
		}
	}
	want := map[string][]string{
		"U1": {"slack/general/2024-03-01 user I live in Hamburg now, @Bob B & see the map (https://example.org) in #general", "slack/general/2024-03-01 user ", "slack/general/2024-03-01 assistant Deployed 1.2"},
		"U2": {"slack/general/1709280001.000900 user Nice!", "slack/general/2024-03-02 user I start at Acme on Monday @here", "slack/general/1709280001.000900 user In the thread"},
		"U9": {"slack/random/2024-03-01 user Who am I?"},
	}
	if len(got) != len(want) {
		t.Errorf("there are %d people", len(got))
	}
	for user, said := range want {
		if !slices.Equal(got[user], said) {
			t.Errorf("%s has\n%q\nwant\n%q", user, got[user], said)
		}
	}
}

// What every reader promises of every item.
func checkItem(t testing.TB, i Item, ids map[string]bool) {
	t.Helper()
	set := 0
	if c := i.Conversation; c != nil {
		set++
		if len(c.Messages) > 0 && memd.CheckID("session_id", c.SessionID) != nil {
			t.Fatalf("a session is called %q", c.SessionID)
		}
		if len(c.Messages) > maxMessages {
			t.Fatalf("%d messages at once", len(c.Messages))
		}
		for _, m := range c.Messages {
			parsed, err := memd.ParseMessage(m.Raw)
			if err != nil || parsed.Role != m.Role || parsed.ClientID != "" || !parsed.CreatedAt.IsZero() {
				t.Fatalf("%s: %v", m.Raw, err)
			}
			if err := memd.CheckID("id", m.ID); err != nil {
				t.Fatal(err)
			}
			if m.Zone != "" {
				if _, err := time.LoadLocation(m.Zone); err != nil {
					t.Fatal(err)
				}
			}
			if !m.CreatedAt.IsZero() && (m.CreatedAt.Year() < 1 || m.CreatedAt.Year() > 9999) {
				t.Fatalf("said at %s", m.CreatedAt)
			}
		}
		if ids != nil {
			for _, m := range c.Messages {
				key := c.UserID + "\x00" + c.SessionID + "\x00" + m.ID
				if ids[key] {
					t.Fatalf("%q comes twice", m.ID)
				}
				ids[key] = true
			}
		}
		for _, id := range []string{c.UserID, c.AgentID, c.AppID} {
			if id != "" && memd.CheckID("id", id) != nil {
				t.Fatalf("an id %q", id)
			}
		}
	}
	if m := i.Memory; m != nil {
		set++
		if strings.TrimSpace(m.Text) == "" || strings.ContainsRune(m.Text, 0) || !m.Role.Learnable() {
			t.Fatalf("a memory %+v", m)
		}
		if m.Metadata != nil && (!json.Valid(m.Metadata) || m.Metadata[0] != '{') {
			t.Fatalf("metadata %s", m.Metadata)
		}
	}
	if i.After != nil {
		set++
	}
	if b := i.Bad; b != nil {
		if set++; b.Reason == "" || b.File == "" {
			t.Fatalf("%+v", b)
		}
	}
	if set != 1 {
		t.Fatalf("%d things are one item: %+v", set, i)
	}
	if _, err := json.Marshal(i); err != nil {
		t.Fatal(err)
	}
}

func TestItemsOfSamplesAreWhatMemdTakes(t *testing.T) {
	for name := range samples {
		ids := map[string]bool{}
		if name == "langgraph.jsonl" || name == "sharegpt.json" {
			ids = nil // a thread stands there as often as it was saved
		}
		for _, i := range collect(t, name, optionsOf(name)) {
			checkItem(t, i, ids)
		}
	}
}

// What is compressed, comes by a pipe, lies in a folder or in an archive is read as the file itself.
func TestPackedSamplesAreReadAsThePlainOnes(t *testing.T) {
	raw, err := os.ReadFile("testdata/openai.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var want []Item
	for i, err := range ReadFrom("f", bytes.NewReader(raw), Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, i)
	}
	var gz, zs bytes.Buffer
	g := gzip.NewWriter(&gz)
	_, _ = g.Write(raw)
	g.Close()
	z, _ := zstd.NewWriter(&zs)
	_, _ = z.Write(raw)
	z.Close()
	wide := []byte{0xff, 0xfe}
	for _, r := range string(bytes.TrimPrefix(bytes.ToValidUTF8(raw, []byte("?")), []byte("\xef\xbb\xbf"))) {
		wide = append(wide, byte(r), byte(r>>8))
	}
	for name, packed := range map[string][]byte{"gzip": gz.Bytes(), "zstd": zs.Bytes()} {
		var got []Item
		for i, err := range ReadFrom("f", io.MultiReader(bytes.NewReader(packed)), Options{}) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, i)
		}
		if !bytes.Equal(asLines(got), asLines(want)) {
			t.Errorf("%s is read as\n%s\nwant\n%s", name, asLines(got), asLines(want))
		}
	}
	n := 0
	for i, err := range ReadFrom("f", bytes.NewReader(wide), Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if i.Conversation != nil {
			n++
		}
	}
	if n < 4 {
		t.Errorf("of UTF-16 %d conversations are read", n)
	}
	for i, err := range ReadFrom("f", bytes.NewReader(gz.Bytes()[:gz.Len()-20]), Options{}) {
		if err == nil {
			checkItem(t, i, nil)
			continue
		}
		return // a stream that ends too early says so
	}
	t.Error("a stream that was cut off is read as if it were whole")
}

// An archive is read as the folder that it was made of, also where that stands in it by its name.
func TestAnArchiveIsReadAsItsFolder(t *testing.T) {
	for name, prefix := range map[string]string{"chatgpt": "", "slack": "export/"} {
		dir := filepath.Join("testdata", name)
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		err := fs.WalkDir(os.DirFS(dir), ".", func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			raw, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				return err
			}
			w, err := z.Create(prefix + file)
			if err == nil {
				_, err = w.Write(raw)
			}
			return err
		})
		if err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		var got []Item
		for i, err := range ReadFrom("a.zip", bytes.NewReader(b.Bytes()), Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, i)
		}
		packed := strings.ReplaceAll(string(asLines(got)), strings.TrimSuffix("a.zip/"+prefix, "/"), dir)
		if plain := string(asLines(collect(t, name, Options{}))); packed != plain {
			t.Errorf("%s is read as\n%s\nwant\n%s", name, packed, plain)
		}
		for _, err := range ReadFrom("-", io.MultiReader(bytes.NewReader(b.Bytes())), Options{}) {
			if err == nil {
				t.Error("an archive is read from a pipe")
			}
		}
	}
}

func TestAFolderIsReadFileByFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.jsonl": `{"messages":[{"role":"user","content":"one"}]}` + "\n", "sub/b.csv": "role,content\nuser,two\n", "notes.txt": "nothing",
		".hidden": "{", "sub/empty.json": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var said, odd []string
	for i, err := range Read(dir, Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if i.Bad != nil {
			odd = append(odd, filepath.Base(i.Bad.File))
			continue
		}
		said = append(said, memd.TextOf(i.Conversation.Messages[0].Raw))
	}
	if !slices.Equal(said, []string{"one", "two"}) || !slices.Equal(odd, []string{"notes.txt"}) {
		t.Errorf("said %q, odd %q", said, odd)
	}
	for _, err := range Read(filepath.Join(dir, "none"), Options{}) {
		if err == nil {
			t.Error("what is not there is read")
		}
	}
}

// A list that is broken in one place loses that place alone.
func TestOneOddElementCostsNoOther(t *testing.T) {
	text := "[\n{\"messages\":[{\"role\":\"user\",\"content\":\"one\"}]},\n{\"messages\": oops},\n{\"messages\":[{\"role\":\"user\",\"content\":\"two\"}]}\n"
	var got []string
	for i, err := range ReadFrom("f", strings.NewReader(text), Options{}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case i.Bad != nil:
			got = append(got, i.Bad.Reason, string(rune('0'+i.Bad.Line)))
		default:
			got = append(got, memd.TextOf(i.Conversation.Messages[0].Raw))
		}
	}
	want := []string{"one", "is not valid JSON", "3", "two", "the file ends in the midst of it", "5"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is long is held in parts only.
func TestALongSessionComesInParts(t *testing.T) {
	var b strings.Builder
	b.WriteString("session,role,content\n")
	for i := range 3 * maxMessages {
		b.WriteString("s,user,message " + string(rune('a'+i%26)) + "\n")
	}
	ids := map[string]bool{}
	parts := 0
	for i, err := range ReadFrom("f.csv", strings.NewReader(b.String()), Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		checkItem(t, i, ids)
		parts++
	}
	if len(ids) != 3*maxMessages || parts != 3 {
		t.Errorf("%d messages in %d parts", len(ids), parts)
	}
	s := newScanner(nil)
	if s.most != maxValue {
		t.Error("values have no bound")
	}
}

func TestTimesAreReadAsProgramsWriteThem(t *testing.T) {
	vienna := mustZone("Europe/Vienna")
	for text, want := range map[string]string{
		"2024-03-01T10:00:00Z": "2024-03-01T10:00:00Z", "2024-03-01 10:00:00+02:00": "2024-03-01T08:00:00Z Etc/GMT-2",
		"2024-03-01T10:00:00.5+0530": "2024-03-01T04:30:00.5Z Asia/Kolkata", "2024-03-01T10:00:00": "2024-03-01T09:00:00Z Europe/Vienna",
		"2024-07-01": "2024-06-30T22:00:00Z Europe/Vienna", "1709280001": "2024-03-01T08:00:01Z", "1709280001.25": "2024-03-01T08:00:01.25Z",
		"1709280001500": "2024-03-01T08:00:01.5Z", "Fri, 01 Mar 2024 10:00:00 -0800": "2024-03-01T18:00:00Z Etc/GMT+8",
		"Mar 1, 2024, 3:04:05 PM": "2024-03-01T14:04:05Z Europe/Vienna", "2024-03-01T10:00:00-03:30": "2024-03-01T13:30:00Z",
		"1969-12-31T23:00:00Z": "1969-12-31T23:00:00Z", "1970-01-01T00:00:00Z": "1970-01-01T00:00:00Z", "1955-11-05": "1955-11-04T23:00:00Z Europe/Vienna", "100000000": "1973-03-03T09:46:40Z", "1709280001500000000": "2024-03-01T08:00:01.5Z",
		"": "no", "yesterday": "no", "0": "no", "1": "no", "2024": "no", "20240301": "no", "45352.4167": "no", "1e30": "no", "-5": "no", "NaN": "no", "1e400": "no", "0001-01-01T00:00:00Z": "no", "99999-01-01": "no",
	} {
		at, zone, ok := readTime(text, vienna)
		got := "no"
		if ok {
			got = strings.TrimSpace(memd.FormatTime(at) + " " + zone)
		}
		if got != want {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}

// The zones that stand for offsets have them.
func TestZonesOfOffsets(t *testing.T) {
	for minutes := -14 * 60; minutes <= 14*60; minutes += 15 {
		at := time.Date(2024, 1, 15, 0, 0, 0, 0, time.FixedZone("", minutes*60))
		name := zoneAt(at)
		if name == "" {
			continue
		}
		if _, offset := at.In(mustZone(name)).Zone(); offset != minutes*60 {
			t.Errorf("%s stands for %d minutes and has %d", name, minutes, offset/60)
		}
	}
}

func fuzz(f *testing.F, format string) {
	for name, of := range samples {
		if of != format {
			continue
		}
		_ = filepath.WalkDir(filepath.Join("testdata", name), func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				if raw, err := os.ReadFile(path); err == nil {
					f.Add(raw)
				}
			}
			return nil
		})
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		read := func() (all []Item) {
			for i, err := range ReadFrom("f", bytes.NewReader(raw), Options{Format: format}) {
				if err != nil {
					return all
				}
				checkItem(t, i, nil)
				all = append(all, i)
			}
			return all
		}
		if first, again := asLines(read()), asLines(read()); !bytes.Equal(first, again) {
			t.Errorf("the second time it is\n%s\nand was\n%s", again, first)
		}
	})
}

func FuzzMemd(f *testing.F)      { fuzz(f, Memd) }
func FuzzOpenAI(f *testing.F)    { fuzz(f, OpenAI) }
func FuzzShareGPT(f *testing.F)  { fuzz(f, ShareGPT) }
func FuzzChatGPT(f *testing.F)   { fuzz(f, ChatGPT) }
func FuzzClaude(f *testing.F)    { fuzz(f, Claude) }
func FuzzSlack(f *testing.F)     { fuzz(f, Slack) }
func FuzzLangChain(f *testing.F) { fuzz(f, LangChain) }
func FuzzMem0(f *testing.F)      { fuzz(f, Mem0) }
func FuzzPowerMem(f *testing.F)  { fuzz(f, PowerMem) }
func FuzzCSV(f *testing.F)       { fuzz(f, CSV) }

// Whatever it is, it is looked at without harm.
func FuzzSniff(f *testing.F) {
	f.Add([]byte(`{"results":[{"memory":"x","id":1}]}`))
	f.Add([]byte("a;b\n1;2\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for i, err := range ReadFrom("f", io.MultiReader(bytes.NewReader(raw)), Options{}) {
			if err != nil {
				return
			}
			checkItem(t, i, nil)
		}
	})
}

// What older programs wrote, memd among them, may have a member twice: it is taken as most
// read it, since memd takes no such message.
func TestAMemberThatComesTwiceCostsNoMessage(t *testing.T) {
	line := `{"messages":[{"role":"user","content":[{"type":"text","text":"I like tea","text":"I like cocoa"}],"n":12345678901234567890},{"role":"user","content":"Tea","content":"Cocoa"}]}`
	var said []string
	for i, err := range ReadFrom("f", strings.NewReader(line), Options{Format: OpenAI}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range i.Conversation.Messages {
			if at, ok := memd.TwiceGiven(m.Raw); ok {
				t.Errorf("%s is given twice in %s", at, m.Raw)
			}
			said = append(said, string(m.Raw))
		}
	}
	if len(said) != 2 || !strings.Contains(said[0], "cocoa") || !strings.Contains(said[0], "12345678901234567890") || !strings.Contains(said[1], "Cocoa") {
		t.Errorf("read %q", said)
	}
}
