package llm

import (
	"bytes"
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

	"github.com/memdhq/memd"
	"github.com/rs/zerolog"
	"github.com/sony/gobreaker/v2"
)

// maxAnswerBytes bounds what is read of an answer.
const maxAnswerBytes = 4 << 20

// code is why there is no usable answer, as Extraction.Extractor shows it.
type code string

const (
	codeUnavailable  code = "unavailable"    // no whole answer, a 5xx, or a 404: no such model or address
	codeTimeout      code = "timeout"        // no answer within Config.Timeout or Config.Budget
	codeRateLimited  code = "rate_limited"   // 429
	codeUnauthorized code = "unauthorized"   // 401, 403: for the operator to put right
	codeRefused      code = "refused"        // another 4xx
	codeTooLong      code = "too_long"       // more than the model takes, or more to answer than it may
	codeInvalid      code = "invalid_answer" // no JSON, JSON of another shape, or nothing in it that is so
	codeUnsupported  code = "unsupported"    // statements that their text does not bear out
)

// fault is a call that failed.
type fault struct {
	code code
	// complaint is what a refusal says, in lower case. It may quote the messages: it
	// is searched, never shown.
	complaint string
	// wait is how long the server asks to be left alone.
	wait time.Duration
	// unasked says that the server was not called, because it is known to be away.
	unasked bool
	err     error
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

// dialect is what of the API a server takes; the zero value is all of it.
type dialect struct {
	plain         bool // no response_format
	noTemperature bool
	newTokens     bool // max_completion_tokens for max_tokens
}

// without gives the next dialect to try on a server that refuses this one.
func (d dialect) without(f *fault) (dialect, bool) {
	switch {
	case f.code != codeRefused:
		return d, false
	case !d.noTemperature && strings.Contains(f.complaint, "temperature"):
		d.noTemperature = true
	case !d.newTokens && strings.Contains(f.complaint, "max_completion_tokens"):
		d.newTokens = true
	case !d.plain:
		d.plain = true
	default:
		return d, false
	}
	return d, true
}

// answer is what a model said.
type answer struct {
	content string
	// cut says that the model was stopped at its limit of tokens.
	cut bool
	// promptTokens is how many tokens the server says it was given, 0 if it does not.
	promptTokens int
}

type client struct {
	config   Config
	endpoint string
	http     *http.Client
	circuit  *gobreaker.CircuitBreaker[answer]
	// dialect is the one that worked last.
	dialect atomic.Pointer[dialect]
}

func newClient(config Config) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	c := &client{
		config:   config,
		endpoint: strings.TrimRight(config.URL, "/") + "/chat/completions",
		http: &http.Client{
			Transport: transport,
			// A redirected POST would lose its body or carry the messages elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		circuit: gobreaker.NewCircuitBreaker[answer](gobreaker.Settings{
			Name:    "llm",
			Timeout: config.Pause,
			// Two, so that one batch that meets an outage in both its tries is enough.
			ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= 2 },
			IsSuccessful: func(err error) bool {
				var f *fault
				return err == nil || errors.As(err, &f) && !f.outage()
			},
			IsExcluded:    func(err error) bool { return errors.Is(err, context.Canceled) },
			OnStateChange: func(_ string, _, to gobreaker.State) { reportState(config.Log, to) },
		}),
	}
	c.dialect.Store(&dialect{})
	return c
}

func reportState(log zerolog.Logger, to gobreaker.State) {
	switch to {
	case gobreaker.StateOpen:
		log.Warn().Msg("the language model is away: the rules extract until it answers")
	case gobreaker.StateClosed:
		log.Info().Msg("the language model answers again")
	}
}

// complete has the model answer, in the richest dialect that the server takes. An
// error that is not ctx's is a *fault.
func (c *client) complete(ctx context.Context, p prompt) (answer, error) {
	d := *c.dialect.Load()
	for {
		a, err := c.circuit.Execute(func() (answer, error) { return c.post(ctx, d, p) })
		if err == nil {
			c.dialect.Store(&d)
			return a, nil
		}
		if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
			return a, &fault{code: codeUnavailable, unasked: true, err: err}
		}
		var f *fault
		if !errors.As(err, &f) {
			return a, err
		}
		next, ok := d.without(f)
		if !ok {
			return a, f
		}
		d = next
	}
}

func (c *client) post(ctx context.Context, d dialect, p prompt) (answer, error) {
	body := map[string]any{"model": c.config.Model, "messages": []map[string]string{
		{"role": "system", "content": p.system}, {"role": "user", "content": p.user},
	}}
	if !d.noTemperature {
		body["temperature"] = 0
	}
	if d.newTokens {
		body["max_completion_tokens"] = c.config.MaxTokens
	} else {
		body["max_tokens"] = c.config.MaxTokens
	}
	if !d.plain {
		body["response_format"] = responseFormat
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return answer{}, &fault{code: codeRefused, err: err}
	}
	bounded, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	a, err := c.exchange(bounded, raw)
	var f *fault
	switch {
	case err != nil && ctx.Err() != nil:
		return answer{}, ctx.Err()
	case errors.As(err, &f) && errors.Is(err, context.DeadlineExceeded):
		f.code = codeTimeout
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
	if c.config.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+c.config.APIKey)
	}
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
		return answer{}, refusal(response, raw)
	}
	return parseCompletion(raw)
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
func refusal(response *http.Response, raw []byte) *fault {
	status := response.StatusCode
	f := &fault{code: codeRefused, complaint: strings.ToLower(string(raw)), err: fmt.Errorf("status %d", status)}
	switch {
	case status == http.StatusRequestEntityTooLarge,
		(status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError) &&
			exceedsContext(f.complaint):
		f.code = codeTooLong
	case status == http.StatusTooManyRequests:
		f.code, f.wait = codeRateLimited, retryAfter(response.Header)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.code = codeUnauthorized
	case status < 400, status >= 500, status == http.StatusRequestTimeout, status == http.StatusNotFound && !strings.Contains(f.complaint, "response_format"):
		f.code, f.wait = codeUnavailable, retryAfter(response.Header)
	}
	return f
}

// exceedsContext says whether a refusal is for the length of the request.
func exceedsContext(complaint string) bool {
	for _, s := range []string{"exceed_context_size", "context_length_exceeded", "context length", "context size", "context window", "too large to process", "prompt is too long", "maximum number of tokens"} {
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
		return max(0, time.Until(at))
	}
	return 0
}

// parseCompletion reads the body of an answer. What is no completion at all is an
// invalid answer like any other: a second try may do better.
func parseCompletion(raw []byte) (answer, error) {
	var body struct {
		Choices []struct {
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
			FinishReason string `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			PromptTokens int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(raw, &body) != nil || len(body.Choices) == 0 {
		return answer{}, &fault{code: codeInvalid, err: errors.New("no completion")}
	}
	first := body.Choices[0]
	content := memd.TextOf(json.RawMessage(`{"content":` + orNull(first.Message.Content) + `}`))
	return answer{content: content, cut: first.FinishReason == "length", promptTokens: body.Usage.PromptTokens}, nil
}

func orNull(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "null"
	}
	return string(raw)
}
