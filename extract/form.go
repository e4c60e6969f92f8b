package extract

import (
	"strings"
)

// Some tell of themselves as in a form: "Name: Tomas", "City: Brno", a line each.

var field = english(`^\*{0,2}(name|first name|age|city|town|home|location|lives in|based in|job|occupation|profession|role|employer|company|diet|allergies|allergy|allergic to|birthday|pronouns|languages?|likes|loves|dislikes|hates|nickname|partner|wife|husband|marital status|status|dog|cat|hobbies|favou?rite [\pL' -]{2,30})\*{0,2}\s*[:=]\s*\*{0,2}\s*(\S.{0,80})$`)

// fieldSays is the statement that a filled-in field makes, with "$" for what is in it.
var fieldSays = map[string]string{
	"name": "My name is $", "first name": "My name is $", "nickname": "Call me $", "age": "I am $", "city": "I live in $", "town": "I live in $", "home": "I live in $", "location": "I live in $", "lives in": "I live in $", "based in": "I live in $",
	"job": "I work as a $", "occupation": "I work as a $", "profession": "I work as a $", "role": "I work as a $", "employer": "I work at $", "company": "I work at $", "diet": "I am $", "allergies": "I am allergic to $", "allergy": "I am allergic to $", "allergic to": "I am allergic to $",
	"birthday": "My birthday is $", "pronouns": "My pronouns are $", "language": "I speak $", "languages": "I speak $", "likes": "I like $", "loves": "I love $", "dislikes": "I dislike $", "hates": "I hate $",
	"partner": "My partner is called $", "wife": "My wife is called $", "husband": "My husband is called $", "marital status": "I am $", "status": "I am $", "dog": "My dog is called $", "cat": "My cat is called $",
}

// sayingOf is the statement that a field makes of what is in it.
func sayingOf(name, value string) string {
	says, ok := fieldSays[name]
	if !ok && (strings.HasPrefix(name, "favorite ") || strings.HasPrefix(name, "favourite ")) {
		says = "My " + name + " is $"
	}
	return strings.Replace(says, "$", value, 1)
}

var (
	// loneField are the fields that one line alone may be: others are as well of a text or a
	// program ("Status: 404", "Language: Go").
	loneField = english(`^(?:name|first name|nickname|age|diet|allerg\pL+(?: to)?|birthday|pronouns|occupation|profession|job|employer|partner|wife|husband|marital status|dog|cat|likes|dislikes|favou?rite .+)$`)
	// noneOfIt is a field that is filled in with nothing.
	noneOfIt = english(`^(?:none|no|nothing|n/a|nil|-)(?: known| yet| at all| that i know of)?\W*$`)
	// fieldList parts what stands in a field that may hold several things.
	fieldList = english(`\s*[,;/]\s*(?:and\s+)?|\s+and\s+`)
)

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
	name, value := strings.ToLower(m[1]), strings.TrimRight(m[2], " .*")
	slot := slotOf(sayingOf(name, value))
	if noneOfIt.MatchString(value) {
		slot = about{}
	}
	if !g.form && !loneField.MatchString(name) {
		return false
	}
	if items := fieldList.Split(value, -1); len(items) > 1 && countWords(value) <= 12 {
		var each []clausePart
		for i, item := range items {
			a := slotOf(sayingOf(name, item))
			if _, _, several := strings.Cut(a.name, ":"); !several || a.value != "" {
				each = nil
				break
			}
			lead := m[1] + ": "
			if i > 0 {
				lead = "(" + m[1] + ":) "
			}
			each = append(each, clausePart{lead + item, a})
		}
		for _, part := range each {
			g.add(part.text, false, part.slot)
		}
		if each != nil {
			g.spoken, g.asked, g.adjacent = true, "", true
			return true
		}
	}
	if !g.form && slot.name == "" && !noneOfIt.MatchString(value) {
		return false
	}
	g.add(text, false, slot)
	g.spoken, g.asked, g.adjacent = true, "", true
	return true
}
