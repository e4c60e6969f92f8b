package assemble

import (
	"hash/maphash"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/tiktoken-go/tokenizer"
)

// Counter names the tokenizer that budgets are counted with.
const Counter = "o200k_base"

// What OpenAI's chat models count beside the text of a request.
const (
	tokensPerMessage = 3 // the frame around each message
	tokensPerName    = 1 // a message's name, beside its own tokens
	tokensPerAnswer  = 3 // the frame that the answer is primed with
	tokensPerImage   = 1105
	tokensPerThumb   = 85 // an image with "detail": "low"
)

const (
	// chunkBytes bounds what the tokenizer sees at once: its cost grows with the
	// square of the length for some texts.
	chunkBytes = 1024
	// maxTokenBytes is the length of the vocabulary's longest token.
	maxTokenBytes = 128
	// countsKept is for how many texts the count is remembered; one takes about 100
	// bytes. The messages of a session are counted again with each of its turns.
	countsKept = 1 << 14
)

// vocabulary loads the tokenizer once; it takes about 100 ms.
var vocabulary = sync.OnceValues(func() (tokenizer.Codec, error) {
	return tokenizer.Get(tokenizer.O200kBase)
})

// counter counts tokens. It is safe for concurrent use.
type counter struct {
	codec tokenizer.Codec
	seed  maphash.Seed
	known *lru.Cache[textKey, int]
	// done ends the counting early; nil never does.
	done <-chan struct{}
	// chunks are counts of longer ones, since where a long text is to be cut is looked for many
	// times; nil keeps none.
	chunks map[textKey]int
}

// until is the counter for one who waits until done is closed, and asks for one thing at a time.
// What it gives after that is no count.
func (c *counter) until(done <-chan struct{}) *counter {
	own := *c
	own.done, own.chunks = done, map[textKey]int{}
	return &own
}

func (c *counter) isDone() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// textKey stands for a text without keeping it.
type textKey struct {
	hash   uint64
	length int
}

func newCounter() (*counter, error) {
	codec, err := vocabulary()
	if err != nil {
		return nil, err
	}
	known, err := lru.New[textKey, int](countsKept)
	if err != nil {
		return nil, err
	}
	return &counter{codec: codec, seed: maphash.MakeSeed(), known: known}, nil
}

// count gives the number of tokens in text if that is at most limit, else any number
// above limit: a text of many megabytes costs no more than the budget it is held to.
// The count is exact, save that a run of more than chunkBytes without the end of a
// word may count a token more or less.
func (c *counter) count(text string, limit int) int {
	if text == "" {
		return 0
	}
	if len(text)/maxTokenBytes > limit {
		return limit + 1
	}
	key := textKey{maphash.String(c.seed, text), len(text)}
	if n, ok := c.known.Get(key); ok {
		return n
	}
	n := 0
	for rest := text; rest != ""; {
		cut := chunkEnd(rest)
		if n += c.countChunk(rest[:cut]); n > limit {
			return n
		}
		rest = rest[cut:]
	}
	if !c.isDone() {
		c.known.Add(key, n)
	}
	return n
}

// countLines is count of lines that were counted one by one before, each with its line break:
// no token reaches over that to a letter.
func (c *counter) countLines(text string) (n int) {
	for from := 0; ; {
		cut := strings.IndexByte(text[from:], '\n') + 1
		if from += cut; cut == 0 || from == len(text) {
			return n + c.count(text, math.MaxInt)
		}
		if next, _ := utf8.DecodeRuneInString(text[from:]); unicode.IsLetter(next) {
			n += c.count(text[:from], math.MaxInt)
			text, from = text[from:], 0
		}
	}
}

func (c *counter) countChunk(chunk string) int {
	if c.isDone() {
		return len(chunk)
	}
	var key textKey
	keep := c.chunks != nil && len(chunk) >= chunkBytes/2
	if keep {
		key = textKey{maphash.String(c.seed, chunk), len(chunk)}
		if n, ok := c.chunks[key]; ok {
			return n
		}
	}
	n, err := c.codec.Count(chunk)
	if err != nil {
		n = len(chunk) // never fewer than there are
	}
	if keep {
		c.chunks[key] = n
	}
	return n
}

// chunkEnd gives where the first chunk of text ends: after a word or number if there
// is such a place, since no token reaches over it, so that the chunks' counts add up
// to the count of the whole.
func chunkEnd(text string) int {
	if len(text) <= chunkBytes {
		return len(text)
	}
	end := chunkBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	next, _ := utf8.DecodeRuneInString(text[end:])
	for at := end; at > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if wordRune(r) && !wordRune(next) && !unicode.Is(unicode.M, next) && next != '\'' {
			return at
		}
		at, next = at-size, r
	}
	return end
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.N, r) }

// trimMark ends a text that was cut, or stands where something was cut out of it.
const trimMark = "… [trimmed]"

// trim cuts text at a code point so that with the mark it has at most room tokens.
// The mark stays, even if room does not suffice for it.
func (c *counter) trim(text string, room int) string {
	room -= c.countChunk(trimMark)
	kept := c.head(text, room)
	// Mark and text may join in other tokens than each by itself.
	for kept > 0 {
		cut := strings.TrimRightFunc(text[:kept], unicode.IsSpace)
		tail := cut[max(0, len(cut)-chunkBytes):]
		if c.countChunk(tail+trimMark) <= c.countChunk(tail)+c.countChunk(trimMark) {
			return cut + trimMark
		}
		_, size := utf8.DecodeLastRuneInString(cut)
		kept = len(cut) - size
	}
	return trimMark
}

// head gives how many bytes of the beginning of text have at most room tokens.
func (c *counter) head(text string, room int) (kept int) {
	for n := 0; kept < len(text); {
		cut := chunkEnd(text[kept:])
		chunk := text[kept : kept+cut]
		size := c.countChunk(chunk)
		if n+size > room {
			return kept + c.prefix(chunk, room-n)
		}
		n += size
		kept += cut
	}
	return kept
}

// tail gives where the end of text begins that has at most room tokens.
func (c *counter) tail(text string, room int) int {
	from := len(text)
	for n := 0; from > 0 && n < room; {
		begin := max(0, from-chunkBytes)
		for begin > 0 && !utf8.RuneStart(text[begin]) {
			begin--
		}
		chunk := text[begin:from]
		size := c.countChunk(chunk)
		if n+size <= room {
			n += size
			from = begin
			continue
		}
		// The longest end of the chunk that fits; high does, low does not.
		low, high := 0, len(chunk)
		for high-low > 1 {
			mid := low + (high-low)/2
			for mid < high && !utf8.RuneStart(chunk[mid]) {
				mid++
			}
			if mid == high { // a code point begins at or before the middle and reaches to high
				for mid = low + (high-low)/2; mid > low && !utf8.RuneStart(chunk[mid]); {
					mid--
				}
				if mid == low {
					break
				}
			}
			if c.countChunk(chunk[mid:]) <= room-n {
				high = mid
			} else {
				low = mid
			}
		}
		return begin + high
	}
	return from
}

// ends gives what stays of a text for which there are about room tokens, with a mark in the
// place of what does not: its beginning, and at least as much of its end, where people ask
// about what they have pasted before. Where there is hardly more room than the mark takes, end
// is empty and begin a word or two.
func (c *counter) ends(text string, room int) (begin, end string) {
	mark := c.countChunk(trimMark)
	if room < 2*mark {
		return strings.TrimRightFunc(text[:c.head(text, max(room-1, 1))], unicode.IsSpace) + "…", ""
	}
	room -= mark + 1
	to := c.head(text, room/2)
	from := max(to, c.tail(text, room-room/2))
	return strings.TrimRightFunc(text[:to], unicode.IsSpace) + trimMark, strings.TrimLeftFunc(text[from:], unicode.IsSpace)
}

// prefix gives the length in bytes of the longest prefix of chunk, whole code points,
// that has at most room tokens.
func (c *counter) prefix(chunk string, room int) int {
	if room <= 0 {
		return 0
	}
	low, high := 0, len(chunk) // low fits, high does not
	for high-low > 1 {
		mid := low + (high-low)/2
		for mid > low && !utf8.RuneStart(chunk[mid]) {
			mid--
		}
		if mid == low { // a code point begins at low and reaches beyond the middle
			_, size := utf8.DecodeRuneInString(chunk[low:])
			if mid = low + size; mid >= high {
				break
			}
		}
		if c.countChunk(chunk[:mid]) <= room {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}
