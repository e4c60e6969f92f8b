package assemble

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// secrets takes secrets out of what is quoted of the log, as they are taken out of what is
// learned, also those that are such by what was asked before. The turns stay as they are.
type secrets struct {
	kept bool
	// none remembers texts that have none; nil remembers nothing.
	none *harmless
	// heard are messages, chronological, as far as it matters what they ask for; at is where a
	// message is among them.
	heard []memd.Message
	at    map[int64]int
}

const (
	// bytesHeard is how much of the end of a message is looked at for what it asks, and
	// messagesHeard how many messages before one are.
	bytesHeard    = 400
	messagesHeard = 2
	// bytesBeyond is how many bytes a secret may have that is not taken for another where the
	// text is cut.
	bytesBeyond = 8 << 10
)

// harmless are texts that hold no secret after what was said before them, of which nothing but a
// hash is kept: those of a session are quoted with each of its turns. It is safe for concurrent
// use.
type harmless struct {
	seed  maphash.Seed
	known *lru.Cache[textKey, struct{}]
}

func newHarmless() (*harmless, error) {
	known, err := lru.New[textKey, struct{}](countsKept)
	return &harmless{maphash.MakeSeed(), known}, err
}

// newSecrets has messages stand for each other's questions.
func newSecrets(kept bool, none *harmless, messages ...[]said) secrets {
	s := secrets{kept: kept, none: none, at: map[int64]int{}}
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

// cleared is the beginning of what is to be quoted, without secrets: of the first bytes, as many
// as read.
type cleared struct {
	text string
	read int
}

// beginning gives the first bytes, about so many as length, of what is to be quoted, without
// secrets; whole says that it is all of it. known is what was made of it before.
func (s secrets) beginning(of candidate, length int, known *cleared) (text string, whole bool) {
	if s.kept || of.message == 0 || of.cleared {
		text, beyond := cutAt(of.text, length)
		return text, beyond == ""
	}
	if known.read < min(length+bytesBeyond, len(of.text)) {
		// What is asked for next is often a little more.
		read, _ := cutAt(of.text, length+length/4+bytesBeyond)
		*known = cleared{s.hide(of, read), len(read)}
	}
	if known.read < len(of.text) { // a secret may have been cut at its end
		length = min(length, len(known.text)-bytesBeyond)
	}
	text, rest := cutAt(known.text, max(length, 0))
	return text, known.read == len(of.text) && rest == ""
}

// clear takes the secrets out of a message of which parts are to be left out: what says that
// something is one may stand in another part.
func (s secrets) clear(m *said) {
	if s.kept || m.cleared {
		return
	}
	m.text = s.hide(candidate{message: m.id, role: string(m.role), name: m.name}, m.text)
	m.cleared = m.does == ""
}

// hide takes the secrets out of a text of a message.
func (s secrets) hide(of candidate, text string) string {
	var heard []memd.Message
	if i, ok := s.at[of.message]; ok {
		heard = s.heard[max(0, i-messagesHeard):i]
	}
	m := memd.Message{Role: memd.Role(of.role), Name: of.name, Text: text}
	var key textKey
	if s.none != nil {
		var h maphash.Hash
		h.SetSeed(s.none.seed)
		for _, said := range append(slices.Clone(heard), m) {
			for _, part := range []string{string(said.Role), said.Name, said.Text} {
				_, _ = h.WriteString(part)
				_ = h.WriteByte(0)
			}
		}
		key = textKey{h.Sum64(), len(text)}
		if s.none.known.Contains(key) {
			return text
		}
	}
	var r extract.Redactor
	for _, said := range heard {
		r.Next(&said)
	}
	left := r.Last(&m)
	if s.none != nil && left == text {
		s.none.known.Add(key, struct{}{})
	}
	return left
}
