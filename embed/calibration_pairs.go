package embed

type calibrationPair struct{ question, answer string }

// calibrationPairs are questions as people ask them of their own past, and
// statements that answer them. Each is about a matter of its own, so that any
// question with any other's answer is a pair that has nothing in common but the
// manner of speaking. Changing them changes every calibration.
var calibrationPairs = []calibrationPair{
	{"What is my dog called?", "We named our new puppy Biscuit after the colour of his fur."},
	{"Where do I live now?", "I moved into a small flat in Lisbon at the end of February."},
	{"Which allergy should the doctor know about?", "Penicillin gives me a terrible rash, so I must never take it."},
	{"When is our wedding anniversary?", "Tom and I got married on the 14th of June, nine years ago."},
	{"What did I order at the Thai place?", "The green curry there was so good that I had it two nights in a row."},
	{"How do I get to work?", "I take the number 12 tram every morning and walk the last stretch."},
	{"What instrument am I learning?", "My cello lessons are on Thursdays, and my fingers still hurt."},
	{"Who repaired the washing machine?", "Mr Novak came by and replaced the pump of the washer in ten minutes."},
	{"What is my favourite colour?", "I paint everything teal because no other shade makes me as happy."},
	{"Which exam am I preparing for?", "I spend my evenings revising for the bar examination in July."},
	{"How tall is the boy?", "Our son has grown again, he measures one metre forty-two."},
	{"What broke on the car?", "The garage says the alternator is dead and has to be swapped."},
	{"Which mountain did we climb?", "After five hours we finally stood on the summit of Triglav."},
	{"What do I do for a living?", "I have been a midwife at the city hospital for eleven years."},
	{"Which book did Clara lend me?", "Clara handed me her worn copy of a novel about lighthouse keepers."},
	{"How much was the rent raised?", "The landlord wants eighty euros more each month from October on."},
	{"What present should I buy for grandma?", "Grandma keeps saying that she would love a warm pair of slippers."},
	{"Why was the flight late?", "Fog over the airport kept our plane on the ground for three hours."},
	{"What does my brother study?", "Karim is in his second year of marine biology."},
	{"Which team do I support?", "I have held a season ticket for the Rovers since I was eight."},
	{"What is the code of the garage door?", "You open the garage by typing 4471 and pressing the hash key."},
	{"How do I like my coffee?", "I drink espresso with a drop of oat milk and never any sugar."},
	{"What did the dentist find?", "There is a small cavity in my upper left molar, she told me."},
	{"Which language is spoken in my family?", "At home we have always talked Catalan with each other."},
	{"What grows on the balcony?", "This year I planted tomatoes and basil in the pots outside the window."},
	{"When does the nursery close in summer?", "The kindergarten shuts for the first three weeks of August."},
	{"What was wrong with the delivery?", "The parcel arrived with one lamp smashed and the other missing."},
	{"Which diet am I following?", "I stopped eating meat and fish when I turned thirty."},
	{"How did the interview go?", "They offered me the position before I had even left the room."},
	{"What is the name of my boss?", "I report to Ingrid Solberg, who runs the whole department."},
	{"Where did I leave my umbrella?", "I must have forgotten the brolly under the seat at the cinema."},
	{"Which phone did I buy?", "I finally replaced my old mobile with a second-hand Fairphone."},
	{"What sport did I give up?", "Since the knee operation I no longer play squash."},
	{"How many siblings do I have?", "I grew up with two sisters and a much younger brother."},
	{"What am I afraid of?", "Ever since I was stuck in one, lifts make me panic."},
	{"Which film made me cry?", "I was in tears at the end of that documentary about the whales."},
	{"What time do I get up?", "My alarm rings at half past five, even on Sundays."},
	{"Who waters the plants while I am away?", "Mrs Okafor from next door looks after the ferns during my holidays."},
	{"What does the budget for the kitchen look like?", "We can spend twelve thousand on the new cupboards and the oven."},
	{"Which medicine do I take at night?", "Before bed I swallow one tablet of melatonin."},
}

func calibrationAnswers() []string {
	answers := make([]string, len(calibrationPairs))
	for i, pair := range calibrationPairs {
		answers[i] = pair.answer
	}
	return answers
}

func calibrationQuestions() []string {
	questions := make([]string, len(calibrationPairs))
	for i, pair := range calibrationPairs {
		questions[i] = pair.question
	}
	return questions
}
