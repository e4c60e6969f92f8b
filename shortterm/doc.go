// Package shortterm is the short tier: sessions and the log of their messages, what
// of it is open to be learned from, and the relay that publishes what is open.
//
// Invariants: a message is durable when Append returns; ids of one session ascend in
// order of commit, because its row is locked before an id is drawn; positions have no
// gaps; a message is in exactly one of skipped, open, settled; whoever settles holds
// the claim, told by its number of attempts. A session is followed by one other at most.
// One that a limit has closed forwards for ever, so nobody needs its lock to pass it by.
// Nothing is open of a session or person that is not learned from. The name of an
// incognito session stays taken.
package shortterm
