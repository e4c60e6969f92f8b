package extract

import "strings"

// Secrets that nothing names but what they are listed under.

var (
	// cookiesOf opens the cookies of a request, as an object or a list of objects.
	cookiesOf = newPattern(`(?i)["']?\bcookies?["']?\s*[:=]\s*[\[{]`)
	// stringMember is a member of an object that is a string, or the value of a cookie beside its name.
	stringMember = newPattern(`["']([^"'\n]{1,80})["']\s*:\s*["']([^"'\n]{8,})["']`)
	// loginsOf is a line that says that those below it are logins.
	loginsOf = newPattern(`(?im)^[^\n:]{0,60}\b(?:log-?ins?|log-?in (?:details|data)|credentials?|creds|accounts?|zugangsdaten)\b[^\n:]{0,30}:[ \t]*\r?$`)
	// loginLine is a line of those.
	loginLine = newPattern(`^[ \t]*(?:(?:[-*•>]|\d{1,2}[.)])[ \t]*)?[^\s:=/|,]{1,60}(?:[ \t][^\s:=/|,]{1,40}){0,2}[ \t]*[:=/|][ \t]*(\S{6,80})[ \t\r]*$`)
)

// bytesListed is how much is looked at behind what opens a list.
const bytesListed = 4 << 10

// cookieValues finds what cookies are, in an object or a list.
func cookieValues(text string) (out [][]int) {
	read := 0
	for _, open := range cookiesOf.FindAllStringIndex(text, -1) {
		if open[0] < read {
			continue
		}
		window := head(text[open[1]:], bytesListed)
		depth := 1
		for i := range len(window) {
			switch window[i] {
			case '[', '{':
				depth++
			case ']', '}':
				depth--
			}
			if depth == 0 {
				window = window[:i]
				break
			}
		}
		read = open[1] + len(window)
		for _, m := range stringMember.FindAllStringSubmatchIndex(window, -1) {
			name, value := strings.ToLower(window[m[2]:m[3]]), window[m[4]:m[5]]
			if !aboutCookie[name] && lettersAndDigits(value) && !harmless.MatchString(value) && !strings.Contains(value, markBegin) && !strings.Contains(value, " ") {
				out = append(out, []int{open[1] + m[4], open[1] + m[5]})
			}
		}
	}
	return out
}

// aboutCookie are what else an object says of a cookie.
var aboutCookie = set(`name domain path expires max-age maxage samesite priority url version comment sourcescheme partitionkey`)

// listedLogins finds the passwords of logins that are listed below a line that says so.
func listedLogins(text string) (out [][]int) {
	for _, above := range loginsOf.FindAllStringIndex(text, -1) {
		at := above[1]
		for at < len(text) && text[at] == '\n' && at-above[1] < bytesListed {
			start := at + 1
			end := len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			m := loginLine.FindStringSubmatchIndex(text[start:end])
			if m == nil {
				break
			}
			from := start + m[2]
			to := trimmedEnd(text, from, start+m[3])
			if v := text[from:to]; lettersAndDigits(v) && standsOut(v) && letters(v) >= 3 && !strings.Contains(v, markBegin) {
				out = append(out, []int{from, to})
			}
			at = end
		}
	}
	return out
}
