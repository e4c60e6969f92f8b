// Package bus is the queue between the tiers: a JetStream stream of work, ids only,
// with live work before backfill.
//
// Invariants: the queue may be lost whole, at any time, and is made again; nothing
// here waits for NATS unless it was given a time to; text of a message never passes.
package bus
