package llm

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
)

// heard is a message, what a model makes of it, and what is to be kept: the statements,
// parted by " / ".
type heard struct{ said, fact, want string }

// falsehoods are facts that say something else than the message they cite. What it says
// is kept in their place, or nothing.
var falsehoods = []heard{
	{"I live in Lisbon and my brother lives in Oslo.", "I live in Oslo", "my brother lives in Oslo"},
	{"My brother Tom lives in Oslo. I live in Lisbon.", "I live in Oslo. My brother Tom lives in Lisbon.", "My brother Tom lives in Oslo / I live in Lisbon"},
	{"My brother works at Google, I work at Shell.", "I work at Google", "My brother works at Google"},
	{"My colleague is allergic to nuts; I am not.", "I am allergic to nuts", "My colleague is allergic to nuts; I am not"},
	{"Tom hates cilantro. I love it.", "I hate cilantro", "Tom hates cilantro"},
	{"Tom is a dentist from Graz.", "I am a dentist from Graz", "Tom is a dentist from Graz"},
	{"Tom is a dentist from Graz.", "User is a dentist from Graz", "Tom is a dentist from Graz"},
	{"He lives in Graz.", "I live in Graz", "He lives in Graz"},
	{"She is vegan.", "I am vegan", "She is vegan"},
	{"My husband's name is Karl.", "My name is Karl", "My husband's name is Karl"},
	{"My ex-wife Maria has two kids.", "My wife Maria has two kids", "My ex-wife Maria has two kids"},
	{"I have 3 cats and 2 dogs.", "I have 2 cats and 3 dogs", "I have 3 cats / (I have) 2 dogs"},
	{"I have three cats and two dogs.", "I have two cats", "I have three cats / (I have) two dogs"},
	{"I earn 50000 and my rent is 1200.", "My rent is 50000", "I earn 50000 and my rent is 1200"},
	{"The meeting is on March 3rd, the party on March 5th.", "The party is on March 3rd", "The meeting is on March 3rd (2024-03-03), the party on March 5th (2024-03-05)"},
	{"My flight leaves at 6 and lands at 8.", "My flight lands at 6", "My flight leaves at 6 and lands at 8"},
	{"My flight leaves at 6. It lands at 8.", "My flight leaves at 8", "My flight leaves at 6. It lands at 8"},
	{"I was vegan until 2020 and now I eat meat.", "I am vegan", "I was vegan until 2020"},
	{"I used to smoke.", "I smoke", "I used to smoke"},
	{"I hardly ever drink alcohol.", "I drink alcohol", "I hardly ever drink alcohol"},
	{"I rarely eat meat.", "I eat meat", "I rarely eat meat"},
	{"I refuse to eat fish.", "I eat fish", "I refuse to eat fish"},
	{"I avoid gluten.", "I eat gluten", "I avoid gluten"},
	{"I hate the idea of living in Paris.", "I live in Paris", "I hate the idea of living in Paris"},
	{"I lack a driving licence.", "I have a driving licence", "I lack a driving licence"},
	{"I have zero children.", "I have children", "I have zero children"},
	{"I live without a TV.", "I live with a TV", "I live without a TV"},
	{"I'm allergic to everything but peanuts.", "I'm allergic to peanuts", "I'm allergic to everything but peanuts"},
	{"I like all vegetables except broccoli.", "I like broccoli", "I like all vegetables except broccoli"},
	{"It's false that I moved to Rome.", "I moved to Rome", "It's false that I moved to Rome"},
	{"Tom claims I owe him 500 euros.", "I owe Tom 500 euros", "Tom claims I owe him 500 euros"},
	{"My boss thinks I am lazy.", "I am lazy", "My boss thinks I am lazy"},
	{"I pretended to be a doctor.", "I am a doctor", "I pretended to be a doctor"},
	{"In my dream I lived in Tokyo.", "I lived in Tokyo", "In my dream I lived in Tokyo"},
	{"In the novel I'm writing, I am a spy.", "I am a spy", "In the novel I'm writing, I am a spy"},
	{"I deny that I own a gun.", "I own a gun", "I deny that I own a gun"},
	{"I doubt I will get the job at Shell.", "I get the job at Shell", "I doubt I will get the job at Shell"},
	{"Everyone says I look like Brad Pitt.", "I am Brad Pitt", "Everyone says I look like Brad Pitt"},
	{"My manager is Rosa, my dentist is Paul.", "My manager is Paul", "My manager is Rosa, my dentist is Paul"},
	{"Rosa is my manager and Paul is my dentist.", "Paul is my manager", "Rosa is my manager and Paul is my dentist"},
	{"Ana is older than Bea.", "Bea is older than Ana", "Ana is older than Bea"},
	{"I sold my car to Peter.", "Peter sold his car to me", "I sold my car to Peter"},
	{"I prefer tea to coffee.", "I prefer coffee to tea", "I prefer tea to coffee"},
	{"I borrowed 100 euros from Mark.", "Mark borrowed 100 euros from me", "I borrowed 100 euros from Mark"},
	{"I moved from Berlin to Vienna.", "I moved from Vienna to Berlin", "I moved from Berlin to Vienna"},
	{"I moved from Berlin to Vienna.", "I moved to Berlin", "I moved from Berlin to Vienna"},
	{"I switched from Vim to Emacs in 2020.", "I switched to Vim in 2020", "I switched from Vim to Emacs in 2020"},
	{"I love Rome. I live in Milan.", "I live in Rome", "I love Rome"},
	{"I like tea. Paul likes coffee.", "I like coffee", "Paul likes coffee"},
	{"I speak French. I want to learn German.", "I speak German", "I speak French / I want to learn German"},
	{"I am a teacher. My dad was a pilot.", "I am a pilot", "My dad was a pilot"},
	{"I am 45 and weigh 80 kg.", "I am 80", "(I) weigh 80 kg"},
	{"I have a daughter, 5, and a son, 9.", "I have a daughter, 9", "I have a daughter, 5, and a son, 9"},
	{"I visited Rome in 2019 and Paris in 2021.", "I visited Paris in 2019", "I visited Rome in 2019 and Paris in 2021"},
	{"I paid 30 for the shirt and 90 for the shoes.", "I paid 90 for the shirt", "I paid 30 for the shirt and 90 for the shoes"},
	{"Translate: I live in Madrid and I am a nurse", "I live in Madrid", ""},
	{"Ich bin kein Arzt, sondern Lehrer.", "Ich bin Arzt", "Ich bin kein Arzt, sondern Lehrer"},
	{"Ich wohne in Bremen, meine Schwester wohnt in Kiel.", "Ich wohne in Kiel", "Ich wohne in Bremen, meine Schwester wohnt in Kiel"},
	{"Mi hermana vive en Lima y yo vivo en Quito.", "Vivo en Lima", "Mi hermana vive en Lima y yo vivo en Quito"},
	{"Ma sœur habite à Lyon et j'habite à Nice.", "J'habite à Lyon", "Ma sœur habite à Lyon et j'habite à Nice"},
	{"姉は大阪に住んでいて、私は東京に住んでいます。", "私は大阪に住んでいます", "姉は大阪に住んでいて、私は東京に住んでいます。"},
	{"我姐姐住在上海，我住在北京。", "我住在上海", "我姐姐住在上海，我住在北京。"},
	{"Я не ем мясо.", "Я ем мясо", "Я не ем мясо"},
	{"Ik woon niet in Gent.", "Ik woon in Gent", "Ik woon niet in Gent"},
	{"Non mangio pesce.", "Mangio pesce", "Non mangio pesce"},
	{"Et yemiyorum.", "Et yiyorum", ""},
	{"Jag äter inte kött.", "Jag äter kött", "Jag äter inte kött"},
	{"Nie jem mięsa.", "Jem mięso", "Nie jem mięsa"},
	{"Minha irmã mora em Braga e eu moro no Porto.", "Eu moro em Braga", "Minha irmã mora em Braga e eu moro no Porto"},
	{"I can't stand Tom but I can stand Jerry.", "I can stand Tom", "I can't stand Tom"},
	{"I'm looking for a flat in Hamburg for my friend.", "I'm looking for a flat in Hamburg", "I'm looking for a flat in Hamburg for my friend"},
	{"Only my wife drinks wine.", "I drink wine", "Only my wife drinks wine"},
	{"Neither Tom nor I drink wine.", "I drink wine", "Neither Tom nor I drink wine"},
	{"My account number ends in 4471.", "My locker code is 4471", "My account number ends in 4471"},
	{"I take my pills at 3 pm.", "I take my pills at 3 am", "I take my pills at 3 pm"},
	{"I run 5 km a day.", "I run 5 mi a day", "I run 5 km a day"},
	{"My blood type is A.", "My blood type is B", "My blood type is A"},
	{"i live in ny now", "i live in la now", "i live in ny now"},
	{"I owe Tom $500.", "I owe Tom €500", "I owe Tom $500"},
	{"My balance is -500 euros.", "My balance is 500 euros", "My balance is -500 euros"},
	{"I weigh 63.5 kg.", "I weigh 5.63 kg", "I weigh 63.5 kg"},
	{"My alarm is at 06:30.", "My alarm is at 30:06", "My alarm is at 06:30"},
	{"I earn 1.500 euros.", "I earn 500.1 euros", "I earn 1.500 euros"},
	{"My rent is 1,250 euros", "My rent is 250 1 euros", ""},
	{"I met him on 2024-05-06.", "I met him on 2024-06-05", "I met him on 2024-05-06"},
	{"I went to bed at ten past six.", "I went to bed at six past ten", "I went to bed at ten past six"},
	{"I have no cats but two dogs.", "I have two cats", "I have no cats but two dogs"},
	{"I work for Ed, not with Al.", "I work with Al", "I work for Ed, not with Al"},
	{"I moved to Lisbon in May and to Porto in June.", "I moved to Porto in May", "I moved to Lisbon in May (2024-05) and to Porto in June"},
	{"Don't you think I live in Rome?", "I live in Rome", ""},
	{"I live near Rome.", "I live in Rome", "I live near Rome"},
	{"I live outside London.", "I live in London", "I live outside London"},
	{"I left Berlin.", "I am in Berlin", "I left Berlin"},
	{"I was born before the war.", "I was born after the war", "I was born before the war"},
	{"I eat fish before noon.", "I eat fish after noon", "I eat fish before noon"},
	{"I am over 30.", "I am under 30", "I am over 30"},
	{"I am against abortion.", "I am for abortion", "I am against abortion"},
	{"I dislike Mondays.", "I like Mondays", "I dislike Mondays"},
	{"I'm unhappy with my job.", "I'm happy with my job", "I'm unhappy with my job"},
	{"I am unmarried.", "I am married", ""},
	{"I disagree with Tom.", "I agree with Tom", "I disagree with Tom"},
	{"I quit smoking.", "I smoke", "I quit smoking"},
	{"I am divorced from Karl.", "I am married to Karl", "I am divorced from Karl"},
	{"The dog of my neighbour is called Rex.", "My dog is called Rex", "The dog of my neighbour is called Rex"},
	{"The user Tom has a boat.", "I have a boat", "The user Tom has a boat"},
	{"They have a boat.", "I have a boat", "They have a boat"},
	{"You have a lovely voice.", "I have a lovely voice", "You have a lovely voice"},
	{"Her name is Clara.", "My name is Clara", "Her name is Clara"},
	{"His birthday is on May 5.", "My birthday is on May 5", "His birthday is on May 5"},
	{"Your birthday is on May 5.", "My birthday is on May 5", "Your birthday is on May 5"},
	{"Peter's birthday is on May 5.", "My birthday is on May 5", "Peter's birthday is on May 5"},
	{"Her favourite color is blue.", "My favourite color is blue", "Her favourite color is blue"},
	{"Our neighbours are vegan.", "We are vegan", "Our neighbours are vegan"},
	{"The tenants upstairs are allergic to cats.", "I am allergic to cats", "The tenants upstairs are allergic to cats"},
	{"Alice works at Siemens.", "I work at Siemens", "Alice works at Siemens"},
	{"Alice works at Siemens.", "My name is Alice and I work at Siemens", "Alice works at Siemens"},
	{"The CEO, Karen Smith, resigned.", "I resigned", "The CEO, Karen Smith, resigned"},
	{"I'd hate to be a lawyer.", "I'd like to be a lawyer", "I'd hate to be a lawyer"},
	{"Some people say coffee is bad; I drink it daily.", "I say coffee is bad", "Some people say coffee is bad; I drink it daily"},
	{"I can see why people move to Rome.", "I move to Rome", "I can see why people move to Rome"},
	{"I wish to live in Rome.", "I live in Rome", "I wish to live in Rome"},
	{"As a child I lived in Kenya.", "I live in Kenya", "As a child I lived in Kenya"},
	{"I lived in Kenya.", "I live in Kenya", "I lived in Kenya"},
	{"I ate meat in 2010.", "I eat meat", "I ate meat in 2010"},
	{"I had a dog named Rex.", "I have a dog named Rex", "I had a dog named Rex"},
	{"I had a dog named Rex.", "User has a dog named Rex", "I had a dog named Rex"},
	{"I lost my dog Rex.", "I have a dog Rex", "I lost my dog Rex"},
	{"My dog Rex died.", "I have a dog Rex", "My dog Rex died"},
}

// paraphrases are facts that say what the message says, in other words.
var paraphrases = []heard{
	{"I moved to Lisbon last year.", "User lives in Lisbon", "I moved to Lisbon last year (2023)"},
	{"I moved to Lisbon last year.", "Moved to Lisbon last year", "I moved to Lisbon last year (2023)"},
	{"I moved to Lisbon last year.", "The user moved to Lisbon last year", "I moved to Lisbon last year (2023)"},
	{"I moved to Lisbon last year.", "I live in Lisbon", "I moved to Lisbon last year (2023)"},
	{"I can't eat peanuts, I'm allergic.", "Allergic to peanuts", "I can't eat peanuts, I'm allergic"},
	{"I'm allergic to peanuts.", "User is allergic to peanuts", "I'm allergic to peanuts"},
	{"I'm allergic to peanuts.", "User has a peanut allergy", "I'm allergic to peanuts"},
	{"We got a dog, his name is Rex.", "Has a dog named Rex", "We got a dog, his name is Rex"},
	{"We got a dog, his name is Rex.", "User has a dog named Rex", "We got a dog, his name is Rex"},
	{"I have a dog called Rex.", "User's dog is named Rex", "I have a dog called Rex"},
	{"I work as a nurse at St. Mary's hospital.", "User is a nurse", "I work as a nurse at St. Mary's hospital"},
	{"I work as a nurse at St. Mary's hospital.", "Works as a nurse at St. Mary's hospital", "I work as a nurse at St. Mary's hospital"},
	{"I work as a nurse at St. Mary's hospital.", "User works at St. Mary's hospital as a nurse", "I work as a nurse at St. Mary's hospital"},
	{"My favorite color is blue.", "User's favorite color is blue", "My favorite color is blue"},
	{"My favorite color is blue.", "Favorite color: blue", "My favorite color is blue"},
	{"My favorite color is blue.", "Likes blue", "My favorite color is blue"},
	{"I'm vegan since 2019.", "User has been vegan since 2019", "I'm vegan since 2019"},
	{"I'm vegan since 2019.", "User is vegan", "I'm vegan since 2019"},
	{"My sister Ana lives in Porto.", "User's sister Ana lives in Porto", "My sister Ana lives in Porto"},
	{"My sister Ana lives in Porto.", "User has a sister named Ana", "My sister Ana lives in Porto"},
	{"My sister Ana lives in Porto.", "Ana, the user's sister, lives in Porto", "My sister Ana lives in Porto"},
	{"I'd like to learn the piano this year.", "User wants to learn piano", "I'd like to learn the piano this year (2024)"},
	{"I'd like to learn the piano this year.", "Wants to learn the piano this year", "I'd like to learn the piano this year (2024)"},
	{"I don't drink coffee anymore.", "User no longer drinks coffee", "I don't drink coffee anymore"},
	{"I don't drink coffee anymore.", "User does not drink coffee", "I don't drink coffee anymore"},
	{"I don't drink coffee anymore.", "I stopped drinking coffee", "I don't drink coffee anymore"},
	{"I hate mushrooms.", "User dislikes mushrooms", "I hate mushrooms"},
	{"I hate mushrooms.", "User hates mushrooms", "I hate mushrooms"},
	{"My name is Carla and I'm 34.", "User's name is Carla", "My name is Carla"},
	{"My name is Carla and I'm 34.", "User is 34 years old", "I'm 34"},
	{"My name is Carla and I'm 34.", "Name is Carla, age 34", "My name is Carla / I'm 34"},
	{"Call me Liz, please.", "User prefers to be called Liz", "Call me Liz, please"},
	{"My wife and I are expecting a baby in June.", "User and his wife are expecting a baby in June", "My wife and I are expecting a baby in June (2024-06)"},
	{"My wife and I are expecting a baby in June.", "Expecting a baby in June", "My wife and I are expecting a baby in June (2024-06)"},
	{"I have a dentist appointment on Friday at 3pm.", "User has a dentist appointment on Friday at 3pm", "I have a dentist appointment on Friday (2024-03-01) at 3pm"},
	{"I have a dentist appointment on Friday at 3pm.", "Dentist appointment Friday 3pm", "I have a dentist appointment on Friday (2024-03-01) at 3pm"},
	{"Please always answer in bullet points.", "User prefers answers in bullet points", "Please always answer in bullet points"},
	{"I usually run 5 km every morning.", "User runs 5 km every morning", "I usually run 5 km every morning"},
	{"I usually run 5 km every morning.", "Runs every morning", "I usually run 5 km every morning"},
	{"I studied biology in Leiden.", "User studied biology at Leiden", "I studied biology in Leiden"},
	{"I just bought a red Toyota.", "User owns a red Toyota", "I just bought a red Toyota"},
	{"I just bought a red Toyota.", "User bought a red Toyota", "I just bought a red Toyota"},
	{"We're using Postgres 16 for the project.", "The project uses Postgres 16", "We're using Postgres 16 for the project"},
	{"Our deadline is March 3rd.", "Project deadline is March 3rd", "Our deadline is March 3rd (2024-03-03)"},
	{"I speak Dutch and German.", "User speaks Dutch and German", "I speak Dutch / (I speak) German"},
	{"I speak Dutch and German.", "Speaks German and Dutch", "I speak Dutch / (I speak) German"},
	{"I was born in Ghent in 1990.", "User was born in Ghent in 1990", "I was born in Ghent in 1990"},
	{"My mom has diabetes.", "User's mother has diabetes", "My mom has diabetes"},
	{"I'm training for the Berlin marathon.", "Training for the Berlin marathon", "I'm training for the Berlin marathon"},
	{"I'm training for the Berlin marathon.", "User is training for a marathon in Berlin", "I'm training for the Berlin marathon"},
}

// withoutRelative drops what the rules write beside relative dates.
func withoutRelative(text string) string {
	for {
		start := strings.Index(text, " (20")
		if start < 0 {
			return text
		}
		end := strings.IndexByte(text[start:], ')')
		if end < 0 {
			return text
		}
		text = text[:start] + text[start+end+1:]
	}
}

// answering is a model that makes of a message what is written down for it.
func answering(t *testing.T, all []heard) *Extractor {
	return play(t, func(n int, _ asked) reply { return says(facts(all[n-1].fact, []int{1})) }).extractor()
}

func textsKept(e memd.Extraction) string {
	var out []string
	for _, text := range texts(e) {
		out = append(out, withoutRelative(text))
	}
	return strings.Join(out, " / ")
}

func TestWhatIsFalseBecomesWhatWasSaid(t *testing.T) {
	x := answering(t, falsehoods)
	for _, c := range falsehoods {
		e := must(t, x, extract.Input{Messages: []memd.Message{user(1, c.said)}})
		if c.want == "" {
			wantRules(t, e, "unsupported", user(1, c.said))
			continue
		}
		if got := textsKept(e); got != withoutRelative(c.want) || e.Extractor != model {
			t.Errorf("%q from %q became %q by %s, want %q", c.fact, c.said, got, e.Extractor, c.want)
		}
		if slices.Contains(texts(e), c.fact) {
			t.Errorf("%q from %q is kept", c.fact, c.said)
		}
	}
}

func TestWhatIsTrueIsKept(t *testing.T) {
	x := answering(t, paraphrases)
	for _, c := range paraphrases {
		e := must(t, x, extract.Input{Messages: []memd.Message{user(1, c.said)}})
		if got := textsKept(e); got != withoutRelative(c.want) || e.Extractor != model {
			t.Errorf("%q from %q became %q by %s, want %q", c.fact, c.said, got, e.Extractor, c.want)
		}
	}
}

// saidBy gives candidates as these tests tell them: who says it, in which messages, and what.
func saidBy(e memd.Extraction) []string {
	out := []string{}
	for _, c := range e.Candidates {
		ids := ""
		for _, id := range c.Sources {
			ids += string(rune('0' + id))
		}
		out = append(out, string(c.Role)+" "+ids+": "+withoutRelative(c.Text))
	}
	return out
}

// Whatever ids a model gives, a statement is that of the message it stands in, and of
// who says it there.
func TestAStatementIsWhoseItIs(t *testing.T) {
	for name, c := range map[string]struct {
		in    []memd.Message
		facts []any
		want  []string
	}{
		"the assistant's as the user's": {
			[]memd.Message{assistant(1, "I'm a vegetarian chef from Madrid and I speak Basque."), user(2, "I see, I speak French.")},
			[]any{"I speak Basque", []int{2}, "I speak French", []int{2}},
			[]string{"user 2: I see, I speak French"},
		},
		"both in one": {
			[]memd.Message{assistant(1, "I recommend the hotel Astoria."), user(2, "Thanks, I love Rome.")},
			[]any{"I recommend the hotel Astoria and I love Rome", []int{1, 2}},
			[]string{"assistant 1: I recommend the hotel Astoria", "user 2: Thanks, I love Rome"},
		},
		"three in one": {
			[]memd.Message{user(1, "I have a dog named Rex."), user(2, "I live in Lisbon."), user(3, "My sister Ana is vegan.")},
			[]any{"I have a dog named Rex and I live in Lisbon and my sister Ana is vegan", []int{1, 2, 3}},
			[]string{"user 1: I have a dog named Rex", "user 2: I live in Lisbon", "user 3: My sister Ana is vegan"},
		},
		"more cited than say so": {
			[]memd.Message{user(1, "I live in Lisbon."), user(2, "The weather in Lisbon is nice.")},
			[]any{"I live in Lisbon", []int{1, 2}},
			[]string{"user 1: I live in Lisbon"},
		},
		"the wrong ones cited": {
			[]memd.Message{user(1, "I have a dog named Rex."), user(2, "I live in Lisbon."), user(3, "My sister Ana is vegan.")},
			[]any{"I have a dog named Rex", []int{3}, "I live in Lisbon", []int{99, -1}, "My sister Ana is vegan", []int{}},
			[]string{"user 1: I have a dog named Rex", "user 2: I live in Lisbon", "user 3: My sister Ana is vegan"},
		},
		"another's name": {
			[]memd.Message{user(1, "My name is Bob."), user(2, "I met the new nurse. Her name is Clara.")},
			[]any{"My name is Clara", []int{2}},
			[]string{"user 2: I met the new nurse. Her name is Clara"},
		},
		"a question and its answer": {
			[]memd.Message{assistant(1, "Do you live in Oslo?"), user(2, "No.")},
			[]any{"I live in Oslo", []int{1, 2}},
			[]string{"user 12: No (asked: Do you live in Oslo?)"},
		},
		"six wordings": {
			[]memd.Message{user(1, "I have a dog named Rex.")},
			[]any{"I have a dog named Rex", []int{1}, "I have a dog called Rex", []int{1}, "User has a dog named Rex", []int{1}, "Has a dog named Rex", []int{1}, "My dog is Rex", []int{1}, "A dog named Rex", []int{1}},
			[]string{"user 1: I have a dog named Rex"},
		},
		"fragments": {
			[]memd.Message{user(1, "I live in Berlin, work at Siemens and have two kids.")},
			[]any{"Berlin", []int{1}, "Siemens", []int{1}},
			[]string{"user 1: I live in Berlin", "user 1: (I) work at Siemens and have two kids"},
		},
		"another language": {
			[]memd.Message{user(1, "私は東京に住んでいます"), user(2, "I like tea")},
			[]any{"東京", []int{1}, "J'aime le tea", []int{2}},
			[]string{"user 1: 私は東京に住んでいます", "user 2: I like tea"},
		},
		"nobody's": {
			[]memd.Message{user(1, "I like tea"), user(2, "Which city is the capital of Peru?"), user(3, "Write a poem about a sailor from Bergen.")},
			[]any{"I like tea", []int{1}, "Lima is the capital of Peru", []int{2}, "I am a sailor from Bergen", []int{3}},
			[]string{"user 1: I like tea"},
		},
		"invented beside it": {
			[]memd.Message{user(1, "I like tea"), user(2, "My cat is called Mia")},
			[]any{"I like tea", []int{1}, "I own a yacht", []int{2}},
			[]string{"user 1: I like tea", "user 2: My cat is called Mia"},
		},
		"what the rules leave": {
			[]memd.Message{user(1, "I'm exhausted today")},
			[]any{"User is exhausted", []int{1}},
			[]string{"user 1: I'm exhausted today"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, e := extractWith(t, replies(says(facts(c.facts...))), c.in...)
			if got := saidBy(e); !slices.Equal(got, c.want) || e.Extractor != model {
				t.Errorf("%q by %s\nwant %q", got, e.Extractor, c.want)
			}
			if n := len(s.requests()); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// Dates are those that the rules read in the text, categories those that there are.
func TestNothingIsAddedToAStatement(t *testing.T) {
	_, e := extractWith(t, replies(says(`{"facts":[{"text":"I like tea a lot","sources":[1],"date":"1999-01-01","category":"likely-pregnant"},
		{"text":"We painted the shed yesterday","sources":[2],"date":"2031-05-05","category":"Hobby"},{"text":"My cat is called Mia","sources":[3],"category":"money"}]}`)),
		user(1, "I like tea a lot"), user(2, "We painted the shed yesterday"), user(3, "My cat is called Mia"))
	if len(e.Candidates) != 3 {
		t.Fatalf("%+v", e)
	}
	tea, shed, cat := e.Candidates[0], e.Candidates[1], e.Candidates[2]
	if tea.OccurredAt != nil || slices.Contains(tea.Categories, "likely-pregnant") {
		t.Errorf("%+v", tea)
	}
	if shed.OccurredAt == nil || !shed.OccurredAt.Equal(monday.AddDate(0, 0, -1).Truncate(24*time.Hour)) || !slices.Equal(shed.Categories, []string{"hobby"}) {
		t.Errorf("%+v", shed)
	}
	if !slices.Equal(cat.Categories, []string{"pets"}) || cat.Slot == "" {
		t.Errorf("%+v", cat)
	}
}

// Where secrets are kept, they are in what is kept, and the server sees none.
func TestSecretsAreKeptOnRequest(t *testing.T) {
	s := play(t, func(_ int, a asked) reply {
		_, lines := a.fresh(t)
		return says(facts(lines[0].Text, []int{1}))
	})
	x := New(Config{URL: s.http.URL + "/v1", Model: "tiny"}, &extract.Rules{KeepSecrets: true})
	t.Cleanup(x.Close)
	want(t, must(t, x, extract.Input{Messages: []memd.Message{user(1, "My password is hunter2")}}), model, "My password is hunter2")
	if raw := s.requests()[0].raw; strings.Contains(raw, "hunter2") {
		t.Errorf("sent %s", raw)
	}
}
