package extract

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece is a sentence, a list item, a heading or a caption of a message.
type piece struct {
	text string
	kind kind
	// paragraph counts the blocks of the message; pieces of one share the number.
	paragraph int
	// line is the line it ends on.
	line int
	// code says that fenced code comes right behind it.
	code bool
}

// codeMark is the line that stands where fenced code was; no cleaned text has it.
const codeMark = "\x00"

type kind int

const (
	sentence kind = iota
	// item is an item of a list.
	item
	// lead introduces what follows: a heading, or a line that ends in a colon.
	lead
	// caption is a note in square brackets that stands by itself.
	caption
)

var (
	fenceLine  = newPattern("^\\s{0,3}(?:```+|~~~+|\"\"\"\\s*$|'''\\s*$)")
	itemLine   = newPattern(`^\s*(?:[-*•·◦▪–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][)])\s+(\S.*)$`)
	headLine   = newPattern(`^\s{0,3}#{1,6}\s+(.*?)[\s#]*$`)
	boldLine   = newPattern(`^\s*\*\*[^*]{1,100}\*\*:?\s*$`)
	ruleLine   = newPattern(`^\s*(?:[-*_=]\s*){3,}$|^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*$`)
	quoteMark  = newPattern(`^\s*(?:>\s?)+`)
	captionAll = newPattern(`^\[[^\[\]]*\]$`)
	urlPattern = newPattern(`(?i)\b(?:https?://|www\.)[^\s<>"“”]+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+`)
)

// logNote is a line that goes on with a log if it stands right behind one.
var logNote = newPattern(`(?i)^\s*(?:note|warning|error|hint|caused by|info|debug|detail|context|help)\b\s*:`)

// codeLine is a line of code, of a log or of a stack trace that stands outside of a
// fence: it has the signs of one from beginning to end.
var codeLine = newPattern(`^\s*(?:` + strings.Join([]string{
	`\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*\]?\s+\S*\s*(?:\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\]?)\b.*`, `(?:ERROR|WARN|WARNING|DEBUG|FATAL|TRACE)\b[: \]].*`,
	`at [\w.$<>]+ ?\(.*\)`, `[A-Z][A-Z0-9_]+=\S.*`, `panic: .*`, `goroutine \d+ .*`, `(?:[\w.*()]+/)*[\w.*]+\.[\w.*]+\([^ ]*\)`, `/?(?:[\w.@-]+/)+[\w.@-]+:\d+(?::\d+)?(?:[ :].*)?`, `exit status \d+`, `npm ERR!.*`, `error\[E\d+\]:.*`, `[\w.]*(?:Error|Exception): .*`, "`[^`]+`", `File ".*", line \d+.*`, `Traceback \(most recent call last\):`,
	`(?:export )?(?:const|let|var) \w+ = .*`, `(?:async )?(?:def|func|function|class) \w+.*[({:]`, `(?:import|from) [\w.{} ,*]+ (?:from|import) .*`, `#include [<"].*`,
	`(?:if|for|while|switch) ?\(.*\) ?\{`, `[\w.]+\(.*\);`, `[\w.\[\]]+ (?:=|\+=|:=|==) .*[;({]`, `[})\]]+[;,]?`, `return .*;`, `</?\w+[^>]*>.*</?\w+>`, `SELECT .+ FROM .+;?`,
}, `|`) + `)\s*$`)

// split cuts a text into pieces in order, none of more than maxRunes. Fenced code is
// left out; a fence that never closes is no fence. The only error is ctx's own.
func split(ctx context.Context, text string) ([]piece, error) {
	lines := withoutCode(strings.Split(text, "\n"))
	lines = unfolded(lines)
	var out []piece
	paragraph := 0
	var open []string // lines that one sentence may run over
	n := 0
	flush := func() {
		for _, s := range sentences(ctx, strings.Join(open, " ")) {
			k := sentence
			switch {
			case captionAll.MatchString(s):
				k = caption
			case strings.HasSuffix(s, ":") || strings.HasSuffix(s, "："):
				k = lead
			}
			out = append(out, piece{text: s, kind: k, paragraph: paragraph, line: n - 1})
		}
		open = open[:0]
	}
	logged := false // the line before was one of code or of a log
	for _, line := range lines {
		n++ // a flush ends the lines before
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		inLog := logged && logNote.MatchString(line)
		logged = codeLine.MatchString(line) || inLog
		line = quoteMark.ReplaceAllString(line, "")
		switch {
		case line == codeMark:
			flush()
			paragraph++
			if len(out) > 0 {
				out[len(out)-1].code = true
			}
		case strings.TrimSpace(line) == "":
			flush()
			paragraph++
		case ruleLine.MatchString(line), codeLine.MatchString(line), inLog:
			flush()
			paragraph++
		case headLine.MatchString(line):
			flush()
			paragraph++
			if h := tidy(headLine.FindStringSubmatch(line)[1]); hasContent(h) {
				out = append(out, piece{text: h, kind: lead, paragraph: paragraph, line: n})
			}
		case boldLine.MatchString(line):
			flush()
			paragraph++
			out = append(out, piece{text: tidy(line), kind: lead, paragraph: paragraph, line: n})
		case itemLine.MatchString(line):
			flush()
			out = append(out, piece{text: tidy(itemLine.FindStringSubmatch(line)[1]), kind: item, paragraph: paragraph, line: n})
		case len(open) > 0 && wraps(open[len(open)-1], line):
			open = append(open, strings.TrimSpace(line))
		default:
			flush()
			open = append(open, strings.TrimSpace(line))
		}
	}
	n++
	flush()
	// A sentence beyond all measure is cut here, before its grammar is looked at.
	var kept []piece
	for _, p := range out {
		for _, p.text = range cut(tidy(p.text)) {
			if hasContent(p.text) {
				kept = append(kept, p)
			}
		}
	}
	return kept, ctx.Err()
}

// unfolded gives a numbered list that was written on one line its lines.
func unfolded(lines []string) []string {
	var out []string
	for _, line := range lines {
		if !firstNumber.MatchString(line) || !secondNumber.MatchString(line) {
			out = append(out, line)
			continue
		}
		start := 0
		for _, m := range laterNumber.FindAllStringIndex(line, -1) {
			out = append(out, line[start:m[0]])
			start = m[0]
		}
		out = append(out, line[start:])
	}
	return out
}

var (
	firstNumber  = newPattern(`^\s*\(?1[.)]\s+\pL`)
	secondNumber = newPattern(`\s\(?2[.)]\s+\pL`)
	laterNumber  = newPattern(`\s\(?(?:[2-9]|1\d)[.)]\s+\pL`)
)

// wraps says whether a line goes on with the sentence of the long line before it.
func wraps(last, line string) bool {
	if breaksAt.MatchString(last) {
		return true
	}
	if utf8.RuneCountInString(last) < 50 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimSpace(line))
	end, _ := utf8.DecodeLastRuneInString(last)
	return unicode.IsLower(first) && (unicode.IsLetter(end) || unicode.IsDigit(end) || end == ',' || end == '-')
}

// breaksAt ends in a word that none ends a sentence with: a picture may stand between it and
// the next line.
var breaksAt = newPattern(`(?i)\pL['’]?\pL*\s+(?:a|an|the|my|our|your|his|their|is called|named)\s*$|^(?:(?:i|we) (?:own|have|drive|like|love|prefer|hate)|i(?:'m|’m| am)|(?:my|our) \pL+ is)\s*$`)

// withoutCode takes fenced code out. Where code stood a mark stays, so that
// the prose before and after is not run together.
func withoutCode(lines []string) []string {
	var out []string
	for i := 0; i < len(lines); i++ {
		if fenceLine.MatchString(lines[i]) {
			mark := strings.TrimSpace(lines[i])[:3]
			if end := fenceEnd(lines, i, mark); end < len(lines) {
				out = append(out, codeMark)
				i = end
				continue
			}
			if rest := strings.TrimLeft(strings.TrimSpace(lines[i]), "`~"); strings.Contains(rest, " ") {
				out = append(out, rest)
			}
			continue
		}
		out = append(out, lines[i])
	}
	return out
}

// fenceEnd gives the line that closes the fence at line i, len(lines) if none does.
func fenceEnd(lines []string, i int, mark string) int {
	end := i + 1
	for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), mark) {
		end++
	}
	return end
}

var closing = map[rune]rune{
	'“': '”', '«': '»', '「': '」', '『': '』', '(': ')', '[': ']', '（': '）', '`': '`', '"': '"', '„': '“',
}

// guarded gives the byte ranges of a line in which no sentence ends: quotations,
// brackets, code, addresses. Only pairs that close within 300 bytes count, so that
// a smiley opens nothing.
func guarded(line string) [][2]int {
	out := urlRanges(line)
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		end, ok := closing[r]
		before, _ := utf8.DecodeLastRuneInString(line[:i])
		if ok && (r == '"' || r == '(') && (unicode.IsLetter(before) && before < 0x2E80 || unicode.IsDigit(before) || r == '(' && strings.ContainsRune(":;=-", before)) {
			ok = false
		}
		if ok {
			window := line[i+size : min(len(line), i+size+300)]
			if n := strings.IndexRune(window, end); n >= 0 {
				stop := i + size + n + utf8.RuneLen(end)
				out = append(out, [2]int{i, stop})
				i = stop
				continue
			}
		}
		i += size
	}
	slices.SortFunc(out, func(a, b [2]int) int { return a[0] - b[0] })
	merged := out[:0]
	for _, s := range out {
		if n := len(merged); n > 0 && s[0] < merged[n-1][1] {
			merged[n-1][1] = max(merged[n-1][1], s[1])
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// urlRanges gives the addresses of a line, less the punctuation that ends their sentence.
func urlRanges(line string) [][2]int {
	var out [][2]int
	if !strings.ContainsAny(line, "@/") && !strings.Contains(line, "www.") {
		return nil
	}
	for _, m := range urlPattern.FindAllStringIndex(line, -1) {
		end := m[0] + len(strings.TrimRight(line[m[0]:m[1]], ".,;:!?)]}…。"))
		out = append(out, [2]int{m[0], end})
	}
	return out
}

// marks of sentences: those after which a blank must come, and those of scripts
// that write none.
const (
	spacedEnds   = ".!?…؟۔።։।॥"
	unspacedEnds = "。！？｡．"
	closers      = "\"”»’')]}」』）】›*_~`"
)

// sentences cuts one line. What it gives when ctx has ended is not to be used.
func sentences(ctx context.Context, line string) []string {
	var out [][2]int
	spans := guarded(line)
	// inside gives where the range ends that i stands in, or -1; i never goes back
	// behind a range that it has left.
	inside := func(i int) int {
		for len(spans) > 0 && spans[0][1] <= i {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0][0] <= i {
			return spans[0][1]
		}
		return -1
	}
	start := 0
	take := func(end int) {
		// Marks and smileys alone belong to the sentence before.
		if n := len(out); n > 0 && !hasContent(line[start:end]) {
			out[n-1][1] = end
		} else {
			out = append(out, [2]int{start, end})
		}
		start = end
	}
	for i := 0; i < len(line); {
		if end := inside(i); end > i {
			// A quotation or bracket that closes after the end of a sentence may end the outer one too.
			inner, _ := utf8.DecodeLastRuneInString(strings.TrimRight(line[i:end], closers))
			if strings.ContainsRune(".!?…", inner) && end < len(line) && startsSentence(line[end:]) && !strings.ContainsRune("[`", rune(line[i])) {
				take(end)
			}
			i = end
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if isPictograph(r) && i > start {
			// "I'm vegan 🌱 I love cats": emoji end a sentence where another plainly begins.
			i += max(size, smileys(line[i:]))
			if opensPlainly(line[i:]) {
				take(i)
			}
			continue
		}
		if !strings.ContainsRune(spacedEnds, r) && !strings.ContainsRune(unspacedEnds, r) {
			i += size
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		// All marks in a row, then what closes, then smileys.
		end := i
		for end < len(line) {
			m, n := utf8.DecodeRuneInString(line[end:])
			if !strings.ContainsRune(spacedEnds, m) && !strings.ContainsRune(unspacedEnds, m) {
				break
			}
			end += n
		}
		marks := line[i:end]
		for end < len(line) {
			m, n := utf8.DecodeRuneInString(line[end:])
			if !strings.ContainsRune(closers, m) || inside(end) >= 0 {
				break
			}
			end += n
		}
		if ends(line[start:i], marks, line[end:]) {
			end += smileys(line[end:])
			take(end)
		}
		i = end
	}
	if start < len(line) {
		take(len(line))
	}
	var kept []string
	for _, r := range out {
		if s := strings.TrimSpace(line[r[0]:r[1]]); s != "" {
			kept = append(kept, splitCaptions(s)...)
		}
	}
	return kept
}

// opensPlainly says whether a text begins, behind a blank, with a word in capitals that
// begins sentences.
func opensPlainly(after string) bool {
	rest := strings.TrimLeft(after, " ")
	if rest == after {
		return false
	}
	words := wordsOf(head(rest, 40))
	return len(words) > 0 && words[0].start == 0 && words[0].capital && openers[words[0].low]
}

// splitCaptions parts a sentence from notes in square brackets at its beginning
// and end; a bracket that a link follows is none.
func splitCaptions(s string) []string {
	var before, after []string
	for strings.HasPrefix(s, "[") {
		n := strings.IndexByte(s, ']')
		if n < 0 || strings.HasPrefix(s[n+1:], "(") || !strings.ContainsRune(s[:n], ' ') {
			break
		}
		rest := strings.TrimSpace(s[n+1:])
		if !hasContent(rest) {
			return append(before, strings.TrimRight(s, ". "))
		}
		before, s = append(before, s[:n+1]), rest
	}
	for strings.HasSuffix(s, "]") {
		n := strings.LastIndexByte(s, '[')
		if n <= 0 || !strings.ContainsRune(s[n:], ' ') || s[n-1] != ' ' {
			break
		}
		after, s = append(after, s[n:]), strings.TrimSpace(s[:n])
	}
	slices.Reverse(after)
	if s != "" {
		before = append(before, s)
	}
	return append(before, after...)
}

// ends decides whether marks end a sentence, given the text before them (from the
// sentence's start) and after.
func ends(before, marks, after string) bool {
	if strings.ContainsAny(marks, unspacedEnds) {
		next, _ := utf8.DecodeRuneInString(after)
		return !strings.HasSuffix(marks, "．") || digitOf(next) < 0
	}
	if after == "" {
		return true
	}
	next, _ := utf8.DecodeRuneInString(after)
	if !unicode.IsSpace(next) {
		// "好吗?我" and "Yes!🎉" end; "3.5", "P!nk", "example.com" do not.
		return marks != "." && (next >= 0x2E80 && unicode.IsLetter(next) || isPictograph(next)) || strings.ContainsAny(marks, "।॥؟۔") && unicode.IsLetter(next)
	}
	if marks != "." {
		// "so... i moved" goes on; "Really? yes" does not.
		if strings.Trim(marks, ".…") == "" {
			first, _ := utf8.DecodeRuneInString(strings.TrimSpace(after))
			return !unicode.IsLower(first)
		}
		return true
	}
	return !abbreviated(before, after)
}

var (
	// abbreviations never end a sentence.
	abbreviations = set(`
dr mr mrs ms prof rev hon st mt ft sr jr gen col capt lt sgt gov sen rep pres vs v approx ca cf viz fig figs no nos vol pp p ed eds resp
e.g i.e eg ie p.s z.b d.h u.a bzw nr str abs hr fr frl sra srta dra srs p.ej mme mlle av núm pág tel exa sig dott
jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri incl excl
`)
	// abbreviations that end one if a new one plainly begins.
	eitherWay = set(`etc usw inc ltd co corp llc gmbh bros al a.m p.m am pm u.s u.k u.s.a u.n e.u d.c ph.d m.d b.a m.a b.sc m.sc dept est min max hrs hr mins secs sec lb lbs oz km cm mm kg ave blvd rd apt jr sr`)
	// openers are words that plainly begin a sentence.
	openers = set(`i i'm i've i'd i'll we we're we've we'll my our it it's he he's she she's they they're the this that there you your and but so also then when if after before now today yesterday next last
		ich wir meine mein yo mi je nous mon ma eu meu minha`)
	germanMonths = set(`januar februar märz april mai juni juli august september oktober november dezember klasse stock etage jahrhundert`)
	pairOpens    = newPattern(`^\pL{1,2}\.(?:\s|$)`)
	pairCloses   = newPattern(`(?:^|\s)\p{Ll}\. \pL{1,2}$`)
	lastToken    = newPattern(`[^\s(\["“„«]+$`)
)

// abbreviated says whether the full stop after before belongs to its last word.
func abbreviated(before, after string) bool {
	token := strings.ToLower(lastToken.FindString(tail(before, 40)))
	if token == "" {
		return false
	}
	rest := strings.TrimSpace(after)
	first, _ := utf8.DecodeRuneInString(rest)
	opens := false
	if words := wordsOf(head(rest, 40)); len(words) > 0 && words[0].start <= 3 {
		opens = openers[words[0].low] && (words[0].capital || words[0].low == "i")
	}
	switch {
	case eitherWay[token]:
		if token == "etc" || token == "usw" {
			return !unicode.IsUpper(first)
		}
		return !opens && !(unicode.IsUpper(first) && (token == "am" || token == "pm" || token == "min" || token == "max" || token == "est"))
	case abbreviations[token]:
		switch token {
		// Words as well: an abbreviation only before a number or a name.
		case "no", "mar", "jun", "dec", "sun", "sat", "wed", "fig", "ms", "str", "sig", "ed", "av", "fri", "mon", "st", "ft", "p", "v", "exa", "abs", "tel", "ca":
			return unicode.IsDigit(first) || !opens && token != "no" && token != "fig" && (unicode.IsUpper(first) || unicode.IsLower(first) && token != "ed" && token != "mon" && token != "exa")
		}
		return true
	}
	runes := []rune(token)
	if len(runes) == 1 && unicode.IsLetter(runes[0]) {
		// "z. B.", "d. h.", "p. ej.": shortened words in a row.
		if unicode.IsLower(runes[0]) && runes[0] != 'i' && pairOpens.MatchString(rest) || pairCloses.MatchString(tail(before, 12)) {
			return true
		}
		// An initial ("J. R."), unless it is "I" or a new sentence plainly begins.
		return runes[0] != 'i' && unicode.IsUpper(first) && !opens && strings.ContainsFunc(before[len(before)-1:], unicode.IsUpper)
	}
	if unicode.IsDigit(runes[len(runes)-1]) {
		// German ordinals: "am 3. Mai"; elsewhere a number ends a sentence as a word does.
		if words := wordsOf(head(rest, 40)); len(words) > 0 && len(runes) <= 2 {
			return germanMonths[words[0].low]
		}
	}
	return false
}

// tail gives the last n bytes of s at most, cut at a character.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
}

// head gives the first n bytes of s at most, cut at a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// startsSentence says whether what follows a quotation begins a new sentence.
func startsSentence(after string) bool {
	trimmed := strings.TrimLeft(after, " ")
	if trimmed == after {
		return false
	}
	first, _ := utf8.DecodeRuneInString(trimmed)
	return unicode.IsUpper(first)
}

var emoticon = newPattern(`^\s*(?:[:;=8xX][-'^]?[)(DPpOo/\\|*\]\[3]+|<3+|\^_*\^|[xX]D+|:'\()(?:\s|$)`)

// smileys gives the length of the smileys and emoji at the beginning of a text.
func smileys(after string) int {
	n := 0
	for n < len(after) {
		if m := emoticon.FindString(head(after[n:], 64)); m != "" {
			n += len(strings.TrimRight(m, " "))
			continue
		}
		rest := strings.TrimLeft(after[n:], " ")
		r, size := utf8.DecodeRuneInString(rest)
		if !isPictograph(r) {
			break
		}
		n = len(after) - len(rest) + size
	}
	return n
}

// isPictograph tells emoji and what joins them.
func isPictograph(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r == 0x200D || r == 0xFE0F || r == 0x20E3 || r >= 0x2B00 && r <= 0x2BFF || r >= 0xE0020 && r <= 0xE007F
}

// tidy collapses blanks and drops markdown's bold marks.
func tidy(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "**", "")), " ")
}
