package extract

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// said is a user's message of Wednesday, 28 February 2024.
var said = time.Date(2024, 2, 28, 10, 0, 0, 0, time.UTC)

func user(text string) memd.Message {
	return memd.Message{ID: 7, Role: memd.RoleUser, Text: text, CreatedAt: said}
}

func assistant(text string) memd.Message {
	return memd.Message{ID: 6, Role: memd.RoleAssistant, Text: text, CreatedAt: said.Add(-time.Minute)}
}

func extracted(t *testing.T, before []memd.Message, messages ...memd.Message) []memd.Candidate {
	t.Helper()
	e, err := NewRules().Extract(context.Background(), Input{Before: before, Messages: messages})
	if err != nil {
		t.Fatalf("Extract: %v", err)
	}
	if e.Extractor != "rules/8" {
		t.Fatalf("extractor %q", e.Extractor)
	}
	return e.Candidates
}

func texts(candidates []memd.Candidate) []string {
	out := []string{}
	for _, c := range candidates {
		out = append(out, c.Text)
	}
	return out
}

// says is a message and the statements in it.
type says struct {
	text string
	want []string
}

func none(text string) says                  { return says{text, nil} }
func whole(text string) says                 { return says{text, []string{text}} }
func gives(text string, want ...string) says { return says{text, want} }
func check(t *testing.T, m memd.Message, want []string, before ...memd.Message) {
	t.Helper()
	got := texts(extracted(t, before, m))
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Errorf("%q\n gives %s\n want  %s", m.Text, quoted(got), quoted(want))
	}
}

func quoted(list []string) string { return "«" + strings.Join(list, "» «") + "»" }

func checkAll(t *testing.T, cases []says) {
	t.Helper()
	for _, c := range cases {
		check(t, user(c.text), c.want)
	}
}

func TestStatementsAreKeptAsSaid(t *testing.T) {
	checkAll(t, []says{
		whole("My favorite color is blue"),
		gives("My favorite color is blue.", "My favorite color is blue"),
		gives("  My favorite\t color   is blue.  ", "My favorite color is blue"),
		whole("I’m allergic to peanuts"),
		whole("Lost my job yesterday (2024-02-27)!"),
		gives("Finally ran a half marathon, so proud!", "Finally ran a half marathon, so proud!"),
		whole("Need to renew my passport before summer"),
		whole("Work at a bakery near the station"),
		whole("Got a puppy!!! 🐶"),
		whole("i work nights at the harbour"),
		whole("Never been to Asia"),
		whole("Can't stand coriander"),
		whole("My sister is vegan"),
		whole("Love hiking in the Alps"),
		whole("Dreaming of opening my own bakery"),
		whole("New job at the museum!"),
		whole("The boiler broke again"),
		whole("Wifi code of the cabin is on the fridge"),
		whole("Ana and Rui are getting married in Sintra"),
		whole("I use Go for everything at work"),
		whole("Bought a secondhand cello"),
		whole("Two cats and a tortoise live with us"),
		whole("If it rains we stay in and bake"),
		whole("I might move to Ghent"),
		whole("Don't call me Robert"),
		whole("Call me Bobby"),
		whole("I no longer eat meat"),
		whole("Always answer me in Dutch"),
		whole("Remind me to water the plants on Sundays"),
		whole("Remember to buy stamps"),
	})
}

func TestSmallTalkIsDropped(t *testing.T) {
	for _, s := range []string{
		"Hi", "Hello!", "hey there", "Hey, how are you?", "Good morning!", "Hi Bob!", "Hello everyone", "Howdy", "hiiii"[:2],
		"Thanks", "Thank you so much!", "thx a lot", "Many thanks for your help!", "Thanks, that's great.", "Thanks for the explanation", "I really appreciate your help",
		"ok", "OK, cool", "Sure!", "Got it, thanks", "Yes", "no", "Yep, exactly", "Makes sense", "That makes a lot of sense", "Alright then", "Sounds good!", "Perfect", "Will do",
		"Great question!", "I have a question", "lol", "hahaha", "HAHA so funny", "Wow!", "Oh wow, that's amazing!", "That's so cool", "How exciting!", "So cool!", "I agree",
		"I totally agree with you", "Nice!", "Congrats!", "Congratulations on your new job!", "Good luck!", "Sorry to hear that", "I'm so sorry to hear that", "You're welcome", "No problem", "Your kind words mean a lot to me",
		"Bye!", "See you later", "Talk to you soon!", "Take care!", "Have a great weekend!", "Good night", "gtg, bye", "ttyl", "Let me know what you think", "🎉🎉", "...", "?!", "👍", ":)",
		"I don't know", "Not sure", "Happy birthday!", "I'm fine, thanks", "I do!", "That helped a lot", "Guess what?", "What's up?", "you too!", "Keep up the great work!", "It was nice talking to you", "Great to hear from you!", "Me too",
		"hola", "¡Hola! ¿Qué tal?", "Muchas gracias", "Buenos días", "Bonjour", "Merci beaucoup !", "Guten Tag", "Vielen Dank", "Tschüss", "Olá", "Obrigado", "Ciao", "grazie",
		"こんにちは", "ありがとうございます。", "はい", "你好", "谢谢！", "好的", "مرحبا", "شكرا", "नमस्ते", "धन्यवाद", "안녕하세요", "감사합니다", "Привет", "Спасибо!",
	} {
		check(t, user(s), nil)
	}
}

func TestQuestionsThatStateNothingAreDropped(t *testing.T) {
	for _, s := range []string{
		"What is the capital of France?", "what is the capital of france", "How do I boil an egg?", "Can you help me?", "could you help me with this please", "Where do I live?", "What's my name?",
		"What is my favorite color?", "Do you know where I live?", "Did I tell you my name?", "Do you remember what I said about Ana?", "When is my flight to Rome?", "Who am I?",
		"Is it raining?", "Should I bring an umbrella?", "Do you like cats?", "Have you ever been to Peru?", "Why?", "Really?", "And then?", "What about you?", "how are you doing today",
		"Are you there?", "Do you have any recommendations?", "Any tips?", "I was wondering if you could explain entropy", "I'd like to know how tides work", "What should I do if it rains?",
		"Anything else you enjoy doing, Ana?", "What time is it in Tokyo", "Would you say that's normal?", "Isn't it odd?", "Does my code look right?", "What did I tell you about my trip to Japan?",
		"¿Dónde vivo?", "Où est-ce que j'habite ?", "Wo wohne ich?", "私の名前は何ですか？", "我叫什么名字？", "أين أعيش؟", "मेरा नाम क्या है?",
	} {
		check(t, user(s), nil)
	}
}

func TestCommandsThatStateNothingAreDropped(t *testing.T) {
	for _, s := range []string{
		"Write me a poem about the sea", "write a haiku", "Please translate this to French", "Tell me a joke", "Tell me about the Romans", "Explain quantum tunnelling", "Summarize this text",
		"Give me three ideas for dinner", "Show me how", "Help me please", "Fix this bug", "Continue", "go on", "List all primes below 50", "Can you write me a story?", "Rewrite it in a formal tone",
		"Tell me my name", "Remind me what my favorite color is", "Check my essay", "Proofread my email", "Forget it", "Imagine a dragon", "Recommend a film", "I want you to act as a pirate", "Make it shorter",
		"ok, now summarize the chapter",
	} {
		check(t, user(s), nil)
	}
}

func TestQuestionsThatStateSomethingKeepIt(t *testing.T) {
	checkAll(t, []says{
		gives("Did I tell you that my sister Ana moved to Porto?", "my sister Ana moved to Porto"),
		gives("did i mention i'm left-handed?", "i'm left-handed"),
		gives("Have I told you that we bought a houseboat", "we bought a houseboat"),
		gives("I'm allergic to nuts, what can I eat?", "I'm allergic to nuts"),
		gives("What can I eat, I'm allergic to nuts?", "I'm allergic to nuts"),
		gives("Since I'm vegan, what should I cook?", "I'm vegan"),
		gives("What should I cook, given that I'm vegan?", "I'm vegan"),
		gives("What should I cook because I'm allergic to eggs?", "I'm allergic to eggs"),
		gives("I moved to Leeds last spring and what is there to see?", "I moved to Leeds last spring (spring 2023)"),
		gives("The boiler broke again, who should I call?", "The boiler broke again"),
		gives("My flight leaves at six, right?", "My flight leaves at six"),
		gives("Baking is about patience isn't it?", "Baking is about patience"),
		gives("Hi! - I got a puppy", "I got a puppy"),
		gives("It's cold in Oslo, isn't it?", "It's cold in Oslo"),
		gives("Can you believe I got the job?", "I got the job"),
		gives("Do you remember that I play the oboe?", "I play the oboe"),
		gives("Do you remember when we went to Porto?", "we went to Porto"),
		whole("Can you suggest a gift for my wife, she loves gardening?"),
		whole("Could you help me plan my trip to Japan?"),
		whole("Do you remember my sister Ana?"),
		gives("Could you remind me to call mum?", "Could you remind me to call mum?"),
		gives("Hey, my daughter turned 5 today, how do I plan a party?", "my daughter turned 5 today (2024-02-28)"),
		gives("I just got back from Crete - have you ever been?", "I just got back from Crete"),
		gives("What should I do? My cat Miso won't eat.", "My cat Miso won't eat"),
		gives("Remember that I'm vegan", "I'm vegan"),
		gives("Please remember that my locker code is 4471.", "my locker code is 4471"),
		gives("Just so you know, I work night shifts", "I work night shifts"),
		gives("Don't forget that my mother is called Inês", "my mother is called Inês"),
		gives("FYI: we moved the meeting to 5", "we moved the meeting to 5"),
		whole("Help me plan my wedding"),
		whole("Write a poem about my cat Rex"),
		gives("Soy alérgico a las nueces, ¿qué puedo comer?", "Soy alérgico a las nueces"),
		gives("Soy alérgico a las nueces. ¿Qué puedo comer?", "Soy alérgico a las nueces"),
		whole("我对花生过敏，我能吃什么？"),
	})
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"One. Two! Three? Four", []string{"One.", "Two!", "Three?", "Four"}},
		{"Dr. Silva moved. She left.", []string{"Dr. Silva moved.", "She left."}},
		{"I like fruit, e.g. apples. And pears.", []string{"I like fruit, e.g. apples.", "And pears."}},
		{"I lived in the U.S. for years. Then Spain.", []string{"I lived in the U.S. for years.", "Then Spain."}},
		{"I lived in the U.S. I moved.", []string{"I lived in the U.S.", "I moved."}},
		{"It costs 3.5 euros. Version v1.2 is out.", []string{"It costs 3.5 euros.", "Version v1.2 is out."}},
		{"We meet at 5 p.m. My train is late.", []string{"We meet at 5 p.m.", "My train is late."}},
		{"We meet at 5 p.m. on Monday.", []string{"We meet at 5 p.m. on Monday."}},
		{"See https://example.com/a.b?c=d. It is good.", []string{"See https://example.com/a.b?c=d.", "It is good."}},
		{"Mail me at ana.b@example.co.uk. Thanks.", []string{"Mail me at ana.b@example.co.uk.", "Thanks."}},
		{"J. R. Tolkien wrote it. I read it.", []string{"J. R. Tolkien wrote it.", "I read it."}},
		{"So do I. We went.", []string{"So do I.", "We went."}},
		{"I take vitamin C. It helps.", []string{"I take vitamin C.", "It helps."}},
		{"Apples, pears, etc. are fine. Etc.", []string{"Apples, pears, etc. are fine.", "Etc."}},
		{"Well... I moved. So... i stayed", []string{"Well...", "I moved.", "So... i stayed"}},
		{"Wait… what? Yes…", []string{"Wait… what?", "Yes…"}},
		{"What?! No way!!! :D Great", []string{"What?!", "No way!!! :D", "Great"}},
		{"I got it! 🎉🎉 We danced", []string{"I got it! 🎉🎉", "We danced"}},
		{"Love it!❤️ So much", []string{"Love it!❤️", "So much"}},
		{`She said "I'm off. Bye." and left. Sad.`, []string{`She said "I'm off. Bye." and left.`, "Sad."}},
		{`He asked "Are you ok?" I nodded.`, []string{`He asked "Are you ok?"`, "I nodded."}},
		{"She said “No. Never.” Then she left.", []string{"She said “No. Never.”", "Then she left."}},
		{"We ate (it was late. very late) and slept. Good.", []string{"We ate (it was late. very late) and slept.", "Good."}},
		{"P!nk played. Yahoo! is old", []string{"P!nk played.", "Yahoo!", "is old"}},
		{"i live in berlin. i work at siemens. cool", []string{"i live in berlin.", "i work at siemens.", "cool"}},
		{"Wir treffen uns am 3. Mai. Bis dann.", []string{"Wir treffen uns am 3. Mai.", "Bis dann."}},
		{"Vivo en la calle Sol n.º 5. Es bonita.", []string{"Vivo en la calle Sol n.º 5.", "Es bonita."}},
		{"私は猫が好きです。犬も好きです！", []string{"私は猫が好きです。", "犬も好きです！"}},
		{"彼は「好きだ。」と言った。本当？", []string{"彼は「好きだ。」と言った。", "本当？"}},
		{"我住在上海。我喜欢茶。", []string{"我住在上海。", "我喜欢茶。"}},
		{"أعيش في القاهرة. أحب الشاي؟ نعم", []string{"أعيش في القاهرة.", "أحب الشاي؟", "نعم"}},
		{"मैं दिल्ली में रहता हूँ। मुझे चाय पसंद है।", []string{"मैं दिल्ली में रहता हूँ।", "मुझे चाय पसंद है।"}},
		{"¿Qué tal? ¡Bien! Vivo aquí.", []string{"¿Qué tal?", "¡Bien!", "Vivo aquí."}},
		{"no punctuation at all here", []string{"no punctuation at all here"}},
		{"I painted it. [shares a photo: a lake. at dawn]", []string{"I painted it.", "[shares a photo: a lake. at dawn]"}},
		{"[a photo of a lake] I painted it. [a photo of a dog]", []string{"[a photo of a lake]", "I painted it.", "[a photo of a dog]"}},
		{"Look at [this page](https://example.com/x). Nice.", []string{"Look at [this page](https://example.com/x).", "Nice."}},
		{"Node.js is fine. So is example.com. Really.", []string{"Node.js is fine.", "So is example.com.", "Really."}},
		{"It is 5 km. We walked.", []string{"It is 5 km.", "We walked."}},
		{"", nil},
		{"   ", nil},
		{"...", []string{"..."}},
	} {
		if got := sentences(context.Background(), c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q\n gives %s\n want  %s", c.text, quoted(got), quoted(c.want))
		}
	}
}

func TestSecretsMayBeKept(t *testing.T) {
	const text = "my password is hunter2"
	for keep, want := range map[bool]string{true: text, false: "my password is [redacted:password]"} {
		r := &Rules{KeepSecrets: keep}
		e, err := r.Extract(context.Background(), Input{Messages: []memd.Message{user(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(e.Candidates); !slices.Equal(got, []string{want}) {
			t.Errorf("%v: %s", keep, quoted(got))
		}
	}
}
