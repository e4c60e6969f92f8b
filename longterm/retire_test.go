package longterm

import (
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// claimed gives what the rules take a user's message to say, in the order of its statements.
func claimed(t *testing.T, before []memd.Message, text string) []*claim {
	t.Helper()
	said := time.Date(2026, 3, 11, 10, 0, 0, 0, time.UTC)
	e, err := extract.NewRules().Extract(t.Context(), extract.Input{Before: before, Messages: []memd.Message{{ID: 9, Role: memd.RoleUser, Text: text, CreatedAt: said}}})
	if err != nil {
		t.Fatal(err)
	}
	var all []*claim
	for _, c := range e.Candidates {
		if !c.Forget {
			is := &claim{hash: c.Text}
			is.says(topic{c.Slot, c.Subject}, c.Value, c.Negated)
			all = append(all, is)
		}
	}
	return all
}

// retires says whether what one message says takes the place of something of another.
func retires(t *testing.T, was, is string) bool {
	t.Helper()
	before, after := claimed(t, nil, was), claimed(t, nil, is)
	if len(before) == 0 {
		t.Errorf("%q says nothing", was)
	}
	if len(after) == 0 {
		t.Errorf("%q says nothing", is)
	}
	for _, old := range before {
		for _, now := range after {
			if now.slot != "" && now.topic == old.topic && now.ends(&span{claim: old}) {
				return true
			}
		}
	}
	return false
}

// unrelated are, a line each, things that are so beside each other: none of them ends
// another of its line.
const unrelated = `
The party is on 5 May | The party starts at 8pm
Our wedding is on 5 May | The wedding is at 3pm in the town hall
The wedding is on 5 May | The wedding is at 3pm
My appointment is on 5 May | My appointment is at 10am
My exam is on 5 May | My exam is at 9
My flight is on 5 May | My flight is at 6pm | My flight is BA123
The meeting is on Monday | The meeting is in room 4 | The meeting is at 10:30
The exam is next month | My exam is on 12 April
My first name is Ana | My last name is Lopez
My name is Ana | My last name is Lopez | My name is Greek | My name is Ana Lopez
My name is Ana Lopez | My first name is Ana
My email is a@b.example | My email is down
My address is 12 Mill Lane | My address is private
My bank is Nordea | My bank is terrible
My blood type is A positive | My blood type is rare
My salary is 40000 | My salary is low
My hometown is Gouda | My hometown is small
My favourite city is Rome | My favourite city is far away
My favourite film is Alien | My favourite film is a classic
My landlord is Mr. Fox | My landlord is rude
My commute is 40 minutes | My commute is by train
I'm vegan | I'm gluten-free
I'm vegetarian | I'm kosher | I'm on a low-carb diet
I'm pescatarian | I'm halal
I eat everything | I ate a steak yesterday
I'm vegetarian | I had a veggie burger with tofu bacon
I'm vegetarian | I ate a steak when I was twelve | I accidentally ate bacon
I work at Acme | I work in the marketing department | I work in a team of five | I work at the Berlin office | I work for Karen | I work at a desk all day
I live in Rome | I live in Italy | I live in Trastevere | I'm based in Milan for work
I live in Bavaria | I live in Munich
My wife is a teacher | My wife is a great cook
I am a student | I am a waiter at weekends
My laptop is a Thinkpad | My work laptop is a Mac
I drive a Yaris | I drive a truck for a living
I work at Acme | I work at Acme Corp
I run every morning | I run 5 km every day
I take the bus to work | I take the train to Paris in summer
I quit Facebook | I work at Acme
My dog is called Rex | My cat died
`

func TestUnrelatedFactsDoNotRetireEachOther(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(unrelated)) {
		all := strings.Split(strings.TrimSpace(line), " | ")
		for i, one := range all {
			for j, other := range all {
				if i != j && retires(t, one, other) {
					t.Errorf("%q is ended by %q", one, other)
				}
			}
		}
	}
}

// contrary are, a line each, things of which the later ends the earlier.
const contrary = `
The party is on 5 May | The party is on 12 May
The party is on 5 May at 3pm | The party is at 8pm
The meeting is on Monday | The meeting was moved to Thursday
My flight is at 6pm | The flight was cancelled
My flight is on 5 May | The flight was cancelled
Our deadline is 5 May | The deadline was moved to 12 May
My first name is Ana | My first name is Anna
My name is Ana | My name is Anna
My email is a@b.example | My email is c@d.example
My landlord is Mr. Fox | My landlord is Mrs. Bird
My favourite film is Alien | My favourite film is Tampopo
My commute is by bus | My commute is by train
I'm vegan | I'm pescatarian now
I'm on a keto diet | I'm doing paleo now
I'm vegetarian | I ate a steak yesterday
I'm vegetarian | I ate a steak
I'm vegan | I had a steak for dinner
I work at Acme | I work at Bosch now
I work for Acme | I quit Acme last week
I work for Acme | I quit Acme
I live in Rome | I moved to Milan
I live in Italy | I live in Spain
I play the cello and live in Gent | I moved to Antwerp
I have a cat and live in Graz | I moved to Linz
My wife is a teacher | My wife is a nurse now
My laptop is a Thinkpad | My laptop is a Mac
My son Leo is 7 | Leo is 8 now
I'm single | I'm engaged
I'm engaged | I'm married
I'm married to Carla | Carla and I got divorced
I have a girlfriend called Ana | Ana and I broke up
I'm allergic to nuts | The doctor says I'm no longer allergic to nuts
I'm learning Greek | I gave up learning Greek
I drink coffee every day | I quit coffee
I have a cat | My cat died
I can't swim | I can swim now
I prefer trains over planes | I prefer planes over trains
The project is called Falcon | We renamed the project to Osprey
I run 5 km every day | I run 10 km now
I live with my mum | I don't live with mum anymore
I take the bus to work | I don't take the bus anymore
We use MySQL | We switched from MySQL to Postgres
`

func TestContraryFactsRetire(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(contrary)) {
		was, is, _ := strings.Cut(strings.TrimSpace(line), " | ")
		if !retires(t, was, is) {
			t.Errorf("%q is not ended by %q: %+v, %+v", was, is, claimed(t, nil, was)[0].topic, claimed(t, nil, is)[0].topic)
		}
	}
}

// No relation is made of what was not said.
func TestRelationsSayWhatWasSaid(t *testing.T) {
	for text, want := range map[string]string{
		"Mi hermana es vegana": "", "Ich heiße nicht Bob, sondern Rob": "", "Wenn ich reich wäre, würde ich in Monaco wohnen": "", "No dairy for me": "", "We switched from MySQL to Postgres": "",
		"I run 5 km every day": "user habit_run 5 km", "Our database is hosted on Hetzner": "database kept_in Hetzner", "My flight is tomorrow": "user date_flight 2026-03-12", "My exam is next month": "user date_exam 2026-04",
		"My flight is at 6pm": "user time_flight 6pm", "I live in Lisbon": "user home Lisbon", "My email is down": "", "The meeting is in room 4": "", "I work at a desk all day": "", "I ate a steak yesterday": "",
	} {
		for _, c := range claimed(t, nil, text) {
			m := related{role: "user", slot: c.slot, subject: c.subject, value: c.spelled, negated: c.negated, text: text}
			got := ""
			if r, ok := m.relation(); ok {
				got = r.Source + " " + r.Relationship + " " + r.Target
			}
			if got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		}
	}
}
