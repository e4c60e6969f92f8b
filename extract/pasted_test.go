package extract

import "testing"

// What was written by somebody else tells nothing of who pasted it.
func TestPastedTextsTellNothingOfTheirSender(t *testing.T) {
	const letter = "Hi Karl,\nI moved to Boston last week and I work at MIT now.\nBest,\nJim"
	for _, text := range []string{
		"please reply to this email:\n\n" + letter,
		"reply to this email for me\n\n" + letter,
		letter + "\n\ncan you reply to this email for me?",
		"can you respond to this?\n\nHey, I'm allergic to cats so I can't come over.",
		"how would you answer this message?\nI live in Paris now and I have a new job at Shell.",
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
