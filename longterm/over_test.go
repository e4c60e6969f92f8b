package longterm

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"pgregory.net/rapid"
)

// ruled gives what the rules learn from messages, each by itself.
func ruled(t testing.TB, messages ...memd.Message) Learned {
	t.Helper()
	l := Learned{Messages: messages, Model: model, Extractor: "test/1"}
	for _, m := range messages {
		got, err := extract.NewRules().Extract(t.Context(), extract.Input{Messages: []memd.Message{m}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got.Candidates {
			l.Candidates, l.Vectors = append(l.Candidates, c), append(l.Vectors, vectorOf(c.Text))
		}
	}
	return l
}

// What is told to be over ends what was told of the same thing in other words, and nothing else, in
// whatever order they arrive; taken back it ends nothing.
func TestOverInOtherWords(t *testing.T) {
	for name, c := range map[string]struct {
		said []string
		// gone are the places of those that hold no more.
		gone []int
	}{
		"a brand":              {[]string{"I have a Pixel 8 and the battery drains fast", "My brother has a Pixel", "I gave up on the Pixel"}, []int{0}},
		"sold":                 {[]string{"Our old Volvo V70 needs new brake pads", "My sister's Volvo is red", "We drove the Volvo to Italy in 2019", "We sold the Volvo yesterday"}, []int{0}},
		"one of two by a noun": {[]string{"My road bike is a Trek", "My city bike is a Gazelle and rattles", "my bike was stolen"}, nil},
		"had again":            {[]string{"My Brompton squeaks", "I sold my Brompton", "My Brompton squeaks!"}, nil},
		"a trip":               {[]string{"We're planning a trip to Kyoto in November", "We're planning a trip to Rome in May", "I love Kyoto", "We had to cancel Kyoto"}, []int{0}},
		"a death":              {[]string{"my cat Pixel has diabetes", "my dog Bo has fleas", "Pixel was born in 2009", "Pixel passed away on Sunday"}, []int{0}},
		"apart":                {[]string{"My girlfriend Hanna and I want to go to Sicily in May", "My colleague Hanna sings", "Hanna and I broke up last week"}, []int{0}},
		"a tool":               {[]string{"We use Celery with redis for background jobs", "I hate Celery", "My sister uses Celery", "we dropped Celery"}, []int{0}},
		"medicine":             {[]string{"I take sertraline 50mg for anxiety", "I take ibuprofen for my back", "My mother takes sertraline", "I no longer take sertraline"}, []int{0}},
		"a habit":              {[]string{"I run three times a week, about 8k", "I love running shoes", "I had to give up running because of my knee"}, []int{0}},
		"another day":          {[]string{"I have a dentist appointment on March 10", "I have a physio appointment on March 11", "The dentist moved my appointment to March 12"}, []int{0}},
		"one of two days":      {[]string{"I have a dentist appointment on March 10", "I have a physio appointment on March 11", "my appointment was moved to March 12"}, nil},
		"another day, told":    {[]string{"I have a dentist appointment on March 10", "My party is on March 11", "The dentist moved my appointment to March 12"}, []int{0}},
		"moved twice":          {[]string{"The deadline for project Falcon is April 30", "Client agreed to move the Falcon deadline to May 15", "They moved the Falcon deadline to June 1"}, []int{0, 1}},
		"two of one name":      {[]string{"My brother Max lives in Bonn", "My dog Max is three", "Max died in May"}, []int{1}},
		"one of a team":        {[]string{"Priya leads backend, Tom does QA", "Tom left the company"}, nil},
		"one of the hobbies":   {[]string{"my hobbies are climbing, baking and chess", "I gave up climbing"}, nil},
		"whose exam":           {[]string{"My exam is on May 3", "My wife's exam is on May 4", "the exam was moved to May 11"}, nil},
		"my exam":              {[]string{"My exam is on May 3", "My wife's exam is on May 4", "my exam was moved to May 11"}, []int{0}},
		"her exam":             {[]string{"My exam is on May 3", "My wife's exam is on May 4", "my wife's exam was moved to May 11"}, []int{1}},
		"the only exam":        {[]string{"My exam is on May 3", "My wife's wedding is on May 4", "the exam was moved to May 11"}, []int{0}},
		"what he builds":       {[]string{"I started dating Sander", "My brother builds violins", "I broke up with Sander"}, []int{0}},
		"en otra lengua":       {[]string{"Tengo una moto Honda roja", "Mi hermana tiene una moto", "Ya vendí la moto"}, []int{0}},
		"which of two":         {[]string{"My brother Max lives in Bonn", "My dog Max is three", "my dog Max died in May"}, []int{1}},
		"not yet":              {[]string{"I have a Golf", "I might sell the Golf"}, nil},
	} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", late ", late), func(t *testing.T) {
				b := newStore(t)
				messages := make([]memd.Message, len(c.said))
				for i, text := range c.said {
					messages[i] = memd.Message{UserID: "alice", SessionID: fmt.Sprint("s", i), Text: text, CreatedAt: at(24 * i)}
				}
				messages = b.say(messages...)
				for i := range messages {
					if late {
						i = len(messages) - 1 - i
					}
					b.consolidate(ruled(t, messages[i]))
				}
				var ended []int
				current := b.list(ListQuery{Scope: user("alice")})
				for i, m := range messages {
					if !slices.ContainsFunc(current, func(c memd.Memory) bool { return slices.Contains(c.Sources, m.ID) }) {
						ended = append(ended, i)
					}
				}
				if name != "had again" && !slices.Equal(ended, c.gone) {
					t.Errorf("ended are %v, want %v, of %q", ended, c.gone, texts(current))
				}
				last := messages[len(messages)-1]
				for _, m := range b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true}) {
					if m.ValidTo != nil && len(c.gone) == 1 && (m.SupersededBy == nil || !m.ValidTo.Equal(last.CreatedAt)) {
						t.Errorf("%q ended %v by %v", m.Memory, m.ValidTo, m.SupersededBy)
					}
				}
				if len(c.gone) == 1 {
					b.withdraw(last.ID)
					if got := b.list(ListQuery{Scope: user("alice")}); len(got) != len(b.list(ListQuery{Scope: user("alice"), IncludeSuperseded: true})) {
						t.Errorf("with nothing over there is %q", texts(got))
					}
				}
				b.checkCounters()
			})
		}
	}
}

// overSayings are what the property below draws from: things, and that they are over.
var overSayings = []string{
	"I have a Pixel 8", "My Pixel is slow", "my brother has a Pixel", "I gave up on the Pixel", "I sold my Pixel 8", "I don't have the Pixel anymore",
	"My Pixel needs a case and my Trek a chain", "My Trek has a flat", "my Trek was stolen", "I use Celery at work", "we dropped Celery", "I use Celery again",
	"My exam is on June 3", "my exam was moved to June 10", "my exam got pushed to June 20", "I live in Porto", "I moved to Rome",
	"forget that I gave up on the Pixel", "forget about the Pixel", "My cat Olive is 12", "Olive died",
}

// TestOverInAnyOrder says such things, as they are said and in any order, cut into batches anyhow,
// again and again, some of them taken back: there is the same in the end as if what is left had been
// said alone.
func TestOverInAnyOrder(t *testing.T) {
	b := newStore(t)
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		var script []memd.Message
		for range rapid.IntRange(2, 7).Draw(r, "messages") {
			script = append(script, memd.Message{SessionID: fmt.Sprint("s", rapid.IntRange(0, 2).Draw(r, "session")), Text: rapid.SampledFrom(overSayings).Draw(r, "text"),
				Role: rapid.SampledFrom([]memd.Role{memd.RoleUser, memd.RoleUser, memd.RoleUser, memd.RoleAssistant}).Draw(r, "role"), CreatedAt: at(rapid.IntRange(0, 5).Draw(r, "hour"))})
		}
		back := map[int]bool{}
		if rapid.Bool().Draw(r, "takes back") {
			back[rapid.IntRange(0, len(script)-1).Draw(r, "which")] = true
		}
		said := func() (string, []memd.Message, map[int64]string) {
			n++
			who := fmt.Sprintf("user%d", n)
			messages := slices.Clone(script)
			for i := range messages {
				messages[i].UserID = who
			}
			messages = b.say(messages...)
			place := map[int64]string{}
			for i, m := range messages {
				place[m.ID] = fmt.Sprint(i)
			}
			return who, messages, place
		}
		who, messages, place := said()
		for i, m := range messages {
			if !back[i] {
				b.consolidate(ruled(t, m))
			}
		}
		want := b.told(who, place)

		who, messages, place = said()
		order := make([]int, len(messages))
		for i := range order {
			order[i] = i
		}
		rest := rapid.Permutation(order).Draw(r, "order")
		var done []memd.Message
		for len(rest) > 0 {
			k := rapid.IntRange(1, len(rest)).Draw(r, "batch")
			var batch []memd.Message
			for _, i := range rest[:k] {
				batch = append(batch, messages[i])
			}
			b.consolidate(ruled(t, batch...))
			done, rest = append(done, batch...), rest[k:]
			if again := rapid.IntRange(0, len(done)).Draw(r, "again"); again > 0 {
				b.consolidate(ruled(t, done[:again]...))
			}
		}
		for i := range back {
			b.withdraw(messages[i].ID)
		}
		if got := b.told(who, place); got != want {
			r.Fatalf("there is\n%s\nas it was said\n%s", got, want)
		}
		b.checkCounters()
	})
}
