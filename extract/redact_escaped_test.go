package extract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// What a string says is redacted as what it says, however it is written.
func TestSecretsInStringsOfPrograms(t *testing.T) {
	body := strings.Repeat("MIIEowIBAAKCAQEAxyz1234567890abcdefghijklmnopqrstuvwxyzABCDEFGHI\n", 3)
	for said, secret := range map[string]string{
		"a\tpassword\tTabbed99x":                          "Tabbed99x",
		"my password is:\n\n  Nextline11x\n":              "Nextline11x",
		"mi contraseña es Secreto654x":                    "Secreto654x",
		"пароль: Parol321x":                               "Parol321x",
		"パスワードはNihonPw88です":                               "NihonPw88",
		"Das Passwort für das WLAN ist Geheim987x":        "Geheim987x",
		"the password for the router is\nFalcon-Tulip-88": "Falcon-Tulip-88",
		"-----BEGIN RSA PRIVATE KEY-----\n" + body:        "MIIE",
		`{"password":"In\"side77x"}`:                      "side77x",
	} {
		asIs, _ := json.Marshal(map[string]string{"text": said})
		for _, text := range []string{string(asIs), ascii(string(asIs)), "[calls save " + ascii(string(asIs)) + "]", ascii(string(asIs))[:len(ascii(string(asIs)))-2]} {
			got := Redact(text)
			if strings.Contains(got, secret) || !strings.Contains(got, "[redacted:") {
				t.Errorf("Redact(%s) = %s", text, got)
			}
			if twice := Redact(got); twice != got {
				t.Errorf("twice: %s", twice)
			}
			if json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
				t.Errorf("Redact(%s) = %s, which is no JSON", text, got)
			}
		}
		inside, _ := json.Marshal(map[string]string{"arguments": string(asIs)})
		if got := Redact(string(inside)); strings.Contains(got, secret) {
			t.Errorf("Redact(%s) = %s", inside, got)
		}
	}
	for text, want := range map[string]string{
		`{"nested":{"pin":"9917","secret":"zzTop77"}}`: `{"nested":{"pin":"[redacted:password]","secret":"[redacted:key]"}}`,
		`{"contrase\u00f1a":"abc\"defg"}`:              `{"contraseña":"[redacted:password]"}`,
		`{'text': 'a\tpassword\tTabbed99x'}`:           `{'text': 'a\tpassword\t[redacted:password]'}`,
	} {
		if got := Redact(text); got != want {
			t.Errorf("Redact(%s) = %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{
		`{"text":"se\u00f1or P\u00e9rez vive\nen Le\u00f3n","key":"A12","token":"tok7","secret":"patience"}`, `C:\new "and\tmore" it's`, `{"password":""}`, `{"password":null,"path":"C:\\temp"}`,
		`{"text":"the password\nis wrong"}`, `"5\" screen" and 'rock \'n\' roll'`,
	} {
		if got := Redact(text); got != text {
			t.Errorf("Redact(%s) = %s", text, got)
		}
	}
}

// ascii writes JSON as those do that escape all but ASCII.
func ascii(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r < 0x80 {
			out.WriteRune(r)
			continue
		}
		const hex = "0123456789abcdef"
		out.WriteString(`\u` + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]}))
	}
	return out.String()
}

const (
	keyRow1 = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz"
	keyRow2 = "QyNTUxOQAAACBqZKEYDATAxyzABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm"
)

func TestKeysWithoutTheirFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		keyRow1 + "\n" + keyRow2 + "\nabc12=\n-----END PRIVATE KEY-----\nand now?":   "[redacted:key]\nand now?",
		"KEYDATAxyzABCDEFGHIJ\n" + keyRow1 + "\nQw==\n-----END PRIVATE KEY-----":     "[redacted:key]",
		"Private-Lines: 3\n" + keyRow1 + "\n" + keyRow2 + "\nAbc1\nPrivate-MAC: abc": "Private-Lines: 3\n[redacted:key]\nPrivate-MAC: abc",
		"> " + keyRow1 + "\r\n> " + keyRow2 + "\r\n\r\nWhy?":                         "> [redacted:key]\r\n\r\nWhy?",
		"    1\t" + keyRow1 + "\n    2\t" + keyRow2 + "\nThanks":                     "    1\t[redacted:key]\nThanks",
		`{"text":"` + keyRow1 + `\n` + keyRow2 + `\n"}`:                              `{"text":"[redacted:key]\n"}`,
		// The beginning of a string was cut off, or the end of a key.
		keyRow1[20:] + `\n` + keyRow1 + `\n` + keyRow2 + `\n-----END PRIVATE KEY-----"}`:                               `[redacted:key]"}`,
		keyRow1[20:] + `\n` + keyRow1 + `\n` + keyRow2 + `\n` + keyRow1[:30]:                                           `[redacted:key]`,
		"> -----BEGIN PRIVATE KEY-----\n> " + keyRow1 + "\n> " + keyRow2 + "\n> " + keyRow1[:20]:                       "> [redacted:key]",
		"-----BEGIN PRIVATE KEY-----\n" + keyRow1 + "\n" + keyRow2[:40] + "\nand it does not work, why is it so long?": "[redacted:key]\nand it does not work, why is it so long?",
	} {
		if got := Redact(text); got != want {
			t.Errorf("Redact(%q) = %q, want %q", text, got, want)
		}
	}
	sum := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for _, text := range []string{
		sum + "\n" + sum + "\n" + strings.ToUpper(sum), keyRow1 + "\nis one", "Donaudampfschiff\nfahrt\n" + keyRow1, strings.Repeat("a", 64) + "\n" + strings.Repeat("b", 64), "hello\nworld\nthanks",
	} {
		if got := Redact(text); got != text {
			t.Errorf("Redact(%q) = %q", text, got)
		}
	}
	// A key in two messages.
	var r Redactor
	first, second := memd.Message{Role: memd.RoleUser, Text: "-----BEGIN PRIVATE KEY-----\n" + keyRow1}, memd.Message{Role: memd.RoleUser, Text: keyRow2 + "\n-----END PRIVATE KEY-----"}
	if a, b := r.Next(&first), r.Next(&second); a != keyMark || b != keyMark {
		t.Errorf("%q, %q", a, b)
	}
}
