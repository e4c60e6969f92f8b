package embed

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
	"unicode/utf8"

	"github.com/memdhq/memd"
)

const (
	// maxAnswerBytes bounds what is read of an answer: 32 texts of 4,096
	// dimensions written out in full are some 3 MB.
	maxAnswerBytes = 32 << 20
	// maxErrorBytes bounds what is read of a refusal.
	maxErrorBytes = 64 << 10
	// maxRetryAfter bounds how long a server can ask to be left alone.
	maxRetryAfter = time.Hour
	// minShortenedBytes is the length down to which a text is shortened when the
	// server refuses it: one this short is not refused for its length.
	minShortenedBytes = 1 << 10
)

// Config says where a Remote finds its model.
type Config struct {
	// URL is the base of the server's API, ending in /v1.
	URL string
	// Model is the model's name as the server knows it.
	Model string
	// Dimensions is the width that is wanted; zero takes the model's own. It is
	// sent with each request for as long as the server accepts that.
	Dimensions int
	// APIKey is sent as a bearer token, if there is one.
	APIKey string
	// Calibration is what an earlier Probe of this model measured. The zero value
	// has Probe measure it.
	Calibration Calibration

	// MaxTexts and MaxBytes bound one request; 0 means 32 texts and 128 KiB.
	MaxTexts, MaxBytes int
	// MaxTextBytes is where a text is cut off; 0 means 24 KiB, about the 8,192
	// tokens that models of this kind take. A server that still refuses a text is
	// sent ever less of it, down to 1 KiB.
	MaxTextBytes int
	// Timeout bounds each request, from the first byte sent to the last one
	// read; 0 means one minute.
	Timeout time.Duration
}

func (c Config) withDefaults() Config {
	for _, bound := range []struct {
		field    *int
		fallback int
	}{{&c.MaxTexts, 32}, {&c.MaxBytes, 128 << 10}, {&c.MaxTextBytes, 24 << 10}} {
		if *bound.field == 0 {
			*bound.field = bound.fallback
		}
	}
	if c.Timeout == 0 {
		c.Timeout = time.Minute
	}
	return c
}

func (c Config) validate() error {
	base, err := url.Parse(c.URL)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return memd.InvalidField("URL", "must be an http or https address")
	case base.RawQuery != "" || base.Fragment != "":
		return memd.InvalidField("URL", "must end in /v1, without a query")
	case c.Model == "":
		return memd.InvalidField("Model", "must not be empty")
	}
	for field, bound := range map[string]int64{
		"Dimensions": int64(c.Dimensions), "MaxTexts": int64(c.MaxTexts), "MaxBytes": int64(c.MaxBytes),
		"MaxTextBytes": int64(c.MaxTextBytes), "Timeout": int64(c.Timeout),
	} {
		if bound < 0 {
			return memd.InvalidField(field, "must not be negative")
		}
	}
	return nil
}

// Remote embeds through a server that speaks OpenAI's embeddings API. Queries
// and passages are embedded alike. It neither retries nor backs off: that is for
// the caller, who knows what waits.
//
// A Remote need not find its server at hand when it is made: until Probe has
// passed, each call begins with one.
type Remote struct {
	config   Config
	endpoint string
	client   *http.Client
	// probing is held by the call that probes; the others wait for what it finds.
	probing chan struct{}
	// model is nil until Probe has passed.
	model atomic.Pointer[Model]
	// dimensions says whether the server takes the parameter of that name.
	dimensions atomic.Int32
}

const (
	dimensionsUntried int32 = iota
	dimensionsTaken
	dimensionsRefused
)

// NewRemote makes a Remote without calling the server. The error is Invalid and
// names the field of config that is wrong.
func NewRemote(config Config) (*Remote, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	return &Remote{
		config:   config,
		endpoint: strings.TrimRight(config.URL, "/") + "/embeddings",
		client: &http.Client{
			Transport: transport,
			// A redirected POST would lose its body or carry the texts elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		probing: make(chan struct{}, 1),
	}, nil
}

// Close lets go of the connections that are idle.
func (r *Remote) Close() { r.client.CloseIdleConnections() }

// Model says what Probe found. Before, Dimensions is the configured width, and
// Name is empty if there is none: without the width the vectors are not known.
//
// The name is the model's and its width, not the server's: the same model may
// move. Whoever puts another model behind the same name has to rename it.
func (r *Remote) Model() Model {
	if m := r.model.Load(); m != nil {
		return *m
	}
	if r.config.Dimensions == 0 {
		return Model{}
	}
	return r.modelOf(r.config.Dimensions, r.config.Calibration)
}

func (r *Remote) modelOf(dimensions int, calibration Calibration) Model {
	return Model{
		Name:        fmt.Sprintf("%s/%d", r.config.Model, dimensions),
		Dimensions:  dimensions,
		Calibration: calibration,
	}
}

// Probe asks the server once for the width of its vectors, and calibrates. It
// does nothing once it has passed, and may be called again when it has not. A
// width other than the configured one is an Invalid error that wraps ErrWidth.
func (r *Remote) Probe(ctx context.Context) error {
	const op = "embed.probe"
	if r.model.Load() != nil {
		return nil
	}
	select {
	case r.probing <- struct{}{}:
		defer func() { <-r.probing }()
	case <-ctx.Done():
		return &memd.Error{Kind: memd.Unavailable, Op: op, Msg: "the embedding server could not be probed in time", Err: ctx.Err()}
	}
	if r.model.Load() != nil {
		return nil
	}
	model, err := r.measure(ctx, op)
	var e *memd.Error
	if errors.As(err, &e) && e.Kind == memd.Invalid && !errors.Is(err, ErrWidth) {
		// Nothing is wrong with the texts of a probe, so nothing is known to be
		// wrong with those that wait behind it.
		return &memd.Error{Kind: memd.Unavailable, Op: op, Msg: "the embedding server refuses a plain text: check model and address", Err: e.Err}
	}
	if err != nil {
		return err
	}
	r.model.Store(&model)
	return nil
}

func (r *Remote) measure(ctx context.Context, op string) (Model, error) {
	questions := calibrationQuestions()
	first, err := r.request(ctx, op, questions[:1])
	if err != nil {
		return Model{}, err
	}
	width := len(first[0])
	if want := r.config.Dimensions; want != 0 && width != want {
		return Model{}, widthError(op, width, want)
	}
	calibration := r.config.Calibration
	if calibration == (Calibration{}) {
		vectors, err := r.embed(ctx, op, append(questions, calibrationAnswers()...), width)
		if err != nil {
			return Model{}, err
		}
		calibration = calibrationOf(vectors[:len(questions)], vectors[len(questions):])
	}
	return r.modelOf(width, calibration), nil
}

// EmbedPassages is Embedder's.
func (r *Remote) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	const op = "embed.passages"
	if len(texts) == 0 {
		return nil, nil
	}
	for i, text := range texts {
		if err := CheckText(textField(i), text); err != nil {
			return nil, err
		}
	}
	if err := r.Probe(ctx); err != nil {
		return nil, err
	}
	return r.embed(ctx, op, texts, r.model.Load().Dimensions)
}

// EmbedQuery is Embedder's.
func (r *Remote) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	const op = "embed.query"
	if err := CheckText("text", text); err != nil {
		return nil, err
	}
	if err := r.Probe(ctx); err != nil {
		return nil, err
	}
	vectors, err := r.embed(ctx, op, []string{text}, r.model.Load().Dimensions)
	if err != nil {
		var e *memd.Error
		if errors.As(err, &e) && e.Field != "" {
			e.Field = "text"
		}
		return nil, err
	}
	return vectors[0], nil
}

func textField(i int) string { return fmt.Sprintf("texts[%d]", i) }

// embed gives normalised vectors of width dimensions, in as few requests as the
// bounds allow.
func (r *Remote) embed(ctx context.Context, op string, texts []string, dimensions int) ([][]float32, error) {
	cut := make([]string, len(texts))
	for i, text := range texts {
		// Some servers end a text at its first NUL.
		text = strings.ReplaceAll(text, "\x00", " ")
		cut[i] = truncate(text, r.config.MaxTextBytes)
	}
	vectors := make([][]float32, 0, len(texts))
	for start, end := 0, 0; start < len(cut); start = end {
		for size := 0; end < len(cut) && end-start < r.config.MaxTexts; end++ {
			if size += len(cut[end]); size > r.config.MaxBytes && end > start {
				break
			}
		}
		var err error
		if vectors, err = r.appendBatch(ctx, op, vectors, cut[start:end], dimensions); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// appendBatch appends the vectors of one batch. A batch that the server refuses,
// or answers with the wrong number of vectors, is tried again in halves: either
// it was too much at once, or one text of it is at fault, and then the error names
// that one. A single text that is refused is tried again shortened, because
// length is what servers mostly refuse.
func (r *Remote) appendBatch(ctx context.Context, op string, vectors [][]float32, texts []string, dimensions int) ([][]float32, error) {
	at := len(vectors)
	batch, err := r.request(ctx, op, texts)
	for len(texts) == 1 && memd.KindOf(err) == memd.Invalid && len(texts[0]) > minShortenedBytes {
		texts = []string{truncate(texts[0], max(len(texts[0])/2, minShortenedBytes))}
		batch, err = r.request(ctx, op, texts)
	}
	if err != nil {
		if len(texts) > 1 && (memd.KindOf(err) == memd.Invalid || errors.Is(err, errCount)) {
			half := len(texts) / 2
			vectors, err = r.appendBatch(ctx, op, vectors, texts[:half], dimensions)
			if err != nil {
				return nil, err
			}
			return r.appendBatch(ctx, op, vectors, texts[half:], dimensions)
		}
		var e *memd.Error
		if errors.As(err, &e) && e.Kind == memd.Invalid {
			e.Field = textField(at)
		}
		return nil, err
	}
	for i, v := range batch {
		if len(v) != dimensions {
			return nil, widthError(op, len(v), dimensions)
		}
		if !Normalize(v) {
			return nil, &memd.Error{
				Kind: memd.Invalid, Op: op, Field: textField(at + i),
				Msg: "the embedding model gives no usable vector for this text",
			}
		}
	}
	return append(vectors, batch...), nil
}

// request has texts embedded, one vector a text, as the server gives them. A
// server that refuses the width is asked once more without: what it then gives is
// compared with what was wanted.
func (r *Remote) request(ctx context.Context, op string, texts []string) ([][]float32, error) {
	sent := r.config.Dimensions
	if r.dimensions.Load() == dimensionsRefused {
		sent = 0
	}
	vectors, err := r.post(ctx, op, texts, sent)
	if sent == 0 || r.dimensions.Load() != dimensionsUntried {
		return vectors, err
	}
	switch memd.KindOf(err) {
	case memd.Invalid:
		if plain, errPlain := r.post(ctx, op, texts, 0); errPlain == nil {
			r.dimensions.Store(dimensionsRefused)
			return plain, nil
		}
	default:
		if err == nil {
			r.dimensions.Store(dimensionsTaken)
		}
	}
	return vectors, err
}

func (r *Remote) post(ctx context.Context, op string, texts []string, dimensions int) ([][]float32, error) {
	body, err := json.Marshal(struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{r.config.Model, texts, dimensions})
	if err != nil {
		return nil, &memd.Error{Kind: memd.Internal, Op: op, Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, &memd.Error{Kind: memd.Internal, Op: op, Err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if r.config.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+r.config.APIKey)
	}
	// Marks the request as safe to send again on a fresh connection if the kept
	// one turns out to be closed; an empty value is not sent.
	request.Header["X-Idempotency-Key"] = nil

	response, err := r.client.Do(request)
	if err != nil {
		return nil, unreachable(op, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, refusal(op, response)
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	switch {
	case err != nil:
		return nil, unreachable(op, err)
	case len(raw) > maxAnswerBytes:
		return nil, absurd(op, fmt.Errorf("more than %d bytes", maxAnswerBytes))
	}
	return parseAnswer(op, raw, len(texts))
}

// errCount marks answers that do not have one vector for each text.
var errCount = errors.New("not one vector for each text")

func parseAnswer(op string, raw []byte, texts int) ([][]float32, error) {
	var answer struct {
		Data []struct {
			Index     *int   `json:"index"`
			Embedding vector `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		// A JSON error may quote what it stumbled over; its type says enough.
		return nil, absurd(op, fmt.Errorf("%T", err))
	}
	if len(answer.Data) != texts {
		return nil, absurd(op, errCount)
	}
	vectors := make([][]float32, texts)
	for i, item := range answer.Data {
		if item.Index != nil {
			i = *item.Index
		}
		if i < 0 || i >= texts || vectors[i] != nil || len(item.Embedding) == 0 {
			return nil, absurd(op, errCount)
		}
		vectors[i] = item.Embedding
	}
	return vectors, nil
}

// unreachable is the error of a request that got no whole answer.
func unreachable(op string, err error) error {
	// url.Error repeats the address, which may hold a password.
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	msg := "the embedding server cannot be reached"
	if errors.Is(err, context.DeadlineExceeded) {
		msg = "the embedding server does not answer in time"
	}
	return &memd.Error{Kind: memd.Unavailable, Op: op, Msg: msg, Err: err}
}

// absurd is the error of an answer that says 200 and is none.
func absurd(op string, err error) error {
	return &memd.Error{Kind: memd.Unavailable, Op: op, Msg: "the embedding server's answer cannot be read", Err: err}
}

// refusal is the error of an answer whose status is not 200. Only statuses that
// speak of the input are Invalid: a wrong key or address is put right by the
// operator, and the texts can wait for that.
func refusal(op string, response *http.Response) error {
	code, tooLarge := refusalCode(response.Body)
	e := &memd.Error{
		Kind: memd.Unavailable, Op: op,
		Msg: "the embedding server fails",
		Err: fmt.Errorf("status %d%s", response.StatusCode, code),
	}
	switch status := response.StatusCode; {
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge,
		status == http.StatusUnprocessableEntity, status == http.StatusInternalServerError && tooLarge:
		e.Kind, e.Msg = memd.Invalid, "the embedding server refuses the text"
	case status == http.StatusTooManyRequests:
		e.Kind, e.Msg = memd.RateLimited, "the embedding server asks to wait"
		e.RetryAfter = retryAfter(response.Header)
	case status >= 500:
		e.RetryAfter = retryAfter(response.Header)
	default:
		e.Msg = "the embedding server refuses the request: check address, model and key"
	}
	return e
}

// refusalCode reads the code of an OpenAI error object, for logs, and whether it
// complains of the input's length, which some servers do with status 500. The
// message itself is not kept: it may quote the input.
func refusalCode(body io.Reader) (code string, tooLarge bool) {
	raw, err := io.ReadAll(io.LimitReader(body, maxErrorBytes))
	if err != nil {
		return "", false
	}
	var refusal struct {
		Error struct {
			Message string `json:"message"`
			Code    any    `json:"code"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(raw, &refusal) != nil {
		return "", false
	}
	for _, s := range []string{refusal.Error.Type, fmt.Sprint(refusal.Error.Code)} {
		if isIdentifier(s) {
			code += " " + s
		}
	}
	return code, strings.Contains(refusal.Error.Message, "too large to process")
}

func isIdentifier(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-.", r))
	})
}

// retryAfter reads Retry-After, which is seconds or a date, and its cousin in
// milliseconds; zero if neither says anything.
func retryAfter(header http.Header) time.Duration {
	var wait time.Duration
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		wait = scale(ms, time.Millisecond)
	} else if s, err := strconv.ParseFloat(header.Get("Retry-After"), 64); err == nil {
		wait = scale(s, time.Second)
	} else if at, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		wait = min(time.Until(at), maxRetryAfter)
	}
	return max(wait, 0)
}

// scale gives n units, between nothing and maxRetryAfter.
func scale(n float64, unit time.Duration) time.Duration {
	if !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(maxRetryAfter)))
}

// truncate cuts text to at most limit bytes without splitting a character.
func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
