package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd/embedded"
	"github.com/rs/zerolog"
)

// The figures.
const (
	recorded       = "record a turn, until it is answered"
	inARow         = "record turns without a pause, each until it is answered"
	learned        = "record a turn, until it is learned from"
	learnedByModel = "record a turn, until a chat model has learned from it"
	verbatim       = "record a turn word for word"
	cpuOfTurn      = "CPU of a turn that is learned from"
	cpuByModel     = "CPU of a turn that a chat model learns from"
	promptTokens   = "tokens sent to the chat model for a turn"
	cpuOfSearch    = "CPU of a search"
)

func (s scale) searched() string {
	return fmt.Sprintf("search of one user's %d among %d", s.each, s.users*s.each)
}

func (s scale) found() string { return fmt.Sprintf("results of such a search, of %d", s.limit) }

func (s scale) searchedExactly() string { return s.searched() + ", no HNSW" }

func (s scale) foundExactly() string { return s.found() + ", no HNSW" }

// figures gives the names of all that is measured, in their order.
func (s scale) figures() []string {
	return []string{recorded, inARow, learned, learnedByModel, verbatim, s.searched(), s.found(), s.searchedExactly(), s.foundExactly(), cpuOfTurn, cpuByModel, promptTokens, cpuOfSearch}
}

// system is what is measured.
type system interface {
	modelsName() string // under which it calls the models
	cpu() (time.Duration, error)
	fill(ctx context.Context, user string, texts []string) error
	stop() error
}

// bench is what a measurement needs.
type bench struct {
	scale
	models  *modelServer
	tokens  *tokenCounter
	pgDir   string
	teller  *teller
	made    [][]turn // by user
	r       *rand.Rand
	asked   map[string]bool
	writers int
}

// task is one thing that a system does again and again.
type task struct {
	system system
	// once does it, and gives how long it took and how many results came of it.
	once func(ctx context.Context) (time.Duration, int, error)
	// behind says that it waits for no model: what it calls one for is done behind.
	behind bool
	// after is what follows a round, untimed.
	after func(ctx context.Context) error
	got   series
}

// series is what came of a task.
type series struct {
	times, models []float64 // medians of the rounds, in milliseconds, without the models' and the models'
	fast          []float64 // of each round the time than which one in twenty is shorter
	cpu, postgres time.Duration
	results       int
	tokens        int
	done          int
}

// round does a task as often as a round has it.
func (b *bench) round(ctx context.Context, t *task) error {
	name := t.system.modelsName()
	b.models.takePrompts(name) // those of other tasks
	used, err := t.system.cpu()
	if err != nil {
		return err
	}
	usedByPostgres, err := cpuOfPostgres(b.pgDir)
	if err != nil {
		return err
	}
	var times, models []float64
	for range b.times {
		before := b.models.busy(name)
		took, results, err := t.once(ctx)
		if err != nil {
			return err
		}
		spent := b.models.busy(name) - before
		if t.behind {
			spent = 0
		}
		times, models = append(times, ms(took-spent)), append(models, ms(spent))
		t.got.results += results
	}
	now, err := t.system.cpu()
	if err != nil {
		return err
	}
	nowByPostgres, err := cpuOfPostgres(b.pgDir)
	if err != nil {
		return err
	}
	t.got.cpu, t.got.postgres, t.got.done = t.got.cpu+now-used, t.got.postgres+nowByPostgres-usedByPostgres, t.got.done+b.times
	t.got.times, t.got.models = append(t.got.times, median(times)), append(t.got.models, median(models))
	t.got.fast = append(t.got.fast, quantile(times, 0.05))
	tokens, err := b.tokens.count(b.models.takePrompts(name))
	if err != nil {
		return err
	}
	t.got.tokens += tokens
	if t.after != nil {
		return t.after(ctx)
	}
	return nil
}

func (s series) time() value {
	return value{Value: median(s.times), P5: median(s.fast), Models: median(s.models), rounds: s.times}
}

// per is what came of one time of it, of all rounds together.
func (s series) per(all float64) value {
	one := all / float64(s.done)
	return value{Value: one, rounds: []float64{one}}
}

func (s series) wholeCPU() value {
	v := s.per(ms(s.cpu + s.postgres))
	v.Postgres = ms(s.postgres) / float64(s.done)
	return v
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// timed is for what this process waits for itself.
func timed(do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began), err
}

// someone is a user who chats and is not searched.
func (b *bench) someone() string { b.writers++; return fmt.Sprintf("writer-%d", b.writers%20) }

func searcher(i int) string { return fmt.Sprintf("searcher-%d", i) }

// question is one that a searched user has an answer to, and that nobody was asked before: who
// remembers a question's vector has none of it.
func (b *bench) question() (user, text string) {
	for {
		i := b.r.IntN(len(b.made))
		text = b.made[i][b.r.IntN(len(b.made[i]))].question
		if !b.asked[text] {
			b.asked[text] = true
			return searcher(i), text
		}
	}
}

// learning is a memd that learns from one turn after the other.
func (b *bench) learning(m *memd, extractor string) *task {
	var ids []int64
	return &task{
		system: m,
		once: func(ctx context.Context) (time.Duration, int, error) {
			user, text := b.someone(), b.teller.next().text
			took, err := timed(func() error {
				id, err := m.post(ctx, user, text)
				ids = append(ids, id)
				if err != nil {
					return err
				}
				return m.settled(ctx, user)
			})
			return took, 1, err
		},
		after: func(ctx context.Context) error {
			for _, id := range ids {
				if err := m.learned(ctx, id, extractor); err != nil {
					return err
				}
			}
			ids = nil
			return nil
		},
	}
}

// measure starts servers of its own and fills a report.
func measure(ctx context.Context, s scale, rivals []rival, scripts fs.ReadFileFS) (r report, err error) {
	b := &bench{scale: s, teller: newTeller(), r: rand.New(rand.NewPCG(13, 17)), asked: map[string]bool{}}
	if b.tokens, err = newTokenCounter(); err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "memd-peers-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // a Postgres without root's rights must get in
		return r, err
	}
	installation, err := embedded.FindPostgres()
	if err != nil {
		return r, err
	}
	b.pgDir = filepath.Join(dir, "postgres")
	pg, err := embedded.StartPostgres(ctx, embedded.PostgresConfig{BinDir: installation, DataDir: b.pgDir, Log: zerolog.Nop()})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, pg.Stop(context.WithoutCancel(ctx))) }()
	owner, err := pgx.Connect(ctx, pg.OwnerURL())
	if err != nil {
		return r, err
	}
	defer owner.Close(context.WithoutCancel(ctx))
	if b.models, err = startModels(s.embedding, s.answer); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.models.stop()) }()
	if r, err = describe(ctx, owner, s, rivals); err != nil {
		return r, err
	}

	byRules, byModel, err := b.startMemds(ctx, dir, pg, owner)
	for _, m := range []*memd{byRules, byModel} {
		if m != nil {
			defer func() { err = errors.Join(err, m.stop()) }()
		}
	}
	if err != nil {
		return r, err
	}
	systems := []system{byRules, byModel}
	var peers []*peer
	for _, rival := range rivals {
		p, err := b.startPeer(ctx, dir, pg, owner, rival, scripts)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, p.stop()) }()
		peers, systems = append(peers, p), append(systems, p)
	}
	if err := b.fill(ctx, systems); err != nil {
		return r, err
	}
	// What autovacuum would have done by the time anyone searches.
	if _, err := owner.Exec(ctx, `VACUUM ANALYZE`); err != nil {
		return r, err
	}
	r.Rows, err = b.byTurns(ctx, owner, byRules, byModel, peers)
	return r, err
}

// startMemds starts one memd that learns by rules, as it does by default, and one that learns by
// the chat model. They share the server, but no table.
func (b *bench) startMemds(ctx context.Context, dir string, pg *embedded.Postgres, owner *pgx.Conn) (byRules, byModel *memd, err error) {
	program, err := buildMemd(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	start := func(name string, settings ...string) (*memd, error) {
		if _, err := owner.Exec(ctx, `CREATE SCHEMA `+name); err != nil {
			return nil, err
		}
		return startMemd(ctx, name, program, filepath.Join(dir, name), append(settings,
			// With public in the path another's tables would be taken for its own.
			"MEMD_DB_ADMIN_URL="+pg.OwnerURL()+"&search_path="+name, "DB_URL="+pg.AppURL()+"&search_path="+name+",public",
			"MEMD_EMBED_URL="+b.models.urlFor(name), "MEMD_EMBED_MODEL=stub", fmt.Sprintf("MEMD_EMBED_DIMENSIONS=%d", dimensions))...)
	}
	if byRules, err = start("by_rules"); err != nil {
		return nil, nil, err
	}
	// The others sum nothing up.
	byModel, err = start("by_model", "MEMD_LLM_URL="+b.models.urlFor("by_model"), "MEMD_LLM_MODEL=stub", "MEMD_SUMMARIES=false")
	return byRules, byModel, err
}

func (b *bench) startPeer(ctx context.Context, dir string, pg *embedded.Postgres, owner *pgx.Conn, r rival, scripts fs.ReadFileFS) (*peer, error) {
	if _, err := owner.Exec(ctx, `CREATE SCHEMA `+r.id()); err != nil {
		return nil, err
	}
	own := filepath.Join(dir, r.id())
	if err := os.Mkdir(own, 0o755); err != nil {
		return nil, err
	}
	if err := writeScripts(scripts, own, "driver.py", r.module+".py"); err != nil {
		return nil, err
	}
	return startPeer(ctx, r, own, peerSettings{Postgres: pg.OwnerURL() + "&options=-csearch_path%3D" + r.id() + ",public",
		Models: b.models.urlFor(r.id()), Dimensions: dimensions, Folder: own})
}

// fill gives every system the same memories of the users that are searched.
func (b *bench) fill(ctx context.Context, systems []system) error {
	for i := range b.users {
		var turns []turn
		var texts []string
		for range b.each {
			t := b.teller.next()
			turns, texts = append(turns, t), append(texts, t.text)
		}
		b.made = append(b.made, turns)
		for _, s := range systems {
			if err := s.fill(ctx, searcher(i), texts); err != nil {
				return err
			}
		}
	}
	return nil
}

// byTurns has the systems do the same, one after the other, again and again.
func (b *bench) byTurns(ctx context.Context, owner *pgx.Conn, byRules, byModel *memd, peers []*peer) ([]row, error) {
	posted := func(ctx context.Context) (string, time.Duration, error) {
		user, text := b.someone(), b.teller.next().text
		took, err := timed(func() error { _, err := byRules.post(ctx, user, text); return err })
		return user, took, err
	}
	record := []*task{{
		system: byRules, behind: true,
		once: func(ctx context.Context) (time.Duration, int, error) {
			user, took, err := posted(ctx)
			if err == nil {
				err = byRules.settled(ctx, user)
			}
			return took, 1, err
		},
	}}
	stream := &task{
		system: byRules, behind: true,
		once: func(ctx context.Context) (time.Duration, int, error) {
			_, took, err := posted(ctx)
			return took, 1, err
		},
		after: func(ctx context.Context) error { return byRules.settled(ctx, "") },
	}
	learn := []*task{b.learning(byRules, "rules"), b.learning(byModel, "llm")}
	store := []*task{{
		system: byRules,
		once: func(ctx context.Context) (took time.Duration, n int, err error) {
			user, text := b.someone(), b.teller.next().text
			took, err = timed(func() error { n, err = byRules.verbatim(ctx, user, text); return err })
			return took, n, err
		},
	}}
	for _, p := range peers {
		add := func(infer bool) *task {
			return &task{system: p, once: func(context.Context) (time.Duration, int, error) {
				a, err := p.add(b.someone(), b.teller.next().text, infer)
				return a.took, a.results, err
			}}
		}
		record, store = append(record, add(true)), append(store, add(false))
	}
	search, exactly := b.searching(byRules, peers), b.searching(byRules, peers)
	if err := b.takeTurns(ctx, record, []*task{stream}, learn, store, search); err != nil {
		return nil, err
	}
	for _, p := range peers { // as if they had been told to make none
		if _, err := owner.Exec(ctx, `DROP INDEX IF EXISTS `+p.id()+`.memories_hnsw_idx`); err != nil {
			return nil, err
		}
	}
	if err := b.takeTurns(ctx, exactly); err != nil {
		return nil, err
	}
	return b.rows(record, stream, learn, store, search, exactly), nil
}

// searching is the search of all.
func (b *bench) searching(m *memd, peers []*peer) []*task {
	tasks := []*task{{
		system: m,
		once: func(ctx context.Context) (took time.Duration, n int, err error) {
			user, question := b.question()
			took, err = timed(func() error { n, err = m.search(ctx, user, question, b.limit); return err })
			return took, n, err
		},
	}}
	for _, p := range peers {
		tasks = append(tasks, &task{system: p, once: func(context.Context) (time.Duration, int, error) {
			user, question := b.question()
			a, err := p.search(user, question, b.limit)
			return a.took, a.results, err
		}})
	}
	return tasks
}

// takeTurns has the tasks done by turns, and forgets the first round: until then not all is warm.
func (b *bench) takeTurns(ctx context.Context, all ...[]*task) error {
	for n := range 1 + b.rounds {
		for _, t := range slices.Concat(all...) {
			if err := b.round(ctx, t); err != nil {
				return err
			}
			if n == 0 {
				t.got = series{}
			}
		}
	}
	return nil
}

// rows are those of the table. The peers learn before they answer: what they record is what memd
// records and what it learns from alike.
func (b *bench) rows(record []*task, stream *task, learn, store, search, exactly []*task) (rows []row) {
	add := func(figure, unit, aim, is string, of func(series) value, tasks ...*task) {
		r := row{Figure: figure, Unit: unit, Aim: aim, Is: is}
		for _, t := range tasks {
			v := of(t.got)
			v.System = t.system.modelsName()
			r.Values = append(r.Values, v)
		}
		if unit != "" {
			r.Ratio = ratio(r.Values)
		}
		rows = append(rows, r)
	}
	with := func(memd *task) []*task { return append([]*task{memd}, record[1:]...) }
	cpu := "of its own process and of Postgres; of the client only where it is in that process, which it is with the others"
	add(recorded, "ms", "≥ 20", "memd has the message on disk and learns from it behind, here before the next one comes; the others have asked the chat model and stored what they learned, and nothing before that. "+
		"memd is asked by HTTP, the others are called in their own process", series.time, record...)
	add(inARow, "ms", "–", "the same, but memd learns from the ones before at the same time, on the same cores; the others do so anyway", series.time, with(stream)...)
	add(learned, "ms", "–", "memd by rules, its default: posted and waited for by HTTP until it has settled; the others as above, by the chat model", series.time, with(learn[0])...)
	add(learnedByModel, "ms", "–", "memd asks the chat model, too", series.time, with(learn[1])...)
	add(verbatim, "ms", "–", "memd: POST /v1/memories with infer false; the others: add with infer=False; all have stored text and vector when they answer", series.time, store...)
	add(b.searched(), "ms", "≥ 5", "a question embedded and searched for; what each finds is in the next line", series.time, search...)
	results := func(s series) value { return s.per(float64(s.results)) }
	add(b.found(), "", "–", "each user has more", results, search...)
	add(b.searchedExactly(), "ms", "–", "the same where the others have no HNSW index, which they have by default: their filter is applied to the few that it finds", series.time, exactly...)
	add(b.foundExactly(), "", "–", "all of them find as many", results, exactly...)
	add(cpuOfTurn, "ms", "–", "one turn at a time, memd by rules; "+cpu, series.wholeCPU, with(learn[0])...)
	add(cpuByModel, "ms", "–", "one turn at a time, memd by the chat model; "+cpu, series.wholeCPU, with(learn[1])...)
	add(promptTokens, "tokens", "–", "o200k_base, one turn at a time, memd with the chat model; by rules it sends none", func(s series) value { return s.per(float64(s.tokens)) }, with(learn[1])...)
	add(cpuOfSearch, "ms", "–", cpu, series.wholeCPU, search...)
	return rows
}

// describe says on what is measured.
func describe(ctx context.Context, owner *pgx.Conn, s scale, rivals []rival) (report, error) {
	r := report{Systems: []string{"memd"}, Machine: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), Go: runtime.Version(),
		Models: fmt.Sprintf("a stand-in, %v for vectors, %v for an answer; a system's time is without what a request of its own was there", s.embedding, s.answer),
		Rounds: fmt.Sprintf("%d after one to warm up, in each of which a system does the same %d times", s.rounds, s.times)}
	for _, rival := range rivals {
		r.Systems = append(r.Systems, rival.name+" "+rival.version)
		version, err := exec.CommandContext(ctx, rival.python, "--version").Output()
		if err != nil {
			return r, fmt.Errorf("%s --version: %w", rival.python, err)
		}
		r.Python = strings.TrimSpace(string(version))
	}
	err := owner.QueryRow(ctx, `
		SELECT current_setting('server_version'), current_setting('fsync'), (SELECT extversion FROM pg_extension WHERE extname = 'vector')`).
		Scan(&r.Server, &r.Fsync, &r.Vector)
	return r, err
}
