// Package embedded runs memd's own servers: Postgres with pgvector as a child
// process, and a nats-server with JetStream in this process. What it hands out
// are connections and connection strings; nothing that uses them can tell these
// servers from any others.
//
// Postgres is the only truth, hence: never started without fsync, never two on
// one data directory, none left behind by a memd that was killed, no data
// directory ever deleted. It runs without root's rights and listens on nothing
// but a socket that only its own user can reach.
//
// The JetStream store is worth nothing: a store that cannot be read is moved
// aside and a new one begun.
package embedded
