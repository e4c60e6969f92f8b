package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// prose are words that follow "password is" when it is talked about, not told.
var prose = set(`
a about absolutely after again against ago all alright already also always an and annoying any anymore anything around as ask at awful back backed bad based because been before behind being below better blank both broken but by called can cannot can't case changed changing characters clear coming complex complicated compromised copied correct could
currently date default different difficult digits disabled do does doesn't don't done down due dumb each easier easily easy either eight elsewhere empty enabled encrypted enough even every everywhere exactly exposed expired expires expiring extremely fairly far fine for forgotten from getting given giving going gone gonna good great guessable had hard has hashed have having he her here hers hidden hideous his how however
i i'll i'm if impossible in incorrect insecure inside instead invalid is isn't it it's its just kept kind known later leaked least length less letters like likely limited literally locked long longer lost lowercase
managed mandatory many masked maybe me meaningless mine minimum missing mixed more most mostly must my myself n/a na necessary need needed needs never new nine no none nonsense nope not nothing now null obsolete obviously odd of off often ok okay old on once one only optional or other ours our ourselves out outdated over
overdue pending perfect please poor posted pretty printed private probably properly protected provided public quite random rather ready really recommended refused rejected relatively remembered required reset resetting revoked ridiculous right rotated rotating safe same saved see sensitive sent set seven shared she short should shown similar simple simply since six so some something somehow somewhere special still stolen stored
strange strong stuck stupid such super supposed symbols synced taken taking tbd tba terrible than that that's the their theirs them then there these they they're this those though three time tiresome to today together tomorrow tonight too totally tricky twelve twice two unable unchanged unclear under unfortunately unique unknown unless unsafe until unusual up updated uppercase useless used using valid various very via
visible want was wasn't we weak weird well were what when where which while who whose why will with within without working worthless would wouldn't write written wrong yes yesterday yet you your yours yourself deleted denied thanks thank thx pls sorry actually confidential
string str text bool boolean int integer true false nil undefined varchar number placeholder secrecy encryption hint optional
mínimo mínima minimo minima máximo máxima mindestens maximal höchstens almeno minstens mindst obligatorio obligatoria obligatoire obligatorisch erforderlich requerido requerida requis requise obrigatório obrigatória richiesta richiesto caractères caracteres zeichen
falsch richtig vergessen abgelaufen zu sehr nicht der die das ein eine einen dein mein meine lang kurz schwer einfach sicher unsicher geändert noch auf im in bei wie was wo weg immer leicht geheim
incorrecta incorrecto olvidada olvidado muy un una el la lo las los mi tu su no es demasiado larga corta segura fácil difícil que en con para por del como donde cuándo trabajar
faux oublié oubliée trop très le les une mon ma ton ta son sa pas expiré expirée long longue court courte dans sur avec pour que qui où simple difficile
errada errado muito uma o os as meu minha seu sua não em com esqueci longa curta segura fraca
sbagliata sbagliato troppo molto il lo gli mia tuo suo non dimenticata lunga corta sicura nel nella con per
неверный неправильный забыл забыла слишком очень не мой моя твой в на от для сложный простой старый новый
خطأ طويلة قصيرة ليست صعبة سهلة في من على جدا
niet te erg mijn verkeerd vergeten
`)

// pretend are what stands for a value that is not there.
var pretend = newPattern(`^(?:[*•._#-]+|[xX]{3,}|\$\{?[A-Z_][A-Z0-9_]*\}?|\$\(.*|\{\{.*|\{[A-Za-z_. ]*\}?|%[({].*|%-?\d*[a-z]\W*|<[A-Za-z_ -]+>?|(?i:your[_-].*|my[_-](?:password|secret|token|api[_-]?key)|os\.(?:environ|getenv).*|(?:process\.)?env[.(\[].*|getenv\(.*|system\.getenv.*|vault:.*|changeme-please|redacted|none|null))$`)

// placeholders stand for a value in examples and settings.
var placeholders = set(`changeme change_me change-me changeit change_it replaceme replace_me replace-me placeholder example dummy yourpassword yourpasswordhere yoursecret insert_password_here todo fixme password passwd passwort pwd pass`)

// standsFor says whether a value of a setting or an option stands for one: "changeme", "--password FILE".
func standsFor(v string) bool {
	return placeholders[strings.ToLower(v)] || ofKind[v]
}

// ofKind are what commands call the values of their options.
var ofKind = map[string]bool{"FILE": true, "PATH": true, "STRING": true, "TEXT": true, "VALUE": true, "SECRET": true, "TOKEN": true, "KEY": true, "NAME": true, "STR": true}

// typeName is what a value is of, as tables, schemas and programs say it.
var typeName = newPattern(`(?i)^(?:n?(?:var)?char(?:acter)?|varbinary|binary|decimal|numeric|string|str|text|int|integer|bigint|bytes|uuid)\(\d{1,5}(?:, ?\d{1,3})?\)[,;]?$|^(?-i:[A-Z][A-Za-z]*)<[A-Za-z<>\[\]|, ]{1,60}>[,;]?$`)

// known are words with digits that are nobody's secret.
var known = set(`1password keepass2 web3 oauth2 oauth1 2fa mfa sha1 sha256 sha512 sha-256 sha-512 sha3 md5 md4 base64 base32 argon2 argon2id bcrypt2 pbkdf2 aes256 aes-256 aes128 rsa2048 rsa4096 ed25519 x509 utf8 utf-8 utf16 office365 microsoft365 m365 o365 fido2 u2f ipv4 ipv6 http2 wpa2 wpa3 k8s s3 ec2 p12 pkcs12 pkcs8 hs256 rs256 es256 nist800 rfc7519 24/7 i18n`)

func isProse(word string) bool {
	return prose[strings.ReplaceAll(strings.ToLower(strings.Trim(word, `.,:;!?()"'’“”…*_`)), "’", "'")]
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

func hasLetters(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

func lettersAndDigits(s string) bool {
	return hasDigit(s) && hasLetters(s) && !known[strings.ToLower(s)]
}

func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

func allDigits(s string) bool {
	return s != "" && strings.TrimLeftFunc(s, unicode.IsDigit) == ""
}

func isASCIIAlnum(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

var (
	// harmless are dates, times, versions, amounts, addresses and the like.
	harmless = newPattern(`(?i)^(?:\d{4}-\d\d?(?:-\d\d?)?(?:T.*)?|\d\d?[./-]\d\d?(?:[./-]\d{2,4})?|\d\d?:\d\d(?::\d\d)?(?:[ap]m)?|\d\d?[ap]m|v?\d+(?:\.\d+)+(?:-[a-z]+\d*)?|v\d+|\d+(?:st|nd|rd|th|s|%|x|k|m|kb|mb|gb|cm|mm|ms|km|kg|px|min|h|hrs?|d|bit|bits|-bit|-digit|-character|-day|-factor|-step|-word|-letter)|[€$£#]\d.*|\d+[€$£].*|[^@\s]+@[^@\s]+\.[a-z]{2,}|[a-z][a-z0-9+.-]*://.*|www\..*|[\w-]+\.(?:com|org|net|io|dev|txt|pdf|md|go|py|js|json|ya?ml|csv|html?))$`)
	// special are signs that words do not have.
	special = `!@#$%^&*+=~|\<>?`
)

// strong says whether a word does not look like one that is said of something: it has
// letters and digits, or signs within.
func strong(v string) bool {
	low := strings.ToLower(v)
	switch {
	case len(v) < 4, known[low], harmless.MatchString(v), strings.Contains(v, "]("):
		return false
	case hasDigit(v) && hasLetters(v):
		return true
	case hasLetters(v) && len(v) >= 5:
		inner := strings.Trim(v, special+".,:;'\"()[]{}")
		return strings.ContainsAny(inner, special) && inner != "" && !strings.Contains(inner, "://")
	case hasDigit(v):
		return strings.ContainsAny(strings.Trim(v, ".,:;'\"()[]{}"), special+"_") || allDigits(v) && len([]rune(v)) >= 4 || digitGroupsOf.MatchString(v)
	}
	return false
}

var digitGroupsOf = newPattern(`^\d{3,}(?:-\d{3,})+$`)

// aYear is a number that is more likely a year.
var aYear = newPattern(`^(?:19|20)\d\d$`)

// inWord says whether a word looks made up for want of blanks or in its capitals: as what
// stands directly behind "password".
func standsOut(v string) bool {
	return strong(v) && !aYear.MatchString(v) && (hasLetters(v) && len(v) >= 5 || !hasLetters(v) && len(v) >= 4)
}

// maxToken is how many bytes of a word are looked at before it is taken for a secret.
const maxToken = 256

// lenToBlank gives how many bytes there are to the next blank.
func lenToBlank(text string) int {
	if n := strings.IndexFunc(text, unicode.IsSpace); n >= 0 {
		return n
	}
	return len(text)
}

// tokenEnd gives where the word ends that begins at i and may have any signs.
// Of a longer one than maxToken that is the end of its beginning.
func tokenEnd(text string, i int) int {
	start := i
	depth := 0
	for i < len(text) && i-start < maxToken {
		r, size := utf8.DecodeRuneInString(text[i:])
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		atEnd := i+size >= len(text) || unicode.IsSpace(next)
		stop := false
		switch r {
		case '。', '、', '，', '！', '？', '；', '」', '』', '”', '“', '«', '»', '（', '）', '،', '؛', '؟', '।', '…':
			stop = true
		case '"', '\'', '`', '’', '‘':
			stop = atEnd || strings.ContainsRune(`,;:)}]>.!?&"'`, next)
		case ',', ';', '&', '|':
			stop = atEnd || strings.ContainsRune(`"'}])`, next) || settingNext.MatchString(head(text[i+size:], 48))
		case '<':
			stop = next == '/' || strings.HasPrefix(text[i+size:], "br")
		case '\\':
			stop = next == 'n' || next == '"'
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				stop = atEnd || strings.ContainsRune(`,;.:!?)]}"'`, next)
			}
		case '—', '–':
			stop = true
		case '*':
			stop = next == '*' // markdown
		default:
			stop = unicode.IsSpace(r)
		}
		if stop {
			break
		}
		i += size
	}
	return trimmedEnd(text, start, i)
}

// settingNext opens another setting or field.
var settingNext = newPattern(`^["']?[A-Za-z_][A-Za-z0-9_.-]{0,40}["']?[=:]`)

// trimmedEnd leaves out the marks of the sentence behind a word.
func trimmedEnd(text string, start, end int) int {
	for end > start {
		switch text[end-1] {
		case '.', ',', ':', ';', '?', '"', '\'':
			end--
			continue
		case ')', ']':
			opening := map[byte]string{')': "(", ']': "["}[text[end-1]]
			if !strings.Contains(text[start:end], opening) {
				end--
				continue
			}
		case '*', '_', '`':
			if end-1 > start && text[end-2] == text[end-1] {
				end -= 2
				continue
			}
		}
		break
	}
	return end
}

// valueQuotes are the marks that a value may stand in, with those that close them.
var valueQuotes = map[rune]string{'"': `"`, '\'': `'`, '“': "”", '`': "`", '„': "“", '«': "»", '‘': "’", '「': "」", '『': "』"}

// maxQuoted is the most bytes of a value in quotes.
const maxQuoted = 4096

// quotedValue gives what stands in quotes at i, on one line, and where that ends;
// false if there is nothing.
func quotedValue(text string, i int) (start, end, behind int, ok bool) {
	escaped := strings.HasPrefix(text[i:], `\"`)
	if escaped {
		i++
	}
	first, size := utf8.DecodeRuneInString(text[i:])
	closing, quoted := valueQuotes[first]
	if !quoted {
		return 0, 0, 0, false
	}
	start = i + size
	window := text[start:min(len(text), start+maxQuoted)]
	if n := strings.IndexByte(window, '\n'); n >= 0 {
		window = window[:n]
	}
	for from := 0; from <= len(window); {
		n := strings.Index(window[from:], closing)
		if n < 0 {
			return 0, 0, 0, false
		}
		n += from
		slashed := n > 0 && window[n-1] == '\\'
		if slashed == escaped && n > 0 {
			if slashed {
				n--
			}
			if strings.TrimSpace(window[:n]) == "" {
				return 0, 0, 0, false
			}
			return start, start + n, start + n + len(closing), true
		}
		if n == 0 {
			return 0, 0, 0, false
		}
		from = n + len(closing)
	}
	return 0, 0, 0, false
}

// bits is a clause as words.
type bits struct {
	words []wordAt
	// whole says that the clause ends where the words do: it was not too long.
	whole bool
	end   int
	// named says that a colon or the like is behind it: its last word is a name.
	named bool
}

type wordAt struct {
	text       string
	start, end int
}

const (
	// clauseMost is the most words of a clause that a secret is looked for in.
	clauseMost = 28
	// clauseBytes is the most bytes of it.
	clauseBytes = 400
)

// clauseFrom gives the words from i to the end of the clause.
func clauseFrom(text string, i int) bits {
	var out bits
	limit := min(len(text), i+clauseBytes)
	for i < limit {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '\n' {
			break
		}
		if unicode.IsSpace(r) {
			i += size
			continue
		}
		stop := i + lenToBlank(head(text[i:], maxToken+utf8.UTFMax))
		end := tokenEnd(text[:stop], i)
		if end == i {
			break
		}
		out.words = append(out.words, wordAt{text[i:end], i, end})
		out.end = end
		if len(out.words) == clauseMost {
			return out
		}
		if end < stop || strings.HasSuffix(text[i:end], "!") {
			break // a mark behind it
		}
		i = stop
	}
	out.whole = i < limit || limit == len(text)
	out.named = byteAt(text, out.end) == ':' || byteAt(text, out.end) == '='
	return out
}

// listed says whether words are only put in a row, as in a password of several words:
// no word says anything of another. The first may be one of prose if enough follow.
func (b bits) listed() bool {
	if !b.whole || b.named || len(b.words) < 2 || len(b.words) > 26 {
		return false
	}
	for i, w := range b.words {
		if strings.HasPrefix(w.text, markBegin) || strings.ContainsAny(w.text, ":=@/") {
			return false
		}
		if isProse(w.text) && !(i == 0 && len(b.words) >= 4 && opensPhrase[strings.ToLower(w.text)]) {
			return false
		}
		if i == 0 && len(b.words) < 4 && saysOf(w.text) {
			return false
		}
	}
	return true
}

var opensPhrase = set(`correct good bad easy hard old strong weak public private long short safe special random known perfect great eight three seven six nine two twelve time letters text right super new`)

// saysOf says whether a word has an ending of those that are said of something.
func saysOf(word string) bool {
	low := strings.ToLower(word)
	return len(low) > 5 && (strings.HasSuffix(low, "ing") || strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "ly") || strings.HasSuffix(low, "able") || strings.HasSuffix(low, "ible"))
}
