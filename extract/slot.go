package extract

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// about is what a statement is about, if it is one of the plainest kinds.
type about struct {
	// name is "name", "home", "work", "diet", "favorite:color", "allergy:nuts", or "".
	name    string
	negated bool
}

// Only what the speaker says of themselves, plainly and of the present, gets a
// slot: a wrong slot would let one memory retire another that has nothing to do
// with it. "I used to live in", "I also work at", "one of my favourite films" and
// all that is said of others get none.

const me = `^(?:(?:yes|yeah|yep|no|nope|well|so|oh|ok|okay|hi|hello|hey|also|and|but|actually|btw|by the way|now|currently|nowadays|these days|recently|just so you know|fyi|correction|update|since|because|hi there|hello there)[,!:]*\s+)*`

var (
	isName      = english(me + `(?:my (?:full |first |real )?name(?:'s| is)|i'?m called|i am called|i go by|(?:please |just |you can )*call me|(?:everyone|people|they|friends) calls? me)\s+((?:not\s+)?[\p{L}][\p{L}\p{M}'.-]*(?:\s+[\p{L}][\p{L}\p{M}'.-]*){0,3})`)
	isNotName   = english(me + `(?:my name (?:is not|isn't|is no longer|'s not)|don't call me|do not call me)\s+\p{L}`)
	introduced  = english(`^(?:hi|hello|hey)[,!]?\s+(?:i'?m|i am|this is)\s+(\p{Lu}\p{L}+(?:\s\p{Lu}\p{L}+)?)[.!]?$`)
	livesIn     = english(me + `(?:i|we)(?:'?m| am|'re| are|'ve| have)?\s+(?:(?:now|currently|just|recently|finally|still)\s+)*(?:live|living|reside|based|moved|relocated|settled)\s+(?:(?:back|over|here|down|up|out|away|permanently|now)\s+)*(in|to|at)\s+(\S+)(?:\s+(\S+))?`)
	noLongerIn  = english(me + `(?:i|we)\s+(?:no longer live|don't live|do not live|don't reside|never lived)\s+(?:in|at)\s+(\S+)(?:\s+(\S+))?`)
	worksFor    = english(me + `i(?:'?m| am|'ve| have)?\s+(?:(?:now|currently|just|recently|still)\s+)*(?:work|working|employed|(?:started|began)(?: a| my)?(?: new)?(?: job| position| role| working| work)|got (?:a|my)(?: new)? (?:job|position|role))\s+(?:now\s+)?(?:at|for|by)\s+(\S+)(?:\s+(\S+))?`)
	noLongerFor = english(me + `i(?:'?m| am)?\s+(?:no longer work|don't work|do not work|no longer working|not working|quit my job|left my job|lost my job|resigned from my job)\s+(?:at|for)\s+(\S+)(?:\s+(\S+))?`)
	favorite    = english(me + `my (?:(?:new|current|absolute|all-time|all time|very)\s+)*(?:favou?rite|fave?)\s+((?:[\p{L}][\p{L}\p{M}'-]*\s+){1,3}?)(is no longer|are no longer|is not|are not|is now|are now|isn't|aren't|is|are)\s+\S`)
	favoriteOf  = english(me + `(\S+(?:\s+\S+){0,3}?)\s+(is no longer|are no longer|is not|are not|is now|isn't|aren't|is|are)\s+my (?:(?:new|current|absolute|all-time|all time|very)\s+)*(?:favou?rite|fave?)\s+([\p{L}][\p{L}\p{M}'-]*(?:\s+[\p{L}][\p{L}\p{M}'-]*)?)\W*$`)
	diets       = `(?:vegan|vegetarian|pescatarian|pescetarian|flexitarian|omnivore|carnivore)`
	isDiet      = english(me + `i(?:'?m| am|'ve| have)?\s+(?:(?:a|an|now|currently|strictly|a strict|still|been|become|became|gone|went|turned|also)\s+)*` + diets + `(?:\s+(?:now|again|since|for|too|as|and|because|these|person)\b.*)?\W*$`)
	isNotDiet   = english(me + `i(?:'?m| am|'ve)?\s+(?:(?:not|no longer|never|stopped being|stopped|quit being|don't)\s+)(?:(?:a|an|been|really|actually|follow(?:ing)?)\s+)*` + diets + `\b`)
	onDiet      = english(me + `i(?:'?m| am|'ve been| follow|'m following)\s+(?:now\s+)?(?:on\s+)?(?:a|the)\s+(?:strict\s+)?(?:` + diets + `|keto|ketogenic|paleo|low-carb|gluten-free|mediterranean|plant-based)\s+diet\b`)
	allergic    = english(me + `(?:i'?m|i am|i've been|i have been)\s+(?:(?:also|very|really|severely|highly|extremely|deathly|still|now|mildly|slightly)\s+)*(not |no longer |not really )?(?:(?:actually|very|really)\s+)*allergic to\s+((?:[\p{L}][\p{L}\p{M}'-]*)(?:\s+[\p{L}][\p{L}\p{M}'-]*){0,2})\W*(?:$|[,.;!?(–—-]\s?)`)
	allergyTo   = english(me + `i\s+(don't |do not |no longer )?have\s+(?:(?:a|an|any|severe|bad|strong|mild|serious)\s+)*(\p{L}+(?:\s\p{L}+)?)\s+allerg(?:y|ies)\b`)
	allergyOf   = english(me + `i\s+(don't |do not |no longer )?have\s+(?:(?:a|an|any|severe|bad|strong|mild|serious)\s+)*allerg(?:y|ies) to\s+(\p{L}+(?:\s\p{L}+)?)\W*$`)
	unsettled   = english(`\b(?:also|used to|too|as well|if|wish|might|maybe|perhaps|considering|thinking|almost|nearly|part-time|second job|pretend|imagine|for a (?:day|week|month|year|while))\b`)
	unsure      = english(`\b(?:if|wish|might|maybe|perhaps|pretend|imagine|used to|think)\b`)
	kindBreak   = set(`part thing time place of about in to for on at with among memory moment one person people`)
	notPlaces   = set(`python linux windows mac macos ubuntu android iphone ios java rust golang go typescript javascript react vue kubernetes postgres postgresql vim emacs vscode google apple microsoft amazon meta github gitlab slack teams discord notion spotify netflix marketing sales engineering finance hr management team plan phase step`)
	notNames    = set(`not a an the spelled spelt pronounced unknown changed going on in secret what if my your crazy back later when tomorrow today now at to by because maybe sometime sometimes anytime`)
	lowerPlaces = set(`a an the my our your his her their fear peace hope this that one two three different another hiding luxury poverty constant total some many and or with near an old`)
	lowerFirms  = set(`home night nights the a an my least all times myself free fun money people them him her different several two this that once weekends least day days food peanuts clients others it and`)
)

// slotHints are pieces of which one stands in every statement that gets a slot.
var slotHints = []string{
	"name", "call", "go by", "hi", "hello", "hey", "live", "living", "resid", "based", "moved", "relocated", "settled", "work", "employ", "job", "position", "role",
	"fav", "vegan", "vegetarian", "scetarian", "scatarian", "flexitarian", "omnivore", "carnivore", "diet", "allerg",
}

// slotOf says what a statement is about. Only a user's own is asked for.
func slotOf(text string) about {
	plain := strings.TrimSpace(text)
	low := strings.ToLower(plain)
	if !slices.ContainsFunc(slotHints, func(h string) bool { return strings.Contains(low, h) }) {
		return about{}
	}
	if unsure.MatchString(plain) {
		return about{}
	}
	switch {
	case isNotName.MatchString(plain):
		return about{"name", true}
	case isNotDiet.MatchString(plain):
		return about{"diet", true}
	case isDiet.MatchString(plain), onDiet.MatchString(plain):
		return about{name: "diet"}
	}
	if m := isName.FindStringSubmatch(plain); m != nil {
		first := strings.ToLower(strings.Fields(m[1])[0])
		if !notNames[first] && (unicode.IsUpper([]rune(m[1])[0]) || plain == low && !strings.Contains(plain, "call")) {
			return about{name: "name"}
		}
	}
	if introduced.MatchString(plain) {
		if m := introduced.FindStringSubmatch(plain); !peoples(strings.ToLower(m[1])) && unicode.IsUpper([]rune(m[1])[0]) {
			return about{name: "name"}
		}
	}
	if a, ok := favoriteSlot(plain); ok {
		return a
	}
	for _, pattern := range []*regexp.Regexp{allergic, allergyTo, allergyOf} {
		if m := pattern.FindStringSubmatch(plain); m != nil {
			what := strings.ToLower(m[2])
			fields := strings.Fields(what)
			if len(fields) > 0 && !strings.Contains(" "+what+" ", " and ") && !strings.Contains(" "+what+" ", " or ") && !allergyStops[fields[0]] {
				for i, f := range fields {
					if allergyStops[f] {
						what = strings.Join(fields[:i], " ")
						break
					}
				}
				return about{"allergy:" + what, m[1] != ""}
			}
		}
	}
	if unsettled.MatchString(plain) {
		return about{}
	}
	if m := noLongerIn.FindStringSubmatch(plain); m != nil && isPlace(plain, m[1], "in") {
		return about{"home", true}
	}
	if m := livesIn.FindStringSubmatch(plain); m != nil && isPlace(plain, m[2], strings.ToLower(m[1])) {
		return about{name: "home"}
	}
	if m := noLongerFor.FindStringSubmatch(plain); m != nil && isFirm(plain, m[1]) {
		return about{"work", true}
	}
	if m := worksFor.FindStringSubmatch(plain); m != nil && isFirm(plain, m[1]) {
		return about{name: "work"}
	}
	return about{}
}

var allergyStops = set(`the a an my your that this it some any many several certain anything everything nothing almost all most them too and or but so which since because when if now anymore any more`)

func favoriteSlot(text string) (about, bool) {
	kind, verb := "", ""
	if m := favorite.FindStringSubmatch(text); m != nil {
		kind, verb = m[1], m[2]
	} else if m := favoriteOf.FindStringSubmatch(text); m != nil {
		verb, kind = m[2], m[3]
	} else {
		return about{}, false
	}
	words := strings.Fields(strings.ToLower(kind))
	for i, w := range words {
		if kindBreak[w] {
			return about{}, false
		}
		words[i] = strings.ReplaceAll(w, "colour", "color")
	}
	verb = strings.ToLower(strings.ReplaceAll(verb, "’", "'"))
	last := words[len(words)-1]
	if strings.HasPrefix(verb, "are") && strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && len(last) > 3 {
		words[len(words)-1] = singular(last)
	} else if last == "colors" {
		words[len(words)-1] = "color"
	}
	return about{
		name:    "favorite:" + strings.Join(words, " "),
		negated: strings.Contains(verb, "n't") || strings.Contains(verb, "not") || strings.Contains(verb, "no longer"),
	}, true
}

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

// isPlace says whether the word after "live in" or "moved to" begins the name of a
// place: a capital, or any word if the whole statement is written without.
func isPlace(text, first, by string) bool {
	low := strings.ToLower(strings.Trim(first, ".,;:!?"))
	if low == "" || notPlaces[low] || by == "at" {
		return false
	}
	r := []rune(first)[0]
	if unicode.IsUpper(r) {
		return true
	}
	return by == "in" && text == strings.ToLower(text) && unicode.IsLetter(r) && !lowerPlaces[low]
}

func isFirm(text, first string) bool {
	low := strings.ToLower(strings.Trim(first, ".,;:!?"))
	if low == "" {
		return false
	}
	r := []rune(first)[0]
	if unicode.IsUpper(r) {
		return low != "i"
	}
	return text == strings.ToLower(text) && unicode.IsLetter(r) && !lowerFirms[low]
}

// peoples says whether a capitalised word names where someone is from or what they
// are, not who.
func peoples(low string) bool {
	for _, ending := range []string{"ish", "ian", "ese", "ean", "ch", "ican"} {
		if strings.HasSuffix(low, ending) {
			return true
		}
	}
	switch low {
	case "german", "greek", "dutch", "czech", "thai", "swiss", "muslim", "jewish", "vegan", "catholic", "buddhist", "hindu", "gay", "iraqi", "israeli", "pakistani", "here", "back", "fine", "good", "great", "new", "sorry", "sure", "ok", "okay", "done", "ready", "tired", "lost":
		return true
	}
	return false
}
