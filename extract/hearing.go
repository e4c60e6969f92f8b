package extract

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

// A message may need one before it to be understood: a bare answer its question, a
// correction what it corrects, "she" the one who was spoken of.

const (
	// reach is how many messages back what a message leans on is looked for.
	reach = 4
	// recalledText is the longest message, in bytes, that is looked at again.
	recalledText = 2000
	// questionWordsShown is how much of a question stands beside a bare answer.
	questionWordsShown = 30
	// backWords is the most words of a statement that is said again with what leans on it.
	backWords = 40
)

// hearing is what was heard up to a message.
type hearing struct {
	rules *Rules
	// names are those of who speaks, as they may be addressed.
	names map[string]bool
	// heard are the messages so far that can be learned from and say anything: not
	// those that only call tools.
	heard []*memd.Message
	// shallow says that nothing before a message is looked at but the question.
	shallow bool
	// chain is how many corrections of one another have been followed back.
	chain int
	// known is what was found out of messages that were looked at again, each once.
	known map[looked][]statement
	// redactor knows which of what is heard is a secret for what was asked before it.
	redactor Redactor
}

func (h *hearing) hear(m *memd.Message) {
	if m.Role.Learnable() && hasContent(m.Text) {
		h.heard = append(h.heard, h.hushed(m))
	}
}

func sameSpeaker(a, b *memd.Message) bool { return a.Role == b.Role && a.Name == b.Name }

// question gives what another speaker asked last before m, and where; "" and nil if
// the message before is none that asks. The only error is ctx's own.
func (h *hearing) question(ctx context.Context, m *memd.Message) (string, *memd.Message, error) {
	if len(h.heard) == 0 {
		return "", nil, nil
	}
	for i := len(h.heard) - 1; i >= 0 && i >= len(h.heard)-reach; i-- {
		previous := h.heard[i]
		if sameSpeaker(previous, m) {
			if i == len(h.heard)-1 && guessing.MatchString(previous.Text) && len(previous.Text) < 120 {
				return strings.Join(strings.Fields(previous.Text), " "), previous, nil
			}
			if h.breaksOff(previous) {
				continue // "hang on, phone": the question still waits
			}
			return "", nil, nil
		}
		q, err := lastQuestion(ctx, previous.Text)
		if err != nil || nudge.MatchString(q) {
			return "", nil, err
		}
		if q != "" {
			if i < len(h.heard)-1 && !sameSpeaker(h.heard[i+1], m) && !asksOfAll.MatchString(q) {
				return "", nil, nil
			}
			return q, previous, nil
		}
		if previous.Role == m.Role && m.Role == memd.RoleUser && i > 0 && countWords(previous.Text) <= 12 {
			continue // who was asked as well has answered
		}
		if !h.breaksOff(previous) || i == 0 || !sameSpeaker(h.heard[i-1], m) {
			return "", nil, nil
		}
	}
	return "", nil, nil
}

// guessing is a question that its speaker answers.
var guessing = english(`^` + lightWords + `guess (?:what|who|where|how|when|which)\b[^.!]*\b(?:i|we|my|our|i'm|i've)\b[^.!]*\?*\s*$`)

// breaksOff says whether a message only interrupts the talk, or lets it go on.
func (h *hearing) breaksOff(m *memd.Message) bool {
	text := m.Text
	if len(text) > 80 || strings.ContainsAny(text, "?？") {
		return false
	}
	return waits.MatchString(text) || interrupts(text)
}

// waits is all that is said while somebody is away for a moment.
var waits = english(`^(?:(?:ok|okay|sure|sorry|no|oh|right|hi|hey|im|i'm|i am)[\s,.!]+)*(?:no (?:rush|problem|worries|hurry)|take your time|of course|sure|ok|okay|i'll wait|back|here|(?:i'm )?back(?: again| now)?|sec|one sec|wait|hang on(?: \pL+)?|hold on(?: \pL+)?|brb|phone|door|sec,? (?:the )?(?:door|phone|kettle))(?:[\s,.!]+(?:sorry(?: about that)?|thanks|now|again|lol|haha\pL*|where were we|phew))*\W*$`)

// own gives the last message of m's speaker that states something, and its last
// statement; nil if that is too far away or too long. Chatting says that others have
// said nothing but small talk since.
func (h *hearing) own(ctx context.Context, m *memd.Message) (from *memd.Message, last statement, chatting bool) {
	return h.ownBy(m, func(i int) ([]statement, error) {
		before := &hearing{rules: h.rules, names: h.names, heard: h.heard[:i], shallow: true}
		return before.statements(ctx, h.heard[i])
	})
}

// ownBy is own, of what reading a message gives.
func (h *hearing) ownBy(m *memd.Message, read func(i int) ([]statement, error)) (from *memd.Message, last statement, chatting bool) {
	chatting = true
	for i := len(h.heard) - 1; i >= 0 && i >= len(h.heard)-reach; i-- {
		earlier := h.heard[i]
		if len(earlier.Text) > recalledText {
			return nil, statement{}, false
		}
		all, err := read(i)
		if err != nil {
			return nil, statement{}, false
		}
		if !sameSpeaker(earlier, m) {
			if len(all) > 0 || strings.ContainsAny(earlier.Text, "?？") {
				chatting = false
			}
			continue
		}
		if len(all) == 0 {
			if !h.chats(earlier) {
				return nil, statement{}, false
			}
			continue
		}
		last = all[len(all)-1]
		if last.forget || countWords(last.text) > backWords {
			return nil, statement{}, false
		}
		return earlier, last, chatting
	}
	return nil, statement{}, false
}

// chats says whether a message is small talk as a whole.
func (h *hearing) chats(m *memd.Message) bool { return isSmallTalk(m.Text, h.names) }

// why is a sentence that tells what a question before it is good for.
var why = english(`^(?:(?:so )?(?:that|this|then|with that|that way)(?:'ll| will| way| helps?|,)?\s.{0,20}\b(?:help|helps|i|we)\b|i(?:'ll| can| could| will| need| ask|'m asking)\b|just (?:so|to|asking)|it(?:'ll| will)? helps?|feel free|no (?:need|pressure|rush))`)

// lastQuestion gives the question that a message ends with, small talk and
// captions after it aside, or "". The only error is ctx's own.
func lastQuestion(ctx context.Context, text string) (string, error) {
	text, err := clean(ctx, ending(text))
	if err != nil {
		return "", err
	}
	pieces, err := split(ctx, text)
	if err != nil {
		return "", err
	}
	for i := len(pieces) - 1; i >= 0 && i >= len(pieces)-3; i-- {
		p := pieces[i]
		plainly := i == len(pieces)-1 && asksPlainly(p.text)
		if p.kind == caption || isSmallTalk(p.text, nil) && !endsAsking(p.text) && !plainly {
			continue
		}
		if !endsAsking(p.text) && !plainly && why.MatchString(p.text) {
			continue // what it is asked for
		}
		if !plainly && (!endsAsking(p.text) || isSmallTalk(p.text, nil)) {
			return "", nil
		}
		fields := strings.Fields(p.text)
		if len(fields) > questionWordsShown {
			fields = append([]string{"…"}, fields[len(fields)-questionWordsShown:]...)
		}
		if q := strings.Join(fields, " "); utf8.RuneCountInString(q) <= maxRunes/4 {
			return q, nil
		}
		return "", nil
	}
	return "", nil
}
