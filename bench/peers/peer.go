package main

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// scripts run a peer in its own Python.
//
//go:embed driver.py peer_mem0.py peer_powermem.py
var scripts embed.FS

// rival is a library in Python that memd is measured against.
type rival struct {
	name, version string
	packages      []string // what pip is told to install, with versions
	module        string   // the script that speaks to it
	python        string   // the interpreter that has it, once there is one
}

var rivals = []rival{
	{name: "mem0", version: "2.2.1", packages: []string{"mem0ai==2.2.1", "psycopg[binary,pool]"}, module: "peer_mem0"},
	{name: "PowerMem", version: "1.1.7", packages: []string{"powermem==1.1.7"}, module: "peer_powermem"},
}

// id is its name where only small letters go.
func (r rival) id() string { return strings.ToLower(r.name) }

// install makes a virtual environment below the cache folder, or finds it there.
func (r rival) install(ctx context.Context, python, cache string, progress io.Writer) (rival, error) {
	dir := filepath.Join(cache, "peers", r.id()+"-"+r.version)
	r.python = filepath.Join(dir, "bin", "python")
	wanted := []byte(strings.Join(r.packages, "\n") + "\n")
	// Written last: what is there without it was cut short.
	done := filepath.Join(dir, "installed.txt")
	if have, err := os.ReadFile(done); err == nil && bytes.Equal(have, wanted) {
		return r, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return r, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return r, err
	}
	fmt.Fprintf(progress, "installing %s %s into %s\n", r.name, r.version, dir)
	create := []string{python, "-m", "venv", dir}
	install := []string{r.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"}
	if uv, err := exec.LookPath("uv"); err == nil { // far quicker
		create = []string{uv, "venv", "--quiet", "--python", python, dir}
		install = []string{uv, "pip", "install", "--quiet", "--python", r.python}
	}
	for _, command := range [][]string{create, append(install, r.packages...)} {
		if out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
			return r, fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
		}
	}
	return r, os.WriteFile(done, wanted, 0o644)
}

// peer is a library that runs in a process of its own and takes calls.
type peer struct {
	rival
	cmd     *exec.Cmd
	calls   io.WriteCloser
	answers *bufio.Reader
	said    bytes.Buffer
}

// peerSettings are what a script is told.
type peerSettings struct {
	Postgres   string `json:"postgres"`
	Models     string `json:"models"`
	Dimensions int    `json:"dimensions"`
	Folder     string `json:"folder"` // for what it keeps beside Postgres
}

// startPeer runs a rival's script and waits until the library is there.
func startPeer(ctx context.Context, r rival, dir string, settings peerSettings) (_ *peer, err error) {
	told, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	p := &peer{rival: r, cmd: exec.CommandContext(ctx, r.python, filepath.Join(dir, "driver.py"), r.module, string(told))}
	p.cmd.Dir = settings.Folder
	// Neither tells anybody that it is used, and each finds its files in a place that goes away.
	p.cmd.Env = environment("HOME="+settings.Folder, "MEM0_DIR="+settings.Folder, "MEM0_TELEMETRY=False", "PYTHONWARNINGS=ignore",
		"POWERMEM_TELEMETRY=false", "TELEMETRY_ENABLED=false", "OPENAI_API_KEY=stub", "OPENAI_BASE_URL="+settings.Models)
	p.cmd.Stderr = &p.said
	if p.calls, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := p.answer(); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (p *peer) stop() error {
	_ = p.calls.Close()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w\n%s", p.name, err, p.said.String())
	}
	return nil
}

func (p *peer) modelsName() string { return p.id() }

func (p *peer) cpu() (time.Duration, error) { return cpuOf(p.cmd.Process.Pid) }

// answered is what came of a call.
type answered struct {
	took    time.Duration // in the peer's own process
	results int
}

func (p *peer) call(do string, with map[string]any) (answered, error) {
	raw, err := json.Marshal(map[string]any{"do": do, "with": with})
	if err != nil {
		return answered{}, err
	}
	if _, err := p.calls.Write(append(raw, '\n')); err != nil {
		return answered{}, fmt.Errorf("%s: %w", p.name, err)
	}
	a, err := p.answer()
	if err != nil {
		return a, fmt.Errorf("%s: %s: %w", p.name, do, err)
	}
	return a, nil
}

func (p *peer) answer() (answered, error) {
	line, err := p.answers.ReadBytes('\n')
	if err != nil {
		return answered{}, err
	}
	var a struct {
		Seconds float64
		Results int
		Error   string
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return answered{}, err
	}
	if a.Error != "" {
		return answered{}, errors.New(a.Error)
	}
	return answered{took: time.Duration(a.Seconds * float64(time.Second)), results: a.Results}, nil
}

func (p *peer) fill(_ context.Context, user string, texts []string) error {
	a, err := p.call("fill", map[string]any{"user": user, "texts": texts})
	if err == nil && a.results != len(texts) {
		err = fmt.Errorf("%s stored %d of %d memories", p.name, a.results, len(texts))
	}
	return err
}

// add records a turn. That nothing comes of it is an error: it is not what is to be measured.
func (p *peer) add(user, text string, infer bool) (answered, error) {
	a, err := p.call("add", map[string]any{"user": user, "text": text, "infer": infer})
	if err == nil && a.results == 0 {
		err = fmt.Errorf("%s remembers nothing of %q", p.name, text)
	}
	return a, err
}

func (p *peer) search(user, query string, limit int) (answered, error) {
	return p.call("search", map[string]any{"user": user, "query": query, "limit": limit})
}
