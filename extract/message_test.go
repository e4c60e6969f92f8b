package extract

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

func TestSentencesThatLeanOnAnotherStayWithIt(t *testing.T) {
	checkAll(t, []says{
		gives("I adopted a beagle. It's called Biscuit.", "I adopted a beagle. It's called Biscuit"),
		gives("My sister lives in Rome. She is a nurse. Her flat is tiny.", "My sister lives in Rome", "(My sister) is a nurse", "(My sister's) flat is tiny"),
		gives("I adopted a beagle. I live in Porto.", "I adopted a beagle", "I live in Porto"),
		gives("I play chess. Mostly online.", "I play chess. Mostly online"),
		gives("We have pets. Two cats and a dog.", "We have pets. Two cats and a dog"),
		gives("I sold the car. Which was sad.", "I sold the car. Which was sad"),
		gives("I sold the car. And I bought a bike.", "I sold the car", "And I bought a bike"),
		gives("I ran a race last Sunday. It was amazing!", "I ran a race last Sunday (2024-02-25). It was amazing!"),
		gives("I ran a race. This weekend I rest.", "I ran a race", "This weekend (weekend of 2024-03-02) I rest"),
		gives("I love tea. It's my birthday tomorrow.", "I love tea", "It's my birthday tomorrow (2024-02-29)"),
		gives("Do you remember Ana? She moved to Porto.", "Do you remember Ana? She moved to Porto"),
		gives("I got a dog. Do you like dogs? It's a beagle.", "I got a dog. It's a beagle"),
		gives("i live in berlin\ni work at siemens\nit's a big firm", "i live in berlin", "i work at siemens. it's a big firm"),
		gives("Thanks! I moved to Ghent. Bye!", "I moved to Ghent"),
		gives("Wow, great! Anyway, I quit smoking. How are you?", "Anyway, I quit smoking"),
		gives("Check this out. [shares a photo: a lighthouse at dusk]", "Check this out. [shares a photo: a lighthouse at dusk]"),
		gives("I painted this. What do you think? [shares a photo: a lighthouse at dusk]", "I painted this. [shares a photo: a lighthouse at dusk]"),
		gives("Hi! [image]"),
		whole("[shares a photo: a lighthouse at dusk]"),
	})
	long := "I keep bees. " + strings.Repeat("They like clover very much indeed and also thyme. ", 12)
	got := texts(extracted(t, nil, user(long)))
	if len(got) != 2 || strings.Join(strings.Fields(strings.Join(got, ". ")), " ") == "" {
		t.Fatalf("%d statements: %s", len(got), quoted(got))
	}
	for _, s := range got {
		if n := countWords(s); n > joinWords {
			t.Errorf("%d words in %q", n, s)
		}
	}
}

func TestBareAnswersKeepTheQuestion(t *testing.T) {
	for _, c := range []struct {
		before, text string
		want         []string
	}{
		{"Where do you live?", "Lisbon.", []string{"Lisbon (asked: Where do you live?)"}},
		{"Nice! And where do you live?", "Lisbon", []string{"Lisbon (asked: And where do you live?)"}},
		{"How long have you been married?", "5 years already! Time flies.", []string{"5 years already! (asked: How long have you been married?)"}},
		{"Where do you live?", "In Porto, near the river", []string{"In Porto, near the river (asked: Where do you live?)"}},
		{"Where do you live?", "I live in Lisbon", []string{"I live in Lisbon"}},
		{"What does your brother do?", "He's a nurse.", []string{"He's a nurse (asked: What does your brother do?)"}},
		{"Are you allergic to anything? For example nuts?", "Peanuts", []string{"Peanuts (asked: For example nuts?)"}},
		{"Are you vegetarian?", "Yes.", []string{"Yes (asked: Are you vegetarian?)"}},
		{"Are you vegetarian?", "No, I'm not.", []string{"No, I'm not (asked: Are you vegetarian?)"}},
		{"Do you smoke?", "I don't", []string{"I don't (asked: Do you smoke?)"}},
		{"So do you smoke?", "Not anymore", []string{"Not anymore (asked: So do you smoke?)"}},
		{"Would you like me to book it?", "Yes", nil},
		{"Can I help with anything else?", "No, thanks", nil},
		{"Do you want some tips?", "Sure", nil},
		{"Does that make sense?", "Yes", nil},
		{"How are you?", "Fine, thanks!", nil},
		{"Where do you live?", "Why do you ask?", nil},
		{"Where do you live?", "Hi! Lisbon.", []string{"Lisbon (asked: Where do you live?)"}},
		{"Porto is lovely.", "Lisbon.", []string{"Lisbon"}},
		{"When do you leave?", "Tomorrow", []string{"Tomorrow (2024-02-29) (asked: When do you leave?)"}},
		{"住んでいるのはどこですか？", "リスボン", []string{"リスボン (asked: 住んでいるのはどこですか？)"}},
	} {
		check(t, user(c.text), c.want, assistant(c.before))
	}
	got := extracted(t, []memd.Message{assistant("Where do you live?")}, user("Lisbon"))
	if !slices.Equal(got[0].Sources, []int64{6, 7}) || !got[0].SaidAt.Equal(said.Add(-time.Minute)) || got[0].Role != memd.RoleUser {
		t.Errorf("%+v: question and answer state it together", got[0])
	}
	calls := memd.Message{ID: 5, Role: memd.RoleAssistant}
	lookup := memd.Message{ID: 4, Role: memd.RoleTool, Text: `{"city": null}`}
	check(t, user("Lisbon"), []string{"Lisbon (asked: Where do you live?)"}, assistant("Where do you live?"), calls, lookup)
	check(t, user("Lisbon"), []string{"Lisbon"}, user("Where do you live?"))
	peer := user("Where do you live?")
	peer.Name = "Ines"
	check(t, user("Lisbon"), []string{"Lisbon (asked: Where do you live?)"}, peer)
	check(t, user("4111 1111 1111 1111"), nil, assistant("And what did you say?"))
}

func TestWhoSpeaks(t *testing.T) {
	messages := []memd.Message{
		{ID: 1, Role: memd.RoleSystem, Text: "The user is called Bob. Bob lives in Rome."},
		{ID: 2, Role: memd.RoleDeveloper, Text: "I live in Rome."},
		{ID: 3, Role: memd.RoleUser, Name: "ana", Text: "I live in Porto. I keep bees.", CreatedAt: said},
		{ID: 4, Role: memd.RoleAssistant, Text: "The Majestic is a fine café in Porto.", CreatedAt: said.Add(time.Hour)},
		{ID: 5, Role: memd.RoleTool, Text: "Temperature in Porto is 18 degrees."},
	}
	got := extracted(t, nil, messages...)
	if want := []string{"I live in Porto", "I keep bees", "The Majestic is a fine café in Porto"}; !slices.Equal(texts(got), want) {
		t.Fatalf("got %s", quoted(texts(got)))
	}
	for i, want := range []struct {
		role     memd.Role
		actor    string
		source   int64
		position int
		said     time.Time
	}{{"user", "ana", 3, 0, said}, {"user", "ana", 3, 1, said}, {"assistant", "", 4, 0, said.Add(time.Hour)}} {
		c := got[i]
		if c.Role != want.role || c.ActorID != want.actor || !slices.Equal(c.Sources, []int64{want.source}) || c.Position != want.position || !c.SaidAt.Equal(want.said) {
			t.Errorf("%d: %+v", i, c)
		}
	}
	if got := extracted(t, []memd.Message{user("I live in Porto")}, user("ok")); len(got) != 0 {
		t.Errorf("what came before was extracted: %v", got)
	}
	if _, err := NewRules().Extract(canceled(), Input{Messages: messages}); err == nil {
		t.Error("a cancelled context was not noticed")
	}
}

func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestAssistant(t *testing.T) {
	for _, c := range []says{
		gives("Great question! The bridge was built in 1886. Let me know if you need anything else!", "The bridge was built in 1886"),
		gives("Sure! I booked a table at Solar for Friday.", "I booked a table at Solar for Friday (2024-03-01)"),
		gives("Try adding basil. Would you like a recipe?", "Try adding basil"),
		gives("I recommend the oat bread from Padaria Nova.", "I recommend the oat bread from Padaria Nova"),
		none("I'm sorry, but I can't help with that."),
		none("Hello! How can I help you today?"),
		none("You're welcome! Feel free to ask if you have more questions."),
		none("I'm sorry to hear that. Is there anything I can do?"),
		none("As an AI language model, I don't have feelings."),
		none("Got it! I'll remember that."),
		none("I'd be happy to help with your trip!"),
		none("If you have any other questions, just let me know."),
		none("I hope this helps! Enjoy your trip!"),
		gives("Here are three films you may like:\n1. **Tampopo** – noodles\n2. Big Night\n3. Babette's Feast", "Here are three films you may like: Tampopo – noodles; Big Night; Babette's Feast"),
		gives("Run this:\n```go\nfmt.Println(\"I am vegan\")\n```\nIt prints one line.", "Run this: It prints one line"),
		gives("## Day 1\nWalk along the river. See the market.\n## Day 2\nTake the tram.", "Day 1: Walk along the river", "See the market", "Day 2: Take the tram"),
	} {
		check(t, assistant(c.text), c.want)
	}
}

func TestLists(t *testing.T) {
	checkAll(t, []says{
		gives("I own a\nblue kayak.", "I own a blue kayak"),
		gives("My dog is called\nRex and he is big.", "My dog is called Rex and he is big"),
		gives("My favorite films are:\n- Tampopo\n- Big Night", "My favorite films are: Tampopo; Big Night"),
		gives("Some things about me:\n- I live in Graz\n- I have a cat\n2) I am allergic to peanuts", "I live in Graz", "I have a cat", "I am allergic to peanuts"),
		gives("About me:\n- I'm vegan\n- I live in Porto\n- two cats", "I'm vegan", "I live in Porto", "About me: two cats"),
		gives("- I'm vegan\n* I live in Porto\n3. I have two cats", "I'm vegan", "I live in Porto", "I have two cats"),
		gives("1) milk\n2) eggs", "milk. eggs"),
		gives("Things to buy:\nmilk\neggs", "Things to buy: milk. eggs"),
		gives("> I never liked cilantro\nMe neither, I hate that herb", "Me neither, I hate that herb"),
		gives("> I never liked cilantro", "I never liked cilantro"),
	})
}

func TestCodeIsNoStatement(t *testing.T) {
	checkAll(t, []says{
		gives("I keep this in my config:\n```\nname = I live in Rome\n```\nI use Fedora.", "I keep this in my config:", "I use Fedora"),
		none("```python\nprint('I live in Rome')\n```"),
		none("~~~\nI live in Rome\n~~~"),
		gives("```\nI live in Rome and the fence never closes", "I live in Rome and the fence never closes"),
	})
}

func TestNothingRecalledOrShownAsExampleIsExtracted(t *testing.T) {
	checkAll(t, []says{
		gives("retrieved memories:\nuser: I live in Rome\nassistant: Rome is old\n\nI moved to Oslo", "I moved to Oslo"),
		gives("Retrieved memories:\nuser: I live in Rome\nI moved to Oslo", "I moved to Oslo"),
		gives("Relevant memories:\n- I live in Rome\n- I like tea\n\nI moved to Oslo", "I moved to Oslo"),
		gives("<relevant_memories>\nI live in Rome\n</relevant_memories>\nI moved to Oslo", "I moved to Oslo"),
		gives("<memories>I live in Rome</memories> I moved to Oslo", "I moved to Oslo"),
		none("retrieved memories:\nuser: I live in Rome"),
		none("User: I live in Rome\nAssistant: Noted!\nUser: My name is Bob\nAssistant: Hi Bob"),
		gives("Here is an example of the format.\nInput: I live in Rome\nOutput: home=Rome\n\nI moved to Oslo", "I moved to Oslo"),
		whole("I have fond memories of Rome"),
		gives("Memories: I have fond ones of Rome", "Memories: I have fond ones of Rome"),
		gives("User: I live in Rome", "User: I live in Rome"),
	})
}

func TestTextIsClean(t *testing.T) {
	checkAll(t, []says{
		gives("I live\u0000 in \u0007Porto", "I live in Porto"),
		gives("I saw abc\u0000def ghi jkl", "I saw abcdef ghi jkl"),
		gives("\u202eI live in Porto\u202c", "I live in Porto"),
		gives("\ufeffI live in\u00a0Porto\u2028I keep bees", "I live in Porto", "I keep bees"),
		gives("I live in Porto \xff\xfe", "I live in Porto \uFFFD"),
		gives("My family 👨‍👩‍👧 lives here", "My family 👨‍👩‍👧 lives here"),
		none(""),
		none("\u0000"),
		none(" \n\t "),
	})
}

func TestLongMessagesLoseNothing(t *testing.T) {
	sentence := func(i int) string { return fmt.Sprintf("The harbour number %d has a blue lighthouse. ", i) }
	for _, c := range []struct {
		m    memd.Message
		n    int
		most int
	}{{assistant(""), 60, 12}, {assistant(""), 200, 40}, {user(""), 39, 39}, {user(""), 100, 40}} {
		for i := range c.n {
			c.m.Text += sentence(i)
		}
		got := extracted(t, nil, c.m)
		all := strings.Join(texts(got), " ")
		for i := range c.n {
			if !strings.Contains(all, fmt.Sprintf("number %d has a blue lighthouse", i)) {
				t.Fatalf("%d sentences: number %d is lost", c.n, i)
			}
		}
		if len(got) > c.most {
			t.Errorf("%d sentences gave %d statements, more than %d", c.n, len(got), c.most)
		}
		for _, s := range got {
			if n := utf8.RuneCountInString(s.Text); n > maxRunes {
				t.Fatalf("a statement of %d characters", n)
			}
		}
	}

	words := ""
	for i := range 900 {
		words += fmt.Sprintf("word%d ", i)
	}
	if got := strings.Join(texts(extracted(t, nil, user(words))), " "); strings.Count(got, "word") != 900 {
		t.Errorf("%d of 900 words", strings.Count(got, "word"))
	}
	han := ""
	for i := range 1000 {
		han += "我住在上海" + string(rune('一'+i))
	}
	if got := strings.Join(texts(extracted(t, nil, user(han))), ""); got != han {
		t.Errorf("%d of %d characters", utf8.RuneCountInString(got), utf8.RuneCountInString(han))
	}
	blob := "The key of our house is " + strings.Repeat("é", 2500) + " and I live in Porto"
	got := texts(extracted(t, nil, user(blob)))
	if len(got) != 3 || got[0] != "The key of our house is" || !strings.HasSuffix(got[1], "é…") || utf8.RuneCountInString(got[1]) != maxRunes || got[2] != "and I live in Porto" {
		t.Errorf("a long run: %d statements", len(got))
	}
	request := "Could you recommend a restaurant near the office where five of us could eat on a weekday evening, " +
		"with a quiet room, a vegetarian menu, space for two wheelchairs and a dog, not more than thirty euros each, close to the tram and open until midnight at least?"
	if got := extracted(t, nil, user(request)); len(got) != 1 {
		t.Errorf("a long request gave %s", quoted(texts(got)))
	}
}

// What is said again and again in a message is one statement: each costs its reading.
func TestRepetitionsAreSaidOnce(t *testing.T) {
	for text, most := range map[string]int{"I live in Rome\n": 1, "tomorrow ": 3, "I have a cat, ": 6, "\"I live in Rome\" ": 6, "Do you? ": 0} {
		if got := extracted(t, nil, user(strings.Repeat(text, 30<<10/len(text)))); len(got) > most {
			t.Errorf("%q gives %d statements", text, len(got))
		}
	}
	check(t, user("I ran today, today I also swam"), []string{"I ran today (2024-02-28), today I also swam"})
}

func TestOtherLanguagesAreKept(t *testing.T) {
	checkAll(t, []says{
		whole("Vivo en Madrid y trabajo en un hospital"),
		gives("Hola. Soy vegetariana desde hace dos años.", "Soy vegetariana desde hace dos años"),
		whole("Come mucho pan mi hermano"),
		whole("J'habite à Lyon et je suis allergique aux noix"),
		gives("Bonjour ! Je m'appelle Claire. Merci.", "Je m'appelle Claire"),
		whole("Ich wohne in Berlin und arbeite als Lehrerin"),
		gives("Hallo! Ich habe am 3. Mai Geburtstag.", "Ich habe am 3. Mai Geburtstag"),
		whole("Moro em Lisboa e tenho dois gatos"),
		whole("Write is not a word of mine, je préfère écrire à la main"),
		gives("こんにちは。私は東京に住んでいます。", "私は東京に住んでいます。"),
		gives("你好！我住在上海，喜欢喝茶。", "我住在上海，喜欢喝茶。"),
		gives("مرحبا! أعيش في القاهرة وأحب القهوة.", "أعيش في القاهرة وأحب القهوة"),
		whole("मुझे चाय पसंद है और मैं दिल्ली में रहता हूँ।"),
		whole("저는 서울에 살고 있어요"),
		whole("Я живу в Казани и работаю врачом"),
		whole("Vivo aquí desde siempre"),
	})
}

// The day the boiler was fixed, as one would import it years later.
func TestRelativeDatesGoByTheMessagesOwnTime(t *testing.T) {
	m := user("The boiler was fixed two days ago.")
	got := extracted(t, nil, m)
	if len(got) != 1 || got[0].Text != "The boiler was fixed two days ago (2024-02-26)" {
		t.Fatalf("got %s", quoted(texts(got)))
	}
	if want := time.Date(2024, 2, 26, 0, 0, 0, 0, time.UTC); got[0].OccurredAt == nil || !got[0].OccurredAt.Equal(want) {
		t.Errorf("occurred at %v, want %v", got[0].OccurredAt, want)
	}
	m.CreatedAt = time.Date(2024, 2, 28, 1, 30, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"": "2024-02-26", "UTC": "2024-02-26", "America/Los_Angeles": "2024-02-25", "Asia/Tokyo": "2024-02-26", "No/Such": "2024-02-26", "Local": "2024-02-26",
	} {
		m.Timezone = zone
		if got := extracted(t, nil, m); got[0].Text != "The boiler was fixed two days ago ("+want+")" || got[0].OccurredAt.Format("2006-01-02") != want {
			t.Errorf("%s: %q, %v", zone, got[0].Text, got[0].OccurredAt)
		}
	}
	m.CreatedAt = time.Time{}
	if got := extracted(t, nil, m); got[0].Text != "The boiler was fixed two days ago" || got[0].OccurredAt != nil {
		t.Errorf("without a time: %+v", got[0])
	}
}

// A conversation of two sessions, as a whole.
func TestConversation(t *testing.T) {
	at := func(m memd.Message, id int64, minutes int) memd.Message {
		m.ID, m.CreatedAt = id, said.Add(time.Duration(minutes)*time.Minute)
		return m
	}
	got := extracted(t, nil,
		at(user("Hi there! I'm planning a dinner for Saturday."), 1, 0),
		at(assistant("Hello! How many guests are you expecting?"), 2, 1),
		at(user("Six, including my mother-in-law. She can't eat gluten."), 3, 2),
		at(assistant("Got it! A mushroom risotto would suit everyone. Would you like a recipe?"), 4, 3),
		at(user("Yes please!"), 5, 4),
		at(assistant("Here is what you need:\n- 400 g arborio rice\n- 300 g mushrooms\n- stock without gluten\n\nLet me know if you want a dessert too!"), 6, 5),
		at(user("Thanks. By the way, I no longer drink wine, and my card is 4111 1111 1111 1111 if you can order it."), 7, 6),
		at(assistant("I can't place orders, and please never share card numbers here."), 8, 7),
		at(user("ok lol"), 9, 8),
		at(user("Is risotto Italian? My grandmother was born in Turin in 1931."), 10, 9),
	)
	var lines []string
	for _, c := range got {
		line := fmt.Sprintf("%d.%d %s: %s", c.Sources[len(c.Sources)-1], c.Position, c.Role, c.Text)
		if c.OccurredAt != nil {
			line += " @" + c.OccurredAt.Format("2006-01-02")
		}
		lines = append(lines, line)
	}
	want := []string{
		"1.0 user: I'm planning a dinner for Saturday (2024-03-02) @2024-03-02",
		"3.0 user: Six, including my mother-in-law (asked: How many guests are you expecting?) She can't eat gluten",
		"4.0 assistant: A mushroom risotto would suit everyone",
		"6.0 assistant: Here is what you need: 400 g arborio rice; 300 g mushrooms; stock without gluten",
		"7.0 user: By the way, I no longer drink wine, and my card is [redacted:card] if you can order it",
		"10.0 user: My grandmother was born in Turin in 1931 @1931-01-01",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
