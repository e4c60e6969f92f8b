// Package app is the daemon as a value: its configuration, how its parts are wired,
// and the order in which they start and stop. It does not know whether Postgres and
// NATS are memd's own or someone else's: it is given connections to them.
package app
