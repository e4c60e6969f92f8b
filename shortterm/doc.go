// Package shortterm is the short tier: sessions and the log of their messages, what
// of it is open to be learned from, and the relay that publishes what is open.
//
// Invariants: a message is durable when Append returns; ids of one session ascend in
// order of commit, because its row is locked before an id is drawn; positions have no
// gaps; a message is in exactly one of skipped, open, settled; whoever settles holds
// the claim, told by its number of attempts.
package shortterm
