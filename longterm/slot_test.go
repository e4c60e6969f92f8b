package longterm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/lexical"
	"pgregory.net/rapid"
)

// said is a candidate as the tests tell it, and where it was said.
type said struct {
	text, slot, subject, value string
	negated, forget, slip      bool
	role                       memd.Role
	name                       string
	session, position, part    int
	hour                       int
	// asked is the position of the question that it answers, -1 for none.
	asked int
}

func (s said) place() string { return fmt.Sprintf("%d/%d", s.session, s.position) }

func (s said) compare(o said) int {
	return cmp.Or(cmp.Compare(s.hour, o.hour), cmp.Compare(s.session, o.session), cmp.Compare(s.position, o.position), cmp.Compare(s.part, o.part))
}

func (s said) speaker() string { return string(s.role) + "/" + s.name }

func (s said) form() string { return s.speaker() + " " + lexical.Canonical(s.text) }

// episode is a memory as the rules say it must be.
type episode struct {
	form     string
	mentions []said
	topic    string
	value    string
	negated  bool
	from, to int
	by       *episode
	ended    bool
	unseen   bool
	// slip is what says that it was never so, meant by mistake.
	slip *said
}

// rules is what follows from what was said, told as plainly as can be: it goes through
// everything anew and knows no database. All of it is of one identity.
func rules(all []said) []*episode {
	episodes := follows(all, nil)
	passing := map[said]bool{}
	for i, e := range episodes {
		if e.unseen || !e.ended || e.from != e.to {
			continue
		}
		for j, o := range episodes {
			if o.form == e.form && !o.unseen && (j < i || j > i && o.from == e.from && (!o.ended || o.to > o.from)) {
				for _, m := range e.mentions {
					passing[m] = true
				}
			}
		}
	}
	if len(passing) > 0 {
		episodes = follows(all, passing)
	}
	return episodes
}

// reaches says whether the speaker of a request may ask it of what another said.
func (s said) reaches(o said) bool {
	return s.speaker() == o.speaker() || s.role == memd.RoleUser && o.role == memd.RoleAssistant && (s.name == "" || s.slip)
}

// follows goes through all that was said but what passes in an instant, of which it takes
// only who said so.
func follows(all []said, passing map[said]bool) []*episode {
	all = slices.Clone(all)
	slices.SortFunc(all, said.compare)
	// What a normal form is about: as the first that has a slot has it.
	about := map[string]said{}
	for _, s := range all {
		if was, ok := about[s.form()]; !s.forget && (!ok || was.slot == "" && s.slot != "") {
			about[s.form()] = s
		}
	}
	var episodes []*episode
	var later []said
	for _, s := range all {
		if s.forget {
			continue
		}
		a := about[s.form()]
		unseen := false
		var slip *said
		for _, r := range all {
			if !r.forget || r.compare(s) <= 0 || !r.reaches(s) {
				continue
			}
			meant := lexical.Canonical(r.text) == lexical.Canonical(s.text) || r.subject != "" && (r.subject == a.subject || reachesBySubject(all, r, s))
			if r.slot != "" {
				// What is named in words that were said is of their polarity.
				quoted := slices.ContainsFunc(all, func(x said) bool {
					return !x.forget && x.slot == r.slot && x.subject == r.subject && !x.negated && x.compare(r) < 0 && r.reaches(x) && lexical.Canonical(x.text) == lexical.Canonical(r.text)
				})
				polarity := r.value != "" || !r.negated && !quoted || r.negated == a.negated
				meant = r.slot == a.slot && r.subject == a.subject && polarity && (r.value == "" || lexical.Normalise(r.value) == lexical.Normalise(a.value))
			}
			here := r.session == s.session || !slices.ContainsFunc(all, func(x said) bool {
				return !x.forget && x.form() == s.form() && x.session == r.session && x.compare(r) < 0
			})
			unseen = unseen || meant && (!r.slip || here)
			if meant && r.slip && here && slip == nil {
				slip = &r
			}
		}
		if passing[s] {
			later = append(later, s)
			continue
		}
		if slip != nil {
			// It stood until it was put right, and ended nothing.
			i := slices.IndexFunc(episodes, func(e *episode) bool { return e.form == s.form() && e.slip != nil && *e.slip == *slip })
			if i < 0 {
				i = len(episodes)
				episodes = append(episodes, &episode{form: s.form(), topic: topicOfSaid(s, a), from: s.hour, to: slip.hour, ended: true, slip: slip})
			}
			episodes[i].mentions = append(episodes[i].mentions, s)
			continue
		}
		var e *episode
		for _, unseenToo := range []bool{false, true} {
			for _, old := range episodes {
				if e == nil && old.form == s.form() && !old.ended && (old.unseen == unseenToo) && (unseen || !unseenToo) {
					e = old
				}
			}
		}
		if e == nil {
			e = &episode{form: s.form(), topic: topicOfSaid(s, a), value: lexical.Normalise(a.value), negated: a.negated, from: s.hour, unseen: unseen}
			episodes = append(episodes, e)
		}
		if !unseen {
			e.mentions = append(e.mentions, s)
		}
		for _, old := range episodes {
			if old == e || old.ended || e.topic == "" || old.topic != e.topic {
				continue
			}
			switch {
			case e.negated && old.negated:
			case e.negated:
				old.ended = e.value == "" || e.value == old.value
			case old.negated:
				old.ended = old.value == "" || e.value == old.value
			default:
				old.ended = e.value != "" && old.value != "" && e.value != old.value
			}
			if old.ended {
				old.to, old.by = s.hour, e
			}
		}
	}
	for _, s := range later {
		var to *episode
		for _, e := range episodes {
			if e.form == s.form() && !e.unseen && (to == nil || e.mentions[0].compare(s) < 0) {
				to = e
			}
		}
		to.mentions = append(to.mentions, s)
		slices.SortFunc(to.mentions, said.compare)
	}
	// What was said right is what the same message says next of the same.
	for _, e := range episodes {
		if e.slip == nil || e.topic == "" {
			continue
		}
		var right *said
		for _, o := range episodes {
			for _, m := range o.mentions {
				if !o.unseen && o.topic == e.topic && m.session == e.slip.session && m.position == e.slip.position && m.part > e.slip.part && (right == nil || m.part < right.part) {
					right, e.by = &m, o
				}
			}
		}
	}
	return episodes
}

// topicOfSaid is what a statement is about, in its speaker's mouth, as its form is.
func topicOfSaid(s, a said) string {
	if a.slot == "" {
		return ""
	}
	return s.speaker() + " " + a.subject + "'s " + a.slot
}

// reachesBySubject says whether a request for a subject to be forgotten is about who a
// statement names, among all that was said.
func reachesBySubject(all []said, r, s said) bool {
	if slices.Contains(named[s.text], r.subject) {
		return true
	}
	introduced := slices.ContainsFunc(all, func(x said) bool {
		return x.text == introduction && !x.forget && x.compare(r) < 0 && r.reaches(x)
	})
	return introduced && (r.subject == "sister" && slices.Contains(named[s.text], "ana") || r.subject == "ana" && slices.Contains(named[s.text], "sister"))
}

func at(hour int) time.Time { return monday.Add(time.Duration(hour) * time.Hour) }

// tell gives what there must be, a line for each memory.
func tell(episodes []*episode) string {
	var lines []string
	name := func(e *episode) string { return fmt.Sprintf("%s since %d", e.mentions[0].text, e.from) }
	for _, e := range episodes {
		if e.unseen {
			continue
		}
		end := "current"
		if e.ended {
			by := e.by
			for by != nil && by.unseen {
				by = by.by
			}
			end = fmt.Sprintf("until %d", e.to)
			if by != nil {
				end += " by " + name(by)
			}
		}
		places := map[string]bool{}
		for _, m := range e.mentions {
			places[m.place()] = true
			if m.asked >= 0 {
				places[fmt.Sprintf("%d/%d", m.session, m.asked)] = true
			}
		}
		var from []string
		for p := range places {
			from = append(from, p)
		}
		slices.Sort(from)
		lines = append(lines, fmt.Sprintf("%s: %s, %s, from %v", e.mentions[0].speaker(), name(e), end, from))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// told gives the same of what there is.
func (b *bench) told(who string, place map[int64]string) string {
	b.Helper()
	all := b.list(ListQuery{Scope: user(who), IncludeSuperseded: true})
	hour := func(t time.Time) int { return int(t.Sub(monday) / time.Hour) }
	byID := map[string]memd.Memory{}
	for _, m := range all {
		byID[m.ID] = m
	}
	name := func(m memd.Memory) string { return fmt.Sprintf("%s since %d", m.Memory, hour(m.ValidFrom)) }
	var lines []string
	for _, m := range all {
		end := "current"
		if m.ValidTo != nil {
			end = fmt.Sprintf("until %d", hour(*m.ValidTo))
		}
		if m.SupersededBy != nil {
			end += " by " + name(byID[*m.SupersededBy])
		}
		var from []string
		for _, s := range m.Sources {
			from = append(from, place[s])
		}
		slices.Sort(from)
		actor := ""
		if m.ActorID != nil {
			actor = *m.ActorID
		}
		lines = append(lines, fmt.Sprintf("%s/%s: %s, %s, from %v", m.Role, actor, name(m), end, from))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// sayings are what the property below draws from.
var sayings = []said{
	{text: "I live in Lisbon", slot: "home", value: "Lisbon"},
	{text: "i live in LISBON!", slot: "home", value: "LISBON"},
	{text: "My home is Lisbon", slot: "home", value: "Lisbon"},
	{text: "I live in Porto", slot: "home", value: "Porto"},
	{text: "I live in Porto"}, // by an extractor that does not see what it is about
	{text: "I moved to Rome", slot: "home", value: "Rome"},
	{text: "I don't live in Porto", slot: "home", value: "Porto", negated: true},
	{text: "I have no home", slot: "home", negated: true},
	{text: "I live by the sea", slot: "home"},
	{text: "My sister lives in Porto", slot: "home", subject: "sister", value: "Porto"},
	{text: "My sister lives in Rome", slot: "home", subject: "sister", value: "Rome"},
	{text: "I love coriander", slot: "taste:coriander"},
	{text: "I can't stand coriander", slot: "taste:coriander", negated: true},
	{text: "Coffee is good"},
	{text: "Coffee is good 😊"},
	{text: "As I said before, coffee is good."},
}

// introduction says who the sister is.
const introduction = "My sister is called Ana"

// aboutPeople are of people with names.
var aboutPeople = []said{
	{text: "Rafa has a dog"},
	{text: "I met RAFA’s cousin"},
	{text: "Rafa's home is Porto", slot: "home", subject: "rafa", value: "Porto"},
	{text: "He moved to Rome", slot: "home", subject: "rafa", value: "Rome"},
	{text: "He moved to Rome"},
	{text: "Rafaela sings"},
	{text: introduction},
	{text: introduction},
	{text: "Ana has a cat"},
	{text: "Ana has a cat"},
	{text: "My sister lives in Porto", slot: "home", subject: "sister", value: "Porto"},
	{text: "Banana bread is good"},
	{text: "Bob's sister sings"},
}

// named says whom each of these names.
var named = map[string][]string{
	"Rafa has a dog": {"rafa"}, "I met RAFA’s cousin": {"rafa"}, "Rafa's home is Porto": {"rafa"}, introduction: {"sister", "ana"}, "Ana has a cat": {"ana"},
	"My sister lives in Porto": {"sister"}, "My sister lives in Rome": {"sister"},
}

var requestsOfPeople = []said{
	{text: "Rafa", subject: "rafa"}, {text: "my sister", subject: "sister"}, {text: "Ana", subject: "ana"},
	{text: "where Rafa lives", slot: "home", subject: "rafa"},
}

var requests = []said{
	{text: "where I live", slot: "home"},
	{text: "that I live in Porto", slot: "home", value: "porto"},
	{text: "where my sister lives", slot: "home", subject: "sister"},
	{text: "what I think of coriander", slot: "taste:coriander"},
	{text: "Coffee is good"}, {text: "I live in Lisbon."},
	{text: "I love coriander", slot: "taste:coriander"}, {text: "that I hate coriander", slot: "taste:coriander", negated: true},
	{text: "I live in Porto", slip: true}, {text: "I moved to Rome", slip: true}, {text: "I don't live in Porto", slip: true}, {text: "Coffee is good", slip: true},
	{text: "I can't stand coriander", slip: true}, {text: "where I live", slot: "home", value: "Rome", slip: true},
}

// script is a conversation: what each message says, by session and position.
type script [][][]said

func drawScript(r *rapid.T) script {
	var all script
	says, asks, rarely := sayings, requests, 7
	if rapid.Bool().Draw(r, "of people") {
		says, asks, rarely = slices.Concat(aboutPeople, sayings[:2]), requestsOfPeople, 3
	}
	for s := range rapid.IntRange(1, 3).Draw(r, "sessions") {
		var messages [][]said
		for position := range rapid.IntRange(1, 5).Draw(r, "messages") {
			hour := rapid.IntRange(0, 4).Draw(r, "hour")
			role := rapid.SampledFrom([]memd.Role{memd.RoleUser, memd.RoleUser, memd.RoleUser, memd.RoleAssistant}).Draw(r, "role")
			name := rapid.SampledFrom([]string{"", "", "", "bob"}).Draw(r, "name")
			var parts []said
			for part := range rapid.IntRange(0, 3).Draw(r, "statements") {
				x := rapid.SampledFrom(says).Draw(r, "saying")
				if rapid.IntRange(0, rarely).Draw(r, "asks") == 0 {
					x = rapid.SampledFrom(asks).Draw(r, "request")
					x.forget = true
				}
				x.role, x.name, x.session, x.position, x.part, x.hour, x.asked = role, name, s, position, part, hour, -1
				parts = append(parts, x)
			}
			if len(parts) == 0 { // so that the log knows of whom and when
				parts = []said{{role: role, name: name, session: s, position: position, hour: hour, asked: -1}}
			}
			messages = append(messages, parts)
		}
		// Answers take in the question before them.
		for position := 1; position < len(messages); position++ {
			before, here := messages[position-1][0], messages[position]
			if before.role == memd.RoleAssistant && here[0].role == memd.RoleUser && rapid.Bool().Draw(r, "answers") {
				for i := range here {
					here[i].asked, here[i].hour = position-1, before.hour
				}
			}
		}
		all = append(all, messages)
	}
	return all
}

// TestMemoriesFollowFromWhatWasSaid says things about few slots in any order, cut into
// batches anyhow, again and again, and takes some of the messages back: there is then what
// the rules say, at every instant.
func TestMemoriesFollowFromWhatWasSaid(t *testing.T) {
	b := newStore(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		who := fmt.Sprintf("user%d", n)
		plan := drawScript(r)
		var messages []memd.Message
		var parts [][]said
		for s, session := range plan {
			for position, says := range session {
				hour := says[0].hour
				if says[0].asked >= 0 {
					hour = session[position][0].hour
				}
				messages = append(messages, memd.Message{UserID: who, SessionID: fmt.Sprintf("s%d", s), Role: says[0].role, Name: says[0].name, Text: "…", CreatedAt: at(hour)})
				parts = append(parts, says)
			}
		}
		messages = b.say(messages...)
		place, id := map[int64]string{}, map[string]int64{}
		for i, m := range messages {
			place[m.ID] = parts[i][0].place()
			id[place[m.ID]] = m.ID
		}
		learned := func(some []int) Learned {
			l := Learned{Model: model, Extractor: "test/1"}
			for _, i := range some {
				l.Messages = append(l.Messages, messages[i])
				for _, x := range parts[i] {
					if x.text == "" {
						continue
					}
					c := memd.Candidate{Text: x.text, Slot: x.slot, Subject: x.subject, Value: x.value, Negated: x.negated, Forget: x.forget, Slip: x.slip,
						Role: x.role, ActorID: x.name, SaidAt: at(x.hour), Sources: []int64{messages[i].ID}, Position: x.part}
					if x.asked >= 0 {
						c.Sources = []int64{id[fmt.Sprintf("%d/%d", x.session, x.asked)], messages[i].ID}
					}
					l.Candidates = append(l.Candidates, c)
					l.Vectors = append(l.Vectors, vectorOf(x.text))
				}
			}
			return l
		}
		order := make([]int, len(messages))
		for i := range order {
			order[i] = i
		}
		rest := rapid.Permutation(order).Draw(r, "order")
		withdrawn := map[string]bool{}
		var done []int
		for len(rest) > 0 {
			k := rapid.IntRange(1, len(rest)).Draw(r, "batch")
			b.consolidate(learned(rest[:k]))
			done, rest = append(done, rest[:k]...), rest[k:]
			if again := rapid.IntRange(0, len(done)).Draw(r, "again"); again > 0 {
				b.consolidate(learned(done[:again]))
			}
			if rapid.IntRange(0, 3).Draw(r, "take back") == 0 {
				i := rapid.IntRange(0, len(done)-1).Draw(r, "which")
				gone := messages[done[i]]
				withdrawn[place[gone.ID]] = true
				_, bereft := b.bereave(gone.ID)
				done = slices.Delete(done, i, i+1)
				// A question that is taken back is a question no more: its answers are learned anew.
				var anew []int
				for j, says := range parts {
					for k, x := range says {
						if x.asked >= 0 && messages[j].SessionID == gone.SessionID && x.asked == gone.Position-firstOf(messages, gone.SessionID) {
							parts[j][k].asked, parts[j][k].hour = -1, int(messages[j].CreatedAt.Sub(monday)/time.Hour)
							if x.text != "" && slices.Contains(done, j) && !slices.Contains(anew, j) {
								anew = append(anew, j)
							}
						}
					}
				}
				var must []int64
				for j, says := range parts {
					// So is a question whose answer is taken back.
					answered := slices.ContainsFunc(parts[index(messages, gone.ID)], func(x said) bool {
						return x.text != "" && x.asked >= 0 && place[messages[j].ID] == fmt.Sprintf("%d/%d", x.session, x.asked)
					})
					if answered && says[0].asked < 0 {
						must = append(must, messages[j].ID)
					}
				}
				for _, j := range anew {
					must = append(must, messages[j].ID)
				}
				slices.Sort(must)
				if !slices.Equal(bereft, must) {
					r.Fatalf("%d must be learned from anew, not %d", must, bereft)
				}
				if len(anew) > 0 {
					l := learned(anew)
					for _, m := range l.Messages {
						l.Again = append(l.Again, m.ID)
					}
					b.consolidate(l)
				}
			}
		}
		var left []said
		for i, says := range parts {
			if withdrawn[place[messages[i].ID]] {
				continue
			}
			for _, x := range says {
				if x.text != "" {
					left = append(left, x)
				}
			}
		}
		// What answers is said where it was asked.
		for i := range left {
			if left[i].asked >= 0 {
				left[i].position, left[i].asked = left[i].asked, left[i].position
			}
		}
		episodes := rules(left)
		want := tell(episodes)
		if got := b.told(who, place); got != want {
			r.Fatalf("there is\n%s\nthere must be\n%s", got, want)
		}
		for hour := -1; hour < 6; hour++ {
			moment := at(hour)
			var want []string
			for _, e := range episodes {
				if !e.unseen && e.from <= hour && (!e.ended || e.to > hour) {
					want = append(want, e.mentions[0].text)
				}
			}
			sameSet(t, texts(b.list(ListQuery{Scope: user(who), AsOf: &moment})), want)
		}
		var current []string
		for _, e := range episodes {
			if !e.unseen && !e.ended {
				current = append(current, e.mentions[0].text)
			}
		}
		if q := ask("home", user(who)); len(current) > 0 {
			q.Limit = 100
			sameSet(t, found(b.search(q)), current)
		}
		b.checkCounters()
	})
}

// index gives where a message is.
func index(messages []memd.Message, id int64) int {
	return slices.IndexFunc(messages, func(m memd.Message) bool { return m.ID == id })
}

// firstOf gives the position that the first message of a session has.
func firstOf(messages []memd.Message, session string) int {
	for _, m := range messages {
		if m.SessionID == session {
			return m.Position
		}
	}
	return 0
}
