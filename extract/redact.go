package extract

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secret is one form in which a secret shows itself. Group 1 of the pattern, if
// there is one, is the part that is taken out; else the whole match is.
//
// The time that it takes is linear in the text only if no match that is begun can
// run on for long while another, later one is found: each search would go over the
// same text again. So values in quotes and what ends at a far mark are read by hand.
type secret struct {
	// hints are lower-case pieces of which one stands in every text that matches;
	// they spare the pattern for the texts that have none.
	hints   []string
	pattern *regexp.Regexp
	mark    string
	// valued says that the pattern ends where a value begins, which is what is taken
	// out: see valueEnd.
	valued bool
	// find is asked in place of the pattern, if there is one.
	find func(text string) [][]int
	// accept says whether the part really is one; nil accepts all.
	accept func(value string) bool
}

const (
	keyMark      = "[redacted:key]"
	tokenMark    = "[redacted:token]"
	passwordMark = "[redacted:password]"
	cardMark     = "[redacted:card]"
	cvvMark      = "[redacted:cvv]"
)

// named is what may stand between the name of a secret and the secret.
const (
	sign   = `\s*(?::|=|：)\s*`
	copula = `(?:\s+(?:is|was|are|to|now|es|est|ist|é|lautet|है)\s+(?:(?:now|still|just|currently|simply)\s+)?|は|是|为|為|\s*(?::|=|：)\s*)`
)

var secrets = []secret{
	{hints: []string{"-----begin"}, find: privateKeys, mark: keyMark},
	{hints: []string{"eyj"}, pattern: regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`), mark: tokenMark},
	{hints: []string{"sk-", "sk_", "pk-", "pk_", "rk-", "rk_"}, pattern: regexp.MustCompile(`\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}`), mark: keyMark, accept: hasDigit},
	{hints: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"}, pattern: regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})`), mark: tokenMark},
	{hints: []string{"akia", "asia", "agpa", "aida", "aroa"}, pattern: regexp.MustCompile(`\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}\b`), mark: keyMark},
	{hints: []string{"xox"}, pattern: regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}`), mark: tokenMark},
	{hints: []string{"aiza"}, pattern: regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{30,}`), mark: keyMark},
	{hints: []string{"ya29."}, pattern: regexp.MustCompile(`\bya29\.[0-9A-Za-z_-]{20,}`), mark: tokenMark},
	{hints: []string{"hf_", "npm_", "pypi-", "dop_v1_", "whsec_", "sg."}, pattern: regexp.MustCompile(`\b(?:hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|dop_v1_[a-f0-9]{40,}|whsec_[A-Za-z0-9+/=]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})`), mark: keyMark},
	{hints: []string{":"}, pattern: regexp.MustCompile(`\b\d{8,10}:[A-Za-z0-9_-]{35}\b`), mark: tokenMark},
	{hints: []string{"://"}, pattern: regexp.MustCompile(`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@`), mark: passwordMark},
	{hints: []string{"authorization"}, pattern: regexp.MustCompile(`(?i)\bauthorization` + sign + `(?:basic|bearer|token)\s+([^\s"',;]{6,})`), mark: tokenMark},
	{hints: []string{"bearer"}, pattern: regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/-]{12,}=*)`), mark: tokenMark, accept: hasDigit},
	{hints: []string{"="}, pattern: regexp.MustCompile(`\b[A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY)[A-Z0-9_]*\s*=\s*`), valued: true, mark: keyMark},
	{hints: []string{"phrase"}, pattern: regexp.MustCompile(`(?i)\b(?:pass ?phrase)` + copula + `([^\n.!?]+)`), mark: passwordMark},
	{hints: []string{"pass", "kennwort", "contraseña", "senha"}, pattern: regexp.MustCompile(`(?im)\b(?:password|passwort|kennwort|contraseña|senha|mot de passe)` + sign + `([a-z]+(?: [a-z]+){2,8})[.!]?\s*$`), mark: passwordMark},
	{hints: []string{"pass", "pwd", "kennwort", "contraseña", "clave", "senha", "wachtwoord", "hasło", "пароль", "密码", "密碼", "パスワード", "비밀번호"}, pattern: regexp.MustCompile(`(?i)(?:\b(?:pass ?word|passwd|pwd|pass ?code|passwort|kennwort|contraseña|clave|senha|mot de passe|wachtwoord|hasło)|пароль|密码|密碼|パスワード|비밀번호)(?:\s+(?:for|of|to|on|at|für|para|de|del|pour)\s+(?:(?:my|the|our)\s+)?[^\s:=.,;]+(?:\s[^\s:=.,;]+)?)?` + copula), valued: true, mark: passwordMark, accept: notProse},
	{hints: []string{"key", "token", "secret"}, pattern: regexp.MustCompile(`(?i)\b(?:(?:api|secret|access|private|license|encryption)[ _-]?key|(?:access|auth|api|refresh|session|bot|personal access)[ _-]?token|client[ _-]?secret)` + copula), valued: true, mark: keyMark, accept: notProse},
	{hints: []string{"token", "secret", "apikey"}, pattern: regexp.MustCompile(`(?i)\b(?:token|secret|apikey)\s*[:=]\s*`), valued: true, mark: keyMark, accept: func(v string) bool { return len(v) >= 8 && hasDigit(v) }},
	{hints: []string{"key", "token", "secret"}, pattern: regexp.MustCompile(`(?i)\b(?:key|token|secret)` + copula), valued: true, mark: keyMark, accept: func(v string) bool { return len(v) >= 16 && hasDigit(v) && hasLetters(v) }},
	{hints: []string{"login", "credential", "creds"}, pattern: regexp.MustCompile(`(?i)\b(?:login|log-in|credentials|creds)(?:\s+(?:is|are))?\s*[:=]?\s*[^\s/]{2,60}\s*/\s*([^\s/]{6,})`), mark: passwordMark, accept: func(v string) bool { return hasDigit(v) && hasLetters(v) }},
	{hints: []string{"ssn", "social security"}, pattern: regexp.MustCompile(`(?i)\b(?:ssn|social security (?:number|no\.?))(?:\s+is)?\s*[:=]?\s*(\d{3}[- ]?\d{2}[- ]?\d{4})\b`), mark: "[redacted:ssn]"},
	{pattern: ibanForm, find: ibans, mark: "[redacted:iban]", hints: digitHints},
	{hints: []string{"cvv", "cvc", "security code"}, pattern: regexp.MustCompile(`(?i)\b(?:cvv2?|cvc2?|security code)(?:\s+(?:is|was)\s+|\s*[:=]?\s*)(\d{3,4})\b`), mark: cvvMark},
	{hints: []string{"pin"}, pattern: regexp.MustCompile(`(?i)\bpin(?:\s+(?:code|number))?(?:\s+(?:for|of|to)\s+(?:[\w'’]+\s){0,4}?[\w'’]+)?(?:\s+is\s+(?:now\s+)?|\s*[:=]\s*|\s+)(\d{3,12})\b`), mark: passwordMark},
}

// prose are words that follow "password is" when it is talked about, not told.
var prose = set(`
a about again all already also always an and any as at because been being better both broken but by case changed changing compromised correct
different dumb easy empty enough exactly expired expiring fine for forgotten from going gone good hard has hashed here hidden
how i if impossible in incorrect insecure invalid is it just known leaked like locked long longer lost
many me missing more mostly my necessary needed never new no not now obsolete of off ok okay old on one only optional or our out over
public really refused rejected required reset revoked rotated deleted rejected denied missing safe same saved secret secure set shared short so some something still stolen
stored strong stuck such terrible that the their there this to too unchanged unique unknown unsafe updated useless valid very
visible weak what where which who why with without wrong you your yours
falsch richtig vergessen incorrecta incorrecto olvidada faux oublié errada
`)

// notProse accepts what follows the name of a secret unless it reads as talk about it.
func notProse(v string) bool {
	v = strings.TrimRight(v, ".!?)")
	if v == "" {
		return false
	}
	switch first, _ := utf8.DecodeRuneInString(v); first {
	case '"', '\'', '“', '`':
		return true
	}
	return !prose[strings.ToLower(v)]
}

func hasLetters(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

var digitHints = strings.Split("0 1 2 3 4 5 6 7 8 9", " ")

// ibanForm is what an account number may look like.
var ibanForm = regexp.MustCompile(`(?i)\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]{4}){2,7}(?:[ -]?[a-z0-9]{1,4})?\b`)

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

// isIBAN holds letters and digits to the length and the check digits of an IBAN.
func isIBAN(text string) bool {
	text = strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text))
	if len(text) < 15 || len(text) > 34 {
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

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// Redact takes secrets out of a text and leaves a mark in their place, such as
// [redacted:card]: API keys, tokens and private keys of the common forms, what is
// said to be a password, PIN or key, and card numbers (13 to 19 digits that pass
// the Luhn check). Phone numbers, years and other numbers stay. Redacting twice
// changes nothing. The time it takes grows with the text and no faster.
func Redact(text string) string {
	text, _ = redact(context.Background(), text) // its only error is its context's
	return text
}

// redact is Redact for as long as ctx lasts.
func redact(ctx context.Context, text string) (string, error) {
	if text == "" {
		return text, nil
	}
	low := strings.ToLower(text)
	for _, s := range secrets {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if s.hinted(low) {
			text = s.redact(text)
		}
	}
	return redactCards(text), nil
}

func (s secret) hinted(low string) bool {
	return slices.ContainsFunc(s.hints, func(h string) bool { return strings.Contains(low, h) })
}

func (s secret) redact(text string) string {
	find := s.find
	if find == nil {
		find = func(text string) [][]int { return s.pattern.FindAllStringSubmatchIndex(text, -1) }
	}
	matches := find(text)
	if matches == nil {
		return text
	}
	var out strings.Builder
	done, read := 0, 0
	for _, m := range matches {
		start, end := m[0], m[1]
		part := s.valued || len(m) >= 4 // of the match
		switch {
		case s.valued && start < read:
			continue // it stands in the value before
		case s.valued:
			start, end = end, valueEnd(text, end)
			read = end
		case len(m) >= 4 && m[2] >= 0:
			start, end = m[2], m[3]
		}
		v := text[start:end]
		if strings.Contains(v, "[redacted:") || strings.HasPrefix(text[start:], "[redacted:") || s.accept != nil && !s.accept(v) {
			continue
		}
		// The full stop of the sentence is not part of the secret.
		for end > start && part && strings.ContainsRune(".!?)", rune(text[end-1])) {
			end--
		}
		if start == end {
			continue
		}
		out.WriteString(text[done:start])
		out.WriteString(s.mark)
		done = end
	}
	out.WriteString(text[done:])
	return out.String()
}

// valueQuotes are the marks that a value may stand in, with those that close them.
var valueQuotes = map[rune]string{'"': `"`, '\'': `'`, '“': "”", '`': "`"}

// maxQuoted is the most bytes of a value in quotes.
const maxQuoted = 4096

// valueEnd gives where the value ends that begins at i; i if there is none. It is
// quoted on one line, or runs to the next blank or mark.
func valueEnd(text string, i int) int {
	first, size := utf8.DecodeRuneInString(text[i:])
	if closing, quoted := valueQuotes[first]; quoted {
		window := text[i+size : min(len(text), i+size+maxQuoted)]
		if n := strings.Index(window, closing); n > 0 && !strings.Contains(window[:n], "\n") {
			return i + size + n + len(closing)
		}
		return i
	}
	if n := strings.IndexAny(text[i:], " \t\n\f\r\"'“”`,;。、"); n >= 0 {
		return i + n
	}
	return len(text)
}

var (
	keyBegin = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]+-----`)
	keyEnd   = regexp.MustCompile(`-----END [A-Z0-9 ]+-----`)
)

// privateKeys finds keys in armour, from "BEGIN" to the next "END", or as far as
// what follows can be part of one.
func privateKeys(text string) [][]int {
	ends := keyEnd.FindAllStringIndex(text, -1)
	var out [][]int
	done := 0
	for _, begin := range keyBegin.FindAllStringIndex(text, -1) {
		if begin[0] < done {
			continue
		}
		for len(ends) > 0 && ends[0][0] < begin[1] {
			ends = ends[1:]
		}
		if done = begin[1]; len(ends) > 0 {
			done = ends[0][1]
		} else {
			for done < len(text) && armoured(text[done]) {
				done++
			}
		}
		out = append(out, []int{begin[0], done})
	}
	return out
}

func armoured(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("+/= \t\n\f\r", b) >= 0
}

// digits is a run of digits in a text.
type digits struct {
	start, end int
	values     []byte
}

// redactCards takes out numbers that can be those of payment cards. Digits may
// stand in groups parted by single blanks, dashes or dots.
func redactCards(text string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if digitOf(r) < 0 {
			i += size
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		groups, end := digitGroups(text, i)
		after, _ := utf8.DecodeRuneInString(text[end:])
		if before != '+' && !unicode.IsLetter(before) && before != '_' && !unicode.IsLetter(after) && after != '_' {
			for _, card := range cards(groups) {
				out.WriteString(text[done:card[0]])
				out.WriteString(cardMark)
				done = card[1]
			}
		}
		i = end
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// digitGroups reads the groups of digits that begin at i, and where they end.
func digitGroups(text string, i int) (groups []digits, end int) {
	for {
		g := digits{start: i}
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
		default:
			return groups, i
		}
		if next, _ := utf8.DecodeRuneInString(text[i+size:]); digitOf(next) < 0 {
			return groups, i
		}
		i += size
	}
}

// cards finds the card numbers among neighbouring groups, as byte ranges. All of
// them together may be one in whatever grouping; part of them only in a grouping
// that cards are written in.
func cards(groups []digits) [][2]int {
	if all := join(groups); isCard(all) {
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

// isCard holds digits to the length, first digit and check digit of card numbers.
func isCard(d []byte) bool {
	if len(d) < 13 || len(d) > 19 || d[0] < 2 || d[0] > 6 && !(d[0] == 8 && d[1] == 1) {
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
