package extract

import "strings"

// Who handed a text over speaks on behind it where it shows where that ends: behind its closing
// quote, or in a last paragraph of one line that begins with "I", set apart from a text in
// quotation marks, one of several lines, one on the line of the request, or a signature.

const speaksOnMost = 200

var (
	// quotedHere is a request with its text in quotation marks behind the colon, and what comes
	// after them.
	quotedHere = newPattern(`^([^"“«\n]{3,160}:\s*["“«][^"”»\n]{8,}["”»][.!]?)[\s,;–—-]*(.*)$`)
	speaksSelf = english(`^` + lightWords + `(?:i|i'm|im|i've|ive|i'd|i'll|my|we|we're|we've|our)\b`)
)

// partQuotes parts from a quoted text that is handed over what its sender says behind it.
func partQuotes(pieces []piece) []piece {
	var out []piece
	for n, p := range pieces {
		m := quotedHere.FindStringSubmatch(p.text)
		if m == nil || !speaksSelf.MatchString(m[2]) || !handsOverHere(m[1]) && !requestAbout(m[1]) {
			if out != nil {
				out = append(out, p)
			}
			continue
		}
		if out == nil {
			out = append(out, pieces[:n]...)
		}
		first, rest := p, p
		first.text, first.code, rest.text = m[1], false, m[2]
		out = append(out, first, rest)
	}
	if out == nil {
		return pieces
	}
	return out
}

// speaksOn gives the piece with which the sender of a message speaks on behind a text, len(pieces)
// for none.
func speaksOn(pieces []piece) int {
	for i := 1; i < len(pieces); i++ {
		before := pieces[i-1].text
		if m := quotedHere.FindStringSubmatch(before); m != nil && m[2] == "" && pieces[i].line == pieces[i-1].line && speaksSelf.MatchString(pieces[i].text) && (handsOverHere(before) || requestAbout(m[1])) {
			return i
		}
	}
	if len(pieces) == 0 {
		return 0
	}
	k := len(pieces) - 1
	bytes := len(pieces[k].text)
	for k > 0 && pieces[k-1].paragraph == pieces[k].paragraph {
		k--
		bytes += len(pieces[k].text)
	}
	if k == 0 || bytes > speaksOnMost || pieces[k].line != pieces[len(pieces)-1].line || pieces[k].kind != sentence || !speaksSelf.MatchString(pieces[k].text) || strings.ContainsAny(pieces[k].text, `"“«`) {
		return len(pieces)
	}
	first := k - 1
	for first > 0 && pieces[first-1].paragraph == pieces[first].paragraph {
		first--
	}
	block := pieces[first:k]
	whole := block[0].text
	for _, p := range block[1:] {
		whole += " " + p.text
	}
	switch {
	case first == 0 && (handsOverHere(whole) || handsOverHere(block[0].text)):
		return k // "Translate: …"
	case first == 0:
		return len(pieces)
	case strings.ContainsAny(whole[:1], `"`) || strings.HasPrefix(whole, "“") || strings.HasPrefix(whole, "«"):
		return k
	case pieces[first-1].paragraph == pieces[0].paragraph && pieces[k-1].line-pieces[first-1].line > 2 && !strings.HasSuffix(strings.TrimSpace(whole), ","):
		return k // a poem
	case len(block) == 1 && isSigner(whole):
		return k
	}
	return len(pieces)
}
