package format

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

// What a writer of tables writes is read as it was.
func TestTablesAreReadAsTheyWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(t, "columns")
		cell := rapid.StringOfN(rapid.RuneFrom([]rune("ab\"',;\n \té")), 0, 6, -1)
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, n, n), 1, 8).Draw(t, "rows")
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		for _, r := range rows {
			if strings.TrimSpace(strings.Join(r, ",")) == "" {
				continue
			}
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		in := &table{r: bufio.NewReader(&b), comma: ',', line: 1}
		for _, want := range rows {
			got, err := in.next()
			if err != nil || got.fault != "" || !slices.Equal(got.fields, want) {
				t.Fatalf("%q is read as %+v, %v", want, got, err)
			}
		}
		if _, err := in.next(); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	})
}

// One odd row costs no other, and nothing of a row is left out unsaid.
func TestAnOddRowOfATableCostsNoOther(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		said []string
		odd  string
	}{
		"a quote at the end of nothing": {"role,content\nuser,\"unterminated\nuser,one\nuser,two\n", []string{"one", "two"}, "2 has a quote that is not closed"},
		"a quote before others":         {"role,content\nuser,\"unterminated\nuser,one\nuser,\"two\"\nuser,\"th\nree\"", []string{"one", "two", "th\nree"}, "2 has a quote that is not closed"},
		"two quotes":                    {"role,content\nuser,\"a\nuser,\"b\nuser,one\n", []string{"one"}, "2 has a quote that is not closed; 3 has a quote that is not closed"},
		"more columns":                  {"role;content\nuser;one; two\nuser;three;;\nuser;four\n", []string{"three", "four"}, "2 has more columns than the table"},
		"quotes within":                 {"role,content\nuser,say \"one\" or\nuser,\"two\"\"\"\nuser,\"three\" said\n", []string{`say "one" or`, `two"`, `three" said`}, ""},
	} {
		var said, odd []string
		for _, i := range readText(t, c.text) {
			if i.Bad != nil {
				odd = append(odd, strings.TrimSpace(strings.Join([]string{string(rune('0' + i.Bad.Line)), i.Bad.Reason}, " ")))
				continue
			}
			for _, m := range i.Conversation.Messages {
				said = append(said, memd.TextOf(m.Raw))
			}
		}
		if !slices.Equal(said, c.said) || strings.Join(odd, "; ") != c.odd {
			t.Errorf("%s: %q, odd %q", name, said, odd)
		}
	}
}
