package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embedded"
)

const clients = 64

var (
	writeAlone = "POST /v1/messages, 1 client, 2 messages, p50"
	writeMany  = fmt.Sprintf("POST /v1/messages, %d clients", clients)
)

// call does one unit of work as client number c.
type call func(ctx context.Context, c int) error

// measureWrites times POST /v1/messages with two messages against the same two rows
// inserted by plain pgx, one commit a call, and an HTTP server that echoes the body.
func measureWrites(ctx context.Context, s scale, c choice, servers app.Servers, pg *embedded.Postgres) (rows []row, err error) {
	if !c.wants(writeAlone) && !c.wants(writeMany) {
		return nil, nil
	}
	// No workers: what is measured is the request path, and the pipeline would take
	// the same cores.
	url, stopDaemon, err := startDaemon(ctx, servers, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stopDaemon()) }()
	pool, err := plainTable(ctx, pg)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	echo, stop, err := echoServer()
	if err != nil {
		return nil, err
	}
	defer stop()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()

	memd := post(client, url+"/v1/messages", http.StatusCreated)
	bare := post(client, echo, http.StatusOK)
	plain := func(ctx context.Context, c int) error {
		_, err := pool.Exec(ctx, `INSERT INTO plain_messages (tenant_id, user_id, session_id, role, message) VALUES
			('default', $1, 's', 'user', $2), ('default', $1, 's', 'assistant', $3)`,
			"u"+strconv.Itoa(c), twoMessages[0], twoMessages[1])
		return err
	}

	var memdP50, sumP50, sumRatios []float64
	var memdRate, plainRate, rateRatios []float64
	for range s.rounds {
		if c.wants(writeAlone) {
			var p50 [3]time.Duration
			for i, do := range []call{memd, plain, bare} {
				times, err := repeat(ctx, s.write, 1, do)
				if err != nil {
					return nil, err
				}
				p50[i] = median(times)
			}
			memdP50 = append(memdP50, ms(p50[0]))
			sumP50 = append(sumP50, ms(p50[1]+p50[2]))
			sumRatios = append(sumRatios, float64(p50[0])/float64(p50[1]+p50[2]))
		}
		if c.wants(writeMany) {
			var rate [2]float64
			for i, do := range []call{memd, plain} {
				times, err := repeat(ctx, s.write, clients, do)
				if err != nil {
					return nil, err
				}
				rate[i] = 2 * float64(len(times)) / s.write.Seconds()
			}
			memdRate, plainRate = append(memdRate, rate[0]), append(plainRate, rate[1])
			rateRatios = append(rateRatios, rate[0]/rate[1])
		}
	}
	if c.wants(writeAlone) {
		rows = append(rows, row{Figure: writeAlone, Unit: "ms", Memd: median(memdP50), Baseline: median(sumP50),
			Ratio: median(sumRatios), Aim: "≤ 1.3", Of: "plain pgx insert + HTTP echo"})
	}
	if c.wants(writeMany) {
		rows = append(rows, row{Figure: writeMany, Unit: "messages/s", Memd: median(memdRate), Baseline: median(plainRate),
			Ratio: median(rateRatios), Aim: "≥ 1.0", Of: fmt.Sprintf("plain pgx on %d connections", clients)})
	}
	return rows, nil
}

var twoMessages = [2]string{
	`{"role":"user","content":"We moved the meeting with the architect to Thursday, and please remember that Ana is allergic to walnuts."}`,
	`{"role":"assistant","content":"Noted: the architect comes on Thursday. I will keep in mind that Ana must not have walnuts."}`,
}

// post makes a call that posts the two messages and reads the answer.
func post(client *http.Client, url string, want int) call {
	return func(ctx context.Context, c int) error {
		body, err := json.Marshal(map[string]any{"user_id": "u" + strconv.Itoa(c), "session_id": "s",
			"messages": []json.RawMessage{json.RawMessage(twoMessages[0]), json.RawMessage(twoMessages[1])}})
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(r)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != want {
			err = fmt.Errorf("%s: %d %s", url, resp.StatusCode, answer)
		}
		return err
	}
}

// plainTable makes the table that anyone would make, with the log's key and index.
func plainTable(ctx context.Context, pg *embedded.Postgres) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(pg.OwnerURL())
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = clients
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	_, err = pool.Exec(ctx, `CREATE TABLE plain_messages (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant_id text NOT NULL, user_id text NOT NULL,
		session_id text NOT NULL, role text NOT NULL, message text NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
		CREATE INDEX ON plain_messages (tenant_id, user_id, session_id, id)`)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// echoServer answers with the body it was sent.
func echoServer() (url string, stop func(), err error) {
	return serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, r.Body)
	}))
}

// repeat has n clients do a call again and again for a while and gives all times.
func repeat(ctx context.Context, for_ time.Duration, n int, do call) ([]time.Duration, error) {
	var failed atomic.Pointer[error]
	times := make([][]time.Duration, n)
	end := time.Now().Add(for_)
	var wg sync.WaitGroup
	for c := range n {
		wg.Go(func() {
			for began := time.Now(); began.Before(end) && ctx.Err() == nil && failed.Load() == nil; {
				if err := do(ctx, c); err != nil {
					failed.Store(&err)
					return
				}
				now := time.Now()
				times[c] = append(times[c], now.Sub(began))
				began = now
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	var all []time.Duration
	for _, t := range times {
		all = append(all, t...)
	}
	return all, ctx.Err()
}
