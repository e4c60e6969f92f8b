package extract

import "strings"

// A short sentence of words that carry nothing tells nothing, whatever its grammar:
// "ok let me try that", "I'll wait", "that's what I thought".

// light are words that carry nothing by themselves.
var light = set(`
i i'm im i'll i'd i've ive me you you're your u ur ya we we're we'll we've he she it it's its that that's thats this these those they them there there's here here's what what's who how why when where which
a an the and or but so then than if as of to for with on in at by from about up out off over back down around into like just only even still yet already again now later soon today tonight
am is are was were be been being do does did done doing have has had having can can't could couldn't will won't would wouldn't should shouldn't may might must don't dont didn't doesn't isn't aren't wasn't haven't not no nope yes yeah yep yea nah
ok okay okie dokie alright right sure well oh ah aha aw aww hm hmm hmmm huh um uh er wow lol lmao haha hahaha ha hehe omg idk ikr fr tbh ngl imo rn btw np ty thx thanks thank wb gg brb gonna gotta wanna roger
cool nice great good fine bad better best awesome amazing perfect lovely funny fun easy weird crazy wild sweet kind true wrong fair exact exactly clear
let let's try trying tried check checking wait waiting look looking go going goes get getting got know knew think thought guess mean meant say saying said make makes made sense works worked help helps helped explain explains show move moving start started stop talk talking chat chatting hearing come coming take took give find found ask asking feel feels keep put love like liked want
thing things stuff one ones bit lot lots sort way point question questions idea time second sec moment minute day weekend luck deal problem worries prob bother mind minds
please pls sorry really very so too more most less little pretty quite totally definitely absolutely actually basically honestly literally maybe perhaps probably anyway anyways though tho also both either neither all any some none nothing something anything everything everyone same different other another else first last next
hi hello hey bye yo welcome ever never always usual laugh hope happy glad excited curious bored chilling confused forward ready busy complain real quick quickly understand understood longer myself yourself itself stop stops otherwise
`)

// lightMost is the most words of a sentence that is looked at so.
const lightMost = 12

// carriesNothing says whether a sentence has no word that tells anything: no name, no
// number, nothing of the speaker's own.
func carriesNothing(text string) bool {
	words := wordsOf(text)
	if len(words) == 0 || len(words) > lightMost {
		return false
	}
	for _, w := range words {
		if !light[w.low] && !light[shorten(w.low, 1)] && !(w.low == "100" && strings.Contains(text, "100%")) {
			return false
		}
	}
	return true
}

// leavesOut says whether an answer says only how many or whether, so that its question
// must tell of what: "I have two", "about three times".
func leavesOut(words []word) bool {
	for _, w := range words {
		if !light[w.low] && numbers[w.low] == 0 && !strings.ContainsAny(w.low[:1], "0123456789") && !yesNo[w.low] && !leftOver[w.low] {
			return false
		}
	}
	return len(words) > 0
}

var leftOver = set(`used once twice times roughly nearly almost half many much any more anymore since years year months month weeks week days hours old ago`)
