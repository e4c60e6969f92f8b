package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Numbers that are secrets by their form: of payment cards and bank accounts.

var digitHints = strings.Split("0 1 2 3 4 5 6 7 8 9", " ")

// ibanForm is what an account number may look like.
var ibanForm = newPattern(`(?i)\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,4})?\b`)

// ibans finds account numbers whose check digits are right; what follows in the same
// form is left out as far as need be.
func ibans(text string) [][]int {
	var out [][]int
	for _, m := range ibanForm.FindAllStringIndex(text, -1) {
		for end := m[1]; end-m[0] >= 15; {
			if isIBAN(text[m[0]:end]) {
				out = append(out, []int{m[0], end})
				break
			}
			if end = m[0] + strings.LastIndexAny(text[m[0]:end], " -"); end < m[0] {
				break
			}
		}
	}
	return out
}

// ibanLengths are how long the account numbers of each country are.
var ibanLengths = func() map[string]int {
	out := map[string]int{}
	for _, c := range strings.Fields(`AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20`) {
		out[c[:2]], _ = strconv.Atoi(c[2:])
	}
	return out
}()

// isIBAN holds letters and digits to the length and the check digits of an IBAN.
func isIBAN(text string) bool {
	text = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if len(text) < 15 || len(text) != ibanLengths[text[:2]] {
		return false
	}
	rest := 0
	for _, c := range []byte(text[4:] + text[:4]) {
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1
}

// digits is a run of digits in a text.
type digits struct {
	start, end int
	values     []byte
	// apart says that what parts it from the group before is not only a blank or dash.
	apart bool
}

// cardNumbers finds numbers that can be those of payment cards. Digits may stand in groups
// parted by a blank, a dash, a dot and the like.
func cardNumbers(text string) []span {
	var out []span
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if digitOf(r) < 0 {
			i += size
			continue
		}
		groups, end := digitGroups(text, i)
		for _, card := range cards(groups) {
			before, _ := utf8.DecodeLastRuneInString(text[:card[0]])
			after, _ := utf8.DecodeRuneInString(text[card[1]:])
			if isWordRune(before) && digitOf(before) < 0 || isWordRune(after) && digitOf(after) < 0 || isPhone(text, groups, card[0]) || inAddress.MatchString(tail(text[:card[0]], 80)) || ordered.MatchString(tail(text[:card[0]], 40)) {
				continue
			}
			out = append(out, span{card[0], card[1], cardMark})
		}
		i = end
	}
	return out
}

// isPhone says whether a plus opens the groups that the one at start stands in.
func isPhone(text string, groups []digits, start int) bool {
	opens := groups[0].start
	for _, g := range groups {
		if g.start > start {
			break
		}
		if g.apart {
			opens = g.start
		}
	}
	return opens > 0 && text[opens-1] == '+'
}

// inAddress ends before a number that is a part of a web address.
var inAddress = newPattern(`://[^\s?#]*/$`)

// ordered ends before a number that is of something else than a card.
var ordered = newPattern(`(?i)\b(?:order|invoice|tracking|ticket|reference|ref|booking|shipment|parcel|consignment|serial|case|imei|isbn|ean|gtin|upc|barcode|transaction|confirmation|receipt|claim|policy|membership|commande|bestellung|pedido|ordine|rechnung|factura)(?:\s?(?:id|no|nr|num|number|code|ref|is|was|#|:|=|\.)){0,4}[\s#:"']*$`)

// digitGroups reads the groups of digits that begin at i, and where they end.
func digitGroups(text string, i int) (groups []digits, end int) {
	apart := false
	for {
		g := digits{start: i, apart: apart}
		for i < len(text) {
			r, size := utf8.DecodeRuneInString(text[i:])
			d := digitOf(r)
			if d < 0 {
				break
			}
			g.values = append(g.values, byte(d))
			i += size
		}
		g.end = i
		groups = append(groups, g)
		sep, size := utf8.DecodeRuneInString(text[i:])
		switch sep {
		case ' ', '-', '.', '\u00a0', '\u2009', '\u202f', '‐', '‑', '–':
			apart = false
		case '_', '/', ',', '\n', '\t', '|', ':':
			if apart = true; byteAt(text, i+size) == ' ' {
				size++
			}
		default:
			return groups, i
		}
		if sep == ' ' && strings.ContainsRune("-–/", rune(byteAt(text, i+size))) && byteAt(text, i+size+1) == ' ' {
			size += 2
		}
		if next, _ := utf8.DecodeRuneInString(text[i+size:]); digitOf(next) < 0 {
			return groups, i
		}
		i += size
	}
}

// cards finds the card numbers among neighbouring groups, as byte ranges. All of
// them together may be one in whatever grouping, if no lines, commas and the like part
// them; part of them only in a grouping that cards are written in.
func cards(groups []digits) [][2]int {
	if all := join(groups); isCard(all) && (cardGrouping(groups) || !slices.ContainsFunc(groups, func(g digits) bool { return g.apart })) {
		return [][2]int{{groups[0].start, groups[len(groups)-1].end}}
	}
	var out [][2]int
	for i := 0; i < len(groups); i++ {
		for n := min(5, len(groups)-i); n >= 1; n-- {
			part := groups[i : i+n]
			if cardGrouping(part) && isCard(join(part)) {
				out = append(out, [2]int{part[0].start, part[n-1].end})
				i += n - 1
				break
			}
		}
	}
	return out
}

func cardGrouping(groups []digits) bool {
	if len(groups) == 1 {
		return true
	}
	if len(groups) == 3 {
		return len(groups[0].values) == 4 && len(groups[1].values) == 6 && (len(groups[2].values) == 5 || len(groups[2].values) == 4)
	}
	if len(groups) < 4 {
		return false
	}
	for _, g := range groups[:4] {
		if len(g.values) != 4 {
			return false
		}
	}
	return len(groups) == 4 || len(groups[4].values) <= 3
}

func join(groups []digits) []byte {
	var all []byte
	for _, g := range groups {
		all = append(all, g.values...)
		if len(all) > 19 {
			return all
		}
	}
	return all
}

// isCard holds digits to the first digits, length and check digit of card numbers.
func isCard(d []byte) bool {
	if len(d) < 13 || len(d) > 19 {
		return false
	}
	issuer := int(d[0])*1000 + int(d[1])*100 + int(d[2])*10 + int(d[3])
	long := len(d) >= 16
	switch {
	case d[0] == 4:
		long = len(d) == 13 || len(d) == 16 || len(d) == 19
	case issuer/100 == 34 || issuer/100 == 37:
		long = len(d) == 15
	case issuer/100 == 36 || issuer/100 == 38 || issuer/100 == 39 || issuer/100 == 30:
		long = len(d) >= 14
	case issuer/100 == 50, issuer/100 >= 56 && issuer/100 <= 58, issuer/1000 == 6:
		// 13 to 19 digits
		long = true
	case issuer/100 >= 51 && issuer/100 <= 55, issuer >= 2200 && issuer <= 2720:
		long = len(d) == 16
	case issuer/100 == 35, issuer/100 == 81:
	default:
		return false
	}
	if !long {
		return false
	}
	sum := 0
	for i, v := range d {
		n := int(v)
		if (len(d)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// digitOf gives the value of a decimal digit of any script written with the
// Unicode rule that ten digits stand in a row, or -1.
func digitOf(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= '０' && r <= '９':
		return int(r - '０')
	case r >= '٠' && r <= '٩':
		return int(r - '٠')
	case r >= '۰' && r <= '۹':
		return int(r - '۰')
	case r >= '०' && r <= '९':
		return int(r - '०')
	}
	return -1
}

// byteAt gives a byte of a text, 0 behind its end.
func byteAt(text string, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}
