package lexical

import "strings"

// stop holds English words that say too little to search by, with the pieces
// that cutting at the apostrophe leaves ("don", "t").
var stop = set(`
a about after also am an and any are aren as at be been before being both but by
can could couldn d did didn do does doesn doing don during each for from
had hadn has hasn have haven having he her hers him his how i if in into is isn it its just
ll m may me might more most must mustn my no not of on only or other our out over own
re s same shall she should shouldn so some such t than that the their them then there these they this those to too
up ve very was wasn we were weren what when where which who whom whose why will with would wouldn
you your
`)

// meta holds words that speak of the conversation or of the wanted form of the
// answer ("what did I mention in our chats about …"). They are dropped from
// questions only; in a memory they may be the very content.
var meta = set(`
across answer ask asked asking aspect aspects bring bringing brought chat chats comprehensive
conversation conversations describe described detail details different discuss discussed discussing
discussion discussions ever explain explained gave give item items kind kinds like list listed
many mention mentioned much order please provide provided question questions recall recommend
recommended remember remind said say says session sessions suggest suggested summarize summary
talk talked talking tell throughout told type types various walk
`)

func set(list string) map[string]bool {
	s := map[string]bool{}
	for _, w := range strings.Fields(list) {
		s[w] = true
	}
	return s
}
