package extract

import (
	"slices"
	"strings"

	"github.com/memdhq/memd"
)

// "Forget that I live in Porto" asks for a statement to be forgotten. "Forget it",
// "don't forget" and "I forgot" do not.

var (
	forgetThat = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|you (?:can|should|may)\s+|i(?:'d| would)? (?:want|need|like) you to\s+)?(?:(?:forget|delete|remove|erase|unlearn|drop|scrap|stop remembering|do not remember|don't remember)\s+(?:the (?:fact|part|bit|memory|note)\s+|from (?:your )?memory\s+)?that|forget)\s+(?:i (?:ever )?(?:told you|said|mentioned|wrote)(?: that)?\s+)?(.+)$`)
	// forgetSaid is what forgetThat asks without "that".
	forgetSaid = english(`\b(?:that|i (?:ever )?(?:told you|said|mentioned|wrote))\b`)
	// forgetOf names by a clause what is known of somebody else.
	forgetOf = english(`^` + lightWords + `(?:forget|delete|remove|erase)\s+(where|how old|what|who)\s+(my [\pL-]+(?: [\pL-]+)?|\p{Lu}\pL+)\s+(lives|works(?: for| at)?|is|does(?: for a living)?)\W*$`)
	// forgetWho names by a clause who is somebody of one's own.
	forgetWho = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:forget|delete|remove|erase)\s+(?:who (my [\pL-]+) is|what my ([\pL-]+) is called|(?:the name of )(my [\pL-]+))(?:\s+from (?:your )?memory|,?\s+(?:please|pls|plz))*\W*$`)
	// ofMatter is what a matter is of: "my lupus diagnosis".
	ofMatter = english(`^my ([\pL-]+)( (?:diagnosis|condition|disease|illness|situation|problem|problems|issue|issues|thing|treatment))$`)
	// forgetTheirs names by a noun what is known of somebody else: "my sister's address".
	forgetTheirs = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:forget|delete|remove|erase)\s+((?:my|our) [\pL-]+(?: [\pL-]+)?|\p{Lu}\pL+)(?:'s|’s) ([\pL ]{3,20}?)(?:\s+from (?:your )?memory|,?\s+(?:please|pls|plz)|,? ok(?:ay)?)*\W*$`)
	// forgetThe names one's own animal or relative as the one that is known.
	forgetThe   = english(`^` + lightWords + `forget (?:about )?the (` + animals + `|` + partners + `|boss|landlord|landlady|flatmate|roommate|ex|baby|kids|children)(?:,?\s+(?:please|pls|plz))*\W*$`)
	forgetAbout = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:forget|delete|remove|erase|unlearn)\s+(?:everything|all|anything|whatever|what)(?:\s+(?:that\s+)?(?:you (?:know|have|remember|stored|saved|learned)|i(?:'ve| have)? (?:said|told you|mentioned|shared)|i ever said))?\s+(?:about|on|of|regarding)\s+(.+)$`)
	takeBack    = english(`^` + lightWords + `i take back (?:what|everything|all) i said about\s+(.+)$`)
	offRecord   = english(`^` + lightWords + `(?:(?:do not|don't|never) (?:remember|save|store|keep|record|note|memori[sz]e) (?:this|that|the following)|off the record)[:,.–—-]*\s+(.+)$`)
	// forgetWhere names by a clause what "forget my …" names by a noun.
	forgetWhere = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|you (?:can|should|may)\s+)?(?:forget|delete|remove|erase)\s+(how much i (?:earn|make|am paid|get paid|weigh)|what i (?:earn|make|weigh)|how tall i am|where i live|where i work|who i work for|what i do(?: for (?:a living|work))?|how old i am|what my name is|when i was born|when my birthday is|what i(?:'m| am) called|where i(?:'m| am) from)(?:\s+from (?:your )?memory|,? please|,? ok(?:ay)?)?\W*$`)
	// forgetTopic is "forget about Rafa" and "forget about the gluten thing"; what else
	// is told to be forgotten about is no more than left aside.
	forgetTopic = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|you (?:can|should|may)\s+)?forget about\s+(\p{Lu}[\pL'-]+(?: \p{Lu}[\pL'-]+)?|(?:(?:the|my|that)\s+)[\pL ]{2,30}?(?:\s+(?:thing|stuff|business|story)))(?:,? (?:please|ok|okay))?(?:[,.;–—-]+\s*(\S.*))?$`)
	// forgetLast takes back what was said last.
	forgetLast = english(`^(?:(?:omg|oh|no|wait|sorry|actually|please|ugh|ok|um|god|lol|haha|hmm)[\s,!.]+)*(?:(?:can|could) you\s+(?:please\s+)?)?(?:forget|delete|erase|ignore|unsee|don't remember|do not remember|don't save|scratch)\s+(?:what i (?:just )?(?:said|told you|wrote|typed)(?: (?:just )?now| before that)?|that i (?:just )?(?:said|told you|wrote) (?:that|this)|(?:the|that|my) (?:last|previous) (?:message|thing|bit|part|sentence|line|one|statement)(?: i (?:said|wrote|sent))?|everything i just (?:said|told you)|i (?:just )?(?:said|told you|wrote) (?:that|this|anything))(?:,? please|,? ok(?:ay)?|,? lol|,? haha)*\W*$`)
	// lastPart is less than a message.
	lastPart = english(`\b(?:last|previous) (?:thing|bit|part|sentence|line|one|statement)\b`)
	// scratches takes back what was said in the same breath.
	scratches = english(`^(?:(?:omg|oh|no|wait|sorry|actually|please|ugh|ok|um|god|lol|hmm)[\s,!.]+)*(?:forget|scratch|strike|ignore|delete|unsay)\s+(?:that|this|it)(?: last (?:bit|part|one))?(?:[,.;:!–—-]+\s*(\S.*)|\s+(i (?:should|shouldn't|should not|didn't|did not)\b.*))?$`)
	// letBe gives up a request that was made of who listens: "forget it, I'll do it myself".
	letBe      = english(`^(?:(?:oh|ok|okay|no|ugh|sorry|you know what)[\s,!.]+)*(?:never ?mind[\s,]+)?forget (?:it|about it)[\s,;.:–—-]+(?:(?:i'll|i will|i can|i'm going to|i'm gonna|we'll|we will|let me) .{0,40}(?:\b(?:myself|ourselves|another|else|instead|later|manage|figure|handle|google|look|without|someone|somebody)\b.{0,30})|(?:it's|its|that's) (?:ok|okay|fine|all right|alright|too late|not (?:important|worth it)))\W*$`)
	fromMemory = english(`,?\s+(?:from (?:your |the )?memory|please|pls|ok|okay|thanks|thank you)\W*$`)
	forgetMine = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|you (?:can|should|may)\s+)?(?:forget|delete|remove|erase|drop|scrap)\s+my\s+([\pL' -]{2,30}?)(?:\s+from (?:your )?memory|,?\s+(?:please|pls|plz)|,? ok(?:ay)?)*(?:[,.;–—-]+\s*(\S.*))?\W*$`)
)

// forgettable are what "forget my …" may name, and the slot of each.
var forgettable = map[string]string{
	"name": "name", "real name": "name", "nickname": "called", "age": "age", "birthday": "birthday", "birth date": "birthday", "date of birth": "birthday", "pronouns": "pronouns",
	"home": "home", "home town": "home", "city": "home", "location": "home", "address": "address", "phone number": "phone number", "number": "phone number", "email": "email address",
	"email address": "email address", "job": "work", "employer": "work", "work": "work", "diet": "diet", "blood type": "blood type", "weight": "weight", "height": "height",
	"marital status": "marital status", "partner": "partner", "girlfriend": "partner", "boyfriend": "partner", "wife": "partner", "husband": "partner", "car": "car", "phone": "phone",
}

// forgetsPlainly takes a request to forget in its plain form and says whether it was one.
func (g *grouping) forgetsPlainly(text string) bool {
	low := strings.ToLower(text)
	if !strings.Contains(low, "wipe") && !strings.Contains(low, "clear") && !strings.Contains(low, "purge") && !strings.Contains(low, "forget") && !strings.Contains(low, "delete") && !strings.Contains(low, "remove") && !strings.Contains(low, "erase") &&
		!strings.Contains(low, "remember") && !strings.Contains(low, "unlearn") && !strings.Contains(low, "drop") && !strings.Contains(low, "scrap") && !strings.Contains(low, "take back") && !strings.Contains(low, "off the record") &&
		!strings.Contains(low, "this") && !strings.Contains(low, "ignore") && !strings.Contains(low, "scratch") && !strings.Contains(low, "save") && !strings.Contains(low, "unsee") {
		return false
	}
	s := statement{forget: true, words: countWords(text)}
	bare, rest := strings.TrimRight(text, " .!?"), ""
	if forgetLast.MatchString(bare) || takesBackLast.MatchString(bare) || forgetBare.MatchString(bare) && len(g.out) == 0 && !g.spoken && g.follows() {
		if len(g.out) == 0 && !lastPart.MatchString(bare) {
			return g.forgetsMessage()
		}
		return g.forgetsLast()
	}
	if m := mindful.FindStringSubmatch(bare); m != nil && !verbal(wordsOf(m[1])) {
		g.spoken, g.asked, g.adjacent = true, text, false
		return true // "don't forget my name" tells none
	}
	if insteadOf.MatchString(text) && (forgetMine.MatchString(bare) || forgetTopic.MatchString(bare) || forgetThat.MatchString(bare)) {
		return g.goesOnFrom(text) // a figure of speech
	}
	if m := forgetOne.FindStringSubmatch(text); m != nil && !noNames[strings.ToLower(m[1])] {
		g.spoken, g.asked, g.adjacent = true, "", false
		if askedFor.MatchString(text) || g.isAll(text) {
			for _, name := range andBetween.Split(m[1], -1) {
				g.forgetsAll(name, []about{{subject: topic(name)}})
			}
		}
		return true
	}
	if forgetEver.MatchString(bare) {
		g.out = append(g.out[:0:0], statement{text: bare, slot: about{subject: memd.Everything}, forget: true, words: s.words})
		g.spoken, g.asked, g.adjacent = true, "", false
		return true
	}
	if forgetAll.MatchString(bare) {
		if allOfIt.MatchString(bare) && !g.spoken && len(g.out) == 0 {
			g.forgetsTopic()
			return true
		}
		g.forgetsSession()
		if m := forgetAbout.FindStringSubmatch(bare); m != nil && !pronouns[strings.ToLower(m[1])] && !pointers[strings.ToLower(m[1])] {
			g.out = append(g.out, statement{text: m[1], slot: about{subject: topic(m[1])}, forget: true, words: s.words})
		}
		return true
	}
	if sameBreath.MatchString(bare) && len(g.out) == 0 && !g.spoken && g.follows() {
		return g.forgetsMessage()
	}
	if sameBreath.MatchString(bare) && g.adjacent && len(g.out) > 0 && !g.out[len(g.out)-1].forget {
		g.out = g.out[:len(g.out)-1]
		g.spoken, g.asked, g.adjacent = true, "", false
		return true
	}
	if m := noSuchMemory.FindStringSubmatch(bare); m != nil {
		all, known := forgottenBy(m[1])
		if !known {
			all = []about{{subject: topic(m[1])}}
		}
		g.forgetsAll(m[1], all)
		g.spoken, g.asked, g.adjacent = true, "", false
		return true
	}
	if letBe.MatchString(bare) {
		return g.goesOnFrom(text)
	}
	if m := scratches.FindStringSubmatch(bare); m != nil && g.adjacent && len(g.out) > 0 && !g.out[len(g.out)-1].forget {
		g.out = g.out[:len(g.out)-1]
		g.spoken, g.asked, g.adjacent = true, "", false
		if hasContent(m[1]) {
			g.sentence(m[1])
		}
		return true
	}
	if m := forgetMine.FindStringSubmatch(bare); m != nil && g.asFigure(m[1], m[2]) {
		return g.goesOnFrom(text)
	}
	if m := forgetTheirs.FindStringSubmatch(bare); m != nil && forgettable[strings.ToLower(m[2])] != "" {
		who, _, known := relative(m[1] + " x")
		if !known {
			who = topic(m[1])
		}
		s.text, s.slot = m[1]+"'s "+m[2], about{name: forgettable[strings.ToLower(m[2])], subject: who}
		for _, slot := range topicsForgotten[strings.ToLower(m[2])].slots {
			if slot != s.slot.name {
				g.forgetsAll(s.text, []about{{name: slot, subject: who}})
			}
		}
	} else if m := forgetThe.FindStringSubmatch(bare); m != nil && g.isAll(text) {
		s.text, s.slot.subject = "my "+m[1], "my "+strings.ToLower(m[1])
	} else if m := forgetWho.FindStringSubmatch(bare); m != nil {
		return g.forgetsPlainly("forget my " + topic(m[1]+m[2]+m[3]))
	} else if m := forgetOf.FindStringSubmatch(bare); m != nil {
		who, _, known := relative(m[2] + " x")
		if !known {
			who = topic(m[2])
		}
		s.text = m[2]
		s.slot = about{name: map[string]string{"l": "home", "w": "work", "i": "age", "d": "role"}[strings.ToLower(m[3][:1])], subject: who}
	} else if m := forgetThat.FindStringSubmatch(bare); m != nil && forgetSaid.MatchString(bare[:len(bare)-len(m[1])]) {
		clause := fromMemory.ReplaceAllString(m[1], "")
		if !standsAlone(clause) {
			return false
		}
		clause, rest = clauseAndAside(clause)
		if s.slot = slotOf(clause); s.slot.name == "" {
			s.slot = looseSlot(clause)
		}
		if was, found := g.saidOf(clause); found && (s.slot.name == "" || was.slot.name != s.slot.name && strings.HasPrefix(was.slot.name, "pet:")) {
			g.out = append(g.out, statement{text: was.text, forget: true, words: was.words})
		}
		s.text, s.when = resolve(clause, g.said, g.english)
	} else if m := offRecord.FindStringSubmatch(bare); m != nil {
		s.text, s.slot = m[1], slotOf(m[1])
		s.text, s.when = resolve(s.text, g.said, g.english)
	} else if m := forgetTopic.FindStringSubmatch(bare); m != nil {
		s.text = strings.TrimSuffix(m[1], " thing")
		for _, end := range []string{" stuff", " business", " story"} {
			s.text = strings.TrimSuffix(s.text, end)
		}
		s.slot.subject = ofOwn(s.text)
		rest = m[2]
	} else if m := forgetMyTopic.FindStringSubmatch(bare); m != nil && knownTopic(m[1]) {
		all, _ := forgottenBy(m[1])
		g.forgetsAll("my "+m[1], all[:len(all)-1])
		s.text, s.slot = "my "+m[1], all[len(all)-1]
	} else if m := firstMatch(bare, forgetAbout, takeBack); m != nil {
		s.text = fromMemory.ReplaceAllString(m[1], "")
		if aside := topicAside.FindStringSubmatch(s.text); aside != nil {
			if s.text = aside[1]; slotOf(aside[2]).name != "" {
				rest = aside[2]
			}
		}
		if m := ofMatter.FindStringSubmatch(s.text); m != nil && (!knownTopic(m[1]+m[2]) || slices.Contains(illnessNames, strings.ToLower(m[1]))) && !matters[strings.ToLower(m[1])] {
			s.text = m[1]
		}
		if doing := wordsOf(s.text); strings.HasSuffix(doing[0].low, "ing") && len(doing) > 1 {
			if a := slotOf("I " + infinitive(doing[0].low) + s.text[doing[0].end:]); a.name != "" {
				s.slot = a
			}
		}
		if s.slot.name == "" {
			s.slot.subject = topic(s.text)
		}
		if mine := strings.HasPrefix(strings.ToLower(s.text), "my ") || s.slot.subject == strings.ToLower(s.text); mine {
			all, known := forgottenBy(s.slot.subject)
			if known {
				g.forgetsAll(s.text, all)
			}
			if slot, ok := forgettable[s.slot.subject]; ok && strings.HasPrefix(strings.ToLower(s.text), "my ") {
				s.slot = about{name: slot}
			} else if known || s.slot.subject != strings.ToLower(s.text) {
				s.slot.subject = "my " + s.slot.subject
			}
		}
	} else if m := forgetWhere.FindStringSubmatch(bare); m != nil {
		s.text, s.slot = m[1], about{name: clauseSlot(strings.ToLower(m[1]))}
		if topic := map[string]string{"home": "address", "salary": "salary"}[s.slot.name]; topic != "" {
			all, _ := forgottenBy(topic)
			g.forgetsAll(m[1], slices.DeleteFunc(all, func(a about) bool { return a.name == s.slot.name }))
		}
	} else if m := forgetWhat.FindStringSubmatch(bare); m != nil && !saysNothing[strings.ToLower(strings.Fields(m[1])[0])] {
		s.text, s.slot.subject = m[1], "my "+strings.ToLower(m[1])
	} else if m := forgetMine.FindStringSubmatch(bare); m != nil {
		all, known := forgottenBy(m[1])
		if row := moreToForget(m[1]); len(row) > 1 {
			all, known = nil, true
			for _, noun := range row {
				each, _ := forgottenBy(noun)
				all = append(all, each...)
			}
		}
		if noun := wordsOf(m[1]); !known && (matters[noun[len(noun)-1].low] || matters[noun[0].low] || talkNouns[noun[len(noun)-1].low] || workNouns[noun[len(noun)-1].low] || !strings.Contains(low, "memory") && !strings.HasPrefix(strings.TrimSpace(forgetVerb.FindString(low)), "forget")) {
			return false
		}
		more := moreToForget(m[2])
		if len(more) == 0 && !meantSo(m[2]) {
			return g.goesOnFrom(text)
		}
		for _, noun := range more {
			too, _ := forgottenBy(noun)
			g.forgetsAll("my "+noun, too)
		}
		g.forgetsAll("my "+m[1], all[:len(all)-1])
		s.text, s.slot, rest = "my "+m[1], all[len(all)-1], m[2]
		if slotOf(rest).name == "" && countWords(rest) < 8 {
			rest = ""
		}
	} else {
		return false
	}
	g.out = append(g.out, s)
	g.spoken, g.asked, g.adjacent = true, "", false
	if hasContent(rest) {
		g.sentence(rest)
	}
	return true
}

// forgetMyTopic names something of one's own that is told of in several words.
var forgetMyTopic = english(`^` + lightWords + `forget about my\s+([\pL' -]{2,30}?)(?:,?\s+(?:please|pls|ok|okay))*\W*$`)

func knownTopic(noun string) bool {
	_, known := forgottenBy(noun)
	return known
}

// topicAside parts a topic from why it is to be forgotten.
var topicAside = english(`^([^,;–—-]{2,40}?)\s*[,;–—-]+\s+((?:but |as |since |because |cause |and )?(?:he|she|it|they|we|i|that|this|he's|she's|it's|they're|we're|i'm|im|i've|that's|thats|there)\b.+)$`)

var forgetVerb = english(`\b(?:forget|delete|remove|erase|drop|scrap)\b`)

var myFavorite = english(`^favou?rite ([\pL' ]{2,30})$`)

// clauseSlot is the slot that a clause of forgetWhere names.
func clauseSlot(clause string) string {
	switch {
	case strings.Contains(clause, "weigh"):
		return "weight"
	case strings.Contains(clause, "tall"):
		return "height"
	case strings.Contains(clause, "earn"), strings.Contains(clause, "make"), strings.Contains(clause, "paid"):
		return "salary"
	case strings.Contains(clause, "live"):
		return "home"
	case strings.Contains(clause, "work for"), strings.Contains(clause, "where i work"):
		return "work"
	case strings.Contains(clause, "what i do"):
		return "role"
	case strings.Contains(clause, "old"):
		return "age"
	case strings.Contains(clause, "born"), strings.Contains(clause, "birthday"):
		return "birthday"
	case strings.Contains(clause, "from"):
		return "born in"
	case strings.Contains(clause, "called"):
		return "called"
	}
	return "name"
}

var (
	// forgetAll asks for all to be forgotten that was said.
	forgetAll = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|i(?:'d| would)? (?:want|need|like) you to\s+)?(?:forget|delete|erase|remove|wipe|clear|purge)\s+(?:out\s+)?(?:(?:everything|all(?: of (?:it|this|that|what))?|anything|(?:all|the whole) (?:this|that|thing|lot))(?:\s+(?:that\s+)?(?:i(?:'ve| have)?(?: ever)?(?: just)? (?:said|told you|mentioned|shared|wrote)|you (?:know|have|remember|stored|saved|learned)|we (?:said|talked about|discussed)))?(?:\s+(?:so far|here|today|to you|in this (?:chat|conversation)|about (?:me|myself)))*|(?:all )?(?:of )?(?:my|your|the) (?:memor(?:y|ies)(?: of me| about me)?|data|history)|(?:all )?(?:what|whatever) i(?:'ve| have)? (?:said|told you)(?: so far)?)(?:[\s,]+(?:please|pls|now|ok|okay|thanks))*$`)
	// forgetEver asks for all to be forgotten that was ever said: what forgetAll asks, but not
	// of the talk at hand.
	forgetEver = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|i(?:'d| would)? (?:want|need|like) you to\s+)?(?:forget|delete|erase|remove|wipe|clear|purge)\s+(?:out\s+)?(?:(?:everything|all|anything)(?:\s+(?:that\s+)?(?:i(?:'ve| have)?(?: ever)? (?:said|told you|mentioned|shared)|you (?:know|have|remember|stored|saved|learned)))(?:\s+(?:to you|(?:about|on) (?:me|myself)))*|everything (?:about|on) (?:me|myself)|about (?:me|myself)|all (?:(?:of )?the )?memories|(?:all )?(?:of )?(?:the |my |any )?(?:personal )?(?:data|info|information|facts|details|memories|things|notes) (?:(?:that )?you(?:'ve| have)?(?: got| stored| saved| kept| collected| learned| know| have)* )?(?:on|about|of) me|(?:all )?(?:of )?(?:(?:my|your) memor(?:y|ies)(?: of me| about me)?|(?:the )?memories (?:of|about) me)|(?:all )?(?:of )?my (?:personal )?(?:data|history)|(?:all )?(?:what|whatever) i(?:'ve| have)? (?:ever )?(?:said|told you))(?:[\s,]+(?:please|pls|now|ok|okay|thanks))*$`)
	// mindful asks that what was told be kept in mind.
	mindful = english(`^` + lightWords + `(?:don't|dont|do not|never|you (?:must not|mustn't|shouldn't|won't))\s+(?:ever\s+)?forget\s+((?:about\s+)?(?:my|our|me|us|it|that|this|these|those|what|who)\b[^,.;:]{0,40})$`)
)

// allOfIt means what was just talked about.
var allOfIt = english(`\b(?:forget|delete|erase|remove|wipe|clear)\s+(?:all (?:of )?(?:it|this|that)|the whole (?:thing|lot))(?:[\s,]+(?:please|pls|now|ok|okay|thanks|again))*$`)

// forgetsTopic asks for what was just talked about to be forgotten: all that the speaker
// stated in the last message that states something, and in those before it as far as one
// leans on the other.
func (g *grouping) forgetsTopic() {
	g.spoken, g.asked, g.adjacent = true, "", false
	if g.shallow {
		return
	}
	for i := len(g.heard) - 1; i >= 0; i-- {
		earlier := g.heard[i]
		if !sameSpeaker(earlier, g.message) || len(earlier.Text) > recalledText {
			continue
		}
		n := len(g.out)
		if !g.forgetsOf(i) || len(g.out) > n && !g.refers(g.out[n].text) {
			return
		}
	}
}

// forgetsSession asks for all to be forgotten that the speaker has said in the session, as
// far as it is at hand, and what is known of them as such.
func (g *grouping) forgetsSession() {
	g.out = nil
	g.spoken, g.asked, g.adjacent = true, "", false
	if g.shallow {
		return
	}
	for i, earlier := range g.heard {
		if !sameSpeaker(earlier, g.message) || len(earlier.Text) > recalledText {
			continue
		}
		if !g.forgetsOf(i) {
			return
		}
	}
}

// forgetsOf asks for what a message before states to be forgotten; false if the context
// has ended.
func (g *grouping) forgetsOf(i int) bool {
	before := &hearing{rules: g.rules, names: g.hearing.names, heard: g.heard[:i], shallow: true}
	all, err := before.statements(g.ctx, g.heard[i])
	if err != nil {
		return false
	}
	for _, s := range all {
		if !s.forget {
			g.out = append(g.out, statement{text: s.text, forget: true, words: s.words})
		}
	}
	return true
}

// forgetBare asks in so many words for what was just said to be forgotten.
var forgetBare = english(`^(?:(?:please|pls|ok|oh|no|hmm|and)[\s,!.]+)*(?:(?:can|could) you\s+(?:please\s+)?)?(?:forget|delete|erase|unlearn)\s+(?:that|this)(?:[\s,]+(?:please|pls|ok|okay|thanks|again|from (?:your )?memory))*$`)

// follows says whether the message before, what others only acknowledged aside, is its
// speaker's own and states something.
func (g *grouping) follows() bool {
	for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-2; i-- {
		m := g.heard[i]
		if sameSpeaker(m, g.message) {
			return !strings.ContainsAny(m.Text, "?？")
		}
		if len(m.Text) > 160 || strings.ContainsAny(m.Text, "?？") {
			return false
		}
	}
	return false
}

// forgetsLast takes back the statement before, of this message or of the last one of its
// speaker that states something.
func (g *grouping) forgetsLast() bool {
	g.asked, g.adjacent = "", false
	if n := len(g.out); n > 0 {
		g.out = g.out[:n-1]
		return true
	}
	if g.spoken || g.shallow {
		return true
	}
	g.spoken = true
	if from, last, _ := g.own(g.ctx, g.message); from != nil {
		g.out = append(g.out, statement{text: last.text, forget: true, words: last.words})
	}
	return true
}

// forgetsMessage asks for all that its speaker's last message that states something told to
// be forgotten: who says "don't remember that" behind several sentences means the one that
// matters, whichever it is.
func (g *grouping) forgetsMessage() bool {
	g.asked, g.adjacent = "", false
	if g.spoken || g.shallow {
		return true
	}
	g.spoken = true
	from, _, _ := g.own(g.ctx, g.message)
	if from == nil {
		return true
	}
	at := slices.Index(g.heard, from)
	g.forgetsOf(at)
	for i := at + 1; i < len(g.heard); i++ {
		if g.heard[i].Role == memd.RoleAssistant && len(g.heard[i].Text) <= recalledText {
			g.forgetsOf(i) // what was made of it
		}
	}
	return true
}

// firstMatch gives the groups of the first of some patterns that matches.
func firstMatch(text string, patterns ...*pattern) []string {
	for _, p := range patterns {
		if m := p.FindStringSubmatch(text); m != nil {
			return m
		}
	}
	return nil
}

// topic is what is to be forgotten as a name: lower case, without "my" and article.
func topic(text string) string {
	text = strings.ToLower(text)
	for _, lead := range []string{"my ", "our ", "the ", "a ", "an "} {
		text = strings.TrimPrefix(text, lead)
	}
	return text
}

// ofOwn is topic of what may be the speaker's own: "my dog" is no other's.
func ofOwn(text string) string {
	if low := strings.ToLower(text); strings.HasPrefix(low, "my ") || strings.HasPrefix(low, "our ") {
		return "my " + topic(text)
	}
	return topic(text)
}
