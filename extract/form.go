package extract

import (
	"strings"
)

// Some tell of themselves as in a form: "Name: Tomas", "City: Brno", a line each.

var field = english(`^\*{0,2}(name|first name|age|city|town|home|location|lives in|based in|job|occupation|profession|role|employer|company|diet|allergies|allergy|allergic to|birthday|pronouns|languages?|likes|loves|dislikes|hates|nickname|partner|wife|husband|marital status|status)\*{0,2}\s*[:=]\s*\*{0,2}\s*(\S.{0,80})$`)

// fieldSays is the statement that a filled-in field makes, with "$" for what is in it.
var fieldSays = map[string]string{
	"name": "My name is $", "first name": "My name is $", "nickname": "Call me $", "age": "I am $", "city": "I live in $", "town": "I live in $", "home": "I live in $", "location": "I live in $", "lives in": "I live in $", "based in": "I live in $",
	"job": "I work as a $", "occupation": "I work as a $", "profession": "I work as a $", "role": "I work as a $", "employer": "I work at $", "company": "I work at $", "diet": "I am $", "allergies": "I am allergic to $", "allergy": "I am allergic to $", "allergic to": "I am allergic to $",
	"birthday": "My birthday is $", "pronouns": "My pronouns are $", "language": "I speak $", "languages": "I speak $", "likes": "I like $", "loves": "I love $", "dislikes": "I dislike $", "hates": "I hate $",
	"partner": "My partner is called $", "wife": "My wife is called $", "husband": "My husband is called $", "marital status": "I am $", "status": "I am $",
}

// isForm says whether a message has two such lines at least.
func isForm(pieces []piece) bool {
	n := 0
	for _, p := range pieces {
		if len(p.text) < 120 && field.MatchString(p.text) {
			if n++; n >= 2 {
				return true
			}
		}
	}
	return false
}

// field adds a filled-in field and says whether a sentence was one.
func (g *grouping) field(text string) bool {
	m := field.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	g.add(text, false, slotOf(strings.Replace(fieldSays[strings.ToLower(m[1])], "$", strings.TrimRight(m[2], " .*"), 1)))
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}
