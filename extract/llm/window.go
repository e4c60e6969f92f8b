package llm

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// defaultWindow is what a model takes, in tokens, if nothing says so.
	defaultWindow = 8192
	// minWindow and maxWindow bound what a server is believed.
	minWindow, maxWindow = 256, 16 << 20
	// leastGuess is the least window that is guessed from refusals which do not tell.
	leastGuess = 2048
	// frame is what servers put around and beside the messages: roles, the schema.
	frame = 200
	// minInput is the least text of a call that is worth it.
	minInput = 60
	// lookTime bounds a question to the server for its window.
	lookTime = 3 * time.Second
	// lookAgain is after how long a server is asked again that gave no answer.
	lookAgain = time.Minute
	// firstScale is how many of the model's tokens one of ours is taken for, until the
	// server has counted some.
	firstScale, maxScale = 1.2, 4
)

// limits are how many tokens of each part one call takes.
type limits struct {
	// input and before are for the new messages and those before them, in our tokens.
	input, before int
	// answer is for the answer, in the model's.
	answer int
}

// window is how much the model takes at once, and how that is known.
type window struct {
	configured int
	again      time.Duration

	mu sync.Mutex
	// size is what the server said, or what a refusal taught; 0 if nothing did.
	size int
	// output is the longest answer that the server allows; 0 if it does not say.
	output int
	scale  float64
	// looking is not nil while the server is asked; it is closed when that is done.
	looking chan struct{}
	next    time.Time
}

func (w *window) tokens() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current()
}

func (w *window) current() int {
	switch {
	case w.size > 0 && (w.configured == 0 || w.size < w.configured):
		return w.size
	case w.configured > 0:
		return w.configured
	}
	return defaultWindow
}

// limits gives how much one call takes beside instructions of so many tokens, and at
// most; ok is false if nothing has room.
func (w *window) limits(instructions, maxInput, maxAnswer int) (l limits, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := w.current()
	l.answer = min(maxAnswer, size/3)
	if w.output > 0 {
		l.answer = min(l.answer, w.output)
	}
	free := int(float64(size-l.answer-frame)/w.scale) - instructions
	l.input = min(maxInput, free*4/5, l.answer) // what there is to say of a text is about as long
	l.before = l.input / 4
	return l, l.input >= minInput
}

// counted learns from how many tokens the server counted where we counted ours.
func (w *window) counted(ours, server int) {
	if ours < 100 || server <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	measured := min(float64(server-frame)/float64(ours), maxScale)
	w.scale = max(1, measured, w.scale-0.01)
}

// exceeded learns from a refusal of so many of our tokens of input, and an answer.
func (w *window) exceeded(complaint string, input, answer int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := int(float64(input)*w.scale) + answer
	said := sizeIn(complaint)
	switch {
	case said > 0 && said < w.current():
		w.size = said
	case said >= asked:
		// What was sent is more than it was taken for.
		w.scale = min(w.scale*1.25, maxScale)
	case said == 0:
		w.size = min(w.current(), max(leastGuess, asked*3/4))
	}
}

// sizes find the window in a refusal.
var sizes = []*regexp.Regexp{
	regexp.MustCompile(`"n_ctx"\s*:\s*(\d+)`),
	regexp.MustCompile(`(?:context (?:length|size|window)|max_model_len)\D{0,30}?(\d{3,})`),
	regexp.MustCompile(`tokens? > (\d{3,}) maximum`),
	regexp.MustCompile(`maximum number of tokens\D{0,30}?(\d{3,})`),
}

func sizeIn(complaint string) int {
	for _, size := range sizes {
		if m := size.FindStringSubmatch(complaint); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && n >= minWindow && n <= maxWindow {
				return n
			}
		}
	}
	return 0
}

// longest finds the longest answer that a server allows in its refusal of a longer one.
var longest = regexp.MustCompile(`(?:max_tokens|max_completion_tokens|completion tokens|output tokens).{0,80}?(?:at most|maximum(?: (?:value|allowed)[a-z ]*)?(?: is| of)?|less than or equal to|<=?|>)\D{0,12}(\d{2,})`)

// outputExceeded learns the longest answer from a refusal, if that is what it is about,
// and says whether it did.
func (w *window) outputExceeded(complaint string, asked int) bool {
	m := longest.FindStringSubmatch(complaint)
	if m == nil {
		return false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n >= asked || n < 16 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.output = n
	return true
}

func (w *window) longestAnswer() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.output
}

// look asks the server for the window if that is not known: one caller does, others
// wait. Whatever goes wrong, the window stays as it was.
func (c *client) look(ctx context.Context) {
	w := &c.window
	w.mu.Lock()
	if w.configured > 0 || time.Now().Before(w.next) || c.resting() != nil {
		w.mu.Unlock()
		return
	}
	if w.looking != nil {
		done := w.looking
		w.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
		}
		return
	}
	done := make(chan struct{})
	w.looking = done
	w.mu.Unlock()

	said, answered := c.askWindow(ctx)

	w.mu.Lock()
	defer w.mu.Unlock()
	w.looking = nil
	close(done)
	w.next = time.Now().Add(lookAgain)
	if answered {
		// What a refusal taught counts until now.
		w.size, w.output, w.next = said.size, said.output, time.Now().Add(w.again)
	}
}

// said is what a server tells of a model.
type said struct{ size, output int }

// askWindow asks the list of models, and the properties that some servers give beside
// it. answered is false if the server did not answer at all.
func (c *client) askWindow(ctx context.Context) (s said, answered bool) {
	var models struct {
		Data []json.RawMessage `json:"data"`
	}
	base := strings.TrimRight(c.config.URL, "/")
	answered = c.get(ctx, base+"/models", &models)
	if !answered {
		return s, false
	}
	for _, raw := range models.Data {
		var named struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &named) == nil && (named.ID == c.config.Model || len(models.Data) == 1) {
			if s = saidOf(raw); s.size > 0 {
				return s, true
			}
		}
	}
	var props struct {
		Settings struct {
			Window json.Number `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if root, ok := strings.CutSuffix(base, "/v1"); ok && c.get(ctx, root+"/props", &props) {
		s.size = plausibleSize(props.Settings.Window)
	}
	return s, true
}

// saidOf reads an entry of the list of models, whose servers name the window as they
// please. What a model was trained for is not what its server gives it.
func saidOf(raw []byte) said {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return said{}
	}
	first := func(names ...string) int {
		for _, name := range names {
			var n json.Number
			if json.Unmarshal(m[name], &n) == nil && plausibleSize(n) > 0 {
				return plausibleSize(n)
			}
		}
		return 0
	}
	return said{
		size:   first("loaded_context_length", "max_model_len", "n_ctx", "context_length", "context_window", "max_context_length"),
		output: first("max_completion_tokens", "max_output_tokens"),
	}
}

func plausibleSize(n json.Number) int {
	size, err := strconv.Atoi(n.String())
	if err != nil || size < minWindow || size > maxWindow {
		return 0
	}
	return size
}

// get reads a JSON answer into out and says whether the server answered, if only to
// say that it has no such thing.
func (c *client) get(ctx context.Context, address string, out any) bool {
	ctx, cancel := context.WithTimeout(ctx, min(lookTime, c.config.Timeout))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false
	}
	c.authorize(request)
	response, err := c.http.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil || response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests {
		return false
	}
	if response.StatusCode == http.StatusOK {
		_ = json.Unmarshal(raw, out) // what is unreadable says nothing
	}
	return true
}
