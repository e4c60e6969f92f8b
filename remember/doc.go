// Package remember takes in what callers want remembered: messages to be learned from,
// which are logged first so that nothing is lost whatever the models do, and texts that
// are stored as they are.
//
// Invariants: of the items of a call all are kept or none; no connection is held while
// vectors are made or learning is waited for; what is logged is learned from although
// its caller has stopped waiting.
package remember
