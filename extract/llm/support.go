package llm

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"golang.org/x/text/unicode/norm"
)

// enough is the share of two statements' terms at which one holds the other, and of a
// statement's pairs of characters that have to be found in its sources.
const enough = 0.7

// term is a word of a statement that can be looked for, or of scripts that part no
// words two characters in a row, or a number.
type term struct {
	text string
	// stem is that of a word, "" for others.
	stem string
	// exact says that it has to be found: a number, or what is written as names are.
	exact bool
}

// filler is passed over: little words, and those that models bring in for the speakers.
var filler = set(`the and that this these those with from have has had was were are been being for but not you your yours
	she her hers his him they them their theirs its our ours who whom whose which what when where why how
	will would can could should shall may might must does did doing don didn doesn isn wasn aren weren won couldn wouldn shouldn haven hasn hadn cannot
	currently now there here then than too also very just about into onto over under some any all each because while user users assistant speaker says said states stated mentioned`)

// names are words that a statement may have beside what it names and the name ("my cat
// is called Mia" of "my cat Mia").
var names = set(`called named`)

// counts are the numbers that are written as words. "One" is mostly no number.
var counts = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "twenty": "20", "thirty": "30"}

// dense are the scripts whose words are not parted by blanks, or carry endings as long
// as themselves.
var dense = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

const (
	other = iota
	letter
	digit
	unparted
)

func classOf(r rune) int {
	switch {
	case unicode.IsDigit(r):
		return digit
	case r >= 0x0E00 && (unicode.In(r, dense...) || r == 'ー'):
		return unparted
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letter
	}
	return other
}

// termsOf gives the terms of a text.
func termsOf(text string) []term {
	text = norm.NFKC.String(text)
	var out []term
	words := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		class, start := classOf(r), i
		for i += size; i < len(text); i += size {
			r, size = utf8.DecodeRuneInString(text[i:])
			// 1,000 is one number.
			if class == digit && r == ',' && len(text) > i+3 && classOf(rune(text[i+3])) == digit {
				continue
			}
			if classOf(r) != class {
				break
			}
		}
		run := text[start:i]
		switch class {
		case digit:
			run = strings.TrimLeft(strings.ReplaceAll(run, ",", ""), "0")
			out = append(out, term{text: "#" + run, exact: true})
		case unparted:
			out = append(out, grams(run)...)
		case letter:
			words++
			if t, ok := wordTerm(run, words == 1); ok {
				out = append(out, t)
			}
		}
	}
	return out
}

func grams(run string) []term {
	chars := []rune(run)
	if len(chars) == 1 {
		return []term{{text: run}}
	}
	var out []term
	for i := range chars[1:] {
		pair := chars[i : i+2]
		name := unicode.Is(unicode.Han, pair[0]) && unicode.Is(unicode.Han, pair[1]) || unicode.Is(unicode.Katakana, pair[0])
		out = append(out, term{text: string(pair), exact: name})
	}
	return out
}

func wordTerm(word string, first bool) (term, bool) {
	low := strings.ToLower(word)
	if n, ok := counts[low]; ok {
		return term{text: "#" + n, exact: true}, true
	}
	initial, _ := utf8.DecodeRuneInString(word)
	name := unicode.IsUpper(initial) && !first && utf8.RuneCountInString(word) > 1
	if filler[low] || utf8.RuneCountInString(low) <= 2 && !name {
		return term{}, false
	}
	env := snowballstem.NewEnv(low)
	english.Stem(env)
	return term{text: low, stem: env.Current(), exact: name}, true
}

// evidence is a text in which terms are looked for.
type evidence struct {
	found map[string]bool // terms
	words []string
	stems map[string]string // of words
	// clauses are its parts that one speaker says of one person.
	clauses []clause
}

type clause struct {
	evidence
	text   string
	denies bool
	moods  []mood
	// leans says that it speaks of what another clause names, or is no clause at all.
	leans bool
	// others are the people it speaks of without speaking of the speaker.
	others []string
}

func newEvidence(text string) *evidence {
	e := bag(text)
	for _, part := range clausesOf(text) {
		e.clauses = append(e.clauses, newClause(part))
	}
	return &e
}

func newClause(text string) clause {
	c := clause{evidence: bag(text), text: text, denies: denies.MatchString(text), moods: moodsOf(text)}
	c.leans = pronoun.MatchString(text) || !firstPerson.MatchString(text) && !being.MatchString(text) && len(termsOf(text)) <= 2
	if !speaks.MatchString(text) {
		c.others = relation.FindAllString(strings.ToLower(text), -1)
	}
	return c
}

func bag(text string) evidence {
	e := evidence{found: map[string]bool{}, stems: map[string]string{}}
	for _, t := range termsOf(text) {
		if e.found[t.text] {
			continue
		}
		e.found[t.text] = true
		if t.stem != "" {
			e.stems[t.text] = t.stem
			e.words = append(e.words, t.text)
		}
	}
	return e
}

// has says whether a term occurs: the word itself, or one of the same stem, or one
// with another ending ("allergic" for "allergy").
func (e *evidence) has(t term) bool {
	if e.found[t.text] {
		return true
	}
	if t.stem == "" {
		return false
	}
	for _, w := range e.words {
		// "I lived in Oslo" bears out no "I live in Oslo".
		if isPast(w) != isPast(t.text) {
			continue
		}
		if e.stems[w] == t.stem {
			return true
		}
		n := 0
		for n < len(w) && n < len(t.text) && w[n] == t.text[n] {
			n++
		}
		if utf8.RuneCountInString(w[:n]) >= 4 && float64(n) >= 0.65*float64(max(len(w), len(t.text))) {
			return true
		}
	}
	return false
}

// isPast says whether an English word has the ending of the past.
func isPast(word string) bool {
	return len(word) >= 5 && strings.HasSuffix(word, "ed") && !strings.HasSuffix(word, "eed")
}

// share gives how much of the terms is found in any of the texts.
func share(in []*evidence, terms []term) float64 {
	if len(terms) == 0 {
		return 0
	}
	n := 0
	for _, t := range terms {
		if anyHas(in, t) {
			n++
		}
	}
	return float64(n) / float64(len(terms))
}

func anyHas[E interface{ has(term) bool }](in []E, t term) bool {
	for _, e := range in {
		if e.has(t) {
			return true
		}
	}
	return false
}

// supports says whether what a statement's sources (own) say, with what is near them,
// bears each clause of it out: all its words, numbers and names are there, of scripts
// that part no words most of their characters, in clauses that agree with it. They are
// those of one clause that stands alone and of any that lean on others, so that "my
// manager is Rosa and my dentist is Paul" bears out no "my manager is Paul".
func supports(own, near []*evidence, text string) bool {
	borne := false
	for _, part := range clausesOf(text) {
		terms := termsOf(part)
		if len(terms) == 0 {
			continue
		}
		statement := newClause(part)
		stated := agreeing(own, &statement)
		borne = borne || slices.ContainsFunc(terms, func(t term) bool { return anyHas(stated, t) })
		if !holds(append(agreeing(near, &statement), stated...), terms) {
			return false
		}
	}
	return borne
}

// holds says whether one clause that stands alone and those that lean hold terms.
func holds(clauses []*clause, terms []term) bool {
	leaning := make([]bool, len(terms)) // terms that are held
	alone := []*clause{{}}
	for _, c := range clauses {
		if !c.leans {
			alone = append(alone, c)
			continue
		}
		for i, t := range terms {
			leaning[i] = leaning[i] || c.has(t)
		}
	}
	for _, c := range alone {
		pairs, found, missing, naming := 0, 0, 0, 0
		for i, t := range terms {
			held := leaning[i] || c.has(t)
			switch {
			case !t.exact && t.stem == "":
				pairs++
				if held {
					found++
				}
			case held:
			case names[t.text]:
				naming++
			default:
				missing++
			}
		}
		if missing == 0 && (naming == 0 || len(terms)-naming >= 2) && float64(found) >= enough*float64(pairs) {
			return true
		}
	}
	return false
}

// agreeing gives the clauses that a clause of a statement can rest on.
func agreeing(in []*evidence, statement *clause) []*clause {
	var out []*clause
	for _, e := range in {
		for i := range e.clauses {
			if e.clauses[i].bears(statement) {
				out = append(out, &e.clauses[i])
			}
		}
	}
	return out
}

// bears says whether a statement keeps what a clause says of its truth and its person:
// neither denies what the other does not, what is only supposed, asked, wanted, or over
// stays so, and what is told of somebody else is not the speaker's.
func (c *clause) bears(statement *clause) bool {
	if c.denies != statement.denies {
		return false
	}
	for _, m := range c.moods {
		if !m.keeps.MatchString(statement.text) {
			return false
		}
	}
	if len(c.others) == 0 {
		return true
	}
	low := strings.ToLower(statement.text)
	for _, other := range c.others {
		if strings.Contains(low, other) {
			return true
		}
	}
	// "My sister Ana is vegan" bears out "Ana is vegan".
	first, _, _ := strings.Cut(strings.TrimSpace(statement.text), " ")
	initial, _ := utf8.DecodeRuneInString(first)
	return unicode.IsUpper(initial) && !firstPerson.MatchString(first) && strings.Contains(c.text, first)
}

// mood is what keeps a clause from being plainly so.
type mood struct {
	has, keeps *regexp.Regexp
}

var moods = []mood{
	// Only supposed.
	like(`(?i)\b(?:if|unless|might|may be|maybe|perhaps|possibly|probably|imagine|pretend|suppose|vielleicht|wenn|quizás|si|peut-être|talvez)\b`),
	// Wanted, planned, to come, or nearly so.
	like(`(?i)\b(?:want(?:s|ed)?|hop(?:e|es|ed|ing)|plan(?:s|ned|ning)?|wish(?:es|ed)?|would|will|should|could|going to|gonna|wanna|thinking (?:of|about)|consider(?:s|ed|ing)?|dream(?:s|ed|ing)? of|try(?:ing)? to|almost|nearly|intend(?:s|ed)?|möchte|würde|quiero|quisiera|voudrais|gostaria|vorrei)\b|['’](?:d|ll)\b`),
	// Over.
	{
		has:   regexp.MustCompile(`(?i)\b(?:was|were|used to|formerly|previously|former|ex|once|had been|stopped|quit|gave up|früher|solía|antes|autrefois|avant|antigamente)\b`),
		keeps: regexp.MustCompile(`(?i)\b(?:was|were|used to|formerly|previously|former|ex|once|had|stopped|quit|gave|went|did|left|got|came|grew|\pL{2,}ed|früher|solía|antes|autrefois|avant|antigamente)\b`),
	},
	// Asked of who is spoken to: "should I …", "what is my …".
	like(`(?i)^\W*(?:(?:so|and|but|or|hey|also)\W+)*(?:(?:what|why|how|where|when|who|which)(?:['’]s)?\s+)?(?:do|does|did|am|is|are|was|were|should|shall|could|can|would|will|have|has|may|might)\s+(?:i|we|my|our)\b`),
}

// like makes a mood of which a statement keeps what a clause has.
func like(pattern string) mood {
	p := regexp.MustCompile(pattern)
	return mood{has: p, keeps: p}
}

func moodsOf(text string) []mood {
	var out []mood
	for _, m := range moods {
		if m.has.MatchString(text) {
			out = append(out, m)
		}
	}
	return out
}

var (
	denies = regexp.MustCompile(`(?i)\b(?:not|no|never|none|nor|neither|nothing|cannot|nunca|jamás|jamais|nicht|kein|keine|keinen|nie|niemals|não|non|pas|geen|niet)\b|n['’]t\b|不|没|沒|ない|ません|なかった|아니|لست|\sلا\s`)
	// speaks finds who speaks as the subject, in languages that name it.
	speaks = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:i|we|ich|wir|je|nous)(?:$|[^\pL])|(?:^|[^\pL])j['’]`)
	// firstPerson finds that someone speaks of themself.
	firstPerson = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:i|we|my|mine|our|yo|mi|mis|nuestro|nuestra|ich|wir|mein|meine|meinen|meiner|unser|unsere|je|nous|mon|ma|mes|notre|eu|meu|minha|io|mio|mia|ik|mijn)(?:$|[^\pL])|(?:^|[^\pL])j['’]|我|私|僕|俺|제|내`)
	// pronoun finds that something is spoken of that is named elsewhere, or that someone
	// is spoken to.
	pronoun  = regexp.MustCompile(`(?i)\b(?:he|she|it|they|them|him|her|hers|his|its|their|this|that|these|those|there|both|you|your|er|sie|es|ihr|ihre|sein|seine|du|dein|deine|él|ella|ellos|tú|tu|elle|il|ils|elles|son|sa|ses|leur|vous|votre|ele|ela|seu|sua)\b|彼|それ|これ|あなた|她|他|它|这|那|你`)
	being    = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|had|ist|hat|es|est|tiene|tem)\b`)
	relation = regexp.MustCompile(`\b(?:sister|brother|mother|father|mom|mum|dad|parents|wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|kids?|children|child|baby|uncle|aunt|cousin|nephew|niece|grandm\pL+|grandfather|grandpa|friends?|boss|manager|colleagues?|coworkers?|roommate|flatmate|neighbou?rs?|teacher|doctor|dog|cat|` +
		`schwester|bruder|mutter|vater|frau|mann|sohn|tochter|freund|freundin|chef|chefin|sœur|soeur|frère|mère|père|femme|mari|fils|fille|amie?|copain|copine)\b`)
	// boundary ends a clause: after a sentence, before a new subject or a "not".
	boundary = regexp.MustCompile(`(?i)[.!?;…]+(?:\s|$)|[。！？；\n]+|,?\s+(?:but|pero|aber|mais|mas)\s+|(?:,|\s(?:and|so|while|because|or|und|weil|et|y))\s+((?:i|we|my|our|ich|wir|mein|meine|je|nous|mon|ma|yo|mi|not|no|nicht|` +
		`(?:(?:also|then|once)\s+)?(?:want|wants|hope|hopes|plan|plans|used to|would|might|will|never|don['’]t|can['’]t|was|were)|which|who|where)\b|i['’]|j['’])`)
)

func clausesOf(text string) []string {
	var out []string
	start := 0
	for _, m := range boundary.FindAllStringSubmatchIndex(text, -1) {
		end, next := m[0], m[1]
		if m[2] >= 0 {
			next = m[2]
		}
		out = append(out, text[start:end])
		start = next
	}
	return append(out, text[start:])
}

// normal gives a text as repeats are told by: its words and numbers in lower case.
func normal(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool { return classOf(r) == other }), " ")
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
