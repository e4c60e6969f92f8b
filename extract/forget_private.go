package extract

import (
	"context"
	"slices"
	"strings"

	"github.com/memdhq/memd"
)

// What is told in confidence is not kept: "this is confidential, don't store it: …" goes
// before it, "off the record, please" and "keep that between us" behind it.

const (
	inSecret = `(?:(?:this|that|it|the following|what follows|what i say (?:now|next))(?:'s| is|, this is)?\s+(?:strictly |very |really |top )?(?:confidential|private|secret|off the record|(?:just |only )?between (?:us|you and me|the two of us)))`
	notKept3 = `(?:(?:do not|don't|dont|never|you (?:must not|mustn't|should not|shouldn't)) (?:ever )?(?:remember|save|store|keep|record|note|log|memori[sz]e|learn|retain)(?: down)?)`
	keepIt   = `(?:(?:let's |lets |just |please )*keep (?:this|that|it) (?:(?:just |only )?between (?:us|you and me)|private|secret|confidential|to yourself|off the record))`
	asPlease = `(?:(?:please|pls|plz|ok|okay|thanks|thank you|so|and|will you|would you)[\s,]*)*`
)

var (
	// confided opens a message whose rest is not to be kept; the group is that rest.
	confided = newPattern(`(?is)^` + lightWords + `(?:` + inSecret + `[\s,;.–—-]+(?:(?:and|so|please)[\s,]+)*)?(?:` + notKept3 + ` (?:this|that|it|the following|what i(?:'m| am)? (?:say|tell you|about to (?:say|tell you)|going to (?:say|tell you))(?: next| now)?)|` + inSecret + `|` + keepIt + `|off the record|(?:just |strictly |only )?between (?:us|you and me)|in confidence|confidential|confidentially)[\s,]*` + asPlease + `(?:anywhere[\s,]*)?(?:[:–—]|\s-\s)\s*(\S.*)$`)
	// confides says the same of what stands before it.
	confides = newPattern(`(?i)^` + lightWords + `(?:` + inSecret + `(?:[\s,;–—-]+(?:(?:and|so|please)[\s,]+)*` + notKept3 + ` (?:this|that|it))?|` + notKept3 + ` (?:this|that|it|any of (?:this|that|it))(?: (?:anywhere|in your (?:memory|notes)))?|` + keepIt + `|(?:that was |that is |that's |this is |this was )?off the record|(?:this is |that is |that's |that was )?(?:strictly |just |only )(?:confidential|between (?:us|you and me)))[\s,]*` + asPlease + `\W*$`)
)

// confidesAhead reads a message that begins by asking that what follows be not kept: all of
// it is to be forgotten, should it be known from elsewhere. false if it does not.
func (h *hearing) confidesAhead(ctx context.Context, g *grouping, text string) (out []statement, confides bool, err error) {
	if len(text) > recalledText || g.assistant || !g.english {
		return nil, false, nil
	}
	m := confided.FindStringSubmatch(text)
	if m == nil {
		return nil, false, nil
	}
	rest := *g.message
	rest.Text = m[1]
	before := &hearing{rules: h.rules, names: h.names, heard: h.heard, shallow: true, redactor: h.redactor}
	all, err := before.statements(ctx, &rest)
	if err != nil {
		return nil, true, err
	}
	for _, s := range all {
		if !s.forget {
			out = append(out, statement{text: s.text, slot: s.slot, when: s.when, forget: true, words: s.words})
		}
	}
	return out, true, nil
}

// forgetsMessage asks for all that its speaker's last message that states something told to
// be forgotten: who says "don't remember that" behind several sentences means the one that
// matters, whichever it is.
func (g *grouping) forgetsMessage() bool {
	g.asked, g.adjacent = "", false
	if g.spoken || g.shallow {
		return true
	}
	g.spoken = true
	from, _, _ := g.own(g.ctx, g.message)
	if from == nil {
		return true
	}
	at := slices.Index(g.heard, from)
	g.forgetsOf(at)
	for i := at + 1; i < len(g.heard); i++ {
		if g.heard[i].Role == memd.RoleAssistant && len(g.heard[i].Text) <= recalledText {
			g.forgetsOf(i) // what was made of it
		}
	}
	return true
}

// takesConfided takes a sentence that asks that what was just said be not kept: what the same
// message told last, else all that the one before it told.
func (g *grouping) takesConfided(text string) bool {
	if len(text) > 160 || !confides.MatchString(strings.TrimRight(text, " .!")) {
		return false
	}
	switch n := len(g.out); {
	case n > 0 && g.adjacent && !g.out[n-1].forget:
		g.out = g.out[:n-1]
	case n == 0 && !g.spoken && g.follows():
		return g.forgetsMessage()
	}
	g.spoken, g.asked, g.adjacent = true, "", false
	return true
}

// asksNoMemory says whether a sentence asks for something not to be kept, or to be forgotten.
func (g *grouping) asksNoMemory(text string) bool {
	bare := strings.TrimRight(text, " .!")
	return confides.MatchString(bare) || notToBeKept.MatchString(bare) || bidsForget.MatchString(bare) || forgetEver.MatchString(bare)
}
