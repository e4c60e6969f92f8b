package assemble

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// secrets takes secrets out of what is quoted of the log, as they are taken out of what is
// learned, also those that are such by what was asked before. The turns stay as they are.
type secrets struct {
	kept bool
	// heard are messages, chronological, as far as it matters what they ask for; at is where a
	// message is among them.
	heard []memd.Message
	at    map[int64]int
}

const (
	// bytesHeard is how much of the end of a message is looked at for what it asks, and
	// messagesHeard how many messages before one are.
	bytesHeard    = 400
	messagesHeard = 3
	// bytesBeyond is how many bytes a secret may have that is not taken for another where the
	// text is cut.
	bytesBeyond = 8 << 10
)

// newSecrets has messages stand for each other's questions.
func newSecrets(kept bool, messages ...[]said) secrets {
	s := secrets{kept: kept, at: map[int64]int{}}
	if kept {
		return s
	}
	all := slices.Concat(messages...)
	slices.SortStableFunc(all, func(a, b said) int { return cmp.Compare(a.id, b.id) })
	for _, m := range all {
		if _, twice := s.at[m.id]; !twice {
			s.at[m.id] = len(s.heard)
			end := m.text[max(0, len(m.text)-bytesHeard):]
			s.heard = append(s.heard, memd.Message{Role: m.role, Name: m.name, Text: strings.ToValidUTF8(end, "")})
		}
	}
	return s
}

// beginning gives the first bytes, about so many as length, of what is to be quoted, without
// secrets; whole says that it is all of it.
func (s secrets) beginning(of candidate, length int) (text string, whole bool) {
	if s.kept || of.message == 0 {
		text, beyond := cutAt(of.text, length)
		return text, beyond == ""
	}
	text, beyond := cutAt(of.text, length+bytesBeyond)
	text = s.hide(of, text)
	if beyond != "" { // a secret may have been cut at its end
		length = min(length, len(text)-bytesBeyond)
	}
	text, rest := cutAt(text, max(length, 0))
	return text, beyond == "" && rest == ""
}

func (s secrets) hide(of candidate, text string) string {
	var r extract.Redactor
	if i, ok := s.at[of.message]; ok {
		for _, m := range s.heard[max(0, i-messagesHeard):i] {
			r.Next(&m)
		}
	}
	return r.Next(&memd.Message{Role: memd.Role(of.role), Name: of.name, Text: text})
}
