package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/memdhq/memd"
	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embed/e5"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/longterm"
	"github.com/rs/zerolog"
)

const (
	learningByRules = "learning by rules: extract, embed, consolidate, commit"
	learningCPU     = "CPU of learning a memory, without Postgres's"
	learningAllCPU  = "CPU of learning a memory, with writing its message and Postgres's"
	sizeOfMessage   = "bytes of a message in the log, with its indexes and how it ended"
	sizeOfMemory    = "bytes of a memory, with its vector, words, sources and indexes"
)

// learners is how many users speak at once.
const learners = 8

// measureLearning times a memd from the first message that is posted to it until the last has
// settled, against the model that embeds the texts of what was learned.
func measureLearning(ctx context.Context, s scale, c choice, pg *embedded.Postgres, dir string, model e5.Config) (rows []row, err error) {
	if !slices.ContainsFunc([]string{learningByRules, learningCPU, learningAllCPU, sizeOfMessage, sizeOfMemory}, c.wants) {
		return nil, nil
	}
	const schema = "learning"
	p, err := openPlace(ctx, pg, schema, longterm.Config{})
	if err != nil {
		return nil, err
	}
	defer p.close()
	ns, err := embedded.StartNATS(embedded.NATSConfig{StoreDir: filepath.Join(dir, schema), Log: zerolog.Nop()})
	if err != nil {
		return nil, err
	}
	defer ns.Stop()
	url, stop, err := startDaemon(ctx, app.Servers{OwnerURL: withPath(pg.OwnerURL(), schema), AppURL: withPath(pg.AppURL(), schema+",public"),
		NATS: ns.Conn, Model: model}, 4)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	bare, err := e5.Open(model)
	if err != nil {
		return nil, err
	}
	defer bare.Close()
	client := &http.Client{}
	defer client.CloseIdleConnections()

	made := newSentences()
	var learned, embedded, ratios, cpu, cpuAlone, cpuRatios, cpuAll, cpuAllRatios []float64
	empty, err := p.sizes(ctx, schema)
	if err != nil {
		return nil, err
	}
	for round := range s.rounds {
		server, err := p.serverTime(ctx)
		if err != nil {
			return nil, err
		}
		began, used := time.Now(), cpuTime()
		for i := range learners {
			if err := tell(ctx, client, url, learner(round, i), made.facts(s.facts)); err != nil {
				return nil, err
			}
		}
		if err := settled(ctx, client, url); err != nil {
			return nil, err
		}
		took, busy := time.Since(began), cpuTime()-used
		serverAfter, err := p.serverTime(ctx)
		if err != nil {
			return nil, err
		}
		texts, err := p.learned(ctx, round)
		if err != nil {
			return nil, err
		}
		if len(texts) < learners*s.facts {
			return nil, fmt.Errorf("%d memories were learned of %d messages", len(texts), learners*s.facts)
		}
		began, used = time.Now(), cpuTime()
		if _, err := bare.EmbedPassages(ctx, texts); err != nil {
			return nil, err
		}
		alone, busyAlone := time.Since(began), cpuTime()-used
		n := float64(len(texts))
		learned, embedded = append(learned, n/took.Seconds()), append(embedded, n/alone.Seconds())
		ratios = append(ratios, float64(alone)/float64(took))
		cpu, cpuAlone = append(cpu, ms(busy)/n), append(cpuAlone, ms(busyAlone)/n)
		cpuRatios = append(cpuRatios, float64(busy)/float64(busyAlone))
		all := busy + serverAfter - server
		cpuAll, cpuAllRatios = append(cpuAll, ms(all)/n), append(cpuAllRatios, float64(all)/float64(busyAlone))
	}
	full, err := p.sizes(ctx, schema)
	if err != nil {
		return nil, err
	}
	message := (full.log - empty.log) / full.messages
	memory := (full.memories - empty.memories) / full.remembered
	for _, r := range []row{
		{Figure: learningByRules, Unit: "memories/s", Memd: median(learned), Baseline: median(embedded),
			Ratio: median(ratios), Aim: "≥ 0.8", Of: "the model embedding the same texts"},
		{Figure: learningCPU, Unit: "ms", Memd: median(cpu), Baseline: median(cpuAlone),
			Ratio: median(cpuRatios), Aim: "≤ 1.25", Of: "the model embedding the same texts"},
		{Figure: learningAllCPU, Unit: "ms", Memd: median(cpuAll), Baseline: median(cpuAlone),
			Ratio: median(cpuAllRatios), Aim: "–", Of: "the model embedding the same texts"},
		{Figure: sizeOfMessage, Unit: "bytes", Memd: message, Baseline: full.json, Ratio: message / full.json, Aim: "–", Of: "its JSON"},
		{Figure: sizeOfMemory, Unit: "bytes", Memd: memory, Baseline: full.text, Ratio: memory / full.text, Aim: "–", Of: "its text and vector"},
	} {
		if c.wants(r.Figure) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// cpuTime is what this process has used: memd, the queue and the model are in it.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only of a pointer that is none
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// sizes are bytes of the tables of the log and of the memories, how many rows these have, and
// how long a message and a memory with its vector are on average.
type sizes struct{ log, memories, messages, remembered, json, text float64 }

func (p *place) sizes(ctx context.Context, schema string) (s sizes, err error) {
	if _, err := p.owner.Exec(ctx, `VACUUM`); err != nil {
		return s, err
	}
	err = p.owner.QueryRow(ctx, `
		SELECT coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE relname ~ '^(conversation_|ingest_|person)'), 0)::float8,
		       coalesce(sum(pg_total_relation_size(oid)) FILTER (WHERE relname ~ '^(memory|message_|embedding_)'), 0)::float8
		  FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'`, schema).Scan(&s.log, &s.memories)
	if err != nil {
		return s, err
	}
	err = p.pool.InTenant(ctx, memd.DefaultTenant, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT (SELECT count(*) FROM conversation_context)::float8, (SELECT count(*) FROM memory)::float8,
			       coalesce((SELECT avg(octet_length(message)) FROM conversation_context), 0)::float8,
			       coalesce((SELECT avg(octet_length(m.memory) + pg_column_size(e.embedding)) FROM memory m JOIN memory_embedding e ON e.memory_id = m.id), 0)::float8`).
			Scan(&s.messages, &s.remembered, &s.json, &s.text)
	})
	return s, err
}

func learner(round, i int) string { return fmt.Sprintf("learner-%d-%d", round, i) }

// facts are messages of a user, each of which tells one thing.
func (s *sentences) facts(n int) (all []json.RawMessage) {
	for range n {
		text := fmt.Sprintf("I bought a %s %s from %s last year, and I keep it in the %s.", s.some(1), s.some(1), s.some(2), s.some(1))
		raw, err := json.Marshal(map[string]string{"role": "user", "content": text})
		if err != nil {
			panic(err) // of a map of strings
		}
		all = append(all, raw)
	}
	return all
}

// tell posts messages of a user.
func tell(ctx context.Context, client *http.Client, url, user string, messages []json.RawMessage) error {
	body, err := json.Marshal(map[string]any{"user_id": user, "session_id": "s", "messages": messages})
	if err != nil {
		return err
	}
	_, err = ask(ctx, client, http.MethodPost, url+"/v1/messages", body, http.StatusCreated)
	return err
}

// settled waits until nothing is open.
func settled(ctx context.Context, client *http.Client, url string) error {
	for {
		answer, err := ask(ctx, client, http.MethodGet, url+"/v1/ingest?wait=60s", nil, http.StatusOK)
		if err != nil {
			return err
		}
		var got struct {
			States struct{ Pending, Running, Failed, Dead int }
		}
		if err := json.Unmarshal(answer, &got); err != nil {
			return err
		}
		switch n := got.States; {
		case n.Dead > 0:
			return fmt.Errorf("%d messages were given up", n.Dead)
		case n.Pending+n.Running+n.Failed == 0:
			return nil
		}
	}
}

// ask sends a request and gives what is answered.
func ask(ctx context.Context, client *http.Client, method, url string, body []byte, want int) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s: %d %s", url, resp.StatusCode, answer)
	}
	return answer, err
}

// learned are the texts of what the users of a round said that is remembered, with a vector.
func (p *place) learned(ctx context.Context, round int) (texts []string, err error) {
	err = p.pool.InTenant(ctx, memd.DefaultTenant, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT m.memory FROM memory m JOIN memory_embedding e ON e.memory_id = m.id
			WHERE m.tenant_id = $1 AND m.user_id LIKE $2`, memd.DefaultTenant, fmt.Sprintf("learner-%d-%%", round))
		if err != nil {
			return err
		}
		texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return texts, err
}
