//go:build long

package main

import "testing"

func TestFaultsOfReplicasLong(t *testing.T) {
	t.Parallel()
	playReplicas(t, longForm)
}
