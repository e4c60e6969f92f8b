package extract

import "testing"

func TestWhatAnAssistantSaysBackIsNotLearned(t *testing.T) {
	for _, text := range []string{
		"You mentioned that you're allergic to walnuts.", "As you said earlier, your sister lives in Turku.", "I've noted that you prefer window seats.", "Great, I'll remember that you're allergic to nuts.",
		"According to my memory, your favourite food is borscht.", "You live in Oulu.", "You work nights at the bakery.", "Okay, so you have two kids and a dog.", "Your dog's name is Biff.", "You're vegan.", "You're also fond of proofs.", "So you still live in Oulu.",
		"Here is what I remember about you:\n- You live in Oulu\n- You work nights", "What I know about you:\n1. vegan\n2. from Cork", "user: I live in Oslo\nuser: I have a sister", "> user: I live in Oslo",
		"Oh no, I hope it goes well!", "That sounds like a wonderful trip!", "What a lovely name!", "Congratulations on the new job!", "Happy to!", "Done!", "Tell me a bit about yourself.",
	} {
		check(t, assistant(text), nil)
	}
	for _, says := range []says{
		whole("I booked a table at Luma"),
		gives("Your meeting has been moved to Tuesday at 10", "Your meeting has been moved to Tuesday (2024-03-05) at 10"),
		gives("Since you're vegan, try the lentil stew", "try the lentil stew"),
		whole("You should visit the Majestic"),
		gives("You mentioned that you're allergic to walnuts. A lemon drizzle cake would be safe.", "A lemon drizzle cake would be safe"),
		gives("Great restaurants nearby are Luma and Nori.", "Great restaurants nearby are Luma and Nori"),
	} {
		check(t, assistant(says.text), says.want)
	}
}

func TestTextsOfOthersAreNotTheUsers(t *testing.T) {
	checkAll(t, []says{
		none("Translate to German: I live in Berlin and my dog is sick"),
		none("Proofread this please:\n\nDear Ms Hall, I have ten years of experience as a welder."),
		none("can you fix the grammar: \"my brother work in Paris since 2010\""),
		none("Summarize this email from my boss:\n\nHi team, I moved the deadline.\nBest, Henrik"),
		gives("My colleague wrote this, can you shorten it?\n\n> Hi all, I'm Greta and I'm vegetarian.", "My colleague wrote this"),
		gives("Here's my bio, make it shorter:\n\nI'm a nurse from Leeds.", "Here's my bio, make it shorter:", "I'm a nurse from Leeds"),
		gives("Can you make it shorter?\n\nBy the way, I moved to Rome.", "By the way, I moved to Rome"),
		gives("I keep bees. Can you shorten this?\n\nAlso I moved to Rome.", "I keep bees", "Also I moved to Rome"),
		none("Known facts about the user:\n- likes jazz\n- lives in Rome"),
		none("The user lives in Rome.\nUser's name is Bob"),
		whole("The user is redirected to the login page"),
		none("### Memories\nuser: I love jazz\nuser: I live in Rome"),
		gives("2025-01-10T06:00:01Z ERROR tls: certificate has expired\nI live in Ghent", "I live in Ghent"),
		gives("const home = \"Rome\";\nI live in Ghent", "I live in Ghent"),
		none("If I were rich I'd buy a lighthouse"),
		none("Let's pretend I'm a pirate captain"),
	})
}

func TestSmallTalkOfOtherKinds(t *testing.T) {
	for _, text := range []string{
		"ok let me try that", "I'll wait", "that's what I thought", "not much, you?", "can't complain", "it works now, thank you!", "option b", "more formal", "in french please", "100%", "maybe later", "sorry for all the questions",
		"hmm not quite what I meant", "no the other one", "yes exactly like that!!", "perfect, that works", "thx ur the best ❤️", "hope ur well", "finally!!", "Typo!", "ugh monday", "I'm hungry", "omw",
		"Thank you so much for taking the time to explain all of that, it makes a lot more sense to me now and I really appreciate how patient you were.",
		"merci à toi, bonne soirée !", "merci pour ton aide", "gracias por la ayuda", "qué guay", "recomiéndame un libro", "Danke für deine Hilfe", "Kannst du mir helfen", "blz, valeu!", "obrigado pela ajuda",
		"好的好的，谢谢", "哈哈哈好的，谢谢！", "谢谢你的帮助", "帮我写一封邮件", "了解しました", "教えてくれてありがとう", "明日の天気はどうですか", "شكرا لك على المساعدة", "اكتب لي قصيدة",
	} {
		check(t, user(text), nil)
	}
	for _, text := range []string{
		"Thank you, my sister loved it", "thanks to my neighbour we have heating", "gracias por preguntar, vivo en Cádiz", "soy celíaca", "我不喜欢香菜", "猫アレルギーです", "أحب القهوة ولا أحب الشاي", "Ich hasse Koriander!",
	} {
		check(t, user(text), []string{text})
	}
}
