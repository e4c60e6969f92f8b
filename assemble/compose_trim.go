package assemble

import (
	"cmp"
	"math"
	"slices"
)

// trimHard trims a message to limit tokens at all costs but its being there, and some of its
// words.
func (c *composer) trimHard(render string, m outgoing, limit int) outgoing {
	mark := c.count(trimMark, math.MaxInt)
	if t, ok := c.trimTo(render, m, limit, max(mark, min(leastLine, c.count(m.says(), leastLine))), c.withEnds); ok {
		return t
	}
	if t, ok := c.trimAttachments(render, m, limit); ok {
		return t
	}
	if t, ok := c.trimTo(render, m.onlyText(), limit, mark, c.withEnds); ok {
		return t
	}
	t, _ := c.trimTo(render, m.onlyText().unnamed(), limit, 1, c.withEnds)
	return t
}

// trimAttachments leaves out of a message as many of the parts that are no text as there is no room
// for, and says so in their places; its texts keep leastLine tokens. False if there is not even room
// for that.
func (c *composer) trimAttachments(render string, m outgoing, limit int) (outgoing, bool) {
	mark := c.count(trimMark, math.MaxInt)
	bare, _ := c.withAttachments(m, 0, 0)
	least := mark
	if text := m.says(); text == "" {
		least = 0
	} else {
		least = max(mark, min(leastLine, c.count(text, leastLine)))
	}
	bare.parts = slices.DeleteFunc(bare.parts, func(p part) bool { return p.is == textPart || p.is == markPart })
	room := limit - c.cost(render, []outgoing{bare}, max(limit, 0)) - least
	for most := len(m.parts); ; most-- {
		some, kept := c.withAttachments(m, room, most)
		if least == 0 {
			if c.cost(render, []outgoing{some}, max(limit, 0)) <= limit {
				return some, true
			}
		} else if t, ok := c.trimTo(render, some, limit, mark, c.withEnds); ok {
			return t, true
		}
		if most = kept; most == 0 {
			return outgoing{}, false
		}
	}
}

// markAttachments puts marks in the place of as many of the parts of a message that are no text as
// there is no room for beside its texts; false if it has none, or the texts are too long by
// themselves.
func (c *composer) markAttachments(render string, m outgoing, limit int) (outgoing, bool) {
	if !slices.ContainsFunc(m.parts, func(p part) bool { return p.is != textPart }) {
		return outgoing{}, false
	}
	bare := m
	bare.parts = slices.DeleteFunc(slices.Clone(m.parts), func(p part) bool { return p.is != textPart })
	room := limit - c.cost(render, []outgoing{bare}, max(limit, 0))
	for most := len(m.parts); ; most-- {
		some, kept := c.withAttachments(m, room, most)
		if c.cost(render, []outgoing{some}, max(limit, 0)) <= limit {
			return some, true
		}
		if most = kept; most == 0 {
			return outgoing{}, false
		}
	}
}

// trimText trims the texts of a message so that it costs at most limit; false if that
// leaves less than least tokens of them.
func (c *composer) trimText(render string, m outgoing, limit, least int) (outgoing, bool) {
	return c.trimTo(render, m, limit, max(least, c.count(trimMark, math.MaxInt)), c.withText)
}

// trimTo is trimText with what it trims with.
func (c *composer) trimTo(render string, m outgoing, limit, least int, to func(outgoing, int) outgoing) (outgoing, bool) {
	bare := m
	bare.parts = slices.DeleteFunc(slices.Clone(m.parts), func(p part) bool { return p.is == textPart })
	room := limit - c.cost(render, []outgoing{bare}, max(limit, 0))
	for room >= least {
		t := to(m, room)
		over := c.cost(render, []outgoing{t}, limit) - limit
		if over <= 0 {
			return t, true
		}
		room -= over
	}
	return to(m, 0), false
}

// fit gives a line as it fits into room tokens with the line break after it: whole,
// trimmed, or not at all ("").
func (c *composer) fit(line string, room int) (fitting string, cost int, whole bool) {
	if room <= 0 {
		return "", 0, false
	}
	if n := c.count(line+"\n", room); n <= room {
		return line, n, true
	}
	if room < leastText {
		return "", 0, false
	}
	line = c.trim(line, room-1)
	if n := c.count(line+"\n", room); n <= room {
		return line, n, false
	}
	return "", 0, false
}

// trimResults trims the results of a call so that all of it costs at most limit; the
// shortest keep most. False if that leaves too little of them.
func (c *composer) trimResults(render string, messages []outgoing, limit int) ([]outgoing, bool) {
	left := limit - c.cost(render, messages[:1], max(limit, 0))
	trimmed := slices.Clone(messages)
	byLength := make([]int, 0, len(messages)-1)
	for i := 1; i < len(messages); i++ {
		byLength = append(byLength, i)
	}
	slices.SortStableFunc(byLength, func(a, b int) int {
		return cmp.Compare(len(messages[a].says()), len(messages[b].says()))
	})
	for k, i := range byLength {
		share := left / (len(byLength) - k)
		n := c.cost(render, messages[i:i+1], max(share, 0))
		if n > share {
			var ok bool
			if trimmed[i], ok = c.trimText(render, messages[i], share, leastText); !ok {
				return nil, false
			}
			n = c.cost(render, trimmed[i:i+1], math.MaxInt)
		}
		left -= n
	}
	return trimmed, true
}
