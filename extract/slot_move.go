package extract

import "strings"

// That somebody lives elsewhere from now on is told in many ways, not only as "I moved to Pisa":
// "I moved again, to Pisa", "our new address is in Pisa", "we ended up buying a flat in Pisa and
// moved in". Who ends up somewhere may be there for an evening; only what tells of dwelling is read.

const (
	toPlace = `(\p{Lu}.*)$`
	someDay = `(?:on\s+[^,;.]{3,25}?|last\s+\pL+|this\s+\pL+|in\s+\pL+|yesterday|today|(?:a|two|three|four|\d+)\s+(?:days?|weeks?|months?)\s+ago)`
)

var (
	movesAgain = english(`^(?:moved|relocated)\s*(?:(?:,|again|once more|house|home|flats?|apartments?|places?|cities|towns|countries|over|` + someDay + `)\s*)+\s*,?\s+(?:this time |back |now |out |up |down |over )*to\s+` + toPlace)
	// uprooted is what somebody did who then moved.
	uprooted  = english(`^(?:upped sticks|up and|packed up|packed (?:my|our) (?:bags|things|stuff)|sold up|took the plunge|bit the bullet|gave up (?:my|our) (?:flat|place|house|apartment))\s*(?:and\s+)?(?:then\s+)?(?:moved|relocated|left)\s+(?:to|for)\s+` + toPlace)
	endsUpIn  = english(`^ended up\s+(?:living|settling|staying for good|moving|relocating)\s+(?:down |up |over |back |out )*(?:in|to)\s+` + toPlace)
	endsUpNow = english(`^ended up in\s+` + toPlace)
	// ofDwelling tells that what somebody ended up in is where they live.
	ofDwelling = english(`\b(?:flat|house|apartment|rent|renting|rented|lease|living|live|moved|moving|the move|settled|landlord|neighbou?rs|neighbou?rhood|for good|permanently)\b`)
	newAddress = english(`^(?:my|our)\s+(?:new\s+(?:home\s+)?(?:address|home|place|flat|house|apartment|base)\s+is\s+(?:now\s+)?in|(?:home\s+)?(?:address|home|place|flat|house|apartment)\s+is\s+now\s+in|(?:address|home|flat|house|apartment)\s+is\s+in)\s+(?:(?:the centre|the center|downtown|central)\s+(?:of\s+)?)?` + toPlace)
	tookHome   = english(`\b(?:found|bought|buying|rented|renting|got|getting|took|taking)\s+(?:a|an|our|this)\s+(?:[\pL-]+\s+){0,2}?(?:flat|house|apartment|place|room|studio)\s+in\s+` + named4 + `\s*(?:,|and|,\s*and)\s+(?:(?:we|i)\s+)?(?:have\s+)?(?:just\s+|already\s+|finally\s+)*moved in\b`)
	onDayMoved = english(`^on\s+[^,;.]{3,40}?,?\s+(?:i|we)\s+(?:finally\s+)?(?:moved|relocated)\s+(?:back\s+)?to\s+` + toPlace)
	basedOut   = english(`^(?:am |are )?based out of\s+` + toPlace)
	// leftFor is a place that was left, and where somebody is now.
	leftFor   = english(`^(?:packed up and\s+)?(?:left|moved out of|moved away from|said goodbye to)\s+\p{Lu}[^,;.]{1,40}[,;.]\s+(?:and |so |but )?(?:(?:now|currently),? (?:i am|we are)|(?:i am|we are) (?:now|currently)|i am|we are)\s+(?:living |based )?in\s+` + named4 + `(\s+(?:now|these days))?\W*$`)
	backHome  = english(`^(?:am |are )?back in\s+` + named4 + `\s+(?:for good|permanently|to stay)\b`)
	newFlat   = english(`^(?:got |found )?(?:a |my |our )?new (?:flat|house|apartment|place|home) in\s+` + named4 + `\s*[,;.–—-]+\s*(?:we |i )?(?:have )?(?:just |finally )?moved(?: in)?\b`)
	homeIsNow = english(`^home is\s+(?:(?:now|in|currently)\s+)*` + named4 + `\s+(?:now|these days|nowadays|at the moment)\b`)
	// alsoMoved tells besides that somebody has moved.
	alsoMoved = english(`^(?:have\s+)?also\s+((?:moved|relocated)\s+(?:back\s+)?(?:to|in)\s.*)$`)
	// whileThere is no time through which one lives somewhere.
	whileThere = english(`\b(?:last night|tonight|for (?:the (?:night|weekend|day)|dinner|drinks|lunch|a (?:night|weekend|few|week))|on holiday|by (?:accident|mistake)|hospital|airport)\b`)
)

var moveHints = strings.Split("moved,relocated,ended up,upped sticks,packed,sold up,plunge,bullet,gave up,up and,based out,back in,left,goodbye", ",")

// moveSlot reads where somebody lives by other words of a move.
func moveSlot(s *saying) (about, bool) {
	if m := s.matchText(newAddress, " is "); m != nil && !s.denied {
		return s.livingIn(m[1])
	}
	if m := s.matchText(homeIsNow, "home is "); m != nil {
		return s.livingIn(m[1])
	}
	if m := s.matchText(onDayMoved, "moved", "relocated"); m != nil {
		return s.livingIn(m[1])
	}
	if m := s.matchText(newFlat, "moved"); m != nil {
		return s.livingIn(m[1])
	}
	if !s.self() || s.denied || !contains(s.lowPredicate, moveHints) {
		return about{}, false
	}
	if m := s.match(tookHome, "moved in"); m != nil {
		return s.livingIn(m[1])
	}
	if m := firstMatch(s.predicate, movesAgain, uprooted, endsUpIn, basedOut, backHome); m != nil {
		return s.livingIn(m[1])
	}
	if m := s.match(leftFor, " now", "currently"); m != nil {
		return s.livingIn(m[1])
	}
	if m := s.match(endsUpNow, "ended up in "); m != nil && ofDwelling.MatchString(s.text) {
		return s.livingIn(m[1])
	}
	return about{}, false
}

// livingIn gives the slot of a home, false if a text does not begin with a place.
func (s *saying) livingIn(text string) (about, bool) {
	place := s.name(text, placeStops)
	if place == "" || !startsName(place) || notPlaces[strings.ToLower(strings.Fields(place)[0])] || whileThere.MatchString(s.text) || forNow.MatchString(s.text) && !movesFor.MatchString(s.predicate) {
		return about{}, false
	}
	return about{name: "home", value: place}, true
}
