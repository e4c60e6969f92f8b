package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embedded"
	"github.com/rs/zerolog"
)

// withMemd starts a memd with a Postgres and a NATS of its own, on a free port and an
// empty folder, and ends all of it after do, which is given its address.
func withMemd(ctx context.Context, do func(address string) error) error {
	model, err := embedded.FindModel()
	if err != nil {
		return err
	}
	return ownPostgres(ctx, func(dir string, pg *embedded.Postgres) error {
		return serve(ctx, filepath.Join(dir, "nats"), pg.OwnerURL(), pg.AppURL(), model, do)
	})
}

// serve runs a memd on a Postgres as long as do takes. store is the folder of its NATS.
func serve(ctx context.Context, store, ownerURL, appURL string, model embedded.Model, do func(address string) error) (err error) {
	ns, err := embedded.StartNATS(embedded.NATSConfig{StoreDir: store, Log: zerolog.Nop()})
	if err != nil {
		return err
	}
	defer ns.Stop()
	servers := app.Servers{OwnerURL: ownerURL, AppURL: appURL, NATS: ns.Conn}
	servers.Model.ModelPath, servers.Model.TokenizerPath, servers.Model.RuntimePath = model.ONNX, model.Tokenizer, model.Library
	// What a fresh memd has if nothing is set.
	cfg := app.Config{Listen: "127.0.0.1:0", DBPoolMin: 1, DBPoolMax: 10, NATSReplicas: 1, Workers: 4,
		DrainTimeout: 10 * time.Second, LogLevel: "info", LogFormat: "json"}
	daemon, err := app.New(cfg, func(context.Context) (app.Servers, error) { return servers, nil }, "eval", zerolog.Nop())
	if err != nil {
		return err
	}
	if err := daemon.Start(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, daemon.Stop(context.WithoutCancel(ctx))) }()
	select {
	case <-daemon.Ready():
		return do("http://" + daemon.Addr().String())
	case err := <-daemon.Failed():
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// measureRecall says the conversations to the memd at an address, each as a user of its
// own, and asks it their questions once it has learned from them.
func measureRecall(ctx context.Context, address string, all []conversation) (recallReport, error) {
	c, done := newCaller(address)
	defer done()
	var answers []answer
	var searches []time.Duration
	var ingest time.Duration
	messages := 0
	for _, conv := range all {
		began := time.Now()
		s, err := statements.say(c, ctx, conv.name, conv)
		if err != nil {
			return recallReport{}, fmt.Errorf("%s: %w", conv.name, err)
		}
		ingest += time.Since(began)
		messages += len(conv.turns)
		for _, q := range conv.questions {
			began := time.Now()
			f, err := c.ask(ctx, conv.name, q, s)
			if err != nil {
				return recallReport{}, fmt.Errorf("%s: %w", conv.name, err)
			}
			searches = append(searches, time.Since(began))
			answers = append(answers, answer{conversation: conv, question: q, found: f})
		}
	}
	return report(answers, messages, ingest, searches), nil
}

// caller calls a memd.
type caller struct {
	address string
	http    *http.Client
}

// newCaller makes one; done is for when it has no more calls to make.
func newCaller(address string) (c caller, done func()) {
	transport := &http.Transport{}
	return caller{address: address, http: &http.Client{Transport: transport}}, transport.CloseIdleConnections
}

// settle waits until all that a user's messages say has been learned.
func (c caller) settle(ctx context.Context, user string) error {
	for {
		var ingest struct {
			States struct{ Pending, Running, Failed, Dead int }
		}
		if err := c.call(ctx, http.MethodGet, "/v1/ingest?wait=30s&user_id="+url.QueryEscape(user), nil, &ingest); err != nil {
			return err
		}
		switch s := ingest.States; {
		case s.Dead > 0:
			return fmt.Errorf("%d messages could not be learned from", s.Dead)
		case s.Pending+s.Running+s.Failed == 0:
			return nil
		}
	}
}

// result is what a search gave in one place.
type result struct {
	ID      string
	Memory  string
	Role    memd.Role
	ActorID string `json:"actor_id"`
	Sources []int64
	// Explain has the parts of the score, where they were asked for.
	Explain map[string]float64
}

// ask searches and maps the results to messages.
func (c caller) ask(ctx context.Context, user string, q question, s sayings) (found, error) {
	results, err := c.search(ctx, q.search(user, depths[len(depths)-1]))
	return foundIn(results, s), err
}

// search finds what a user and an assistant said.
func (c caller) search(ctx context.Context, query map[string]any) ([]result, error) {
	var got struct {
		Results  []result
		Degraded []string
	}
	query["scopes"] = []string{"USER", "ASSISTANT"}
	if err := c.call(ctx, http.MethodPost, "/v1/memories/search", query, &got); err != nil {
		return nil, err
	}
	if len(got.Degraded) > 0 {
		return nil, fmt.Errorf("degraded: %s", strings.Join(got.Degraded, ", "))
	}
	return got.Results, nil
}

// foundIn maps results to messages.
func foundIn(results []result, s sayings) (f found) {
	for i, r := range results {
		if i < mainDepth {
			f.words += len(strings.Fields(r.Memory))
		}
		for _, id := range s.of(r) {
			if !slices.Contains(f.ranked, id) {
				f.ranked = append(f.ranked, id)
			}
		}
	}
	return f
}

// call makes one request; answer is what its body is read into.
func (c caller) call(ctx context.Context, method, path string, body, answer any) error {
	var reader io.Reader = http.NoBody
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.address+path, reader)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %d %.300s", method, path, resp.StatusCode, raw)
	}
	return json.Unmarshal(raw, answer)
}
