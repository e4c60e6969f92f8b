package extract

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretKind is a kind of secret, which says what is taken for one.
type secretKind int

const (
	noSecret secretKind = iota
	// aPassword may be any word, if nothing is said of it instead.
	aPassword
	// aWord is a name of passwords that has other meanings too: "pass", "clave".
	aWord
	// aPhrase is a password of several words.
	aPhrase
	// aSeed is of as many words as the seed of a wallet has.
	aSeed
	// aKey looks made up.
	aKey
	// anyKey is a name that has other meanings too: "key", "token", "secret".
	anyKey
	// aPIN is of digits.
	aPIN
	// aCode has digits in it: "backup code".
	aCode
	aCVV
	anSSN
)

// mark gives what stands for a secret of the kind.
func (k secretKind) mark() string {
	switch k {
	case aKey, anyKey:
		return keyMark
	case aCVV:
		return cvvMark
	case anSSN:
		return ssnMark
	}
	return passwordMark
}

// secretName is where a secret is named.
type secretName struct {
	start, end int
	kind       secretKind
	// setting says that it is a name as programs have them: db_password, apiKey.
	setting bool
	// option says that it is one of a command: --password.
	option bool
	// shouts says that it is in capitals: "PASS", as tests say; directory that it may be
	// one of a folder: "PWD".
	shouts, directory bool
	// camel says that it is one as programs have them, without a sign between its words.
	camel bool
	// several says that the name is a plural.
	several bool
}

var (
	passwordNames = set(`password passwords passwd passwds passcode passcodes pwd pwds pw pws psw passwrd pasword pswd paswd pword psk
passwort passwörter passworte kennwort kennwörter zugangscode losung mdp contraseña contraseñas contrasena contraseñita senha senhas wachtwoord wachtwoorden hasło hasła hasłem
lösenord adgangskode passord salasana heslo jelszó jelszavam şifre şifrem sifre parola parolam lozinka šifra пароль пароля паролем пароли паролей пароль-то
باسورد الباسورد باسوورد باسوردي पासवर्ड কোড mypassword pass-word κωδικός סיסמה סיסמא הסיסמה সংকেত katasandi`)
	wordNames   = set(`pass clave claves parool code-word codeword`)
	phraseNames = set(`passphrase passphrases mnemonic mnemonics seedphrase`)
	pinNames    = set(`pin pins pinnummer pincode pincodes pinkode puk geheimzahl nip пин пинкод пин-код`)
	keyNames    = set(`apikey apikeys accesskey secretkey privatekey accountkey authkey authtoken accesstoken clientsecret sessionid sessid phpsessid jsessionid apitoken secretaccesskey sharedaccesskey encryptionkey licensekey`)
	anyNames    = set(`key keys token tokens secret secrets schlüssel токен токены токена ключ`)
	cvvNames    = set(`cvv cvv2 cvc cvc2 csc`)
	// long are endings that say all.
	longNames = []string{"password", "passwort", "kennwort", "passcode", "passwords", "wachtwoord", "passwd"}

	// beforeKey, beforeToken, beforeSecret, beforePhrase and beforeCode are words that, with
	// the one behind, name a secret.
	beforeKey    = set(`api secret access private license licence encryption decryption account signing recovery auth app application client shared ssh pgp gpg product activation wifi wi-fi wlan wpa wpa2 network storage deploy webhook session jwt hmac crypt root stripe openai anthropic sendgrid mailgun twilio aws gcp azure github gitlab google maps consumer subscription instrumentation ssl tls rsa service admin bearer authentication authorization passkey апи api-schlüssel секретный`)
	beforeToken  = set(`access auth api refresh session bot bearer id csrf github gitlab slack discord telegram npm pypi hf personal jwt device oauth secret verification reset deploy registry vault ci authentication authorization login security user admin service апи`)
	beforeSecret = set(`client app api aws jwt shared consumer webhook session signing oauth totp hmac`)
	beforePhrase = set(`seed recovery pass mnemonic backup secret wallet`)
	beforeCode   = set(`backup recovery reset verification security 2fa mfa otp tfa auth authentication authenticator unlock alarm safe vault sms login one-time onetime time sign-in access pairing puk master pass secret two-factor factor phone tan sim
door doors gate garage entry entrance entryway lobby lockbox lock-box keypad keybox key-safe keysafe elevator buzzer intercom front-door frontdoor`)
	// counted come before names of what is counted.
	counted = set(`max min num n total prompt completion input output count per used reasoning next pad eos bos mask sep cls unk primary foreign sort partition cache hot public idempotency recv send list search authorized host known page continuation cursor sync cancellation stop start end current map object property`)
)

// unwritten are names in scripts that part no words by blanks.
var unwritten = []struct {
	name string
	kind secretKind
}{
	{"暗証番号", aPIN}, {"密码", aPassword}, {"密碼", aPassword}, {"口令", aPassword}, {"パスワード", aPassword}, {"パスコード", aPassword}, {"合言葉", aPassword}, {"パス", aWord}, {"비밀번호", aPassword}, {"암호", aPassword}, {"비번", aPassword},
	{"密钥", aKey}, {"密鑰", aKey}, {"金鑰", aKey}, {"APIキー", aKey}, {"シークレットキー", aKey}, {"API키", aKey}, {"รหัสผ่าน", aPassword}, {"助记词", aPhrase}, {"助記詞", aPhrase}, {"验证码", aCode}, {"驗證碼", aCode}, {"認証コード", aCode}, {"确认码", aCode}, {"安全码", aCVV}, {"セキュリティコード", aCVV}, {"トークン", anyKey}, {"令牌", anyKey},
}

// maxName is the most bytes of a name.
const maxName = 96

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_')
}

func isDense(r rune) bool {
	return r >= 0x0E00 && (unicode.In(r, dense...) || r == 'ー') || unicode.Is(unicode.Hangul, r)
}

// namesOf finds where secrets are named in a text, in order.
func namesOf(text string) []secretName {
	var out []secretName
	hasDense := false
	// prev and prev2 are the words just before, if only a blank or dash parts them.
	var prev, prev2 string
	prevEnd := -1
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if isDense(r) {
			hasDense = true
		}
		if !isWordRune(r) || isDense(r) {
			i += size
			continue
		}
		start := i
		for i < len(text) {
			r, size := utf8.DecodeRuneInString(text[i:])
			if isWordRune(r) && !isDense(r) {
				i += size
				continue
			}
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if (r == '-' || r == '.' || r == '‑') && i+size < len(text) && isWordRune(next) && !isDense(next) {
				i += size
				continue
			}
			break
		}
		word := text[start:i]
		if prevEnd < 0 || start-prevEnd > 2 || strings.TrimLeft(text[prevEnd:start], " ’'-\u00a0") != "" {
			prev, prev2 = "", ""
		}
		if len(word) > maxName {
			prev, prev2, prevEnd = "", "", i
			continue
		}
		n := nameOf(word, prev, prev2)
		if n.kind != noSecret && !strings.HasSuffix(text[:start], markBegin) {
			n.start, n.end = start, i
			n.option = start >= 2 && text[start-2:start] == "--" && (start == 2 || strings.IndexByte(" \n\"'", text[start-3]) >= 0)
			out = append(out, n)
		}
		prev2, prev = prev, strings.ToLower(word)
		prevEnd = i
	}
	out = withNumber(text, out)
	if !hasDense {
		return out
	}
	found := len(out)
	for _, u := range unwritten {
		for from := 0; ; {
			n := strings.Index(text[from:], u.name)
			if n < 0 {
				break
			}
			start := from + n
			from = start + len(u.name)
			out = append(out, secretName{start: start, end: from, kind: u.kind})
		}
	}
	if len(out) > found {
		sort.SliceStable(out, func(i, j int) bool { return out[i].end < out[j].end })
	}
	return out
}

// withNumber has names go on over "code" and "number" behind them: "PIN code".
func withNumber(text string, names []secretName) []secretName {
	for i := range names {
		n := &names[i]
		for _, more := range []string{" code", " number", " codes", " numbers", " no.", " nummer", " string", " value"} {
			end := n.end + len(more)
			if end > len(text) || !strings.EqualFold(text[n.end:end], more) {
				continue
			}
			if after, _ := utf8.DecodeRuneInString(text[end:]); !isWordRune(after) {
				n.end = end
			}
		}
	}
	// What is named twice in one name is named once: "PIN code", "secret key".
	end := 0
	return slices.DeleteFunc(names, func(n secretName) bool {
		within := n.start < end
		end = max(end, n.end)
		return within
	})
}

// nameOf says what secret a word names, with the two words before it.
func nameOf(word, prev, prev2 string) secretName {
	parts := partsOf(word)
	setting := len(parts) > 1 && strings.ContainsAny(word, "_.") || camel(word)
	last := parts[len(parts)-1]
	if len(parts) > 1 || setting {
		if prev = parts[max(0, len(parts)-2)]; len(parts) > 2 {
			prev2 = parts[len(parts)-3]
		}
	}
	bare := strings.TrimRight(last, "0123456789")
	if bare != "" && (setting || passwordNames[bare] || bare == "pass") {
		last = bare
	}
	n := secretName{setting: setting, camel: setting && !strings.ContainsAny(word, "_.-"), shouts: word == strings.ToUpper(word), directory: last == "pwd", several: strings.HasSuffix(last, "s") || strings.HasSuffix(last, "er")}
	switch {
	case last == "seed" || last == "words" && !beforePhrase[prev]:
		n.kind = aSeed
	case securityWords[last] && codeWords[prev2] && (prev == "de" || prev == "di"), last == "sicherheitscode":
		n.kind = aCVV
	case last == "combination" && (prev == "safe" || prev == "vault"), doorCodes[last]:
		n.kind = aCode
	case passwordNames[strings.ToLower(word)], passwordNames[last]:
		n.kind = aPassword
		if last == "parola" || last == "κωδικός" {
			n.kind = aWord
		}
	case cvvNames[last]:
		n.kind = aCVV
	case pinNames[last] || pinNames[strings.ToLower(word)]:
		n.kind = aPIN
	case phraseNames[last], (last == "phrase" || last == "phrases" || last == "words") && beforePhrase[prev], last == "semilla" && prev == "frase":
		n.kind = aPhrase
	case last == "passe" && (prev == "de" && prev2 == "mot" || prev == "palavra"), last == "passe" && prev == "de":
		n.kind = aPassword
	case last == "sandi" && prev == "kata", last == "khẩu" && prev == "mật", last == "word" && prev == "pass":
		n.kind = aPassword
	case keyNames[last]:
		n.kind = aKey
	case wordNames[prev] && last == "api", (last == "api" || last == "wifi" || last == "wi-fi") && keyWords[prev], last == "api" && prev == "d" && keyWords[prev2], strings.HasSuffix(word, "API") && prev == "مفتاح":
		n.kind = aKey
	case last == "ssn", last == "security" && prev == "social", last == "sozialversicherungsnummer":
		n.kind = anSSN
	case arabicPassword[last] && strings.HasSuffix(prev, "كلمة"):
		n.kind = aPassword
	case arabicSecret[last] && (strings.HasSuffix(prev, "الرقم") || strings.HasSuffix(prev, "الرمز") || strings.HasSuffix(prev, "رقمي") || strings.HasSuffix(prev, "رقم")):
		n.kind = aPIN
	case last == "code" || last == "codes" || last == "код" || last == "коды" || last == "código" || last == "códigos" || last == "codice" || last == "kode":
		switch {
		case pinNames[prev]:
			n.kind = aPIN
		case prev == "security" || prev == "verification" && prev2 == "card":
			n.kind = aCode
		case beforeCode[prev] || prev == "резервный" || prev == "secreto":
			n.kind = aCode
		}
	case last == "secret" && prev == "code", last == "secreto" && prev == "código", last == "segreto" && prev == "codice", last == "pin" && prev == "code":
		n.kind = aPIN
	case last == "otp" || last == "totp" || last == "tan":
		n.kind = aCode
	case last == "key" || last == "keys" || last == "schlüssel" || last == "ключ" || last == "clave" && prev == "api":
		n.kind = keyKind(setting, beforeKey[prev], counted[prev])
	case last == "token" || last == "tokens" || last == "токен" || last == "токена":
		n.kind = keyKind(setting && last != "tokens", beforeToken[prev], counted[prev] || last == "tokens" && setting)
	case last == "secret" || last == "secrets":
		n.kind = keyKind(setting, beforeSecret[prev], false)
	case last == "cookie" && beforeToken[prev]:
		n.kind = anyKey
	case last == "pass" && otherPasses[prev]:
	case wordNames[last]:
		if n.kind = aWord; setting && last == "pass" {
			n.kind = aPassword
		}
	case anyNames[last]:
		n.kind = anyKey
	default:
		low := strings.ToLower(word)
		if !strings.HasPrefix(last, "nopass") && slices.ContainsFunc(longNames, func(l string) bool { return strings.HasSuffix(last, l) }) {
			n.kind = aPassword
		} else if strings.HasSuffix(low, "pass") && len(parts) == 1 && userWords[strings.TrimSuffix(low, "pass")] {
			n.kind = aWord
		} else if setting && word == strings.ToUpper(word) && !settingEnds[last] {
			n.kind = inSetting(parts)
		}
	}
	return n
}

var (
	doorCodes      = set(`digicode türcode haustürcode torcode`)
	securityWords  = set(`seguridad sécurité sicurezza segurança`)
	codeWords      = set(`código code codice`)
	keyWords       = set(`clé cle clave chave chiave llave ключ مفتاح schlüssel klucz sleutel`)
	arabicPassword = set(`المرور السر مرور سر مروري سري سرّي`)
	arabicSecret   = set(`السري سري السرّي`)
	// otherPasses come before a pass that lets somebody in, or through mountains.
	otherPasses = set(`boarding ski bus train rail tram metro ferry mountain alpine season day week weekly month monthly year yearly annual museum city park parking press backstage visitor hall gate travel transit lift tourist festival conference hunting fishing bike interrail eurail ikon epic explorer`)
	userWords   = set(`db user my ftp root admin mysql pg smtp mail wifi login master redis mongo postgres database`)
	settingEnds = set(`url uri length min max count limit name names id ids path file files dir ttl expiry expires timeout enabled type policy version host port mode size alg algorithm issuer audience hash header field required bits rounds reset store manager stdin prompt regex rotation`)
)

func keyKind(setting, known, other bool) secretKind {
	switch {
	case other:
		return noSecret
	case known, setting:
		return aKey
	}
	return anyKey
}

// inSetting says what a setting in capitals names that has the name of a secret in it:
// API_KEY_STAGING.
func inSetting(parts []string) secretKind {
	for i, p := range parts {
		switch {
		case p == "password" || p == "passwd":
			return aPassword
		case p == "secret" || p == "token" || p == "apikey" || p == "key" && i > 0 && beforeKey[parts[i-1]]:
			return anyKey
		}
	}
	return noSecret
}

// camel says whether a word has a capital behind a small letter, and begins with neither
// a name nor a title: apiKey, ClientSecret.
func camel(word string) bool {
	small := false
	for _, r := range word {
		if small && unicode.IsUpper(r) {
			return true
		}
		small = unicode.IsLower(r)
	}
	return false
}

// partsOf cuts a name into its words, in lower case: db_password, apiKey, user.token.
func partsOf(word string) []string {
	var out []string
	start := 0
	small := false
	cut := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(word[start:end]))
		}
	}
	for i, r := range word {
		switch {
		case r == '_' || r == '-' || r == '.' || r == '‑':
			cut(i)
			start = i + utf8.RuneLen(r)
		case small && unicode.IsUpper(r):
			cut(i)
			start = i
		}
		small = unicode.IsLower(r)
	}
	cut(len(word))
	if len(out) == 0 {
		return []string{strings.ToLower(word)}
	}
	return out
}
