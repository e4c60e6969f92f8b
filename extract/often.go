package extract

import "strings"

// How often somebody does what they do may change while the habit stays: "I run twice a week".

var (
	often = english(`\b((?:once|twice|thrice|(?:\d{1,3}|` + tally + `)(?: (?:or|to) (?:\d{1,3}|` + tally + `)|[-–]\d{1,3})? times?) (?:a|an|per|each|every) (?:day|night|week|weekend|month|year)|every (?:single )?day|daily|every other day|every (?:second|third) day)\b`)
	// goesDoing is what one goes out for.
	goesDoing = english(`^(?:go|goes)\s+(running|swimming|cycling|jogging|hiking|climbing|bouldering|dancing|skiing|fishing|sailing|surfing|rowing|riding)\b\s*`)
)

// frequency gives how often something is done by a predicate, "" if it does not tell, or tells
// when it is so.
func frequency(predicate string) string {
	if onlyWhen.MatchString(predicate) {
		return ""
	}
	return strings.ToLower(often.FindString(predicate))
}
