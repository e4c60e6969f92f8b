package extract

import (
	"context"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// talks are messages of which the last has a secret because of those before it. "a:"
// opens those of an assistant.
var secretTalks = []struct {
	says   []string
	secret string
}{
	{[]string{"a:What is your wifi password?", "hunter2"}, "hunter2"},
	{[]string{"a:What's your PIN?", "4821"}, "4821"},
	{[]string{"a:What's your PIN?", "It's 4821."}, "4821"},
	{[]string{"a:What's your PIN?", "four eight two one"}, "four"},
	{[]string{"a:Please send me your API key", "9f8e7d6c5b4a39281706f5e4d3c2b1a0"}, "9f8e"},
	{[]string{"a:Please send me your API key.", "sure, here you go: 9f8e7d6c5b4a39281706f5e4d3c2b1a0"}, "9f8e"},
	{[]string{"a:Could you share the password for the shared drive?", "swordfish"}, "swordfish"},
	{[]string{"a:What is the wifi password?", "correct horse battery staple"}, "horse"},
	{[]string{"a:What is the wifi password?", "it's Blue Moon 42"}, "Blue"},
	{[]string{"a:What is the wifi password?", "\"sunny day\""}, "sunny"},
	{[]string{"a:And the password?", "hunter2, thanks"}, "hunter2"},
	{[]string{"a:Enter your verification code:", "482913"}, "482913"},
	{[]string{"a:Please enter the 6-digit code we sent you.", "482913"}, "482913"},
	{[]string{"a:What are your login details?", "bob / hunter2x"}, "hunter2x"},
	{[]string{"a:What's the CVV?", "123"}, "123"},
	{[]string{"a:What is your card number?", "4111 1111 1111 1112"}, "4111"},
	{[]string{"a:What's your social security number?", "078-05-1120"}, "078"},
	{[]string{"a:What's your seed phrase?", "abandon ability able about above absent absorb abstract absurd abuse access accident"}, "absurd"},
	{[]string{"a:What is your PIN?", "one sec", "4821"}, "4821"},
	{[]string{"a:Do you remember your password?", "yes, hunter2"}, "hunter2"},
	{[]string{"a:¿Cuál es tu contraseña?", "perrito"}, "perrito"},
	{[]string{"a:Quel est ton mot de passe ?", "chaton77"}, "chaton77"},
	{[]string{"a:Wie lautet dein Passwort?", "Katze77"}, "Katze77"},
	{[]string{"a:Qual è la tua password?", "gatto77"}, "gatto77"},
	{[]string{"a:Qual é a sua senha?", "gato77"}, "gato77"},
	{[]string{"a:Какой у тебя пароль?", "кот77777"}, "кот"},
	{[]string{"a:パスワードは何ですか？", "neko77"}, "neko77"},
	{[]string{"a:你的密码是什么？", "mao12345"}, "mao12345"},
	{[]string{"a:ما هي كلمة المرور؟", "qitta77"}, "qitta77"},
	{[]string{"my password is hunter2", "sorry, I meant hunter3"}, "hunter3"},
	{[]string{"my password is hunter2", "a:Noted.", "oops, hunter4"}, "hunter4"},
	{[]string{"My pin is 4821", "No wait, 4822."}, "4822"},
	{[]string{"my password is hunter2", "*hunter3"}, "hunter3"},
	{[]string{"my password is hunter2", "hunter3*"}, "hunter3"},
	{[]string{"my password is hunter2", "hunter3 sorry"}, "hunter3"},
	{[]string{"my password is swordfish", "oops, Catfish"}, "Catfish"},
	{[]string{"my password is hunter2", "actually it's hunter5"}, "hunter5"},
	{[]string{"my password is hunter2", "it should be hunter6"}, "hunter6"},
	{[]string{"mi contraseña es gato77", "perdón, gato78"}, "gato78"},
	{[]string{"a:What is your wifi password?", "hunter2", "oops, hunter3"}, "hunter3"},
	{[]string{"a:What is your wifi password?", "hunter2", "a:Saved hunter2 for you."}, "hunter2"},
	{[]string{"my password is hunter2", "I type hunter2 each morning at work"}, "hunter2"},
	{[]string{"here's my api key:", "9f8e7d6c5b4a39281706"}, "9f8e"},
	{[]string{"my wifi password is", "hunter2"}, "hunter2"},
	{[]string{"a:What's your PIN?", "4821", "a:So it's 4821, right?", "yes 4821"}, "4821"},
}

func turnsOf(says []string) []memd.Message {
	var out []memd.Message
	for i, s := range says {
		m := user(s)
		if text, ok := strings.CutPrefix(s, "a:"); ok {
			m = assistant(text)
		}
		m.ID = int64(i + 1)
		out = append(out, m)
	}
	return out
}

func TestSecretsOfWhatWasSaidBefore(t *testing.T) {
	for _, c := range secretTalks {
		messages := turnsOf(c.says)
		var r Redactor
		for i := range messages {
			got := r.Next(&messages[i])
			if i == len(messages)-1 && strings.Contains(got, c.secret) {
				t.Errorf("%q: %q is left in %q", c.says, c.secret, got)
			}
			checkMarks(t, messages[i].Text, got)
		}
		// All at once, the last alone, and what is left.
		last := len(messages) - 1
		for _, in := range []Input{{Messages: messages}, {Before: messages[:last], Messages: messages[last:]}} {
			e, err := NewRules().Extract(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			sifted, err := NewRules().Sift(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}
			all := e.Candidates
			for _, s := range sifted {
				all = append(all, s.Candidate)
			}
			for _, candidate := range all {
				if strings.Contains(candidate.Text+candidate.Value+candidate.Slot, c.secret) || strings.Contains(candidate.Text, "redacted:[") {
					t.Errorf("%q: %q is left in %+v", c.says, c.secret, candidate)
				}
			}
		}
	}
}

func TestNoSecretsOfWhatWasSaidBefore(t *testing.T) {
	for _, says := range [][]string{
		{"a:Where do you live?", "Porto"},
		{"a:What is your PIN?", "I'd rather not say"},
		{"a:What is your password?", "I forgot it"},
		{"a:What is your password?", "no"},
		{"a:What is your password?", "it's on a note in my desk"},
		{"a:What is your password?", "why do you ask?"},
		{"a:Which password manager do you use?", "Bitwarden"},
		{"a:How often do you change your password?", "every 90 days"},
		{"a:When did you change your PIN?", "in 2019"},
		{"a:Where do you keep your password?", "Bitwarden"},
		{"a:Did you reset your password?", "Yes, yesterday"},
		{"a:Never share your password with anyone. Where do you live?", "Porto"},
		{"a:Never share your password.", "Porto is where I live"},
		{"a:What is the area code?", "212"},
		{"a:What is your favourite book?", "The Secret History"},
		{"a:What is the key to happiness?", "patience"},
		{"a:Do you have an API key?", "not yet"},
		{"my password is hunter2", "a:Noted.", "sorry, I live in Porto"},
		{"my password is hunter2", "I moved to Porto in 2019"},
		{"my password is hunter2", "a:Where do you live?", "Porto"},
		{"my API key expired", "oops, wrong chat"},
		{"a:What is your PIN?", "a:Also, where do you live?", "Porto"},
	} {
		messages := turnsOf(says)
		var r Redactor
		got := ""
		for i := range messages {
			got = r.Next(&messages[i])
		}
		if want := messages[len(messages)-1].Text; got != want {
			t.Errorf("%q gives %q", says, got)
		}
	}
}

func TestAnswersAreRedacted(t *testing.T) {
	check(t, user("It's hunter2 for the guests too"), []string{"It's [redacted:password] for the guests too (asked: What is your wifi password?)"}, assistant("What is your wifi password?"))
	check(t, user("4821"), nil, assistant("What's your PIN?"))
}

func TestSecretsSaidBeforeMayBeKept(t *testing.T) {
	r := &Rules{KeepSecrets: true}
	e, err := r.Extract(context.Background(), Input{Messages: turnsOf([]string{"a:What is your wifi password?", "hunter2"})})
	if err != nil || len(e.Candidates) != 1 || !strings.HasPrefix(e.Candidates[0].Text, "hunter2") {
		t.Errorf("%+v, %v", e.Candidates, err)
	}
}
