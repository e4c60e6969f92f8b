package extract

import "strings"

// Words of an ending are said of other things too: who "got fired up" has a job yet, and a
// dog that "died laughing" is alive. Nothing is over by them.
var (
	figurative = english(`\bfired (?:up\b|off\b|at (?:by|him|her|them|us|me|the (?:enemy|target))\b)|\blet go (?:of\b|.{0,20}\b(?:early|earlier|for (?:the (?:day|night|weekend)|lunch)|at (?:\d|one|two|three|four|five)))|\bdied (?:laughing|of (?:laughter|boredom|embarrassment|shame|cringe|cuteness)|inside|a little|down|out(?:\W*$|\s+(?:in|with|by|after|during|long|last|this|over|when|because|centuries|years)\b)|from (?:laughing|laughter|embarrassment))|\b(?:died|ran away)\b.{0,30}\bin (?:the|a|my|this|that) (?:video ?)?(?:game|movie|film|book|show|series|episode|novel|level)\b|\bretired (?:to (?:bed|my|the|his|her|our)\b|early (?:last night|tonight|today|yesterday|this evening|to\b|after dinner)|for the (?:night|evening|day))|\bresigned (?:(?:my|him|her|our)sel(?:f|ves) )?to\b|\bpassed (?:h[ie][sr]|the|my|their|a|an|by|out|up|with (?:flying|honou?rs|distinction|merit|ease|full|top|good|great|a|an|the|\d+)|all|every|through|me|us|gas|wind|it)\b|\bran away (?:from (?:the|a|an|my|his|her|me|every|it)\b|with\b|when (?:(?:he|she|it|they) (?:saw|heard|noticed|smelled|smelt|spotted|met)\b|(?:i|we) (?:called|came|tried|turned|picked|sneezed|played|laughed|sang|showed|got)\b|(?:the|a|my|our) (?:\pL+ )?(?:bell|doorbell|vacuum|hoover|vet|cat|dog|phone|postman|mailman)\b)|laughing|screaming|but\b)|\b(?:(?:left|quit) (?:work|the office|my shift)|left my job) (?:early|a bit early|at (?:\d|noon))`)
	// inJest is what one says of oneself for laughing.
	inJest          = english(`\b(?:lol|lmao|rofl|haha(?:ha)*|i'm dead|i’m dead|im dead|i am dead|i'm dying|i’m dying|im dying|crying)\b.{0,40}\bi quit\W*$`)
	figurativeHints = []string{"fired", "let go", "died", "retired", "resigned", "passed", "ran away", "left", "quit"}
	// rememberWhen asks whether somebody recalls what was.
	rememberWhen = english(`^` + lightWords + `(?:(?:do |did |don't |didn't )?(?:you|u|ya) )?(?:still )?(?:remember|recall) (?:when|that time|how|the (?:day|time|year)) ((?:i|we|my|our)\b.+)$`)
)

// holdsNow says whether a clause would be taken for what is so now.
func holdsNow(clause string) bool {
	name := slotOf(strings.TrimRight(clause, "?!. ")).name
	return name != "" && !strings.HasPrefix(name, "been to:")
}
