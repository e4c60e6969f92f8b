package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

func TestWhatIsOfTheMomentIsNotKept(t *testing.T) {
	for _, text := range []string{
		"im so bored rn", "I'm literally crying", "i hate this boss i swear", "ugh ok this build is killing me", "omg stopppp 😭", "YESSS WE GOT IT", "eeee thank youuu", "pizzas here brb", "gonna grab coffee brb",
		"ok i'm going to try restarting the router", "i'll send you a photo", "still red", "no wait, nvm its working lol", "that fixed it, you were right", "wait no it hangs again", "the tracking page just shows a spinner",
		"I said three bullets not five", "you forgot the jacket's weight", "that's not what I meant, I wanted it in the same line", "better. I'd put the map first though", "i'm impressed how fast you are though", "you explain very good",
		"rename it to fetchAll", "anyway help me with this paragraph", "reformat the file please", "how high is Kilimanjaro", "and who climbed it first", "and this: \"I am living in a big castle\"", "*draws sword* \"I own three dragons\"",
		"It is raining again here", "Now I am looking for my glasses, one moment.",
		"is it on here?\n\"\"\"\nOpen daily from 7.\n\"\"\"", "2025-02-11 08:59:01 ERROR shard 7\nNote: I am the fallback handler",
	} {
		check(t, user(text), nil)
	}
	checkAll(t, []says{
		whole("I'm happy with Ana"), whole("I'm so happy in my new job"), whole("You need a visa for Vietnam"), whole("I'm going to try keto"), whole("I'm going to get a dog"), whole("I love this city"), whole("I hate this job"),
		whole("the dog is gone"), whole("The boiler broke again"), whole("let's move to Portugal"), whole("I meant to study law"), whole("I was going to study law"), whole("I told you the dog died"), whole("I don't know how to swim"),
		whole("I forgot to take the pills"), whole("i hold on to old letters"), gives("You know I hate cilantro", "I hate cilantro"), whole("you can call me Bo"), whole("I'm waiting for a kidney transplant"), whole("I'm cold all the time"), whole("User stories live in Jira"),
		whole("I'd use a wheelchair ramp"),
	})
	check(t, user("green"), []string{"green (asked: Which one is yours?)"}, assistant("Which one is yours?"))
}

func TestOfAnAssistantThatIsKeptWhichMatters(t *testing.T) {
	for _, text := range []string{
		"Let's look at the output.", "Running it again with verbose output.", "Renamed i to index.", "Safe travels!", "Ren is a nice name.", "I love jazz and long walks.", "My inn has burnt twice this year.", "You seem like someone who goes hiking every weekend!",
		"Dear Sir or Madam,\n\nI have ten years of experience.\n\nKind regards", "Done, I've forgotten it.", "*wipes a mug* Welcome.", "No rush.",
	} {
		check(t, assistant(text), nil)
	}
	check(t, assistant("Yesterday I went to the market."), nil, user("please check this sentence: \"Yesterday I have went to the market.\""))
	for _, text := range []string{
		"I booked the table for you!", "I'd go for the blue one", "You could take the ferry", "We agreed to start with the kitchen", "From now on I'll answer in Dutch", "Sourdough needs a long proof and a hot oven", "I've cancelled your order",
	} {
		check(t, assistant(text), []string{text})
	}
	named := assistant("I love jazz and long walks.")
	named.Name = "Nova"
	check(t, named, []string{"I love jazz and long walks"})
}

func TestWhatWasJustSaidIsTakenBack(t *testing.T) {
	got := extracted(t, nil, user("i have a crush on Sanna"), user("omg no forget what i just said"))
	if len(got) != 2 || !got[1].Forget || got[1].Text != got[0].Text {
		t.Errorf("%+v", got)
	}
	got = extracted(t, nil, user("please forget where I live"))
	if slots := slotsOf(got); !slices.Contains(slots, "home") || !slices.Contains(slots, "address") || slices.ContainsFunc(got, func(c memd.Candidate) bool { return !c.Forget }) {
		t.Errorf("%+v", got)
	}
	got = extracted(t, nil, user("My flight to Oslo leaves at 6."), assistant("Noted!"), user("earlier I said the flight leaves at 6, it's at 8"))
	if len(got) != 3 || !got[1].Forget || got[1].Text != got[0].Text {
		t.Errorf("%+v", got)
	}
}

func TestWhatEndedAtATimeHasEnded(t *testing.T) {
	for text, want := range map[string]string{
		"I quit smoking in January": "!habit:smoke", "Quit smoking in January! Five months now.": "!habit:smoke", "I stopped eating fish last year": "!habit:eat fish", "I smoke a pack a day": "habit:smoke",
		"Our CI runs on Jenkins": "ci|runs on=Jenkins", "I'm not running the Aarhus half marathon anymore": "!taking part in:aarhus half marathon", "they've moved mum's operation to 11 June": "mother|date:operation=2024-06-11",
	} {
		if got := extracted(t, nil, user(text)); len(got) != 1 || holds(got[0]) != want {
			t.Errorf("%q: %+v, want %q", text, got, want)
		}
	}
}

func TestSomebodyIsToBeForgotten(t *testing.T) {
	got := extracted(t, nil, user("You can forget about the gluten thing, the test came back negative"))
	if len(got) != 2 || !got[0].Forget || got[0].Subject != "gluten" || got[1].Text != "the test came back negative" {
		t.Errorf("%+v", got)
	}
	check(t, user("forget about it"), nil)
}

func slotsOf(all []memd.Candidate) (slots []string) {
	for _, c := range all {
		slots = append(slots, c.Slot)
	}
	return slots
}
