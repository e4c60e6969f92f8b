package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// remoteFlags say which memd a command asks over HTTP.
type remoteFlags struct {
	URL    string `env:"MEMD_URL" default:"http://127.0.0.1:7411" aliases:"server" help:"Where memd is; --server is the same."`
	APIKey string `name:"api-key" env:"MEMD_API_KEY" help:"Key to send, if memd wants one; better set in the environment, where nobody sees it in a list of processes."`
}

const (
	// remoteTimeout bounds one request, waits that it asks for included.
	remoteTimeout = 2 * time.Minute
	// awayPause is the wait where an answer names none, and where there is no answer.
	awayPause = time.Second
	// awayFor is how long a memd that was there may be away, as while it starts again.
	awayFor = 2 * time.Minute
	// busyFor is how long one request is put off by a memd that answers.
	busyFor = 15 * time.Minute
)

// remote is a memd that runs elsewhere. It is safe for concurrent use.
type remote struct {
	url    string
	key    string
	client *http.Client
	// met says that it has answered before: then it is worth waiting for.
	met atomic.Bool
}

func (f remoteFlags) open() (*remote, error) {
	given := strings.TrimRight(f.URL, "/")
	if u, err := url.Parse(given); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("MEMD_URL: must be an http or https address")
	}
	if strings.ContainsFunc(f.APIKey, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return nil, errors.New("MEMD_API_KEY: must not have control characters")
	}
	return &remote{url: given, key: f.APIKey, client: &http.Client{Timeout: remoteTimeout}}, nil
}

func (r *remote) close() { r.client.CloseIdleConnections() }

// refusal is an answer that is none of 2xx.
type refusal struct {
	status int
	words  string
	faults []placedFault
}

// placedFault is what is wrong with one place of a request.
type placedFault struct{ Location, Message string }

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.status, r.words) }

// hopeless tells whether a request like it would be refused in the same way.
func (r *refusal) hopeless() bool {
	return r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
}

// ask makes one request and decodes the answer. One that is put off (429, 503, 409 with a
// time) is made again after the time that is asked for; so is one that had no answer from
// a memd that answered before. What it asks for must therefore be safe to ask for twice.
func (r *remote) ask(ctx context.Context, method, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return r.repeat(ctx, method, path, nil, into)
}

// post is ask for what has a body.
func (r *remote) post(ctx context.Context, path string, body []byte, into any) error {
	return r.repeat(ctx, http.MethodPost, path, body, into)
}

func (r *remote) repeat(ctx context.Context, method, path string, body []byte, into any) error {
	began := time.Now()
	for {
		after, err := r.exchange(ctx, method, path, body, into)
		if err == nil || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), err)
		}
		var refused *refusal
		patience := awayFor
		if errors.As(err, &refused) {
			patience = busyFor
		}
		if after <= 0 || time.Since(began)+after > patience {
			return err
		}
		wait := time.NewTimer(after)
		select {
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err()
		case <-wait.C:
		}
	}
}

// once makes a request once; after is how long to wait before it is made again, 0 if that
// is of no use.
func (r *remote) once(ctx context.Context, method, path string, into any) (after time.Duration, err error) {
	return r.exchange(ctx, method, path, nil, into)
}

// exchange is once with a body.
func (r *remote) exchange(ctx context.Context, method, path string, body []byte, into any) (after time.Duration, err error) {
	var sent io.Reader
	if body != nil || method == http.MethodPost {
		sent = bytes.NewReader(body)
	}
	q, err := http.NewRequestWithContext(ctx, method, r.url+path, sent)
	if err != nil {
		return 0, err
	}
	if r.key != "" {
		q.Header.Set("Authorization", "Bearer "+r.key)
	}
	q.Header.Set("User-Agent", "memd/"+currentVersion())
	resp, err := r.client.Do(q)
	if err != nil {
		if r.met.Load() {
			after = awayPause
		}
		var e *url.Error
		if errors.As(err, &e) { // the address, which is known, may hold a password
			err = e.Err
		}
		return after, fmt.Errorf("memd does not answer: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		r := refused(resp)
		if after = putOff(resp); r.status == http.StatusConflict && len(r.faults) > 0 {
			after = 0 // what is in the way stays there
		}
		return after, r
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		var syntax *json.SyntaxError
		var kind *json.UnmarshalTypeError
		if !errors.As(err, &syntax) && !errors.As(err, &kind) { // it broke off
			after = awayPause
		}
		return after, fmt.Errorf("no answer of a memd: %w", err)
	}
	r.met.Store(true)
	return 0, nil
}

// putOff is how long an answer asks to wait, 0 if it does not.
func putOff(resp *http.Response) time.Duration {
	asked := resp.Header.Get("Retry-After")
	switch {
	case resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusServiceUnavailable:
	case resp.StatusCode == http.StatusConflict && asked != "":
	default:
		return 0
	}
	if seconds, err := strconv.Atoi(asked); err == nil && seconds > 0 {
		return time.Duration(min(seconds, int(busyFor/time.Second)+1)) * time.Second
	}
	if at, err := http.ParseTime(asked); err == nil {
		return max(time.Until(at), awayPause)
	}
	return awayPause
}

// refused reads what an answer says is wrong.
func refused(resp *http.Response) *refusal {
	var p struct {
		Detail string
		Errors []placedFault
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	r := &refusal{status: resp.StatusCode, words: strings.ToLower(http.StatusText(resp.StatusCode))}
	if json.Unmarshal(raw, &p) != nil {
		return r
	}
	r.words, r.faults = cmp.Or(p.Detail, r.words), p.Errors
	for i, e := range p.Errors {
		if i == 0 {
			r.words = ""
		}
		r.words = strings.TrimPrefix(r.words+"; "+e.Location+" "+e.Message, "; ")
	}
	return r
}
