package app_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memdhq/memd/app"
	"github.com/memdhq/memd/embedded"
	"github.com/memdhq/memd/internal/memdtest"
	"github.com/rs/zerolog"
)

func TestMain(m *testing.M) { memdtest.Main(m) }

func config() app.Config {
	return app.Config{Listen: "127.0.0.1:0", DBPoolMin: 1, DBPoolMax: 4, NATSReplicas: 1, Workers: 2,
		DrainTimeout: 20 * time.Second, LogLevel: "info", LogFormat: "json"}
}

// house gives the servers that an app works on, for as long as the test lasts.
func house(t *testing.T) func(context.Context) (app.Servers, error) {
	t.Helper()
	assets := memdtest.Assets(t)
	owner, worker := memdtest.Postgres(t)
	ns, err := embedded.StartNATS(embedded.NATSConfig{StoreDir: filepath.Join(memdtest.Dir(t), "nats"), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Stop)
	s := app.Servers{OwnerURL: owner, AppURL: worker, NATS: ns.Conn}
	s.Model.ModelPath, s.Model.TokenizerPath, s.Model.RuntimePath = assets.ONNX, assets.Tokenizer, assets.Library
	return func(context.Context) (app.Servers, error) { return s, nil }
}

func get(t *testing.T, a *app.App, path string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + a.Addr().String() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestItStartsAndStopsAgainAndAgain(t *testing.T) {
	provide := house(t)
	for i := range 6 {
		a, err := app.New(config(), provide, "test", zerolog.Nop())
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 { // every other one is stopped in the middle of its start
			select {
			case <-a.Ready():
			case err := <-a.Failed():
				t.Fatal(err)
			}
			if status, body := get(t, a, "/readyz"); status != 200 {
				t.Errorf("ready: %d %s", status, body)
			}
		}
		var wg sync.WaitGroup
		for range 3 { // several callers, one stop
			wg.Go(func() {
				if err := a.Stop(context.Background()); err != nil {
					t.Errorf("round %d: %v", i, err)
				}
			})
		}
		wg.Wait()
	}
}

// Who waits for the next message does not hold up a stop, nor takes it for an outage.
func TestAStopTellsWhoWaitsThatThereIsNothing(t *testing.T) {
	a, err := app.New(config(), house(t), "test", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer a.Stop(context.Background())
	select {
	case <-a.Ready():
	case err := <-a.Failed():
		t.Fatal(err)
	}
	resp, err := http.Post("http://"+a.Addr().String()+"/v1/messages", "application/json",
		strings.NewReader(`{"user_id":"u","session_id":"s","messages":[{"role":"user","content":"Hello."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	var status int
	var body string
	var waiting sync.WaitGroup
	waiting.Go(func() { status, body = get(t, a, "/v1/messages?user_id=u&session_id=s&after=1&wait=60s") })
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		if _, metrics := get(t, a, "/metrics"); strings.Contains(metrics, "memd_http_requests_in_flight 2") {
			tick.Stop()
			break
		}
	}
	if err := a.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	waiting.Wait()
	if status != 200 || !strings.Contains(body, `"messages":[]`) {
		t.Errorf("%d %s", status, body)
	}
}

func TestWhileItStartsItIsAliveAndNotReady(t *testing.T) {
	held := make(chan struct{})
	a, err := app.New(config(), func(ctx context.Context) (app.Servers, error) {
		select {
		case <-held:
		case <-ctx.Done():
		}
		return app.Servers{}, errors.New("no servers")
	}, "test", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer a.Stop(context.Background())
	if status, body := get(t, a, "/healthz"); status != 200 {
		t.Errorf("alive: %d %s", status, body)
	}
	for _, path := range []string{"/readyz", "/v1/ingest"} {
		if status, body := get(t, a, path); status != 503 || !strings.Contains(body, "request_id") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	close(held)
	if err := <-a.Failed(); err == nil || !strings.Contains(err.Error(), "no servers") {
		t.Errorf("failed with %v", err)
	}
}

func TestAnAddressInUseIsSaidAtOnce(t *testing.T) {
	provide := func(context.Context) (app.Servers, error) { return app.Servers{}, errors.New("not reached") }
	first, err := app.New(config(), provide, "test", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer first.Stop(context.Background())
	cfg := config()
	cfg.Listen = first.Addr().String()
	second, err := app.New(cfg, provide, "test", zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "MEMD_LISTEN") {
		t.Errorf("err = %v", err)
	}
	if err := second.Stop(context.Background()); err != nil {
		t.Errorf("stopping what did not start: %v", err)
	}
}
