package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memdhq/memd"
)

// "No, red" after "my favorite color is green" tells by its kind what it puts right: in the
// place of what is wrong it makes a statement about the same thing. Only so is a bare word
// taken for a correction; "no, thanks" makes none.

const (
	// firmSlip tells of a slip by itself, softSlip only beside one, or as "no,".
	firmSlip = `(?:sry|srry|oops|oopsie|whoops|ops|sorry|wait|hang on|hold on|correction|typo|edit|my bad|my mistake|actually|nvm|never ?mind|j/?k|just kidding|i misspoke|autocorrect|stupid autocorrect|damn autocorrect)`
	softSlip = `(?:oh|omg|ugh|argh|ah|agh|no|nope|nah|h+m+|damn|well|er+m?|um+|uh|lol+|haha\pL*)`
)

var (
	putRight = english(`^((?:(?:` + firmSlip + `|` + softSlip + `)[\s,:;.!…–—-]+)*)((?:i )?(?:mean|meant)(?: to (?:say|write|type|put))?[\s,:;.!–—-]+|(?:that |it )?should (?:be|have been|say|read) |make (?:that|it) )?(?:(?:it's|its|it is|it was|that's|thats|that is|i'm|im|i am|in fact|rather)\s+(?:actually |really |rather )?)?(\S.*)$`)
	// speaksFirst opens a statement of one's own.
	speaksFirst = english(`^(?:i'm|im|i am)\s`)
	firmly      = english(`\b` + firmSlip + `\b|\b(?:no|nope|nah)\s*[,;:.!…–—-]`)
	rightNot    = english(`^(\S.{0,40}?)[,;]?\s+(?:and )?not\s+(\S.{0,40})$`)
	notRight    = english(`^not\s+(\S.{0,40}?)(?:,|;|\s+but)\s+(?:but |it's |rather )?(\S.{0,40})$`)
	beforeAll   = english(`^(?:in|at|on|to|for|with|a|an|the)\s+(\S.*)$`)
	// excuses are said behind "sorry" and "wait" for another reason.
	excuses = set(`phone door doorbell kettle call calls meeting work dinner lunch breakfast coffee tea bus train tram taxi traffic class gym school homework kids kid baby babies dog cat mum mom dad boss brb later laters tomorrow today tonight now soon then here there away afk lag wifi internet connection english spelling grammar mistake error chat thread window tab message question questions idea time minute minutes second seconds moment sec secs min mins hour hours thanks please sorry wait way problem worries same this that these those you u me him her us them it man dude bro guys buddy mate everyone someone nobody nothing anything something everything none all both neither either maybe perhaps yes no ok okay tired busy sleepy hungry bored distracted asleep late nevermind again more less enough kidding joking rant typing driving eating cooking sleeping working coming going leaving doubt wonder need rush clue pressure offence offense luck really seriously honestly instead too also though anymore yet still just only but and or because if when where what which who how why not never`)
	// hues are words of which a colour is named.
	hues = set(`red green blue yellow orange purple violet pink brown black white grey gray teal turquoise cyan magenta lilac lavender indigo navy maroon burgundy beige cream ivory gold golden silver bronze copper mint olive emerald lime amber coral salmon peach rose crimson scarlet ruby plum mauve fuchsia aqua azure cobalt sapphire khaki tan ochre rust mustard charcoal sage forest sky royal midnight baby neon pastel dark light deep bright pale hot burnt dusty bottle-green sea chartreuse vermilion periwinkle aubergine apricot terracotta sand jade`)
)

// correction is what a short sentence says to be right, of what wrong thing if it tells,
// and whether it can be nothing but a correction. Text is the whole sentence.
type correction struct {
	right, wrong, text string
	plainly            bool
}

// correctionOf reads a short sentence as a correction; ok is false if it has not the form of one.
func correctionOf(text string) (c correction, ok bool) {
	if len(text) > 120 || endsAsking(text) {
		return c, false
	}
	bare := strings.TrimRight(chatTail.ReplaceAllString(text, ""), " .!…😅🙈😂")
	if m := starred.FindStringSubmatch(bare); m != nil {
		c = correction{right: m[1] + m[2], text: bare, plainly: true}
		if m := rightNot.FindStringSubmatch(c.right); m != nil {
			c.right, c.wrong = m[1], m[2]
		}
		return c, true
	}
	if m := putRight.FindStringSubmatch(bare); m != nil {
		if c.right, c.plainly = m[3], m[2] != ""; m[1]+m[2] == "" && speaksFirst.MatchString(bare) {
			return c, false // "I'm 41, not 14" stands for itself
		}
		ok = c.plainly || firmly.MatchString(m[1])
	}
	if m := arrow.FindStringSubmatch(c.right); m != nil {
		c, ok = correction{right: m[2], wrong: m[1], plainly: true}, true
	} else if m := rightNot.FindStringSubmatch(c.right); m != nil {
		c, ok = correction{right: m[1], wrong: m[2], plainly: true}, true
	} else if m := notRight.FindStringSubmatch(c.right); m != nil {
		c, ok = correction{right: m[2], wrong: m[1], plainly: true}, true
	} else if m := slippedAfter.FindStringSubmatch(bare); m != nil && !ok {
		c, ok = correction{right: m[1]}, true
	}
	words := wordsOf(c.right)
	if !ok || len(words) == 0 || len(words) > 5 || len(words) > 1 && verbal(words) && !strings.ContainsAny(c.right, "0123456789") {
		return c, false
	}
	c.text = bare
	return c, true
}

// putsRight takes a word or two that stand right in the place of a part of what its speaker
// said last, and says whether it was that.
func (g *grouping) putsRight(text string) bool {
	c, ok := correctionOf(text)
	if !ok || isSmallTalk(c.right, g.names) || interrupts(text) {
		return false
	}
	if g.answersBehindSlip(c) {
		return true
	}
	if n := len(g.out); n > 0 {
		if !g.adjacent {
			return false
		}
		at, now := c.among(g.out)
		if at < 0 {
			return false
		}
		g.out[at] = g.rightly(g.out[at], now, text)
		g.spoken, g.asked = true, ""
		return true
	}
	if g.spoken || g.shallow {
		return false
	}
	from, wrong, now := g.putWrong(c)
	if from == nil {
		return false
	}
	g.out = append(g.out, statement{text: wrong.text, forget: true, slip: true, words: wrong.words}, g.rightly(wrong, now, text).of(from))
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}

// corrected is what a statement is when it is put right: with what is right in the place of what
// is wrong, "" where that is not known, and what it is about.
type corrected struct {
	text string
	about
}

// of has a statement be a correction of one of an earlier message.
func (s statement) of(from *memd.Message) statement {
	s.list, s.corrects = false, true
	if s.with == nil {
		s.with = from
	} else {
		s.also = append(slices.Clone(s.also), from)
	}
	return s
}

// rightly is a statement put right, or where the place of what is wrong is not known, with the
// correction behind it.
func (g *grouping) rightly(s statement, now corrected, text string) statement {
	a := now.about
	if now.text != "" {
		dated, when := resolve(now.text, g.said, g.english)
		s.text, s.when, s.slot, s.words = dated+beside(s.text), when, a, countWords(now.text)
		return s
	}
	if g.written != "" {
		text = g.written
	}
	dated, when := resolve(text, g.said, g.english)
	if when.grain != never {
		s.when = when
	}
	if s.when.grain != never && (numerals(text) > 0 || dayWord.MatchString(text)) {
		s.when = when // the date that was told is the wrong one
	}
	s.text, s.slot, s.words = follow(s.text, dated), a, s.words+countWords(text)
	return s
}

// putWrong gives the statement that a correction is of, which is one of the last message of
// its speaker that states anything. What others said since must be of the same, or nothing.
func (g *grouping) putWrong(c correction) (*memd.Message, statement, corrected) {
	var others []*memd.Message
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-reach; i-- {
		earlier := g.heard[i]
		if len(earlier.Text) > recalledText {
			break
		}
		if !sameSpeaker(earlier, g.message) {
			others = append(others, earlier)
			continue
		}
		all, err := g.saidBefore(i)
		if err != nil {
			break
		}
		if len(all) == 0 && g.chats(earlier) {
			continue
		}
		at, a := c.among(all)
		if at < 0 || g.askedSince(i) && !c.sure() || !c.plainly && slices.ContainsFunc(others, func(o *memd.Message) bool { return !g.goesOn(o.Text) && !saysAgain(o.Text, all[at]) }) {
			break
		}
		return earlier, all[at], a
	}
	return nil, statement{}, corrected{}
}

// saysAgain says whether a text that asks nothing has what a statement holds.
func saysAgain(text string, s statement) bool {
	_, held := valueIn(s)
	return held != "" && !strings.ContainsAny(withoutOffers(text), "?？") && strings.Contains(strings.ToLower(text), strings.ToLower(held))
}

// among gives the statement that a correction fits, -1 if it fits none or several of one kind
// alike, and what that is about then.
func (c correction) among(all []statement) (at int, now corrected) {
	at = -1
	var alikes, fitting []int
	var slots []corrected
	for i, s := range all {
		if s.forget {
			continue
		}
		if now, ok := c.fits(s); ok {
			fitting, slots = append(fitting, i), append(slots, now)
			if _, held := valueIn(s); alike(strings.ToLower(held), strings.ToLower(c.right)) || strings.Contains(strings.ToLower(c.right), strings.ToLower(held)) {
				alikes = append(alikes, len(fitting)-1)
			}
		}
	}
	if len(fitting) == 0 {
		return -1, corrected{}
	}
	last := len(fitting) - 1
	if len(alikes) == 1 {
		last = alikes[0]
	} else {
		for i := range fitting[:last] {
			if kindOf(slots[i].about) == kindOf(slots[last].about) {
				return -1, corrected{}
			}
		}
	}
	return fitting[last], slots[last]
}

// kindOf is the name of a slot without what it holds.
func kindOf(a about) string {
	if a.value != "" {
		return a.name
	}
	kind, _, _ := strings.Cut(a.name, ":")
	return kind
}

// valueIn gives the words of a statement as said and what of them its slot holds.
func valueIn(s statement) (base, held string) {
	base, _, _ = strings.Cut(noted.ReplaceAllString(s.text, ""), " (asked: ")
	base, _, _ = strings.Cut(base, " (said before: ")
	base = added.ReplaceAllString(base, "$1 ")
	held = s.slot.value
	if _, inName, named := strings.Cut(s.slot.name, ":"); held == "" && named {
		held = inName
	}
	return base, noted.ReplaceAllString(" "+held, "")[1:]
}

// added is the subject of a clause that was parted from the one that names it.
var added = newPattern(`^\(([^)]*)\) `)

// closed are kinds of slots of which a few words can be a value only if they are of the kind.
var closed = set(`age birthday date deadline diet port number marital weight height salary rent budget commute`)

// fits gives what a statement is about with what is right in the place of what is wrong; ok
// is false if that is not about the same thing.
func (c correction) fits(s statement) (now corrected, ok bool) {
	none := corrected{}
	if now := c.inPlace(s); now.text != "" && c.ofKind(s) && (c.wrong != "" || c.sameSort(s)) {
		return now, true
	}
	if s.slot.name == "" && s.with == nil {
		if s.slot = looseSlot(s.text); !strings.HasPrefix(s.slot.name, "has:") {
			return none, otherDay(s.text, c.right)
		}
	}
	base, held := valueIn(s)
	low := strings.ToLower(base)
	if c.wrong != "" {
		wrong := strings.ToLower(c.wrong)
		if m := beforeAll.FindStringSubmatch(wrong); m != nil {
			wrong = m[1]
		}
		if wholeAt(low, wrong) < 0 {
			return none, false
		}
		if held == "" || wholeAt(strings.ToLower(held), wrong) < 0 && wholeAt(wrong, strings.ToLower(held)) < 0 {
			return c.inPlace(s), countWords(c.right) <= 3 && c.ofKind(s) // another word of it
		}
	}
	if held == "" || s.slot.negated || !c.mayHold(s.slot) || !c.befits(s) {
		return none, false
	}
	c.right = besideRight.ReplaceAllString(c.right, "")
	words := wordsOf(c.right)
	rights := []string{c.right}
	if m := beforeAll.FindStringSubmatch(c.right); m != nil {
		if rights = []string{m[1], c.right}; determiners[words[0].low] {
			rights = []string{c.right, m[1]}
		}
	}
	for _, r := range rights {
		first, size := utf8.DecodeRuneInString(r)
		if unicode.IsLower(first) {
			rights = append(rights, string(unicode.ToUpper(first))+r[size:])
		}
	}
	_, question, answered := strings.Cut(s.text, " (asked: ")
	start, end := wholeAt(low, strings.ToLower(held)), 0
	end = start + len(held)
	if numerals(c.right) == 1 && countWords(c.right) == 1 && numerals(held) == 1 && start >= 0 {
		for _, w := range wordsOf(held) {
			if numeral(w) { // "May 3", "sorry, 4"
				start, end = start+w.start, start+w.end
			}
		}
	}
	for _, r := range rights {
		switch {
		case answered:
			now = corrected{r, slotOfAnswer(strings.TrimSuffix(question, ")"), r)}
		case start < 0 || len(low) != len(base):
			return none, false
		default:
			now.text = base[:start] + r + base[end+twice(r, base[end:]):]
			if now.about = slotOf(now.text); now.name == "" {
				if parts := eachOf(now.text); parts != nil && kindOf(parts[0].slot) == kindOf(s.slot) {
					return corrected{text: now.text}, true // "walnuts and pecans"
				}
				now.about = looseSlot(now.text)
			}
		}
		if now.name != "" && kindOf(now.about) == kindOf(s.slot) && now.subject == s.slot.subject && !now.negated {
			if _, is := valueIn(statement{text: base, slot: now.about}); is != "" && !strings.EqualFold(is, held) {
				return now, true
			}
		}
	}
	return none, false
}

// twice gives how much of what stands behind a value is said again with what is right: the
// cats of "I have two cats", "I mean three cats".
func twice(right, behind string) int {
	said, left := wordsOf(right), wordsOf(behind)
	for n := min(len(said)-1, len(left)); n > 0; n-- {
		again := true
		for i, w := range said[len(said)-n:] {
			again = again && strings.TrimSuffix(w.low, "s") == strings.TrimSuffix(left[i].low, "s")
		}
		if again {
			return left[n-1].end
		}
	}
	return 0
}

// otherDay says whether a day of the week is said right of the one in a statement.
func otherDay(text, right string) bool {
	day := func(w word) bool { return weekday4(w) || weekday4(word{low: strings.TrimSuffix(w.low, "s")}) }
	words := wordsOf(right)
	return len(words) <= 2 && day(words[len(words)-1]) && slices.ContainsFunc(wordsOf(text), day)
}

// mayHold says whether what is right may be what a slot holds, for all that the words tell.
func (c correction) mayHold(a about) bool {
	kind := strings.Fields(kindOf(a))[0]
	kind, _, _ = strings.Cut(kind, ":")
	words := wordsOf(c.right)
	if _, held := valueIn(statement{slot: a}); numeral(words[0]) && numerals(held) == 0 {
		return false
	}
	if closed[kind] {
		return true
	}
	if strings.HasPrefix(a.name, "favorite:") && strings.Contains(a.name, "color") {
		return !slices.ContainsFunc(words, func(w word) bool { return !hues[w.low] })
	}
	if opinion(c.right) || len(words) > 4 {
		return false
	}
	for i, w := range words {
		if excuses[w.low] && !(kind == "has" && len(words) > 1) && (i == 0 || i == len(words)-1) || strings.HasSuffix(w.low, "ly") && len(w.low) > 5 && i == len(words)-1 && !w.capital {
			return false
		}
	}
	if doing := words[0].low; len(words) == 1 && verbal(words) {
		return strings.HasSuffix(doing, "ing") && (kind == "favorite" || kind == "taste" || kind == "habit")
	}
	return true
}

// wholeAt is where a phrase stands in a text by whole words, the last time; -1 if nowhere.
func wholeAt(text, phrase string) int {
	if phrase == "" {
		return -1
	}
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '@' }
	for end := len(text); ; {
		at := strings.LastIndex(text[:end], phrase)
		if at < 0 {
			return -1
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(phrase):])
		if !letter(before) && !letter(after) {
			return at
		}
		end = at + len(phrase) - 1
	}
}

// A false correction takes a true thing for a slip, which is worse than one that was missed:
// what is right must show by a sign of its own that it stands for what is wrong.

var (
	// outright says by itself that another word was meant.
	outright = english(`\bmeant\b|\bshould (?:be|have been|say|read)\b|\bi misspoke\b`)
	// wrongSaid tells what is wrong, behind what is right or before it.
	wrongSaid = english(`^\S.*?[,;]?\s(?:and )?not\s+([^,;]{1,40})$|(?:^|\s)not\s+(\S[^,;]{0,40}?)(?:,|;|\s+but)\s+\S.*$`)
	// takenBack is said of one's own words.
	takenBack = english(`\b(?:no|oh)[\s,]+wait\b|\bwait[\s,]+no\b|\bno[\s,]+sorry\b`)
	// besideRight is what is said of the slip behind what is right.
	besideRight = english(`[\s,]+(?:autocorrect|typo|sorry|oops|my bad)$`)
	slipAlone   = english(`^(?:` + firmSlip + `|` + softSlip + `)$`)
	// onlyWait interrupts at least as often as it corrects, excusing is said of what one was doing.
	onlyWait   = english(`^(?:wait|hang on|hold on)\b`)
	besideWait = english(`\b(?:no|sorry|oops|actually|typo|correction|meant|mean|oh)\b`)
	excusing   = english(`\b(?:sorry|oops)\b`)
	ofAge      = set(`years year old yo`)
	ofMoney    = set(`euro euros eur dollars bucks usd pounds gbp francs chf`)
	// whileWaiting asks to be waited for.
	whileWaiting = english(`\b(?:wait|hang on|hold on|sorry|oops)\b.*\b(?:sec|secs|seconds?|mins?|minutes?|moments?)\b`)
	// asksToTell is a question or bidding to tell something.
	asksToTell = newPattern(`(?i)[^.!?？…\n]*[?？]|(?:^|[.!?…\n]\s*)(?:tell me|please tell|remind me|and your?\b)[^.!?\n]*`)
	// routine asks nothing but how to go on.
	routine = english(`^\s*(?:(?:so|and|ok|okay|great|now|nice|got it|noted|thanks|alright)[\s,–—-]+)*(?:(?:what|how) (?:else )?(?:can|could|may|shall|should) i (?:do for|help|assist)\b.*|what (?:else )?(?:would|do|can|could) you (?:like|want)(?: me)? to (?:share|tell me|know|talk about|chat about|discuss|add|say|do|remember)\b.*|(?:is there )?anything else(?: (?:you(?:'d| would)? (?:like|want|need)(?: (?:me )?to (?:share|know|tell me|add|remember|do|talk about)\b.*)?|i (?:can|should|could)\b.*|on your mind))?|(?:can|could|may) i (?:help|assist)\b.*|what(?:'s| is) on your mind.*)[?？]$`)
	// atService offers without asking.
	atService = english(`(?:^|[.!?…]\s+)(?:(?:just )?let me know if\b[^.!?]*\b(?:help|assist|need|do)\b[^.!?]*|(?:i'm|i am) here (?:to help|if you need)[^.!?]*|feel free to (?:ask|share|tell)[^.!?]*)[.!]*`)
	// colourless are words that stand for no name, no thing and no place.
	colourless = set(`yum yummy wow omg god gosh jesus christ damn shit fuck crap hell heck lol lmao rofl haha hehe ugh ew eww yay hooray boo whoa woah phew wtf asap afk brb ttyl caps typo typos autocorrect autocorrected spellcheck keyboard fingers finger thumbs obviously mostly currently mainly partly kinda sorta literally basically whatever whichever anyway anyways money police rain snow delivery exam exams test lord lady dude spider squirrel bug fire food battery ad ads joke oopsie hello hi hey bye cheers good bad great nice cool sure right wrong true false yeah yep yup nope nah done stop go look see hugs hug laughs laugh shrugs waves purrs facepalm sighs winks nods smiles grins rocks sucks rules day night morning evening weekend week month year years days weeks months age number name city country color colour word words letter letters`)
	// spokenTo are who one speaks to, and what one speaks through.
	spokenTo = set(`alexa siri chatgpt gpt claude gemini copilot cortana bixby google bard assistant bot robot computer grok perplexity spotify zoom teams skype netflix youtube whatsapp telegram discord slack instagram facebook tiktok twitter reddit uber amazon ok`)
	// mayBeNames are kinds of slots that hold names however they are written.
	mayBeNames = set(`name home work pet`)
	// apart holds words that are of a kind by the list they are in.
	apart = []map[string]bool{
		hues,
		set(`almond almonds walnut walnuts peanut peanuts nut nuts pecan pecans cashew cashews hazelnut hazelnuts pistachio pistachios sesame soy soya milk egg eggs wheat gluten fish shellfish shrimp shrimps prawn prawns crab lobster mussels oysters squid pizza pasta sushi ramen tacos taco burger burgers curry lasagna lasagne risotto paella gnocchi ravioli spaghetti noodles rice soup stew salad steak chicken beef pork lamb duck turkey bacon ham sausage sausages salmon tuna cod trout cheese bread butter yogurt yoghurt tofu falafel hummus kebab pho dumplings tempura udon soba fries chips potatoes potato tomatoes tomato carrots carrot onions onion garlic spinach broccoli cauliflower mushrooms mushroom olives olive cucumber peppers aubergine courgette beans lentils chickpeas avocado avocados apple apples pear pears banana bananas orange oranges lemon lemons lime limes grapes grape melon mango mangoes pineapple kiwi kiwis strawberry strawberries raspberry raspberries blueberry blueberries cherry cherries peach peaches plum plums fig figs coconut chocolate cake cakes cookies pancakes waffles ice-cream honey mustard celery corn oats oatmeal porridge burritos burrito quesadillas enchiladas bibimbap kimchi goulash schnitzel fondue raclette moussaka couscous biryani penicillin ibuprofen aspirin latex pollen bees wasps dust`),
		set(`amsterdam athens atlanta austin baku bangalore bangkok barcelona basel beijing belfast belgrade bergen berlin bern bilbao birmingham bogota bologna bonn bordeaux boston bratislava bremen bristol brno brussels bucharest budapest cairo calgary cambridge cardiff chennai chicago cologne copenhagen dallas delhi denver detroit dresden dubai dublin edinburgh eindhoven florence frankfurt gdansk geneva genoa ghent glasgow gothenburg graz grenoble groningen hague hamburg hanoi hanover havana heidelberg helsinki houston istanbul jakarta jerusalem karachi kobe krakow kyiv kyoto lagos lausanne leeds leiden leipzig lille lima linz lisbon liverpool ljubljana london lucerne lugano luxembourg lyon madrid malaga malmo manchester manila marseille melbourne miami milan minsk montreal moscow mumbai munich nagoya nairobi nantes naples newcastle nice nuremberg oakland odesa osaka oslo ottawa oxford palermo paris perth philadelphia phoenix pisa porto portland prague riga rome rotterdam salzburg santiago sarajevo seattle seoul seville shanghai sheffield singapore sofia stockholm strasbourg stuttgart sydney tallinn tampere tbilisi tokyo toronto toulouse trieste turin utrecht valencia vancouver venice verona vienna vilnius warsaw wellington winterthur wroclaw york zagreb zurich argentina australia austria belgium brazil bulgaria canada chile china colombia croatia denmark egypt england estonia finland france germany greece hungary iceland india indonesia ireland israel italy japan kenya latvia lithuania malta mexico morocco netherlands nigeria norway peru poland portugal romania russia scotland serbia slovakia slovenia spain sweden switzerland taiwan thailand tunisia turkey ukraine vietnam wales texas california florida ohio oregon`),
		set(`aldi lidl tesco ikea siemens bosch sap bmw audi porsche daimler volkswagen vw volvo toyota honda nissan ford tesla fiat renault peugeot opel mercedes skoda seat kia hyundai mazda microsoft apple amazon meta netflix nvidia intel amd ibm oracle samsung sony nokia ericsson philips novartis roche nestle pfizer bayer basf ubs migros coop rewe edeka walmart target costco starbucks mcdonalds dhl ups fedex deloitte kpmg accenture airbus boeing lufthansa ryanair adidas nike puma zalando shopify stripe spotify uber airbnb`),
		set(`labrador beagle poodle dachshund pug boxer collie terrier spaniel greyhound whippet husky rottweiler dalmatian chihuahua corgi shepherd mastiff dobermann doberman retriever schnauzer maltese pomeranian setter pointer mongrel mutt goldendoodle labradoodle cockapoo persian siamese ragdoll tabby bengal birman sphynx`),
		set(`dog dogs cat cats puppy kitten parrot hamster rabbit rabbits bunny tortoise turtle horse horses pony budgie canary gecko snake goldfish ferret hen hens goat goats mouse rat lizard`),
		set(`running swimming cycling hiking climbing bouldering skiing snowboarding surfing sailing rowing dancing singing painting drawing reading writing cooking baking gardening knitting sewing crocheting photography chess yoga pilates boxing football soccer tennis basketball volleyball badminton squash golf hockey rugby cricket handball gaming fishing camping jogging walking pottery`),
		set(`vegan vegetarian pescatarian pescetarian flexitarian omnivore keto paleo halal kosher celiac coeliac`),
		set(`single married engaged divorced widowed separated`),
		set(`law medicine physics chemistry biology maths mathematics math history philosophy economics psychology sociology engineering architecture linguistics geography informatics nursing theology music`),
		set(`nurse doctor teacher lawyer engineer developer designer welder plumber electrician carpenter chef baker barista journalist editor photographer architect accountant dentist vet pharmacist midwife pilot driver farmer firefighter paramedic scientist researcher translator librarian cashier`),
		set(`piano guitar violin cello viola bass drums flute clarinet oboe trumpet trombone tuba harp ukulele banjo saxophone`),
		set(`spring summer autumn fall winter`),
	}
	aTongue = newPattern(`(?i)^(?:` + languageNames + `)$`)
	// petNames are beside givenNames.
	petNames = set(`rex max bella luna rocky buddy charlie milo coco daisy molly simba nala mia mila oscar loki ruby rosie teddy bruno balu bailey cooper duke shadow ginger smokey whiskers felix minka`)
)

// sure says whether a correction holds even where something was asked since.
func (c correction) sure() bool {
	return c.wrong != "" || strings.HasPrefix(c.text, "*") || strings.HasSuffix(c.text, "*") || outright.MatchString(c.text)
}

// befits says whether what is right shows that it stands for what a statement holds, or for
// a word of it where that is about nothing known.
func (c correction) befits(s statement) bool {
	base, held := valueIn(s)
	if !c.ofKind(s) {
		return false
	}
	if c.wrong != "" {
		wrong := strings.ToLower(c.wrong)
		if m := beforeAll.FindStringSubmatch(wrong); m != nil {
			wrong = m[1]
		}
		return wholeAt(strings.ToLower(base), wrong) >= 0
	}
	meant := outright.MatchString(c.text)
	if held == "" {
		held = base
	}
	right := besideRight.ReplaceAllString(c.right, "")
	if m := beforeAll.FindStringSubmatch(right); m != nil {
		right = m[1]
	}
	words, olds := wordsOf(right), wordsOf(held)
	if len(words) == 0 || len(words) > 5 || whileWaiting.MatchString(c.text) {
		return false
	}
	last := words[len(words)-1]
	kind := ""
	if s.slot.name != "" {
		kind, _, _ = strings.Cut(strings.Fields(kindOf(s.slot))[0], ":")
	}
	if numerals(right) > 0 {
		return countsAlike(words, base, held, kind) && (!onlyWaits(c.text) || len(last.low) == len(olds[len(olds)-1].low))
	}
	day := func(w word) bool { return weekday4(w) || weekday4(word{low: strings.TrimSuffix(w.low, "s")}) }
	if slices.ContainsFunc(words, func(w word) bool { return day(w) || monthWord(w) }) {
		ofDay := func(w word) bool {
			return day(w) || monthWord(w) || beforeDay[w.low] || w.low == "next" || w.low == "this"
		}
		return !slices.ContainsFunc(words, func(w word) bool { return !ofDay(w) }) && slices.ContainsFunc(wordsOf(base), func(w word) bool {
			return day(w) && day(words[len(words)-1]) || monthWord(w) && monthWord(words[len(words)-1])
		})
	}
	if whose.MatchString(right) {
		return meant || takenBack.MatchString(c.text)
	}
	strong := meant || takenBack.MatchString(c.text)
	if !strong && slices.ContainsFunc(words, func(w word) bool { return spokenTo[w.low] }) {
		return false
	}
	if onlyWaits(c.text) || !strong && len(words) == 1 && strings.HasSuffix(last.low, "ing") && excusing.MatchString(c.text) {
		return slices.ContainsFunc(olds, func(w word) bool { return alike(w.low, last.low) })
	}
	if sameList(olds, words) || aTongue.MatchString(right) && aTongue.MatchString(held) {
		return true
	}
	if closed[kind] || kind == "language" || strings.HasPrefix(s.slot.name, "favorite:color") {
		return false
	}
	if slices.ContainsFunc(words, func(w word) bool {
		return colourless[w.low] || excuses[w.low] || spokenTo[w.low] || dayNames[w.low] || people[w.low] || givenNames[w.low] && (kind == "home" || kind == "work")
	}) || opinion(right) {
		return false
	}
	if slices.ContainsFunc(olds, func(w word) bool {
		return alike(w.low, last.low) || len(words) == 1 && s.slot.name != "" && !light[w.low] && strings.HasPrefix(last.low, w.low) && len(w.low) > 2
	}) {
		return true
	}
	if strings.HasPrefix(c.text, "*") || strings.HasSuffix(c.text, "*") {
		return s.slot.name != "" && proper(words, right) && (mayBeNames[kind] || capitalIn(base, held)) || slices.ContainsFunc(wordsOf(base), func(w word) bool { return alike(w.low, last.low) })
	}
	capitalised := capitalIn(base, held)
	if s.slot.name == "" {
		// The subject and the first word are written with capitals anyhow.
		capitalised = slices.ContainsFunc(olds, func(w word) bool { return w.start > 0 && w.capital && !own[w.low] })
	}
	if proper(words, right) && !c.opensSentence() && (mayBeNames[kind] || capitalised) {
		return true
	}
	given := func(w word) bool { return givenNames[w.low] || petNames[w.low] }
	if len(words) == 1 && given(last) && (slices.ContainsFunc(olds, given) || kind == "name" || kind == "pet") {
		return true
	}
	// What is unknown and written small is said to be right in so many words.
	if len(words) > 2 || listed(words) || prose[last.low] || talkWords[last.low] || strings.HasSuffix(last.low, "ly") || len(words) > 1 && verbal(words) {
		return false
	}
	return meant || takenBack.MatchString(c.text) && s.slot.name != "" && !capitalised
}

// onlyWaits says whether a text opens with "wait" and no other sign of a slip.
func onlyWaits(text string) bool { return onlyWait.MatchString(text) && !besideWait.MatchString(text) }

// countsAlike says whether a number or a date stands for another: with no word beside it that
// tells what it counts, unless the statement has that too.
func countsAlike(words []word, base, held, kind string) bool {
	number := func(w word) bool { return numeral(w) || w.low[0] >= '0' && w.low[0] <= '9' }
	if numerals(held) == 0 && !slices.ContainsFunc(wordsOf(held), func(w word) bool { return weekday4(w) || monthWord(w) }) {
		return false
	}
	said := wordsOf(base)
	counted := 0
	for _, w := range words {
		_, month := months[w.low]
		switch {
		case number(w):
			counted++
		case month || weekday4(w) || w.low == "of" || w.low == "the" || w.low == "on" || w.low == "at" || w.low == "am" || w.low == "pm" || w.low == "o'clock":
		case ofAge[w.low] && kind == "age", ofMoney[w.low] && (kind == "rent" || kind == "budget" || kind == "salary"):
		case !slices.ContainsFunc(said, func(o word) bool { return o.low == w.low }):
			return false
		}
	}
	return counted > 0 && counted <= max(2, numerals(held))
}

// sameList says whether two phrases are each of words of one kind.
func sameList(olds, words []word) bool {
	for _, list := range apart {
		if slices.ContainsFunc(olds, func(w word) bool { return list[w.low] }) && !slices.ContainsFunc(words, func(w word) bool { return !list[w.low] && w.low != "and" }) {
			return true
		}
	}
	return false
}

// listed says whether a phrase ends in a word of any kind.
func listed(words []word) bool {
	return slices.ContainsFunc(apart, func(list map[string]bool) bool { return list[words[len(words)-1].low] })
}

// proper says whether words are written as a name, and are none that are only shouted.
func proper(words []word, text string) bool {
	for i, w := range words {
		if !w.capital && !(i > 0 && particles[w.low]) || prose[w.low] || talkWords[w.low] || strings.HasSuffix(w.low, "ly") && !givenNames[w.low] {
			return false
		}
	}
	return len(words) <= 3 && strings.ToUpper(text) != text
}

// capitalIn says whether a statement has what it holds written with a capital.
func capitalIn(base, held string) bool {
	at := wholeAt(strings.ToLower(base), strings.ToLower(held))
	if at < 0 || at >= len(base) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(base[at:])
	return unicode.IsUpper(first)
}

// opensSentence says whether what is right stands behind a mark that would give any word a
// capital.
func (c correction) opensSentence() bool {
	before, _, _ := strings.Cut(c.text, c.right)
	before = strings.TrimRight(before, " ")
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?")
}

// withoutOffers is a text without what only offers to go on.
func withoutOffers(text string) string {
	for _, q := range asksToTell.FindAllString(text, -1) {
		if routine.MatchString(strings.TrimSpace(q)) {
			text = strings.Replace(text, q, "", 1)
		}
	}
	return strings.TrimSpace(atService.ReplaceAllString(text, ""))
}

// goesOn says whether a text has nothing but small talk and offers to go on.
func (g *grouping) goesOn(text string) bool { return isSmallTalk(withoutOffers(text), g.names) }

// askedSince says whether something was asked behind a message that is heard.
func (g *grouping) askedSince(at int) bool {
	for _, m := range g.heard[at+1:] {
		if !sameSpeaker(m, g.message) && asksToTell.MatchString(withoutOffers(m.Text)) {
			return true
		}
	}
	return g.question != "" && g.asker != nil && withoutOffers(g.question) != "" && slices.Index(g.heard, g.asker) > at
}

// answersBehindSlip takes "oh sorry, Bern" for the answer that it is where something was asked.
func (g *grouping) answersBehindSlip(c correction) bool {
	if g.spoken || len(g.out) > 0 || g.question == "" || withoutOffers(g.question) == "" || c.sure() || c.right == c.text || countWords(c.right) > 4 {
		return false
	}
	if slices.ContainsFunc(wordsOf(c.right), func(w word) bool { return excuses[w.low] || colourless[w.low] || spokenTo[w.low] }) {
		_, value := valueIn(statement{slot: slotOfAnswer(g.question, c.text)})
		if value != "" && slipAlone.MatchString(value) { // "sorry, phone": nobody lives in Sorry
			g.spoken, g.asked, g.adjacent = true, "", false
			return true
		}
		return false
	}
	if !g.answers(c.right) {
		return false
	}
	if a := slotOfAnswer(g.question, c.right); a.name == "" {
		return false
	}
	g.sentence(c.right)
	return true
}
