//go:build long

package main

import (
	"testing"
	"time"
)

// frozenLong is longer than a request to memd (30 s), its exchanges with Postgres (30 s),
// a delivery without an answer (90 s), the chat model's budget (2 min) with the embedding
// model's after it (1 min).
const frozenLong = 200 * time.Second

func TestFaultsLong(t *testing.T) {
	t.Parallel()
	playAll(t, map[string]func(*testing.T){
		"memd and Postgres":     func(t *testing.T) { playMemdAndPostgres(t, longForm, 100*time.Second, 45*time.Second) },
		"NATS":                  func(t *testing.T) { playNATS(t, longForm, frozenLong, time.Minute) },
		"model server":          func(t *testing.T) { playModelServer(t, longForm, frozenLong, 45*time.Second, 150*time.Second, 60) },
		"servers of memd's own": func(t *testing.T) { playOwnServers(t, longForm) },
		"disk full":             func(t *testing.T) { playDiskFull(t, longForm, time.Minute, 512<<20) },
	})
}
