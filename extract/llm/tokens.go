package llm

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"
)

// chunkBytes bounds what the tokenizer sees at once: its cost grows with the square
// of the length for some texts.
const chunkBytes = 1024

// vocabulary is o200k_base, loaded at its first use. A model's own is another; what
// that makes of a text is learned from what its server counts (see window).
var vocabulary = sync.OnceValue(func() tokenizer.Codec {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return nil
	}
	return codec
})

// tokens counts the tokens of a text.
func tokens(text string) int {
	codec := vocabulary()
	n := 0
	for text != "" {
		end := chunkEnd(text)
		size := end // never fewer than there are
		if codec != nil {
			if counted, err := codec.Count(text[:end]); err == nil {
				size = counted
			}
		}
		n += size
		text = text[end:]
	}
	return n
}

// chunkEnd gives where the first chunk of a text ends: before a blank if there is one
// near, since few tokens reach over it, else between two characters.
func chunkEnd(text string) int {
	if len(text) <= chunkBytes {
		return len(text)
	}
	end := chunkBytes
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	for at := end; at > chunkBytes/2; {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if at -= size; unicode.IsSpace(r) {
			return at
		}
	}
	return max(end, 1)
}
