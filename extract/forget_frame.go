package extract

import "strings"

// A request to forget is made in many forms: "you can forget my age now", "take my age out of
// your memory", "about my age: please forget that". Each is read as one: "forget my age".

const (
	forgetLead = `^` + lightWords + `(?:(?:pls|plz|hey|hi|one more thing|one thing)[\s,:!.–—-]+)*` + lightWords
	askYou     = `(?:(?:can|could|would|will) (?:you|u|ya)\s+|(?:you|u) (?:can|should|may|could|might|must|need to|have to|better)\s+|i(?:'d|'ll| would| do)? (?:really |just )?(?:want|need|like|love|prefer|appreciate)(?: for)?(?: it if)? (?:you|u)(?: to|'d| would| could)?\s+|would you mind\s+|(?:it'd|it would) be (?:nice|great|good|better|best) if (?:you|u) (?:could |would )?)`
	askThen    = `(?:(?:now|just|please|pls|plz|kindly|also|really|completely|better|maybe|immediately)\s+)*`
	forgetWord = `(?:forget|forgot|forgetting|delete|deleting|remove|removing|erase|erasing|wipe|wiping|unlearn|scrub|purge|drop|scrap|clear)`
	askNo      = `(?:remember|know|store|keep|save|retain|recall|remembering|storing|keeping|saving|knowing)`
	askPlace   = `(?:from|out of|off|in) (?:your|the) (?:memory|memories|mind|head|brain|notes?|records?|database|db|storage|system)`
	askTail    = `((?:[\s,]+(?:` + askPlace + `|please|pls|plz|now|thx|thanks|thank you|ty|ok|okay|too|already|completely|entirely|for good|any ?more|any longer|immediately|asap|right away|(?:will|would|could|can) (?:you|ya|u)|if (?:you can|possible)|all of it|forever))*)[\s.!?]*$`
	askThat    = `(?:that|it|this|them|her|him|all of (?:it|that)|everything|all)`
)

// frame is a form of a request to forget: the first group is what is to be forgotten.
type frame struct {
	form *pattern
	// sure says that no other request has the form.
	sure bool
	// all says that it is all about what is named.
	all bool
}

var frames = []frame{
	{english(forgetLead + askYou + `?` + askThen + `(?:take|get|throw|kick|cut|strike)\s+(.+?)\s+` + strings.Replace(askPlace, "|off|in)", "|off|away from)", 1) + askTail), true, false},
	{english(forgetLead + `(?:(?:you|u) (?:should|must|can|may|need|do)?\s*|please |pls )(?:no longer|not|never|stop|don't|do not|dont)\s+(?:need to |have to |ever )?` + askNo + `\s+(?:about\s+)?(.+?)` + askTail), false, false},
	{english(forgetLead + `(?:please |pls )?(?:stop|quit)\s+(?:remembering|storing|saving|knowing)\s+(?:about\s+)?(.+?)` + askTail), true, false},
	{english(forgetLead + `(?:about|regarding|concerning|as for|re)\s+(.+?)\s*[,:;–—-]+\s*` + lightWords + askYou + `?` + askThen + forgetWord + `(?: about)? ` + askThat + askTail), true, false},
	{english(forgetLead + `(?:the|that|this) (?:things?|stuff|bit|part|story|memory|facts?|info|information|one) (?:about|with|on|of|regarding)\s+(.+?)\s*[,:;–—-]+\s*` + lightWords + askYou + `?` + askThen + forgetWord + `(?: about)? ` + askThat + askTail), true, true},
	{english(forgetLead + askYou + `?` + askThen + forgetWord + `\s+(?:the|that|this|any|all|all the|all that|those)\s*(?:things?|stuff|story|memory|memories|facts?|info|information)\s+(?:i (?:said|told you|mentioned)\s+)?(?:about|with|on|of|regarding)\s+(.+?)` + askTail), true, true},
	{english(forgetLead + askYou + `?` + askThen + forgetWord + `\s+(?:everything|all|anything|whatever|what)\s+(?:that (?:is|has) )?(?:related to|connected to|having to do with|to do with)\s+(?:my\s+)?([\pL' ]+?)(?: (?:about|of|on) me)?` + askTail), true, true},
	{english(forgetLead + askYou + `?` + askThen + forgetWord + `\s+(?:everything|all|anything|whatever)\s+([\pL']+)[- ]?related(?: (?:about|of|on) me)?` + askTail), true, true},
	{english(forgetLead + askYou + `?` + askThen + forgetWord + `\s+(?:everything|all|anything|whatever|what)(?:\s+(?:that\s+)?(?:you (?:know|have|remember|stored|saved|learned)|i(?:'ve| have)? (?:said|told you|mentioned|shared)|i ever said))?\s+(?:about|on|of|regarding)\s+((?:who|whom|where|what|which|how old|that i)\b.+?)` + askTail), true, false},
	{english(forgetLead + `i(?:'d| would)? (?:don't|do not|dont|never|rather not) (?:want|need|like) (?:you|u) to (?:ever )?` + askNo + `\s+(?:about\s+)?(.+?)` + askTail), false, false},
	{english(forgetLead + askYou + `?` + askThen + forgetWord + `\s+(?:about\s+)?(.+?)` + askTail), false, false},
}

var (
	// alsoTakenOut ends what is to be forgotten, a second time: "my age, delete it".
	alsoTakenOut = english(`\s*[,;–—-]+\s*` + lightWords + forgetWord + ` ` + askThat + askTail)
	asksMemory   = english(askPlace)
	courtesy     = english(`\b(?:please|pls|plz|thx|thanks|thank you)\b`)
	wipes        = english(forgetLead + `(?:wipe|erase)\s`)
	theFact      = english(`^the (?:fact|part|bit|memory|note) that `)
	asksYou      = english(forgetLead + askYou)
	forgetsVerb  = english(`\b(?:forget|forgetting)\b`)
	ofClause     = english(`^(?:that (?:i|my|we|our)\b|i(?:'m|m)? |(?:who|whom|what|which)(?: \pL+)? (?:i|i'm|im|i've|we|my)\b|where (?:i|i'm|im|we)\b|how (?:old|tall|much i)\b|when i)`)
	codeNoun     = newPattern(`^(?:locker|door|gate|alarm|pin|safe|entry|garage|zip|post|postal|access|lock|bike lock|padlock|card|house|building) (?:code|pin|number|combination|combo)$`)
	properNoun   = newPattern(`^\p{Lu}[\pL'’-]+(?: (?:(?:and|&) )?\p{Lu}[\pL'’-]+){0,2}$`)
	ownAdjective = newPattern(`(?i)^(?:my|our)\s`)
	unsaidNever  = english(forgetLead + `(?:let's |lets |just |please )*(?:pretend|act like|act as if|imagine)\s+(?:that )?i (?:never|didn't|did not|didnt) (?:say|said|tell|told|mention|mentioned|write|wrote)(?: you)?(?: (?:that|this|it|anything|a word))?` + askTail)
	// notToBeKept is said of what stands before it.
	notToBeKept = english(forgetLead + `(?:because |since |as )?i(?:'d| would)? (?:don't|do not|dont|never|rather not|prefer not)(?: to)? (?:want|like|need|have|wish)(?: to have| having)? (?:that|this|it|any of (?:this|that|it)|these|those)(?: to be| being)? (?:stored|saved|remembered|kept|recorded|noted|known|logged|in your memory|on record|on file)(?: anywhere)?` + askTail)
)

// kept are known of the speaker, and are wiped and cleared otherwise.
var kept = set(`phone car house home flat apartment number work email name`)

// framed reads a request to forget as one in the plain form: "forget" and what. It is sure
// where nothing else can be meant, so that what is named needs no "my".
func framed(text string) (plain string, sure bool) {
	if len(text) > 200 {
		return text, false
	}
	for i, f := range frames {
		m := f.form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		named := strings.TrimSpace(m[1])
		named = theFact.ReplaceAllString(named, "that ")
		sure := f.sure || asksMemory.MatchString(text) || (i < len(frames)-1 || wipes.MatchString(text)) && properNoun.MatchString(named)
		if !sure && pronouns[strings.ToLower(named)] || pointers[strings.ToLower(named)] {
			return text, false
		}
		noun := strings.TrimSpace(ownAdjective.ReplaceAllString(named, ""))
		low := strings.ToLower(named)
		if i == len(frames)-1 && !sure && !forgetsVerb.MatchString(text) && (!knownTopic(noun) || kept[noun]) && !ofClause.MatchString(named) {
			return text, false // "remove the noise", "wipe my phone"
		}
		switch {
		case f.all && ofClause.MatchString(named):
			return "forget " + named, true
		case f.all && (noun != named || knownTopic(noun)):
			return "forget everything about my " + noun, true
		case f.all:
			return "forget everything about " + named, true
		case noun != named:
			return "forget my " + noun, sure
		case ofClause.MatchString(named):
			return "forget " + named, sure
		case strings.HasPrefix(low, "about ") || strings.HasPrefix(low, "everything") || strings.HasPrefix(low, "all ") || strings.HasPrefix(low, "what i") || strings.HasPrefix(low, "whatever"):
			return "forget " + named, sure
		case strings.HasPrefix(low, "the ") && (codeNoun.MatchString(low[4:]) || sure && knownTopic(low[4:])):
			return "forget my " + low[4:], sure
		case properNoun.MatchString(named) && (sure || (asksYou.MatchString(text) || courtesy.MatchString(text)) && forgetsVerb.MatchString(text)):
			return "please forget " + named, sure
		case sure:
			return "forget everything about " + named, true
		}
		return text, false
	}
	return text, false
}

// behindRequest is why something is to be forgotten, said in the same breath.
var behindRequest = english(`^(.{8,}?)\s*[,;–—-]+\s+((?:i|i'm|i'd|it|it's|that|that's|this|since|because|as|cause|cos)\b.+)$`)

// forgets takes a request to forget and says whether it was one.
func (g *grouping) forgets(text string) bool {
	if g.forgetsForeign(text) {
		return true
	}
	if tellsOfNotKnowing(text) {
		return false
	}
	bare := strings.TrimRight(text, " .!?")
	if unsaidNever.MatchString(bare) {
		return g.forgetsLast()
	}
	if notToBeKept.MatchString(bare) {
		n := len(g.out)
		switch {
		case g.adjacent && n > 0 && !g.out[n-1].forget:
			g.out = g.out[:n-1]
			g.spoken, g.asked, g.adjacent = true, "", false
		case n == 0 && !g.spoken && g.follows():
			return g.forgetsLast()
		}
		g.spoken, g.adjacent = true, false
		return true // or it is said of what the sentence before asks
	}
	plain, sure := g.plainly(text)
	if g.forgetsPlainly(plain) {
		return true
	}
	if sure || !strings.ContainsAny(bare, ",;:–—") && bidsForget.MatchString(bare) {
		g.spoken, g.asked, g.adjacent = true, "", false
		return true // what cannot be done is no memory either
	}
	return false
}

// bidsForget is a request to forget, whatever is to be.
var bidsForget = english(forgetLead + `(?:` + askYou + askThen + `|(?:please|pls|plz|just)\s+)*forget(?:\s|$)`)

// plainly gives a sentence as the plain request that it is, if it is one.
func (g *grouping) plainly(text string) (plain string, sure bool) {
	if low := strings.ToLower(text); len(text) > 200 || !contains(low, requestStems) {
		return text, false
	}
	bare := strings.TrimRight(text, " .!?")
	for _, whole := range []string{alsoTakenOut.ReplaceAllString(bare, ""), bare} {
		for _, reading := range []string{asForget(whole), whole} {
			if plain, sure := framed(reading); plain != reading || sure {
				return plain, sure
			} else if reading != whole {
				return reading, false
			}
		}
	}
	if m := behindRequest.FindStringSubmatch(bare); m != nil {
		if plain, sure := framed(asForget(m[1])); sure {
			return plain, true
		}
	}
	return text, false
}

var requestStems = strings.Split("forget,delet,remov,eras,wip,unlearn,scrub,purge,drop,scrap,clear,memor,remember,know,store,storing,keep,save,saving,retain,recall,mind,brain,notes,record,database,storage", ",")

// isAll says whether a message consists of one sentence.
func (g *grouping) isAll(text string) bool { return countWords(g.message.Text) <= countWords(text)+2 }
