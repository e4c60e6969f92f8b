package extract

import (
	"slices"
	"strconv"
	"strings"
)

// secret is one form in which a secret shows itself. Group 1 of the pattern, if
// there is one, is the part that is taken out; else the whole match is.
//
// The time that it takes is linear in the text only if no match that is begun can
// run on for long while another, later one is found: each search would go over the
// same text again. So what ends at a far mark is read by hand.
type secret struct {
	// hints are lower-case pieces of which one stands in every text that matches;
	// they spare the pattern for the texts that have none.
	hints   []string
	pattern *pattern
	mark    string
	// find is asked in place of the pattern, if there is one.
	find func(text string) [][]int
	// accept says whether the part really is one; nil accepts all.
	accept func(value string) bool
}

var secrets = []secret{
	{hints: []string{"-----begin"}, find: privateKeys, mark: keyMark},
	{find: keyBodies, mark: keyMark},
	{hints: []string{"eyj"}, pattern: newPattern(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*`), mark: tokenMark},
	{hints: []string{"sk-", "sk_", "pk-", "pk_", "rk-", "rk_"}, pattern: newPattern(`\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}`), mark: keyMark, accept: madeUp},
	{hints: []string{"gh", "glpat-", "glrt-", "gldt-"}, pattern: newPattern(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|rt|dt)-[A-Za-z0-9_.-]{16,})`), mark: tokenMark},
	{hints: []string{"akia", "asia", "agpa", "aida", "aroa"}, pattern: newPattern(`\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}\b`), mark: keyMark},
	{hints: []string{"xox", "xapp-"}, pattern: newPattern(`\b(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}`), mark: tokenMark},
	{hints: []string{"aiza"}, pattern: newPattern(`\bAIza[0-9A-Za-z_-]{30,}`), mark: keyMark},
	{hints: []string{"ya29."}, pattern: newPattern(`\bya29\.[0-9A-Za-z_-]{20,}`), mark: tokenMark},
	{hints: vendorHints, pattern: vendorKeys, mark: keyMark, accept: madeUp},
	{hints: []string{":"}, pattern: newPattern(`\b(?:bot)?\d{8,10}:[A-Za-z0-9_-]{35}\b`), mark: tokenMark},
	{hints: []string{"://"}, find: userinfo, mark: passwordMark},
	{hints: []string{"hooks.slack.com", "api/webhooks", "webhook.office.com", "hooks.zapier.com"}, pattern: newPattern(`(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks|webhook\.office\.com|hooks\.zapier\.com/hooks/catch)/([A-Za-z0-9_/@.-]{8,})`), mark: tokenMark},
	{hints: []string{"sig", "token", "auth", "key="}, pattern: newPattern(`(?i)[?&](?:sig|signature|x-amz-signature|x-amz-security-token|(?:access_|auth_|id_|api_)?token|auth|(?:api_?|access_?)?key)=([A-Za-z0-9%._~+/=-]{12,})`), mark: tokenMark, accept: hasDigit},
	{hints: []string{"authorization"}, pattern: newPattern(`(?i)\bauthorization["']?\s*[:=：]\s*["']?(?:basic|bearer|token|digest|apikey)\s+([^\s"',;]{6,})`), mark: tokenMark},
	{hints: []string{"bearer"}, pattern: newPattern(`(?i)\bbearer\s+([A-Za-z0-9._~+/-]{12,}=*)`), mark: tokenMark, accept: hasDigit},
	{hints: []string{"cookie"}, pattern: newPattern(`(?i)\bcookie["']?\s*[:=]\s*["']?[^\n"']{0,400}?\b[\w.-]{0,40}(?:sess|sid|auth|token|jwt|login|remember)[\w.-]*=([^\s;,"']{8,})`), mark: tokenMark, accept: hasDigit},
	// user:password behind the option for it.
	{hints: []string{"-u", "--proxy-user"}, pattern: newPattern(`(?:^|\s)(?:-u|-U|--user|--proxy-user)(?:[ =]+|)["']?[A-Za-z0-9._@\\-]{1,80}[:%]([^\s"']+)`), mark: passwordMark, accept: func(v string) bool { return hasLetters(v) && !strings.HasPrefix(v, "//") && !standsFor(v) }},
	{hints: []string{" -p", " -a"}, pattern: newPattern(`\b(?:mysql(?:dump|admin)?|mariadb)\b[^\n|]{0,120}?\s-p([^\s-]\S*)`), mark: passwordMark},
	{hints: []string{" -p", " -a"}, pattern: newPattern(`\b(?:sshpass|(?:docker|podman|oc|helm registry|az) login|redis-cli|zip|7z|mongosh?)\b[^\n|]{0,120}?\s-(?:p|P|a)[ =]*["']?([^\s"'-][^\s"']*)`), mark: passwordMark},
	{hints: []string{"cookie"}, find: cookieValues, mark: tokenMark},
	// ("bob", "hunter2") as HTTP clients take it
	{hints: []string{"auth"}, pattern: newPattern(`(?i)(?:^|[^\pL\d])(?:basic_?|http_?|proxy_?)?auth["']?\s*[:=]\s*[\[(]\s*["'][^"'\n]{1,80}["']\s*,\s*["']([^"'\s]{6,})["']\s*[\])]`), mark: passwordMark, accept: strong},
	{hints: []string{"log", "cred", "account", "zugang"}, find: listedLogins, mark: passwordMark},
	{hints: []string{"pass:"}, pattern: newPattern(`\s-pass(?:in|out)?\s+pass:(\S+)`), mark: passwordMark},
	// bob / hunter2x, bob:hunter2x
	{hints: []string{"wifi", "wi-fi", "wlan", "log", "sign", "cred", "account", "user", "admin", "ssh", "ftp", "vpn"}, pattern: newPattern(`(?i)\b(?:log-?ins?|log in|sign in|credentials?|creds|account|user(?:name)?|admin|ssh|s?ftp|vpn|wi-?fi|wlan)\b(?:\s+(?:details|info|is|are|with|as|data|for\s+\S{1,40}(?:\s+(?:is|are))?)){0,3}\s*[:=]?\s*[A-Za-z0-9._@-]{2,60}(?: ?/ ?|:| \| )([^\s/:(){}\[\]"'<>,;]{6,})`), mark: passwordMark, accept: lettersAndDigits},
	{pattern: newPattern(`^\s*[A-Za-z][A-Za-z._@-]{1,40}(?: / |:| \| )([A-Za-z][A-Za-z0-9!@#$%^&*?_+=]{5,40})\s*$`), hints: digitHints, mark: passwordMark, accept: func(v string) bool { return lettersAndDigits(v) && letters(v) >= 4 }},
	{hints: []string{"u:", "user:", "l:", "login:", "username:"}, pattern: newPattern(`(?i)\b(?:u|l|user(?:name)?|login)\s*:\s*\S{1,80}\s+(?:p|pw|pass|pwd)\s*:\s*(\S+)`), mark: passwordMark},
	{hints: []string{"pass "}, pattern: newPattern(`(?i)(?:\b(?:user(?:name)?|login|account|email)\b[^\n]{1,60}?|[,;/&]\s*|\band\s+)\bpass\s+([^\s,;]{5,})`), mark: passwordMark, accept: lettersAndDigits},
	{hints: []string{"admin", "root", "guest", "test"}, pattern: newPattern(`(?m)^\s*(?:admin|root|guest|test)[/:](\S{4,40})\s*$`), mark: passwordMark, accept: lettersAndDigits},
	{hints: []string{":"}, pattern: newPattern(`(?m)^[^\s:]{1,80}:\d{2,5}:[^\s:]{1,80}:[^\s:]{1,80}:(\S+)$`), mark: passwordMark, accept: hasLetters},
	{hints: []string{"g-"}, pattern: newPattern(`\bG-\d{6}\b`), mark: passwordMark},
	// unlock with 2580, use hunter2 to log in
	{hints: []string{"unlock"}, pattern: newPattern(`(?i)\bunlock(?:s|ed|ing)?\b[^.\n]{0,40}?\b(?:with|using)\s+(?:(?:the|my|code|pin)\s+){0,2}(\d{4,8})\b`), mark: passwordMark},
	{hints: []string{"to log", "to sign", "to unlock"}, pattern: newPattern(`(?i)\b(?:use|used|using|type|enter)\s+([^\s,;]{5,60})\s+to\s+(?:log|sign|unlock)\b`), mark: passwordMark, accept: strong},
	{hints: []string{"log in", "sign in", "login"}, pattern: newPattern(`(?i)\b(?:log|sign) ?in\s+(?:with|as|using)\s+\S{1,60}\s+(?:and|/)\s+([^\s,;]{5,60})`), mark: passwordMark, accept: lettersAndDigits},
	// the code for the front door is 4711
	{hints: []string{"cod", "cód", "combination"}, pattern: newPattern(`(?i)\b(?:codes?|combination|código|codice)\s+(?:for|to|of|on|de|del|da|do|della|du|für)\s+(?:(?:the|my|our|your|la|el|le|l'|il|mi|mon|ma|die|das|a|o)\s*)?(?:[\pL'’]+\s+){0,2}?(?:door|gate|garage|entrance|lobby|lockbox|keypad|safe|elevator|building|puerta|portón|porte|portail|cancello|portone|porta|portão|tür|haustür|tor)\s*(?:is|was|=|:|es|est|è|é|ist|changed to|is now|now is)\s*(?:now\s+|set to\s+)?([#*]?\d[\d#*-]{2,14}[a-z]?)`), mark: passwordMark},
	{hints: []string{"code", "combination"}, pattern: newPattern(`(?i)\b(?:door|gate|garage|entry|entrance|lobby|lockbox|keypad|safe|vault|elevator|alarm)(?:'s|’s)?\s+(?:code|combination)\s*(?:is|was|=|:|changed to|is now)\s*(?:now\s+|set to\s+)?([#*]?\d[\d#*-]{2,14}[a-z]?)`), mark: passwordMark},
	{hints: []string{"code", "combination"}, pattern: newPattern(`(?i)\b(?:codes?|combination)\s+(?:for|to|of|on)\s+(?:(?:the|my|our|your|his|her)\s*)?(?:[\pL'’]+\s+){0,2}?(?:door|gate|garage|lockbox|keypad|safe|vault|locker|alarm|building|house|flat|apartment)\s*(?:is|was|=|:|changed to|is now|now is)\s*(?:now\s+|set to\s+)?["'“]?([^\s"'”,;]{6,60})`), mark: passwordMark, accept: func(v string) bool { return lettersAndDigits(v) && !harmless.MatchString(v) }},
	{hints: paperHints, pattern: paperNumber, mark: passportMark, accept: isPaperNumber},
	{find: cardDates, mark: cardMark, hints: digitHints},
	{pattern: ibanForm, find: ibans, mark: ibanMark, hints: digitHints},
}

// vendorBegins are how the keys of services begin, with the fewest characters that follow.
var vendorBegins = []struct {
	begin string
	least int
}{
	{`hf_`, 30}, {`npm_`, 30}, {`pypi-`, 30}, {`do[opr]_v1_`, 40}, {`whsec_`, 20}, {`SG\.`, 30}, {`shp(?:at|ss|ca|pa)_`, 20}, {`hv[sbr]\.`, 20}, {`lin_api_`, 20},
	{`ntn_`, 30}, {`secret_`, 30}, {`fig[dou]_`, 30}, {`sntry[su]_`, 30}, {`PMAK-`, 30}, {`sq0(?:atp|csp|idp)-`, 20}, {`tskey-`, 16}, {`r8_`, 30}, {`gsk_`, 30}, {`xai-`, 30},
	{`pplx-`, 30}, {`nvapi-`, 30}, {`dckr_pat_`, 20}, {`rubygems_`, 30}, {`AGE-SECRET-KEY-1`, 30}, {`pscale_(?:tkn|pw|oauth)_`, 20}, {`dapi`, 32}, {`NRAK-`, 20}, {`glsa_`, 30},
	{`sbp_`, 30}, {`ph[cx]_`, 30}, {`xkeysib-`, 40}, {`ATATT3`, 30}, {`ATBB`, 24}, {`GOCSPX-`, 20}, {`1//0`, 30}, {`EAA[A-Z]`, 60}, {`dp\.(?:pt|st|ct)\.`, 30}, {`CFPAT-`, 30},
	{`CLOJARS_`, 40}, {`FLWSECK`, 16}, {`pat-(?:na|eu)\d-`, 30}, {`fm[12]_`, 40}, {`ops_eyJ`, 40}, {`tfp_`, 30}, {`key-`, 32}, {`m0-`, 24}, {`lsv2_(?:pt|sk)_`, 30}, {`AKCp`, 30}, {`cio`, 32},
}

// vendorHints and vendorKeys are those of vendorBegins.
var vendorHints, vendorKeys = vendorForms()

func vendorForms() (hints []string, pattern *pattern) {
	var forms []string
	for _, v := range vendorBegins {
		forms = append(forms, v.begin+`[A-Za-z0-9_./+=-]{`+strconv.Itoa(v.least)+`,}`)
		hint := strings.ToLower(v.begin)
		if end := strings.IndexAny(hint, `\.([`); end > 0 {
			hint = hint[:end] // what is written so in every key
		}
		hints = append(hints, hint)
	}
	return hints, newPattern(`\b(?:` + strings.Join(forms, `|`) + `)`)
}

func (s secret) hinted(low string) bool {
	if s.hints == nil {
		return true
	}
	return slices.ContainsFunc(s.hints, func(h string) bool { return strings.Contains(low, h) })
}

// spans gives where the secrets of this form are.
func (s secret) spans(text string) []span {
	find := s.find
	if find == nil {
		find = func(text string) [][]int { return s.pattern.FindAllStringSubmatchIndex(text, -1) }
	}
	var out []span
	for _, m := range find(text) {
		start, end := m[0], m[1]
		if len(m) >= 4 && m[2] >= 0 {
			start, end = m[2], m[3]
			if s.find == nil {
				end = trimmedEnd(text, start, end)
			}
		}
		if start < end && (s.accept == nil || s.accept(text[start:end])) {
			out = append(out, span{start, end, s.mark})
		}
	}
	return out
}

// madeUp says whether what has the form of a key is more than words with dashes.
func madeUp(v string) bool {
	run, longest := 0, 0
	for i := range len(v) {
		if b := v[i]; b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest >= 10 && hasDigit(v)
}

// maxUserinfo is how far behind "://" its "@" is looked for, in bytes.
const maxUserinfo = 1024

// userinfo finds the password in "scheme://user:password@host", and the token that
// stands there alone.
func userinfo(text string) [][]int {
	var out [][]int
	for from := 0; ; {
		n := strings.Index(text[from:], "://")
		if n < 0 {
			return out
		}
		start := from + n + len("://")
		from = start
		if n == 0 && start == len("://") || !isASCIIAlnum(text[start-len("://")-1]) {
			continue
		}
		end := min(len(text), start+maxUserinfo)
		if n := strings.IndexAny(text[start:end], " \t\n\r\"'`<>"); n >= 0 {
			end = start + n
		}
		from = end
		run := text[start:end]
		if again := strings.Index(run, "://"); again >= 0 { // another address behind a comma
			from = start + again
			run = run[:again]
		}
		authority := run
		if i := strings.IndexAny(run, "/?#"); i >= 0 {
			authority = run[:i]
		}
		colon, at := strings.IndexByte(authority, ':'), strings.LastIndexByte(authority, '@')
		if at < 0 && colon > 0 && allDigits(authority[colon+1:]) {
			continue // a port
		}
		if at < 0 { // a password with "/" in it, unless the "@" is of the path
			if colon > 0 && colon < len(authority)-1 {
				at = strings.LastIndexByte(run, '@')
			}
			if at < 0 {
				continue
			}
		}
		switch {
		case colon >= 0 && colon+1 < at:
			out = append(out, []int{start + colon + 1, start + at})
		case colon < 0 && at >= 16 && hasDigit(run[:at]):
			out = append(out, []int{start, start + at})
		}
	}
}

var (
	keyBegin = newPattern(`-----BEGIN [A-Z0-9 ]+-----`)
	keyEnd   = newPattern(`-----END [A-Z0-9 ]+-----`)
	// published is armour of what is made to be shown: public keys, certificates, signatures.
	published = newPattern(`-----(?:BEGIN|END) (?:[A-Z0-9 ]*PUBLIC KEY(?: BLOCK)?|(?:X509 |TRUSTED |NEW )?CERTIFICATE(?: REQUEST)?|PGP SIGNATURE|PGP SIGNED MESSAGE|SSH SIGNATURE|X509 CRL|PKCS7|CMS)-----`)
)

// privateKeys finds keys in armour, from "BEGIN" to the next "END", or as far as
// what follows can be part of one. What is published is none.
func privateKeys(text string) [][]int {
	ends := keyEnd.FindAllStringIndex(text, -1)
	var out [][]int
	done := 0
	for _, begin := range keyBegin.FindAllStringIndex(text, -1) {
		if begin[0] < done || published.MatchString(text[begin[0]:begin[1]]) {
			continue
		}
		for len(ends) > 0 && ends[0][0] < begin[1] {
			ends = ends[1:]
		}
		if done = begin[1]; len(ends) > 0 {
			done = ends[0][1]
		} else {
			done = armourEnd(text, done)
		}
		out = append(out, []int{begin[0], done})
	}
	return out
}

// armourEnd gives how far what stands at i can be part of a key: not into a line of words.
func armourEnd(text string, i int) int {
	for i < len(text) {
		switch {
		case text[i] == '\n':
			next := i + 1
			for next < len(text) && strings.IndexByte(" \t>|", text[next]) >= 0 { // quoted
				next++
			}
			if wordsIn(text[next:]) {
				return i
			}
			i = next
		case armoured(text[i]):
			i++
		case strings.HasPrefix(text[i:], `\n`) || strings.HasPrefix(text[i:], `\r`):
			i += 2
		default:
			return i
		}
	}
	return i
}

// wordsIn says whether a line begins with several words, which are shorter than what a key has in a row.
func wordsIn(text string) bool {
	line := head(text, 2*rowBytes)
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	words := strings.Fields(line)
	return len(words) > 1 && hasLetters(words[0]) && len(words[0]) < restBytes && len(words[1]) < restBytes
}

func armoured(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("+/= \t\n\f\r", b) >= 0
}
