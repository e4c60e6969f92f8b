package extract

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRedact(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// Keys and tokens by their form.
		{"use sk-abc123DEF456ghi789JKL0 please", "use [redacted:key] please"},
		{"use sk-proj-abc_123DEF456ghi789JKL0.", "use [redacted:key]."},
		{"ghp_0123456789abcdefghijABCDEFGHIJ012345", "[redacted:token]"},
		{"github_pat_11ABCDEFG0123456789_abcdefghij", "[redacted:token]"},
		{"AKIAIOSFODNN7EXAMPLE is mine", "[redacted:key] is mine"},
		{"xoxb-123456789012-abcdefGHIJ", "[redacted:token]"},
		{"AIzaSyA1234567890abcdefghijklmnopqrstuv", "[redacted:key]"},
		{"see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123 ok", "see [redacted:token] ok"},
		{"Authorization: Bearer abcdef.123456-xyz", "Authorization: Bearer [redacted:token]"},
		{"bearer 0123456789abcdef0123", "bearer [redacted:token]"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/=\nxyz\n-----END RSA PRIVATE KEY-----\nI live here", "[redacted:key]\nI live here"},
		{"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk", "[redacted:key]"},
		{"postgres://bob:s3cret@db.example.com/x", "postgres://bob:[redacted:password]@db.example.com/x"},
		{"123456789:AAabcdefghijklmnopqrstuvwxyz0123456 is the bot", "[redacted:token] is the bot"},
		{"export DB_PASSWORD=hunter2 && run", "export DB_PASSWORD=[redacted:password] && run"},
		{"my AWS secret is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE1", "my AWS secret is [redacted:key]"},
		{"login: jo / p4ssw0rd123", "login: jo / [redacted:password]"},
		{"ssn 123-45-6789", "ssn [redacted:ssn]"},
		{"my IBAN is DE89 3704 0044 0532 0130 00 and I live here", "my IBAN is [redacted:iban] and I live here"},
		{"GB29NWBK60161331926819", "[redacted:iban]"},
		// Passwords by what is said of them.
		{"My password is hunter2", "My password is [redacted:password]"},
		{"my password is hunter2.", "my password is [redacted:password]."},
		{"my password is hunter, remember it", "my password is [redacted:password], remember it"},
		{"Password: s3cr3t!pass", "Password: [redacted:password]"},
		{"the password for my laptop is Blue42", "the password for my laptop is [redacted:password]"},
		{"my wifi password is \"correct horse battery\"", "my wifi password is [redacted:password]"},
		{"password: correct horse battery staple", "password: [redacted:password]"},
		{"my passphrase is never gonna give. I like tea", "my passphrase is [redacted:password]. I like tea"},
		{"pwd=abc123", "pwd=[redacted:password]"},
		{"mi contraseña es gato77", "mi contraseña es [redacted:password]"},
		{"mein Passwort ist Katze77", "mein Passwort ist [redacted:password]"},
		{"密码是abc12345", "密码是[redacted:password]"},
		{"パスワードはabc12345です", "パスワードは[redacted:password]"},
		{"my PIN is 4471", "my PIN is [redacted:password]"},
		{"api key: abcdef123456", "api key: [redacted:key]"},
		{"my API key is Zx81-44", "my API key is [redacted:key]"},
		{"client_secret=abc-def-123", "client_secret=[redacted:key]"},
		{"token: 0a1b2c3d4e", "token: [redacted:key]"},
		// Cards.
		{"4111 1111 1111 1111", "[redacted:card]"},
		{"card 4111-1111-1111-1111, exp 12/27", "card [redacted:card], exp [redacted:card]"},
		{"4111111111111111 cvv 123", "[redacted:card] cvv [redacted:cvv]"},
		{"amex 3782 822463 10005", "amex [redacted:card]"},
		{"5555.5555.5555.4444", "[redacted:card]"},
		{"in 2024 4111 1111 1111 1111 was charged", "in 2024 [redacted:card] was charged"},
		{"4111 1111 1111 1111 2024", "[redacted:card] 2024"},
		{"４１１１ １１１１ １１１１ １１１１", "[redacted:card]"},
		{"٤١١١١١١١١١١١١١١١", "[redacted:card]"},
		{"4222222222222", "[redacted:card]"},
	} {
		if got := Redact(c.text); got != c.want {
			t.Errorf("Redact(%q)\n gives %q\n want  %q", c.text, got, c.want)
		}
	}
}

func TestRedactLeavesTheRest(t *testing.T) {
	for _, s := range []string{
		"", "I live in Porto",
		"4111 1111 1111 1112", "order 1234567890123456", "order 4111111111111112", "call +44 20 7946 0958 or 0800 123 4567", "+351 912 345 678", "+4111111111111111",
		"born in 1984, moved in 2003", "from 2019-2024", "2024-02-26", "ISBN 978-3-16-148410-0", "1700000000000 ms", "12 15 20 33 41 50 61", "10.0.0.1 and 192.168.100.200",
		"DE89 3704 0044 0532 0130 01 is no account", "the secret is patience", "AB12 CDEF GHIJ KLMN is a plate", "My locker code changed to 4471", "locker code is 4471", "a bowling pin is 38 cm tall",
		"the password is wrong", "my password is too short", "I forgot my password", "Password required", "the password was reset yesterday", "is the password still the same?", "passwords are hard",
		"the secret is patience", "task-management-software-for-teams", "sk-learn", "the bearer of good news", "bearer bonds are old", "I got a token of love",
		"my API key is missing", "the api key was revoked", "1.2.3 and v1.2", "order no. 4111", "room 4111 1111",
	} {
		if got := Redact(s); got != s {
			t.Errorf("Redact(%q) = %q", s, got)
		}
	}
}

func TestSecretsReachNoMemory(t *testing.T) {
	checkAll(t, []says{
		gives("My password is hunter2. I live in Porto.", "My password is [redacted:password]", "I live in Porto"),
		none("4111 1111 1111 1111"),
		gives("Here is my key:\n-----BEGIN PRIVATE KEY-----\nMIIabc. Def\n-----END PRIVATE KEY-----\nI live in Porto", "Here is my key:", "I live in Porto"),
		gives("Add sk-abc123DEF456ghi789JKL0 to the vault, I use it at work", "Add [redacted:key] to the vault, I use it at work"),
	})
	check(t, user("Porto"), []string{"Porto (asked: Is your key [redacted:key]?)"}, assistant("Is your key sk-abc123DEF456ghi789JKL0?"))
}

func FuzzRedact(f *testing.F) {
	for _, s := range []string{
		"", "4111 1111 1111 1111", "my password is hunter2.", "-----BEGIN X-----", "sk-abc123DEF456ghi789JKL0", "pwd='", "password: a b c", "\xff4111-1111", "api key: [redacted:key]",
		"token=\"", "4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1", "密码是密码是x", "passphrase: password: x y z",
	} {
		f.Add(s)
	}
	for _, texts := range [][]string{secretTexts, harmlessTexts} {
		for _, text := range texts {
			text, _, _ = strings.Cut(text, " ⇒ ")
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Redact(text)
		checkMarks(t, text, once)
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Fatalf("%q gives invalid UTF-8", text)
		}
		if !strings.Contains(once, "[redacted:") && once != text {
			t.Fatalf("%q changed to %q without a mark", text, once)
		}
	})
}

// What was said before may make more secrets, but hides nothing else twice.
func FuzzRedactor(f *testing.F) {
	for _, c := range secretTalks {
		f.Add(c.says[0], c.says[len(c.says)-1])
	}
	f.Add("What's your PIN?", "[redacted:password] or 4821")
	f.Fuzz(func(t *testing.T, before, text string) {
		next := func(text string) string {
			var r Redactor
			said, m := assistant(before), user(text)
			r.Next(&said)
			return r.Next(&m)
		}
		once := next(text)
		if twice := next(once); twice != once {
			t.Fatalf("%q after %q\n once  %q\n twice %q", text, before, once, twice)
		}
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Fatalf("%q after %q gives invalid UTF-8", text, before)
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	const text = "Thanks! It went well. I moved to Porto two weeks ago and my sister Ana helped me carry the piano. My password is hunter2, the wifi key is in the drawer. "
	for _, size := range []int{1 << 10, 1 << 16} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			long := repeated(text, size)
			b.SetBytes(int64(size))
			for b.Loop() {
				Redact(long)
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(nasty)) {
		b.Run(name, func(b *testing.B) {
			long := repeated(nasty[name], 1<<16)
			b.SetBytes(1 << 16)
			for b.Loop() {
				Redact(long)
			}
		})
	}
}
