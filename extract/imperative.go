package extract

import "strings"

// English marks a command by nothing but its form: a verb as the dictionary has it and
// no subject. Verbs with which a speaker leaves their own "I" out ("love", "work", "play
// the cello") are none of these.

var (
	orders = set(`add adjust answer append apply arrange assign attach bold browse build bump calculate call capitalize center change check choose clarify clean close code combine come compare compile complete compose compute concatenate consider continue convert copy correct count create crop cut debug decide decrease define delete deploy describe design detail divide double download draft draw drop edit elaborate enlarge evaluate exclude execute expand explain export extend extract fetch fill filter finish fix flip follow format generate get give grab group guess help highlight imagine implement import improve include increase indent insert install invent italicize join keep label leave let limit list loop lower make mark match merge mix modify move multiply name number offer omit open optimize order organize outline output paint paraphrase parse paste pause polish predict prepare pretend print proofread propose prove provide pull push put quote rank rate read rearrange rebuild recalculate recommend redo reduce refactor reformat regenerate reload remove rename render reorder repeat rephrase replace reply rerun reset resize resolve respond restart restore return reverse revert review revise rewrite rhyme roll rotate round run save scan schedule search select send separate set settle shorten show shuffle simplify sing skip solve sort specify spell split start state stop submit subtract suggest sum summarise summarize surprise swap switch tell test tighten tone train translate trim try turn tweak type undo update upload use validate verify wait walk warn wrap write`)
	// alsoTold are those of them that are also nouns or verbs of a report whose speaker is
	// left out; what follows decides.
	alsoTold = set(`answer build call center check code come cut design double draft get help join label leave let limit list mark match mix name number offer open order paint print put quote rate read return roll round run save schedule set split start state stop switch test train turn type use wait walk work`)
	// behindOrders are words that a noun at the beginning of a sentence has not before it.
	behindOrders = set(`it this that these those them the a an my me us your all every each some any more less one two three only another him her up out off on down back again to with without from for in as something someone everything`)
	beThus       = set(`honest brutal brief concise specific careful nice kind quiet short creative gentle real serious precise quick patient funny frank blunt direct critical`)
)

// imperative says whether a sentence is a command by its form.
func imperative(text string) bool {
	if len(text) > 300 {
		return false
	}
	words := wordsOf(text)
	for len(words) > 1 && (openingWords[words[0].low] || words[0].low == "just" || words[0].low == "first" || words[0].low == "kindly") {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	first, second := words[0].low, ""
	if len(words) > 1 {
		second = words[1].low
	}
	switch {
	case first == "be":
		return beThus[second] || (second == "more" || second == "less" || second == "as" || second == "a") && len(words) > 2
	case (first == "don't" || first == "dont" || first == "do") && len(words) > 2:
		if first == "do" {
			if second != "not" {
				return false
			}
			words = words[1:]
		}
		// "Don't make it formal" is of this answer; "don't use emojis" may be meant to hold.
		return len(words) > 2 && (pointers[words[2].low] || words[2].low == "the" || second == "overthink" || second == "worry" || second == "apologize" || second == "apologise" || second == "bother")
	case first == "stop" && (second == "apologizing" || second == "apologising" || second == "saying" || second == "repeating" || second == "it" || second == ""):
		return true
	case first == "gimme" || first == "lemme" || first == "gimmie":
		return true
	case !orders[first]:
		return false
	case second == "":
		return !alsoTold[first]
	case alsoTold[first]:
		return behindOrders[second] && !future(words)
	}
	return !auxiliaries[second] && !strings.HasSuffix(second, "ed")
}

// besides gives what a command tells of its speaker beside itself ("make me a plan, I've
// got a bad shoulder"), or "".
func besides(text string, names map[string]bool) string {
	if pretends.MatchString(text) {
		return ""
	}
	all := parts(text)
	if len(all) < 2 {
		return ""
	}
	for i, bounds := range all[1:] {
		clause := text[bounds[0]:bounds[1]]
		words := wordsOf(clause)
		if len(words) < 3 || !(own[words[0].low] || words[0].low == "one" && words[1].low == "of") || !verbal(words) || questioner.MatchString(clause) || modalAsk.MatchString(clause) || isSmallTalk(clause, names) || passes(clause, names) {
			continue
		}
		return strings.TrimRight(text[all[i+1][0]:], " ,;:?!-–—")
	}
	return ""
}

// pretends opens a play, in which nothing is true.
var pretends = english(`^` + lightWords + `(?:let's|let us|lets|pretend|imagine|suppose|assume|say i|you(?:'re| are)|act|role-?play|what if|translate|proofread|correct|check|fix|rewrite|rephrase|summari[sz]e|label)\b`)
