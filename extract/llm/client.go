package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memdhq/memd"
	"github.com/sony/gobreaker/v2"
)

// maxAnswerBytes bounds what is read of an answer.
const maxAnswerBytes = 4 << 20

// code is why there is no usable answer, as Extraction.Extractor shows it.
type code string

const (
	codeUnavailable  code = "unavailable"    // no whole answer, a 5xx, or a 404: no such model or address
	codeTimeout      code = "timeout"        // no answer within Config.Timeout, Config.Budget or maxCalls
	codeRateLimited  code = "rate_limited"   // 429
	codeUnauthorized code = "unauthorized"   // 401, 403: for the operator to put right
	codeRefused      code = "refused"        // another 4xx
	codeTooLong      code = "too_long"       // more than the model takes, or more to answer than it may
	codeInvalid      code = "invalid_answer" // no JSON, or JSON of another shape
	codeUnsupported  code = "unsupported"    // facts of which no message states any
)

// fault is a call that failed.
type fault struct {
	code code
	// complaint is what a refusal says, in lower case. It may quote the messages: it
	// is searched, never shown.
	complaint string
	// wait is how long the server asks to be left alone.
	wait time.Duration
	// unasked says that the server was not called: it is known to be away, or to have
	// no answer to this.
	unasked bool
	// resting says that it is not to be called for a while.
	resting bool
	// idle says that it is left alone for what it answered others, not for an outage: this was not asked.
	idle bool
	// missing says that the server knows no such model or address.
	missing bool
	// cut says that the answer was too long, not the request.
	cut bool
	// over says that it had more facts than one may have.
	over bool
	// shapeless says that the answer had not the shape that was asked for.
	shapeless bool
	err       error
}

func (f *fault) Error() string { return fmt.Sprintf("%s: %v", f.code, f.err) }

func (f *fault) Unwrap() error { return f.err }

// outage says that the fault is the server's, whatever it is asked.
func (f *fault) outage() bool {
	switch f.code {
	case codeUnavailable, codeTimeout, codeRateLimited, codeUnauthorized:
		return true
	}
	return false
}

// sum stands for a request.
type sum [sha256.Size]byte

// spent holds the requests of one extraction that had an answer: why it led to nothing, or
// the answer. The same request is not made again.
type spent struct {
	faults  map[sum]*fault
	answers map[sum]answer
}

func newSpent() spent { return spent{map[sum]*fault{}, map[sum]answer{}} }

type client struct {
	config   Config
	endpoint string
	http     *http.Client
	circuit  *gobreaker.CircuitBreaker[answer]
	manners  manners
	window   window
	metrics  *metrics

	drought drought

	mu sync.Mutex
	// until is when the server may be asked again, rest why not before; rest stays until a
	// call goes well.
	until time.Time
	rest  *fault
	// opened is when the circuit was last found to be open.
	opened time.Time
}

func newClient(config Config) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	var c *client
	c = &client{
		config:   config,
		endpoint: strings.TrimRight(config.URL, "/") + "/chat/completions",
		http: &http.Client{
			Transport: transport,
			// A redirected POST would lose its body or carry the messages elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		manners: manners{again: config.Reprobe},
		window:  window{configured: config.Context, again: config.Reprobe, scale: firstScale},
		metrics: newMetrics(config),
		circuit: gobreaker.NewCircuitBreaker[answer](gobreaker.Settings{
			Name:    "llm",
			Timeout: config.Pause,
			// One batch that meets an outage in all its tries is enough.
			ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tries },
			IsSuccessful: func(err error) bool {
				var f *fault
				return err == nil || errors.As(err, &f) && !f.outage()
			},
			IsExcluded:    func(err error) bool { return errors.Is(err, context.Canceled) },
			OnStateChange: func(_ string, _, to gobreaker.State) { c.changed(to) },
		}),
	}
	c.metrics.window(c.window.tokens)
	return c
}

// changed notes what the circuit has come to.
func (c *client) changed(to gobreaker.State) {
	switch to {
	case gobreaker.StateOpen:
		c.mu.Lock()
		c.opened = time.Now()
		c.mu.Unlock()
		c.config.Log.Warn().Msg("the language model is away: the rules extract until it answers")
	case gobreaker.StateClosed:
		c.config.Log.Info().Msg("the language model answers again")
	}
}

// resting gives why the server is left alone, nil if it is not.
func (c *client) resting() *fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := time.Until(c.until)
	if wait <= 0 {
		return nil
	}
	f := &fault{code: c.rest.code, wait: wait, unasked: true, resting: true, missing: c.rest.missing, err: c.rest}
	if !c.rest.outage() {
		// What others were answered is no answer to this: it can be asked later.
		f.code, f.idle = codeUnavailable, true
	}
	return f
}

// leave leaves the server alone for a while, unless it is left alone for longer.
func (c *client) leave(f *fault, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := time.Now().Add(wait); until.After(c.until) {
		c.until, c.rest = until, f
	}
}

// relieve notes that a call went well after whatever the server was left alone for.
func (c *client) relieve() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !time.Now().Before(c.until) {
		c.rest = nil
	}
}

// unwell says whether the last that was asked of the server went wrong so that it was left
// alone, or its answers are of no use, and for how long it is not asked.
func (c *client) unwell() (unwell bool, wait time.Duration) {
	state := c.circuit.State()
	c.mu.Lock()
	defer c.mu.Unlock()
	wait = time.Until(c.until)
	if state == gobreaker.StateOpen {
		wait = max(wait, time.Until(c.opened.Add(c.config.Pause)))
	}
	return state != gobreaker.StateClosed || wait > 0 || c.rest != nil, max(wait, 0)
}

// complete has the model answer, in the richest dialect that the server takes, or for
// another try in the next. An error that is not ctx's is a *fault.
func (c *client) complete(ctx context.Context, p prompt, another bool, done spent) (answer, error) {
	d := c.manners.start()
	if another {
		d, _ = d.next()
	}
	for {
		if f := c.resting(); f != nil {
			return answer{}, f
		}
		a, err := c.circuit.Execute(func() (answer, error) { return c.post(ctx, d, p, done) })
		if err == nil {
			if !another {
				c.manners.worked(d)
			}
			a.dialect = d
			return a, nil
		}
		if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
			return a, &fault{code: codeUnavailable, unasked: true, wait: c.config.Pause, err: err}
		}
		var f *fault
		if !errors.As(err, &f) {
			return a, err
		}
		switch {
		case f.unasked:
			return a, f
		case f.wait > 0 && f.outage():
			c.leave(f, f.wait)
			return a, f
		case f.code == codeTooLong:
			c.window.exceeded(f.complaint, p.tokens(), p.answer)
			return a, f
		case f.code != codeRefused:
			return a, f
		}
		if asked := p.answer; c.window.outputExceeded(f.complaint, asked) {
			p.answer = min(asked, c.window.longestAnswer())
			continue
		}
		next, ok := c.manners.after(d, f)
		if !ok {
			if d.mode == byWord && !c.manners.isProven() {
				c.leave(f, c.config.Pause) // it takes nothing that it is sent
			}
			return a, f
		}
		d = next
	}
}

// body writes a request.
func (c *client) body(d dialect, p prompt) ([]byte, error) {
	body := map[string]any{"model": c.config.Model, "messages": []map[string]string{
		{"role": "system", "content": p.system}, {"role": "user", "content": p.user},
	}}
	if !d.noTemperature {
		body["temperature"] = 0
	}
	if d.newTokens {
		body["max_completion_tokens"] = p.answer
	} else {
		body["max_tokens"] = p.answer
	}
	switch d.mode {
	case bySchema:
		body["response_format"] = responseFormat
	case byTool:
		body["tools"] = tools
		if !d.freeTool {
			body["tool_choice"] = toolChoice
		}
	}
	return json.Marshal(body)
}

func (c *client) post(ctx context.Context, d dialect, p prompt, done spent) (answer, error) {
	raw, err := c.body(d, p)
	if err != nil {
		return answer{}, &fault{code: codeRefused, unasked: true, err: err}
	}
	request := sum(sha256.Sum256(raw))
	if f := done.faults[request]; f != nil {
		return answer{}, &fault{code: f.code, unasked: true, err: f.err}
	}
	if a, ok := done.answers[request]; ok {
		a.again = true
		return a, nil
	}
	bounded, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	start := time.Now()
	a, err := c.exchange(bounded, raw)
	a.request = request
	a.believe(p)
	var f *fault
	switch {
	case err != nil && ctx.Err() != nil:
		return answer{}, ctx.Err()
	case errors.As(err, &f) && errors.Is(err, context.DeadlineExceeded):
		f.code = codeTimeout
	}
	c.metrics.took(start)
	if f != nil {
		c.metrics.called(f.code, d.mode)
		if !f.outage() {
			done.faults[request] = f
		}
		if len(a.choices) > 0 {
			c.metrics.spent(a, p) // it was made, and paid for
		}
	} else {
		done.answers[request] = a
		c.metrics.spent(a, p)
		c.window.counted(p.tokens(), a.promptTokens)
		c.relieve()
	}
	if c.config.Observe != nil {
		c.config.Observe(outageOf(f))
	}
	return a, err
}

// outageOf gives an outage as callers know it, nil for a server that answered.
func outageOf(f *fault) error {
	if f == nil || !f.outage() {
		return nil
	}
	kind := memd.Unavailable
	if f.code == codeRateLimited {
		kind = memd.RateLimited
	}
	return &memd.Error{Kind: kind, Op: "llm.complete", Msg: "the language model does not answer", RetryAfter: f.wait, Err: f}
}

func (c *client) exchange(ctx context.Context, body []byte) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return answer{}, &fault{code: codeUnavailable, err: bare(err)}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	c.authorize(request)
	// Marks the request as safe to send again on a fresh connection if the kept one
	// turns out to be closed; an empty value is not sent.
	request.Header["X-Idempotency-Key"] = nil
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, &fault{code: codeUnavailable, err: bare(err)}
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return answer{}, &fault{code: codeUnavailable, err: err}
	}
	if response.StatusCode != http.StatusOK {
		return answer{}, refusal(response.StatusCode, response.Header, raw)
	}
	return parseCompletion(response.Header, raw)
}

func (c *client) authorize(request *http.Request) {
	if c.config.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+c.config.APIKey)
	}
}

// bare drops the address from an error: it may hold a password.
func bare(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// refusal tells the answers apart whose status is not 200.
func refusal(status int, header http.Header, raw []byte) *fault {
	f := &fault{code: codeRefused, complaint: strings.ToLower(string(raw)), err: fmt.Errorf("status %d", status)}
	switch {
	case status == http.StatusRequestEntityTooLarge,
		(status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError) &&
			exceedsContext(f.complaint):
		f.code = codeTooLong
	case status == http.StatusTooManyRequests:
		f.code, f.wait = codeRateLimited, retryAfter(header)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.code = codeUnauthorized
	case status == http.StatusNotImplemented:
	case (status == http.StatusNotFound || status == http.StatusInternalServerError) && lacksFeature(f.complaint):
	case status < 400, status >= 500, status == http.StatusRequestTimeout, status == http.StatusNotFound:
		f.code, f.wait, f.missing = codeUnavailable, retryAfter(header), status == http.StatusNotFound
	}
	return f
}

// lacksFeature says whether a server's fault is that it cannot do what it was asked
// for: some say so with a status that means something else.
func lacksFeature(complaint string) bool {
	for _, s := range []string{"response_format", "json_schema", "grammar", "tools param", "tool use", "tool call", "tool_choice", "jinja"} {
		if strings.Contains(complaint, s) {
			return true
		}
	}
	return false
}

// exceedsContext says whether a refusal is for the length of the request.
func exceedsContext(complaint string) bool {
	for _, s := range []string{"exceed_context_size", "context_length_exceeded", "context length", "context size", "context window", "too large to process", "prompt is too long", "maximum number of tokens", "input is too long", "max_model_len"} {
		if strings.Contains(complaint, s) {
			return true
		}
	}
	return false
}

// retryAfter reads how long to wait, in seconds or until a date; zero if it says nothing.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(min(s, time.Hour.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(0, time.Until(at)), time.Hour)
	}
	return 0
}
