package extract

import (
	"strings"
)

// Of what an assistant says, that is worth keeping which it recommended, decided,
// promised or did, and what it told that is new. What it says of itself, how its work
// goes, and texts that it was asked to write are not. An assistant with a name of its
// own may be a person: of such a one all is kept.

var (
	// reports is how an assistant's work goes.
	reports = english(`^(?:(?:ok|okay|sure|right|alright|yes|done|great|perfect)[\s,!.:–—-]+)*(?:i(?:'ve| have)? (?:just |now |also )?)?(?:done|fixed|added|renamed|updated|removed|changed|deleted|forgotten|reverted|replaced|moved|shortened|reformatted|formatted|corrected|adjusted|merged|restarted|translated|rewritten|rewrote|cleaned|refreshed|reloaded|undone|noted|saved|stored|erased|cleared|ignored|skipped|swapped|sorted|committed|pushed|tested|ran|checked|made a note|taken (?:a note|note|out)|put (?:it|that|them)|left out|cut)\b`)
	// underWay is what it is about to do, or does.
	underWay = english(`^(?:(?:ok|okay|sure|right|alright|yes|great)[\s,!.:–—-]+)*(?:(?:now |i'm |i am )?(?:running|checking|looking|searching|trying|working|generating|loading|fetching|processing|thinking|reading|opening|restarting|analy[sz]ing|testing|updating|writing|fixing)\b|let's (?:look|see|check|try|start|begin|go|dive|get|take|walk|break|find|run|fix|move|continue|focus|work|keep|do|think|make)\b|i'll (?:take a look|check|look|try|see|wait|get (?:right )?on|fix|run|start|do (?:it|that|this)|be)\b)`)
	// ofItself is what it tells of itself.
	ofItself = english(`^(?:(?:well|ok|okay|honestly|yes|no|oh|ah|haha)[\s,!.:–—-]+|as an? [^,]{2,40},\s+)*(?:i(?:'m| am) (?:a|an|the|just|only|not|so|very|really|here|always|good|fine|doing|applying|writing|looking)\b|i(?:'m| am) \p{Lu}\pL+|i (?:really |also |always |never |often |just )?(?:live|lived|love|like|hate|enjoy|speak|work|worked|grew|was|am|own|study|feel|understand|count|play|eat|drink|prefer|went|come|came|don't|do not|can't|cannot|wish|want)\b|i(?:'ve| have) (?:a|an|no|two|three|four|five|ten|\d+|been|lived|worked|always|never|many|some)\b|my (?:name|inn|pupils|wife|husband|family|house|home|dog|cat|friends?|mother|father|job|work|hobby|hobbies|favou?rite|life|life's|purpose|creators?|shop|ship|memory|knowledge)\b)`)
	// ofUser opens what it says of its user.
	ofUser = english(`^(?:(?:ah|oh|so|well|and|yes|right|ok|okay|great|noted|also|since|as)[\s,!.:–—-]+)*(?:you|your|you're|you've)\b`)
	// guesses is what it takes its user to be.
	guesses = english(`^(?:(?:ah|oh|wow|so|well|haha|it sounds like|sounds like|it seems|seems like|i guess|i bet|i imagine|looks like)[\s,!.:–—-]+)*you(?: really| clearly| definitely)? (?:seem|sound|look|must|appear|strike)\b`)
	// pointsOnly opens a remark on what was just said.
	pointsOnly = english(`^(?:that|this|it)(?:'s|'ll| is| was| may| might| should| could| can| will| would| must| looks| sounds| seems| means| depends)\b|^(?:to|so that|because|just) \pL+\b|^no (?:rush|problem|worries|need|pressure|stress|hurry)\b|^(?:i )?(?:hope|wish)\b|^(?:one|just a) (?:moment|second|minute)\b|^what\b|^the (?:first|second|third|last|other|next) (?:one|option|version|idea|choice)\b`)
	// prizes is a remark on what is dear to the user.
	prizes = english(`^(?:[\p{L}' -]{2,40}) (?:is|are|was|must be|sounds?) (?:an? |such an? |always |really |so |very |hard )*(?:like (?:an? )?)?(?:precious|important|essential|priceless|valuable|natural|normal|common|understandable|complicated|tricky|rewarding|frustrating|stressful|nice|lovely|beautiful|great|good|wonderful|hard|tough|fun|adorable|cute|sweet|cool|amazing|inspiring|impressive|delicious|interesting|exciting|special|popular)(?: (?:name|names|place|city|work|job|choice|idea|hobby|country|breed|time|town|way|start|one))?\W*$`)
	// counsels marks what it has of its own to say.
	counsels = english(`\b(?:recommend|suggest|advis|try|consider|should|could|better|best|instead|avoid|need to|make sure|don't|use|choose|pick|go for|go with|opt|i'd|we'll|i'll (?:send|book|order|remind|call|write|set|schedule|email|prepare)|decided|agreed|let's (?:use|go with|meet)|booked|ordered|scheduled|reserved|cancelled|canceled|reminder|plan)`)
	// producing asks for a text to be written or reworked: the answer is that text.
	producing = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+|pls\s+)?|please\s+|i(?:'d| would) like you to\s+|i (?:need|want) you to\s+)?(?:help me (?:to )?)?(?:write|draft|compose|translate|rewrite|rephrase|reword|paraphrase|proofread|summari[sz]e|sum (?:this|it|that)|label|check (?:this|these|the|my) (?:sentence|text|grammar|paragraph|e-?mail|letter|spelling)|correct (?:this|the|my|these)|shorten|tell me (?:a|an|another|some|something|smth|sth)\b|make up|invent|pretend|imagine|let's (?:play|pretend|role-?play)|role-?play|act as|how do (?:i|you) say|say (?:this|it|that) in|give me a (?:title|name|slogan|caption|headline|poem|joke|story))\b`)
	salutes   = english(`^\W{0,3}(?:dear|hi|hello|hey) [^\n,]{1,40},\s*$`)
	signs     = english(`^\W{0,3}(?:(?:kind|best|warm|warmest|many|with kind)\s+(?:regards|wishes|thanks)|sincerely|yours|regards|cheers|love|best)\b[^\n]{0,30}$`)
)

// shortSaying is up to how many words an assistant's sentence is held to be a remark if
// nothing speaks against it.
const shortSaying = 10

// drafts says whether an assistant's message is a letter that it was asked to write.
func drafts(text string) bool {
	opened, lines := false, strings.Split(text, "\n")
	for _, line := range lines {
		if len(line) > 80 {
			continue
		}
		if opened && signs.MatchString(line) {
			return true
		}
		opened = opened || salutes.MatchString(line)
	}
	return false
}

// produces says whether the message before an assistant's asks for a text, which it is then.
func (g *grouping) produces() bool {
	last := g.heardLast()
	if last == "" {
		return false
	}
	for i, line := range strings.Split(last, "\n") {
		if i > 2 {
			break
		}
		for _, part := range strings.SplitAfter(head(line, 300), ". ") {
			if producing.MatchString(strings.TrimSpace(part)) {
				return true
			}
		}
	}
	return false
}

// asksTranslation asks for something in another language: the answer is that, whoever "I" is in it.
var asksTranslation = newPattern(`(?i)\b(?:translat(?:e|ion)|how (?:do|would|can|should) (?:i|you|we|one) (?:say|write|spell)|what(?:'s| is|’s) [^.?!]{1,60} in (?:` + tongues + `)\s*(?:[?.!:]|$)|(?:say|write|put) (?:it|this|that) in (?:` + tongues + `)|in (?:` + tongues + `)\s*[:?]|übersetz\pL*|wie (?:sagt|heißt|sage|schreibt) (?:man|ich)?|traduc\pL*|tradúc\pL*|traduir|traduis|traduisez|traduz\pL*|traduza|traduci|come si dice|cómo (?:se dice|digo)|comment (?:dit-on|on dit|dire)|como se diz|vertaal|hoe zeg je)|翻译|翻譯|翻訳|怎么说|怎麼說|何と言|なんて言|ترجم`)

const tongues = `english|german|french|spanish|italian|portuguese|dutch|japanese|chinese|mandarin|korean|arabic|polish|turkish|russian|ukrainian|greek|hindi|swedish|danish|norwegian|finnish|czech|hungarian|romanian|tagalog|vietnamese|thai|hebrew|latin`

// translates says whether a message of an assistant's gives what its user wanted in another
// language: in that, or short.
func (g *grouping) translates() bool {
	last := g.heardLast()
	return g.message.Name == "" && last != "" && asksTranslation.MatchString(head(last, 400)) && (!g.english || countWords(g.message.Text) <= 12)
}

// heardLast is the text of the message before, "" if that is the same speaker's or long.
func (g *grouping) heardLast() string {
	if len(g.heard) == 0 {
		return ""
	}
	last := g.heard[len(g.heard)-1]
	if sameSpeaker(last, g.message) || len(last.Text) > recalledText {
		return ""
	}
	return last.Text
}

// remarks says whether a sentence of an assistant is no more than a remark.
func (g *grouping) remarks(text string) bool {
	if g.message.Name != "" || !g.english || performs.MatchString(text) {
		return g.message.Name == "" && performs.MatchString(text)
	}
	n := countWords(text)
	words := wordsOf(expand(text))
	telling := figures(words) || g.tellsNames(text)
	counsel := counsels.MatchString(text)
	switch {
	case n <= 2*shortSaying && (bids.MatchString(text) || offers.MatchString(text) || grants.MatchString(text)), wishes.MatchString(text) && n <= shortSaying && !figures(words):
		return true
	case !telling && n <= 2*shortSaying && emptyOf(words), n <= shortSaying && hands.MatchString(text):
		return true
	case ofItself.MatchString(text) && !advises.MatchString(text), guesses.MatchString(text) && !advises.MatchString(text):
		return true
	case g.product && !counsel:
		return true
	case ofUser.MatchString(text) && !advises.MatchString(text) && g.saidBack(text):
		return true
	case telling, n > 2*shortSaying:
		return false
	case n <= shortSaying && strings.HasSuffix(strings.TrimSpace(text), ":"):
		return true // what it introduced is gone
	case n <= shortSaying && pointsOnly.MatchString(text), !verbal(wordsOf(text)):
		return true
	case reports.MatchString(text) && n <= shortSaying, underWay.MatchString(text):
		return true
	case prizes.MatchString(text) && !counsel:
		return true
	case !counsel && n <= shortSaying && len(words) > 1 && (words[0].low == "i" && !selfTells(words[1:]) || words[0].low != "i" && !auxiliaries[words[0].low] && !orders[words[0].low] && ofWork(words)):
		return true
	case n > shortSaying || counsel:
		return g.repeats(text)
	case strings.HasSuffix(strings.TrimSpace(text), "!"):
		return true
	}
	return g.repeats(text)
}

// ownPart gives what an assistant says without what it gives as told by its user: "Since you
// have a dog, try the beach" is "try the beach".
func ownPart(text string) string {
	if m := sinceYou.FindStringIndex(text); m != nil && countWords(text[m[1]:]) >= 3 {
		return text[m[1]:]
	}
	if m := asYou.FindStringIndex(text); m != nil && countWords(text[:m[0]]) >= 3 {
		return text[:m[0]]
	}
	return text
}

var (
	sinceYou = english(`^(?:(?:ok|okay|well|great|then|right)[\s,]+)*(?:since|as|because|given that|now that|knowing that|seeing that) you(?:r|'re|'ve)?\b[^,;:]{3,100},\s+(?:so\s+)?`)
	asYou    = english(`,?\s+(?:since|as|because|given that|now that|seeing that) you(?:r|'re|'ve)?\b(?: (?:don't|do not|are|have|live|work|eat|drink|like|love|prefer|hate|dislike|own|can't|cannot|never|always|only|mentioned|said|told))?\b[^,;:.]{3,100}[.!]?$`)
)

// figures says whether words have a figure that is no place in a text or count of its parts.
func figures(words []word) bool {
	for i, w := range words {
		if w.low[0] >= '0' && w.low[0] <= '9' && !countsTalk(words, i) {
			return true
		}
	}
	return false
}

// ofWork says whether what is told of a thing is only how the work on it goes: "The build
// is green".
func ofWork(words []word) bool {
	for _, w := range words[:min(len(words), 3)] {
		if talkNouns[w.low] || workNouns[w.low] {
			return !nounTells(words)
		}
	}
	return false
}

var (
	// bids ask the user for something.
	bids = english(`^(?:(?:if|when|once) [^,]{3,60},\s+)?(?:please |just |simply |go ahead and |try (?:it|that|this) and )*(?:(?:paste|send|share|show|give|upload|attach|post|copy|describe|drop|forward)\b.*\b(?:me|here|us|i'll|i can|with me|below|back)\b|tell me\b|let me know\b|keep me posted|take your time|say the word|remind me\b.*\bagain)`)
	// offers say what could be done.
	offers = english(`^(?:if you(?:'d)? (?:like|want|prefer|need|wish)[^,]{0,30},? )?(?:(?:i|we) (?:can|could|would be able to|might|'m able to|am able to)|i'd be (?:able|happy|glad) to|we(?:'ll| can) (?:also )?) ?(?:also |always |certainly |then |even )?\pL+\b[^.]*(?:for you|if you(?:'d)? (?:like|want|need|prefer|wish)|whenever you|when you're ready|you can|too|as well|instead)\W*$|^if you(?:'d)? (?:like|want|prefer|need|wish)[^,]{0,30},? (?:i|we) (?:can|could)\b`)
	// grants owns up to a mistake, or grants that the user is right.
	grants = english(`^(?:(?:oh|ah|yes|no|ok|sorry|oops)[\s,!.]+)*(?:(?:you're|you are) (?:absolutely |totally |quite |completely |so |very )?(?:right|correct|welcome|not alone|doing)\b|(?:i|my) (?:apologi[sz]e|apologies|missed|misread|misspoke|overlooked|misunderstood|mixed)\b|good (?:catch|point|eye|call|question)\b|whenever you(?:'re| are) ready|once upon a time\b|thanks for (?:catching|pointing|clarifying|the correction|your patience|bearing))`)
	// wishes greet, or greet somebody's own.
	wishes = english(`^(?:safe travels|bon voyage|have an? \pL+|happy \pL+|merry \pL+|good luck|best of luck|best wishes|enjoy|congrat\w*|welcome|say (?:hi|hello) to|give \pL+(?: \pL+)? an? (?:\pL+ )?(?:hug|cuddle|kiss|pat|treat|scratch)|send (?:\pL+ ){1,3}my (?:love|regards|best)|fingers crossed|get well|sleep well|rest well|stay (?:safe|warm|strong)|see you|talk (?:soon|to you)|break a leg|be (?:patient|kind|gentle|good|easy) (?:with|to|on) yourself|hang in there|hold on|come back|you'll (?:do|get|be|manage) (?:great|there|fine|ok|okay|it|well|alright)|consider it done|will do)\b|^\pL+ it is\W*$`)
	// hands is what hands something over that comes before or behind it.
	hands = english(`^(?:(?:ok|okay|sure|of course|certainly|absolutely|alright|great|done)[\s,!.:–—-]+)*(?:here(?:'s| is| are)|below (?:is|are)|this is|these are) (?:a|an|the|your|my|some|one|another|two|three|what)\b[^,;]{0,50}[.:!]?$`)
)

// repeats says whether nearly all words of a sentence stand in the message before.
func (g *grouping) repeats(text string) bool {
	last := g.heardLast()
	if last == "" || advises.MatchString(text) {
		return false
	}
	before := map[string]bool{}
	for _, w := range wordsOf(last) {
		before[w.low] = true
	}
	found, of := 0, 0
	for _, w := range wordsOf(text) {
		if !light[w.low] {
			of++
			if before[w.low] {
				found++
			}
		}
	}
	return of > 1 && found*4 >= of*3
}

// saidBack says whether a sentence has names or numbers, and all of them were said by
// somebody just before.
func (g *grouping) saidBack(text string) bool {
	found := false
	for i, w := range wordsOf(text) {
		figure := strings.ContainsAny(w.low[:1], "0123456789")
		if !figure && (i == 0 || !w.capital || w.low == "i" || strings.HasPrefix(w.low, "i'")) {
			continue
		}
		if !g.mentioned(text[w.start:w.end]) {
			return false
		}
		found = true
	}
	return found
}
