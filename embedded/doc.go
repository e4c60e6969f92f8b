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
// Backup and Restore run pg_dump and pg_restore of the same installation, with the
// rights of the server's account. A data directory that is restored gets its name when
// all is in it; an archive is checked by the rows of each table.
//
// The JetStream store is worth nothing: a store that cannot be read is moved
// aside and a new one begun.
package embedded
