package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

func TestWhatIsOnlyOfTheTalkIsNotKept(t *testing.T) {
	for _, text := range []string{
		// what is thought of an answer, or of a text
		"the closing verse is a bit flat", "second draft reads smoother", "needs more warmth", "not a fan of the subtitle", "that explanation was way too long", "I don't follow the third step", "I'd say the last option", "hmm still too formal",
		"I love the opening", "I like the second one", "I prefer shorter", "I hate this bug", "I like the code", "I prefer the first option",
		// how the work goes
		"the modal still jumps", "all green now", "I cleared the cache twice", "ci is red again", "merged", "port 9000 already in use", "tried rebooting it", "now the console prints nothing", "nit: rename that variable", "4 tests failing",
		// nudges, reactions, games
		"u there?", "yikes", "same tbh", "figures", "solid 7/10", "6 of 9", "gg ez", "lemon it is", "whenever you're ready", "I attack the troll",
		// errands and states of the moment
		"sorry typing on my phone", "just got home", "my brain is mush", "slept badly", "need coffee", "might order pizza", "stuck in traffic", "cleaning the kitchen", "can't stop yawning", "I should get some sleep",
		// wishes for one answer
		"need a synonym for brave", "i'd like a short poem about rivers", "cheap flights oslo to rome", "two more please", "how many grams in a cup", "can cats eat cheese", "which one is better", "sort by date", "don't overthink it",
	} {
		check(t, user(text), nil)
	}
}

func TestWhatTellsIsKeptThoughItsWordsArePlain(t *testing.T) {
	for _, text := range []string{
		"single mom of two", "nurse here", "left-handed", "hard of hearing", "I'm 29", "no shellfish for me", "big fan of opera", "new job at the harbour", "between jobs at the moment",
		"the roof leaks", "the landlord hates pets", "legacy code must not be touched", "the tests take 20 minutes", "gluten makes me sick", "coffee keeps me up at night", "mornings are hard for me",
		"I skip lunch", "I can't swim", "I want a dog", "I need glasses for reading", "we broke up", "she left me", "he proposed", "it's my day off", "my eyes are sensitive to bright light", "Mia and I are back together",
		"I love coffee", "I like coffee again", "I love coffee, especially espresso", "I don't like coffee", "We love pizza", "I like beer with pizza", "I love puns", "I like emojis", "I like lists", "I prefer tea", "I prefer coffee over tea", "I hate the train",
		"there are four of us at home", "don't use emojis with me", "stack: Elixir, no cloud", "quitting sugar", "I wish I could draw",
	} {
		got := texts(extracted(t, nil, user(text)))
		if len(got) != 1 {
			t.Errorf("%q gives %s", text, quoted(got))
		}
	}
}

func TestACommandMayTellSomethingBesides(t *testing.T) {
	check(t, user("make me a plan for the week, i've got a bad shoulder"), []string{"i've got a bad shoulder"})
	check(t, user("write me a packing list, one of us is in a wheelchair"), []string{"one of us is in a wheelchair"})
	check(t, user("let's play: you're the guard, I'm Sir Tomas of Eastmarch"), nil)
	check(t, user("imagine you're my boss and i ask for a raise"), nil)
}

func TestATopicIsNamedFirst(t *testing.T) {
	check(t, user("rom coms? not for me"), []string{"rom coms? not for me"})
	check(t, user("what's this? not for me"), nil)
}

func TestAnswersToWhatIsWorkedOnTellNothing(t *testing.T) {
	for _, c := range [][2]string{
		{"How long should it be?", "about 200 words"}, {"Did you clear the cache?", "yep, same thing"}, {"What topic should the poem be about?", "the sea"}, {"How are you feeling today?", "a bit better"},
		{"How about soup?", "idk"}, {"u there?", "yep just parking"}, {"Is the light still blinking?", "no it's solid now"}, {"What input do you give it?", "`12-ab c`"},
	} {
		check(t, user(c[1]), nil, assistant(c[0]))
	}
	for _, c := range [][2]string{
		{"When do you move?", "next week"}, {"Which floor is your flat on?", "second floor"}, {"How are you getting to work?", "by tram"}, {"What topic is your thesis on?", "tidal mills"}, {"Should I avoid any foods?", "peanuts"},
	} {
		if got := texts(extracted(t, []memd.Message{assistant(c[0])}, user(c[1]))); len(got) != 1 {
			t.Errorf("%q after %q gives %s", c[1], c[0], quoted(got))
		}
	}
	check(t, user("never"), []string{"never (asked: Milk?)"}, assistant("Milk?"))
	check(t, user("cello"), []string{"cello (asked: Which instrument do you play?)"}, assistant("Which instrument do you play?"), user("sec, door"), assistant("No rush."))
	check(t, user("a telescope!!"), []string{"a telescope!! (asked: guess what i got for my birthday?)"}, user("guess what i got for my birthday?"))
	check(t, user("16 august"), []string{"16 august (2024-08-16) (asked: When is it?)"}, assistant("When is it?"))
}

func TestTextsHandedOverOrQuotedTellNothing(t *testing.T) {
	for _, text := range []string{
		"Rewrite in formal English.\n\nInput: me and my wife hate olives\nOutput: My wife and I dislike olives.\n\nInput: my knee's busted\nOutput:",
		"[14:03] Dina: I hate living with you\n[14:04] Max: I've got a new flatmate",
		"proofread pls\n\nDear Mr Olsen, I have five years of experience.", "summarise:\n\nMaria moved to Berlin. She works as a nurse.", "summarize this article: The council voted on Monday. Residents are upset.",
		"she wrote: \"I am moving to Lima with my brother\"", "STRIPE_REGION=eu-north-1", "goroutine 1 [running]:\nmain.main()\n\t/home/a/main.go:9 +0x1d\nexit status 2",
		"Here is an email, fix the grammar:\nHi, my name is Peter and I work at IBM.", "Can you fix the grammar of this email?\nHi, my name is Peter and I work at IBM.", "Translate to German please\nI live in Berlin",
		"Write a poem: I live in a house of glass", "Act as a doctor. I am a patient with a fever.", "Let's roleplay. I am a wizard from Avalon.", "Summarize: The company grew by 5% last year. I am the CEO.",
		"Example: \"My name is John and I live in Texas.\" Extract the name", "Extract the name: My name is John", "Say: I am a nurse", "How do you say in German: I live in Berlin", "Is this sentence correct: \"I am living in Berlin since 2010\"?",
		"Übersetze ins Englische: Ich wohne in Berlin", "Traduis cette phrase : J'habite à Lyon", "Traduce: vivo en Madrid", "翻译：我住在上海", "日本語に訳して：I live in Tokyo",
	} {
		check(t, user(text), nil)
	}
	// What stands behind code that was handed over is its sender's own again, and so is what they ask with.
	check(t, user("Here's my code:\n```python\nx = 1\n```\nI use Python 3.12 on Fedora."), []string{"I use Python 3.12 on Fedora"})
	check(t, user("Fix this code\n\n```\nx = 1\n```\n\nI use Fedora at home."), []string{"I use Fedora at home"})
	check(t, user("Write me a cover letter: I am a nurse"), []string{"I am a nurse"})
	check(t, user("Act as a career coach. I am a nurse in Graz."), []string{"I am a nurse in Graz"})
	check(t, assistant("\"In Trieste I slept behind the fish market.\""), nil)
}

func TestWhatAnAssistantOffersOrWishesIsNoStatement(t *testing.T) {
	for _, text := range []string{
		"Paste the output here and I'll take a look.", "If that fails, send me the log.", "I can book it for you if you like.", "If you want, I can also make a table.", "You're absolutely right, I missed that.", "I apologize for the mix-up.",
		"I've made it shorter.", "Here's a shorter version.", "The build is green.", "Give Miso a cuddle from me.", "Metric it is.", "There are a few options here.", "You'll get there.",
	} {
		check(t, assistant(text), nil)
	}
	for _, text := range []string{"I'll remind you on Monday (2024-03-04) at 9 to call the dentist", "Your booking reference is KX-2210", "The museum is closed on Mondays", "I sent the invoice to Mr. Lind"} {
		if got := texts(extracted(t, nil, assistant(text))); !slices.ContainsFunc(got, func(s string) bool { return s != "" }) {
			t.Errorf("%q gives nothing", text)
		}
	}
	check(t, assistant("Then a lentil stew is perfect, as you eat no fish."), []string{"Then a lentil stew is perfect"})
}

func TestASlipMayStandBehind(t *testing.T) {
	got := extracted(t, nil, user("my order number is 7731"), user("7713 sorry"))
	if len(got) != 3 || !got[1].Forget || got[1].Text != "my order number is 7731" {
		t.Errorf("%+v", got)
	}
	got = extracted(t, nil, user("i told you my sister's baby is called Ilse but that's the doll lol"))
	if len(got) != 2 || !got[0].Forget || got[0].Text != "my sister's baby is called Ilse" {
		t.Errorf("%+v", got)
	}
}

// Where people talk with each other nobody's answer is talked about: there it is kept, and
// not where an assistant takes part.
func TestAmongPeopleMoreIsWorthKeeping(t *testing.T) {
	by := func(name, text string) memd.Message {
		m := user(text)
		m.Name = name
		return m
	}
	const said = "the closing verse is a bit flat"
	if got := texts(extracted(t, []memd.Message{by("Ana", "How do you find my song?")}, by("Bo", said))); !slices.Equal(got, []string{said}) {
		t.Errorf("among people: %q", got)
	}
	if got := texts(extracted(t, []memd.Message{assistant("Here is your song.")}, by("Bo", said))); len(got) != 0 {
		t.Errorf("with an assistant: %q", got)
	}
}
