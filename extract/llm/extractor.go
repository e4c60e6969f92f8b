package llm

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Version is the first part of what an Extractor calls itself in an Extraction. It is
// raised when the same answer of a model would give other candidates.
const Version = "llm/2"

const (
	// tries is how often a model that is away is asked for the same passages.
	tries = 3
	// chances is how often a model is that answers absurdly.
	chances = 2
	// maxCalls is how often a model is asked in one Extract.
	maxCalls = 64
	// maxTimeouts is how many calls of one Extract may run out of time.
	maxTimeouts = 2
	// maxWait is the longest wait that a server may ask for and get.
	maxWait = 5 * time.Second
	// retryPause is the wait before the second try where the server asks for none; before
	// each further one it is four times as long.
	retryPause = 250 * time.Millisecond
	// smallest is the length in characters below which a text is not split.
	smallest = 200
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
	// Pause is how long a server is left alone that failed three times in a row; 0 means 30 s.
	Pause time.Duration
	// Context is the model's window in tokens, instructions and answer included; 0
	// means what the server says in its list of models or its properties, else what its
	// refusals tell, else 8,192.
	Context int
	// MaxInputTokens is the most text of new messages that one call takes, 0 means
	// 4,000; MaxTokens is the longest answer, 0 means 4,096. The window bounds both:
	// an answer has a third of it at most. They are counted with the tokenizer
	// o200k_base, and corrected by what the server counts.
	MaxInputTokens, MaxTokens int
	// Reprobe is after how long it is tried anew what the server can do, and what the
	// window is; 0 means an hour.
	Reprobe time.Duration
	// Metrics, if set, is where the metrics are registered: calls, tokens, facts,
	// durations, and cost if there is a price.
	Metrics prometheus.Registerer
	// PromptPrice and CompletionPrice are what a million tokens cost, in any currency.
	PromptPrice, CompletionPrice float64
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
	// pause is retryPause.
	pause time.Duration
}

// New makes an Extractor without calling the server.
func New(config Config, rules *extract.Rules) *Extractor {
	config.Timeout = cmp.Or(config.Timeout, 30*time.Second)
	config.Budget = cmp.Or(config.Budget, 2*time.Minute)
	config.Pause = cmp.Or(config.Pause, 30*time.Second)
	config.Reprobe = cmp.Or(config.Reprobe, time.Hour)
	config.MaxInputTokens = cmp.Or(config.MaxInputTokens, 4000)
	config.MaxTokens = cmp.Or(config.MaxTokens, 4096)
	return &Extractor{config: config, client: newClient(config), rules: rules, pause: retryPause}
}

// Close lets go of the connections that are idle.
func (x *Extractor) Close() { x.client.http.CloseIdleConnections() }

// Extract gives the facts of in.Messages. A model that is away or answers absurdly is
// no error: the rules' result is given, see the package's comment. The only error is
// Unavailable, when ctx ends.
func (x *Extractor) Extract(ctx context.Context, in extract.Input) (memd.Extraction, error) {
	within, cancel := context.WithTimeout(ctx, x.budget(ctx))
	defer cancel()
	r := x.begin(ctx, within)
	r.hear(in)
	if slices.ContainsFunc(r.said, func(u utterance) bool { return u.isNew }) {
		x.client.look(within)
	}
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

func (x *Extractor) begin(ctx, within context.Context) *run {
	return &run{
		Extractor: x, ctx: ctx, within: within, done: spent{},
		evidence: map[string]*evidence{}, tasks: map[string]told{}, stated: map[passage][]memd.Candidate{},
	}
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
	done        spent
	evidence    map[string]*evidence
	tasks       map[string]told
	stated      map[passage][]memd.Candidate // by the rules

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
	room, wanted := 0, ""
	var add func(p passage, most int)
	add = func(p passage, most int) {
		size := sizeOf(p)
		if size > most {
			if halves, ok := split([]passage{p}); ok {
				add(halves[0][0], most)
				add(halves[1][0], most)
				return
			}
		}
		task := task(r.said[p.at].message)
		if room -= size; room < 0 || len(out) == 0 || task != wanted {
			out, room, wanted = append(out, nil), most-size, task
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	for i, u := range r.said {
		if u.isNew {
			p := passage{at: i, text: u.text}
			l, _ := r.limits([]passage{p})
			add(p, l.input)
		}
	}
	return out
}

// limits gives how much a call for passages of one task takes; ok is false if the
// window has no room for them.
func (r *run) limits(ps []passage) (l limits, ok bool) {
	l, ok = r.client.window.limits(r.told(ps).tokens, r.config.MaxInputTokens, r.config.MaxTokens)
	l.input = max(l.input, minInput)
	return l, ok
}

// sizeOf gives how many tokens of a call passages take.
func sizeOf(ps ...passage) int {
	n := 0
	for _, p := range ps {
		n += tokens(p.text) + lineTokens
	}
	return n
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
	why := codeTooLong
	halves, splittable := split(ps)
	l, ok := r.limits(ps)
	if ok && (!splittable || sizeOf(ps...) <= l.input) {
		var candidates []memd.Candidate
		if candidates, why = r.ask(ps, l); why == "" {
			r.candidates = append(r.candidates, candidates...)
			r.candidates = append(r.candidates, r.forgotten(ps)...)
		}
	} else if !ok {
		splittable = false
	}
	switch {
	case r.ctx.Err() != nil:
		return ended(r.ctx)
	case why == "":
		return nil
	case r.down == "" && splittable && r.partedBy(why, ps):
		if err := r.learn(halves[0]); err != nil {
			return err
		}
		return r.learn(halves[1])
	}
	r.rule(why)
	for _, p := range ps {
		r.candidates = append(r.candidates, r.byRules(p)...)
	}
	return nil
}

// partedBy says whether less at once may help. A server that answers others refuses
// one of these messages: it is found, and the rest is learned from.
func (r *run) partedBy(why code, ps []passage) bool {
	switch why {
	case codeTooLong, codeTimeout:
		return true
	case codeRefused:
		return len(ps) > 1 && r.client.manners.isProven()
	}
	return false
}

// rule notes that rules took over.
func (r *run) rule(why code) {
	if !slices.Contains(r.ruled, why) {
		r.ruled = append(r.ruled, why)
	}
}

// byRules gives what a passage states by the rules.
func (r *run) byRules(p passage) []memd.Candidate {
	all, ok := r.stated[p]
	if !ok {
		u := r.said[p.at]
		m := *u.message
		m.Text = p.text
		in := extract.Input{Messages: []memd.Message{m}}
		if p.from == 0 {
			in.Before = u.preceding
		}
		all = r.applyRules(in)
		r.stated[p] = all
	}
	return slices.Clone(all)
}

func (r *run) applyRules(in extract.Input) []memd.Candidate {
	e, _ := r.rules.Extract(r.ctx, in) // its only error is its context's, which ends this one too
	return e.Candidates
}

// forgotten gives what passages ask to be forgotten. That is the rules' to find: a
// model is not asked for it, and cannot keep it back.
func (r *run) forgotten(ps []passage) []memd.Candidate {
	var out []memd.Candidate
	for _, p := range ps {
		for _, c := range r.byRules(p) {
			if c.Forget {
				out = append(out, c)
			}
		}
	}
	return out
}

// ask has the model extract from passages and gives what it did, or why it did not.
// What was wrong with an answer is told to the model in the next try, so that no
// request is made twice unless the first did not arrive.
func (r *run) ask(ps []passage, l limits) ([]memd.Candidate, code) {
	complaint := ""
	another := false
	absurd, away := 0, 0
	for {
		if r.down == "" && (r.calls >= maxCalls || r.within.Err() != nil) {
			r.down = codeTimeout
		}
		if r.down != "" {
			return nil, r.down
		}
		r.calls++
		p := r.promptFor(ps, l, complaint)
		a, err := r.client.complete(r.within, p, another, r.done)
		if err == nil {
			var candidates []memd.Candidate
			if candidates, err = r.read(a, p, ps); err == nil {
				r.client.metrics.called("", a.dialect.mode)
				if another {
					r.client.manners.unheldIn(a.dialect)
				}
				r.answered = true
				return candidates, ""
			}
			var f *fault
			if errors.As(err, &f) {
				r.client.metrics.called(f.code, a.dialect.mode)
				r.done[a.request] = f
			}
		}
		var f *fault
		if !errors.As(err, &f) {
			f = &fault{code: codeTimeout, err: err} // the budget is spent, or ctx has ended
		}
		if f.unasked {
			r.calls--
		}
		switch f.code {
		case codeInvalid:
			if absurd++; absurd == chances {
				return nil, f.code
			}
			complaint, another = f.err.Error(), f.shapeless
		case codeTooLong:
			_, splittable := split(ps)
			smaller, ok := r.limits(ps)
			if first := ps[0]; f.cut || splittable || !ok || l.before == 0 || first.at == 0 && first.from == 0 {
				return nil, f.code
			}
			// What cannot be less itself can do with less before it.
			l.answer, l.before = min(l.answer, smaller.answer), 0
		case codeRefused:
			if f.resting {
				r.down = f.code
			}
			return nil, f.code
		case codeTimeout:
			if r.timeouts++; r.timeouts >= maxTimeouts || r.within.Err() != nil {
				r.down = f.code
			}
			return nil, f.code
		case codeUnavailable, codeRateLimited:
			wait := cmp.Or(f.wait, r.backoff(away))
			if away++; away == tries || wait > maxWait || !sleep(r.within, wait) {
				r.down = f.code
			}
		default:
			r.down = f.code
		}
	}
}

// backoff is how long to wait before another try, a quarter more or less.
func (r *run) backoff(tries int) time.Duration {
	return time.Duration(float64(r.pause<<(2*tries)) * (0.75 + rand.Float64()/2))
}

// read makes candidates of an answer. An empty list is an answer; one in which nothing
// holds is none.
func (r *run) read(a answer, p prompt, ps []passage) ([]memd.Candidate, error) {
	if a.promptTokens > 0 && a.promptTokens < p.tokens()/20 {
		return nil, &fault{code: codeInvalid, err: errors.New("the messages were not read")}
	}
	got, err := parseAnswer(a)
	_, splittable := split(ps)
	switch {
	case a.cut && (err != nil || !got.more && splittable), splittable && (errors.Is(err, errTorn) || got.over):
		// What stands there need not be all.
		return nil, &fault{code: codeTooLong, cut: true, err: errors.New("the answer was cut off")}
	case len(a.calls) == 0 && strings.TrimSpace(a.content) == "":
		return nil, &fault{code: codeInvalid, shapeless: true, err: errors.New("it was empty")}
	case err != nil:
		return nil, &fault{code: codeInvalid, shapeless: true, err: err}
	}
	if got.over {
		r.client.metrics.judged(excess, 1)
	}
	candidates, refused := r.judge(got.list, ps)
	if len(candidates) == 0 && len(refused) > 0 {
		return nil, &fault{code: codeInvalid, err: errors.New("no fact in it is stated by the messages it cites")}
	}
	for _, i := range refused {
		if i == nowhere {
			continue
		}
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
		r.client.metrics.fallbacks.WithLabelValues(string(c)).Inc()
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
		forget      bool
	}
	var out []memd.Candidate
	at := map[statement]int{}
	for _, c := range r.candidates {
		key := statement{normal(c.Text), c.ActorID, c.Role, c.Forget}
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
