package assemble_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/assemble"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/recall"
)

// do runs a statement on the long tier.
func (m *memory) do(sql string) {
	m.Helper()
	err := m.storePool.InTenant(m.ctx, memd.DefaultTenant, func(tx pgx.Tx) error {
		_, err := tx.Exec(m.ctx, sql)
		return err
	})
	if err != nil {
		m.Fatal(err)
	}
}

// delete takes away the memory that has these words.
func (m *memory) delete(words string) {
	m.Helper()
	listed, _, _, err := m.store.List(m.ctx, memd.DefaultTenant, longterm.ListQuery{Scope: memd.Scope{UserID: "alice"}, Limit: 100})
	if err != nil {
		m.Fatal(err)
	}
	for _, l := range listed {
		if strings.Contains(l.Memory, words) {
			if err := m.store.Delete(m.ctx, memd.DefaultTenant, l.ID, memd.Scope{}, "api"); err != nil {
				m.Fatal(err)
			}
			return
		}
	}
	m.Fatalf("no memory says %q", words)
}

// said is all that a context says.
func saidIn(c assemble.Context) string { return fmt.Sprintf("%s", c.Messages) }

// What was learned in an earlier session stands in the next as what recall thinks of, or else as
// it was said: once, and what is recalled stays recalled.
func TestContextQuotesWhatWasLearnedThatIsNotRecalled(t *testing.T) {
	m := newMemory(t)
	for _, fact := range []string{"My cat is called Momo", "My boat is called Kaya", "The oak by the gate has a nest", "Tea at five suits me"} {
		m.learnFirst(m.say("s1", "user: "+fact+". Is that fine?", "assistant: Noted"))
	}
	m.settle(m.say("s1", "user: a", "assistant: b", "user: c", "assistant: d"))
	s2 := m.rotate("s1")
	m.say(s2, "user: What is my cat called?")
	facts := []string{"Momo", "Kaya", "nest", "Tea at five"}
	for recalled := range 5 {
		r := request(s2)
		r.Recall = recalled
		c := m.context(r)
		if len(c.Recalled) != recalled || c.Summary.Trimmed {
			t.Errorf("%d of %d recalled, trimmed %t", len(c.Recalled), recalled, c.Summary.Trimmed)
		}
		if recalled > 0 && !strings.Contains(c.Recalled[0].Memory.Memory, "Momo") {
			t.Errorf("recalled first is %q", c.Recalled[0].Memory.Memory)
		}
		for _, fact := range facts {
			if n := strings.Count(saidIn(c), fact); n != 1 {
				t.Errorf("with %d recalled %q stands there %d times: %s", recalled, fact, n, saidIn(c))
			}
		}
		if n := strings.Count(saidIn(c), "Is that fine?"); n != 4 {
			t.Errorf("with %d recalled what was said beside it stands there %d times: %s", recalled, n, saidIn(c))
		}
	}
	// Where there is no room for all, the latest stays and the context says so.
	r := request(s2)
	r.Recall, r.TokenBudget = 0, 90
	if c := m.context(r); !c.Summary.Trimmed || c.Tokens.Used > 90 || strings.Contains(saidIn(c), "Momo") || !strings.Contains(saidIn(c), "Tea at five") {
		t.Errorf("%d tokens, trimmed %t: %s", c.Tokens.Used, c.Summary.Trimmed, saidIn(c))
	}
	// Once the session has turns enough of its own, it carries nothing on.
	m.settle(m.say(s2, "assistant: Momo", "user: e", "assistant: f", "user: g"))
	r = request(s2)
	r.Turns, r.Recall = 3, 0
	if c := saidIn(m.context(r)); strings.Contains(c, "Kaya") || strings.Contains(c, "Is that fine?") {
		t.Error(c)
	}
}

// The same holds for what has left the window of the session itself.
func TestContextQuotesWhatWasLearnedThatIsNotSummedUp(t *testing.T) {
	m := newMemory(t)
	m.learnFirst(m.say("s", "user: My cat is called Momo. Is that fine?"))
	m.settle(m.say("s", "user: hm", "assistant: well"))
	r := request("s")
	r.Turns = 1
	expect(t, m.context(r), "system: retrieved memories:\nuser: My cat is called Momo\nuser: Is that fine?", "user: hm", "assistant: well")
	r.Recall = 0 // no memories at all
	expect(t, m.context(r), "system: retrieved memories:\nuser: My cat is called Momo. Is that fine?", "user: hm", "assistant: well")
}

// Filters and the scope of recall choose among memories: what they leave out stands nowhere in
// the place of these, also not as it was said in a session before. The conversation itself, what
// is carried over and what this session said, they do not touch.
func TestContextKeepsToItsFilters(t *testing.T) {
	m := newMemory(t)
	for _, fact := range []string{"My cat is called Momo", "My boat is called Kaya"} {
		m.learnFirst(m.say("s1", "user: "+fact+". Is that fine?"))
	}
	m.do(`UPDATE memory SET categories = '{pets}' WHERE memory LIKE '%Momo%'`)
	m.settle(m.say("s1", "user: a", "assistant: b", "user: c", "assistant: d"))
	s2 := m.rotate("s1")
	m.say(s2, "user: hello")
	not, err := longterm.ParseFilter(json.RawMessage(`{"categories": {"nin": ["pets"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	r := request(s2)
	if c := saidIn(m.context(r)); !strings.Contains(c, "Momo") || !strings.Contains(c, "Kaya") {
		t.Error(c)
	}
	r.Filters = not
	if c := saidIn(m.context(r)); strings.Contains(c, "Momo") || !strings.Contains(c, "Kaya") || strings.Count(c, "Is that fine?") != 2 {
		t.Error(c)
	}
	r.Recall = 0
	if c := saidIn(m.context(r)); strings.Contains(c, "Momo") || !strings.Contains(c, "Kaya") {
		t.Error(c)
	}
	r = request(s2)
	r.RecallScope = []string{"session"}
	if c := saidIn(m.context(r)); strings.Contains(c, "Momo") || strings.Contains(c, "Kaya") || strings.Count(c, "Is that fine?") != 2 {
		t.Error(c)
	}
	// A threshold leaves out what is not near enough, which is no reason to hide it.
	query := "cat"
	r = request(s2)
	r.Threshold, r.Query = 1, &query
	if c := m.context(r); len(c.Recalled) != 0 || !strings.Contains(saidIn(c), "Momo") || !strings.Contains(saidIn(c), "Kaya") {
		t.Error(saidIn(c))
	}
	// What is carried over is not recalled, and neither is what this session said.
	m.learn(m.say(s2, "user: My dog is called Rex"))
	m.do(`UPDATE memory SET categories = '{pets}' WHERE memory LIKE '%Rex%'`)
	s3 := m.rotate(s2)
	m.settle(m.say(s3, "user: well"))
	r = request(s3)
	r.Filters = not
	if c := m.context(r); !strings.Contains(saidIn(c), "Rex") || strings.Contains(saidIn(c), "Momo") || slices.ContainsFunc(c.Recalled, func(h longterm.Hit) bool { return len(h.Categories) > 0 }) {
		t.Error(saidIn(c))
	}
	m.learn(m.say("here", "user: My owl is called Uhu"))
	m.do(`UPDATE memory SET categories = '{pets}' WHERE memory LIKE '%Uhu%'`)
	m.settle(m.say("here", "user: so"))
	r = request("here")
	r.Turns, r.Filters = 1, not
	if c := m.context(r); !strings.Contains(saidIn(c), "user: My owl is called Uhu") || len(c.Summary.Memories) != 0 || slices.ContainsFunc(c.Recalled, func(h longterm.Hit) bool { return len(h.Categories) > 0 }) {
		t.Error(saidIn(c))
	}
}

// Of a message of which something was taken away the rest is quoted, and what was taken away is
// not, whoever says it back.
func TestContextHidesWhatWasTakenAwayAndNothingElse(t *testing.T) {
	m := newMemory(t)
	m.learnFirst(m.say("s1", "user: I live at 5 Elm St. Can you check why invoice 4711 bounced?"))
	m.settle(m.say("s1", "assistant: Got it, you live at 5 Elm St. Invoice 4711 is paid", "user: a", "assistant: b", "user: Is it?", "assistant: Yes, and 5 Elm St is where you live. Shall I go on?"))
	s2 := m.rotate("s1")
	m.say(s2, "user: hello")
	m.say(s2, "assistant: So you live at 5 Elm St", "user: hm")
	of := func(c assemble.Context, session string) {
		t.Helper()
		said := saidIn(c)
		if strings.Contains(said, "Elm") {
			t.Errorf("%s tells what was taken away: %s", session, said)
		}
		for _, rest := range []string{"Can you check why invoice 4711 bounced?", "Invoice 4711 is paid", "Shall I go on?"} {
			if strings.Count(said, rest) != 1 {
				t.Errorf("%s has %q %d times: %s", session, rest, strings.Count(said, rest), said)
			}
		}
	}
	before := request(s2)
	if c := saidIn(m.context(before)); !strings.Contains(c, "Got it, you live at 5 Elm St.") {
		t.Errorf("it is not there before: %s", c)
	}
	m.delete("Elm")
	r := request("s1")
	r.Turns = 1
	c := m.context(r) // whose window shows the last answer as the log has it
	if said := string(c.Messages[0]); strings.Contains(said, "Elm") || !strings.Contains(said, "Can you check why invoice 4711 bounced?") || !strings.Contains(said, "Invoice 4711 is paid") {
		t.Error(said)
	}
	c = m.context(request(s2))
	if !strings.Contains(string(c.Messages[2]), "Elm") {
		t.Errorf("the turns are not as the log has them: %s", c.Messages)
	}
	c.Messages = c.Messages[:1]
	of(c, "the next")
	// Also once the answer that says it back, and is open, has left the window.
	s3 := m.rotate(s2)
	m.say(s3, "user: and now?")
	of(m.context(request(s3)), "the one after")
	// Said anew it counts as new, and so does an answer to it.
	m.learn(m.say(s3, "user: I live at 5 Elm St"))
	m.settle(m.say(s3, "assistant: Welcome back to 5 Elm St, where you live", "user: thanks"))
	s4 := m.rotate(s3)
	m.say(s4, "user: hello")
	if c := saidIn(m.context(request(s4))); !strings.Contains(c, "Welcome back to 5 Elm St") {
		t.Errorf("it is not there again: %s", c)
	}
}

// What a speaker had forgotten by words is hidden the same.
func TestContextHidesWhatWasForgotten(t *testing.T) {
	m := newMemory(t)
	m.learnFirst(m.say("s1", "user: I keep bees in Ulm. Why did invoice 4711 bounce?"))
	m.settle(m.say("s1", "assistant: Bees in Ulm, noted"))
	m.learn(m.say("s1", "user: Forget: I keep bees in Ulm"))
	m.settle(m.say("s1", "user: a", "assistant: b", "user: c", "assistant: d"))
	s2 := m.rotate("s1")
	m.say(s2, "user: hello")
	if c := saidIn(m.context(request(s2))); strings.Contains(c, "bees") || strings.Contains(c, "Bees") || !strings.Contains(c, "Why did invoice 4711 bounce?") {
		t.Error(c)
	}
}

// Secrets are taken out of what is quoted, also such as are none but for what was asked; the turns
// stay as they are.
func TestContextQuotesNoSecrets(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7bq0Zkq3Jt1uZ0yT4mVx8sW2dYf6\n", 12) + "-----END RSA PRIVATE KEY-----"
	m := newMemory(t)
	m.say("s1", "user: Here is my key:\n"+key+"\nPut it on the server", "assistant: And the PIN of the door?", "user: 4821")
	m.settle(m.say("s1", "user: My card is 4111 1111 1111 1111", "assistant: ok", "user: "+strings.Repeat("lorem ipsum dolor ", 400)+" sk-abc123DEF456ghi789JKL0 and so on", "assistant: ok"))
	m.say("s1", "user: e", "assistant: f")
	s2 := m.rotate("s1")
	m.say(s2, "user: My password is hunter2")
	for _, session := range []string{"s1", s2} {
		for _, budget := range []int{300, 500, 800, 1500, 20000} {
			r := request(session)
			r.Turns, r.TokenBudget = 1, budget
			c := m.context(r)
			system := string(c.Messages[0])
			for _, secret := range []string{"MIIEp", "AKCAQEA", "4821", "4111", "sk-abc", "123DEF"} {
				if strings.Contains(system, secret) {
					t.Errorf("%s, %d tokens: it tells %q: %s", session, budget, secret, system)
				}
			}
			if budget == 20000 && (strings.Count(system, "[redacted:") < 4 || !strings.Contains(system, "Put it on the server") || c.Summary.Trimmed) {
				t.Errorf("%s: %s", session, system)
			}
			if session == s2 && !slices.ContainsFunc(c.Messages, func(raw json.RawMessage) bool { return strings.Contains(string(raw), "hunter2") }) {
				t.Errorf("the turns are not as the log has them: %s", c.Messages)
			}
		}
	}
	var err error
	m.assembler, err = assemble.New(m.log, m.store, recall.New(m.store, m.embedder, recall.Config{}), assemble.Config{KeepSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	r := request(s2)
	r.Turns, r.TokenBudget = 1, 20000
	if c := saidIn(m.context(r)); !strings.Contains(c, "MIIEp") || !strings.Contains(c, "4821") {
		t.Errorf("they are not kept: %s", c)
	}
}

// What an assistant is remembered to have said back of what its user took away is not recalled
// either, in whatever session; its own words are, and what the user says anew.
func TestContextRecallsNothingThatSaysBackWhatWasTakenAway(t *testing.T) {
	m := newMemory(t)
	m.learn(m.say("s1", "user: I live in Lyon"))
	m.learn(m.say("s1", "assistant: You live in Lyon, so try Du Palais"))
	m.learn(m.say("s1", "assistant: The trains from Paris are late on Sundays"))
	asked := func(session string) string {
		r := request(session)
		query := "where do I live, and which trains are late?"
		r.Query = &query
		return saidIn(m.context(r))
	}
	m.settle(m.say("other", "user: hello"))
	if said := asked("other"); !strings.Contains(said, "try Du Palais") {
		t.Fatalf("it is not recalled before: %s", said)
	}
	m.delete("I live in Lyon")
	for _, session := range []string{"other", "s1", m.rotate("s1")} {
		if said := asked(session); strings.Contains(said, "Lyon") && session != "s1" || !strings.Contains(said, "The trains from Paris") {
			t.Errorf("%s: %s", session, said)
		}
	}
	m.learn(m.say("third", "user: I live in Lyon"))
	if said := asked("other"); !strings.Contains(said, "try Du Palais") {
		t.Errorf("what was said anew is not answered: %s", said)
	}
}

// What makes a part of a message a secret may stand in another part: neither does what is left of
// a message of which something is recalled, was taken away or is carried over tell it, nor is
// anything else of it left out.
func TestContextRedactsMessagesBeforeItCutsThem(t *testing.T) {
	key := strings.TrimSpace(strings.Repeat("MIIEpAIBAAKCAQEA7bq0Zkq3Jt1uZ0yT4mVx8sW2dYf6kQ9rTa0b1cZx8vNp2LhE\n", 8))
	for i, c := range []struct{ text, secret, stays string }{
		{"I bought a bike in Malmo.\nMy wifi password:\nTig3rLily77zz\nI'll paint it tomorrow.", "Tig3rLily77zz", "I'll paint it tomorrow."},
		{"The password is\n\nTig3rLily77zz\n\nI bought a bike in Malmo. The saddle creaks.", "Tig3rLily77zz", "The saddle creaks."},
		{"I bought a bike in Malmo. My passwords are Tig3rLily77zz and Zebra99Quux. The saddle creaks.", "Zebra99Quux", "The saddle creaks."},
		{"I bought a bike in Malmo. My key is -----BEGIN RSA PRIVATE KEY-----\n" + key + "\nand it does not work.", "AKCAQEA", "and it does not work."},
		{"I bought a bike in Malmo. We decided on the password\nTig3rLily77zz? I'll change it tomorrow.", "Tig3rLily77zz", "I'll change it tomorrow."},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			m := newMemory(t)
			m.consolidate(m.say("s1", "user: "+c.text), func(string) string { return "I bought a bike in Malmo" })
			m.settle(m.say("s1", "assistant: Noted.", "user: a", "assistant: b", "user: c", "assistant: d"))
			s2 := m.rotate("s1")
			m.say(s2, "user: hello")
			holds := func(when, session string, stays bool, recall int) {
				r := request(session)
				r.Turns, r.Recall = 1, recall
				said := saidIn(m.context(r))
				if strings.Contains(said, c.secret) || stays && !strings.Contains(said, c.stays) {
					t.Errorf("%s, %s, %d recalled: %s", when, session, recall, said)
				}
			}
			for _, recall := range []int{0, 10} {
				holds("learned", "s1", true, recall)
				holds("learned", s2, true, recall)
			}
			m.delete("bike in Malmo")
			for _, recall := range []int{0, 10} {
				holds("taken away", "s1", true, recall)
				holds("taken away", s2, true, recall)
			}
		})
	}
}

// What is left of an answer to a question for a secret is no secret for that.
func TestContextQuotesTheRestOfAnAnswerWithASecret(t *testing.T) {
	m := newMemory(t)
	a := m.say("s", "assistant: What is your password?", "user: hunter2x. Green bicycles rust")
	m.consolidate(a, func(text string) string { return strings.Replace(text, "hunter2x", "[redacted:password]", 1) })
	m.delete("redacted")
	m.settle(m.say("s", "user: a", "assistant: b"))
	r := request("s")
	r.Turns, r.Recall = 1, 0
	if said := saidIn(m.context(r)); strings.Contains(said, "hunter2x") {
		t.Error(said)
	}
}

// What was answered right behind what was taken away, or was to be forgotten, is not shown where it
// has a word of that, be it ever so little, and is not recalled either; what else was answered is,
// and what mentions the thing elsewhere.
func TestContextShowsNoAnswerToWhatWasTakenAway(t *testing.T) {
	for _, how := range []string{"deleted", "forgotten"} {
		for _, c := range []struct{ said, answer, word string }{
			{"I am allergic to peanuts", "I'll keep peanuts out of the recipes", "peanuts"},
			{"I'm writing a novel called Ashfall", "Ashfall is a great title", "Ashfall"},
			{"I was diagnosed with diabetes", "With diabetes, cake should be rare", "diabetes"},
		} {
			m := newMemory(t)
			m.learn(m.say("s1", "user: "+c.said, "assistant: "+c.answer))
			m.learn(m.say("s1", "user: Bread is due at nine", "assistant: The oven is warm by then"))
			m.settle(m.say("s1", "assistant: Peanuts, diabetes and Ashfall are words"))
			asked := func(session string) string {
				r := request(session)
				query := c.answer + " and the oven"
				r.Query, r.Turns = &query, 1
				return saidIn(m.context(r))
			}
			m.settle(m.say("other", "user: hello"))
			if said := asked("other"); !strings.Contains(said, c.answer) {
				t.Fatalf("it is not recalled before: %s", said)
			}
			if how == "deleted" {
				m.delete(c.said)
			} else {
				m.learn(m.say("s1", "user: Forget: "+c.said))
			}
			m.settle(m.say("s1", "user: next", "assistant: yes"))
			for _, session := range []string{"other", "s1", m.rotate("s1")} {
				said := asked(session)
				if strings.Contains(said, c.answer) || strings.Contains(said, c.said) || !strings.Contains(said, "The oven is warm by then") {
					t.Errorf("%s, %s: %s", how, session, said)
				}
				if session != "other" && !strings.Contains(said, "Peanuts, diabetes and Ashfall are words") {
					t.Errorf("%s, %s: what was said elsewhere is not shown: %s", how, session, said)
				}
			}
		}
	}
}

// What was rewritten is not recalled as others said it back; what they said that is so is.
func TestContextRecallsNoValueThatWasRewritten(t *testing.T) {
	m := newMemory(t)
	m.learn(m.say("s1", "user: My daughter Lena is 7", "assistant: Lena is 7, how lovely"))
	m.learn(m.say("s1", "user: My number is 555-0199", "assistant: I saved 555-0199"))
	m.learn(m.say("s1", "user: My cats are Momo and Rex", "assistant: Momo is a fine name for a cat"))
	m.settle(m.say("other", "user: hello"))
	edit := func(from, to string) {
		listed, _, _, err := m.store.List(m.ctx, memd.DefaultTenant, longterm.ListQuery{Scope: memd.Scope{UserID: "alice"}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range listed {
			if l.Memory == from {
				vectors, err := m.embedder.EmbedPassages(m.ctx, []string{to})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := m.store.Edit(m.ctx, memd.DefaultTenant, []longterm.Edit{{ID: l.ID, Text: &to, Vector: vectors[0], Model: m.embedder.Model().Name}}, "api"); err != nil {
					t.Fatal(err)
				}
				return
			}
		}
		t.Fatalf("no memory says %q", from)
	}
	asked := func() string {
		r := request("other")
		query := "Lena 7 saved 555-0199 Momo a fine name"
		r.Query = &query
		return saidIn(m.context(r))
	}
	if said := asked(); !strings.Contains(said, "how lovely") || !strings.Contains(said, "I saved") {
		t.Fatalf("they are not recalled before: %s", said)
	}
	edit("My daughter Lena is 7", "My daughter Lena is 8")
	edit("My number is 555-0199", "My number is 555-0200")
	edit("My cats are Momo and Rex", "My cats are Momo and Kiki")
	if said := asked(); strings.Contains(said, "how lovely") || strings.Contains(said, "I saved") || !strings.Contains(said, "Lena is 8") || !strings.Contains(said, "Momo is a fine name") {
		t.Error(said)
	}
	edit("My daughter Lena is 8", "My daughter Lena is 7")
	if said := asked(); !strings.Contains(said, "how lovely") {
		t.Errorf("what is so again is not recalled: %s", said)
	}
}
