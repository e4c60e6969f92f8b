package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"io/fs"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// standIns are in place of the peers: no test fetches anything.
var standIns = []rival{
	{name: "One", version: "1", module: "peer_standin", python: "python3"},
	{name: "Two", version: "2", module: "peer_standin", python: "python3"},
}

// testScripts are the driver, and the stand-in as if it lay beside it.
type testScripts struct{ fs.FS }

func (s testScripts) ReadFile(name string) ([]byte, error) {
	if name == "peer_standin.py" {
		return os.ReadFile(filepath.Join("testdata", name))
	}
	return fs.ReadFile(s.FS, name)
}

// What is measured here is not looked at: the machine is busy with other tests.
func TestEverythingIsMeasured(t *testing.T) {
	r, err := measure(t.Context(), shortScale, standIns, testScripts{scripts})
	if err != nil {
		t.Fatal(err)
	}
	var figures []string
	for _, row := range r.Rows {
		figures = append(figures, row.Figure)
		if len(row.Values) != 3 {
			t.Errorf("%s: figures of %d systems", row.Figure, len(row.Values))
		}
		for _, v := range row.Values {
			byTheClock := !strings.HasPrefix(row.Figure, "CPU") // which may be less than is told
			if byTheClock && v.Value <= 0 || math.IsInf(v.Value, 0) || math.IsNaN(v.Value) {
				t.Errorf("%s: %+v", row.Figure, v)
			}
		}
		switch row.Figure {
		case shortScale.found(), shortScale.foundExactly():
			for _, v := range row.Values {
				if v.Value != float64(shortScale.limit) {
					t.Errorf("%s finds %v", v.System, v.Value)
				}
			}
		case recorded, inARow:
			// memd waits for no model; who asks one has that taken off.
			if row.Values[0].Models != 0 || row.Values[1].Models < ms(shortScale.answer+shortScale.embedding) {
				t.Errorf("subtracted for recording: %+v", row.Values)
			}
		case learnedByModel:
			if row.Values[0].Models < ms(shortScale.answer) {
				t.Errorf("memd did not ask the chat model: %+v", row.Values[0])
			}
		}
	}
	if want := shortScale.figures(); !reflect.DeepEqual(figures, want) {
		t.Errorf("measured %q, not %q", figures, want)
	}
	if want := []string{"memd", "One 1", "Two 2"}; !reflect.DeepEqual(r.Systems, want) {
		t.Errorf("systems %q, not %q", r.Systems, want)
	}
	if r.Fsync != "on" || r.Server == "" || r.Vector == "" || !strings.HasPrefix(r.Python, "Python 3") {
		t.Errorf("fsync %q, Postgres %q, pgvector %q, %q", r.Fsync, r.Server, r.Vector, r.Python)
	}
	// The file holds what the table shows.
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again report
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	var table, ofFile bytes.Buffer
	if err := r.print(&table); err != nil {
		t.Fatal(err)
	}
	if err := again.print(&ofFile); err != nil {
		t.Fatal(err)
	}
	if table.String() != ofFile.String() {
		t.Errorf("the table\n%s\nthe file\n%s", table.String(), ofFile.String())
	}
}

func TestTableShowsTheBetterPeerAndWhatWasSubtracted(t *testing.T) {
	values := []value{{System: "memd", Value: 2, P5: 1.5, rounds: []float64{1, 2, 3}}, {System: "one", Value: 60, Models: 9.04, rounds: []float64{60, 60, 60}},
		{System: "two", Value: 40, Models: 14.2, rounds: []float64{40, 50, 30}}}
	if got := ratio(values); got != 25 {
		t.Errorf("ratio %v, not that of the second in the second round", got)
	}
	if got := ratio([]value{{rounds: []float64{0}}, {rounds: []float64{3}}}); got != 0 {
		t.Errorf("ratio to nothing: %v", got)
	}
	if got := ratio(values[:1]); got != 0 {
		t.Errorf("ratio of memd alone: %v", got)
	}
	r := report{Systems: []string{"memd", "one", "two"}, Rows: []row{
		{Figure: "F", Unit: "ms", Values: values, Ratio: 25, Aim: "≥ 20", Is: "what it is"},
		{Figure: "G", Unit: "ms", Values: []value{{Value: 1.5, Postgres: 0.52}, {Value: 7680}, {Value: 0.1234}}, Aim: "–", Is: "what that is"}}}
	var table bytes.Buffer
	if err := r.print(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"subtracted for the models: 0.0 / 9.0 / 14.2; p5: 1.5 / 0.0 / 0.0", "25.0", "≥ 20", "of it Postgres: 0.5 / 0.0 / 0.0", "7680", "0.123", "F: what it is", "G: what that is"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
}

func post(t *testing.T, url string, body any) (int, []byte) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

func startTestModels(t *testing.T) *modelServer {
	t.Helper()
	s, err := startModels(5*time.Millisecond, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestVectorsAreOfWords(t *testing.T) {
	s := startTestModels(t)
	texts := []string{"I keep the red kayak in the attic.", "Where do I keep the red kayak?", "Stock exchanges open late"}
	var plain struct {
		Data []struct {
			Index     int
			Embedding []float32
		}
	}
	status, raw := post(t, s.urlFor("a")+"/embeddings", map[string]any{"model": "m", "input": texts, "dimensions": dimensions})
	if err := json.Unmarshal(raw, &plain); err != nil || status != http.StatusOK || len(plain.Data) != 3 {
		t.Fatalf("%d %v %.200s", status, err, raw)
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	for i, d := range plain.Data {
		if d.Index != i || len(d.Embedding) != dimensions || math.Abs(dot(d.Embedding, d.Embedding)-1) > 1e-5 {
			t.Errorf("%d: index %d, %d dimensions, square %v", i, d.Index, len(d.Embedding), dot(d.Embedding, d.Embedding))
		}
	}
	near, far := dot(plain.Data[0].Embedding, plain.Data[1].Embedding), dot(plain.Data[0].Embedding, plain.Data[2].Embedding)
	if near < far+0.3 {
		t.Errorf("what has words in common: %v, what has none: %v", near, far)
	}

	// The same in the form that OpenAI's own client asks for.
	var packed struct{ Data []struct{ Embedding string } }
	status, raw = post(t, s.urlFor("b")+"/embeddings", map[string]any{"model": "m", "input": texts[0], "encoding_format": "base64"})
	if err := json.Unmarshal(raw, &packed); err != nil || status != http.StatusOK || len(packed.Data) != 1 {
		t.Fatalf("%d %v %.200s", status, err, raw)
	}
	bits, err := base64.StdEncoding.DecodeString(packed.Data[0].Embedding)
	if err != nil {
		t.Fatal(err)
	}
	unpacked := make([]float32, dimensions)
	if err := binary.Read(bytes.NewReader(bits), binary.LittleEndian, unpacked); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(unpacked, plain.Data[0].Embedding) {
		t.Error("the vector of a text depends on the form in which it is given")
	}

	if status, raw := post(t, s.urlFor("a")+"/embeddings", map[string]any{"input": "x", "dimensions": 1536}); status != http.StatusBadRequest {
		t.Errorf("a width that there is not: %d %s", status, raw)
	}
}

func TestChatAnswersWhatEachAsks(t *testing.T) {
	s := startTestModels(t)
	said := "I bought a red kayak."
	for name, c := range map[string]struct {
		told []string
		want string
	}{
		"memd": {[]string{`{"facts":[{"text":string,"sources":[number]}]}`, "Earlier messages:\n{\"role\":\"user\",\"text\":\"Hi\"}\n\nNew messages:\n{\"id\":1,\"role\":\"user\",\"text\":\"" + said + "\"}\n"},
			`{"facts":[{"category":null,"sources":[1],"text":"` + said + `"}]}`},
		"mem0": {[]string{"Extract.", "## Existing Memories\n[{\"id\": \"0\", \"text\": \"user: no\"}]\n\n## New Messages\nuser: " + said + "\nassistant: Nice.\n\n\n## Observation Date\n2026-01-01"},
			`{"memory":[{"attributed_to":"user","id":"0","text":"` + said + `"}]}`},
		"PowerMem, facts": {[]string{"You are a Personal Information Organizer. Input: Hi.", "Input:\nuser: " + said + "\n"}, `{"facts":["` + said + `"]}`},
		"PowerMem, actions": {[]string{"You are a memory manager. Compare.\n\nCurrent memory is empty.\nNew facts:\n```\n- " + said + "\n- Two\n```\n\nReturn JSON"},
			`{"memory":[{"event":"ADD","id":"new-0","text":"` + said + `"},{"event":"ADD","id":"new-1","text":"Two"}]}`},
	} {
		var messages []map[string]any
		for _, text := range c.told {
			messages = append(messages, map[string]any{"role": "user", "content": []map[string]string{{"type": "text", "text": text}}})
		}
		status, raw := post(t, s.urlFor("a")+"/chat/completions", map[string]any{"model": "m", "messages": messages})
		var got struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal(raw, &got); err != nil || status != http.StatusOK || len(got.Choices) != 1 {
			t.Errorf("%s: %d %v %s", name, status, err, raw)
		} else if got.Choices[0].Message.Content != c.want {
			t.Errorf("%s: %s, not %s", name, got.Choices[0].Message.Content, c.want)
		}
		if prompts := s.takePrompts("a"); !reflect.DeepEqual(prompts, c.told) {
			t.Errorf("%s: %q was told, %q is counted", name, c.told, prompts)
		}
	}
	if status, raw := post(t, s.urlFor("a")+"/chat/completions", map[string]any{"messages": []map[string]string{{"role": "user", "content": "How are you?"}}}); status != http.StatusBadRequest {
		t.Errorf("what nobody is known to ask: %d %s", status, raw)
	}
}

func TestModelsAreBusyOnceAndForEachSystemAlone(t *testing.T) {
	s := startTestModels(t)
	began := time.Now()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { post(t, s.urlFor("a")+"/embeddings", map[string]any{"input": "x"}) })
	}
	all.Wait()
	if busy := s.busy("a"); busy < s.embedding || busy > time.Since(began) {
		t.Errorf("busy for %v within %v", busy, time.Since(began))
	}
	if busy := s.busy("b"); busy != 0 {
		t.Errorf("busy for one who asked nothing: %v", busy)
	}
}

func TestPeerTellsWhatFails(t *testing.T) {
	s := startTestModels(t)
	dir := t.TempDir()
	if err := writeScripts(testScripts{scripts}, dir, "driver.py", "peer_standin.py"); err != nil {
		t.Fatal(err)
	}
	p, err := startPeer(t.Context(), standIns[0], dir, peerSettings{Models: s.urlFor("one"), Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.call("search", map[string]any{"user": "u"}); err == nil || !strings.Contains(err.Error(), "TypeError") {
		t.Errorf("a call without what it needs: %v", err)
	}
	if _, err := p.add("u", "  ", true); err != nil {
		t.Errorf("the next call: %v", err)
	}
	if a, err := p.search("u", "anything", 5); err != nil || a.results != 1 || a.took < s.embedding {
		t.Errorf("a search: %+v %v", a, err)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	absent := standIns[0]
	absent.module = "peer_of_nobody"
	if _, err := startPeer(t.Context(), absent, dir, peerSettings{Folder: dir}); err == nil || !strings.Contains(err.Error(), "peer_of_nobody") {
		t.Errorf("a script that is not there: %v", err)
	}
}

// An interpreter that notes what it is told and makes environments with itself in them.
const noting = `#!/bin/sh
echo "$*" >> "$NOTES"
if [ "$2" = venv ]; then mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; fi
if [ "$2" = pip ] && [ -e "$NOTES.refuse" ]; then echo refused; exit 1; fi
`

func TestPeersAreInstalledOnce(t *testing.T) {
	cache, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	python := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(python, []byte(noting), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NOTES", notes)
	t.Setenv("PATH", "/bin:/usr/bin")
	if uv, err := exec.LookPath("uv"); err == nil {
		t.Skipf("%s is used in place of pip", uv)
	}
	r := rival{name: "One", version: "1", packages: []string{"one==1", "two[three]"}}
	// What was cut short is made anew.
	if err := os.WriteFile(notes+".refuse", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.install(t.Context(), python, cache, io.Discard); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("an installation that fails: %v", err)
	}
	if err := os.Remove(notes + ".refuse"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		installed, err := r.install(t.Context(), python, cache, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(cache, "peers", "one-1", "bin", "python"); installed.python != want {
			t.Errorf("python %s, not %s", installed.python, want)
		}
	}
	// Other packages are another environment.
	r.packages = r.packages[:1]
	if _, err := r.install(t.Context(), python, cache, io.Discard); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(raw)) {
		got = append(got, strings.Fields(line)[1]+" "+strings.TrimSpace(line[strings.LastIndex(line, " "):]))
	}
	dir := filepath.Join(cache, "peers", "one-1")
	want := []string{"venv " + dir, "pip two[three]", "venv " + dir, "pip two[three]", "venv " + dir, "pip one==1"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("told %q, not %q", got, want)
	}
}
