package llm

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Version is the first part of what an Extractor calls itself in an Extraction. It is
// raised when the same answer of a model would give other candidates.
const Version = "llm/5"

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
	batches := r.batches()
	r.allowed, r.mostOvers = mayFail(batches), mayPart(batches)
	for _, ps := range batches {
		if err := r.learn(ps); err != nil {
			return memd.Extraction{}, err
		}
	}
	if ctx.Err() == nil {
		r.noteUse()
	}
	result := r.result(in)
	if ctx.Err() != nil {
		return memd.Extraction{}, ended(ctx)
	}
	return result, nil
}

func (x *Extractor) begin(ctx, within context.Context) *run {
	return &run{
		Extractor: x, ctx: ctx, within: within, done: newSpent(),
		tasks: map[string]told{}, sifted: map[passage][]extract.Sifted{}, struck: map[int]struck{}, places: map[passage][]*place{},
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

// run is one call of Extract.
type run struct {
	*Extractor
	// ctx is the caller's; within ends with the budget too.
	ctx, within context.Context
	said        []utterance
	done        spent
	tasks       map[string]told
	sifted      map[passage][]extract.Sifted
	struck      map[int]struck // by utterance
	places      map[passage][]*place

	candidates []memd.Candidate
	calls      int
	timeouts   int
	// fruitless and fruitful count the calls that brought nothing or something; allowed
	// is how many more there may be of the first.
	fruitless, fruitful, allowed int
	// useless is why an answer was of no use, "" if each was.
	useless code
	// fault is what was wrong with the last answer that was none, in words that quote nothing.
	fault string
	// answered says that the model gave a usable answer, if only once.
	answered bool
	// down is why the model is not asked any more, "" while it is.
	down code
	// missing says that the server knows no such model or address.
	missing bool
	// ruled are the reasons why rules took over, each once.
	ruled []code
	// overs is how often passages were parted because of more facts than an answer may have,
	// mostOvers how often they may be.
	overs, mostOvers int
}

// hear takes in the messages that are ever learned from and say something.
func (r *run) hear(in extract.Input) {
	all := slices.Concat(in.Before, in.Messages)
	var secrets extract.Redactor // answers to questions for them, too
	for i := range all {
		if r.ctx.Err() != nil {
			return
		}
		text := r.rules.Clean(all[i].Text)
		if !r.rules.KeepSecrets {
			m := all[i]
			m.Text = text
			text = secrets.Next(&m)
		}
		if text = strings.TrimSpace(text); all[i].Role.Learnable() && text != "" {
			r.said = append(r.said, utterance{message: &all[i], text: text, preceding: all[:i], isNew: i >= len(in.Before)})
		}
	}
}

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

// sift gives what a passage states, in the rules' reading.
func (r *run) sift(p passage) []extract.Sifted {
	all, ok := r.sifted[p]
	if !ok {
		all, _ = r.rules.Sift(r.ctx, r.inputOf(p)) // its only error is its context's, which ends this one too
		if p.text != r.said[p.at].text {
			struck := r.struckIn(p.at)
			all = slices.DeleteFunc(all, func(s extract.Sifted) bool { return !s.Forget && struck.hold(s.Text) })
		}
		r.sifted[p] = all
	}
	return all
}

// struck are the sentences of a message of which nothing may be kept, each as normal gives it,
// between blanks.
type struck []string

// struckIn gives those of an utterance as a whole: a part of it need not show that it is of a
// play, or of a text that was handed over.
func (r *run) struckIn(at int) struck {
	known, ok := r.struck[at]
	if !ok {
		u := r.said[at]
		m := *u.message
		m.Text = u.text
		all, _ := r.rules.Struck(r.ctx, extract.Input{Before: u.preceding, Messages: []memd.Message{m}}) // as in sift
		known = struck{}
		for _, s := range all {
			if s = normal(s); s != "" {
				known = append(known, " "+s+" ")
			}
		}
		r.struck[at] = known
	}
	return known
}

// hold says whether a statement is of one of them: it is in it, or it has all of it.
func (s struck) hold(text string) bool {
	text = " " + normal(text) + " "
	return slices.ContainsFunc(s, func(one string) bool {
		return strings.Contains(one, text) || strings.Count(one, " ") > 3 && strings.Contains(text, one)
	})
}

// byRules gives what a passage states by the rules.
func (r *run) byRules(p passage) []memd.Candidate {
	var kept []memd.Candidate
	for _, s := range r.sift(p) {
		if s.Kept {
			kept = append(kept, s.Candidate)
		}
	}
	return kept
}

// inputOf gives a passage as a message, after those before it.
func (r *run) inputOf(p passage) extract.Input {
	u := r.said[p.at]
	m := *u.message
	m.Text = p.text
	in := extract.Input{Messages: []memd.Message{m}}
	if p.from == 0 {
		in.Before = u.preceding
	}
	return in
}

func (r *run) applyRules(in extract.Input) []memd.Candidate {
	e, _ := r.rules.Extract(r.ctx, in) // its only error is its context's, which ends this one too
	return e.Candidates
}

// ask has the model extract from passages and gives what it did, or why it did not.
// What was wrong with an answer is told to the model in the next try, so that no
// request is made twice unless the first did not arrive.
func (r *run) ask(ps []passage, l limits) ([]memd.Candidate, code) {
	complaint := ""
	another := false
	absurd, away := 0, 0
	var first dialect
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
		if err == nil && a.again {
			r.calls--
		}
		if err == nil {
			var candidates []memd.Candidate
			if candidates, err = r.read(a, p, ps); err == nil {
				r.client.metrics.called("", a.dialect.mode)
				if another {
					r.client.manners.unheldIn(a.dialect)
				}
				r.client.manners.heldIn(a.dialect)
				r.answered = true
				r.fruitful++
				return candidates, ""
			}
			var f *fault
			if errors.As(err, &f) {
				r.client.metrics.called(f.code, a.dialect.mode)
				r.done.faults[a.request] = f
			}
		}
		var f *fault
		if !errors.As(err, &f) {
			f = &fault{code: codeTimeout, err: err} // the budget is spent, or ctx has ended
		}
		if f.unasked {
			r.calls--
		} else if r.fruitless++; r.fruitless >= r.allowed+r.fruitful {
			r.down = f.code
		}
		if f.idle {
			r.down = f.code
		}
		if f.missing {
			r.down, r.missing = f.code, true // it is not there the next moment either
		}
		switch f.code {
		case codeInvalid, codeTooLong, codeRefused:
			r.useless = f.code
		}
		switch f.code {
		case codeInvalid:
			r.fault = f.err.Error()
			if absurd++; absurd == 1 {
				first = a.dialect
			}
			if absurd == chances {
				if another && f.shapeless {
					r.client.manners.unshaped(first)
				}
				return nil, f.code
			}
			complaint, another = f.err.Error(), f.shapeless
		case codeTooLong:
			if f.over {
				r.overs++
			}
			_, splittable := split(ps)
			smaller, ok := r.limits(ps)
			if first := ps[0]; f.cut || splittable || !ok || l.before == 0 || first.at == 0 && first.from == 0 {
				return nil, f.code
			}
			// What cannot be less itself can do with less before it.
			l.answer, l.before = min(l.answer, smaller.answer), 0
		case codeRefused:
			return nil, f.code
		case codeUnsupported:
			r.client.manners.heldIn(a.dialect)
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

// read makes candidates of an answer. An empty list is an answer; one of which no
// message states anything is none.
func (r *run) read(a answer, p prompt, ps []passage) ([]memd.Candidate, error) {
	if a.promptTokens > 0 && a.promptTokens < p.tokens()/20 {
		return nil, &fault{code: codeInvalid, err: errors.New("the messages were not read")}
	}
	var best judgement
	var why error
	for i := range a.choices {
		got, err := r.readChoice(&a.choices[i], p, ps)
		switch {
		case err != nil:
			why = cmp.Or(why, err)
		case best.verdicts == nil || got.found > best.found:
			best = got
		}
	}
	if best.verdicts == nil {
		return nil, why
	}
	for _, v := range best.verdicts {
		r.client.metrics.judged(v, 1)
	}
	if best.over {
		r.rule(codeTooLong)
	}
	if len(best.verdicts) > 0 && best.found == 0 {
		return nil, &fault{code: codeUnsupported, err: errors.New("no message states any fact of it")}
	}
	return best.candidates, nil
}

// readChoice judges one of the answers to a question.
func (r *run) readChoice(c *choice, p prompt, ps []passage) (judgement, error) {
	if c.withheld {
		return judgement{}, &fault{code: codeRefused, err: errors.New("it was withheld")}
	}
	got, err := c.parse(p)
	_, splittable := split(ps)
	tooLong := &fault{code: codeTooLong, cut: true, err: errors.New("the answer was cut off")}
	switch {
	case c.cut && err != nil, splittable && errors.Is(err, errTorn):
		return judgement{}, tooLong // what stands there need not be all
	case splittable && got.over && r.overs < r.mostOvers:
		return judgement{}, &fault{code: codeTooLong, cut: true, over: true, err: errors.New("it has too many facts")}
	case len(c.calls) == 0 && strings.TrimSpace(c.content) == "" && err != nil:
		return judgement{}, &fault{code: codeInvalid, shapeless: true, err: errors.New("it was empty")}
	case err != nil:
		return judgement{}, &fault{code: codeInvalid, shapeless: !errors.Is(err, errTorn), err: err}
	}
	if len(got.list) > 0 && !slices.ContainsFunc(got.list, func(f fact) bool { return f.text != "" }) {
		return judgement{}, &fault{code: codeInvalid, shapeless: true, err: errors.New("its facts have no text")}
	}
	out := r.judge(got.list, ps)
	if got.over {
		// Which of them are too many cannot be told: what the rules keep is kept besides.
		out.candidates, out.over = r.withRules(out.candidates, ps), true
	}
	if c.cut && !got.more && splittable && !(got.closed && out.reachesEnd) {
		return judgement{}, tooLong
	}
	if got.over {
		out.verdicts = append(out.verdicts, excess)
	}
	return out, nil
}

// withRules gives candidates with all that passages state by the rules, each once.
func (r *run) withRules(candidates []memd.Candidate, ps []passage) []memd.Candidate {
	known := map[string]bool{}
	for _, c := range candidates {
		known[normal(c.Text)] = true
	}
	for _, p := range ps {
		for _, c := range r.byRules(p) {
			if !known[normal(c.Text)] {
				candidates = append(candidates, c)
			}
		}
	}
	return candidates
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
	if r.missing {
		mark += " (no such model or address)"
	}
	event := r.config.Log.Warn()
	if r.calls == 0 || slices.Equal(r.ruled, []code{codeUnsupported}) {
		event = r.config.Log.Debug()
	}
	if r.fault != "" {
		event.Str("fault", r.fault)
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
