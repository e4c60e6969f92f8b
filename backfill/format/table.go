package format

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// table gives the rows of a table one by one. A cell in quotes may go over several lines, as long
// as they are closed where a cell ends: else it is the line with the open quote that is no row, and
// those after it are read as if it was not there.
type table struct {
	r     *bufio.Reader
	comma byte
	// line is the number of the next line that is read, back are those that were and come again.
	line int
	back []tableLine
}

type tableLine struct {
	text string
	no   int
}

// row is one of a table.
type row struct {
	fields []string
	text   string
	line   int
	// fault says why it is none.
	fault string
}

// maxOpen is how many bytes are looked through for the end of a cell.
const maxOpen = 8 << 20

// next gives the next row; the error is io.EOF after the last.
func (t *table) next() (row, error) {
	first, err := t.read()
	for err == nil && strings.TrimSpace(first.text) == "" {
		first, err = t.read()
	}
	if err != nil {
		return row{}, err
	}
	out := row{text: first.text, line: first.no}
	c := cells{comma: t.comma}
	more := []tableLine{}
	size := len(first.text)
	for line := first; ; {
		switch c.feed(line.text) {
		case rowEnds:
			out.fields = c.done
			for _, l := range more {
				out.text += "\n" + l.text
			}
			return out, nil
		case rowOdd:
			if len(more) == 0 { // quotes stand where they mean none
				lazy := csv.NewReader(strings.NewReader(first.text))
				lazy.LazyQuotes, lazy.FieldsPerRecord, lazy.Comma = true, -1, rune(t.comma)
				if out.fields, err = lazy.Read(); err != nil {
					out.fault = "is no line of a table"
				}
				return out, nil
			}
			return t.unclosed(out, more), nil
		}
		line, err = t.read()
		if errors.Is(err, io.EOF) || size > maxOpen {
			if err == nil {
				more = append(more, line)
			}
			return t.unclosed(out, more), nil
		}
		if err != nil {
			return row{}, err
		}
		more, size = append(more, line), size+len(line.text)
	}
}

// unclosed gives the line that opens a quote as one that cannot be read, and the others back.
func (t *table) unclosed(out row, more []tableLine) row {
	t.back = append(more, t.back...)
	out.fault = "has a quote that is not closed"
	return out
}

// read gives the next line, without NUL bytes, which files that a crash cut have.
func (t *table) read() (tableLine, error) {
	if len(t.back) > 0 {
		line := t.back[0]
		t.back = t.back[1:]
		return line, nil
	}
	text, err := t.r.ReadString('\n')
	if err != nil && (!errors.Is(err, io.EOF) || text == "") {
		return tableLine{}, err
	}
	line := tableLine{strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), "\x00", ""), t.line}
	t.line++
	return line, nil
}

// cells are those of a row that is being read.
type cells struct {
	comma byte
	done  []string
	open  strings.Builder
	// quoted says that the cell that is open goes on in the next line.
	quoted bool
}

// What a line is to a row.
const (
	rowEnds = iota
	rowGoesOn
	rowOdd
)

// feed reads the next line of a row.
func (c *cells) feed(line string) int {
	if c.quoted {
		c.open.WriteByte('\n')
	}
	for i := 0; ; {
		if !c.quoted {
			if i < len(line) && line[i] == '"' {
				c.quoted = true
				i++
			} else {
				end := strings.IndexByte(line[i:], c.comma)
				if end < 0 {
					c.done = append(c.done, line[i:])
					return rowEnds
				}
				c.done = append(c.done, line[i:i+end])
				i += end + 1
				continue
			}
		}
		for {
			end := strings.IndexByte(line[i:], '"')
			if end < 0 {
				c.open.WriteString(line[i:])
				return rowGoesOn
			}
			c.open.WriteString(line[i : i+end])
			if i += end + 1; i < len(line) && line[i] == '"' {
				c.open.WriteByte('"')
				i++
				continue
			}
			break
		}
		c.done, c.quoted = append(c.done, c.open.String()), false
		c.open.Reset()
		switch {
		case i == len(line):
			return rowEnds
		case line[i] != c.comma:
			return rowOdd
		}
		i++
	}
}
