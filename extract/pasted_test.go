package extract

import (
	"strings"
	"testing"
)

// What was written by somebody else tells nothing of who pasted it.
func TestPastedTextsTellNothingOfTheirSender(t *testing.T) {
	const letter = "Hi Karl,\nI moved to Boston last week and I work at MIT now.\nBest,\nJim"
	for _, text := range []string{
		"please reply to this email:\n\n" + letter,
		"reply to this email for me\n\n" + letter,
		letter + "\n\ncan you reply to this email for me?",
		"can you respond to this?\n\nHey, I'm allergic to cats so I can't come over.",
		"how would you answer this message?\n\nI live in Paris now and I have a new job at Shell.",
		"got this email, is it a scam?\n\nDear friend, I am a prince and I live in Lagos. I own a bank.",
		"Here's a text I got from my ex:\n\nI miss you. I live in Paris now.",
		"Email from my boss:\n\nI am in Berlin until Friday.",
		"What do you think of this bio?\n\nI'm a chef from Lyon. I love jazz and I own two dogs.",
		"Sentiment of this review?\n\nI bought this vacuum and I love it. My dog hates it.",
		"what does this message mean?\nim pregnant and i live w my mom",
		"here's what my friend wrote:\nI moved to Boston and I'm vegan now.",
		"Draft a reply to:\n\nHi, I live in Boston and my dog is called Rex.",
		"Write a reply to this: I'm sorry, I live in Boston now",
		"[Forwarded message]\nI moved to Boston and I'm vegan now.",
		"---------- Forwarded message ---------\nFrom: Jim\nDate: Mon\nSubject: hi\nTo: Karl\n\nI moved to Boston.",
		"From: Jim\nTo: Karl\n\nI moved to Boston and I'm vegan now.",
		"On Tue, Mar 3, 2026 at 9:00 AM Jim wrote:\n\nI moved to Boston.",
		"Text:\nI moved to Boston in 2019 and I work at MIT.\nQuestion: where does the author work?",
		"asking for a friend: im pregnant, can I eat sushi?",
		"write a tweet from the perspective of a pirate: I live in Tortuga",
		"Jim wrote: I moved to Boston and I'm vegan now",
		"Jim wrote:\nI moved to Boston and I'm vegan now",
		"My boss sent me this: I moved the meeting and I live in Bern now.",
		"The user is called Max. He lives in Monaco. User: hello",
		"Here are examples:\nI live in Rome\nI am vegan",
		"Hi Karl,\nI moved to Rome last week.\nBest,\nJim\n\nplease write a polite reply",
		"Hi Karl,\nI moved to Rome last week.\nBest,\nJim\n\nis this a scam?",
		"Hi Karl,\nI moved to Rome last week.\nBest,\nJim\n\nwhat does he want?",
		"Dear Karl,\nI moved to Rome last week.\nBest,\nJim\n\nsummarize",
		"Thoughts?\n\nHi Karl,\nI moved to Rome last week.\nBest,\nJim",
		"is this a good dating profile: I live in Rome and love dogs",
		"write a diary entry of a soldier.\nI live in Rome. I'm cold.",
		"scam or legit?\n\nHello dear, I moved to Rome and I am 65 years old.",
		"song lyrics: I live in Rome, I love the rain. who sings it?",
		"my script:\n\nname = \"Bob\"\nage = 30\n\nwhy doesn't it work?",
		"Write a story in the voice of a dragon: I live in a cave and I love gold",
		"From: jim@example.com\nTo: Karl\n\nI moved to Boston.",
		"reply to this email: I live in Boston now and I'm vegan",
	} {
		if got := talked(t, text); len(got) > 0 {
			t.Errorf("%q states %q", text, got[0].Text)
		}
	}
}

// What its sender says before and after it is theirs, and so is a text of their own.
func TestWhatIsSaidBesideAPastedTextIsLearned(t *testing.T) {
	checkAll(t, []says{
		gives("I'm a nurse in Leeds. Please reply to this email:\n\nHi Karl,\nI moved to Boston.\nBest,\nJim\n\nI prefer short replies.", "I'm a nurse in Leeds", "I prefer short replies"),
		gives("I work at Bosch. Can you help me answer this?\n\nHi Karl,\nI moved to Boston.\nBest,\nJim", "I work at Bosch"),
		gives("summarize this email for me\n\nHi team,\nI'm out because my son is sick.\nCheers,\nBob\n\nBtw I moved to Lille.", "Btw I moved to Lille"),
		gives("got this text from my ex, how do I respond?\n\n\"I live in Ghent now and I'm engaged\"\n\nI live in Lille.", "I live in Lille"),
		gives("help me reply to this:\n\n> I'm allergic to cats.\n> Best, Rolf\n\nMy cat Misse died.", "My cat Misse died"),
		gives("I live in Bonn. Can you respond to this? I work at Shell.", "I live in Bonn", "I work at Shell"),
		gives("I have to reply to this email soon.\nI work at Shell.", "I have to reply to this email soon", "I work at Shell"),
		gives("Here is a story about me:\n\nI was born in Ghent.", "I was born in Ghent"),
		gives("Is this chat private?\n\nI'm a lawyer in Rome.", "I'm a lawyer in Rome"),
		gives("What do you think of this plan?\n\nI study law at Lyon.", "I study law at Lyon"),
		gives("Can you answer this?\n\nI have diabetes. What can I eat?", "I have diabetes"),
		gives("I got a letter from my landlord, should I move out?\n\nI live in Leeds.", "I got a letter from my landlord", "I live in Leeds"),
		gives("My doctor said: no sugar for a month.", "My doctor said: no sugar for a month"),
		gives("Context: I live in Bonn.\nQuestion: which tram do I take?", "Context: I live in Bonn"),
	})
}

// A word that may open a text of somebody else's, but need not, leaves to its sender what
// they tell.
func TestWhatMayBeItsSendersOwnIsKept(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"My name is Ana and I'm vegan. I want to bake a cake, it's for a friend", []string{"Ana", "vegan"}},
		{"What can I bake? It's for a friend. I'm allergic to nuts and I live in Vienna.", []string{"allergic to nuts", "live in Vienna"}},
		{"I need a gift, it's for my friend Anna, she turns 30. I live in Oslo btw", []string{"live in Oslo"}},
		{"I'm vegan. Can I eat honey? asking for a friend lol", []string{"I'm vegan"}},
		{"this is for my colleague's birthday on May 5", []string{"May 5"}},
		{"asking for a friend: im pregnant, can I eat sushi?\n\nI live in Oslo.", []string{"I live in Oslo"}},
		{"Talk to me as a friend: my dog died yesterday", []string{"my dog died"}},
		{"give me tips as a beginner: i've never run before and i'm 45", []string{"i'm 45"}},
		{"Create a meal plan as a nutritionist: I'm vegan and allergic to soy", []string{"vegan", "allergic to soy"}},
		{"Answer as a doctor: I have asthma and I take metformin", []string{"asthma", "metformin"}},
		{"can you respond in shorter messages?\nI'm dyslexic", []string{"dyslexic"}},
		{"please answer in short sentences\nI have ADHD", []string{"ADHD"}},
		{"Could you please reply to my messages in German?\nI live in Graz.", []string{"Graz"}},
		{"reply to this message with ok: my name is Tom", []string{"Tom"}},
		{"please respond to this: I feel sad, my dog Rex died today", []string{"Rex died"}},
		{"do you keep these chats?\nmy name is Tom", []string{"Tom"}},
		{"does this chat save?\nI live in Rome", []string{"Rome"}},
		{"are you reading these messages?\nmy name is Tom and i live in Leeds", []string{"Tom", "Leeds"}},
		{"How long are these messages kept?\nMy name is Otto.", []string{"Otto"}},
		{"got an email from Aldi:\nI got the job!", []string{"I got the job"}},
		{"my doctor said: I have asthma", []string{"I have asthma"}},
		{"My doctor says: I have high cholesterol", []string{"high cholesterol"}},
		{"Doctor says: I have high cholesterol", []string{"high cholesterol"}},
		{"the vet says: my dog Rex has arthritis", []string{"arthritis"}},
		{"my boss texted: i'm promoted!", []string{"promoted"}},
		{"My boss said: we're moving to Munich in June", []string{"Munich"}},
		{"From: Vienna\nTo: Rome\nDate: May 5\n\nI'm allergic to nuts and I need a window seat", []string{"allergic to nuts"}},
		{"Can you help me?\nStory: my husband left me and I moved to Rome", []string{"husband left me", "moved to Rome"}},
		{"what should i do?\nText: I got fired from Aldi", []string{"fired from Aldi"}},
		{"How do I respond to this email?\nI'm a teacher and a parent complained about homework.", []string{"I'm a teacher"}},
		{"help me respond to my boss's message\nI work at Aldi as a cashier", []string{"Aldi"}},
		{"help me respond to my boss's message\n\nI work at Aldi as a cashier", []string{"Aldi"}},
		{"can you respond in shorter messages?\n\nI'm dyslexic", []string{"dyslexic"}},
		{"Is this chat monitored?\n\nI live in Rome.", []string{"I live in Rome"}},
		{"Here's a note about my diet:\nI'm vegan", []string{"vegan"}},
		{"what my doctor said:\nI have asthma", []string{"I have asthma"}},
		{"Help me write a reply to my landlord's email: I live in Rome and I can't pay.", []string{"I live in Rome"}},
		{"Help me write a response to my landlord:\nI live in Rome and I can't pay.", []string{"I live in Rome"}},
		{"age = 30\ncity = Rome", []string{"age = 30"}},
		{"Hi there,\nI live in Rome and I'm vegan. What can I cook?\nThanks,\nJim", []string{"I live in Rome", "vegan"}},
		{"Hi Karl,\nI moved to Rome.\nBest,\nJim\n\nCan you polish my letter?", []string{"moved to Rome"}},
		{"My name is Jim. Is this polite?\n\nHi Karl,\nI moved to Rome last week.\nBest,\nJim", []string{"Jim", "moved to Rome"}},
	} {
		var said strings.Builder
		for _, got := range talked(t, c.text) {
			said.WriteString(got.Text + "\n")
		}
		for _, want := range c.want {
			if !strings.Contains(said.String(), want) {
				t.Errorf("%q loses %q of %q", c.text, want, said.String())
			}
		}
	}
}

// Behind a text that shows where it ends its sender speaks on.
func TestTheSenderSpeaksOnBehindAText(t *testing.T) {
	const behind = "I work as a baker in Kiel"
	for _, text := range []string{
		"Summarize this article:\n\n\"I moved to Alaska in 1999,\" says Maria Lopez. \"I have seven dogs.\" Lopez is a musher.\n\n",
		"translate these lyrics: \"I was born in the USA, I got a brother at Khe Sanh\"\n\n", "translate these lyrics: \"I was born in the USA, I got a brother at Khe Sanh\" ",
		"translate this: \"I have a horse and I live in Bath\" - ", "What does this poem mean?\n\nI wandered lonely as a cloud\nThat floats on high o'er vales and hills\n\n",
		"Review: \"We stayed here with our 3 kids and my husband got sick.\"\n\n", "Translate to French: I live in Bath and I have a horse.\n\n", "make this sound better: I am a carpenter from Bath and I have a horse\n\n",
		"Write a story that starts with: I live in Bath and I have a horse.\n\n", "---------- Forwarded message ---------\nFrom: Petra <p@x.test>\nSubject: hi\n\nI live in Bath now and I have a horse.\n\nPetra\n\n",
		"He wrote:\n> I live in Bath now.\n> I have a horse.\n\n", "Job ad:\n\nWe are looking for a cook. You have 5 years of experience. You speak German. We are based in Bath.\n\n",
	} {
		if got := texts(talked(t, text+behind)); len(got) != 1 || got[0] != behind {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{
		"Summarize this article:\n\nI moved to Alaska in 1999.\n\nI have seven dogs.\n\nI run a shop.", "can you reply to this email?\n\nHi,\nMy name is Oliver Grant.\n\nI live in Bath.\n\nBest,\nOliver",
		"Job ad I'm applying to:\n\nWe are based in Munich.\n\nYou speak German fluently.", "translate this: \"I have a horse and I live in Bath\" to German",
	} {
		if got := texts(talked(t, text)); len(got) > 0 {
			t.Errorf("%q states %q", text, got)
		}
	}
	checkAll(t, []says{
		gives("My landlord wrote me this:\n> Dear tenant,\n> I am selling the flat.\n> Regards, Mr. Ortiz\nI've rented there for 6 years", "I've rented there for 6 years"),
		gives("can you reply to this email? I'm the manager of the Leeds branch.\n\nHi,\nMy name is Oliver Grant and I live in Bath.\nBest,\nOliver", "I'm the manager of the Leeds branch"),
	})
	var said strings.Builder
	for _, got := range talked(t, "rewrite this for my dating profile: I'm 38, love hiking and have a beagle") {
		said.WriteString(got.Text + "\n")
	}
	for _, want := range []string{"38", "hiking", "beagle"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q of %q", want, said.String())
		}
	}
}

func TestHeadingsAreNoMemories(t *testing.T) {
	for _, text := range []string{"WhatsApp chat:", "[Retrieved memories]", "Job ad I'm applying to:", "I filled this in for you:"} {
		if got := texts(talked(t, text)); len(got) > 0 {
			t.Errorf("%q states %q", text, got)
		}
	}
}
