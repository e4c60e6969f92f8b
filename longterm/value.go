package longterm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memdhq/memd/lexical"
)

// What a slot holds gives way to another value of the same kind only: a day to a day, an
// hour to an hour, a town to a town. "The party is on 5 May" and "the party is at 8 pm" are
// both so, and so are "I live in Rome" and "I live in Italy". What says the same and more,
// "Acme" and "Acme Corp", does not contradict either.

// contradicts says whether a slot that holds one value cannot hold the other beside it.
// What is not known to hold anything contradicts nothing.
func contradicts(slot, was, is string) bool {
	a, b := lexical.Canonical(was), lexical.Canonical(is)
	if a == "" || b == "" || alikeValues(a, b) {
		return false
	}
	kind, _, _ := strings.Cut(slot, ":")
	switch kind {
	case "date", "deadline":
		return otherTime(was, is)
	case "home":
		return levelOf(a) == levelOf(b)
	case "diet":
		return otherDiet(a, b)
	case "commute":
		return hasDigit(a) == hasDigit(b) // how long, and how
	case "habit":
		return otherFrequency(a, b)
	}
	return true
}

// alikeValues says whether two values, in the form in which they are compared, are the same
// but for what one says more at its end.
func alikeValues(a, b string) bool {
	short, long := strings.Fields(a), strings.Fields(b)
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) > 0 && slices.Equal(short, long[:len(short)])
}

var (
	howOften = regexp.MustCompile(`^(once|twice|thrice|(\S+(?: (?:or|to) \S+)?) times?) (?:a|an|per|each|every) (\w+)$`)
	everyDay = regexp.MustCompile(`^(?:every (?:\w+ )?day|daily)$`)
)

// otherFrequency says whether two habits differ in how often, or else in how far: "twice a
// week" and "daily" cannot both be so, "daily" and "twice a day" can.
func otherFrequency(a, b string) bool {
	countA, periodA := frequencyOf(a)
	countB, periodB := frequencyOf(b)
	switch {
	case periodA == "" || periodB == "":
		return periodA == periodB
	case periodA == periodB:
		return countA != countB
	case countA == "":
		return periodB != "day" && periodB != "night"
	case countB == "":
		return periodA != "day" && periodA != "night"
	}
	return false
}

// frequencyOf parts how often something is done into a count and its period: no count and a
// day's name of its own for "daily", no period for what tells no frequency.
func frequencyOf(text string) (count, period string) {
	if everyDay.MatchString(text) {
		return "", text
	}
	m := howOften.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	if count = map[string]string{"once": "1", "twice": "2", "thrice": "3"}[m[1]]; count == "" {
		count = m[2]
		if i := slices.Index(hourWords, count); i > 0 {
			count = strconv.Itoa(i)
		}
	}
	return count, m[3]
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

var (
	// hourOf is an hour within a value of a date, or one that stands alone.
	hourOf = regexp.MustCompile(`\b(?:at |around |from )?(?:\d{1,2}[:.]\d\d(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]\.?m\b\.?|\d{1,2} ?o'?clock|noon|midnight|midday)|\bat (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|^(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$`)
	// fillers are words of a date that tell no day.
	fillers = regexp.MustCompile(`\b(?:on|the|at|in|of|sharp|morning|afternoon|evening|o'?clock|around|about|from)\b|[,.]`)
	isoDay  = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	weekOf  = regexp.MustCompile(`^week (\d{4}-\d\d-\d\d)$`)
)

// otherTime says whether two times are of different days, or of different hours.
func otherTime(was, is string) bool {
	dayA, hourA := dayAndHour(was)
	dayB, hourB := dayAndHour(is)
	if dayA != "" && dayB != "" {
		if !sameDay(dayA, dayB) {
			return true
		}
	}
	return hourA != "" && hourB != "" && !sameHour(hourA, hourB)
}

var (
	hourParts = regexp.MustCompile(`^(\d{1,2})(?:[:.](\d\d))?([ap]m)?`)
	hourWords = strings.Fields("midnight one two three four five six seven eight nine ten eleven twelve")
)

// sameHour says whether two hours may be one: "9" is 9 am and 9 pm.
func sameHour(a, b string) bool {
	minuteA, halfA := clockOf(a)
	minuteB, halfB := clockOf(b)
	if minuteA < 0 || minuteB < 0 {
		return a == b
	}
	return minuteA%720 == minuteB%720 && (halfA == 0 || halfB == 0 || halfA == halfB)
}

// clockOf gives the minute of an hour and the half of the day that it is of, 1 or 2, 0 if it
// may be of either; a minute of -1 if it is not known.
func clockOf(hour string) (minute, half int) {
	switch hour {
	case "noon", "midday":
		return 720, 2
	case "midnight":
		return 0, 1
	}
	hour = strings.TrimSuffix(hour, "o'clock")
	if i := slices.Index(hourWords, hour); i > 0 {
		return i * 60, 0
	}
	m := hourParts.FindStringSubmatch(hour)
	if m == nil {
		return -1, 0
	}
	minute, _ = strconv.Atoi(m[1])
	minute *= 60
	if m[2] != "" {
		more, _ := strconv.Atoi(m[2])
		minute += more
	}
	switch {
	case m[3] == "am":
		half = 1
	case m[3] == "pm", minute >= 780:
		half = 2
	}
	return minute, half
}

// dayAndHour parts a time into its day and its hour, "" for what it does not tell.
func dayAndHour(text string) (day, hour string) {
	text = strings.ToLower(strings.TrimSpace(text))
	if m := hourOf.FindStringIndex(text); m != nil && !isoDay.MatchString(text) {
		hour = strings.NewReplacer("at ", "", "around ", "", "from ", "", "a.m", "am", "p.m", "pm", " ", "").Replace(text[m[0]:m[1]])
		text = text[:m[0]] + " " + text[m[1]:]
	}
	return strings.Join(strings.Fields(fillers.ReplaceAllString(text, " ")), " "), hour
}

// sameDay says whether two days may be one: one within the month or the week that the other is.
func sameDay(a, b string) bool {
	if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
		return true
	}
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		if m := weekOf.FindStringSubmatch(pair[0]); m != nil && isoDay.MatchString(pair[1]) {
			start, err := time.Parse(time.DateOnly, m[1])
			day, err2 := time.Parse(time.DateOnly, pair[1])
			if err == nil && err2 == nil && !day.Before(start) && day.Before(start.AddDate(0, 0, 7)) {
				return true
			}
		}
	}
	return false
}

// dietKinds are diets of which one has one at a time: what is eaten at all, and how much
// of what. Any other, "halal" or "gluten-free", goes with all.
var dietKinds = map[string]int{
	"vegan": 1, "vegetarian": 1, "veggie": 1, "pescatarian": 1, "pescetarian": 1, "plant based": 1, "plant-based": 1, "flexitarian": 1,
	"omnivore": 1, "carnivore": 1, "meat": 1, "fish and meat": 1, "everything": 1, "anything": 1,
	"keto": 2, "ketogenic": 2, "paleo": 2, "mediterranean": 2,
}

// meatless are diets that whoever has eaten meat does not keep.
var meatless = []string{"vegan", "vegetarian", "veggie", "pescatarian", "pescetarian", "plant based", "plant-based"}

// sameDiets are names of one diet.
var sameDiets = [][]string{{"vegetarian", "veggie"}, {"vegan", "plant based", "plant-based"}, {"pescatarian", "pescetarian"}, {"keto", "ketogenic"},
	{"omnivore", "meat", "fish and meat", "everything", "anything", "carnivore"}}

// dietIn gives the diet that a value names, "" for one that is not known: "a vegetarian diet"
// is vegetarian.
func dietIn(value string) string {
	if dietKinds[value] != 0 {
		return value
	}
	for _, w := range strings.Fields(value) {
		if dietKinds[w] != 0 {
			return w
		}
	}
	return ""
}

func otherDiet(a, b string) bool {
	a, b = dietIn(a), dietIn(b)
	if a == b || dietKinds[a] != dietKinds[b] {
		return false
	}
	return !slices.ContainsFunc(sameDiets, func(same []string) bool { return slices.Contains(same, a) && slices.Contains(same, b) })
}

// noMeat is what somebody denies to hold who tells that they ate meat.
const noMeat = "no meat"

// denies says whether the denial of a value is one of another: it is the same, or says the
// same and more or less; and who denies to live without meat is no vegetarian.
func denies(slot, denied, value string) bool {
	a, b := lexical.Canonical(denied), lexical.Canonical(value)
	return a == b || a != "" && b != "" && (alikeValues(a, b) || slot == "diet" && a == noMeat && slices.Contains(meatless, dietIn(b)))
}

// Levels of places.
const (
	district = iota
	town
	region
	country
)

// levelOf tells what kind of place a name is, in the form in which it is compared; what
// is not known is a town.
func levelOf(place string) int {
	place = strings.TrimPrefix(place, "the ")
	switch {
	case countries[place]:
		return country
	case regions[place]:
		return region
	case districts[place]:
		return district
	}
	return town
}

func placeNames(list string) map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		all[lexical.Canonical(strings.TrimSpace(name))] = true
	}
	return all
}

// Places that are states and towns at once, as Singapore, are towns here.
var (
	countries = placeNames(`afghanistan, albania, algeria, andorra, angola, argentina, armenia, australia, austria, azerbaijan, bahrain, bangladesh, barbados, belarus, belgium, belize, benin, bhutan, bolivia, bosnia, botswana, brazil, brunei, bulgaria, burkina faso, burundi, cambodia, cameroon, canada, chad, chile, china, colombia, congo, costa rica, croatia, cuba, cyprus, czechia, czech republic, denmark, ecuador, egypt, el salvador, estonia, ethiopia, fiji, finland, france, gabon, gambia, georgia, germany, ghana, greece, grenada, guinea, guyana, haiti, honduras, hungary, iceland, india, indonesia, iran, iraq, ireland, israel, italy, ivory coast, jamaica, japan, jordan, kazakhstan, kenya, kosovo, kuwait, kyrgyzstan, laos, latvia, lebanon, lesotho, liberia, libya, liechtenstein, lithuania, madagascar, malawi, malaysia, maldives, mali, malta, mauritania, mauritius, mexico, moldova, mongolia, montenegro, morocco, mozambique, myanmar, namibia, nepal, netherlands, holland, new zealand, nicaragua, niger, nigeria, north korea, north macedonia, norway, oman, pakistan, palestine, paraguay, peru, philippines, poland, portugal, qatar, romania, russia, rwanda, samoa, saudi arabia, senegal, serbia, sierra leone, slovakia, slovenia, somalia, south africa, south korea, korea, spain, sri lanka, sudan, suriname, sweden, switzerland, syria, taiwan, tajikistan, tanzania, thailand, togo, tunisia, turkey, turkmenistan, uganda, ukraine, united arab emirates, uae, united kingdom, uk, great britain, britain, england, scotland, wales, northern ireland, united states, united states of america, usa, us, america, uruguay, uzbekistan, venezuela, vietnam, yemen, zambia, zimbabwe, europe, asia, africa, south america, north america, eu, scandinavia`)
	regions   = placeNames(`alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, hawaii, idaho, illinois, indiana, iowa, kansas, kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota, mississippi, missouri, montana, nebraska, nevada, new hampshire, new jersey, new mexico, north carolina, north dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, south carolina, south dakota, tennessee, texas, utah, vermont, virginia, west virginia, wisconsin, wyoming, ontario, british columbia, alberta, manitoba, saskatchewan, nova scotia, new brunswick, bavaria, saxony, hesse, brandenburg, thuringia, lower saxony, north rhine-westphalia, baden-württemberg, rhineland-palatinate, schleswig-holstein, saxony-anhalt, tyrol, styria, carinthia, tuscany, umbria, lombardy, piedmont, veneto, sicily, sardinia, calabria, puglia, liguria, catalonia, andalusia, galicia, basque country, asturias, aragon, extremadura, provence, brittany, normandy, alsace, burgundy, occitanie, dordogne, auvergne, flanders, wallonia, friesland, zeeland, north brabant, jutland, funen, zealand, lapland, skåne, dalarna, algarve, alentejo, madeira, azores, transylvania, crete, cornwall, devon, kent, sussex, surrey, yorkshire, lancashire, norfolk, suffolk, essex, cumbria, somerset, dorset, wiltshire, highlands, lake district, connemara, munster, ulster, queensland, new south wales, tasmania, western australia, south australia, kerala, punjab, gujarat, rajasthan, goa, hokkaido, kyushu, okinawa, bali, java, sumatra, bay area, silicon valley, midwest, new england, black forest, ruhr area`)
	districts = placeNames(`trastevere, testaccio, monti, kreuzberg, neukölln, neukoelln, friedrichshain, prenzlauer berg, wedding, moabit, charlottenburg, schöneberg, mitte, altona, st pauli, eimsbüttel, sternschanze, schwabing, giesing, haidhausen, ehrenfeld, nippes, connewitz, plagwitz, brooklyn, queens, manhattan, bronx, harlem, staten island, williamsburg, bushwick, astoria, soho, tribeca, upper east side, upper west side, camden, hackney, brixton, shoreditch, islington, notting hill, peckham, clapham, greenwich, walthamstow, hampstead, leith, morningside, montmartre, marais, le marais, belleville, pigalle, bastille, la défense, croix-rousse, alfama, chiado, bairro alto, graça, belém, mouraria, gràcia, eixample, poblenou, raval, lavapiés, malasaña, chueca, chamberí, triana, ruzafa, shibuya, shinjuku, shimokitazawa, ginza, asakusa, harajuku, södermalm, östermalm, vasastan, kungsholmen, nørrebro, vesterbro, østerbro, frederiksberg, amager, grünerløkka, majorstuen, frogner, jordaan, de pijp, noord, copacabana, ipanema, leblon, botafogo, vila madalena, pinheiros, palermo soho, recoleta, san telmo, coyoacán, condesa, roma norte, polanco, mission district, castro, haight-ashbury, west hollywood, silver lake, echo park, venice beach, capitol hill, wicker park, lincoln park, georgetown, back bay, fitzroy, st kilda, newtown, bondi, ponsonby, žižkov, vinohrady, kazimierz, praga, leopoldstadt, neubau, ottakring, josefstadt, kallio, kalamaja, ixelles, saint-gilles, schaerbeek, plaka, exarchia, kadıköy, beşiktaş, beyoğlu, kowloon, bandra, koramangala, gangnam, itaewon, hongdae`)
)
