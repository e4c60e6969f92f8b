package assemble

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memdhq/memd"
)

// omission is what it costs at most to say beside other lines that something was left out.
func (c *composer) omission() int {
	return c.count(fmt.Sprintf(omittedMany, 999_999_999)+"\n", math.MaxInt)
}

// omission is the line that says that something was left out, and if that is known, how much.
func (d draft) omission(unread int) string {
	switch n := d.openLeft + d.saidLeft + unread; {
	case d.countless || n == 0: // or only trimmed
		return omitted
	case n == 1:
		return omittedOne
	default:
		return fmt.Sprintf(omittedMany, n)
	}
}

// encode writes the context down and counts all of it.
func (c *composer) encode(m material, open, before []said, d draft) composed {
	out := composed{messages: []json.RawMessage{}, omitted: d.omitted || cutAny(d.recalled)}
	d.mark = d.mark && d.omitted
	var lines []string
	if len(d.recalled)+len(d.carried)+len(d.earlier)+len(d.open)+len(d.said) > 0 || d.mark {
		lines = append(lines, c.header)
	}
	for _, l := range d.recalled {
		lines = append(lines, l.text)
		out.recalled = append(out.recalled, l.at)
	}
	// What is quoted of earlier sessions stands among what is carried over of them.
	var past []recalledLine
	for _, l := range d.said {
		if before[l.at].earlier {
			past = append(past, l)
		}
	}
	for _, l := range d.carried {
		id := m.carried[l.at].id
		for ; len(past) > 0 && before[past[0].at].id < id; past = past[1:] {
			lines = append(lines, past[0].text)
		}
		lines = append(lines, l.text)
		if id != 0 && !slices.Contains(out.carried, id) {
			out.carried = append(out.carried, id)
		}
	}
	for _, l := range past {
		lines = append(lines, l.text)
	}
	for _, l := range d.earlier {
		lines = append(lines, l.text)
		if l.at == ofSummary {
			out.summary = true
		} else {
			out.summarised = append(out.summarised, l.at)
		}
	}
	if d.mark {
		lines = append(lines, d.omission(m.unread))
	}
	lines = append(lines, c.quotations(&out, open, before, d)...)
	var sent []outgoing
	for _, g := range d.groups {
		sent = append(sent, g.messages...)
	}
	if m.render == RenderSystem && len(sent) > 0 {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, turnsHeader)
		for _, s := range sent {
			lines = append(lines, turnLine(s))
		}
		sent = nil
	}
	if len(lines) > 0 {
		system := outgoing{role: string(memd.RoleSystem), plain: true, parts: []part{{text: strings.Join(lines, "\n")}}}
		out.messages = append(out.messages, system.encode())
		out.used += tokensPerMessage + c.count(system.role, math.MaxInt) + c.countLines(system.parts[0].text)
	}
	for _, s := range sent {
		out.messages = append(out.messages, s.encode())
		out.used += c.tokens(s, math.MaxInt)
	}
	if len(out.messages) > 0 {
		out.used += tokensPerAnswer
	}
	return out
}

// quotations gives the lines of what is quoted of this session, in the order it was said, and
// notes whose all are.
func (c *composer) quotations(out *composed, open, before []said, d draft) []string {
	type quoted struct {
		id   int64
		text string
	}
	var all []quoted
	for _, l := range d.open {
		if open[l.at].open {
			out.open = append(out.open, open[l.at].id)
		} else {
			out.quoted = append(out.quoted, open[l.at].id)
		}
		all = append(all, quoted{open[l.at].id, l.text})
	}
	for _, l := range d.said {
		out.quoted = append(out.quoted, before[l.at].id)
		if !before[l.at].earlier {
			all = append(all, quoted{before[l.at].id, l.text})
		}
	}
	if len(d.said) > 0 {
		slices.Sort(out.quoted)
		slices.SortStableFunc(all, func(a, b quoted) int { return cmp.Compare(a.id, b.id) })
	}
	var lines []string
	for _, q := range all {
		lines = append(lines, q.text)
	}
	return lines
}

// turnLine is a message as RenderSystem shows it: who speaks, what they say with its
// further lines indented, so that no line of it can pass for another message, and
// what they call.
func turnLine(m outgoing) string {
	var said []string
	for _, p := range m.parts {
		switch p.is {
		case textPart:
			said = append(said, indented(p.text))
		case markPart:
			said = append(said, p.text)
		default:
			said = append(said, indented(p.mark().text))
		}
	}
	for _, does := range m.does() {
		said = append(said, indented(does))
	}
	return speaker(m.role, stringOf(m.member("name"))) + ": " + unled(strings.Join(said, "\n  "))
}
