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

func TestFaultsOfMemdAndPostgresLong(t *testing.T) {
	t.Parallel()
	playMemdAndPostgres(t, longForm, 100*time.Second, time.Minute)
}

func TestFaultsOfNATSLong(t *testing.T) {
	t.Parallel()
	playNATS(t, longForm, frozenLong, 100*time.Second)
}

func TestFaultsOfTheModelServerLong(t *testing.T) {
	t.Parallel()
	playModelServer(t, longForm, frozenLong, 150*time.Second, 60)
}

func TestFaultsOfWhatMemdRunsItselfLong(t *testing.T) {
	t.Parallel()
	playOwnServers(t, longForm)
}

func TestFaultDiskFullLong(t *testing.T) {
	t.Parallel()
	playDiskFull(t, longForm, time.Minute, 512<<20)
}
