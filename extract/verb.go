package extract

import "strings"

// Whether a row of words has a verb in it cannot be known without a dictionary.
// These lists and endings catch most; what they miss is taken for a fragment and
// stays with the sentence before it, so nothing is lost.

var (
	auxiliaries = set(`am is are was were be been being have has had do does did will would can could should may might must shall
		isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't can't couldn't shouldn't mustn't ain't cannot
		i'm you're he's she's it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll it'll we'll they'll
		would've could've should've might've must've that's there's here's what's who's im ive gonna gotta wanna`)
	// pasts are past forms that do not end in -ed.
	pasts = set(`went got had was were did ran lost bought brought taught caught thought sought fought found felt kept left met made paid said sold sent spent told took
		came became began broke built chose cut drew drove drank ate fell flew forgot forgave froze gave grew heard held hid hit hurt knew laid led lent let lit
		quit rode rang rose saw set shook shot showed shut sang sank sat slept slid spoke stood stole struck swam swore threw understood woke wore won wrote
		gone been done seen taken given written broken chosen eaten driven grown known spoken stolen worn read put lost dreamt learnt burnt spilt hung bit bled bred beat bent bet dealt dug fed fled`)
	// presents are common verbs in the forms of the present.
	presents = set(`
accept accepts agree agrees arrive arrives ask asks attend attends avoid avoids bake bakes become becomes begin begins believe believes belong belongs bring brings build builds buy buys
call calls care cares carry carries celebrate celebrates close closes collect collects come comes contain contains cook cooks cost costs cover covers cycle cycles dance dances decide decides depend depends
dislike dislikes drink drinks drive drives eat eats end ends enjoy enjoys expect expects expire expires fear fears feel feels find finds fit fits fly flies follow follows forget forgets get gets give gives go goes grow grows
happen happens hate hates hear hears help helps hold holds hope hopes include includes inspire inspires invite invites join joins keep keeps know knows land lands last lasts learn learns leave leaves let lets like likes listen listens live lives look looks lose loses love loves
make makes mean means meet meets mind minds motivate motivates move moves need needs offer offers open opens own owns paint paints pay pays plan plans play plays prefer prefers provide provides put puts
read reads remember remembers remind reminds require requires rent rents return returns ride rides run runs save saves say says see sees seem seems sell sells send sends serve serves show shows sing sings sit sits sleep sleeps smell smells smoke smokes
speak speaks spend spends stand stands start starts stay stays stop stops study studies suffer suffers swim swims take takes talk talks taste tastes teach teaches tell tells tend tends think thinks train trains travel travels treat treats try tries turn turns
understand understands use uses visit visits wait waits wake wakes walk walks want wants watch watches wear wears win wins wish wishes work works worry worries write writes`)
	notPast  = set(`ahmed mohammed mohamed muhammed mohamad fred jared winifred alfred manfred wilfred gottfred hamed saeed sayed ned zed jed khaled waleed majed naveed javed need bed red feed speed indeed hundred seed weed breed greed reed shed sled ted wed embed`)
	notDoing = set(`thing something anything nothing everything king ring morning evening spring string during wedding building ceiling feeling meeting painting being sibling pudding clothing earring wing sing bring including according regarding concerning`)
	pronouns = set(`i you he she it we they who`)
)

// verbal says whether there seems to be a verb among words.
func verbal(words []word) bool {
	for i, w := range words {
		low := w.low
		switch {
		case auxiliaries[low], pasts[low], presents[low],
			len(low) > 3 && strings.HasSuffix(low, "ed") && !notPast[low],
			len(low) > 4 && strings.HasSuffix(low, "ing") && !notDoing[low],
			i+1 < len(words) && (low == "i" || low == "we" || low == "they" || low == "he" || low == "she"):
			return true
		}
	}
	return false
}

// past says whether words tell of what has been.
func past(words []word) bool {
	for i, w := range words {
		low := w.low
		// "is closed", "will be done", "we're newly married" tell of no past.
		if i > 0 && (passive[words[i-1].low] || i > 1 && passive[words[i-2].low] && (strings.HasSuffix(words[i-1].low, "ly") || howVery[words[i-1].low])) {
			continue
		}
		if w.capital && strings.HasSuffix(low, "ed") && (i > 0 && besideNames[words[i-1].low] || i == 0 && len(words) > 1 && auxiliaries[words[1].low]) {
			continue // "with Ahmed"
		}
		switch {
		case pastAuxiliaries[low], pasts[low] && !eitherTense[low], len(low) > 3 && strings.HasSuffix(low, "ed") && !notPast[low]:
			return true
		}
	}
	return false
}

var (
	pastAuxiliaries = set(`was were had did wasn't weren't hadn't didn't`)
	// besideNames stand before a name, howVery between a form of "be" and what one is.
	besideNames = set(`with to from for by and of at meet meeting see seeing visit visiting uncle aunt brother sister son daughter friend dr mr mrs`)
	howVery     = set(`so very too really quite just already still not also pretty super all`)
	// eitherTense are pasts that look like the present.
	eitherTense = set(`read put set cut let hit bet shut hurt hid lit fit`)
	// goings are doings told without "I am" that are to come.
	goings  = set(`moving leaving flying going travelling traveling arriving starting coming visiting returning driving sailing getting seeing meeting running racing marrying`)
	passive = set(`is are am be i'm it's he's she's we're you're they're isn't aren't get gets getting`)
	intents = set(`must will won't shall gonna going upcoming due soon scheduled booked arranged planned reserved promised agreed invited plan planning plans hope hoping want wants need needs starts begins leaves opens expecting excited ends expires expire finishes closes arrives arrive departs retires turns lands moves`)
)

// future says whether words tell of what is to come.
func future(words []word) bool {
	holds := false // "have", "is": of what is to come unless the words tell of what has been
	for i, w := range words {
		switch low := w.low; {
		case i == 0 && goings[low], intents[low], strings.HasSuffix(low, "'ll"):
			return true
		case passive[low] && i+1 < len(words) && len(words[i+1].low) > 4 && strings.HasSuffix(words[i+1].low, "ing"):
			return true
		case (low == "forward" || low == "wait") && i > 0 && (words[i-1].low == "looking" || words[i-1].low == "can't"):
			return true
		case low == "have" || low == "has" || low == "is" || low == "are":
			holds = true
		}
	}
	return holds && !past(words)
}
