package longterm

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/extract"
	"github.com/memdhq/memd/lexical"
)

// "What did I do last month?" and "What happened after the wedding?" ask for nothing but a time:
// no word of theirs is in what answers them. What falls into the time comes first then, and is
// looked for by it, since no word and no vector finds it.

// bareness is what makes a question one of nothing but a time.
type bareness struct {
	// bare says so; whom are words that must be names of those who spoke for it to be so.
	bare bool
	whom []string
}

// barenessOf reads what a question asks beside its times.
func barenessOf(rest string) (b bareness) {
	b.bare = true
	for _, w := range strings.FieldsFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
		word := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.ReplaceAll(w, "’", "'"), "'s"), "'"), "'ve")
		low := strings.ToLower(word)
		switch {
		case noContent[low] || len(lexical.ContentTerms(low)) == 0 || len(low) < 3 && low[0] <= '9': // "2023/24"
		case word != low:
			b.whom = append(b.whom, word)
		default:
			return bareness{}
		}
	}
	return b
}

// noContent are words that ask for whatever there is.
var noContent = wordSet(`happen happened happening happens go goes going gone went come came new news event events thing things stuff life lives
	activity activities interesting exciting special notable important anything everything something nothing else get got gotten spend spent time times
	plan plans planned planning busy recap highlight highlights overview catch update updates memory memories know look looked schedule calendar agenda
	see saw seen experience experiences experienced day days week weeks month months year years weekend weekends earlier later far around between since within
	until till exactly roughly approximately right just immediately directly shortly soon back one two three four five six seven eight nine ten really ago yet still today us`)

// settle drops what a question would ask for if a word of it were a name, where it is none of
// whoever spoke.
func (b *bareness) settle(all []*candidate) {
	for _, word := range b.whom {
		name := lexical.NamesOf(word)
		if !slices.ContainsFunc(all, func(c *candidate) bool { return c.ActorID != nil && name.In(*c.ActorID) }) {
			b.bare = false
		}
	}
}

// happening is what a question asks for the time before or after of.
type happening struct {
	id memoryID
	at time.Time
}

// eventStatement reads those of the memories that tell most of what the question asks for the time
// before or after of. They may be over: of them only the time is taken.
func (f *finding) eventStatement() *statement {
	st := &statement{}
	g := *f
	g.includeSuperseded, g.without = true, nil
	q := g.qualification(st)
	return st.write("SELECT m.id, coalesce(m.occurred_at, m.valid_from), coalesce(m.occurred_at > m.valid_from, false), m.valid_to IS NOT NULL FROM unnest(", st.bind(bestMemories(f.beside, mostEvents), "uuid[]"),
		") AS u (id) CROSS JOIN LATERAL (SELECT * FROM memory m WHERE m.id = u.id AND m.tenant_id = ", q.tenant, q.where, " OFFSET 0) m")
}

// mostEvents bounds the memories that may tell it.
const mostEvents = 20

// scanEvent takes that one which tells most of it; of several that tell as much, what holds before
// what is over, what has happened before what was yet to, and then the latest.
func (f *finding) scanEvent(rows pgx.Rows) error {
	type telling struct {
		happening
		toCome, over bool
	}
	var all []telling
	var t telling
	_, err := pgx.ForEachRow(rows, []any{&t.id, &t.at, &t.toCome, &t.over}, func() error {
		if f.beside[t.id].coverage >= leastBeside {
			all = append(all, t)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		return err
	}
	no := func(b bool) int { return map[bool]int{true: 0, false: 1}[b] }
	best := slices.MaxFunc(all, func(a, b telling) int {
		x, y := f.beside[a.id], f.beside[b.id]
		return cmp.Or(cmp.Compare(x.coverage, y.coverage), cmp.Compare(no(a.over), no(b.over)), cmp.Compare(no(a.toCome), no(b.toCome)),
			cmp.Compare(x.score, y.score), a.at.Compare(b.at), slices.Compare(a.id[:], b.id[:]))
	})
	f.asked.event = &best.happening
	return nil
}

// spans are the stretches of time that a question of nothing else asks for: those that it names, or
// what is next to something it names.
func (t timing) spans() []extract.Period {
	if !t.bare {
		return nil
	}
	if t.event == nil {
		return t.periods[:min(len(t.periods), mostPeriods)]
	}
	day := t.day(t.event.at)
	if t.side < 0 {
		return []extract.Period{{From: day.Add(-t.reach()), To: day.AddDate(0, 0, 1)}}
	}
	return []extract.Period{{From: day, To: day.Add(t.reach() + 24*time.Hour)}}
}

// mostPeriods bounds those that memories are looked for in.
const mostPeriods = 4

// reach is how far from what it names a question asks: "the week after the wedding".
func (t timing) reach() time.Duration {
	if t.stretch > 0 {
		return t.stretch
	}
	return 365 * 24 * time.Hour
}

// stretchBeside is how long before or after something is asked for.
var stretchBeside = regexp.MustCompile(`(?i)\b(the|a|an|one|two|three|four|five|six|\d{1,2}) (day|night|week|month|year)(s?) $`)

func stretchOf(text string) time.Duration {
	m := stretchBeside.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n := map[string]int{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}[strings.ToLower(m[1])]
	if figure, err := strconv.Atoi(m[1]); err == nil {
		n = figure
	}
	if n == 0 && m[3] != "" {
		n = 3 // "the weeks after"
	}
	days := map[string]int{"day": 1, "night": 1, "week": 7, "month": 31, "year": 366}[strings.ToLower(m[2])]
	return time.Duration(max(n, 1)*days) * 24 * time.Hour
}

// timeStatement finds the memories of a scope that happened, or were told, in some stretches of
// time. What happened then was told by whoever made the memory from a while before on; of what was
// made since then the first are looked at, so that its cost has a bound.
func (f *finding) timeStatement(st *statement, spans []extract.Period) string {
	first := spans[0].From
	var then []string
	for _, p := range spans {
		if p.From.Before(first) {
			first = p.From
		}
		from, to := st.bind(orElse(p.From, longAgo), "timestamptz"), st.bind(orElse(p.To, farAhead), "timestamptz")
		toldFrom, toldTo := st.bind(f.asked.instant(orElse(p.From, longAgo)), "timestamptz"), st.bind(f.asked.instant(orElse(p.To, farAhead)), "timestamptz")
		then = append(then, "m.occurred_at >= "+from+" AND m.occurred_at < "+to+" OR m.valid_from >= "+toldFrom+" AND m.valid_from < "+toldTo)
	}
	made := st.bind(first.Add(-toldBefore), "timestamptz")
	return "SELECT m.id FROM (" + f.scopes(st) + ") s CROSS JOIN LATERAL (SELECT m.* FROM memory m WHERE m.scope_id = s.id AND m.created_at >= " + made +
		" AND m.tenant_id = " + st.bind(f.tenant, "text") + f.conditions(st) + " ORDER BY m.created_at, m.id LIMIT " + st.bind(mostOfATime, "int") + ") m WHERE " +
		strings.Join(then, " OR ") + " ORDER BY " + f.byTime(st) + ", m.id DESC LIMIT " + st.bind(f.wanted(), "int")
}

// byTime orders the latest first, or what is nearest to what the question names.
func (f *finding) byTime(st *statement) string {
	if f.asked.event == nil {
		return "m.valid_from DESC"
	}
	return "abs(extract(epoch FROM coalesce(m.occurred_at, m.valid_from) - " + st.bind(f.asked.event.at, "timestamptz") + "))"
}

const (
	// mostOfATime is how many memories of a scope are looked at for a time.
	mostOfATime = 5000
	// toldBefore is how long before it something may have been told.
	toldBefore = 90 * 24 * time.Hour
)

var longAgo, farAhead = time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC)

func orElse(t, other time.Time) time.Time {
	if t.IsZero() {
		return other
	}
	return t
}

// instant is when a calendar day begins where the question is asked.
func (t timing) instant(day time.Time) time.Time {
	if t.asked.IsZero() {
		return day
	}
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, t.asked.Location())
}

const (
	// leastNext is what it counts to have been long before or after something, of 1 for right beside
	// it, and itself what the memory counts that tells it: it is known to whoever asks.
	leastNext, itself = 0.25, -0.5
)

// within says how well a memory answers a question of nothing but a time: 1 where it happened
// then, half where it was told then of another time; next to something, the nearer the more.
func (t timing) within(c *candidate) float64 {
	switch {
	case !t.bare:
		return 0
	case t.event != nil:
		if c.id == t.event.id {
			return itself
		}
		if c.when().Compare(t.event.at) != t.side {
			return 0
		}
		apart := c.when().Sub(t.event.at).Abs()
		if t.stretch > 0 && apart > t.stretch+24*time.Hour {
			return 0
		}
		const aMonth = 30 * 24 * time.Hour
		return leastNext + (1-leastNext)*math.Exp(-float64(apart)/float64(2*aMonth))
	}
	has := func(day time.Time) bool {
		return slices.ContainsFunc(t.periods, func(p extract.Period) bool { return p.Has(day) })
	}
	told := has(t.day(c.ValidFrom))
	switch {
	case c.OccurredAt != nil && has(*c.OccurredAt), c.OccurredAt == nil && told:
		return 1
	case told:
		return 0.5
	}
	return 0
}

// further reads what the candidates tell to look for, in one round trip: what is said of whom the
// question names by a relation, and what was next to what it names.
func (f *finding) further(ctx context.Context) error {
	if f.query.Mode == ModeVector {
		return nil
	}
	f.asked.settle(f.candidates)
	if f.asked.side != 0 && f.asked.event == nil {
		f.asked.bare = false
	}
	var statements []*statement
	if terms := f.hopTerms(); len(terms) > 0 && len(f.candidates) < f.memories.documents {
		statements = append(statements, f.hopStatement(terms))
	}
	if spans := f.asked.spans(); f.asked.event != nil && len(spans) > 0 && len(f.candidates) < f.memories.documents {
		statements = append(statements, f.besideStatement(spans))
	}
	if len(statements) > 0 {
		err := f.store.readSelected(ctx, "longterm.search", f.selection, func(b *pgx.Batch) {
			for _, st := range statements {
				queue(b, st).Query(f.scanCandidates)
			}
		})
		if err != nil {
			return err
		}
		seen := make(map[memoryID]bool, len(f.candidates))
		f.candidates = slices.DeleteFunc(f.candidates, func(c *candidate) bool {
			again := seen[c.id]
			seen[c.id] = true
			return again
		})
	}
	f.markHops()
	return nil
}

// besideStatement reads what was next to something and is no candidate yet.
func (f *finding) besideStatement(spans []extract.Period) *statement {
	st := &statement{}
	st.write("WITH pool AS MATERIALIZED (SELECT id FROM (", f.timeStatement(st, spans), ") p WHERE p.id <> ALL (", st.bind(f.have(), "uuid[]"), "))")
	return f.details(st, f.qualification(st), "ARRAY(SELECT id FROM pool)", false)
}
