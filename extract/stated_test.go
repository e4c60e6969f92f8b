package extract

import (
	"slices"
	"testing"
)

// statedBy is a talk, an assistant's messages begin with ">", and what its last message states,
// as retold writes it.
type statedBy struct {
	said []string
	want []string
}

func checkTalks(t *testing.T, talks []statedBy) {
	t.Helper()
	for _, c := range talks {
		if got := retold(talked(t, c.said...)); !slices.Equal(got, c.want) {
			t.Errorf("%q\n gives %s\n want  %s", c.said, quoted(got), quoted(c.want))
		}
	}
}

func saying1(text string, want ...string) statedBy { return statedBy{[]string{text}, want} }

func TestWhereMachinesAre(t *testing.T) {
	checkTalks(t, []statedBy{
		saying1("The staging server is at 10.0.3.7", "The staging server is at 10.0.3.7 [staging server|address=10.0.3.7]"),
		saying1("the staging server's ip is 10.0.3.9 now", "the staging server's ip is 10.0.3.9 now [staging server|address=10.0.3.9]"),
		saying1("The staging server is at staging.example.com", "The staging server is at staging.example.com [staging server|address=staging.example.com]"),
		saying1("our api is available at https://api.example.com/v2", "our api is available at https://api.example.com/v2 [api|address=https://api.example.com/v2]"),
		saying1("our prod database is on db1.internal:5432", "our prod database is on db1.internal:5432 [prod database|address=db1.internal:5432]"),
		saying1("our frontend is on vue.js", "our frontend is on vue.js"),
		saying1("Is the staging server at 10.0.3.7?"),
	})
}

func TestCodesOfDoorsAreSecrets(t *testing.T) {
	checkTalks(t, []statedBy{
		saying1("the door code is 4711", "the door code is [redacted:password]"),
		saying1("The gate code is 4711#", "The gate code is [redacted:password]"),
		saying1("the entry code of our building is 12-34-5", "the entry code of our building is [redacted:password]"),
		saying1("my locker code is 4471", "my locker code is 4471 [locker code=4471]"),
		saying1("the code for the front door is *4711#", "the code for the front door is [redacted:password]"),
		saying1("the wifi password is hunter22", "the wifi password is [redacted:password]"),
		saying1("el código de la puerta es 4711", "el código de la puerta es [redacted:password]"),
		saying1("Der Code für die Haustür ist 4711", "Der Code für die Haustür ist [redacted:password]"),
		saying1("the error code for the door sensor is E4711", "the error code for the door sensor is E4711"),
		saying1("our gate number is 12", "our gate number is 12"),
		saying1("the discount code is SAVE20", "the discount code is SAVE20"),
	})
}

func TestOneLineOfAForm(t *testing.T) {
	checkTalks(t, []statedBy{
		saying1("Favourite food: ramen", "Favourite food: ramen [favorite:food=ramen]"),
		saying1("favorite colour: blue", "favorite colour: blue [favorite:color=blue]"),
		saying1("Name: Ana", "Name: Ana [name=Ana]"),
		saying1("Dog: Rex", "Dog: Rex [pet:rex]"),
		saying1("Diet: vegan", "Diet: vegan [diet=vegan]"),
		saying1("Allergies: peanuts, shellfish", "Allergies: peanuts [allergy:peanuts]", "(Allergies:) shellfish [allergy:shellfish]"),
		saying1("Likes: hiking, tea and jazz", "Likes: hiking [taste:hiking]", "(Likes:) tea [taste:tea]", "(Likes:) jazz [taste:jazz]"),
		saying1("Allergies: none", "Allergies: none"),
		saying1("Name: Ana\nAllergies: peanuts and eggs", "Name: Ana [name=Ana]", "Allergies: peanuts [allergy:peanuts]", "(Allergies:) eggs [allergy:eggs]"),
		saying1("Note: the build is red"),
		saying1("Output: yes"),
		saying1("Language: Go"),
		saying1("Name: error"),
	})
}

func TestHowToAnswerIsForAllAnswersWhereNothingElseIsAsked(t *testing.T) {
	checkTalks(t, []statedBy{
		saying1("Please answer in bullet points", "Please answer in bullet points [answer with bullet points]"),
		saying1("Reply with bullet points", "Reply with bullet points [answer with bullet points]"),
		saying1("be concise", "be concise [answer length=concise]"),
		saying1("please be concise when you answer", "please be concise when you answer [answer length=concise]"),
		saying1("keep it short from now on", "keep it short from now on [answer length=short]"),
		saying1("no emojis please", "no emojis please [!answer with emojis]"),
		saying1("No emojis", "No emojis [!answer with emojis]"),
		saying1("don't use bullet points", "don't use bullet points [!answer with bullet points]"),
		saying1("answer in one sentence: what is Go?"),
		saying1("Be concise: what is Go?"),
		saying1("Write a poem about spring. Be concise."),
		saying1("Can you summarize this? No emojis."),
	})
}

func TestWhatIsConfirmedIsSo(t *testing.T) {
	checkTalks(t, []statedBy{
		{[]string{">So you live in Rome?", "yep"}, []string{"yep (asked: So you live in Rome?) [home=Rome]"}},
		{[]string{">So you live in Rome?", "Yes, that's right"}, []string{"Yes, that's right (asked: So you live in Rome?) [home=Rome]"}},
		{[]string{">You live in Rome, right?", "correct"}, []string{"correct (asked: You live in Rome, right?) [home=Rome]"}},
		{[]string{">If I remember right, you work at Acme?", "That's right!"}, []string{"That's right! (asked: If I remember right, you work at Acme?) [work=Acme]"}},
		{[]string{">You live in Rome.", "correct"}, []string{"correct (said before: You live in Rome) [home=Rome]"}},
		{[]string{">You're vegan.", "yes, that's right"}, []string{"yes, that's right (said before: You're vegan) [diet=vegan]"}},
		{[]string{">So your name is Ana?", "yep"}, []string{"yep (asked: So your name is Ana?) [name=Ana]"}},
		{[]string{">Is your name Ana?", "no"}, []string{"no (asked: Is your name Ana?) [!name=Ana]"}},
		{[]string{">And your dog's called Rex, right?", "yes"}, []string{"yes (asked: And your dog's called Rex, right?) [pet:rex]"}},
		{[]string{">So you live in Rome?", "no"}, []string{"no (asked: So you live in Rome?) [!home=Rome]"}},
		{[]string{">So you live in Rome?", "no, in Milan"}, []string{"no, in Milan (asked: So you live in Rome?) [home=Milan]"}},
		{[]string{">So you live in Rome?", "I don't know"}, nil},
		{[]string{">So the answer is 4?", "correct"}, nil},
		{[]string{">The capital of France is Paris.", "yes"}, nil},
		{[]string{">You should try the risotto.", "correct"}, nil},
		{[]string{">You like jazz, so I'd go to the Blue Note.", "yes"}, nil},
		{[]string{">Have you seen it?", "Alien, why?"}, nil},
		{[]string{">Who is your favourite director?", "Alien, why?"}, nil},
	})
	for _, line := range []string{"yep", "that's right"} {
		for _, before := range []string{">So you live in Rome?", ">So you live in Rome."} {
			if got := talked(t, before, line); len(got) != 1 || !slices.Equal(got[0].Sources, []int64{1, 2}) {
				t.Errorf("%q %q: %+v", before, line, got)
			}
		}
	}
}

func TestAnAnswerAndWhatIsToldBesideIt(t *testing.T) {
	checkTalks(t, []statedBy{
		{[]string{">How old are you?", "34, and my wife is 32"}, []string{"34 (asked: How old are you?) [age=34]", "my wife is 32 [partner|age=32]"}},
		{[]string{">How old are you?", "34 and i live in Graz"}, []string{"34 (asked: How old are you?) [age=34]", "i live in Graz [home=Graz]"}},
		{[]string{">So you live in Rome?", "yes but I work in Milan"}, []string{"yes (asked: So you live in Rome?) [home=Rome]", "I work in Milan"}},
		{[]string{">Do you like jazz?", "yes, and my wife does too"}, []string{"yes, and my wife does too (asked: Do you like jazz?)"}},
	})
}

func TestClausesWithoutMarks(t *testing.T) {
	checkTalks(t, []statedBy{
		saying1("hi im ana i live in rome and i work at acme my dog is called rex",
			"hi im ana [name=ana]", "i live in rome [home=rome]", "i work at acme [work=acme]", "my dog is called rex [pet:rex]"),
		saying1("my name is tom im 34 i live in graz my wife is called eva and we have two kids",
			"my name is tom [name=tom]", "im 34 [age=34]", "i live in graz [home=graz]", "my wife is called eva [partner=eva]", "we have two kids [number of children=two]"),
		saying1("hey im looking for a recipe i am vegan i live in berlin",
			"hey im looking for a recipe", "i am vegan [diet=vegan]", "i live in berlin [home=berlin]"),
		saying1("i like the way my dog sleeps", "i like the way my dog sleeps [taste:way my dog sleeps]"),
		saying1("what i like is i can work at home", "what i like is i can work at home"),
		saying1("i think my dog is sick i live in rome", "i think my dog is sick i live in rome"),
		saying1("i was wondering if my dog can eat grapes"),
	})
}

func TestNewToATradeAndStuckOnABug(t *testing.T) {
	checkTalks(t, []statedBy{
		saying1("I'm new to Go", "I'm new to Go"),
		saying1("im pretty new to kubernetes", "im pretty new to kubernetes"),
		saying1("I'm new to this"),
		saying1("I'm new here"),
		saying1("I'm stuck on this bug"),
		saying1("I'm stuck on this bug since yesterday"),
		saying1("I've been stuck on this error for hours"),
		saying1("still stuck on step 3"),
		saying1("we're stuck in a lease until 2026", "we're stuck in a lease until 2026"),
		saying1("I'm struggling with my divorce", "I'm struggling with my divorce"),
	})
}

func TestAnAssistantThatDrawsFromWhatItWasTold(t *testing.T) {
	checkTalks(t, []statedBy{
		{[]string{"I live in Rome", ">You live in Rome, so it's close"}, nil},
		{[]string{"I live in Rome", ">You live in Rome, so it's close. I'd take the train."}, nil},
		{[]string{"I'm allergic to peanuts", ">You're allergic to peanuts, so the pad thai at Siam Garden is out."}, []string{"You're allergic to peanuts, so the pad thai at Siam Garden is out"}},
	})
}

func TestAllOfItIsWhatWasJustTalkedAbout(t *testing.T) {
	checkTalks(t, []statedBy{
		{[]string{"I bought a red kayak", ">Nice!", "forget all of it"}, []string{"-I bought a red kayak"}},
		{[]string{"My brother Tom is a pilot. I admire Ann.", ">Cool.", "forget all that please"}, []string{"-My brother Tom is a pilot", "-I admire Ann"}},
		{[]string{"I live in Rome", ">Nice.", "I bought a red kayak", ">Nice!", "please forget all of this"}, []string{"-I bought a red kayak"}},
		{[]string{"I live in Rome", ">Nice.", "I bought a red kayak", ">Nice!", "forget everything"}, []string{"-I live in Rome", "-I bought a red kayak"}},
		{[]string{">Nice!", "forget all of it"}, nil},
	})
}

func TestDeathsAndMovingOut(t *testing.T) {
	checkTalks(t, []statedBy{
		saying1("Rex died in May", "Rex died in May [!pet:rex]"),
		saying1("Rex is no longer with us", "Rex is no longer with us [!pet:rex]"),
		saying1("we lost our dog Rex", "we lost our dog Rex [!pet:rex]"),
		saying1("we had to put Rex down", "we had to put Rex down [!pet:rex]"),
		saying1("Rex is dead", "Rex is dead [!pet:rex]"),
		saying1("the project is dead", "the project is dead"),
		saying1("I lost my dog's leash", "I lost my dog's leash"),
		saying1("I live with my mum", "I live with my mum [lives with:mother]"),
		saying1("I don't live with mum anymore", "I don't live with mum anymore [!lives with:mother]"),
		saying1("I've moved out of my mum's place", "I've moved out of my mum's place [!lives with:mother]"),
		saying1("I moved out of my parents' house", "I moved out of my parents' house [!lives with:parents]"),
		saying1("I moved out of Graz", "I moved out of Graz [!home=Graz]"),
		saying1("I've lived in Trastevere, Monti and Prati", "I've lived in Trastevere, Monti and Prati"),
		{[]string{">Which districts have you lived in?", "Trastevere, Monti and Prati"}, []string{"Trastevere, Monti and Prati (asked: Which districts have you lived in?)"}},
	})
}
