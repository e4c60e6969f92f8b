package longterm

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/memdhq/memd/lexical"
)

// "Where does my sister's husband work?" is answered by what names neither: "Radu works at
// Continental". What was found for the question tells who is meant ("my sister Ioana", "Ioana's
// husband Radu"), and one more query looks for what else is said of them. There is no hop where a
// question names nobody by a relation, nor where nothing tells who that is.

const (
	// hopNames bounds the names that may be meant, hopMemories what is read of each, the newest
	// first: what also has words of the question is found without that.
	hopNames, hopMemories = 6, 50
)

// kin is somebody that a question names by a relation: "my sister's husband".
type kin struct {
	// owner is who it is a relation of, "" for who asks; relations lead from there.
	owner     string
	relations []string
	// best says that of several friends it is the best one.
	best bool
}

var (
	ofWhom   = `(my|our|[\pL-]+['’]s) +((?:` + qualities + ` +)*)` + kinWord
	kinForm  = regexp.MustCompile(`(?i)\b` + ofWhom + `(?:['’]s +(?:` + qualities + ` +)*` + kinWord + `)?\b`)
	kinOfKin = regexp.MustCompile(`(?i)\bthe +` + kinWord + ` +of +` + ofWhom + `\b`)
)

// groups are words for several kinds of kin at once; of one kind the word is its plural.
var groups = map[string][]string{
	"siblings": {"brother", "sister"}, "sibling": {"brother", "sister"}, "parents": {"mother", "father"}, "grandparents": {"grandmother", "grandfather"},
	"children": {"child"}, "grandchildren": {"grandchild"}, "wives": {"wife"}, "in-laws": {"mother-in-law", "father-in-law", "sister-in-law", "brother-in-law"},
}

// kinWord are all words by which a question may name kin.
var kinWord = func() string {
	words := []string{}
	for word := range groups {
		words = append(words, word)
	}
	for word := range relations {
		words = append(words, word, word+"s")
	}
	return oneOf(words)
}()

// singular gives the relations that a word of a question is for.
func singular(word string) []string {
	word = strings.ToLower(word)
	if of := groups[word]; of != nil {
		return of
	}
	if relations[word] == nil {
		word = strings.TrimSuffix(word, "s")
	}
	return []string{word}
}

// waysTo are the relations that lead to kin that have a word of their own.
var waysTo = func() (all []kinWay) {
	for line := range strings.Lines(`
sister-in-law: brother wife, wife sister, husband sister, partner sister
brother-in-law: sister husband, wife brother, husband brother, partner brother
mother-in-law: wife mother, husband mother, partner mother
father-in-law: wife father, husband father, partner father
niece: sister daughter, brother daughter
nephew: sister son, brother son
aunt: mother sister, father sister, uncle wife
uncle: mother brother, father brother, aunt husband
cousin: aunt child, uncle child
grandmother: mother mother, father mother, grandfather wife
grandfather: mother father, father father, grandmother husband
grandchild: son child, daughter child
`) {
		word, ways, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, way := range strings.Split(ways, ", ") {
			if steps := strings.Fields(way); len(steps) == 2 {
				all = append(all, kinWay{word, steps})
			}
		}
	}
	return all
}()

type kinWay struct {
	word  string
	steps []string
}

// mostPaths bounds the ways to somebody that are tried.
const mostPaths = 24

// paths gives the ways that lead to whom a question names: "my niece" is "my brother's daughter", and
// the other way round.
func (k kin) paths() [][]string {
	all := [][]string{nil}
	for _, relation := range k.relations {
		var longer [][]string
		for _, path := range all {
			for _, r := range singular(relation) {
				longer = append(longer, append(slices.Clone(path), r))
			}
		}
		all = longer
	}
	for _, path := range all[:min(len(all), mostPaths)] {
		for i, r := range path {
			for _, w := range waysTo {
				switch {
				case sameRelation(w.word, r):
					all = append(all, slices.Concat(path[:i], w.steps, path[i+1:]))
				case i+1 < len(path) && sameRelation(w.steps[0], r) && sameRelation(w.steps[1], path[i+1]):
					all = append(all, slices.Concat(path[:i], []string{w.word}, path[i+2:]))
				}
			}
		}
	}
	return all[:min(len(all), mostPaths)]
}

// couples are the words by which people call whom they are a couple with: it is wife here and
// girlfriend there, but no husband.
var couples = map[string]string{"wife": "her", "girlfriend": "her", "gf": "her", "fiancee": "her", "husband": "him", "hubby": "him", "boyfriend": "him", "bf": "him",
	"partner": "any", "fiance": "any", "spouse": "any"}

// offspring are words for children: who is called by one of them is a child.
var offspring = map[string]string{"son": "son", "boy": "son", "daughter": "daughter", "girl": "daughter", "child": "any", "kid": "any", "baby": "any", "twins": "any", "twin": "any"}

// sameRelation says whether two words mean the same relation, or may.
func sameRelation(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	if a == b || slices.Contains(relations[a], b) {
		return true
	}
	for _, kinds := range []map[string]string{couples, offspring} {
		if one, other := kinds[a], kinds[b]; one != "" && other != "" && (one == other || one == "any" || other == "any") {
			return true
		}
	}
	return false
}

// unaccented has "fiancé" in the letters of the word that is known.
var unaccented = strings.NewReplacer("é", "e", "É", "E")

// kinOf gives those whom a question names by a relation.
func kinOf(text string) (all []kin) {
	if len(text) > maxSlotQuestion {
		return nil
	}
	text = unaccented.Replace(text)
	owner := func(word string) string {
		word = strings.ToLower(word)
		if word == "my" || word == "our" {
			return ""
		}
		return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	}
	best := func(qualities string) bool { return strings.Contains(strings.ToLower(qualities), "best") }
	if m := kinOfKin.FindStringSubmatch(text); m != nil {
		if k := (kin{owner(m[2]), []string{m[4], m[1]}, best(m[3])}); relations[k.owner] == nil {
			return []kin{k}
		}
	}
	for _, m := range kinForm.FindAllStringSubmatch(text, hopNames) {
		k := kin{owner(m[1]), []string{m[3]}, best(m[2])}
		if relations[k.owner] != nil || k.owner == "what" || k.owner == "who" || k.owner == "where" || k.owner == "it" || k.owner == "that" {
			continue
		}
		if m[4] != "" {
			k.relations = append(k.relations, m[4])
		}
		all = append(all, k)
	}
	return all
}

// hopTerms gives the terms by which what is said of those is found whom the question names by a
// relation, under the names that the candidates tell of them.
func (f *finding) hopTerms() (terms []int32) {
	f.asked.meant = f.whoIsMeant()
	for _, name := range f.asked.meant {
		all, _ := lexical.Terms(name)
		for _, t := range all {
			if _, asked := f.question.at[t.Hash]; !asked && t.Hash != wholeMessage && t.Hash != asksTerm {
				terms = append(terms, t.Hash)
			}
		}
	}
	return terms
}

// markHops says of the candidates which name those.
func (f *finding) markHops() {
	if len(f.asked.meant) == 0 {
		return
	}
	names := lexical.NamesOf(f.asked.meant...)
	for _, c := range f.candidates {
		c.hop = names.In(c.Memory.Memory) || slices.Contains(f.asked.meant, c.subject)
	}
}

// whoIsMeant gives the names of those whom the question names by a relation, as the candidates
// tell them, and none that the question has itself.
func (f *finding) whoIsMeant() (names []string) {
	asked := kinOf(f.query.Text)
	if len(asked) == 0 {
		return nil
	}
	ties := f.ties()
	for _, k := range asked {
		var known []string
		for _, path := range k.paths() {
			known = union(known, k.follow(path, ties))
		}
		if len(known) > 0 {
			for _, step := range k.relations[:len(k.relations)-1] {
				f.asked.steps = append(f.asked.steps, singular(step)...)
			}
		}
		names = union(names, known)
	}
	if len(names) > hopNames {
		return nil // too many friends to tell who is meant
	}
	return slices.DeleteFunc(names, func(name string) bool { return lexical.NamesOf(name).In(f.query.Text) })
}

// tie is what a memory tells of who somebody is.
type tie struct {
	// own says that it is of whoever said it, whose name is actor, "" for who asks.
	own   bool
	actor string
	// of are those whom it is of, by name or relation; pronoun says that only a pronoun tells, for
	// which around stands what can be known from the text around it.
	of      []string
	pronoun bool
	around  *candidate

	relation, name string
	best           bool
}

var (
	title = `(?:(?:[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|Sir|Monsieur|Madame|Herr|Frau|Pani?|Señora?|Signora?)\.? )?`
	// The ways to say whose somebody is: whose, the relation, the name.
	thirdBond = regexp.MustCompile(`([\pL-]+)['’]s +(?i:(?:` + qualities + ` +)*` + relationWord + `(?: (?:is|was) (?:called|named)|,? (?:called|named)|['’]s name is|,)?) +\(?` + title + given)
	herBond   = regexp.MustCompile(`(?i:\b(?:her|his|their) +(?:` + qualities + ` +)*` + relationWord + `(?: (?:is|was) (?:called|named)|,? (?:called|named)|['’]s name is|,)?) +\(?` + title + given)
	ofThird   = regexp.MustCompile(given + `(?i: +(?:is|was) +)([\pL-]+)['’]s +(?i:(?:` + qualities + ` +)*` + relationWord + `\b)`)
	// titled is one's own with a title between, severalOwn two of one's own, or more.
	titled     = regexp.MustCompile(ownRelation + `(?i: +(?:is|was) +|,? +(?:at [\pL ]{2,20}, +)?)\(?` + strings.TrimSuffix(title, "?") + given)
	severalOwn = regexp.MustCompile(`(?i:\b(?:my|our) +(?:` + qualities + ` +)*` + kinWord + `),? +\(?` + given + `(?:, ` + given + `)? and ` + given)
	// wedded gives two people who are a couple, wedTo as well: "got engaged to a diver called Sipke".
	wedded = regexp.MustCompile(given + `(?i: and (?:(?:her|his) )?)` + given + `(?i:[^.;!?]{0,30}\b(?:married|engaged|wedding|couple|divorced|dating)\b)`)
	wedTo  = regexp.MustCompile(given + `(?i: +(?:is |was |got |has |had )?(?:engaged to|married|married to|dating|wed)(?: (?:a|an|the|her|his)(?: [\pL-]+){1,3})?(?:,? (?:called|named))?,?) +` + given)
	// born gives the names of children and, before, those whose they are.
	born = regexp.MustCompile(`^(.{2,60}?)\b(?i:had|have|got|welcomed|expecting) +(?i:(?:a|an|another|their|twin)(?: (?:first|second|third|little|baby))* )?(?i:(boy|girl|son|daughter|twins|baby|child)s?\b)[^.;!?]{0,30}?(?i:, ?| called | named )` + given + `(?: and ` + given + `)?`)
)

// ties reads them from the candidates.
func (f *finding) ties() (all []tie) {
	for _, c := range f.candidates {
		if c.negated || c.Role == "assistant" {
			continue
		}
		text := unaccented.Replace(c.Memory.Memory)
		add := func(t tie) {
			t.name = strings.ToLower(strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(t.name, "'s"), "’s"), "'’-"))
			if t.relation = strings.ToLower(t.relation); titles[t.name] || relations[t.name] != nil || lexical.NamesOf(t.name).Empty() {
				return
			}
			for i := range t.of {
				t.of[i] = strings.ToLower(t.of[i])
			}
			t.best = strings.Contains(strings.ToLower(text), "best "+t.relation)
			if t.around = c; c.ActorID != nil {
				t.actor = *c.ActorID
			}
			all = append(all, t)
		}
		for _, b := range bonds(text, c.value) {
			add(tie{own: true, relation: b.relation, name: b.name})
		}
		for _, m := range titled.FindAllStringSubmatch(text, -1) {
			add(tie{own: true, relation: m[1], name: m[2]})
		}
		for _, m := range severalOwn.FindAllStringSubmatch(text, -1) {
			for _, name := range m[2:] {
				for _, r := range singular(m[1]) {
					add(tie{own: true, relation: r, name: name})
				}
			}
		}
		for _, m := range thirdBond.FindAllStringSubmatch(text, -1) {
			add(tie{of: []string{m[1]}, relation: m[2], name: m[3]})
		}
		for _, m := range ofThird.FindAllStringSubmatch(text, -1) {
			add(tie{of: []string{m[2]}, relation: m[3], name: m[1]})
		}
		for _, form := range []*regexp.Regexp{wedded, wedTo} {
			for _, m := range form.FindAllStringSubmatch(text, -1) {
				add(tie{of: []string{m[1]}, relation: "spouse", name: m[2]})
				add(tie{of: []string{m[2]}, relation: "spouse", name: m[1]})
			}
		}
		if m := born.FindStringSubmatch(text); m != nil {
			parents := strings.FieldsFunc(m[1], func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
			for _, name := range m[3:] {
				add(tie{of: slices.Clone(parents), relation: offspringOf(m[2]), name: name})
			}
		}
		if m := herBond.FindStringSubmatch(text); m != nil {
			add(tie{pronoun: true, relation: m[1], name: m[2]})
		}
	}
	return all
}

// offspringOf gives the relation that a word for who was born is for.
func offspringOf(word string) string {
	if kind := offspring[strings.ToLower(word)]; kind != "any" {
		return kind
	}
	return "child"
}

// follow gives the names of those whom a path of relations leads to.
func (k kin) follow(path []string, ties []tie) (known []string) {
	for i, relation := range path {
		if known = k.step(path, i, relation, known, ties); len(known) == 0 {
			return nil
		}
	}
	return known
}

// step gives the names of who stands in a relation, the i-th of a path, to people of known names; of
// the first that is whom the question says.
func (k kin) step(path []string, i int, relation string, known []string, ties []tie) (names []string) {
	var best, byPronoun []string
	for _, t := range ties {
		if !sameRelation(t.relation, relation) || slices.Contains(known, t.name) {
			continue
		}
		of := func(word string) bool {
			if i == 0 {
				return k.owner != "" && word == k.owner
			}
			return slices.Contains(known, word) || sameRelation(word, path[i-1])
		}
		switch {
		case i == 0 && t.own && (k.owner == "" && t.actor == "" || k.owner != "" && t.actor != "" && lexical.NamesOf(k.owner).In(t.actor)),
			slices.ContainsFunc(t.of, of):
			names = union(names, []string{t.name})
			if t.best {
				best = union(best, []string{t.name})
			}
		case i > 0 && t.pronoun && (t.around.window.coverage > t.around.words.coverage || lexical.NamesOf(known...).In(t.around.Memory.Memory)):
			// "Her fiancé Radu": whose, only what stands around it tells.
			byPronoun = union(byPronoun, []string{t.name})
		}
	}
	switch {
	case i == 0 && k.best && len(best) > 0:
		return best
	case len(names) == 0 && len(byPronoun) > 0:
		return byPronoun
	}
	return names
}

// hopStatement gives the newest memories that hold each of some terms and are no candidates yet.
func (f *finding) hopStatement(terms []int32) *statement {
	st := &statement{}
	q := f.qualification(st)
	st.write("WITH pool AS MATERIALIZED (SELECT p.memory_id AS id FROM (", f.scopes(st), ") s",
		" CROSS JOIN unnest(", st.bind(terms, "int[]"), ") AS t (term)",
		" CROSS JOIN LATERAL (SELECT memory_id FROM memory_posting WHERE scope_id = s.id AND term = t.term AND tenant_id = ", q.tenant,
		" ORDER BY memory_id DESC LIMIT ", st.bind(hopMemories, "int"), ") p WHERE p.memory_id <> ALL (", st.bind(f.have(), "uuid[]"), "))")
	return f.details(st, q, "ARRAY(SELECT id FROM pool)", false)
}

// have gives the ids of the candidates.
func (f *finding) have() []memoryID {
	ids := make([]memoryID, len(f.candidates))
	for i, c := range f.candidates {
		ids[i] = c.id
	}
	return ids
}
