package extract

import "strings"

// Words of an ending are said of other things too: who "got fired up" has a job yet, and a
// dog that "died laughing" is alive. Nothing is over by them.
var (
	figurative = english(`\bfired (?:up\b|off\b|at (?:by|him|her|them|us|me|the (?:enemy|target))\b)|\blet go (?:of\b|.{0,20}\b(?:early|earlier|for (?:the (?:day|night|weekend)|lunch)|at (?:\d|one|two|three|four|five)))|\bdied (?:laughing|of (?:laughter|boredom|embarrassment|shame|cringe|cuteness)|inside|a little|down|out(?:\W*$|\s+(?:in|with|by|after|during|long|last|this|over|when|because|centuries|years)\b)|from (?:laughing|laughter|embarrassment))|\b(?:died|ran away)\b.{0,30}\bin (?:the|a|my|this|that) (?:video ?)?(?:game|movie|film|book|show|series|episode|novel|level)\b|\bretired (?:to (?:bed|my|the|his|her|our)\b|early (?:last night|tonight|today|yesterday|this evening|to\b|after dinner)|for the (?:night|evening|day))|\bresigned (?:(?:my|him|her|our)sel(?:f|ves) )?to\b|\bpassed (?:h[ie][sr]|the|my|their|a|an|by|out|up|with (?:flying|honou?rs|distinction|merit|ease|full|top|good|great|a|an|the|\d+)|all|every|through|me|us|gas|wind|it)\b|\bran away (?:from (?:the|a|an|my|his|her|me|every|it)\b|with\b|when (?:(?:he|she|it|they) (?:saw|heard|noticed|smelled|smelt|spotted|met)\b|(?:i|we) (?:called|came|tried|turned|picked|sneezed|played|laughed|sang|showed|got)\b|(?:the|a|my|our) (?:\pL+ )?(?:bell|doorbell|vacuum|hoover|vet|cat|dog|phone|postman|mailman)\b)|laughing|screaming|but\b)|\b(?:(?:left|quit) (?:work|the office|my shift)|left my job) (?:early|a bit early|at (?:\d|noon))|\bleft (?:\pL+ ){1,2}(?:early|a bit early|(?:at|around) (?:noon|midnight|\d{1,2}(?::\d\d)?(?:\s*(?:am|pm|today|yesterday|tonight|o'clock)\b|:\d\d))|for (?:lunch|the day|the weekend))|\bdead (?:tired|to (?:me|us|him|her)\b|set|serious|wrong|right|sure|certain|beat|asleep|last|silent|quiet|lucky|weight|inside|cute|funny|sexy|easy|cent(?:er|re)|against|lol|haha|lmao)`)
	// inJestAfter takes back at the end of a sentence what it says.
	inJestAfter = english(`(?:\.\.+|…|[,!;–—-]|\s)\s*(?:(?:i'm|im|i am|was|lol|haha|nah)\s+)*(?:(?:just|only|jus)\s+(?:kidding|joking|messing(?: with you)?|pulling your leg)|jk|j/k|april fools?(?:'? day)?)(?:\s+(?:lol|haha|obviously|of course|😂|😄))*\W*$`)
	// inJest is what one says of oneself for laughing.
	inJest          = english(`\b(?:lol|lmao|rofl|haha(?:ha)*|i'm dead|i’m dead|im dead|i am dead|i'm dying|i’m dying|im dying|crying)\b.{0,40}\bi quit\W*$`)
	figurativeHints = []string{"fired", "let go", "died", "retired", "resigned", "passed", "ran away", "left", "quit", "dead"}
	// rememberWhen asks whether somebody recalls what was.
	rememberWhen = english(`^` + lightWords + `(?:(?:do |did |don't |didn't )?(?:you|u|ya) )?(?:still )?(?:remember|recall) (?:when|that time|how|the (?:day|time|year)) ((?:i|we|my|our)\b.+)$`)
)

// holdsNow says whether a clause would be taken for what is so now.
func holdsNow(clause string) bool {
	name := slotOf(strings.TrimRight(clause, "?!. ")).name
	return name != "" && !strings.HasPrefix(name, "been to:")
}

// wondersAt says whether a sentence says back what somebody else is to have said, and denies
// it: "I'm not allergic to nuts?". What ends in ", right?" is told.
func wondersAt(text string) bool {
	if !strings.HasSuffix(text, "?") || strings.ContainsAny(text, ",;:–—") || len(text) > 100 {
		return false
	}
	return slotOf(strings.TrimRight(text, "? ")).negated
}
