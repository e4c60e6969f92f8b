package llm

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/memdhq/memd"
	"github.com/sony/gobreaker/v2"
)

// Answers says whether the model can be asked: it is neither known to be away nor left
// alone for a while.
func (x *Extractor) Answers() bool {
	return x.client.resting() == nil && x.client.circuit.State() != gobreaker.StateOpen
}

// Unwell says whether the rules stand in for the model: the last that was asked of it met
// an outage for which it was left alone, or its answers were of no use; and for how long it
// is not asked.
func (x *Extractor) Unwell() (unwell bool, wait time.Duration) {
	unwell, wait = x.client.unwell()
	return unwell || x.client.inDrought(), wait
}

// Check asks the model for a word, where nobody else may have to ask it for long, to learn
// whether it answers again. The error is Unavailable if it does not. A model that answers,
// but to no use, is not asked: only an extraction can tell.
func (x *Extractor) Check(ctx context.Context) error {
	if x.client.inDrought() {
		return nil
	}
	_, err := x.Say(ctx, "Answer with one word.", "Ready?", checkTokens)
	if memd.KindOf(err) == memd.Unavailable {
		return err
	}
	return nil
}

// checkTokens is how long the answer to a Check may be.
const checkTokens = 16

// Say has the model answer in plain words, in up to most tokens, once. It is told
// instructions, and given input. The error is Unavailable where the model is away or
// left alone, or ctx ends, and Internal where it has no answer to this.
func (x *Extractor) Say(ctx context.Context, instructions, input string, most int) (string, error) {
	p := prompt{system: instructions, user: input, answer: most}
	p.counted = tokens(instructions) + tokens(input) + 2*lineTokens
	d := x.client.manners.start()
	d.mode = byWord
	for {
		a, err := x.client.ask(ctx, d, p)
		var f *fault
		switch {
		case err == nil:
			for _, c := range a.choices {
				if text := withoutThought(c.content); !c.withheld && text != "" {
					return text, nil
				}
			}
			return "", &memd.Error{Kind: memd.Internal, Op: "llm.say", Msg: "the language model says nothing"}
		case errors.As(err, &f) && f.code == codeRefused && !f.unasked:
			if next, ok := d.without(f); ok && next.mode == byWord && next != d {
				d = next
				continue
			}
			return "", &memd.Error{Kind: memd.Internal, Op: "llm.say", Msg: "the language model refuses", Err: err}
		case errors.As(err, &f) && !f.outage() && !f.unasked:
			return "", &memd.Error{Kind: memd.Internal, Op: "llm.say", Msg: "the language model has no answer", Err: err}
		default:
			return "", &memd.Error{Kind: memd.Unavailable, Op: "llm.say", Msg: "the language model does not answer", Err: err}
		}
	}
}

// bytesOfToken is how many bytes of a text one of our tokens has at the least, as a rule.
const bytesOfToken = 3

// Room gives how many bytes of input the model's window takes beside instructions and an
// answer of up to most tokens, 0 if it has none.
func (x *Extractor) Room(instructions string, most int) int {
	w := &x.client.window
	w.mu.Lock()
	defer w.mu.Unlock()
	free := int(float64(w.current()-most-frame)/w.scale) - tokens(instructions) - 2*lineTokens
	return max(0, free*bytesOfToken)
}

// ask posts a request once, unless the server is left alone.
func (c *client) ask(ctx context.Context, d dialect, p prompt) (answer, error) {
	if f := c.resting(); f != nil {
		return answer{}, f
	}
	a, err := c.circuit.Execute(func() (answer, error) { return c.post(ctx, d, p, newSpent()) })
	var f *fault
	if errors.As(err, &f) && f.wait > 0 && f.outage() && !f.unasked {
		c.leave(f, f.wait)
	}
	return a, err
}

// withoutThought drops what a model says that it thought before its answer.
func withoutThought(text string) string {
	if ends := thought.FindAllStringIndex(text, -1); ends != nil {
		text = text[ends[len(ends)-1][1]:]
	}
	return strings.TrimSpace(text)
}
