//go:build !race || long

package e5

import (
	"bufio"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A million words are much for the race detector, and nothing here could race: `make test`
// runs this without it.

// Every code point there is, between two letters. Those that the reference's
// tables are too old for are left out; they stand in the first line.
func TestEveryCodePointMatchesTheReference(t *testing.T) {
	w := words(t)
	lines := bufio.NewScanner(unzip(t, "codepoints.gz"))
	lines.Scan()
	newer := map[rune]bool{}
	for span := range strings.FieldsSeq(lines.Text()) {
		low, high, ok := strings.Cut(span, "-")
		from, errFrom := strconv.ParseInt(low, 16, 32)
		to, errTo := strconv.ParseInt(high, 16, 32)
		if !ok || errFrom != nil || errTo != nil {
			t.Fatalf("span %q", span)
		}
		for r := rune(from); r <= rune(to); r++ {
			newer[r] = true
		}
	}
	if len(newer) == 0 || len(newer) > 600 {
		t.Errorf("%d code points left out", len(newer))
	}
	block := rune(0)
	for ; lines.Scan(); block++ {
		var ids []int64
		for r := block << 8; r < (block+1)<<8; r++ {
			if !newer[r] && utf8.ValidRune(r) {
				one, _ := w.encode(nil, "a"+string(r)+"b")
				ids = append(ids, one...)
			}
		}
		if got := digest(ids); got != lines.Text() {
			t.Errorf("block %02x00: hash %s, want %s", block, got, lines.Text())
		}
	}
	if block != 0x1100 {
		t.Errorf("%d blocks", block)
	}
}
