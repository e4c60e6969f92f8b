package e5

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxTokens is the most tokens the model takes, [CLS] and [SEP] among them.
	maxTokens = 512
	// maxTextBytes is how much of a text is looked at. 512 tokens of prose are
	// some 3 kB; the cap keeps hostile input from costing more than its worth,
	// and lies before the normalisation, whose output may be longer.
	maxTextBytes = 64 << 10
)

// wordPiece is the tokenizer the model was trained with: BERT's, uncased.
// It is safe for concurrent use.
type wordPiece struct {
	// initial holds the vocabulary's entries that start a word, continuing those
	// that carry one on, without their "##".
	initial, continuing map[string]int64
	cls, sep, unk       int64
	// maxWordRunes is the length from which a word is unknown as a whole.
	maxWordRunes int
}

// openWordPiece reads a tokenizer.json and refuses one of another kind: its
// normaliser and pre-tokenizer are what this file implements.
func openWordPiece(path string) (*wordPiece, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Normalizer struct {
			Type               string `json:"type"`
			CleanText          bool   `json:"clean_text"`
			HandleChineseChars bool   `json:"handle_chinese_chars"`
			StripAccents       *bool  `json:"strip_accents"`
			Lowercase          bool   `json:"lowercase"`
		} `json:"normalizer"`
		PreTokenizer struct {
			Type string `json:"type"`
		} `json:"pre_tokenizer"`
		Model struct {
			Type         string           `json:"type"`
			Unknown      string           `json:"unk_token"`
			Prefix       string           `json:"continuing_subword_prefix"`
			MaxWordRunes int              `json:"max_input_chars_per_word"`
			Vocabulary   map[string]int64 `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	n, m := file.Normalizer, file.Model
	// A missing strip_accents follows lowercase.
	strips := n.StripAccents == nil || *n.StripAccents
	if n.Type != "BertNormalizer" || !n.CleanText || !n.HandleChineseChars || !n.Lowercase || !strips ||
		file.PreTokenizer.Type != "BertPreTokenizer" ||
		m.Type != "WordPiece" || m.Prefix == "" || m.MaxWordRunes <= 0 {
		return nil, fmt.Errorf("%s: not an uncased BERT tokenizer", path)
	}
	w := &wordPiece{
		initial:      make(map[string]int64, len(m.Vocabulary)),
		continuing:   make(map[string]int64, len(m.Vocabulary)/4),
		maxWordRunes: m.MaxWordRunes,
	}
	for piece, id := range m.Vocabulary {
		if rest, ok := strings.CutPrefix(piece, m.Prefix); ok && rest != "" {
			w.continuing[rest] = id
		}
		// "##" and the like may also stand at the start of a word.
		w.initial[piece] = id
	}
	for _, special := range []struct {
		piece string
		id    *int64
	}{{"[CLS]", &w.cls}, {"[SEP]", &w.sep}, {m.Unknown, &w.unk}} {
		id, ok := m.Vocabulary[special.piece]
		if !ok {
			return nil, fmt.Errorf("%s: the vocabulary has no %q", path, special.piece)
		}
		*special.id = id
	}
	return w, nil
}

// encode gives the ids of text as the model wants them: [CLS], the prefix's
// ids, at most as many of the text's as fit into maxTokens, [SEP]. The second
// result counts the text's own ids; zero means there is nothing in it to embed.
func (w *wordPiece) encode(prefix []int64, text string) ([]int64, int) {
	ids := make([]int64, 0, min(maxTokens, len(prefix)+len(text)/3+8))
	ids = append(append(ids, w.cls), prefix...)
	before := len(ids)
	ids = w.appendPieces(ids, text, maxTokens-1)
	return append(ids, w.sep), len(ids) - before
}

// appendPieces appends the ids of text's words until ids has limit entries.
// A special token's name in the text is text like any other: its brackets are
// punctuation, so no word is ever "[SEP]".
func (w *wordPiece) appendPieces(ids []int64, text string, limit int) []int64 {
	text = normalize(truncateBytes(text, maxTextBytes))
	for len(text) > 0 && len(ids) < limit {
		word, rest := cutWord(text)
		text = rest
		if word != "" {
			ids = w.appendWord(ids, word)
		}
	}
	return ids[:min(len(ids), limit)]
}

// appendWord appends the ids of one word, greedily the longest piece first; a
// word that cannot be put together, or is too long, is one unknown token.
func (w *wordPiece) appendWord(ids []int64, word string) []int64 {
	if len(word) > w.maxWordRunes && utf8.RuneCountInString(word) > w.maxWordRunes {
		return append(ids, w.unk)
	}
	start := len(ids)
	for pieces := w.initial; word != ""; pieces = w.continuing {
		end := len(word)
		for end > 0 {
			if id, ok := pieces[word[:end]]; ok {
				ids = append(ids, id)
				break
			}
			_, size := utf8.DecodeLastRuneInString(word[:end])
			end -= size
		}
		if end == 0 {
			return append(ids[:start], w.unk)
		}
		word = word[end:]
	}
	return ids
}

// cutWord splits the first word off a normalised text: a run without blanks and
// punctuation, or one punctuation mark. The word is empty where the text starts
// with a blank.
func cutWord(text string) (word, rest string) {
	for i, r := range text {
		switch {
		case isSpace(r):
			if i > 0 {
				return text[:i], text[i:]
			}
			return "", text[utf8.RuneLen(r):]
		case isPunctuation(r):
			if i > 0 {
				return text[:i], text[i:]
			}
			size := utf8.RuneLen(r)
			return text[:size], text[size:]
		}
	}
	return text, ""
}

// normalize is BERT's uncased normaliser: characters that show nothing removed,
// blanks made spaces, ideographs set apart, accents stripped, lower case.
// The result is valid UTF-8.
func normalize(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	ascii := true
	// Invalid bytes come out of the range as U+FFFD, which is dropped.
	for _, r := range text {
		switch {
		case r == 0 || r == utf8.RuneError || isControl(r):
		case isSpace(r):
			b.WriteByte(' ')
		case r < utf8.RuneSelf:
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
			b.WriteByte(byte(r))
		case isIdeograph(r):
			ascii = false
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			ascii = false
			b.WriteRune(r)
		}
	}
	if ascii {
		return b.String()
	}
	return strings.Map(func(r rune) rune {
		if isStrippedMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(b.String()))
}

// isControl reports characters that the cleaning drops. Go's category C also
// holds the unassigned code points, which the reference keeps.
func isControl(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

func isSpace(r rune) bool {
	return unicode.Is(unicode.White_Space, r)
}

// isStrippedMark reports the accents that are dropped once they stand alone.
func isStrippedMark(r rune) bool {
	return r >= utf8.RuneSelf && unicode.Is(unicode.Mn, r)
}

// isPunctuation reports the marks that are words of their own: all of ASCII's,
// also those that Unicode calls symbols, and Unicode's category P.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.IsPunct(r)
}

// isIdeograph reports the CJK blocks whose characters are words of their own.
func isIdeograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF ||
		r >= 0x3400 && r <= 0x4DBF ||
		r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F ||
		r >= 0x2B740 && r <= 0x2B81F ||
		r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF ||
		r >= 0x2F800 && r <= 0x2FA1F
}

// truncateBytes cuts text to at most limit bytes without splitting a character.
func truncateBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
