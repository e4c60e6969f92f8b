package extract

import (
	"strings"
)

// "Forget that I live in Porto" asks for a statement to be forgotten. "Forget it",
// "don't forget" and "I forgot" do not.

var (
	forgetThat  = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:forget|delete|remove|erase|unlearn|drop|scrap|stop remembering|do not remember|don't remember)\s+(?:the (?:fact|part|bit|memory|note)\s+|from (?:your )?memory\s+)?that\s+(.+)$`)
	forgetAbout = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:forget|delete|remove|erase|unlearn)\s+(?:everything|all|anything|whatever|what)(?:\s+(?:that\s+)?(?:you (?:know|have|remember|stored|saved|learned)|i(?:'ve| have)? (?:said|told you|mentioned|shared)|i ever said))?\s+(?:about|on|of|regarding)\s+(.+)$`)
	forgetMine  = english(`^` + lightWords + `(?:(?:can|could|would|will) you\s+(?:please\s+)?)?(?:forget|delete|remove|erase)\s+my\s+([\pL -]{2,30}?)(?:\s+from (?:your )?memory|\s+please)?\W*$`)
)

// forgettable are what "forget my …" may name, and the slot of each.
var forgettable = map[string]string{
	"name": "name", "real name": "name", "nickname": "called", "age": "age", "birthday": "birthday", "birth date": "birthday", "date of birth": "birthday", "pronouns": "pronouns",
	"home": "home", "home town": "home", "city": "home", "location": "home", "address": "address", "phone number": "phone number", "number": "phone number", "email": "email address",
	"email address": "email address", "job": "work", "employer": "work", "work": "work", "diet": "diet", "blood type": "blood type", "weight": "weight", "height": "height",
	"marital status": "marital status", "partner": "partner", "girlfriend": "partner", "boyfriend": "partner", "wife": "partner", "husband": "partner", "ex": "partner", "car": "car", "phone": "phone",
}

// forgets takes a request to forget and says whether it was one.
func (g *grouping) forgets(text string) bool {
	low := strings.ToLower(text)
	if !strings.Contains(low, "forget") && !strings.Contains(low, "delete") && !strings.Contains(low, "remove") && !strings.Contains(low, "erase") &&
		!strings.Contains(low, "remember") && !strings.Contains(low, "unlearn") && !strings.Contains(low, "drop") && !strings.Contains(low, "scrap") {
		return false
	}
	s := statement{forget: true, words: countWords(text)}
	bare := strings.TrimRight(text, " .!?")
	if m := forgetThat.FindStringSubmatch(bare); m != nil {
		clause := strings.TrimSuffix(strings.TrimSuffix(m[1], " please"), ",")
		if !standsAlone(clause) {
			return false
		}
		s.text, s.slot = clause, slotOf(clause)
		s.text, s.when = resolve(s.text, g.said, g.english)
	} else if m := forgetAbout.FindStringSubmatch(bare); m != nil {
		s.text = strings.TrimSuffix(m[1], " please")
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

// topic is what is to be forgotten as a name: lower case, without "my" and article.
func topic(text string) string {
	text = strings.ToLower(text)
	for _, lead := range []string{"my ", "our ", "the ", "a ", "an "} {
		text = strings.TrimPrefix(text, lead)
	}
	return text
}
