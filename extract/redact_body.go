package extract

import "strings"

const (
	// rowBytes is how many signs the rows of a key have at least, but for its last.
	rowBytes = 60
	// restBytes is how many those have at least that a cut may have left of a row.
	restBytes = 16
)

// keyBodies finds keys whose "BEGIN" line is not there: it stands in the message before, was cut
// off, or their form has none, as PuTTY's. They are rows of equally many signs, or what stands
// before an "END" line.
func keyBodies(text string) [][]int {
	var out [][]int
	var rows [][2]int // lines of nothing but such signs, one behind the other
	shown := false    // they are of what is published
	for i := 0; i < len(text); {
		next := len(text)
		if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
			next = i + n + 1
		}
		if row := keyRow(text, i, next); row[0] < row[1] {
			rows = append(rows, row)
		} else {
			var begin, end []int
			line := text[i:next]
			if strings.Contains(line, "-----") {
				begin, end = keyBegin.FindStringIndex(line), keyEnd.FindStringIndex(line)
			}
			switch {
			case len(rows) == 0 || shown:
			case end == nil:
				out = append(out, openBodies(text, rows)...)
			case !published.MatchString(line):
				out = append(out, endedBody(rows, i+end[1])...)
			}
			rows = rows[:0]
			if begin != nil || end != nil {
				shown = begin != nil && published.MatchString(line)
			}
		}
		i = next
	}
	if shown {
		return out
	}
	return append(out, openBodies(text, rows)...)
}

// keyRow gives what a line has of a key, without what marks it as quoted or numbers it.
func keyRow(text string, start, end int) [2]int {
	for start < end && strings.IndexByte(" \t>|", text[start]) >= 0 {
		start++
	}
	number := start
	for number < end && text[number] >= '0' && text[number] <= '9' {
		number++
	}
	if number > start && number < end && strings.IndexByte("\t:| ", text[number]) >= 0 {
		for start = number; start < end && strings.IndexByte("\t:| ", text[start]) >= 0; {
			start++
		}
	}
	for end > start && strings.IndexByte(" \t\r\n", text[end-1]) >= 0 {
		end--
	}
	for i := start; i < end; i++ {
		if b := text[i]; !isASCIIAlnum(b) && b != '+' && b != '/' && b != '=' {
			return [2]int{}
		}
	}
	return [2]int{start, end}
}

// endedBody gives the key that rows before its end are, of which the last and the sum behind it
// may be short, and the first.
func endedBody(rows [][2]int, end int) [][]int {
	first := len(rows) - 1
	for first > 0 {
		before := rows[first-1][1] - rows[first-1][0]
		if short := first-1 >= len(rows)-2; !short && before < rowBytes {
			if before >= restBytes {
				first--
			}
			break
		}
		first--
	}
	return [][]int{{rows[first][0], end}}
}

// openBodies gives the keys that rows are of which no end is seen.
func openBodies(text string, rows [][2]int) [][]int {
	var out [][]int
	for i := 0; i < len(rows); {
		n := rows[i][1] - rows[i][0]
		j := i + 1
		for j < len(rows) && rows[j][1]-rows[j][0] == n && mixed(text[rows[j][0]:rows[j][1]]) {
			j++
		}
		if n < rowBytes || j-i < 2 || !mixed(text[rows[i][0]:rows[i][1]]) || !hasDigit(text[rows[i][0]:rows[j-1][1]]) {
			i = j
			continue
		}
		from, to := i, j-1
		if i > 0 && rest(text, rows[i-1], n) {
			from--
		}
		if j < len(rows) && rest(text, rows[j], n) {
			to++
		}
		out = append(out, []int{rows[from][0], rows[to][1]})
		i = max(j, to+1)
	}
	return out
}

// rest says whether a row beside others of n signs is what is left of one.
func rest(text string, row [2]int, n int) bool {
	v := text[row[0]:row[1]]
	return len(v) < n && (strings.ContainsAny(v, "+/=") || hasDigit(v))
}

// mixed says whether a text has small and large letters: a sum in hexadecimal has not.
func mixed(v string) bool {
	return strings.ToLower(v) != v && strings.ToUpper(v) != v
}
