package llm

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/rs/zerolog"
)

// Version is the first part of what an Extractor calls itself in an Extraction. It is
// raised when the same answer of a model would give other candidates.
const Version = "llm/1"

const (
	// tries is how often a model is asked for the same passages.
	tries = 2
	// maxCalls is how often a model is asked in one Extract.
	maxCalls = 64
	// maxTimeouts is how many calls of one Extract may run out of time.
	maxTimeouts = 2
	// maxWait is the longest wait that a server may ask for and get.
	maxWait = 5 * time.Second
	// retryPause is the wait before the second try where the server asks for none.
	retryPause = 250 * time.Millisecond
	// smallest is the length in characters below which a text is not split.
	smallest = 400
)

// Config says where the model is. URL and Model are needed.
type Config struct {
	// URL is the base of the server's API, ending in /v1.
	URL string
	// Model is the model's name as the server knows it.
	Model string
	// APIKey is sent as a bearer token, if there is one.
	APIKey string
	// Timeout bounds one call; 0 means 30 s.
	Timeout time.Duration
	// Budget bounds all calls of one Extract; 0 means 2 min. If the context of Extract
	// has a deadline, three quarters of the time left are the bound if that is less.
	Budget time.Duration
	// Pause is how long a server is left alone that failed twice in a row; 0 means 30 s.
	Pause time.Duration
	// MaxInputTokens is about how much text one call takes, beside instructions; 0
	// means 2,000. MaxTokens is the longest answer; 0 means 2,048. With the
	// instructions, less than 500 and what a caller's own take, they have to fit the
	// model's window.
	MaxInputTokens, MaxTokens int
	// Observe, if set, is called after each call of the server: with nil if it
	// answered, whatever it said, and with what kept it from answering if not. It is
	// called by several goroutines at once.
	Observe func(error)
	Log     zerolog.Logger
}

// Extractor extracts with a language model, and with rules where the model fails. It
// may be used by many goroutines at once.
type Extractor struct {
	config Config
	client *client
	rules  *extract.Rules
}

// New makes an Extractor without calling the server.
func New(config Config, rules *extract.Rules) *Extractor {
	config.Timeout = cmp.Or(config.Timeout, 30*time.Second)
	config.Budget = cmp.Or(config.Budget, 2*time.Minute)
	config.Pause = cmp.Or(config.Pause, 30*time.Second)
	config.MaxInputTokens = cmp.Or(config.MaxInputTokens, 2000)
	config.MaxTokens = cmp.Or(config.MaxTokens, 2048)
	return &Extractor{config: config, client: newClient(config), rules: rules}
}

// Close lets go of the connections that are idle.
func (x *Extractor) Close() { x.client.http.CloseIdleConnections() }

// Extract gives the facts of in.Messages. A model that is away or answers absurdly is
// no error: the rules' result is given, see the package's comment. The only error is
// Unavailable, when ctx ends.
func (x *Extractor) Extract(ctx context.Context, in extract.Input) (memd.Extraction, error) {
	within, cancel := context.WithTimeout(ctx, x.budget(ctx))
	defer cancel()
	r := &run{Extractor: x, ctx: ctx, within: within, evidence: map[string]*evidence{}}
	r.hear(in)
	for _, ps := range r.batches() {
		if err := r.learn(ps); err != nil {
			return memd.Extraction{}, err
		}
	}
	result := r.result(in)
	if ctx.Err() != nil {
		return memd.Extraction{}, ended(ctx)
	}
	return result, nil
}

// budget is how long the model may take, so that the rules still have time.
func (x *Extractor) budget(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(x.config.Budget, time.Until(deadline)*3/4)
	}
	return x.config.Budget
}

func ended(ctx context.Context) error {
	return &memd.Error{Kind: memd.Unavailable, Op: "llm.extract", Msg: "extraction was ended", Err: ctx.Err()}
}

// utterance is a message that counts: before the new ones or one of them.
type utterance struct {
	message *memd.Message
	// text is the message's, cleaned.
	text string
	// preceding are all messages before it.
	preceding []memd.Message
	isNew     bool
}

// passage is an utterance, or a part of one that is too long for one call.
type passage struct {
	at   int // in run.said
	from int // in the utterance's text
	text string
}

// run is one call of Extract.
type run struct {
	*Extractor
	// ctx is the caller's; within ends with the budget too.
	ctx, within context.Context
	said        []utterance
	evidence    map[string]*evidence

	candidates []memd.Candidate
	calls      int
	timeouts   int
	// answered says that the model gave a usable answer, if only once.
	answered bool
	// down is why the model is not asked any more, "" while it is.
	down code
	// ruled are the reasons why rules took over, each once.
	ruled []code
}

// hear takes in the messages that are ever learned from and say something.
func (r *run) hear(in extract.Input) {
	all := slices.Concat(in.Before, in.Messages)
	for i := range all {
		if r.ctx.Err() != nil {
			return
		}
		if text := strings.TrimSpace(extract.Clean(all[i].Text)); all[i].Role.Learnable() && text != "" {
			r.said = append(r.said, utterance{message: &all[i], text: text, preceding: all[:i], isNew: i >= len(in.Before)})
		}
	}
}

// batches gives the new messages in order, as many at a time as one call takes, those
// that are to be read for something else apart.
func (r *run) batches() [][]passage {
	var out [][]passage
	room := 0
	var add func(p passage)
	add = func(p passage) {
		size := tokens(p.text) + 25 // what is around it
		if size > r.config.MaxInputTokens {
			if halves, ok := split([]passage{p}); ok {
				add(halves[0][0])
				add(halves[1][0])
				return
			}
		}
		room -= size
		if room < 0 || len(out) == 0 || task(r.said[p.at].message) != task(r.said[out[len(out)-1][0].at].message) {
			out, room = append(out, nil), r.config.MaxInputTokens-size
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	for i, u := range r.said {
		if u.isNew {
			add(passage{at: i, text: u.text})
		}
	}
	return out
}

// split halves passages, a single one at the end of a sentence near its middle; ok is
// false if it is too short for that.
func split(ps []passage) (halves [2][]passage, ok bool) {
	if n := len(ps) / 2; n > 0 {
		return [2][]passage{ps[:n], ps[n:]}, true
	}
	p := ps[0]
	if utf8.RuneCountInString(p.text) < smallest {
		return halves, false
	}
	cut := middle(p.text)
	first, second := p, p
	first.text = p.text[:cut]
	second.from, second.text = p.from+cut, p.text[cut:]
	return [2][]passage{{first}, {second}}, true
}

// middle gives the best place to cut a long text: within its middle half after a line,
// else after a sentence, else after a word, else anywhere; of its kind the nearest to
// the middle.
func middle(text string) int {
	best, rank := len(text)/2, 0
	for best > 0 && !utf8.RuneStart(text[best]) {
		best--
	}
	previous := ' '
	for i, c := range text {
		if i > len(text)/4 && i < len(text)*3/4 {
			kind := 0
			switch {
			case previous == '\n':
				kind = 3
			case strings.ContainsRune("。！？", previous), c == ' ' && strings.ContainsRune(".!?", previous):
				kind = 2
			case previous == ' ':
				kind = 1
			}
			if kind > rank || kind == rank && kind > 0 && distance(i, len(text)/2) < distance(best, len(text)/2) {
				best, rank = i, kind
			}
		}
		previous = c
	}
	return best
}

func distance(a, b int) int { return max(a-b, b-a) }

// learn has the model extract from passages, in parts if they are too much at once,
// and the rules where it fails.
func (r *run) learn(ps []passage) error {
	candidates, why := r.ask(ps)
	switch {
	case r.ctx.Err() != nil:
		return ended(r.ctx)
	case why == "":
		r.candidates = append(r.candidates, candidates...)
		return nil
	case r.down == "" && (why == codeTooLong || why == codeTimeout):
		if halves, ok := split(ps); ok {
			if err := r.learn(halves[0]); err != nil {
				return err
			}
			return r.learn(halves[1])
		}
	}
	r.rule(why)
	for _, p := range ps {
		r.candidates = append(r.candidates, r.byRules(p)...)
	}
	return nil
}

// rule notes that rules took over.
func (r *run) rule(why code) {
	if !slices.Contains(r.ruled, why) {
		r.ruled = append(r.ruled, why)
	}
}

// byRules gives what a passage states by the rules.
func (r *run) byRules(p passage) []memd.Candidate {
	u := r.said[p.at]
	m := *u.message
	m.Text = p.text
	in := extract.Input{Messages: []memd.Message{m}}
	if p.from == 0 {
		in.Before = u.preceding
	}
	return r.applyRules(in)
}

func (r *run) applyRules(in extract.Input) []memd.Candidate {
	e, _ := r.rules.Extract(r.ctx, in) // its only error is its context's, which ends this one too
	return e.Candidates
}

// ask has the model extract from passages and gives what it did, or why it did not.
// What was wrong with an answer is told to the model in the next try, so that no
// request is made twice unless the first did not arrive.
func (r *run) ask(ps []passage) ([]memd.Candidate, code) {
	complaint := ""
	for try := 1; ; try++ {
		if r.down == "" && (r.calls >= maxCalls || r.within.Err() != nil) {
			r.down = codeTimeout
		}
		if r.down != "" {
			return nil, r.down
		}
		r.calls++
		p := r.promptFor(ps, complaint)
		a, err := r.client.complete(r.within, p)
		var candidates []memd.Candidate
		if err == nil {
			candidates, err = r.read(a, p, ps)
		}
		if err == nil {
			r.answered = true
			return candidates, ""
		}
		var f *fault
		if !errors.As(err, &f) {
			f = &fault{code: codeTimeout, err: err} // the budget is spent, or ctx has ended
		}
		switch f.code {
		case codeInvalid:
			complaint = f.err.Error()
		case codeTooLong, codeRefused:
			return nil, f.code
		case codeTimeout:
			if r.timeouts++; r.timeouts >= maxTimeouts || r.within.Err() != nil {
				r.down = f.code
			}
			return nil, f.code
		case codeUnavailable, codeRateLimited:
			wait := cmp.Or(f.wait, retryPause)
			if f.unasked {
				r.calls--
			}
			if f.unasked || try == tries || wait > maxWait || !sleep(r.within, wait) {
				r.down = f.code
			}
		default:
			r.down = f.code
		}
		if r.down != "" || try == tries {
			return nil, f.code
		}
	}
}

// read makes candidates of an answer. An empty list is an answer; one in which nothing
// holds is none.
func (r *run) read(a answer, p prompt, ps []passage) ([]memd.Candidate, error) {
	invalid := func(err error) error { return &fault{code: codeInvalid, err: err} }
	if a.promptTokens > 0 && a.promptTokens < p.tokens()/20 {
		return nil, invalid(errors.New("the messages were not read"))
	}
	facts, more, err := parseFacts(a.content)
	_, splittable := split(ps)
	switch {
	case a.cut && (err != nil || !more && splittable):
		// What stands there need not be all.
		return nil, &fault{code: codeTooLong, err: errors.New("the answer was cut off")}
	case strings.TrimSpace(a.content) == "":
		return nil, invalid(errors.New("it was empty"))
	case err != nil:
		return nil, invalid(err)
	}
	candidates, refused := r.judge(facts, ps)
	if len(candidates) == 0 && len(facts) > 0 {
		return nil, invalid(errors.New("no fact in it is stated by the messages it cites"))
	}
	for _, i := range refused {
		if missed := uncovered(r.byRules(ps[i]), candidates); len(missed) > 0 {
			r.rule(codeUnsupported)
			candidates = append(candidates, missed...)
		}
	}
	return candidates, nil
}

// result puts the candidates in order and says who made them.
func (r *run) result(in extract.Input) memd.Extraction {
	name := Version + ":" + r.config.Model
	cut := extract.CutMark(in.Messages)
	if len(r.ruled) == 0 {
		return memd.Extraction{Candidates: r.inOrder(), Extractor: name + cut}
	}
	var why []string
	for _, c := range r.ruled {
		why = append(why, string(c))
	}
	mark := extract.RulesVersion + " (llm: " + strings.Join(why, ", ") + ")"
	event := r.config.Log.Warn()
	if r.calls == 0 || slices.Equal(r.ruled, []code{codeUnsupported}) {
		event = r.config.Log.Debug()
	}
	event.Strs("reasons", why).Int("calls", r.calls).Int("messages", len(in.Messages)).Msg("rules took the language model's place")
	if !r.answered {
		return memd.Extraction{Candidates: r.applyRules(in), Extractor: mark + cut}
	}
	return memd.Extraction{Candidates: r.inOrder(), Extractor: name + " + " + mark + cut}
}

// inOrder gives the candidates by their first message, repeats as one, and numbers them.
func (r *run) inOrder() []memd.Candidate {
	type statement struct {
		text, actor string
		role        memd.Role
	}
	var out []memd.Candidate
	at := map[statement]int{}
	for _, c := range r.candidates {
		key := statement{normal(c.Text), c.ActorID, c.Role}
		if i, ok := at[key]; ok {
			out[i].Sources = append(out[i].Sources, c.Sources...)
			if c.SaidAt.Before(out[i].SaidAt) {
				out[i].SaidAt = c.SaidAt
			}
			continue
		}
		at[key] = len(out)
		out = append(out, c)
	}
	for i := range out {
		slices.Sort(out[i].Sources)
		out[i].Sources = slices.Compact(out[i].Sources)
	}
	slices.SortStableFunc(out, func(a, b memd.Candidate) int { return cmp.Compare(a.Sources[0], b.Sources[0]) })
	positions := map[int64]int{}
	for i, c := range out {
		out[i].Position = positions[c.Sources[0]]
		positions[c.Sources[0]]++
	}
	return out
}

// sleep waits for d and says whether ctx lives on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
