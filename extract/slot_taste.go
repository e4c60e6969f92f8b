package extract

import (
	"strings"
)

// What someone likes, eats and cannot eat.

var (
	likes = english(`^(love|loves|like|likes|adore|adores|enjoy|enjoys|am (?:a )?(?:big |huge |massive )?fan of|is a (?:big |huge )?fan of|am (?:really |very )?into|is (?:really )?into|am fond of|am obsessed with|am crazy about)\s+(.+)$`)
	hates = english(`^(hate|hates|dislike|dislikes|detest|detests|despise|despises|loathe|loathes|can (?:not )?stand|can (?:not )?bear|can (?:not )?abide|am sick of|am tired of)\s+(.+)$`)

	favoriteIs  = english(`^(?:my (?:(?:new|current|absolute|all-time|all time|very)\s+)*)favorite\s+((?:[\pL][\pL\pM'-]*\s+){1,4}?)(is no longer|are no longer|is not|are not|is now|are now|is|are)\s+(?:still |actually |definitely |probably )?(\S.*)$`)
	newFavorite = english(`^(?:(?:my|got a|i have a|i have got a|a)\s+)?new favorite\s+([\pL][\pL'-]*(?:\s[\pL'-]+)?)\s*(?:\s(?:is|now)\s|:|,|-|–)\s*(?:now\s+)?(\S.{1,60})$`)
	favoriteOf  = english(`^(\S+(?:\s+\S+){0,4}?)\s+(is no longer|are no longer|is not|are not|is now|is|are)\s+my (?:(?:new|current|absolute|all-time|all time|very)\s+)*favorite\s+([\pL][\pL\pM'-]*(?:\s+[\pL][\pL\pM'-]*)?)(?: now| any ?more| of all time| ever| these days| nowadays| at the moment| right now| though)?\W*$`)
	kindBreak   = set(`part thing time place of about in to for on at with among memory moment one person people is are was`)

	allergicTo = english(`^(?:(?:am|is|are|been)\s+)?(?:(?:very|really|severely|highly|extremely|deathly|mildly|slightly|not|no longer|terribly)\s+)*allergic to\s+(.+)$`)
	hasAllergy = english(`^(?:have|has)(?: got)?\s+(?:(?:a|an|any|severe|bad|strong|mild|serious|no)\s+)*([\pL-]+(?:\s[\pL-]+)?)\s+(?:allergy|allergies|intolerance)\b`)
	allergyOf  = english(`^(?:have|has)(?: got)?\s+(?:(?:a|an|any|severe|bad|strong|mild|serious|no)\s+)*(?:allergy|allergies|intolerance) to\s+(.+)$`)
	intolerant = english(`^(?:am|is)\s+(lactose|gluten|histamine|fructose)[- ]intolerant`)
	noAllergy  = set(`the a an my your that this it some any many several certain anything everything nothing almost all most them too and or but so which since because when if now bullshit mondays nonsense people work stupidity`)

	diets   = `(?:vegan|vegetarian|pescatarian|pescetarian|flexitarian|omnivore|carnivore|veggie|plant-based|teetotal|kosher|halal)`
	isDiet  = english(`^(?:(?:am|is|are|be|been|become|became|went|gone|turned|go|eat)\s+)?(?:(?:a|an|strictly|strict|been|fully|mostly|completely|100%|person|going|being)\s+)*(` + diets + `)(?:\s+(?:now|again|since|for|too|as|and|because|these|person|diet|at|in|who|from|but|by)\b.*|\s*[,.;!(].*)?\W*$`)
	onDiet  = english(`^(?:(?:am|is|went|been|eat|follow|am following|am doing|doing|do|started)\s+)(?:on\s+)?(?:(?:a|the)\s+)?(?:strict\s+)?(` + diets + `|keto|ketogenic|paleo|low-carb|gluten-free|mediterranean|dairy-free|carnivore)(?:\s+diet)?\b`)
	eatMeat = english(`^(?:eat|started eating|am eating|are eating|have started eating|went back to eating)\s+(meat|fish and meat|everything)\b`)
)

// prefers sets one thing before another.
var prefers = english(`^(?:prefer|prefers|like|likes|love)\s+(.{2,40}?)\s+(?:over|to|more than|better than|rather than|instead of|than)\s+(.{2,40})$`)

// preference reads which of two things is liked better: the slot has both in its name, so
// that the other way round is the contrary.
func (s *saying) preference() (about, bool) {
	m := s.match(prefers, "prefer", "more than", "better than", " over ")
	if m == nil || s.denied || !strings.HasPrefix(s.lowPredicate, "prefer") && !strings.Contains(s.lowPredicate, " than ") {
		return about{}, false
	}
	one, other := liked(m[1]), liked(m[2])
	if one == "" || other == "" || one == other || len(strings.Fields(one)) > 3 || len(strings.Fields(other)) > 3 {
		return about{}, false
	}
	pair := one + " or " + other
	if other < one {
		pair = other + " or " + one
	}
	return about{name: "prefers:" + pair, subject: s.subject, value: one}, true
}

func tasteSlot(s *saying) (about, bool) {
	if !s.known {
		return about{}, false
	}
	if a, ok := s.preference(); ok {
		return a, true
	}
	if m := s.match(hates, "hate", "dislike", "detest", "despise", "loathe", "can ", "sick of", "tired of"); m != nil {
		low := strings.ToLower(m[1])
		negated := true
		if strings.HasPrefix(low, "can") && !s.denied && !strings.Contains(low, "not") {
			return about{}, false // "can stand" is no dislike
		}
		if !strings.HasPrefix(low, "can") && s.denied {
			negated = false // "I don't hate it"
			return about{}, false
		}
		return s.taste(m[2], negated)
	}
	if m := s.match(likes, "love", "like", "adore", "enjoy", "fan of", "into", "fond", "obsessed", "crazy about"); m != nil {
		return s.taste(m[2], s.denied)
	}
	return about{}, false
}

func (s *saying) taste(what string, negated bool) (about, bool) {
	if t := liked(what); t != "" {
		return about{name: "taste:" + t, subject: s.subject, negated: negated}, true
	}
	return about{}, false
}

func favoriteSlot(s *saying) (about, bool) {
	kind, verb, value := "", "", ""
	if m := s.matchText(newFavorite, "new favorite"); m != nil {
		return about{name: "favorite:" + strings.ToLower(strings.TrimSpace(m[1])), value: title(m[2])}, true
	}
	if m := s.matchText(favoriteIs, "favorite"); m != nil {
		kind, verb, value = m[1], m[2], valueOf(m[3])
		if opinion(m[3]) && !startsName(m[3]) && !strings.Contains(m[1], "word") || doingOn.MatchString(m[3]) {
			return about{}, false // "my favorite city is far away"
		}
		if whole := strings.TrimRight(m[3], ".!"); strings.HasPrefix(whole, "The ") || strings.HasPrefix(whole, "the ") || startsName(whole) {
			value = title(whole)
		}
	} else if m := s.matchText(favoriteOf, "favorite"); m != nil {
		value, verb, kind = m[1], m[2], m[3]
		if strings.Contains(value, ",") || strings.HasPrefix(strings.ToLower(value), "one of") {
			return about{}, false
		}
	} else {
		return about{}, false
	}
	words := strings.Fields(strings.ToLower(kind))
	if len(words) > 1 && (words[len(words)-1] == "now" || words[len(words)-1] == "ever" || words[len(words)-1] == "anymore") {
		words = words[:len(words)-1]
	}
	for _, w := range words {
		if kindBreak[w] {
			return about{}, false
		}
	}
	last := words[len(words)-1]
	switch {
	case last == "colors":
		words[len(words)-1] = "color"
	case last == "film" || last == "films" || last == "movies":
		words[len(words)-1] = "movie"
	case strings.HasPrefix(strings.ToLower(verb), "are") && strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && len(last) > 3:
		words[len(words)-1] = singular(last)
	}
	low := strings.ToLower(verb)
	return about{
		name: "favorite:" + strings.Join(words, " "), value: value,
		negated: strings.Contains(low, "not") || strings.Contains(low, "no longer"),
	}, true
}

// doingOn opens what happens to a favourite, or where it is.
var doingOn = english(`^(?:being|been|has|have|was|coming|closing|closed|playing|back|on (?:tv|netflix|sale|tonight|now)|sold out|out of|in (?:the|a)\b|at the\b|from\b|about\b)`)

// title reads the name of a work or a place, which may have small words in it.
func title(text string) string {
	text, _, _ = strings.Cut(text, ",")
	fields := strings.Fields(text)
	end := 0
	for i, f := range fields {
		if i >= 8 || i > 0 && titleEnds[strings.ToLower(f)] {
			break
		}
		end = i + 1
	}
	return strings.Trim(strings.Join(fields[:end], " "), " .!?;:")
}

var titleEnds = set(`now because since but these nowadays currently though although which who again anymore lately`)

// singular takes the plural ending off an English noun, as far as needed for
// "favourite movies are" and "favourite movie is" to be about the same.
func singular(noun string) string {
	switch {
	case noun == "movies" || noun == "cookies" || noun == "pies":
		return noun[:len(noun)-1]
	case strings.HasSuffix(noun, "ies"):
		return noun[:len(noun)-3] + "y"
	case strings.HasSuffix(noun, "ches") || strings.HasSuffix(noun, "shes") || strings.HasSuffix(noun, "xes") || strings.HasSuffix(noun, "sses"):
		return noun[:len(noun)-2]
	}
	return noun[:len(noun)-1]
}

func allergySlot(s *saying) (about, bool) {
	if !s.known {
		return about{}, false
	}
	if m := s.match(intolerant, "intolerant"); m != nil {
		return s.about("allergy:"+strings.ToLower(m[1]), "")
	}
	if s.denied && onlySuch.MatchString(s.predicate) {
		return about{}, false
	}
	if m := s.match(allergicTo, "allergic"); m != nil {
		return s.allergy(m[1])
	}
	if m := s.match(hasAllergy, "allerg", "intolerance"); m != nil && m[1] != "no" {
		return s.allergy(m[1])
	}
	if m := s.match(allergyOf, "allerg", "intolerance"); m != nil {
		return s.allergy(m[1])
	}
	return about{}, false
}

func (s *saying) allergy(what string) (about, bool) {
	negated := s.denied || strings.Contains(s.predicate, "not allergic") || strings.Contains(s.predicate, "no longer allergic")
	t := liked(what)
	words := strings.Fields(t)
	for i, w := range words {
		if goesOn.MatchString(" " + w + " ") {
			words = words[:i]
			break
		}
	}
	if len(words) == 0 || len(words) > 3 || noAllergy[words[0]] {
		return about{}, false
	}
	if what := strings.Join(words, " "); !strings.Contains(strings.ToLower(s.predicate), what+" and ") {
		return about{name: "allergy:" + what, subject: s.subject, negated: negated}, true
	}
	return about{}, false
}

var dietHints = strings.Split("vegan vegetarian scetarian scatarian flexitarian omnivore carnivore veggie plant-based teetotal kosher halal keto paleo low-carb gluten mediterranean dairy meat everything", " ")

// ateMeat tells that somebody has just eaten meat. One who lives without does so no more,
// for all that is known; it is the denial of that and no diet of its own.
func ateMeat(s *saying) bool {
	return s.self() && !s.denied && s.match(meatEaten, "ate ", "had ", "eaten ", "eating ", "grilled ", "devoured ") != nil && !noMeatAtAll.MatchString(s.text) && !longAgo.MatchString(s.text)
}

var (
	meatEaten   = english(`^(?:(?:ate|eaten|devoured|grilled and ate)\s+(?:(?:a|an|the|some|my|two|three|half a|big|huge|juicy|nice|great|rare|medium rare|delicious|grilled|roast|fried|whole|lot of|plate of|piece of|rack of|bit of|first|massive|of)\s+)*` + meats + `|(?:had|am eating|am having|just had)\s+(?:(?:a|some|the|big|huge|juicy|nice|great|rare|delicious|grilled|roast|fried)\s+)*(?:steak|bacon|ham|beef|pork|ribs|meatballs|brisket|salami|pork chops?|lamb chops?|roast beef|sirloin|ribeye|t-bone)|had\s+(?:roast |fried |grilled )?` + meats + `\s+for (?:dinner|lunch|breakfast|supper))\b`)
	noMeatAtAll = english(`\b(?:vegan|vegetarian|veggie|plant|tofu|seitan|soya?|fake|mock|mushroom|cauliflower|jackfruit|impossible|beyond|meatless|meat-free|quorn|accident(?:ally)?|by mistake|unknowingly|without knowing|dream(?:ed|t)?|almost|nearly)\b`)
	longAgo     = english(`\b(?:when|before|used to|as a (?:kid|child|teenager|student)|in (?:19|20)\d\d|(?:months?|years?|decades?) ago|last (?:year|summer|winter|spring|autumn|christmas)|back then|once|growing up|the last time|for the last time|never|if|would)\b`)
)

const meats = `(?:steaks?|beef|pork|bacon|ham|chicken|lamb|turkey|sausages?|ribs|meatballs?|salami|duck|veal|schnitzel|brisket|meat|hamburger|beef burger|roast beef|sirloin|ribeye|t-bone|pork chops?|lamb chops?|chicken wings|prosciutto|chorizo|venison)`

func dietSlot(s *saying) (about, bool) {
	if ateMeat(s) {
		return about{name: "diet", value: "no meat", negated: true}, true
	}
	if !s.known || !contains(s.lowPredicate, dietHints) || notOnly.MatchString(s.text) {
		return about{}, false
	}
	if s.denied && onlySuch.MatchString(s.predicate) {
		return about{}, false
	}
	if m := s.match(eatMeat, "meat", "everything"); m != nil && s.subject == "" && !(s.denied && restricts.MatchString(s.predicate[len(m[0]):])) {
		return about{name: "diet", value: strings.ToLower(m[1]), negated: s.denied}, true
	}
	for _, pattern := range []int{0, 1} {
		p := isDiet
		if pattern == 1 {
			p = onDiet
		}
		if m := s.match(p); m != nil && !(pattern == 1 && ofOthers.MatchString(s.predicate[len(m[0]):])) {
			return s.about("diet", strings.ToLower(m[1]))
		}
	}
	return about{}, false
}

var (
	// onlySuch limits a denial to some of a kind.
	onlySuch = english(`\s(?:who|that (?:is|are|was|were|have|has)|which)\s`)
	// ofOthers goes on with a noun that a diet only describes: "vegan nurse".
	ofOthers = newPattern(`^\s+(?:nurse|chef|cook|baker|student|teacher|restaurant|cafe|cook\w*|food|recipes?|brand|shoes|\pL{4,}(?:er|or|ist|ian))\b`)
)

var notOnly = english(`\bnot only\b`)
