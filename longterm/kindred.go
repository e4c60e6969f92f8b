package longterm

import (
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/lexical"
)

// Some slots tell of one matter from several sides: a divorce says that somebody is no longer
// the husband, "I live alone" that nobody else lives there, "I gave the cat away" that there is
// no Mia any more. Such slots are folded in one course; what of one ends of another is told
// here, and nothing else does.

// Matters are what several slots are about.
const (
	ofCouple  = "couple"     // partner, marital status
	ofJob     = "job"        // work, role
	ofHome    = "household"  // lives with, lives with:ana
	ofPets    = "pets"       // pet:mia, has:cat
	ofBirth   = "birth"      // health:pregnant, of the speaker and the partner
	anybody   = "lives with" // the slot that nobody lives there by
	allOfHome = "lives with:"
	allOfPets = "pet:"
	ofUse     = "habit:use "
	// kept is what a database is called where it has no name for what it holds.
	kept = "database"
)

// tools are used in each other's place: of each line mostly one.
var tools = func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(`
mysql postgres postgresql mariadb sqlite mongodb mongo cassandra dynamodb cockroachdb oracle mssql firebase supabase
aws gcp azure heroku hetzner digitalocean vercel netlify
jenkins circleci travis buildkite teamcity
react vue angular svelte
jira linear trello asana
slack teams discord mattermost
vim neovim emacs vscode intellij zed
windows linux mac macos ubuntu debian fedora
iphone android
chrome firefox safari brave edge
npm yarn pnpm bun
github gitlab bitbucket
spotify tidal deezer
gmail outlook protonmail
notion obsidian evernote
`) {
		same := strings.Fields(line)
		for _, tool := range same {
			all[tool] = same
		}
	}
	return all
}()

// tool gives what somebody uses by a claim.
func (c *claim) tool() string {
	if c.slot == kept {
		return c.value
	}
	return strings.TrimPrefix(c.slot, ofUse)
}

// changedTo tells that something is used in the place of another.
var changedTo = regexp.MustCompile(`\b(?:switched|migrated|moved|changed|converted|ported|went over)\b.* to \S|\b(?:now|currently) (?:use|using|on)\b|\b(?:use|using) [^ ]+(?: [^ ]+)? (?:now|these days|nowadays)\b|\bnow (?:i|we) use\b`)

// animals are kept and named; "has:cat" is of a pet.
var animals = map[string]bool{}

func init() {
	for _, a := range strings.Fields("dog puppy cat kitten parrot hamster rabbit bunny tortoise turtle horse pony budgie canary gecko snake goldfish ferret hen goat lizard rat mouse pig duck donkey bird") {
		animals[a] = true
	}
}

// matter is what a topic is folded with: itself, or what several slots are about.
func (t topic) matter() topic {
	kind, rest, _ := strings.Cut(t.slot, ":")
	switch {
	case kind == "partner", kind == "marital status":
		return topic{ofCouple, t.subject}
	case kind == "work", kind == "role":
		return topic{ofJob, t.subject}
	case kind == "lives with":
		return topic{ofHome, t.subject}
	case t.slot == "health:pregnant" && (t.subject == "" || t.subject == "partner"):
		return topic{ofBirth, ""}
	case strings.HasPrefix(t.slot, ofUse) && tools[strings.TrimPrefix(t.slot, ofUse)] != nil:
		return topic{tools[strings.TrimPrefix(t.slot, ofUse)][0], t.subject}
	case t.slot == kept:
		return topic{tools["mysql"][0], t.subject}
	case kind == "pet", kind == "has" && animals[strings.TrimSuffix(rest, "s")]:
		return topic{ofPets, t.subject}
	}
	return t
}

// topic wants all that is stated about a slot, whosever it is, and about what it is folded
// with, as far as its words tell what that may be.
func (w *wanting) topic(key []byte, t topic, text string) {
	w.slot(key, t.slot)
	switch m := t.matter(); {
	case m == t:
	case m.slot == ofCouple:
		w.slot(key, "partner")
		w.slot(key, "marital status")
	case m.slot == ofJob:
		w.slot(key, "work")
		w.slot(key, "role")
	case t.slot == anybody:
		w.kind(key, allOfHome)
	case m.slot == ofHome:
		w.slot(key, anybody)
	case tools[m.slot] != nil:
		for _, tool := range tools[m.slot] {
			w.slot(key, ofUse+tool)
		}
		if m.slot == tools["mysql"][0] {
			w.slot(key, kept)
		}
	case m.slot == ofBirth: // is the slot whosever it is
	case m.slot == ofPets:
		w.kind(key, allOfPets)
		for _, animal := range animalsIn(lexical.Canonical(text)) {
			w.slot(key, "has:"+animal)
			w.slot(key, "has:"+animal+"s")
		}
	}
}

// kind wants all that is stated about the slots of a kind, by what their names begin with.
func (w *wanting) kind(key []byte, kind string) {
	if w.first("kind", string(key), kind) {
		w.kinds.keys, w.kinds.names = append(w.kinds.keys, key), append(w.kinds.names, kind)
	}
}

// slotsOfKind gives the slots of identities whose names begin so.
const slotsOfKind = `
	SELECT k.key, x.slot FROM unnest($2::bytea[], $3::text[]) AS k (key, kind)
	 CROSS JOIN LATERAL (SELECT id FROM memory_scope s WHERE s.tenant_id = $1 AND s.key = k.key OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT slot FROM memory m WHERE m.scope_id = s.id AND m.slot IS NOT NULL AND starts_with(m.slot, k.kind) AND m.tenant_id = $1
	        UNION SELECT slot FROM memory_mention n WHERE n.scope_id = s.id AND n.slot IS NOT NULL AND n.gone IS NOT NULL AND starts_with(n.slot, k.kind) AND n.tenant_id = $1) x`

func (c *change) scanKinds(rows pgx.Rows) error {
	var key []byte
	var slot string
	_, err := pgx.ForEachRow(rows, []any{&key, &slot}, func() error {
		c.wanted.slot(slices.Clone(key), slot)
		return nil
	})
	return err
}

// meant gives the spans of other topics than its own that a claim ends.
func (f *course) meant(c *claim) func(*span) bool {
	switch c.matter().slot {
	case ofCouple:
		return func(s *span) bool { return c.endsOfCouple(s.claim) }
	case ofJob:
		return func(s *span) bool { return c.endsJob(s.claim) }
	case ofHome:
		return func(s *span) bool {
			return c.slot != s.claim.slot && c.negated != s.claim.negated && (c.slot == anybody) == c.negated && (s.claim.slot == anybody) == s.claim.negated
		}
	case ofBirth:
		born := c.negated && !strings.Contains(c.form(), "pregnant")
		return func(s *span) bool { return born && !s.claim.negated }
	case ofPets:
		all := f.endsPets(c)
		return func(s *span) bool { return slices.Contains(all, s) }
	}
	if tools[c.matter().slot] != nil && !c.negated && changedTo.MatchString(c.form()) {
		return func(s *span) bool { return !s.claim.negated && s.claim.topic != c.topic && s.claim.tool() != c.tool() }
	}
	return func(*span) bool { return false }
}

var (
	// spouse tells of whom one is married to.
	spouse = regexp.MustCompile(`\b(?:wife|husband|hubby|spouse)\b`)
	// parted are who was married and is not, coupled who are together.
	parted  = map[string]bool{"divorced": true, "widowed": true, "separated": true}
	coupled = map[string]bool{"married": true, "engaged": true, "in a relationship": true}
)

// endsOfCouple says whether what is told of a marriage ends what is told of who is the
// partner, or the other way round. Who is divorced may have a girlfriend, and has no wife.
func (c *claim) endsOfCouple(o *claim) bool {
	switch {
	case c.slot == o.slot || o.negated:
		return false
	case c.slot == "marital status" && c.negated:
		return c.value == "married" && spouse.MatchString(o.form())
	case c.slot == "marital status":
		return c.value == "single" || parted[c.value] && (spouse.MatchString(o.form()) || o.value != "" && lexical.NamesOf(o.value).In(c.form()))
	case c.negated:
		return coupled[o.value] && (o.value != "married" || c.value == "" || lexical.NamesOf(c.value).In(o.form()))
	}
	return o.value == "single" || parted[o.value] && spouse.MatchString(c.form())
}

var (
	worksAs = regexp.MustCompile(`\bwork(?:s|ing)? (?:full[- ]time )?as\b`)
	// retiring ends what one is at work, wherever.
	retiring = regexp.MustCompile(`\b(?:retired|am retired|went into retirement)\b`)
	promoted = regexp.MustCompile(`\bpromoted (?:to|as)\b`)
	// postAt names what somebody is and where, atAs the other way round.
	postAt = regexp.MustCompile(`\b(?:am|are|is|as) (?:now )?(?:a|an|the) ([\pL -]{2,40}?) (?:at|for|with) `)
	atAs   = regexp.MustCompile(`\b(?:at|for|with) [\pL' -]{2,40}? as (?:a|an|the) ([\pL-]+(?: [\pL-]+)?)`)
)

// post gives what somebody is at work by a claim, "" if it does not say.
func (c *claim) post() string {
	if c.slot == "role" {
		return c.value
	}
	for _, form := range []*regexp.Regexp{postAt, atAs} {
		if m := form.FindStringSubmatch(c.form()); m != nil {
			return m[1]
		}
	}
	return ""
}

// endsJob says whether a post ends another, one at the same place or the one before a
// promotion, or what is told to be over of work ends a post.
func (c *claim) endsJob(o *claim) bool {
	switch {
	case o.negated || c.negated && c.slot == o.slot:
		return false
	case c.negated && c.slot == "role": // "I'm no longer a cashier"
		return c.value != "" && alikeValues(c.value, o.post())
	case c.negated: // "I quit my job"
		return c.value == "" && (worksAs.MatchString(o.form()) || o.slot == "role" && retiring.MatchString(c.form()))
	}
	was, is := o.post(), c.post()
	if was == "" || is == "" || alikeValues(was, is) {
		return false
	}
	return c.slot == "role" && o.slot == "work" && promoted.MatchString(c.form()) || c.slot == "work" && o.slot == "work" && alikeValues(c.value, o.value)
}

// renamed tells that something is called otherwise than before.
var renamed = regexp.MustCompile(`\b(?:called|named) \pL+ now\b|\b(?:is|are) now (?:called|named)\b|\bname is now\b|\brenamed\b`)

// endsPets gives the pets that a claim says to be no more, or to be called otherwise: one that
// is not named must be the only one of its kind.
func (f *course) endsPets(c *claim) (all []*span) {
	of := func(animal string) (named, owned []*span) {
		for _, s := range f.current {
			switch {
			case s.claim.negated || s.claim.topic == c.topic:
			case s.claim.slot == "has:"+animal:
				owned = append(owned, s)
			case strings.HasPrefix(s.claim.slot, allOfPets) && slices.Contains(animalsIn(s.claim.form()), animal):
				named = append(named, s)
			}
		}
		return named, owned
	}
	kind, name, _ := strings.Cut(c.slot, ":")
	switch {
	case kind == "has" && c.negated:
		animal := strings.TrimSuffix(name, "s")
		named, owned := of(animal)
		if animal != name { // all of them
			return slices.Concat(named, owned)
		}
		if len(named) == 1 {
			return named
		}
	case kind == "pet" && c.negated:
		kinds := animalsIn(c.form())
		for _, s := range f.spans {
			if s.claim.topic == c.topic {
				kinds = append(kinds, animalsIn(s.claim.form())...)
			}
		}
		for _, animal := range kinds {
			if named, owned := of(animal); len(named) == 0 {
				all = append(all, owned...) // it was the only one
			}
		}
	case kind == "pet" && renamed.MatchString(c.form()):
		for _, animal := range animalsIn(c.form()) {
			if named, _ := of(animal); len(named) == 1 {
				all = append(all, named...)
			}
		}
	}
	return all
}

// animalsIn gives the animals that a text, in the form in which it is compared, names.
func animalsIn(form string) (all []string) {
	for _, w := range strings.Fields(form) {
		if w = strings.Trim(w, ",.!;:()"); animals[w] && !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}
