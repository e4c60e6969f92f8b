package longterm

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/postgres"
)

// Telling asks what became of what was learned from messages of a user's.
type Telling struct {
	// Scope has the user, and with Filters what is recalled beside what is told.
	Scope    memd.Scope
	Filters  Filter
	Messages []int64
}

// Account is what became of what was learned from messages.
type Account struct {
	// Of has those from which something was learned, also what has ended since, or was edited,
	// taken away or to be forgotten.
	Of map[int64]Told
	// away is what of the user was taken away of late, whatever said it, and not said anew.
	away []away
}

// Told is what became of what was learned from a message.
type Told struct {
	// Left is what of it is remembered, Ended what was and is so no more.
	Left  []Statement
	Ended []string
	// Taken says that a person took something of it away, rewrote it or had it forgotten.
	Taken bool
	// hushed says that it cannot be told what of the message that is, taken what it is.
	hushed bool
	taken  []away
	// gone are those of taken that were not said anew, overruled those of them that the message does
	// not bring about again; answered those of the message that this one answers.
	gone, overruled, answered []away
}

// Statement is what a memory says, and whose that is. Excluded says that the scope and filters
// asked with leave it out.
type Statement struct {
	ID, Role, Text string
	Excluded       bool
}

// away is a statement that was taken away, by its terms; weighty are those of names and numbers,
// each of which, but for small numbers, weighs as much as two others. Of a statement that is known by nothing but its
// terms there are none. changed are those that what was written in its place does not have; nil if
// nothing was.
type away struct{ terms, weighty, changed []int32 }

// editedAway makes a statement that was rewritten one that was taken away; false if all of it is
// still said.
func editedAway(text, instead string) (away, bool) {
	return awayOf(text).less(termsOf(ungrouped(instead)))
}

// less is a statement that was taken away of a message of which something with these terms is
// remembered still; false if that has all of it.
func (a away) less(still []int32) (away, bool) {
	if len(still) == 0 {
		return a, true
	}
	a.changed = []int32{}
	for _, t := range a.terms {
		if !slices.Contains(still, t) {
			a.changed = append(a.changed, t)
		}
	}
	return a, len(a.changed) > 0
}

// stands says whether what has these terms has of a statement that was rewritten what is not so
// any more.
func (a away) stands(terms []int32) bool {
	return a.changed == nil || slices.ContainsFunc(a.changed, func(t int32) bool { return slices.Contains(terms, t) })
}

// awayOf makes a statement one that was taken away.
func awayOf(text string) away {
	text = ungrouped(extract.Undated(text))
	a := away{terms: termsOf(text)}
	for i, w := range strings.Fields(text) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		first, _ := utf8.DecodeRuneInString(w)
		if i > 0 && unicode.IsUpper(first) && w != "I" || strings.ContainsFunc(w, unicode.IsDigit) {
			a.weighty = append(a.weighty, termsOf(w)...)
		}
	}
	return a
}

const (
	// leastLike is how much of the fewer terms two statements have in common that say the same in
	// other words.
	leastLike = 0.5
	// mostOfIt is how much of a sentence consists of a statement that it says back, with others.
	mostOfIt = 0.6
)

// says says whether a sentence with these terms says the statement again, in other words.
func (a away) says(terms []int32) bool {
	both := a.common(terms)
	switch {
	case both == 0 || !a.stands(terms) || !a.owns(terms):
		return false
	case both >= min(2, len(a.terms)) && (float64(both) >= leastLike*float64(len(a.terms)) || float64(both) >= mostOfIt*float64(len(terms))):
		return true
	}
	return a.most(terms)
}

// most says whether a sentence has more than half of what the statement says, by the weight of its
// terms: of "my ex is Bernd" the name alone.
func (a away) most(terms []int32) bool {
	both, all, names := 0, 0, false
	for _, t := range a.terms {
		weight, named := 1, slices.Contains(a.weighty, t) && !smallNumbers()[t]
		if named {
			weight = 2
		}
		all += weight
		if slices.Contains(terms, t) {
			both += weight
			names = names || named
		}
	}
	return 2*both > all && (names || a.common(terms) >= min(2, len(a.terms)))
}

// hasWord says whether a sentence has a word of the statement that is its own: no everyday one, and
// no small number.
func (a away) hasWord(terms []int32) bool {
	return slices.ContainsFunc(terms, func(t int32) bool { return slices.Contains(a.terms, t) && !everyday()[t] && !smallNumbers()[t] })
}

// owns says whether what a sentence has of the statement is more than everyday words, unless it
// consists of these.
func (a away) owns(terms []int32) bool {
	all := everyday()
	own := func(t int32) bool { return !all[t] }
	return !slices.ContainsFunc(a.terms, own) || slices.ContainsFunc(terms, func(t int32) bool { return own(t) && slices.Contains(a.terms, t) })
}

// everyday are words that answers have whatever they are about.
var everyday = sync.OnceValue(func() map[int32]bool {
	all := map[int32]bool{}
	for _, t := range termsOf(`add ask be become begin book bring buy call came change check come cost day days do drink eat end enjoy euro euros dollar dollars pound pounds
		family feel few find first friend friends get give go goes going gone good got great grow guess have having hear help hour hours idea job keep kind know large last late learn leave left
		let like list little live lives living long look lot love made make many maybe mean meet minute minutes month months morning move moved moving much name named need needs new next nice
		night number old one open owe own part pay people place plan plans play please put read ready really right run said say second see send set show since small sort start started step steps stop
		sure take talk tell thank thanks thing things think third time times today tomorrow tonight took tried try two three four five six seven eight nine ten twelve twenty thirty hundred thousand
		use used using visit wait walk want wants watch way week weekend weeks well went work worked working works write year years yesterday
		monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday sundays
		january february march april may june july august september october november december spring summer autumn winter`) {
		all[t] = true
	}
	return all
})

// smallNumbers are numbers of up to four figures: a port, a year, a price, a time.
var smallNumbers = sync.OnceValue(func() map[int32]bool {
	all := map[int32]bool{}
	for n := range 10000 {
		for _, t := range termsOf(fmt.Sprintf("%d %02d", n, n)) { // dates have 03
			all[t] = true
		}
	}
	return all
})

// saidTerms are the terms of what may say something back: the name of a state counts as what is in
// it, "pregnancy" as "pregnant".
func saidTerms(text string) []int32 {
	text = ungrouped(extract.Undated(text))
	terms := termsOf(text)
	for _, m := range ofState.FindAllStringSubmatch(text, -1) {
		of := map[string]string{"ncy": "nt", "nt": "ncy"}[strings.ToLower(m[2])]
		for _, t := range termsOf(m[1] + of) {
			if !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		}
	}
	slices.Sort(terms)
	return terms
}

// ofState is the name of a state, or who is in it.
var ofState = regexp.MustCompile(`(?i)\b([a-z]{4,}[ae])(ncy|nt)\b`)

func (a away) common(terms []int32) (n int) {
	for _, t := range terms {
		if slices.Contains(a.terms, t) {
			n++
		}
	}
	return n
}

// ungrouped writes numbers in one: "87,450" as "87450".
func ungrouped(text string) string { return digitGroup.ReplaceAllString(text, "$1$2") }

var digitGroup = regexp.MustCompile(`(\d)[,'’](\d{3})\b`)

// SaysBack says whether what another than the user is remembered to have said is what was taken
// away of the user: most of it, so that what only mentions the thing is not.
func (a Account) SaysBack(role, text string) bool {
	if role == string(memd.RoleUser) || len(a.away) == 0 {
		return false
	}
	terms := saidTerms(text)
	return slices.ContainsFunc(a.away, func(t away) bool {
		both := t.common(terms)
		if !t.stands(terms) || !t.owns(terms) {
			return false
		}
		if len(t.terms) == 1 {
			return both == 1 && len(terms) <= ofOneWord
		}
		return both >= 2 && (t.most(terms) || float64(both) >= mostOfIt*float64(len(terms)))
	})
}

// Answers has a message count as the answer to another, right behind it: what says back there a word
// of what was taken away of that one is not shown, be it ever so little.
func (a Account) Answers(asked, answer int64) {
	of := a.Of[asked]
	if len(of.gone) == 0 {
		return
	}
	t := a.Of[answer]
	t.answered = append(t.answered, of.gone...)
	a.Of[answer] = t
}

// SaysBackTo says whether what another than the user is remembered to have said in answer to a
// message has a word of what was taken away of that.
func (a Account) SaysBackTo(asked int64, role, text string) bool {
	if role == string(memd.RoleUser) {
		return false
	}
	terms := saidTerms(text)
	return slices.ContainsFunc(a.Of[asked].gone, func(t away) bool { return t.hasWord(terms) })
}

// SaysBackIn is SaysBack of what is remembered of a message, which may be the answer to another.
func (a Account) SaysBackIn(message int64, role, text string) bool {
	if a.SaysBack(role, text) {
		return true
	}
	answered := a.Of[message].answered
	if role == string(memd.RoleUser) || len(answered) == 0 {
		return false
	}
	terms := saidTerms(text)
	return slices.ContainsFunc(answered, func(t away) bool { return t.hasWord(terms) })
}

// TookAway says whether anything of the user was taken away of late.
func (a Account) TookAway() bool { return len(a.away) > 0 }

// leave leaves of what was taken away of messages the terms that nothing has which is remembered of
// them: as where a statement was rewritten, or one of two was taken away.
func (a *Account) leave() {
	for id, t := range a.Of {
		if len(t.gone) == 0 {
			continue
		}
		var still []int32
		for _, l := range t.Left {
			still = append(still, termsOf(ungrouped(l.Text))...)
		}
		for _, o := range t.overruled {
			if o, is := o.less(still); is {
				a.away = append(a.away, o)
			}
		}
		for i := range t.gone {
			t.gone[i].terms = slices.DeleteFunc(slices.Clone(t.gone[i].terms), func(term int32) bool { return slices.Contains(still, term) })
		}
		a.Of[id] = t
	}
}

// ofOneWord is how many terms there are at most, with that of a statement of one term, where that
// is said back.
const ofOneWord = 3

// Shown gives what a message may still be quoted with: its text without the sentences that say
// what was taken away of it, or any that cannot be told from these; and of what others than the
// user said, without those that say back what was taken away of the user. What a user says
// again counts as new.
func (a Account) Shown(message int64, role memd.Role, text string) string {
	of := a.Of[message]
	echoes := role != memd.RoleUser && len(a.away)+len(of.answered) > 0
	switch {
	case of.hushed:
		return ""
	case !echoes && len(of.taken) == 0:
		return text
	}
	text, beyond := cut(text, bytesTold)
	if len(of.taken) > 0 {
		beyond = ""
	}
	pieces := extract.Pieces(text)
	terms := make([][][]int32, len(pieces))
	for i, p := range pieces {
		for _, s := range p.Sentences {
			terms[i] = append(terms[i], saidTerms(s))
		}
	}
	for _, t := range of.taken {
		if !slices.ContainsFunc(terms, func(piece [][]int32) bool { return slices.ContainsFunc(piece, t.says) }) {
			return "" // it cannot be told which sentence it was
		}
	}
	hides := func(terms []int32) bool {
		return slices.ContainsFunc(of.taken, func(t away) bool { return t.common(terms) > 0 }) ||
			echoes && (slices.ContainsFunc(a.away, func(t away) bool { return t.says(terms) }) ||
				slices.ContainsFunc(of.answered, func(t away) bool { return t.hasWord(terms) }))
	}
	if !slices.ContainsFunc(terms, func(piece [][]int32) bool { return slices.ContainsFunc(piece, hides) }) {
		return text + beyond
	}
	shown := leftText{marks: role != memd.RoleUser}
	for i, p := range pieces {
		switch {
		case !slices.ContainsFunc(terms[i], hides):
			shown.add(p.Text)
		case p.Whole && len(p.Sentences) > 0 && role != memd.RoleUser:
			shown.leave()
		default:
			for k, s := range p.Sentences {
				if !hides(terms[i][k]) {
					shown.add(s)
					continue
				}
				parts := a.besides(s, of, echoes)
				if len(parts) == 0 || !strings.HasPrefix(s, parts[0]) {
					shown.leave()
				}
				for _, p := range parts {
					shown.add(p)
				}
				if len(parts) > 0 && !strings.HasSuffix(s, parts[len(parts)-1]) {
					shown.leave()
				}
			}
		}
		shown.endLine()
	}
	shown.add(beyond)
	return shown.text()
}

// leftMark stands for what is left out of a message of others than the user, who are to know that
// it is not all they said.
const leftMark = "[…]"

// leftText is what is left of a text.
type leftText struct {
	marks  bool
	pieces []string
	some   bool // beside marks
	line   bool // the next piece begins a line
}

func (l *leftText) add(piece string) {
	if piece = strings.TrimRight(piece, " \n"); strings.TrimSpace(piece) == "" {
		return
	}
	l.some = true
	l.put(piece)
}

func (l *leftText) put(piece string) {
	if n := len(l.pieces); n > 0 {
		l.pieces = append(l.pieces, map[bool]string{true: "\n", false: " "}[l.line])
	}
	l.pieces, l.line = append(l.pieces, piece), false
}

// leave marks that something is left out.
func (l *leftText) leave() {
	if n := len(l.pieces); l.marks && (n == 0 || l.pieces[n-1] != leftMark) {
		l.put(leftMark)
	}
}

func (l *leftText) endLine() { l.line = true }

// text is all that is left, "" if that is nothing but marks.
func (l *leftText) text() string {
	if !l.some {
		return ""
	}
	return strings.TrimSpace(strings.Join(l.pieces, ""))
}

// besides gives the parts of a sentence that is not shown which have no word of why it is not.
func (a Account) besides(sentence string, of Told, echoes bool) (left []string) {
	parts := extract.Parts(sentence)
	if len(parts) < 2 {
		return nil
	}
	for _, p := range parts {
		terms := saidTerms(p)
		tells := func(t away) bool { return t.common(terms) > 0 }
		echo := func(t away) bool { return t.hasWord(terms) || t.says(terms) }
		if !slices.ContainsFunc(of.taken, tells) && !(echoes && (slices.ContainsFunc(a.away, echo) || slices.ContainsFunc(of.answered, echo))) {
			left = append(left, p)
		}
	}
	return left
}

// Instead gives what is told of a message in its place: what may be shown of it, behind what is
// remembered of it in other words than its own, as where a person rewrote it.
func (a Account) Instead(message int64, role memd.Role, text string) string {
	text = a.Shown(message, role, text)
	of := a.Of[message]
	if !of.Taken {
		return text
	}
	var sentences [][]int32
	for _, s := range extract.Sentences(text, len(text)) {
		sentences = append(sentences, termsOf(ungrouped(s)))
	}
	var told []string
	for _, l := range of.Left {
		statement := awayOf(l.Text)
		if l.Role == string(role) && !a.SaysBackIn(message, l.Role, l.Text) && !slices.ContainsFunc(sentences, statement.says) {
			told = append(told, l.Text)
		}
	}
	return strings.TrimSpace(strings.Join(append(told, text), " "))
}

// bytesTold is how much of a message is compared with what was taken away.
const bytesTold = 64 << 10

// cut gives a text in two, the first of at most n bytes.
func cut(text string, n int) (before, after string) {
	if len(text) <= n {
		return text, ""
	}
	before = strings.ToValidUTF8(text[:n], "")
	return before, text[len(before):]
}

// awayMost is how much of what was taken away last is known, whatever said it.
const awayMost = 200

// Told gives what became of what was learned from messages.
func (s *Store) Told(ctx context.Context, tenant string, t Telling) (Account, error) {
	a := Account{}
	sel, err := newSelection(tenant, t.Scope, t.Filters, false)
	if err != nil {
		return a, err
	}
	b := postgres.TenantBatch(tenant)
	b.Queue(pinPlans)
	recalled := map[memoryID]bool{}
	if !sel.plain() {
		queue(b, sel.toldStatement(t.Messages)).Query(func(rows pgx.Rows) error {
			var id memoryID
			_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
				recalled[id] = true
				return nil
			})
			return err
		})
	}
	a.queue(b, tenant, t.Scope.UserID, t.Messages, func(id memoryID) bool { return !sel.plain() && !recalled[id] })
	err = PoolFor(s.pool, sel.filters).SendBatch(ctx, b).Close()
	return a, postgres.Err("longterm.told", err)
}

// ToldIn is Told within tx, which must be the tenant's, of all that a user's messages made known.
func (s *Store) ToldIn(ctx context.Context, tx pgx.Tx, tenant, userID string, messages []int64) (Account, error) {
	a := Account{}
	b := &pgx.Batch{}
	a.queue(b, tenant, userID, messages, func(memoryID) bool { return false })
	return a, postgres.Err("longterm.told", tx.SendBatch(ctx, b).Close())
}

// queue asks for the account, of which excluded leaves some out.
func (a *Account) queue(b *pgx.Batch, tenant, userID string, messages []int64, excluded func(memoryID) bool) {
	a.Of = map[int64]Told{}
	note := func(message int64, do func(*Told)) {
		t := a.Of[message]
		do(&t)
		a.Of[message] = t
	}
	b.Queue(toldMessages, tenant, messages).Query(func(rows pgx.Rows) error {
		var message int64
		var id memoryID
		var role, text string
		var lives bool
		_, err := pgx.ForEachRow(rows, []any{&message, &id, &role, &text, &lives}, func() error {
			note(message, func(t *Told) {
				if lives {
					t.Left = append(t.Left, Statement{uuid.UUID(id).String(), role, text, excluded(id)})
				} else {
					t.Ended = append(t.Ended, text)
				}
			})
			return nil
		})
		return err
	})
	b.Queue(toldOverruled, tenant, userID, messages).Query(func(rows pgx.Rows) error {
		var message int64
		var terms []int32
		var again bool
		_, err := pgx.ForEachRow(rows, []any{&message, &terms, &again}, func() error {
			note(message, func(t *Told) {
				t.Taken, t.hushed = true, t.hushed || len(terms) == 0
				t.taken = append(t.taken, away{terms: slices.Clone(terms)})
				if !again {
					t.gone = append(t.gone, away{terms: slices.Clone(terms)})
				}
				if len(terms) > 0 && !again {
					t.overruled = append(t.overruled, away{terms: slices.Clone(terms)})
				}
			})
			return nil
		})
		return err
	})
	b.Queue(toldForgotten, tenant, messages).Query(func(rows pgx.Rows) error {
		var message int64
		_, err := pgx.ForEachRow(rows, []any{&message}, func() error {
			note(message, func(t *Told) { t.Taken, t.hushed = true, true })
			return nil
		})
		return err
	})
	b.Queue(toldGone, tenant, userID, messages).Query(func(rows pgx.Rows) error {
		var text string
		var of []int64
		_, err := pgx.ForEachRow(rows, []any{&text, &of}, func() error {
			gone := awayOf(text)
			for _, message := range of {
				note(message, func(t *Told) {
					t.Taken, t.hushed = true, t.hushed || len(gone.terms) == 0
					t.taken, t.gone = append(t.taken, gone), append(t.gone, gone)
				})
			}
			return nil
		})
		return err
	})
	b.Queue(toldAway, tenant, userID, awayMost).Query(func(rows pgx.Rows) error {
		var text string
		var instead *string
		_, err := pgx.ForEachRow(rows, []any{&text, &instead}, func() error {
			gone, is := awayOf(text), true
			if instead != nil {
				gone, is = editedAway(text, *instead)
			}
			if is && len(gone.terms) > 0 {
				a.away = append(a.away, gone)
			}
			return nil
		})
		a.leave()
		return err
	})
}

// toldStatement gives those of the memories that messages state that are selected.
func (s selection) toldStatement(messages []int64) *statement {
	st := &statement{}
	tenant := st.bind(s.tenant, "text")
	return st.write("SELECT m.id FROM (SELECT DISTINCT memory_id FROM memory_source x WHERE x.message_id = ANY (", st.bind(messages, "bigint[]"), ") AND x.tenant_id = ", tenant, " OFFSET 0) x",
		" CROSS JOIN LATERAL (SELECT m.* FROM memory m WHERE m.id = x.memory_id AND m.tenant_id = ", tenant, s.conditions(st), " OFFSET 0) m")
}

const (
	toldMessages = `SELECT x.message_id, m.id, m.role, m.memory, m.lives
	  FROM (SELECT memory_id, message_id FROM memory_source x WHERE x.message_id = ANY ($2::bigint[]) AND x.tenant_id = $1 OFFSET 0) x
	 CROSS JOIN LATERAL (SELECT *, m.valid_to IS NULL AND (m.expires_at IS NULL OR m.expires_at > now()) AS lives
	                       FROM memory m WHERE m.id = x.memory_id AND m.tenant_id = $1 OFFSET 0) m
	 ORDER BY x.message_id, m.valid_from, m.id`

	// toldOverruled also says whether the same is remembered again.
	toldOverruled = `SELECT o.message_id, o.terms, EXISTS (
		SELECT FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
		 CROSS JOIN LATERAL (SELECT FROM memory m WHERE m.scope_id = s.id AND m.hash = o.hash AND m.tenant_id = $1 AND m.valid_to IS NULL OFFSET 0) m)
	  FROM memory_overruled o WHERE o.message_id = ANY ($3::bigint[]) AND o.tenant_id = $1`

	toldForgotten = `SELECT DISTINCT message_id FROM memory_forgotten WHERE message_id = ANY ($2::bigint[]) AND tenant_id = $1`

	// toldGone gives what is not remembered of what messages $3 state.
	toldGone = `SELECT n.memory, n.of FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT memory, ARRAY(SELECT x FROM unnest(n.sources) AS x WHERE x = ANY ($3::bigint[])) AS of
	                       FROM memory_mention n WHERE n.scope_id = s.id AND n.gone IS NOT NULL AND n.tenant_id = $1 OFFSET 0) n
	 WHERE n.of <> '{}'`

	// toldAway gives what was taken away last, up to $3 of each kind, save what is remembered again,
	// and what was rewritten, with what stands in its place.
	toldAway = `SELECT a.memory, NULL FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
	 CROSS JOIN LATERAL (
		(SELECT n.memory, n.hash FROM memory_mention n WHERE n.scope_id = s.id AND n.gone IS NOT NULL AND n.tenant_id = $1 ORDER BY n.said_at DESC LIMIT $3)
		UNION
		SELECT h.previous_memory, h.hash FROM (SELECT * FROM memory_history h WHERE h.scope_id = s.id AND h.tenant_id = $1 ORDER BY h.id DESC LIMIT $3) h
		 WHERE h.event = 'DELETE' AND h.reason IN ('` + reasonDeleted + `', '` + reasonForgotten + `') AND h.previous_memory IS NOT NULL
	 ) a
	 WHERE NOT EXISTS (SELECT FROM memory m WHERE m.scope_id = s.id AND m.hash = a.hash AND m.tenant_id = $1 AND m.valid_to IS NULL OFFSET 0)
	UNION ALL
	SELECT e.previous_memory, e.memory FROM (SELECT id FROM memory_scope WHERE tenant_id = $1 AND user_id = $2 OFFSET 0) s
	 CROSS JOIN LATERAL (SELECT * FROM memory_history h WHERE h.scope_id = s.id AND h.tenant_id = $1 ORDER BY h.id DESC LIMIT $3) e
	 WHERE e.event = 'UPDATE' AND e.reason LIKE '` + reasonEdited + `%' AND e.previous_memory <> e.memory
	   AND NOT EXISTS (SELECT FROM memory_history l WHERE l.scope_id = s.id AND l.tenant_id = $1 AND l.id > e.id AND l.memory = e.previous_memory OFFSET 0)`
)
