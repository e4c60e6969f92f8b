package extract

import "strings"

// columnSecrets finds what stands in a table in the column, or beside the cell, that names a
// secret: in a table as Markdown has them, and below a line of names parted by commas or tabs.
// names are those of the text, in order.
func columnSecrets(text string, names []secretName) []span {
	var out []span
	read := 0
	for _, n := range names {
		if n.start < read {
			continue
		}
		start, end, ok := lineAround(text, n.start)
		if read = end; !ok {
			continue
		}
		for _, sign := range []byte("|\t,;") {
			row := cellsOf(text, start, end, sign)
			if len(row) < 2 || sign == '|' && !strings.HasPrefix(strings.TrimLeft(text[start:end], " \t>"), "|") || sign != '|' && !namesAll(text, row) {
				continue
			}
			below, next := columns(text, row, end, sign)
			out = append(out, below...)
			if len(below) > 0 {
				read = max(read, next)
			} else if sign == '|' && len(row) == 2 {
				if s, ok := inColumn(text, row[0], row[1], true); ok {
					out = append(out, s)
				}
			}
			break
		}
	}
	return out
}

// maxRow bounds how much of a line is looked at.
const maxRow = 4 << 10

// lineAround gives the line that i is in, with its end; false if it is too long for a row.
func lineAround(text string, i int) (start, end int, ok bool) {
	before := text[max(0, i-maxRow):i]
	start, end = i-len(before), len(text)
	if n := strings.LastIndexByte(before, '\n'); n >= 0 {
		start += n + 1
	} else if start > 0 {
		return start, i, false
	}
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		end = i + n + 1
	}
	return start, end, end-i <= maxRow
}

// columns finds what stands in the rows below the names of columns, from i on; next is as far as
// the table goes.
func columns(text string, names []cell, i int, sign byte) (out []span, next int) {
	kinds := make([]secretKind, len(names))
	for k, c := range names {
		kinds[k] = c.kind(text)
	}
	ruled := false // what is below dashes is what the column is called, whatever it looks like
	for first := true; i < len(text); first = false {
		end := len(text)
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		row := cellsOf(text, i, min(end, i+maxRow), sign)
		switch {
		case first && sign == '|':
			if ruled = rules(text, row); !ruled {
				return nil, i
			}
		case len(row) != len(names):
			return out, i
		default:
			for k, c := range row {
				if s, ok := inColumn(text, names[k], c, ruled); kinds[k] != noSecret && ok {
					out = append(out, s)
				}
			}
		}
		i = end
	}
	return out, i
}

// namesAll says whether a row is of names: a word each.
func namesAll(text string, row []cell) bool {
	for _, c := range row {
		if v := text[c.start:c.end]; v == "" || strings.ContainsAny(v, " :=") || hasDigit(v) {
			return false
		}
	}
	return true
}

// cell is what a row of a table has in a column.
type cell struct{ start, end int }

// maxCells bounds how many cells of a row are looked at, maxCell how many bytes of one.
const (
	maxCells = 32
	maxCell  = 256
)

// cellsOf gives the cells of a line, nil if it is none of a table.
func cellsOf(text string, start, end int, sign byte) []cell {
	trim := func(start, end int, what string) (int, int) {
		for start < end && strings.IndexByte(what, text[start]) >= 0 {
			start++
		}
		for end > start && strings.IndexByte(what, text[end-1]) >= 0 {
			end--
		}
		return start, end
	}
	start, end = trim(start, end, " \r\n")
	if sign == '|' {
		start, end = trim(start, end, "> \t")
		if start < end && text[start] == '|' {
			start++
		}
		if end > start && text[end-1] == '|' {
			end--
		}
	}
	var out []cell
	for from := start; from <= end; {
		to := end
		if n := strings.IndexByte(text[from:end], sign); n >= 0 {
			to = from + n
		}
		s, e := trim(from, to, " \t\"'`*")
		if out = append(out, cell{s, e}); len(out) > maxCells || e-s > maxCell {
			return nil
		}
		from = to + 1
	}
	return out
}

// rules says whether a row is the line between the names of columns and what is in them.
func rules(text string, row []cell) bool {
	for _, c := range row {
		if v := text[c.start:c.end]; v == "" || strings.Trim(v, "-: ") != "" {
			return false
		}
	}
	return len(row) > 0
}

// kind is the secret that a cell names and says nothing else of.
func (c cell) kind(text string) secretKind {
	v := text[c.start:c.end]
	if v == "" || len(v) > maxName {
		return noSecret
	}
	names := namesOf(v)
	if n := len(names); n == 0 || names[n-1].end != len(v) || len(strings.Fields(v)) > 4 {
		return noSecret
	}
	return names[len(names)-1].kind
}

// inColumn gives what stands in a column of that name, if it is such a secret.
func inColumn(text string, name, value cell, ruled bool) (span, bool) {
	kind := name.kind(text)
	if kind == noSecret {
		return span{}, false
	}
	v := text[value.start:value.end]
	if v == "" || strings.Contains(v, markBegin) || pretend.MatchString(v) || harmless.MatchString(v) || typeName.MatchString(v) || value.kind(text) != noSecret {
		return span{}, false
	}
	s := span{value.start, value.end, kind.mark()}
	switch kind {
	case aPIN, aCVV, aCode:
		return s, allDigits(v) && len(v) >= 3
	case aPassword, aPhrase, aSeed:
		return s, standsOut(v) || ruled && !isProse(v) && len(strings.Fields(v)) == 1
	case aKey:
		return s, standsOut(v) && hasDigit(v)
	case anyKey, aWord: // "key" is also what a table is looked up by
		return s, standsOut(v) && len(v) >= 8 && lettersAndDigits(v)
	}
	return span{}, false
}
