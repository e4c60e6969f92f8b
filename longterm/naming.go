package longterm

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/lexical"
)

// A request to forget somebody or something ("forget about Rafa", "forget what I told you
// about my sister") has a subject and no slot. It is about what has that subject, and about
// what names it as a word.
//
// Whom a speaker calls by a relation, "my sister", may have a name as well. They are taken
// for one where something says so that was said before the request: "my sister Ana",
// "my sister is called Ana", "Ana is my sister". Who asks for the sister to be forgotten
// then means Ana too; who asks for Ana means the sister, if no other sister has a name.
// Words for the same relation ("mum", "mother") are one. What is another's ("Tom's
// sister", "her sister", "my sister-in-law") is none of it.

// relations are words by which people call those around them; of each line the words mean
// the same.
var relations = relationWords(`
sister
brother
mother mum mom mummy mommy mama mam
father dad daddy papa
parents
wife
husband hubby
partner
girlfriend gf
boyfriend bf
fiancee
fiance
spouse
ex
son
daughter
twin
child kid
baby
stepson
stepdaughter
stepmother stepmum stepmom
stepfather stepdad
niece
nephew
cousin
aunt auntie
uncle
grandmother grandma granny gran nan nana
grandfather grandpa grandad granddad
mother-in-law
father-in-law
sister-in-law
brother-in-law
grandson
granddaughter
grandchild
stepbrother
stepsister
half-brother
half-sister
godmother
godfather
godson
goddaughter
godchild
ex-husband
ex-wife
ex-boyfriend
ex-girlfriend
boss manager supervisor
apprentice
colleague coworker co-worker
friend
flatmate roommate housemate
neighbor neighbour
landlord
landlady
teacher
therapist
doctor
dentist
coach
tutor
mentor
vet
physiotherapist physio
hairdresser
nanny babysitter
classmate
teammate
dog puppy
cat kitten
parrot
horse
rabbit
hamster
`)

// relationWords gives of each word those that mean the same, itself among them.
func relationWords(lines string) map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(lines) {
		same := strings.Fields(line)
		for _, word := range same {
			all[word] = same
		}
	}
	return all
}

// oneOf makes a group of a pattern of words.
func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = regexp.QuoteMeta(word)
	}
	slices.SortFunc(quoted, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // the longest that is there
	return `(` + strings.Join(quoted, "|") + `)`
}

const (
	qualities = `(?:older|younger|little|big|elder|eldest|oldest|youngest|best|good|old|new|dear|late|twin|baby|only|own|former|close)`
	// given is a name as it is written with care: in capitals throughout any word looks so.
	given = `(\p{Lu}['’]?\pL*\p{Ll}[\pL\pM'’-]*)`
)

var (
	relationWord = oneOf(slices.Collect(maps.Keys(relations)))
	ownRelation  = `(?i:\b(?:my|our|i have(?: got)? an?|i['’]ve(?: got)? an?) +(?:` + qualities + ` +)*` + relationWord + `\b)`
	// The ways to say what somebody is called: each gives a relation and a name.
	calledSo  = regexp.MustCompile(ownRelation + `(?i:['’]s +name +is|,? +(?:who +)?(?:is +|was +)?(?:called|named)) +([\pL\pM][\pL\pM’'-]+)`)
	beside    = regexp.MustCompile(ownRelation + `,? +\(?` + given)
	isOwn     = regexp.MustCompile(given + `(?i: +(?:is|was) +)` + ownRelation + `(?: *[,.;!?)]| *$| +(?i:who|but|from|in)\b)`)
	isNamed   = regexp.MustCompile(ownRelation + `(?i: +(?:is|was) +)` + given)
	smallWord = regexp.MustCompile(`(?:^|\PL)\p{Ll}`)
	// ofOthers is a relation of somebody else's.
	ofOthers = regexp.MustCompile(`(?i)(?:\b(?:his|her|their|your|its|whose)|['’]s) +(?:` + qualities + ` +)*` + relationWord + `\b`)
	// other is another relation that has the word within.
	other = regexp.MustCompile(`(?i)\b(?:ex|step)[- ]` + relationWord + `\b|\b\pL+[- ]in[- ]law\b`)
)

// titles are no names.
var titles = map[string]bool{"dr": true, "mr": true, "mrs": true, "ms": true, "prof": true, "sir": true}

// bond is what something says of whom by a relation is called by a name.
type bond struct{ relation, name string }

// bonds gives what a text, which holds value, says of who is called how.
func bonds(text, value string) (all []bond) {
	add := func(relation, name string) {
		name = strings.ToLower(strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s"), "'’-"))
		if !titles[name] && relations[name] == nil && !lexical.NamesOf(name).Empty() {
			all = append(all, bond{strings.ToLower(relation), name})
		}
	}
	careless := text == strings.ToLower(text) || text == strings.ToUpper(text)
	for _, m := range calledSo.FindAllStringSubmatch(text, -1) {
		if careless || m[2] != strings.ToLower(m[2]) { // not "called away"
			add(m[1], m[2])
		}
	}
	if careless || !smallWord.MatchString(text) {
		return all // every word has a capital, or none
	}
	for _, m := range beside.FindAllStringSubmatch(text, -1) {
		add(m[1], m[2])
	}
	for _, m := range isOwn.FindAllStringSubmatch(text, -1) {
		add(m[2], m[1])
	}
	for _, m := range isNamed.FindAllStringSubmatch(text, -1) {
		if strings.EqualFold(value, m[2]) { // not "my sister is Portuguese"
			add(m[1], m[2])
		}
	}
	return all
}

// naming is what a request about a subject reaches by name.
type naming struct {
	names lexical.Names
	// kin are relations of the speaker's.
	kin lexical.Names
	// wholly says that the kin are in-laws and the like.
	wholly bool
	// own are the names of relations, and what else is named as the speaker's own.
	own []ownNoun
	// single are names by which somebody is known, with no second one.
	single []string
	// related are the words of a relation by which somebody is named, whose names are known beside.
	related []string
	// all are the names and relations.
	all []string
}

// namingOf makes it of a subject and of what is known of who is called how. With anyKin a
// name has the relations that others are known by as well: what must be read to tell.
func namingOf(subject string, known []bond, anyKin bool) naming {
	subject = lexical.Canonical(subject)
	mine := strings.HasPrefix(subject, "my ") || strings.HasPrefix(subject, "our ")
	for _, lead := range []string{"my ", "our ", "the "} {
		subject = strings.TrimPrefix(subject, lead)
	}
	var kin, names, single, own, related []string
	if same := relations[subject]; same != nil {
		kin, related = same, same
		for _, b := range known {
			if slices.Contains(same, b.relation) {
				names, single = union(names, []string{b.name}), union(single, []string{b.name})
			}
		}
	} else if mine {
		own = []string{subject}
	} else {
		name := subject
		if relation, rest, ok := strings.Cut(subject, " "); ok && relations[relation] != nil {
			name = rest // "sister ana"
		}
		names = []string{name}
		is := lexical.NamesOf(name)
		for _, b := range known {
			if is.In(b.name) {
				single = union(single, []string{b.name})
				if anyKin || alone(b, known) {
					kin = union(kin, relations[b.relation])
				}
			}
		}
	}
	return naming{
		names: lexical.NamesOf(names...), kin: lexical.NamesOf(slices.Concat(kin, own)...), all: slices.Concat(names, kin, own),
		own: ownNounsOf(slices.Concat(kin, own)), single: single, related: related,
		wholly: slices.ContainsFunc(kin, func(word string) bool { return strings.Contains(word, "-") }),
	}
}

// alone says whether no other has a name that is called by the same relation.
func alone(of bond, known []bond) bool {
	for _, b := range known {
		if slices.Contains(relations[of.relation], b.relation) && b.name != of.name {
			return false
		}
	}
	return true
}

// mayReach says whether a text, in the form in which it is compared, or the subject of its
// slot names whom it names, whosever that is.
func (n naming) mayReach(form, subject string) bool {
	return n.names.In(form) || n.names.In(subject) || n.kin.In(subject) || n.kin.In(form)
}

// reaches says whether texts that say one thing, of which form is the form in which they are
// compared, or the subject of their slot are of whom it names.
func (n naming) reaches(form, subject string, texts ...string) bool {
	if !n.mayReach(form, subject) {
		return false
	}
	if n.kin.In(subject) && !n.kin.Empty() && !ofOthers.MatchString(subject) && !possessiveWord.MatchString(subject) {
		return true
	}
	if (n.names.In(form) || n.names.In(subject)) && !slices.ContainsFunc(n.single, func(name string) bool {
		return slices.ContainsFunc(texts, func(text string) bool {
			return surnamed(text, name) || n.related != nil && isAnothers(text, name, n.related)
		})
	}) {
		return true
	}
	form = ofOthers.ReplaceAllString(form, " ")
	if !n.wholly {
		form = other.ReplaceAllString(form, " ")
	}
	return slices.ContainsFunc(n.own, func(o ownNoun) bool { return o.says(form, subject) })
}

var possessiveWord = regexp.MustCompile(`['’]s?\s`)

// empty says that nothing is reached.
func (n naming) empty() bool { return n.names.Empty() && n.kin.Empty() }

// terms are those by which what it names is found.
func (n naming) terms() (all []int32) {
	for _, name := range n.all {
		if lexical.NamesOf(name).Empty() {
			continue
		}
		terms, _ := lexical.Terms(name)
		for _, t := range terms {
			all = append(all, t.Hash)
		}
	}
	return all
}

// heard is something that may say who is called how.
type heard struct{ text, value string }

// sought is what was said of a subject within an identity up to a time.
type sought struct {
	key     string
	subject string
	before  time.Time
}

// suspect is a memory that requests about subjects may be about.
type suspect struct {
	id            memoryID
	scopeID       int64
	form, subject string
}

// subjects is what must be read since subjects were asked to be forgotten.
type subjects struct {
	sought []sought
	// heard is what is said anew, by the key of the identity.
	heard map[string][]heard
	// memories and unremembered may be about them.
	memories     []suspect
	unremembered []*mention
}

// seek has what a request is about read.
func (s *subjects) seek(key []byte, subject string, before time.Time) {
	what := sought{string(key), subject, before}
	if !slices.Contains(s.sought, what) {
		s.sought = append(s.sought, what)
	}
}

// hear takes in what is said anew.
func (s *subjects) hear(key []byte, text, value string) {
	if s.heard == nil {
		s.heard = map[string][]heard{}
	}
	s.heard[string(key)] = append(s.heard[string(key)], heard{text, value})
}

// wantNamed wants what requests about subjects may be about, as far as names are known by
// now. What is found may tell of more.
func (c *change) wantNamed() {
	for _, r := range c.requests {
		// What is asked of everything needs no names, so what it was about is read once.
		if r.ofSubject() && (r.isNew || !r.everything()) {
			c.subjects.seek(c.scopes[r.scopeID].key, r.subject, r.said.at)
		}
	}
	if len(c.subjects.sought) == 0 {
		return
	}
	known := map[string][]bond{}
	for key, all := range c.subjects.heard {
		for _, h := range all {
			known[key] = append(known[key], bonds(h.text, h.value)...)
		}
	}
	for _, m := range slices.Concat(c.mentions, c.subjects.unremembered) {
		key := string(c.scopes[m.scopeID].key)
		known[key] = append(known[key], m.bonds()...)
	}
	for _, r := range c.subjects.sought {
		key, until := []byte(r.key), r.before.String()
		if r.subject == memd.Everything {
			if c.wanted.first("all", r.key, until) {
				c.wanted.all.keys, c.wanted.all.before = append(c.wanted.all.keys, key), append(c.wanted.all.before, r.before)
			}
			for _, m := range c.subjects.memories {
				if string(c.scopes[m.scopeID].key) == r.key {
					c.wanted.memory(m.id)
				}
			}
			for _, m := range c.subjects.unremembered {
				if string(c.scopes[m.scopeID].key) == r.key {
					c.add(m)
					c.wanted.hash(key, m.hash) // it may have been said again since
				}
			}
			continue
		}
		n := namingOf(r.subject, known[r.key], true)
		if n.empty() {
			continue
		}
		for _, term := range n.terms() {
			if c.wanted.first("term"+until, r.key, fmt.Sprint(term)) {
				c.wanted.terms.keys, c.wanted.terms.terms, c.wanted.terms.before = append(c.wanted.terms.keys, key), append(c.wanted.terms.terms, term), append(c.wanted.terms.before, r.before)
			}
		}
		if c.wanted.first("said", r.key, until) {
			c.wanted.said.keys, c.wanted.said.before = append(c.wanted.said.keys, key), append(c.wanted.said.before, r.before)
		}
		for _, m := range c.subjects.memories {
			if string(c.scopes[m.scopeID].key) == r.key && n.mayReach(m.form, m.subject) {
				c.wanted.memory(m.id)
			}
		}
		for _, m := range c.subjects.unremembered {
			if string(c.scopes[m.scopeID].key) == r.key && n.mayReach(lexical.Canonical(m.text), m.subject) {
				c.add(m)
			}
		}
	}
}

// scanNamed reads namedSelect.
func (c *change) scanNamed(rows pgx.Rows) error {
	var m suspect
	var text string
	_, err := pgx.ForEachRow(rows, []any{&m.id, &m.scopeID, &text, &m.subject}, func() error {
		m.form = lexical.Canonical(text)
		c.subjects.memories = append(c.subjects.memories, m)
		return nil
	})
	return err
}

// nameRequests finds out what requests about subjects reach by name, by what was said
// before them.
func (c *change) nameRequests() {
	for _, r := range c.requests {
		if !r.ofSubject() || r.everything() {
			continue
		}
		var known []bond
		for _, m := range c.mentions {
			if !m.lost && r.heeds(m.speaker) && m.said.compare(r.said) < 0 {
				known = append(known, m.bonds()...)
			}
		}
		r.naming = namingOf(r.subject, known, false)
	}
}

// bonds gives what a mention, as it stands, says of who is called how.
func (m *mention) bonds() []bond {
	if m.writtenOver != nil {
		return bonds(m.writtenOver.text, m.writtenOver.value)
	}
	if m.says == nil {
		m.says = append([]bond{}, bonds(m.text, m.value)...)
	}
	return m.says
}
