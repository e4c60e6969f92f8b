// Package worker carries messages from the log to the long tier: it fetches work from
// the queue, claims what is open in a session, extracts, embeds, and writes memories
// and settles the messages in one transaction.
//
//	worker.go   its life: New, Start, Stop
//	fetch.go    the fetcher: work only for free workers, none while something is away
//	job.go      one session's turn: claim, learn, until nothing of it is open
//	learn.go    messages through extract and embed into one transaction
//	failure.go  what becomes of a message when that fails
//	breaker.go  pausing while a dependency is away
//	strikes.go  which messages meet outages that nobody else meets
//	vectors.go  the vectors of memories that were stored without one
//
// Invariants: a delivery is acked only after what it announces stands in Postgres as
// settled or failed (save those of a session that is being worked on already, beyond the
// first: its worker claims until nothing is open); a message settles in the transaction
// that writes what was learned from it, so it happens once however often it is delivered;
// an outage burns no attempt, but a message that fails by itself does, if only what it
// makes fail looks like an outage, and is tried alone, so that it holds up nobody; a
// session with much to learn from goes behind others; an attempt ends with its time or
// with its claim; every goroutine is waited for.
package worker
