package main

import (
	"context"

	"github.com/memdhq/memd/app"
)

type workerCommand struct {
	app.Config
}

// Run works until a signal comes: on what other memds of the same Postgres and NATS have taken. It
// tells nothing but whether it is well.
func (c workerCommand) Run(ctx context.Context, misread []app.Unreadable) error {
	c.NoAPI = true
	return serveCommand(c).Run(ctx, misread)
}
