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
//	vectors.go  the vectors of memories that were stored without one
//
// Invariants: a delivery is acked only after what it announces stands in Postgres as
// settled or failed (save those of a session that is being worked on already, beyond
// the first few dozen: its worker claims until nothing is open); a message settles in the transaction that writes what was learned
// from it, so it happens once however often it is delivered; an outage burns no
// attempt; a message that fails by itself is tried alone, so that it holds up nobody;
// every goroutine is waited for.
package worker
