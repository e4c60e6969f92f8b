// Package longterm is the long tier: the memories, what they came from, what
// happened to them, and how they are found again.
//
// Invariants:
//
//   - A memory belongs to one identity scope (see the table memory_scope): what is
//     said again merges within it and nowhere else, and words are counted within it.
//   - All changes to one identity scope are made one at a time, under an advisory
//     lock that lasts as long as the transaction.
//   - What is learned depends on what was said and when, never on the order in which
//     it arrives; the same messages given twice change nothing. Memories follow from
//     their mentions (see the table memory_mention, and slot.go): when one comes or goes,
//     all that is about its topic is folded anew.
//   - Every statement names its tenant, values are bound and never written into SQL,
//     and each search costs at most what the asked-for scope holds.
package longterm
