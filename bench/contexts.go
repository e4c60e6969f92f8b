package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/memdhq/memd"
	"github.com/memdhq/memd/assemble"
	"github.com/memdhq/memd/bus"
	"github.com/memdhq/memd/embed"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/httpapi"
	"github.com/memdhq/memd/lexical"
	"github.com/memdhq/memd/longterm"
	"github.com/memdhq/memd/postgres"
	"github.com/memdhq/memd/recall"
	"github.com/memdhq/memd/shortterm"
	"github.com/pgvector/pgvector-go"
	"github.com/rs/zerolog"
)

// turnsShown is how many turns a context has that is measured.
const turnsShown = 20

func contextOver(n int) string {
	return inEnglish.Sprintf("POST /v1/context, %d turns + recall over %d memories, p50", turnsShown, n)
}

func contextCPU(n int) string {
	return inEnglish.Sprintf("CPU of a context, %d turns + recall over %d memories, with Postgres's and the caller's", turnsShown, n)
}

// contextSize is how many memories the user has whose contexts are measured.
func (s scale) contextSize() int { return s.memories[len(s.memories)-1] }

// measureContexts times POST /v1/context, without the question's embedding, against bare
// queries in one round trip: the session's last turns and the nearest vectors, and these
// with the postings of the question's terms.
func measureContexts(ctx context.Context, s scale, c choice, pg *embedded.Postgres, ns *embedded.NATS) ([]row, error) {
	n := s.contextSize()
	figure := contextOver(n)
	if !c.wants(figure) && !c.wants(contextCPU(n)) {
		return nil, nil
	}
	p, err := openPlace(ctx, pg, "context", longterm.Config{})
	if err != nil {
		return nil, err
	}
	defer p.close()
	made := newSentences()
	const user, session = "subject", "s"
	all := made.memories(user, n)
	for len(all) > 0 {
		batch := all[:min(200, len(all))]
		all = all[len(batch):]
		if _, err := p.store.AddVerbatim(ctx, memd.DefaultTenant, batch); err != nil {
			return nil, err
		}
	}
	conn, err := ns.Conn()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	b, err := bus.Open(conn, bus.Config{Stream: "BENCH", Log: zerolog.Nop()})
	if err != nil {
		return nil, err
	}
	defer b.Close(context.WithoutCancel(ctx))
	log := shortterm.New(p.pool, b, shortterm.Config{})
	for range 2 * turnsShown { // as many again as are shown
		turn := shortterm.Append{UserID: user, SessionID: session}
		for _, role := range []string{"user", "assistant"} {
			raw, err := json.Marshal(map[string]string{"role": role, "content": made.sentence()})
			if err != nil {
				return nil, err
			}
			m, err := memd.ParseMessage(raw)
			if err != nil {
				return nil, err
			}
			turn.Messages = append(turn.Messages, m)
		}
		if _, err := log.Append(ctx, memd.DefaultTenant, turn); err != nil {
			return nil, err
		}
	}
	if err := p.settle(ctx); err != nil {
		return nil, err
	}
	if _, err := p.owner.Exec(ctx, `VACUUM ANALYZE conversation_session, conversation_context, ingest_open, ingest_settled`); err != nil {
		return nil, err
	}
	scopeID, err := p.scopeOf(ctx, user)
	if err != nil {
		return nil, err
	}
	questions := recall.New(p.store, atOnce{made}, recall.Config{})
	assembler, err := assemble.New(log, p.store, questions, assemble.Config{})
	if err != nil {
		return nil, err
	}
	handler, err := httpapi.New(httpapi.Deps{Log: log, Store: p.store, Recall: questions, Assembler: assembler, Logger: zerolog.Nop()}, httpapi.Config{})
	if err != nil {
		return nil, err
	}
	url, stop, err := serve(handler)
	if err != nil {
		return nil, err
	}
	defer stop()
	client := &http.Client{}
	defer client.CloseIdleConnections()

	calls := []call{
		func(ctx context.Context, _ int) error {
			return askContext(ctx, client, url, user, session, made.question())
		},
		func(ctx context.Context, _ int) error {
			return bareContext(ctx, p.pool, scopeID, user, session, made, false)
		},
		func(ctx context.Context, _ int) error {
			return bareContext(ctx, p.pool, scopeID, user, session, made, true)
		},
	}
	var rows []row
	if c.wants(contextCPU(n)) {
		r, err := p.costOfContext(ctx, s, n, calls[0], calls[2])
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	if !c.wants(figure) {
		return rows, nil
	}
	p50 := make([][]float64, len(calls))
	for range s.rounds {
		for i, do := range calls {
			times, err := repeat(ctx, s.search, 1, do)
			if err != nil {
				return nil, err
			}
			p50[i] = append(p50[i], ms(median(times)))
		}
	}
	for i, of := range []string{"the two bare queries: turns, vectors", "these and the postings"} {
		var ratios []float64
		for round := range p50[0] {
			ratios = append(ratios, p50[0][round]/p50[1+i][round])
		}
		rows = append(rows, row{Figure: figure, Unit: "ms", Memd: median(p50[0]), Baseline: median(p50[1+i]), Ratio: median(ratios), Aim: "≤ 1.5", Of: of})
	}
	return rows, nil
}

// costOfContext is what a context, and the bare queries, take of the processor.
func (p *place) costOfContext(ctx context.Context, s scale, n int, subject, baseline call) (row, error) {
	const each = 30
	var memd, bare, ratios []float64
	for range s.rounds {
		var cpu [2]float64
		for i, do := range []call{subject, baseline} {
			own, server, err := p.cost(ctx, each, do)
			if err != nil {
				return row{}, err
			}
			cpu[i] = ms(own + server)
		}
		memd, bare, ratios = append(memd, cpu[0]), append(bare, cpu[1]), append(ratios, cpu[0]/cpu[1])
	}
	return row{Figure: contextCPU(n), Unit: "ms", Memd: median(memd), Baseline: median(bare), Ratio: median(ratios), Aim: "–", Of: "the bare queries: turns, vectors, postings"}, nil
}

// askContext asks for a context and sees that it is whole.
func askContext(ctx context.Context, client *http.Client, url, user, session, question string) error {
	body, err := json.Marshal(map[string]any{"user_id": user, "session_id": session, "turns": turnsShown, "query": question})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/context", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var got struct {
		Messages []json.RawMessage
		Recalled []json.RawMessage
		Degraded []string
	}
	if resp.StatusCode != http.StatusOK || json.Unmarshal(answer, &got) != nil || len(got.Messages) != 1+2*turnsShown || len(got.Recalled) != 10 || len(got.Degraded) > 0 {
		return fmt.Errorf("no whole context: %d %s", resp.StatusCode, answer)
	}
	return nil
}

// bareContext is what a context cannot do without.
func bareContext(ctx context.Context, pool *postgres.Pool, scopeID int64, user, session string, made *sentences, withPostings bool) error {
	b := postgres.TenantBatch(memd.DefaultTenant)
	b.Queue(`SELECT id, role, message, created_at FROM conversation_context
		WHERE tenant_id = $1 AND user_id = $2 AND session_id = $3 ORDER BY id DESC LIMIT $4`, memd.DefaultTenant, user, session, 2*turnsShown)
	b.Queue(`SELECT m.id, m.memory FROM memory_embedding e JOIN memory m ON m.tenant_id = $1 AND m.id = e.memory_id
		WHERE e.tenant_id = $1 AND e.scope_id = $2 AND e.model = $4 ORDER BY e.embedding OPERATOR(public.<=>) $3 LIMIT 10`,
		memd.DefaultTenant, scopeID, pgvector.NewHalfVector(made.vector()), model)
	n := 2
	if withPostings {
		var terms []int32
		for _, t := range lexical.QueryTerms(made.question()) {
			terms = append(terms, t.Hash)
		}
		b.Queue(`SELECT term, memory_id, tf, length FROM memory_posting WHERE tenant_id = $1 AND scope_id = $2 AND term = ANY($3)`,
			memd.DefaultTenant, scopeID, terms)
		n++
	}
	results := pool.SendBatch(ctx, b)
	defer results.Close()
	if err := postgres.ReadTenant(results); err != nil {
		return err
	}
	for range n {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		for rows.Next() {
			rows.RawValues()
		}
		if err := rows.Err(); err != nil {
			return err
		}
	}
	return results.Close()
}

// atOnce embeds questions in no time.
type atOnce struct{ made *sentences }

func (a atOnce) EmbedQuery(context.Context, string) ([]float32, error) { return a.made.vector(), nil }

func (a atOnce) EmbedPassages(_ context.Context, texts []string) ([][]float32, error) {
	all := make([][]float32, len(texts))
	for i := range all {
		all[i] = a.made.vector()
	}
	return all, nil
}

func (atOnce) Model() embed.Model { return embed.Model{Name: model, Dimensions: dimensions} }

// serve answers at an address of this machine.
func serve(h http.Handler) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(l)
	}()
	return "http://" + l.Addr().String(), func() { s.Close(); <-served }, nil
}
