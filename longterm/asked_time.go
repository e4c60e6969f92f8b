package longterm

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memdhq/memd/extract"
)

// What a question asks of time beside a date in it: what is told from when it is asked ("last
// summer"), the first or the latest of several, what was before or after something else, and
// what is over. Where it names nothing of the kind, nothing here has a bearing.

// timing is what a question asks of time.
type timing struct {
	// asked is when it is asked, in the zone of who asks.
	asked time.Time
	// periods are those that it names.
	periods []extract.Period
	// first and last say that the earliest, or the latest, of what it is about is wanted.
	first, last bool
	// side is -1 where it asks for what was before something, 1 for what came after it;
	// beside is that.
	side   int
	beside question
	// event is what tells that, so far as it is known; stretch is how long before or after it is
	// asked for, 0 where the question does not say.
	event   *happening
	stretch time.Duration
	bareness
	// past says that it asks for what is over, present for what holds.
	past, present bool
}

func timingOf(text string, asked time.Time) timing {
	t := timing{asked: asked}
	var rest string
	t.periods, rest = extract.Periods(text, asked)
	if len(text) > maxSlotQuestion {
		return t // talk, not a question
	}
	if len(t.periods) > 0 {
		t.bareness = barenessOf(rest)
	}
	// The first of what it asks beside its times, not "in the first week of May".
	t.first, t.last = ordinal(rest, "first", notFirst) || earliestWords.MatchString(rest), ordinal(text, "last", notLast) || latestWords.MatchString(text)
	if t.first && t.last || notWhich.MatchString(text) {
		t.first, t.last = false, false
	}
	told := toldPast.MatchString(text)
	if len(t.periods) == 0 {
		for _, form := range besideForms {
			at := form.FindStringSubmatchIndex(text)
			if at == nil {
				continue
			}
			which, what := text[at[2]:at[3]], text[at[4]:at[5]]
			if notBeside.MatchString(which + " " + what) {
				continue
			}
			if q := questionOf(theOne.ReplaceAllString(what, "")); len(q.hashes) > 0 && !onlyStop(what) {
				t.beside, t.side = q, 1
				if m := purpose.FindStringSubmatch(what); m == nil || articles[m[1]] {
					t.bareness, t.stretch = barenessOf(text[:at[0]]+" "+text[at[1]:]), stretchOf(text[:at[0]])
				}
				if low := strings.ToLower(which); low != "after" && low != "since" && low != "following" {
					t.side = -1
				}
				break
			}
		}
	}
	today := time.Date(asked.Year(), asked.Month(), asked.Day(), 0, 0, 0, 0, time.UTC)
	t.past = over(text) || told && (t.side < 0 || slices.ContainsFunc(t.periods, func(p extract.Period) bool {
		return !p.To.IsZero() && !p.To.After(today)
	}))
	t.present = !t.past && !told && t.side == 0 && len(t.periods) == 0 && toldPresent.MatchString(text)
	return t
}

// over says whether a question has words for what is over.
func over(text string) bool {
	low := strings.ToLower(text)
	return slices.ContainsFunc(overWords, func(word string) bool { return strings.Contains(low, word) }) && overForm.MatchString(text)
}

// ordinal says whether a text has a word that tells an order, not one of those that it stands
// before in another meaning.
func ordinal(text, word string, not map[string]bool) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune(" \t\n,.;:?!\"()", r) })
	for i, w := range words {
		if w != word {
			continue
		}
		next, prior := "", ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		if i > 0 {
			prior = words[i-1]
		}
		if !not[next] && !not[prior+" "+word] && !(word == "last" && (words[0] == "how" && len(words) > 1 && words[1] == "long" || next == "" && toLast[prior])) {
			return true
		}
	}
	return false
}

var articles = wordSet(`a an the my our your his her their its another`)

// toLast are words behind which "last" is a verb.
var toLast = wordSet(`will would should can could to battery`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

var (
	notFirst = func() map[string]bool {
		set := wordSet(`name names aid floor class grade language lady half hand person degree place prize`)
		set["at first"] = true
		return set
	}()
	// Units of time behind "last" make a date.
	notLast = func() map[string]bool {
		set := wordSet(`name names minute resort chance week month year night evening weekend summer winter spring autumn fall quarter half few couple several decade day days weeks months years
			two three four five six seven eight nine ten monday tuesday wednesday thursday friday saturday sunday but christmas xmas thanksgiving halloween easter new`)
		for name := range months {
			set[name] = true
		}
		set["at last"] = true
		return set
	}()
	earliestWords = regexp.MustCompile(`(?i)\b(?:earliest|originally|initially|zuerst|primero|d'abord)\b`)
	latestWords   = regexp.MustCompile(`(?i)\b(?:(?:my|our|his|her|their|the|\pL+['’]s) (?:latest|newest)|most recent(?:ly)?|zuletzt)\b`)

	// notWhich asks for something of the first or the last, which the words find, and not which it is.
	notWhich = regexp.MustCompile(`(?i)^\s*(?:how (?:did|do|does|come|many|much|often)|why)\b`)

	besideForms = []*regexp.Regexp{
		regexp.MustCompile(`(?i)^\s*(before|prior to|until|after|since|following) ([^,]{3,80}), `),
		regexp.MustCompile(`(?i)\b(before|prior to|until|after|since|following) ([^,?]{3,80}?)\s*[?.!]*\s*$`),
	}
	// notBeside is what of the day or of oneself is before or after, and no event.
	notBeside = regexp.MustCompile(`(?i)^since when\b|^\w+ (?:(?:i|we) (?:go to (?:bed|sleep)|eat|sleep)|bed|breakfast|lunch|dinner|supper|meals?|noon|midnight|sleep|sleeping|eating|work|school|long|all|that|then|this|now|me|you|him|her|them|us|it|the (?:kids|dog|cat|children))\s*$`)
	// purpose is behind what something was before or after, and asked for as well: "after the trip to
	// relax".
	purpose  = regexp.MustCompile(`^(?:(?i:the|a|my|our|his|her|their)|\pL+['’]s) [^,]*? to (\p{Ll}+)\b`)
	theOne   = regexp.MustCompile(`(?i)^the (?:one|time) `)
	toldPast = regexp.MustCompile(`(?i)\b(?:did|was|were|had|didn't|wasn't|weren't)\b`)
	// toldPresent are words of questions for what holds.
	toldPresent = regexp.MustCompile(`(?i)\b(?:do|does|am|is|are|can|now|currently)\b|['’](?:s|re|m)\b`)
	// overWords are parts of the words of overForm, which takes its time.
	overWords = strings.Fields("used former previous then time past days longer more früher antes autrefois before earlier old last")
	overForm  = regexp.MustCompile(`(?i)\b(?:used to|former|formerly|previous|previously|back then|at the time|in the past|in those days|no longer|any ?more|früher|antes|autrefois)\b|\b(?:did|was|were|had)\b.*\b(?:before|until then|back then|earlier)\s*[?.!]*\s*$|\b(?:my|our|his|her|their|\pL+['’]s) (?:old (?:job|employer|boss|address|home|flat|apartment|house|number|phone|car|name|school|company|city|team)|last (?:job|employer|boss|address|home|flat|apartment|school|company))\b`)
)

// onlyStop says whether a text is a pronoun or two: "before that", "since I did".
func onlyStop(text string) bool {
	for _, w := range strings.Fields(strings.ToLower(strings.Trim(text, "?.! "))) {
		if !pronouns[w] {
			return false
		}
	}
	return true
}

var pronouns = wordSet(`i you he she it we they me him her us them this that these those then now did do was were is`)

// bounds says whether it asks for what was before or after a date: then that date is none that
// an answer has.
func (t timing) bounds() bool {
	return slices.ContainsFunc(t.periods, func(p extract.Period) bool { return p.Length() == 0 })
}

// readsOtherwise says whether it names a stretch of time that its date is not: "in spring 2023", "in
// the first week of May". What agrees with that month or year is then none of it yet.
func (a *asked) readsOtherwise() bool {
	const aDay = 24 * time.Hour
	least, most := 300*aDay, 370*aDay
	switch {
	case a.day > 0:
		least, most = aDay, aDay
	case a.month > 0:
		least, most = 28*aDay, 31*aDay
	}
	return slices.ContainsFunc(a.periods, func(p extract.Period) bool { return p.Length() > 0 && (p.Length() < least || p.Length() > most) })
}

// day gives the calendar day of an instant where the question is asked, as the days of periods
// are.
func (t timing) day(at time.Time) time.Time {
	if t.asked.IsZero() {
		return at.UTC()
	}
	year, month, d := at.In(t.asked.Location()).Date()
	return time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
}

// during says how well a memory agrees with the periods of the question: by when it happened,
// or half as well by when it was told where that is known as well.
func (t timing) during(c *candidate) float64 {
	if len(t.periods) == 0 {
		return 0
	}
	told := t.near(t.day(c.ValidFrom))
	if c.OccurredAt == nil {
		return told
	}
	return max(told/2, t.near(*c.OccurredAt))
}

// near says how well a day agrees with the periods: 1 and, if they are as short as a week or a
// day, more where it is in one, a little where it is beside one, as people tell.
func (t timing) near(day time.Time) (best float64) {
	const aDay = 24 * time.Hour
	for _, p := range t.periods {
		length := p.Length()
		switch {
		case p.Has(day):
			v := 1.0
			if length > 0 && length <= aDay {
				v = 2
			} else if length > 0 && length <= 7*aDay {
				v = 1.5
			}
			best = max(best, v)
		case length > 0:
			if beside := min(max(length/2, aDay), 31*aDay); p.From.Sub(day) <= beside && day.Sub(p.To) < beside {
				best = max(best, nextMonth)
			}
		}
	}
	return best
}

// when is the time of what a memory tells, so far as it is known.
func (c *candidate) when() time.Time {
	if c.OccurredAt != nil {
		return *c.OccurredAt
	}
	return c.ValidFrom
}

// topical gives the memories that have to do with what the question asks by their words or their
// vectors: only among such is one the first or the last.
func topical(all []*candidate) (some []*candidate) {
	most := 0.0
	for _, c := range all {
		most = max(most, c.about)
	}
	for _, c := range all {
		if most > 0 && c.about >= leastCoverage*most || c.embedded && c.zVector >= leastNearness {
			some = append(some, c)
		}
	}
	return some
}

const (
	// leastCoverage is of what covers most of the question, leastNearness in standard deviations.
	leastCoverage = 0.5
	leastNearness = 1
	// leastBeside is how much of what something was before or after a memory must hold to be
	// taken for it.
	leastBeside = 0.6
)

// place finds where the candidates stand in the order that the question asks for.
func (t timing) place(all []*candidate) {
	for _, c := range all {
		c.order, c.ended = 0, 0
	}
	event := t.event
	switch {
	case event != nil:
		for _, c := range topical(all) {
			if c.id != event.id && c.when().Compare(event.at) == t.side {
				c.order = 1
			}
		}
	case t.first || t.last:
		t.rankByTime(all)
	}
	if !t.past {
		for _, c := range all {
			if t.present && t.isOver(c) {
				c.ended = noLonger
			}
		}
		return
	}
	latest := map[[2]string]*candidate{} // of those of one slot
	for _, c := range topical(all) {
		if !t.isOver(c) || !t.heldThen(c, event) {
			continue
		}
		c.ended = 1
		if event == nil || c.slot == "" {
			continue
		}
		// "Before Lisbon" is what was right before it.
		key := [2]string{c.slot, c.subject}
		switch o := latest[key]; {
		case o == nil:
			latest[key] = c
		case o.ValidTo.Before(*c.ValidTo):
			o.ended, latest[key] = longBefore, c
		default:
			c.ended = longBefore
		}
	}
}

// isOver says whether what a memory tells was over when the question is asked: nobody knew
// then what ended later.
func (t timing) isOver(c *candidate) bool {
	return c.ValidTo != nil && (t.asked.IsZero() || !c.ValidTo.After(t.asked))
}

const (
	// longBefore is what it counts to have been over before what was right before something.
	longBefore = 0.5
	// noLonger is what it counts to be over where what holds is asked for.
	noLonger = -0.5
)

// rankByTime gives each of those that the question is about its place among them, from 0 to 1.
func (t timing) rankByTime(all []*candidate) {
	about := topical(all)
	if len(about) < 2 {
		return
	}
	slices.SortFunc(about, func(a, b *candidate) int {
		if t.first {
			a, b = b, a
		}
		return a.when().Compare(b.when())
	})
	for i, c := range about {
		if i > 0 && c.when().Equal(about[i-1].when()) {
			c.order = about[i-1].order
			continue
		}
		c.order = float64(i) / float64(len(about)-1)
	}
}

// heldThen says whether what a memory tells, which is over, held when the question asks about.
func (t timing) heldThen(c *candidate, event *happening) bool {
	from := c.ValidFrom
	if c.OccurredAt != nil && c.OccurredAt.Before(from) {
		from = *c.OccurredAt
	}
	first, last := t.day(from), t.day(*c.ValidTo)
	switch {
	case event != nil && t.side < 0:
		return event.id != c.id && from.Before(event.at)
	case len(t.periods) > 0:
		return slices.ContainsFunc(t.periods, func(p extract.Period) bool {
			return (p.To.IsZero() || first.Before(p.To)) && !last.Before(p.From)
		})
	}
	return true
}
