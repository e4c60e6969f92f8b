// Package backfill brings conversations and memories that exist elsewhere into memd.
//
// What a source holds is gathered first and put into the order in which it was said, so that
// the last that is known of a person is what they said last; what does not fit into memory waits in a
// file. Then it is sent, everything of a person one after the other.
//
// Nothing here remembers how far it came. Each message has an id that is the same whenever and
// wherever its source is read, and who takes it knows which it has: whatever was interrupted is
// begun anew, and what is there already is passed over.
package backfill
