package extract

import (
	"slices"
	"strings"

	"github.com/memdhq/memd"
)

// What is told in confidence is not kept. That it is may be said before it ("don't remember this,
// but I have a crush"), behind it ("keep that between us") or of a topic ("don't keep anything
// about Karen"); in the sentence itself, or by one of its own for the message.

const (
	notTo = `(?:(?:do not|don't|dont|never|(?:you|u) (?:must not|mustn't|should not|shouldn't|do not need to|don't (?:need|have) to|need not|needn't)|no need to|(?:can|could|would|will) (?:you|u) (?:please )?(?:not|avoid)|i(?:'d| would) (?:rather|prefer)(?: it)?(?: that| if)? (?:you|u) (?:didn't|don't|did not|do not|not)|i (?:don't|do not|dont|wouldn't|would not) (?:want|like|need) (?:you|u|this app|the app|this) to|avoid|refrain from)\s+(?:ever |even |please |actually )?)`
	// keeping are verbs of keeping in mind; those of keepingAs need a word on where.
	keeping   = `(?:remember|save|store|record|note|log|memori[sz]e|learn|retain|remembering|saving|storing|recording|noting|logging|memori[sz]ing|retaining|make (?:a )?notes? of|take (?:a )?notes? of|hold on to|hang on to)`
	keepingAs = `(?:keep|keeping|write|writing|put|putting|jot|jotting|note|add|adding|commit|committing|take|have)`
	// toldHere is what was said, or is about to be.
	toldHere  = `(?:this|that|it|these|those|any (?:of (?:this|that|it|these|those|what i(?:'m| am|'ve| have)? (?:just )?(?:say|said|saying|tell you|told you|telling you)))|all (?:of )?(?:this|that)|a (?:word|thing) of (?:this|that|it)|anything of (?:this|that)|what i(?:'ve| have)? (?:just )?(?:said|told you|wrote|say|tell you)|(?:the|my) (?:last|previous) (?:message|part|bit|thing|one)|this (?:message|part|bit|one|last (?:bit|part)))`
	toldNext  = `(?:the following|what follows|what comes next|what i(?:'m| am)? (?:about to|going to|gonna) (?:say|tell you|write|share)|what i (?:say|tell you|write) (?:next|now)|(?:the|my) next (?:message|part|bit|thing|one|sentence)|the next thing i (?:say|tell you|write))`
	toldAll   = `(?:(?:this|our) (?:chat|conversation|talk|session)|anything (?:i (?:say|said|tell you|told you|write|wrote)|from|in) ?(?:(?:this|our) (?:chat|conversation|talk|session)|here|today)?|anything (?:here|today))`
	keptWhere = `(?:\s+(?:down|away|anywhere|at all|in (?:your|the) (?:memory|memories|notes?|records?|database|system|profile|logs?|history)|in mind|on (?:the )?(?:record|file)|to (?:your )?memory|from memory|as a memory|about me|for (?:me|later)))`
	secretly  = `(?:(?:(?:just|only|strictly|purely|all|very|really|top|completely|totally)\s+)*(?:confidential|confidentially|private|secret|off the record|in confidence|between (?:us|you and me|you and i|the two of us|ourselves)|our (?:little |own )?secret|for your (?:ears|eyes) only|not for the record))`
	isSecret  = `(?:(?:(?:this|that|it|` + toldNext + `|all (?:of )?(?:this|that)|what i(?:'m| am)? (?:saying|telling you|say|said|tell you|told you)(?: now| next)?)(?:'s| is| was|, this is| stays?| remains?| (?:has|needs|ought) to (?:stay|remain|be)| (?:must|should|can|will|better) (?:stay|remain|be)|'ll stay)?|let (?:this|that|it) (?:stay|remain|be))\s+` + secretly + `)`
	keepItSo  = `(?:(?:let's |lets |let us |just |(?:can|could|would|will) (?:you|we) )*(?:please )?keep (?:this|that|it|all (?:of )?(?:this|that)|what i(?:'ve| have)? (?:just )?(?:said|told you)|` + toldNext + `) (?:` + secretly + `|to yourself|out of (?:your|the) (?:memory|records?|notes)))`
	asPlease  = `(?:(?:please|pls|plz|ok|okay|thanks|thank you|thx|so|and|too|either|will you|would you|alright|yeah|though|deal)[\s,]*)*`
	unkept    = `(?:` + notTo + `(?:` + keeping + `\s+(?:` + toldHere + `|` + toldNext + `|` + toldAll + `)` + keptWhere + `*|` + keepingAs + `\s+(?:` + toldHere + `|` + toldNext + `|` + toldAll + `)` + keptWhere + `+|keep\s+(?:` + toldHere + `|` + toldNext + `|` + toldAll + `)))`
	unwanted  = `(?:i(?:'d| would)? (?:don't|do not|dont|never|rather not|prefer not)(?: to)? (?:want|like|need|wish)(?: to have| having)? ` + toldHere + `(?: to be| being)? (?:stored|saved|remembered|kept|recorded|noted|known|logged|memori[sz]ed|in your memory|on record|on file)` + keptWhere + `*|` + toldHere + `(?:'s| is| are)? (?:not|isn't|aren't) (?:for (?:your|the) (?:memory|memories|records?|notes)|to be (?:stored|saved|remembered|kept|recorded|noted|written down|logged|memori[sz]ed))` + keptWhere + `*)`
	asSecret  = `(?:` + unkept + `|` + unwanted + `|` + isSecret + `|` + keepItSo + `|` + secretly + `)`
	andSo     = `(?:[\s,;.–—-]+(?:(?:and|so|please|pls|but|just)[\s,]+)*)`
	confiding = `(?:(?:please|pls|plz|just|but|and|so|also)[\s,]+)*` + asSecret + `(?:` + andSo + asSecret + `)*[\s,]*` + asPlease
)

var (
	// confides is a sentence that says so and nothing else.
	confides = english(`^` + lightWords + confiding + `\W*$`)
	// confidesThen opens one that tells the matter behind it, asideOfIt does so with a comma
	// only; confidesLast ends one.
	confidesThen = english(`^` + lightWords + confiding + `(?:\s*(?:[:–—;,(.]+|\s-+)\s*(?:(?:but|and|so|ok|okay|because|cause|since|only)[\s,]+)*|\s+(?:but|because|cause|since)\s+)(\S.*)$`)
	confidesLast = english(`^(.*[^\s,;:.(–—-])\s*(?:[,;:.(–—-]+\s*(?:(?:but|and|so)[\s,]+)?|\s(?:but|and|so)[\s,]+)` + confiding + `\W*$`)
	// ofWhatComes is of what is still to be told, ofLast of less than a message, ofTalk of more.
	ofWhatComes = english(`\b` + toldNext + `\b`)
	ofTalk      = english(`\b` + notTo + `(?:` + keeping + `|` + keepingAs + `)\s+` + toldAll)
	pointsHere  = english(`\bthis\b`)
	// itIsSecret may be of a thing: "I keep a diary, it's private".
	itIsSecret   = english(`^[\s,;:.(–—-]*(?:and |but )?it(?:'s| is)\s+(?:\pL+ )?(?:private|confidential|secret)\W*$`)
	pointsBehind = english(`\b(?:that|it|those|what i(?:'ve| have)? (?:just )?(?:said|told you|wrote)|last|previous)\b`)
	// oneDoes is what its speaker does, the "I" left out: "I had a dream but don't remember it",
	// "and keep it private".
	oneDoes = english(`\s(?:but|and|so)\s+(?:(?:just|never|don't|dont|do not)\s+)*(?:remember|know|recall|keep|have|take)\s+(?:it|that|this|those|these)\b[^,]*$`)
	// ofTopic asks so of all that is about something.
	ofTopic = english(`^` + lightWords + `(?:(?:please|pls|plz|just|but|and|so|also)[\s,]+)*` + notTo + `(?:` + keeping + `|` + keepingAs + `)\s+(?:(?:anything|everything|things|stuff|any(?:thing)? (?:info|information|details|facts|notes)|info|information|details|facts|notes|a thing|what|whatever)(?:\s+(?:that\s+)?i(?:'ve| have)?\s+(?:say|said|tell you|told you|mention|mentioned|write|wrote|share|shared))?)` + keptWhere + `?\s+(?:about|on|regarding|concerning|related to|to do with)\s+([^,;:.]{2,50}?)` + keptWhere + `*[\s,]*` + asPlease + `(?:\s*[,;:.–—-]+\s*([\pL\d].*))?\W*$`)
	// movesOn ends what is told in confidence.
	movesOn = english(`^(?:(?:ok|okay|so|but|well|right|alright|now)[\s,]+)*(?:anyway|anyways|anyhow|on (?:an|a) (?:other|different|unrelated) note|on another note|other than that|that aside|apart from that|unrelated|back to|different (?:topic|question|subject)|something else|moving on)\b`)
	// talkedOf says that a thing at hand is not to be kept, not what is told.
	ofThings = english(`\b(?:file|files|document|draft|photo|photos|image|branch|changes|game|settings|password manager|receipt|fridge|freezer|cupboard|cloud)\b`)
)

// confidence is how a sentence asks that something be not kept.
type confidence struct {
	// asks says that it does.
	asks bool
	// before and behind are what it tells, with the request behind or before it.
	before, behind string
	// next says that it is of what is still to be told, back of what was, talk of all that is
	// said in the session.
	next, back, talk bool
	// topic is what nothing is to be kept of.
	topic string
}

// confidenceOf reads how a sentence of a user asks that something be not kept.
func confidenceOf(text string, english bool) (c confidence) {
	if len(text) > recalledText {
		return c
	}
	if english {
		c = englishConfidence(text)
	}
	if !c.asks {
		c = foreignConfidence(text)
	}
	return c
}

func englishConfidence(text string) (c confidence) {
	low := strings.ToLower(text)
	if !contains(low, secretStems) && !(contains(low, notStems) && contains(low, keepStems)) {
		return c
	}
	if tellsOfNotKnowing(text) && !strings.Contains(low, "this") {
		return c
	}
	if m := ofTopic.FindStringSubmatch(text); m != nil && !pointers[strings.ToLower(m[1])] && !pronouns[strings.ToLower(m[1])] {
		return confidence{asks: true, topic: m[1], behind: m[2]}
	}
	if confides.MatchString(text) {
		return confidence{asks: true, next: ofWhatComes.MatchString(text), back: pointsBehind.MatchString(text) && !pointsHere.MatchString(text), talk: ofTalk.MatchString(text)}
	}
	if m := confidesThen.FindStringSubmatch(text); m != nil && hasContent(m[1]) && !endsAsking(text) {
		if ask := text[:len(text)-len(m[1])]; !ofThings.MatchString(text) && (countWords(m[1]) > 1) {
			return confidence{asks: true, behind: m[1], next: true, talk: ofTalk.MatchString(ask)}
		}
	}
	if m := confidesLast.FindStringSubmatch(text); m != nil && !ofThings.MatchString(text) {
		told := m[1]
		if countWords(told) > 1 && !endsAsking(text) && !itIsSecret.MatchString(text[len(told):]) && (putToYou.MatchString(text[len(told):]) || !oneDoes.MatchString(text)) {
			return confidence{asks: true, before: told}
		}
	}
	return c
}

// Stems of the words without which nothing asks so.
var (
	secretStems = strings.Split("confiden,private,secret,the record,between,to yourself,eyes only,ears only,keep", ",")
	notStems    = strings.Split("n't,n’t,not,dont,never,no need,avoid,refrain", ",")
	keepStems   = strings.Split("remember,sav,stor,record,note,noting,log,memor,learn,retain,writ,put,jot,keep,hold on,hang on,add,commit,tak,have", ",")
)

// confided takes what a piece of a message asks about what is not to be kept. It gives the piece
// as it is to be read on, "" for nothing, and whether what it and what comes behind it tells is in
// confidence.
func (g *grouping) confided(c confidence, first, last bool) (text string, this, next bool) {
	switch {
	case c.topic != "":
		g.forgetsPlainly("forget everything about " + c.topic)
		g.spoken, g.asked, g.adjacent = true, "", false
		g.quiet = append(g.quiet, c.topic)
		return c.behind, false, false
	case c.before != "":
		return c.before, true, false
	case c.behind != "":
		return c.behind, true, true
	}
	told := len(g.out) > 0
	switch {
	case c.talk && !told:
		g.forgetsSession()
	case told && !c.next:
		g.hushes(0)
	case !last && (c.next || first && !(c.back && g.follows())):
		g.spoken, g.asked, g.adjacent = true, "", false
		return "", true, true
	case first && !told && !g.spoken && g.follows():
		g.forgetsMessage()
	}
	g.spoken, g.asked, g.adjacent = true, "", false
	return "", true, c.talk || c.next
}

// quietOn says whether a sentence is about what nothing is to be kept of.
func (g *grouping) quietOn(text string) bool {
	low := strings.ToLower(text)
	for _, named := range g.quiet {
		name := topic(named)
		if f, known := topicsForgotten[name]; known {
			a := slotOf(text)
			kind, _, _ := strings.Cut(a.name, ":")
			if kind == name || slices.Contains(f.slots, a.name) || slices.ContainsFunc(f.words, func(w string) bool { return strings.Contains(low, w) }) {
				return true
			}
		}
		if strings.Contains(low, name) || g.adjacent && pointsBack(wordsOf(text)) {
			return true
		}
	}
	return false
}

// hushes has what was told from the n-th statement on be forgotten, should it be known from
// elsewhere.
func (g *grouping) hushes(n int) {
	for k := n; k < len(g.out); k++ {
		if s := &g.out[k]; !s.forget {
			*s = statement{text: s.text, slot: s.slot, when: s.when, forget: true, words: s.words}
		}
	}
}

// confidedBefore says whether what a message tells was announced as in confidence by the one of its
// speaker before, or answers what was told so.
func (h *hearing) confidedBefore(m *memd.Message) bool {
	if h.shallow || len(h.heard) == 0 {
		return false
	}
	for i := len(h.heard) - 1; i >= 0 && i >= len(h.heard)-2; i-- {
		previous := h.heard[i]
		if previous.Role != memd.RoleUser || len(previous.Text) > recalledText {
			continue
		}
		for _, line := range Sentences(previous.Text, 12) {
			c := confidenceOf(line, isEnglish(previous.Text))
			if c.asks && (m.Role == memd.RoleAssistant && c.topic == "" || c.next && c.behind == "" && len(Sentences(previous.Text, 2)) == 1) {
				return true
			}
		}
		return false
	}
	return false
}

// asksNoMemory says whether a sentence asks for something not to be kept, or to be forgotten.
func (g *grouping) asksNoMemory(text string) bool {
	bare := strings.TrimRight(text, " .!")
	return confidenceOf(text, g.english).asks || notToBeKept.MatchString(bare) || bidsForget.MatchString(bare) || forgetEver.MatchString(bare)
}
