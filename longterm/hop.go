package longterm

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/lexical"
)

// "Where does my sister's husband work?" is answered by what names neither: "Radu works at
// Continental". What was found for the question tells who is meant ("my sister Ioana", "Ioana's
// husband Radu"), and one more query looks for what else is said of them. There is no hop where a
// question names nobody by a relation, nor where nothing tells who that is.

const (
	// hopNames bounds the names that may be meant, hopMemories what is read of each, the newest
	// first: what also has words of the question is found without that.
	hopNames, hopMemories = 4, 50
)

// kin is somebody that a question names by a relation: "my sister's husband".
type kin struct {
	// owner is who it is a relation of, "" for who asks; relations lead from there.
	owner     string
	relations []string
}

var (
	ofWhom   = `(my|our|[\pL-]+['’]s) +(?:` + qualities + ` +)*` + relationWord
	kinForm  = regexp.MustCompile(`(?i)\b` + ofWhom + `(?:['’]s +(?:` + qualities + ` +)*` + relationWord + `)?\b`)
	kinOfKin = regexp.MustCompile(`(?i)\bthe +` + relationWord + ` +of +` + ofWhom + `\b`)

	// The ways to say whose somebody is: whose, the relation, the name.
	thirdBond = regexp.MustCompile(`([\pL-]+)['’]s +(?i:(?:` + qualities + ` +)*` + relationWord + `(?: (?:is|was) (?:called|named)|,? (?:called|named)|['’]s name is|,)?) +\(?` + given)
	herBond   = regexp.MustCompile(`(?i:\b(?:her|his|their) +(?:` + qualities + ` +)*` + relationWord + `(?: (?:is|was) (?:called|named)|,? (?:called|named)|['’]s name is|,)?) +\(?` + given)
	// wedded gives two people who are a couple.
	wedded = regexp.MustCompile(given + `(?i: and (?:(?:her|his) )?)` + given + `(?i:[^.;!?]{0,30}\b(?:married|engaged|wedding|couple|divorced|dating)\b)`)
)

// couples are the words by which people call whom they are a couple with: it is wife here and
// girlfriend there, but no husband.
var couples = map[string]string{"wife": "her", "girlfriend": "her", "gf": "her", "fiancee": "her", "husband": "him", "hubby": "him", "boyfriend": "him", "bf": "him",
	"partner": "any", "fiance": "any", "spouse": "any"}

// sameRelation says whether two words mean the same relation.
func sameRelation(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	whom, other := couples[a], couples[b]
	return a == b || slices.Contains(relations[a], b) || whom != "" && other != "" && (whom == other || whom == "any" || other == "any")
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
	if m := kinOfKin.FindStringSubmatch(text); m != nil {
		if k := (kin{owner(m[2]), []string{m[3], m[1]}}); relations[k.owner] == nil {
			return []kin{k}
		}
	}
	for _, m := range kinForm.FindAllStringSubmatch(text, hopNames) {
		k := kin{owner(m[1]), []string{m[2]}}
		if relations[k.owner] != nil || k.owner == "what" || k.owner == "who" || k.owner == "where" || k.owner == "it" || k.owner == "that" {
			continue
		}
		if m[3] != "" {
			k.relations = append(k.relations, m[3])
		}
		all = append(all, k)
	}
	return all
}

// hop adds what is said of those whom the question names by a relation, under the names that the
// candidates tell of them.
func (f *finding) hop(ctx context.Context) error {
	if f.query.Mode == ModeVector {
		return nil
	}
	f.asked.meant = f.whoIsMeant()
	if len(f.asked.meant) == 0 {
		return nil
	}
	var terms []int32
	for _, name := range f.asked.meant {
		all, _ := lexical.Terms(name)
		for _, t := range all {
			if _, asked := f.question.at[t.Hash]; !asked && t.Hash != wholeMessage && t.Hash != asksTerm {
				terms = append(terms, t.Hash)
			}
		}
	}
	if len(terms) > 0 && len(f.candidates) < f.memories.documents {
		st := f.hopStatement(terms)
		if err := f.store.readSelected(ctx, "longterm.search", f.selection, func(b *pgx.Batch) { queue(b, st).Query(f.scanCandidates) }); err != nil {
			return err
		}
	}
	names := lexical.NamesOf(f.asked.meant...)
	for _, c := range f.candidates {
		c.hop = names.In(c.Memory.Memory) || slices.Contains(f.asked.meant, c.subject)
	}
	return nil
}

// whoIsMeant gives the names of those whom the question names by a relation, as the candidates
// tell them, and none that the question has itself.
func (f *finding) whoIsMeant() (names []string) {
	for _, k := range kinOf(f.query.Text) {
		known := []string{}
		for i, relation := range k.relations {
			known = f.called(k, known, i, relation)
			if len(known) == 0 {
				break
			}
		}
		if len(known) > 0 {
			f.asked.steps = append(f.asked.steps, k.relations[:len(k.relations)-1]...)
		}
		names = union(names, known)
	}
	if len(names) > hopNames {
		return nil // too many friends to tell who is meant
	}
	return slices.DeleteFunc(names, func(name string) bool { return lexical.NamesOf(name).In(f.query.Text) })
}

// called gives the names of who stands in a relation, the i-th of those that lead to somebody, to
// people of known names; of the first that is whom the question says.
func (f *finding) called(k kin, known []string, i int, relation string) (names []string) {
	first := i == 0
	add := func(of, name string) {
		name = strings.ToLower(strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s"), "'’-"))
		if sameRelation(of, relation) && !titles[name] && relations[name] == nil && !lexical.NamesOf(name).Empty() && !slices.Contains(known, name) {
			names = union(names, []string{name})
		}
	}
	// whose says whether a word names those whom the relation is of.
	whose := func(word string) bool {
		word = strings.ToLower(word)
		return first && k.owner != "" && word == k.owner || !first && (slices.Contains(known, word) || sameRelation(word, k.relations[i-1]))
	}
	for _, c := range f.candidates {
		if c.negated || c.Role == "assistant" {
			continue
		}
		text := unaccented.Replace(c.Memory.Memory)
		own := c.ActorID == nil || *c.ActorID == ""
		if first && (k.owner == "" && own || k.owner != "" && !own && lexical.NamesOf(k.owner).In(*c.ActorID)) {
			for _, b := range bonds(text, c.value) {
				add(b.relation, b.name)
			}
		}
		for _, m := range thirdBond.FindAllStringSubmatch(text, -1) {
			if whose(m[1]) {
				add(m[2], m[3])
			}
		}
		if couples[strings.ToLower(relation)] != "" {
			for _, m := range wedded.FindAllStringSubmatch(text, -1) {
				for a := range 2 {
					if whose(m[1+a]) {
						add(relation, m[2-a])
					}
				}
			}
		}
	}
	if first || len(names) > 0 {
		return names
	}
	// "Her fiancé Radu": whose, only what stands around it tells.
	for _, c := range f.candidates {
		text := unaccented.Replace(c.Memory.Memory)
		if m := herBond.FindStringSubmatch(text); m != nil && !c.negated && c.Role != "assistant" && (c.window.coverage > c.words.coverage || lexical.NamesOf(known...).In(text)) {
			add(m[1], m[2])
		}
	}
	return names
}

// hopStatement gives the newest memories that hold each of some terms and are no candidates yet.
func (f *finding) hopStatement(terms []int32) *statement {
	st := &statement{}
	have := make([]memoryID, len(f.candidates))
	for i, c := range f.candidates {
		have[i] = c.id
	}
	q := f.qualification(st)
	st.write("WITH pool AS MATERIALIZED (SELECT p.memory_id AS id FROM (", f.scopes(st), ") s",
		" CROSS JOIN unnest(", st.bind(terms, "int[]"), ") AS t (term)",
		" CROSS JOIN LATERAL (SELECT memory_id FROM memory_posting WHERE scope_id = s.id AND term = t.term AND tenant_id = ", q.tenant,
		" ORDER BY memory_id DESC LIMIT ", st.bind(hopMemories, "int"), ") p WHERE p.memory_id <> ALL (", st.bind(have, "uuid[]"), "))")
	return f.details(st, q, "ARRAY(SELECT id FROM pool)", false)
}
