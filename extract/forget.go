package extract

import (
	"regexp"
	"strings"
)

// "Forget that I live in Porto" asks for a statement to be forgotten. "Forget it",
// "don't forget" and "I forgot" do not.

var (
	forgetThat  = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?|you (?:can|should|may)\s+)?(?:forget|delete|remove|erase|unlearn|drop|scrap|stop remembering|do not remember|don't remember)\s+(?:the (?:fact|part|bit|memory|note)\s+|from (?:your )?memory\s+)?that\s+(.+)$`)
	forgetAbout = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:forget|delete|remove|erase|unlearn)\s+(?:everything|all|anything|whatever|what)(?:\s+(?:that\s+)?(?:you (?:know|have|remember|stored|saved|learned)|i(?:'ve| have)? (?:said|told you|mentioned|shared)|i ever said))?\s+(?:about|on|of|regarding)\s+(.+)$`)
	takeBack    = english(`^` + lightWords + `i take back (?:what|everything|all) i said about\s+(.+)$`)
	offRecord   = english(`^` + lightWords + `(?:(?:do not|don't|never) (?:remember|save|store|keep|record|note|memori[sz]e) (?:this|that|the following)|off the record)[:,.–—-]*\s+(.+)$`)
	fromMemory  = english(`,?\s+(?:from (?:your |the )?memory|please|pls|ok|okay|thanks|thank you)\W*$`)
	forgetMine  = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:forget|delete|remove|erase)\s+my\s+([\pL -]{2,30}?)(?:\s+from (?:your )?memory|\s+please)?\W*$`)
)

// forgettable are what "forget my …" may name, and the slot of each.
var forgettable = map[string]string{
	"name": "name", "real name": "name", "nickname": "called", "age": "age", "birthday": "birthday", "birth date": "birthday", "date of birth": "birthday", "pronouns": "pronouns",
	"home": "home", "home town": "home", "city": "home", "location": "home", "address": "address", "phone number": "phone number", "number": "phone number", "email": "email address",
	"email address": "email address", "job": "work", "employer": "work", "work": "work", "diet": "diet", "blood type": "blood type", "weight": "weight", "height": "height",
	"marital status": "marital status", "partner": "partner", "girlfriend": "partner", "boyfriend": "partner", "wife": "partner", "husband": "partner", "car": "car", "phone": "phone",
}

// forgets takes a request to forget and says whether it was one.
func (g *grouping) forgets(text string) bool {
	low := strings.ToLower(text)
	if !strings.Contains(low, "forget") && !strings.Contains(low, "delete") && !strings.Contains(low, "remove") && !strings.Contains(low, "erase") &&
		!strings.Contains(low, "remember") && !strings.Contains(low, "unlearn") && !strings.Contains(low, "drop") && !strings.Contains(low, "scrap") && !strings.Contains(low, "take back") && !strings.Contains(low, "off the record") &&
		!strings.Contains(low, "this") {
		return false
	}
	s := statement{forget: true, words: countWords(text)}
	bare := strings.TrimRight(text, " .!?")
	if m := forgetThat.FindStringSubmatch(bare); m != nil {
		clause := fromMemory.ReplaceAllString(m[1], "")
		if !standsAlone(clause) {
			return false
		}
		s.text, s.slot = clause, slotOf(clause)
		s.text, s.when = resolve(s.text, g.said, g.english)
	} else if m := offRecord.FindStringSubmatch(bare); m != nil {
		s.text, s.slot = m[1], slotOf(m[1])
		s.text, s.when = resolve(s.text, g.said, g.english)
	} else if m := firstMatch(bare, forgetAbout, takeBack); m != nil {
		s.text = fromMemory.ReplaceAllString(m[1], "")
		s.slot.subject = topic(s.text)
		if slot, ok := forgettable[s.slot.subject]; ok && strings.HasPrefix(strings.ToLower(s.text), "my ") {
			s.slot = about{name: slot}
		}
	} else if m := forgetMine.FindStringSubmatch(bare); m != nil {
		slot, ok := forgettable[strings.ToLower(m[1])]
		if !ok {
			return false
		}
		s.text, s.slot = "my "+m[1], about{name: slot}
	} else {
		return false
	}
	g.out = append(g.out, s)
	g.spoken, g.asked, g.adjacent = true, "", false
	return true
}

// firstMatch gives the groups of the first of some patterns that matches.
func firstMatch(text string, patterns ...*regexp.Regexp) []string {
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
