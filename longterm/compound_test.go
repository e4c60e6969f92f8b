package longterm

import (
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

// Of a sentence that tells several things what is asked to be forgotten goes, and what is sure to be
// told besides stays. Where that is not sure, as in a language whose sentences are not parted, all
// of it goes.
func TestForgettingAPartOfASentence(t *testing.T) {
	for _, c := range []struct {
		said, asked string
		left        []string
	}{
		{"I'm a UX designer and I earn 52k", "forget my salary", []string{"I'm a UX designer"}},
		{"I'm a UX designer and I earn 52k", "forget what I said about my salary", []string{"I'm a UX designer"}},
		{"I'm a UX designer and I earn 52k", "forget that I'm a UX designer", []string{"I earn 52k"}},
		{"I have 3 kids and earn 52k", "forget how much I earn", []string{"I have 3 kids"}},
		{"I have diabetes and a dog called Rex", "forget that I have diabetes", []string{"(I have) a dog called Rex"}},
		{"I have diabetes and a dog called Rex", "forget Rex please", []string{"I have diabetes"}},
		{"I weigh 94 kilos and want to get to 85", "please forget what I said about my weight", nil},
		{"I'm 34 and weigh 94 kilos", "please forget what I said about my weight", []string{"I'm 34"}},
		{"I'm a nurse, my husband drinks and we live in Leeds", "forget where I live", []string{"I'm a nurse", "my husband drinks"}},
		{"I have a crush on Daniel and I live in Graz", "forget about Daniel", []string{"I live in Graz"}},
		{"I have lupus and I work at IBM", "forget my diagnosis", []string{"I work at IBM"}},
		{"I have MS and two kids", "forget everything about my health", []string{"(I have) two kids"}},
		{"I like sushi and hate olives", "forget that I like sushi", []string{"(I) hate olives"}},
		{"I smoke and drink", "forget that I smoke", []string{"(I) drink"}},
		// In other languages:
		{"j'ai le diabète et un chien qui s'appelle Rex", "oublie que j'ai le diabète", nil},
		{"Ich wohne in Graz und habe Diabetes", "Vergiss bitte, dass ich Diabetes habe", nil},
		{"gano 2000 euros al mes", "olvida lo que gano", nil},
		{"Je gagne 2000 euros par mois", "oublie ce que je gagne", nil},
		{"ich verdiene 2000 Euro im Monat", "vergiss, was ich verdiene", nil},
		{"妹は看護師です。", "妹のことは忘れてください", nil},
		{"我妹妹是护士。", "请忘记我妹妹的事", nil},
		// What is not asked for stays.
		{"Mi hermana gana 2000 euros", "olvida lo que gano", []string{"Mi hermana gana 2000 euros"}},
		{"姉は看護師です", "妹のことは忘れてください", []string{"姉は看護師です"}},
		{"J'ai un chien", "oublie que j'ai le diabète", []string{"J'ai un chien"}},
		{"My wife earns 52k", "forget my salary", []string{"My wife earns 52k"}},
		{"My sister has diabetes", "forget that I have diabetes", []string{"My sister has diabetes"}},
	} {
		b := newStore(t)
		messages := b.say(memd.Message{UserID: "alice", SessionID: "s1", Text: c.said, CreatedAt: at(0)}, memd.Message{UserID: "alice", SessionID: "s2", Text: c.asked, CreatedAt: at(24)})
		for _, m := range messages {
			b.consolidate(ruled(t, m))
		}
		left := texts(b.list(ListQuery{Scope: user("alice")}))
		slices.Sort(left)
		slices.Sort(c.left)
		if strings.Join(left, "; ") != strings.Join(c.left, "; ") {
			t.Errorf("%q, %q\n leaves %q\n want   %q", c.said, c.asked, left, c.left)
		}
	}
}
