package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// client is one who uses memd while others import.
type client struct {
	url  string
	http *http.Client
	r    *rand.Rand
}

func newClient(url string) *client {
	return &client{url, &http.Client{Timeout: time.Minute}, rand.New(rand.NewPCG(1, 1))}
}

// waits are how long the client waited for each answer.
type waits struct{ writes, contexts []time.Duration }

func (w waits) and(more waits) waits {
	return waits{append(w.writes, more.writes...), append(w.contexts, more.contexts...)}
}

// pause is how long the client thinks between two calls.
const pause = 20 * time.Millisecond

// live has the client talk for a while: what the user says is written, then what was answered is, and a
// context asked for.
func (c *client) live(ctx context.Context, long time.Duration) (w waits, err error) {
	session := "live-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	message := func(role, text string) map[string]any { return map[string]any{"role": role, "content": text} }
	for end := time.Now().Add(long); time.Now().Before(end); {
		for _, call := range []struct {
			path   string
			body   map[string]any
			status int
			waits  *[]time.Duration
		}{
			{"/v1/messages", map[string]any{"user_id": "live", "session_id": session, "messages": []any{message("assistant", answers[c.r.IntN(len(answers))])}}, http.StatusCreated, &w.writes},
			{"/v1/context", map[string]any{"user_id": "live", "session_id": session, "append": []any{message("user", said(c.r))}}, http.StatusOK, &w.contexts},
		} {
			began := time.Now()
			if err := c.call(ctx, http.MethodPost, call.path, call.body, call.status, nil); err != nil {
				return w, err
			}
			*call.waits = append(*call.waits, time.Since(began))
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return w, ctx.Err()
			}
		}
	}
	return w, nil
}

// ingest says where the messages of all stand.
type ingest struct {
	States struct{ Pending, Running, Failed, Done, Skipped, Dead int }
}

func (i ingest) open() int    { return i.States.Pending + i.States.Running + i.States.Failed }
func (i ingest) settled() int { return i.States.Done + i.States.Dead }

func (c *client) ingest(ctx context.Context) (i ingest, err error) {
	return i, c.call(ctx, http.MethodGet, "/v1/ingest", nil, http.StatusOK, &i)
}

// logged is how many messages there are.
func (c *client) logged(ctx context.Context) (int, error) {
	i, err := c.ingest(ctx)
	return i.open() + i.settled() + i.States.Skipped, err
}

// learning says how many messages are learned from in a second while do goes on, and how many were open before.
func (c *client) learning(ctx context.Context, do func() error) (open int, rate float64, err error) {
	first, err := c.ingest(ctx)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := do(); err != nil {
		return 0, 0, err
	}
	last, err := c.ingest(ctx)
	return first.open(), float64(last.settled()-first.settled()) / time.Since(began).Seconds(), err
}

// settled waits until all is learned from.
func (c *client) settled(ctx context.Context) error {
	for {
		var i ingest
		if err := c.call(ctx, http.MethodGet, "/v1/ingest?wait=30s", nil, http.StatusOK, &i); err != nil || i.open() == 0 {
			return err
		}
	}
}

// forget erases everybody whose name begins so.
func (c *client) forget(ctx context.Context, prefix string) error {
	for {
		var list struct {
			Users []struct {
				UserID string `json:"user_id"`
			}
		}
		if err := c.call(ctx, http.MethodGet, "/v1/users?limit=1000", nil, http.StatusOK, &list); err != nil {
			return err
		}
		n := 0
		for _, u := range list.Users {
			if len(u.UserID) > len(prefix) && u.UserID[:len(prefix)] == prefix {
				if err := c.call(ctx, http.MethodDelete, "/v1/users/"+url.PathEscape(u.UserID), nil, http.StatusOK, nil); err != nil {
					return err
				}
				n++
			}
		}
		if n == 0 {
			return nil
		}
	}
}

// call makes one call; the answer goes into out, if that is not nil.
func (c *client) call(ctx context.Context, method, path string, body any, want int, out any) error {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, sent)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, answer)
	}
	if err == nil && out != nil {
		err = json.Unmarshal(answer, out)
	}
	return err
}
