package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Most of what a user types is part of the talk: what they think of the answer, how the
// thing that is worked on behaves, a nudge, a wish for this one answer. It tells nothing
// of them or their world. What does tell names somebody, something of their own, a time
// or a figure, or says of the speaker or of a thing more than words that are about
// talking can say. A sentence is taken apart just so far that this can be seen.

// worthWords is the most words of a sentence that is looked at so: a longer one tells
// something.
const worthWords = 24

var (
	// talkNouns are what a talk and a text that is worked on are made of.
	talkNouns = set(`answer answers reply replies response responses question questions word words wording sentence sentences line lines paragraph paragraphs section sections part parts bit bits
		version versions draft drafts text texts title titles heading headings headline subject intro introduction conclusion ending endings opening beginning start middle tone phrasing phrase phrases rhyme rhymes rhythm verse verses stanza joke jokes pun puns
		summary summaries explanation explanations example examples list lists bullet bullets step steps option options choice choices suggestion suggestions idea ideas point points one ones thing things term definition translation translations
		grammar spelling typo typos format formatting layout structure length column columns row rows topic conversation prompt prompts output input result results trick tricks tip tips take opinion
		bot ai robot assistant emoji emojis font punctuation comma commas detail details logic reasoning argument quote quotes source sources attempt attempts try feedback edit edits change changes approach method episode season issue issues problem problems solution fix request ask instructions day wave round chapter caption slogan metaphor chorus riddle guess`)
	// workNouns are what one works on at a screen, or has before one.
	workNouns = set(`function functions button buttons query queries page pages screen modal form header footer nav menu margin padding css style styles loop variable variables import component test tests build pipeline script code server endpoint log logs console terminal
		error errors bug bugs cache file files folder branch commit diff patch compiler linter cursor window tab tabs image link links site website api request container pod pods deploy migration update installer download upload video audio mic stream connection signal traffic power port coverage latency usage cpu ram types ci prod git npm tsc eslint ticket issue issues pr wifi router printer device program machine cell formula chart graph slide dough sauce mixture batter doorbell kettle oven alarm timer delivery taxi uber bus train food dinner lunch breakfast pizza pizzas coffee boss level healer heal round map match quest controller`)
	// talkWords say what is thought of an answer or how the talk goes, and carry no more.
	talkWords = set(`
bro bruh dude mate man boy girl gosh god jesus heck hell damn dang darn crap shit fuck fucking wtf omfg yikes sheesh welp yay yayy woo woohoo whoa woah phew oof ouch eek meh ugh argh grr nah nope yup yep ya aye k kk kay okey okies oki alrighty righto roger ta cheers brill ace lush sorted gotcha jk lgtm smh fyi imho istg ofc obv np nw ez gg gl hf mornin morning evening evenin night nite
bot ai robot ever such mess pain nightmare disaster joke jokes genius magic miracle legend hero star champ king queen boss goat
long longer short shorter big bigger small smaller light lighter dark darker hard harder soft softer simple simpler easy easier fast faster slow slower close closer warm warmer cold colder hot hotter high higher low lower strong stronger weak weaker clear clearer loud louder quiet quieter nice nicer funny funnier formal casual stiff wordy vague generic boring bland cheesy corny salesy clunky awkward robotic stilted choppy dry flat punchy snappy catchy silly weird odd strange off wrong right correct incorrect accurate true false sad nicer cuter sweeter smoother sharper tighter looser fluffy harsh blunt pushy polite serious dramatic poetic random obvious confusing confused unclear misleading outdated missing broken useless pointless useful helpful hilarious brutal savage ridiculous insane unreal annoying frustrating embarrassing impressive convinced satisfied stuck lost clueless speechless wheezing dead dying crying cooked done solved fixed sorted working loading running
interesting amazing exciting boring touching stunning inspiring charming disappointing disgusting shocking tiring worse worst perfect perfection ideal neat cute pretty lovely gorgeous beautiful terrible horrible awful dreadful rubbish garbage trash nonsense bullshit
text texts answer answers reply question questions word words sentence sentences line lines paragraph section part parts bit version versions draft drafts title heading intro introduction conclusion ending opening beginning middle tone wording phrasing phrase rhyme rhymes summary explanation example examples list step steps option options choice suggestion suggestions ideas point points definition translation grammar spelling typo typos format formatting output input result results trick tricks tip tips take opinion emoji emojis detail details edit edits change changes approach method solution fix instructions prompt chat window error errors topic fan
think thought thinks thinking guess guessed suppose supposed believe see seen saw seeing understand agree agreed disagree doubt doubted bet expect expected expecting remember forgot notice noticed realize realized realise realised figure figured assume assumed repeat repeating rephrase type typed typing paste pasted copy copied click clicked scroll scrolled read reading reads sound sounds sounded look looks looked seem seems seemed need needs needed add adds explained continue change swap switch use using used prefer works working happen happens happened help helps
sleep rest break nap between halfway through finished sarcastic kidding joking corrected stand
add remove cut trim fix edit rewrite redo retry reread skip drop leave replace bring focus concentrate decide breathe complain believe lie tell tells told ask asked answer answering say says said hear heard call give gives given gave
once twice thrice fingers crossed half maybe kinda sorta somewhat slightly rather barely hardly almost nearly completely entirely fully super extra hella lowkey highkey legit seriously exactly precisely apparently obviously clearly suddenly instantly immediately finally eventually already otherwise instead besides anyhow somehow somewhere elsewhere overall generally way ways reason reasons chance case side wow lots tons loads many much few several couple single whole entire full empty blank new old usual normal standard extra main rest each two three four five couple
home mobile meeting weather sun sunny rain raining rainy snow snowing wind windy foggy cloudy grey gray humid freezing outside doorbell door kettle delivery battery stop train taxi uber
`)
	// people are those who may belong to someone's world.
	people = set(`mum mom mummy mommy mother dad daddy father parents parent wife husband hubby partner girlfriend boyfriend fiance fiancé fiancée spouse ex sister sisters brother brothers sibling siblings son sons daughter daughters kid kids child children baby twins twin toddler teenager grandma grandmother granny gran nan grandpa grandfather grandson granddaughter grandkids grandchildren aunt uncle cousin cousins niece nephew inlaws
		friend friends bestie flatmate flatmates roommate roommates neighbour neighbours neighbor neighbors colleague colleagues coworker coworkers manager landlord landlady client clients customer customers doctor dentist therapist vet teacher tutor coach trainer pupil pupils student students team family relatives dog dogs cat cats puppy kitten horse rabbit hamster parrot`)
	// fleetingThings are what "my" may go before in a remark of the moment.
	fleetingThings = set(`life day night morning evening brain head mind eyes eye fingers thumbs ears jaw soul god goodness gosh lord word bad fault mistake turn machine legs way question questions point brainfart typo typos message messages screen keyboard battery mic connection internet wifi phone food order lunch dinner breakfast coffee tea drink ride taxi uber bus stop train break bacon ass butt sanity patience nerves mood day's opinion guess bet computer laptop browser terminal code script build text draft list prompt side end hand hands glass hat dude man guy friend love dear sleep nap`)
	ofBody = set(`life night morning evening brain head mind eyes eye fingers thumbs ears jaw soul god goodness gosh lord word bad fault mistake turn way bet legs guess sanity patience nerves`)
	// openingWords may stand before the subject of a sentence.
	openingWords = set(`probably prob likely possibly ok okay k kk oh ohh ah aha hm hmm so and but or well now then anyway anyways also ugh omg um umm uh er no nope nah yes yeah yep yup wait right haha hahaha hahahaha lol lmao man damn finally alright sorry great cool nice perfect honestly actually btw please pls just really wow jeez gosh dude bro bruh oops argh ha hey hi hello yo like maybe perhaps still again seriously literally ahh aww aw thanks thx ty fine sure basically wtf`)
	// pointers stand for what was spoken of, or is before both.
	pointers = set(`whatever whenever wherever it its that thats this these those them one ones everything something anything nothing which what all both neither either none there here`)
	goodJudge = set(`fan person lover owl household introvert extrovert insomniac freelance freelancer job jobs shift shifts pensioner immigrant expat veteran`)
	// conditions are what somebody may have or be that others must know of.
	conditions = set(`allergic allergy allergies vegetarian vegan pescatarian coeliac celiac diabetic pregnant halal kosher intolerant gluten lactose newborn wheelchair deaf blind asthma unemployed retired divorced widowed bisexual gay lesbian trans autistic adhd dyslexic`)
	mindVerbs = set(`think thinks thought guess suppose believe believed see saw seen understand understood agree disagree doubt bet swear expect expected wonder notice noticed realize realized realise realised figure figured assume assumed explain explained say says said ask asks asked swears tell told mean meant mention mentioned repeat rephrase know knew hope wish feel felt learn learned learnt got get hear heard like liked love loved hate hated trust forgot remember misread misunderstood misheard read imagine`)
	wishVerbs = set(`gives know hear ask want wants wanted need needs needed looking prefer rather like liked love get have use try take go keep make choose pick`)
	// products are what an answer may be, or an answer may help with.
	products = set(`word words synonym synonyms recipe recipes poem poems name names list lists idea ideas example examples quote quotes joke jokes title titles essay email mail letter message caption slogan sentence sentences paragraph code script formula regex query function answer answers explanation translation summary definition riddle story song tip tips advice suggestion suggestions recommendation recommendations help hand info information opinion take feedback second minute moment break favor favour question questions clue hint reason reasons picture image logo diagram table chart plan outline template gift prompt link links source sources option options alternative alternatives know hear ask understand`)
	modals    = set(`would've could've should've might've must've will would can could should shall may might must 'll going gonna gotta let lets want need have had got to try trying be been am are is was were do did does not never just only really still even also already now then definitely probably maybe quickly first almost nearly totally actually honestly literally kinda finally better rather ever about always sort kind of simply`)
	// lifeDoings are doings that are more than of a moment, though nothing is said of them.
	lifeDoings = set(`moving studying working retiring dieting fasting leaving divorcing separating writing training volunteering renovating renting recovering grieving dating commuting pregnant freelancing teaching adopting emigrating relocating quitting painting singing gardening knitting sewing cycling climbing hiking sailing surfing fishing bleeding vomiting limping drowning struggling aging ageing starving limping hiring`)
	lingers    = set(`always never usually often every each since year years month months week weeks forever remember daily weekly monthly nightly until till`)
	dayNames   = set(`tomorrow yesterday weekend monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays january february march april june july august september october november december birthday christmas easter anniversary spring summer autumn winter noon midnight`)
	// problems are what a thing that is worked on does wrong or does at last.
	problems = set(`says dropped angry failing passing unused already throws throw returns return prints print fails fail failed crashes crash crashed crashing crashlooping hangs hang hung hanging breaks break broke broken complains complain shows show says say gives give looks look seems seem works work worked loads load loaded loading compiles compile compiled passes pass passed passing stops stopped freezes froze frozen won't doesn't isn't isnt doesnt wont can't cant didn't didnt wasn't don't dont aren't keeps keep still now just here ready rang ringing arrived done has had finally only timed times went bad orange resting boiling spins spinning blinking flashing beeping searching misaligned red green slow down up off empty blank null undefined missing gone stuck weird wrong too not never took takes hates jumps duplicates prints died respawned wiped started starting deploying running building`)
)

// clauseOf is a part of a sentence with what opens it left off.
type clauseOf struct{ words []word }

// tells says whether a sentence of a user tells anything that is worth keeping.
func (g *grouping) tells(text string) bool {
	if countWords(text) > worthWords || len(text) > 300 {
		return true
	}
	if born.MatchString(text) || labelled.MatchString(text) && !todo.MatchString(text) {
		return true
	}
	if hereIs.MatchString(text) || saidBy.MatchString(text) || sought.MatchString(text) && !verbal(wordsOf(text)) || wishesFor.MatchString(text) && !ownsThing(text) && !conditioned(text) || !strings.ContainsFunc(text, unicode.IsLetter) && strings.ContainsAny(text, "+*/=^<>") {
		return false
	}
	if g.anchored(text) {
		return true
	}
	expanded := expand(text)
	for _, part := range clauseMark.Split(expanded, -1) {
		if g.clauseTells(wordsOf(part)) {
			return true
		}
	}
	return false
}

var (
	// born tells of a birth.
	born = english(`^\W*(?:it's|its|it is|we're having|twins)(?: (?:an?|two|twin))* (?:girls?|boys?)\b`)
	// labelled names what it tells: "stack: Kotlin, no cloud".
	labelled = english(`^(?:` + lightWords + `)?\pL+(?: \pL+)?: \pL+[ ,]+\pL`)
	// todo labels what is to be done with the text at hand.
	todo = english(`^` + lightWords + `(?:nit|todo|fixme|typo|edit|error|question|answer|output|input|note to self|weekend plans|mood|status|me|you|also me|q|a|pov|fun fact about you):`)
	// wishesFor asks for what an answer may be: "I need a short poem about autumn".
	wishesFor = english(`^` + lightWords + `(?:(?:i|we)(?:'d| would)? (?:just |really |also )?)?(?:need|want|like|love|looking for|am looking for|'m looking for|could use)\s+(?:(?:a|an|some|any|the|your|another|one|two|three|four|five|six|ten|\d+|more|good|nice|short|quick|simple|new|better|different|\pL+y|list of|few)\s+){0,4}(?:word|words|synonyms?|recipes?|poems?|names?|list|ideas?|examples?|quotes?|jokes?|titles?|captions?|slogans?|essay|e-?mail|letter|sentences?|paragraph|code|script|formula|regex|query|explanation|translation|summary|definition|riddles?|story|tips?|advice|suggestions?|recommendations?|help|hand|opinion|feedback|template|outline)\b`)
	// hereIs hands something over.
	hereIs = english(`^` + lightWords + `(?:here(?:'s| is| are|s)|these are|this is) (?:my|the|our)(?: (?:full|whole|current|new|old|first|second))? (?:\.\w+|code|file|log|logs|output|config|query|text|draft|email|essay|letter|list|error|stack ?trace|schema|script|function|diff|paragraph|prompt|data|table|screenshot|picture|photo|notes|poem|intro|attempt|try|answer|solution|translation|sentence|question|one)s?\b[^.]{0,20}$`)
	// sought is what one looks up: "weather in Oslo tomorrow".
	sought = english(`^` + lightWords + `(?:weather|forecast|time|price|prices|flights?|trains?|hotels?|directions|distance|population|capital|meaning|definition|synonyms?|recipes?|ideas|suggestions|tips|best|cheap|cheapest|nearest|top|random|regex|sql|lyrics|news|score|results?)\b.*\b(?:in|for|to|from|of|between|at|near|with|under|about|on)\s`)
)

// conditioned says whether a text names what somebody has or is that others must know.
func conditioned(text string) bool {
	for _, w := range wordsOf(text) {
		if conditions[w.low] {
			return true
		}
	}
	return false
}

// clauseMark parts the clauses of a sentence.
var clauseMark = english(`[,;:!?.…()"“”]+(?:\s+|$)|\s+[-–—]+\s+|\s+(?:and|but|so|because|cuz|cause|bc|then|though|although|or|when|if|until|while|where|than|before|after)\s+`)

// anchored says whether a text names somebody, something of the speaker's own, a time or
// a figure that is more than a place in the text that is talked of.
func (g *grouping) anchored(text string) bool {
	words := wordsOf(text)
	shouts := text == strings.ToUpper(text)
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1].low
		}
		first, _ := utf8.DecodeRuneInString(w.low)
		switch low := w.low; {
		case low == "my" || low == "our" || low == "mine" || low == "ours":
			if belongs(words[i+1:]) || i > 1 && (words[i-1].low == "is" || words[i-1].low == "are") && !pointers[words[i-2].low] && (next == "thing" || next == "life" || next == "passion" || next == "jam") {
				return true
			}
		case conditions[low], low == "hearing" && i > 1 && words[i-1].low == "of", low == "us" && i > 0 && words[i-1].low == "of":
			return true
		case (next == "and" || next == "&") && i+2 < len(words) && (words[i+2].low == "i" || words[i+2].low == "me") && !openingWords[low] && !talkWords[low] && !light[low] && !verbal(words[:i+1]):
			return true // "Rafa and I"
		case low == "me" && next == "and" && i+2 < len(words) && !light[words[i+2].low] && !talkWords[words[i+2].low] && !pointers[words[i+2].low]:
			return true
		case people[strings.TrimSuffix(low, "'s")] && !(i == len(words)-1 && i > 0 && talkWords[low]):
			return true
		case unicode.IsDigit(first):
			if !countsTalk(words, i) && (len(words) > 4 || own[words[0].low] || !emptyOf(words)) {
				return true
			}
		case low == "time" && i > 1 && words[i-1].low == "the" && words[i-2].low == "all":
			return true
		case lingers[low] && !(low == "never" && (next == "mind" || next == "would" || strings.Contains(text, "again") || next == "seen" || next == "thought") || low == "always" && (i+1 == len(words) || i > 0 && words[i-1].low == "as") || low == "forever" || low == "each" && next == "other"):
			return true
		case dayNames[low]:
			return true
		case w.capital && i > 0 && !shouts && low != "i" && !strings.HasPrefix(low, "i'") && !addressed(low, g.names) && text[w.start-1] == ' ' && !strings.ContainsRune("?!.…:", rune(text[max(0, w.start-2)])) && !talkWords[low] && !light[low]:
			return true
		case w.capital && len(words) == 1 && !shouts && !talkWords[low] && !light[low] && !talkNouns[low]:
			return true // "Lisbon"
		}
	}
	return false
}

// belongs says whether "my" stands before something that outlasts the moment.
func belongs(words []word) bool {
	if len(words) > 1 && words[0].low == "day" && words[1].low == "off" {
		return true
	}
	if len(words) == 0 || talkNouns[words[0].low] {
		return false
	}
	if len(words) == 1 {
		return !fleetingThings[words[0].low]
	}
	second := words[1].low
	if ofBody[words[0].low] {
		return false
	}
	if fleetingThings[words[0].low] {
		// "my phone number", not "my phone is dying"
		if len(words) > 3 && (second == "at" || second == "in") && words[2].low == "the" {
			return true
		}
		return !light[second] && !talkWords[second] && !openingWords[second] && !verbal(words[1:2]) && !particles2[second] && !dayNames[second] && second != "gtg" && second != "brb"
	}
	return !talkNouns[second] && !(light[words[0].low] && fleetingThings[second])
}

// countsTalk says whether a number counts or numbers parts of what is talked of.
func countsTalk(words []word, i int) bool {
	for n := max(0, i-4); n < i; n++ {
		if low := words[n].low; workNouns[low] && !rides[low] && (n == 0 || words[n-1].low != "my" && words[n-1].low != "our") {
			return true
		}
	}
	if w := words[i].low; len(w) == 3 && (w[0] == '4' || w[0] == '5') && i > 0 && (determiners[words[i-1].low] || words[i-1].low == "still") {
		return true // "a 500"
	}
	if i > 0 {
		if before := words[i-1].low; talkNouns[before] || workNouns[before] || before == "of" && i > 1 || before == "max" || before == "number" || before == "battery" || i > 1 && (words[i-2].low == "pull" || words[i-2].low == "battery") {
			return true
		}
	}
	if i+1 < len(words) && words[i+1].start == words[i].end+1 && unicode.IsDigit(rune(words[i+1].low[0])) && (words[i+1].low == "10" || words[i+1].low == "5" || words[i+1].low == "100") {
		return true // "8/10"
	}
	if i > 0 && words[i].start == words[i-1].end+1 && unicode.IsDigit(rune(words[i-1].low[0])) && (words[i].low == "10" || words[i].low == "5" || words[i].low == "100") {
		return true
	}
	if i+1 == len(words) && i > 1 && words[i-1].low == "in" && (words[i-2].low == "back" || words[i-2].low == "there") {
		return true
	}
	if i > 0 && words[i-1].low == "it's" || i > 1 && words[i-1].low == "is" && words[i-2].low == "it" {
		return true // the time
	}
	if i+1 < len(words) {
		next := words[i+1].low
		return talkNouns[next] || workNouns[next] || countedBy[next] || next == "of" && i+2 < len(words) && words[i+2].low != "us"
	}
	return i > 0 && (words[i-1].low == "than" || words[i-1].low == "only")
}

// rides are things of workNouns that come and go by the clock.
var rides = set(`train bus taxi uber delivery dinner lunch breakfast alarm timer`)

var countedBy = set(`min mins minutes sec secs more less or times words letters characters lines sentences pages bullets examples ideas options percent chars pods players left seconds`)

// clauseTells says whether a clause without names and figures tells anything.
func (g *grouping) clauseTells(words []word) bool {
	if len(words) > 1 && words[0].low == "no" && words[1].low == "need" {
		return false
	}
	for len(words) > 1 && (openingWords[words[0].low] || words[0].low == "never" && len(words) > 1 && auxiliaries[words[1].low]) {
		words = words[1:]
	}
	if len(words) == 0 || emptyOf(words) && !habitual(words) {
		return false
	}
	first, second := words[0].low, ""
	if len(words) > 1 {
		second = words[1].low
	}
	switch {
	case first == "i" || first == "we":
		return selfTells(words[1:])
	case (first == "my" || first == "our"):
		// "my brain is mush" tells less than "my eyes are sensitive to light"
		return !fleetingThings[second] || len(words) > 4 && auxiliaries[words[2].low] && contents(words[3:]) > 1
	case first == "one" && second == "of":
		return true
	case first == "wish" && second == "me", first == "such" && (second == "a" || second == "an"), first == "late" && second == "for", len(words) == 2 && second == "me":
		return false
	case (first == "this" || first == "that" || first == "these" || first == "those") && second != "" && !auxiliaries[second] && !presents[second] && !pasts[second] && !talkWords[second] && !light[second] && !strings.HasSuffix(second, "ed") && !(strings.HasSuffix(second, "s") && len(words) > 2 && (pointers[words[2].low] || determiners[words[2].low] || words[2].low == "me")):
		if first == "that" {
			return false
		}
		for _, w := range words[1:min(len(words), 4)] {
			if workNouns[w.low] {
				return false // what both have before them
			}
		}
		return nounTells(words[1:])
	case pointers[first], first == "you" || first == "u" || first == "your" || first == "ur" || first == "ya" || first == "you're" || first == "you've":
		for i, w := range words[1:] {
			if (w.low == "i" || w.low == "we") && i+2 < len(words) {
				return selfTells(words[i+2:]) // "it's not that I don't like fish"
			}
		}
		return false
	case first == "he" || first == "she" || first == "they":
		return len(words) > 2 && selfTells(words[1:])
	case first == "his" || first == "her" || first == "their":
		return len(words) > 2
	case len(words) < 6 && len(words) > 2 && words[len(words)-1].low == "is" && words[len(words)-2].low == "it":
		return false // "lemon it is"
	case first == "here" || first == "here's" || first == "heres":
		return false
	}
	if len(words) > 2 && !mine(words) && (second == "is" || second == "are") && !determiners[first] && !words[0].capital {
		if last := words[len(words)-1].low; emptyOf(words[2:]) && last != "fine" && last != "ok" && last != "okay" || last == "again" {
			return false // "css is pain", "ci is red again"
		}
	}
	if !verbal(words) && !(len(words) == 3 && first == "the" && strings.HasSuffix(words[2].low, "s")) {
		return fragmentTells(words)
	}
	if thirdSingular(first) || first == "not" || first == "no" && !verbal(words[1:]) {
		return len(words) > 5 && !talkNouns[words[len(words)-1].low]
	}
	if wishVerbs[first] || auxiliaries[first] || pasts[first] || strings.HasSuffix(first, "ed") && !notPast[first] && len(first) > 3 || strings.HasSuffix(first, "ing") && !notDoing[first] && len(first) > 4 && !talkWords[first] {
		return selfTells(words) // "tried it already", "would never do that"
	}
	return nounTells(words)
}

// habitual says whether words tell plainly what somebody does with a thing: "I skip
// breakfast".
func habitual(words []word) bool {
	return len(words) > 2 && words[0].low == "i" && talkWords[words[1].low] && !mindVerbs[words[1].low] && !wishVerbs[words[1].low] && presents[words[1].low] &&
		!light[words[2].low] && !pointers[words[2].low] && !talkNouns[words[2].low] && !workNouns[words[2].low]
}

// emptyOf says whether words are only of the talk.
func emptyOf(words []word) bool {
	for i, w := range words {
		low := w.low
		if low == "my" || low == "our" {
			continue // what it is before was looked at
		}
		if !light[low] && !talkWords[low] && !light[shorten(low, 1)] && !openingWords[low] && !(fleetingThings[low] && i > 0 && (words[i-1].low == "my" || words[i-1].low == "our")) && !unicode.IsDigit(rune(low[0])) && !(len(low) > 5 && strings.HasSuffix(low, "ly") && low != "family" && low != "assembly") && !(i > 0 && talkNouns[low]) {
			return false
		}
	}
	return true
}

// contents counts the words that are not only of the talk.
func contents(words []word) int {
	n := 0
	for i := range words {
		if !emptyOf(words[i : i+1]) {
			n++
		}
	}
	return n
}

// selfTells says whether what a speaker says of themself outlasts the moment.
func selfTells(words []word) bool {
	elided := len(words) == 1
	i, be, habit, duty := 0, false, true, false
	for i < len(words) && modals[words[i].low] {
		if toVerbs[words[i].low] && (i+1 == len(words) || words[i+1].low != "to" && !(words[i].low == "have" && (pasts[words[i+1].low] || strings.HasSuffix(words[i+1].low, "ed") || modals[words[i+1].low]))) {
			break
		}
		switch words[i].low {
		case "am", "are", "was", "were", "be", "been", "is":
			be = true
		case "need", "have", "got", "going", "gonna", "gotta", "will", "should", "must", "let":
			duty = true
		}
		habit = habit && (words[i].low == "also" || words[i].low == "really" || words[i].low == "not" || words[i].low == "do")
		i++
	}
	if i >= len(words) {
		return false
	}
	verb, rest := words[i].low, words[i+1:]
	if be {
		bare := emptyOf(rest)
		switch {
		case strings.HasSuffix(verb, "ing") && bare && !lifeDoings[verb]:
			return false
		case (verb == "in" || verb == "on" || verb == "at") && len(rest) > 1 && rest[0].low == "the" && rest[1].low == "wrong":
			return false
		case talkWords[verb] && bare, (verb == "on" || verb == "at" || verb == "in") && bare:
			return false
		}
		if (verb == "in" || verb == "at" || verb == "on") && len(rest) > 0 && len(rest) < 5 {
			for n, w := range rest {
				if situations[w.low] && emptyOf(rest[n+1:]) {
					return false
				}
			}
		}
		if !strings.HasSuffix(verb, "ing") {
			return verb != "stuffed"
		}
	}
	if strings.HasSuffix(verb, "ed") || pasts[verb] && !eitherTense[verb] || strings.HasSuffix(verb, "ing") {
		habit = false
	}
	if strings.HasSuffix(verb, "ing") && !be && !lifeDoings[verb] && emptyOf(rest) {
		return false // "still searching"
	}
	for len(rest) > 0 && (particles2[rest[0].low] || modals[rest[0].low] && rest[0].low != "have") {
		rest = rest[1:]
	}
	if len(rest) > 0 && (verb == "tried" || verb == "try" || verb == "kept" || verb == "keep" || verb == "stopped" || verb == "started" || verb == "finished") && strings.HasSuffix(rest[0].low, "ing") && len(rest) > 1 {
		verb, rest = rest[0].low, rest[1:]
		habit = false
	}
	if linking[verb] && emptyOf(rest) {
		return false // "turned out perfect"
	}
	if len(rest) > 1 && rest[0].low == "my" && fleetingThings[rest[1].low] && len(rest) < 4 {
		return false
	}
	if (wishVerbs[verb] || !be && strings.HasSuffix(verb, "ing")) && momentary[rest0(rest)] && len(rest) < 4 {
		return false // "need coffee"
	}
	if len(rest) == 0 {
		if elided && strings.HasSuffix(verb, "ed") {
			return false // "merged"
		}
		if duty && !lifeDoings[verb+"ing"] {
			return false
		}
		return !light[verb] && !talkWords[verb] && !mindVerbs[verb]
	}
	object := rest[0].low
	if strings.HasPrefix(object, "you'") {
		object = "you"
	}
	if object == "you" || object == "u" || object == "ya" {
		return false
	}
	if !habit && (bodily[verb] && emptyOf(rest) || workVerbs[verb] && !mine(rest)) {
		return false // "slept badly", "deployed to staging"
	}
	if !habit && (verb == "order" || verb == "grab" || verb == "eat" || verb == "make" || verb == "cook" || verb == "ordered" || verb == "made") && momentary[rest0(rest)] && len(rest) < 4 {
		return false // "might order pizza"
	}
	if verb == "stop" && len(rest) == 1 && strings.HasSuffix(rest[0].low, "ing") && !lifeDoings[rest[0].low] && rest[0].low != "smoking" && rest[0].low != "drinking" && rest[0].low != "eating" {
		return false // "can't stop yawning"
	}
	if !be && choring[verb] {
		return false // "cleaning the kitchen"
	}
	if playVerbs[verb] && habit {
		return false // "I attack the goblin"
	}
	if wishVerbs[verb] && len(rest) > 1 && (object == "know" || object == "hear" || object == "ask" || object == "see") {
		return !mindOfTalk(rest[1:])
	}
	determined := -1 // where the noun of "the last step" is looked for
	switch {
	case pointers[object] && (len(rest) == 1 || !nounAfter(rest[1].low)):
		// "I restarted it twice", "I want it funnier"
		return creates[verb] || verb == "cook" || !(wishVerbs[verb] || mindVerbs[verb]) && !emptyOf(rest)
	case object == "the" || object == "that" || object == "this" || object == "those" || object == "these" || object == "your" || object == "all":
		determined = 1
	case object == "a" || object == "an" || object == "some" || object == "any" || object == "one" || object == "another" || object == "more" || object == "my" || object == "two" || object == "three":
		determined = 1
		if wishVerbs[verb] {
			for n, w := range rest[1:] {
				if n < 4 && products[w.low] {
					return false // "I need a recipe for banana bread"
				}
			}
		}
	case (mindVerbs[verb] || wishVerbs[verb]) && (asking2[object] || object == "you" || object == "your" || object == "i" || object == "we" || object == "so" || object == "not"):
		// "I see where this goes": what is known is no more than the talk
		return !mindOfTalk(rest)
	}
	if mindVerbs[verb] && determined == 1 && (object == "this" || object == "that" || object == "the") && verbal(rest) && !nounTells(rest) {
		return false // "I swear this boss hates me"
	}
	if determined >= 0 && (!habit || mindVerbs[verb]) {
		for n := determined; n < len(rest) && n < determined+3; n++ {
			if low := rest[n].low; talkNouns[low] || workNouns[low] {
				return !emptyOf(rest[n+1:])
			}
		}
	}
	return true
}

var (
	// creates are verbs of what one makes, which "this" may show.
	creates    = set(`painted drew knitted sewed baked built carved composed crocheted cooked brewed grew planted wrote`)
	// toVerbs are modals only before "to".
	toVerbs    = set(`need want have got like try going`)
	bodily     = set(`slept ate woke yawned napped overslept`)
	workVerbs  = set(`deployed merged reverted pushed committed rebased compiled restarted rebooted reloaded refreshed retried rerun redeployed stashed formatted`)
	choring    = set(`cleaning cooking washing watching eating tidying vacuuming folding packing unpacking waiting sitting lying typing scrolling parking grabbing ironing reading brewing boiling`)
	// situations are what one is in or at for a while.
	situations = set(`mood hurry rush meeting call queue line class lecture traffic bath shower bed car bus train cab taxi elevator lift toilet couch sofa`)
	// playVerbs are what is done in a play only.
	playVerbs  = set(`attack cast dodge parry loot stab slash equip summon`)
	// linking are verbs of how something came out.
	linking    = set(`turned came went got get getting looks looked`)
	momentary  = set(`coffee tea water food sleep rest caffeine beer wine lunch dinner breakfast air sugar chocolate cake pizza snacks`)
	particles2 = set(`up out off down back over on in at about with to for of again just only`)
	asking2    = set(`what where how why when whether if who which that it this`)
)

// rest0 is the first of words but for what tells how much, "" for none.
func rest0(words []word) string {
	for _, w := range words {
		if !determiners[w.low] && !light[w.low] {
			return w.low
		}
	}
	return ""
}

// mindOfTalk says whether what one thinks or knows is of the talk only.
func mindOfTalk(words []word) bool {
	first := words[0].low
	if first == "so" || first == "not" || first == "your" || first == "you" || pointers[first] && first != "what" && first != "which" {
		return true
	}
	if first == "i" || first == "we" {
		return !selfTells(words[1:])
	}
	if words = words[1:]; len(words) > 0 && (words[0].low == "i" || words[0].low == "we") {
		return !selfTells(words[1:])
	}
	return len(words) == 0 || emptyOf(words) || words[0].low == "you" || words[0].low == "it" || words[0].low == "this" || words[0].low == "that" || words[0].low == "your"
}

// nounAfter says whether a word behind "this" or "one" seems to be a noun that belongs
// to it.
func nounAfter(low string) bool {
	return !light[low] && !talkWords[low] && !particles2[low] && !strings.HasSuffix(low, "er") && !strings.HasSuffix(low, "ly") && !modals[low]
}

// thirdSingular says whether a word is a verb whose subject is left out: "needs",
// "smells".
func thirdSingular(low string) bool {
	return strings.HasSuffix(low, "s") && presents[low] && (presents[strings.TrimSuffix(low, "s")] || presents[strings.TrimSuffix(low, "es")])
}

// nounTells says whether what is said of a thing tells of more than what is worked on.
func nounTells(words []word) bool {
	i := 0
	for i < len(words)-1 && (determiners[words[i].low] || ordinals[words[i].low] || unicode.IsDigit(rune(words[i].low[0]))) {
		i++
	}
	if i > 0 && i+2 < len(words) && (words[i+1].low == "looks" || words[i+1].low == "look" || words[i+1].low == "sounds" || words[i+1].low == "seems" || words[i+1].low == "feels" || words[i+1].low == "was") && emptyOf(words[i+2:]) {
		return false // "the movie was so bad"
	}
	for n := i; n < len(words) && n < i+3; n++ {
		low := strings.TrimSuffix(words[n].low, "'s")
		if talkNouns[low] && !(n+1 < len(words) && words[n+1].low == "of") {
			return false
		}
		if workNouns[low] {
			if mine(words) && words[0].low != "this" && words[0].low != "that" {
				return true
			}
			for _, w := range words[n+1 : min(len(words), n+4)] {
				if w.low == "must" || w.low == "should" || w.low == "needs" {
					return true
				}
				if problems[w.low] {
					return false
				}
			}
			if n+1 < len(words) && emptyOf(words[n+1:]) {
				return false
			}
			break
		}
		if auxiliaries[low] || presents[low] && n > i {
			break
		}
	}
	return len(words) > 2
}

var (
	determiners = set(`the a an this that these those your his her their its some any all both every no`)
	ordinals    = set(`first second third fourth last next previous other new old same whole main final very`)
)

var unlike = set(`wrong same other another different next right which any what`)

// callings are what people work as.
var callings = set(strings.ReplaceAll(trades, "|", " ") + " illustrator writer novelist poet painter sculptor podcaster dj blacksmith jeweller weaver")

func isWeather(words []word) bool {
	for _, w := range words {
		if weather[w.low] {
			return true
		}
	}
	return false
}

var weather = set(`sun sunny rain raining rainy snow snowing wind windy fog foggy cloudy grey gray humid freezing hot cold warm chilly storm stormy weather sky dark`)

// mine says whether words tell of somebody who speaks: "coffee keeps me up".
func mine(words []word) bool {
	for _, w := range words {
		if w.low == "me" || w.low == "us" {
			return true
		}
	}
	return false
}

// fragmentTells says whether words without a verb tell anything by themselves.
func fragmentTells(words []word) bool {
	if mine(words) {
		return true
	}
	last := words[len(words)-1].low
	if unlike[words[0].low] {
		return false
	}
	if last == "here" && len(words) > 1 && !emptyOf(words) && !isWeather(words) {
		return true // "nurse here"
	}
	for _, w := range words {
		if goodJudge[w.low] || callings[w.low] {
			return true
		}
	}
	if words[0].low == "new" && len(words) > 1 && !talkNouns[words[1].low] && !workNouns[words[1].low] {
		return true
	}
	return len(words) > 6 && !determiners[words[0].low] && !light[words[0].low] && !talkWords[words[0].low]
}

// worth says whether a sentence of which said states something is worth keeping where it
// stands: behind a statement it may belong to it, and where it has a slot or is to hold
// from now on it is in any case.
func (g *grouping) worth(text, said string) bool {
	if words := wordsOf(said); len(words) > 1 && words[0].low == "whenever" && emptyOf(words[1:]) {
		return false
	}
	if g.tells(said) || forbids.MatchString(said) || standing.MatchString(said) {
		return true
	}
	words := wordsOf(text)
	if a := slotOf(said); a.name != "" && !slotOfTalk(a, words) {
		return true
	}
	if g.onTopic(text) {
		return true
	}
	if len(g.out) > 0 && g.leans(text) && (refersBack(words) || g.adjacent && !verbal(words) && !emptyOf(words)) {
		return true
	}
	// "It's blue" may be of what its speaker told in the message before.
	return !g.spoken && len(words) > 0 && pointsBack(words) && !emptyOf(words) && g.leansOnMessage()
}

// onTopic says whether a sentence is what its speaker thinks of the topic they just named:
// "rom coms? not for me".
func (g *grouping) onTopic(text string) bool {
	if n := countWords(g.asked); n == 0 || n > 3 || !endsAsking(g.asked) {
		return false
	}
	asked, words := wordsOf(g.asked), wordsOf(text)
	return len(words) > 0 && !verbal(asked) && !emptyOf(asked) && !questionWords[asked[0].low] && (mine(words) || words[0].low == "i" || tasteAnswer.MatchString(text))
}

// forbids is a command that may be meant to hold: "don't use emojis with me".
var forbids = english(`^` + lightWords + `(?:don't|dont|do not|stop|avoid|no more)\s+(?:use|using|call|calling|send|sending|give|giving|add|adding|write|writing|include|including|mention|mentioning|start|starting|end|ending)\s+(?:me\s+)?[\pL-]+`)

// slotOfTalk says whether a slot is only of what is talked of: a liking of "the opening",
// or "like" that is no verb.
func slotOfTalk(a about, words []word) bool {
	thing, taste := strings.CutPrefix(a.name, "taste:")
	if !taste || len(words) == 0 {
		return false
	}
	last := wordsOf(thing)
	return words[0].low == "like" || len(last) == 0 || talkNouns[last[len(last)-1].low] || workNouns[last[len(last)-1].low]
}

// leansOnMessage says whether there is a statement in the message before that "it" can
// stand for.
func (g *grouping) leansOnMessage() bool {
	if g.shallow || g.question != "" || len(g.out) > 0 {
		return false
	}
	from, _, chatting := g.own(g.ctx, g.message)
	return from != nil && chatting
}
