package extract

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"
)

// Secrets are taken out in three ways: by a form that nothing else has (redact_token.go,
// redact_number.go), by what they are called (redact_named.go with redact_name.go and
// redact_value.go; in a table, redact_column.go), and by what was said before them (redact_said.go). What is written in strings of programs is read
// first (redact_escaped.go).

const (
	keyMark      = "[redacted:key]"
	tokenMark    = "[redacted:token]"
	passwordMark = "[redacted:password]"
	cardMark     = "[redacted:card]"
	cvvMark      = "[redacted:cvv]"
	ssnMark      = "[redacted:ssn]"
	ibanMark     = "[redacted:iban]"

	// markBegin begins every mark; none has a blank.
	markBegin = "[redacted:"
)

const (
	// redactRounds is how often a text is gone over at most: what is taken out may bring
	// to light what stands beside it. Few texts need more than two rounds.
	redactRounds = 8
	// repeatedMost is how many secrets are looked for again where they are not named.
	repeatedMost = 16
)

// Redact takes secrets out of a text and leaves a mark in their place, such as
// [redacted:card]: API keys, tokens and private keys of the common forms, what is
// said to be a password, PIN, key or code, in sentences of many languages, settings,
// commands and addresses, corrections of these, and card numbers (that pass the Luhn
// check and begin as cards do). Phone numbers, years and other numbers stay. Redacting
// twice changes nothing. The time it takes grows with the text and no faster.
//
// What is a secret only because it was asked for needs a Redactor.
func Redact(text string) string {
	text, _ = redact(context.Background(), text) // its only error is its context's
	return text
}

// redact is Redact for as long as ctx lasts.
func redact(ctx context.Context, text string) (string, error) {
	text, _, err := redactValues(ctx, text)
	return text, err
}

// redactValues also gives what was taken out.
func redactValues(ctx context.Context, text string) (string, []taken, error) {
	return redactDeep(ctx, text, escapesDeep)
}

// redactDeep is redactValues with as many strings within strings.
func redactDeep(ctx context.Context, given string, deep int) (string, []taken, error) {
	if given == "" {
		return given, nil, nil
	}
	plain := readable(given)
	text, values, err := withoutEscaped(ctx, plain, deep)
	if err != nil {
		return "", nil, err
	}
	for range redactRounds {
		before := text
		low := strings.ToLower(text)
		for _, s := range secrets {
			if err := ctx.Err(); err != nil {
				return "", nil, err
			}
			if s.hinted(low) {
				text, values = takeOut(text, s.spans(text), values)
			}
		}
		text, values = takeOut(text, namedSecrets(text), values)
		text, values = takeOut(text, cardNumbers(text), values)
		text, values = takeOut(text, corrections(text), values)
		text = withoutRepeated(text, unmistakable(values))
		if text == before {
			break
		}
	}
	if text == plain {
		return given, nil, nil
	}
	return text, values, nil
}

// span is a part of a text that is a secret.
type span struct {
	start, end int
	mark       string
}

// taken is what was taken out, and what stands for it.
type taken struct{ value, mark string }

// takeOut puts marks in the place of spans, which are in order but may lie in one
// another: the first holds then. Marks stay as they are.
func takeOut(text string, spans []span, values []taken) (string, []taken) {
	if len(spans) == 0 {
		return text, values
	}
	var out strings.Builder
	done := 0
	for _, s := range spans {
		if s.start < done || s.start >= s.end || strings.HasPrefix(text[s.start:], markBegin) || insideMark(text, s.start) {
			continue
		}
		if s.end-s.start >= maxToken {
			s.end += lenToBlank(text[s.end:]) // only its beginning was looked at
		}
		v := text[s.start:s.end]
		if i := strings.LastIndex(v, markBegin); i >= 0 {
			// What holds a mark is taken with all of the mark, or up to it.
			if n := strings.IndexByte(text[s.start+i:], ']'); n >= 0 && s.start+i+n >= s.end {
				s.end = s.start + i + n + 1
			}
		} else {
			values = append(values, taken{v, s.mark})
		}
		out.WriteString(text[done:s.start])
		out.WriteString(s.mark)
		done = s.end
	}
	if done == 0 {
		return text, values
	}
	out.WriteString(text[done:])
	return out.String(), values
}

// longestMark is more than the bytes of any mark.
const longestMark = 24

// insideMark says whether a mark that begins before i has not ended there.
func insideMark(text string, i int) bool {
	window := text[max(0, i-longestMark):i]
	n := strings.LastIndex(window, markBegin)
	return n >= 0 && !strings.ContainsAny(window[n:], "] \n")
}

// withoutRepeated takes out what was taken out before wherever else it stands as a whole.
func withoutRepeated(text string, values []taken) string {
	for i, v := range values {
		if i == 2*repeatedMost {
			break
		}
		var spans []span
		for from := 0; ; {
			n := strings.Index(text[from:], v.value)
			if n < 0 {
				break
			}
			start := from + n
			from = start + len(v.value)
			before, _ := utf8.DecodeLastRuneInString(text[:start])
			after, _ := utf8.DecodeRuneInString(text[from:])
			if !isWordRune(before) && !isWordRune(after) {
				spans = append(spans, span{start, from, v.mark})
			}
		}
		text, _ = takeOut(text, spans, nil)
	}
	return text
}

// unmistakable gives the first secrets that can be told from other words by themselves.
func unmistakable(values []taken) []taken {
	var out []taken
	for _, v := range values {
		if len(out) < repeatedMost && isUnmistakable(v.value) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

func isUnmistakable(v string) bool {
	return len(v) >= 5 && len(v) <= 512 && hasDigit(v) && hasLetters(v) && !strings.ContainsAny(v, " \n") || len(v) >= 16 && len(v) <= 512
}
