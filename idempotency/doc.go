// Package idempotency keeps, for a day, how each write with an Idempotency-Key was
// answered: the same key and body get the same answer, another body is refused.
//
// A write to the log puts its row into its own transaction (see Insert); any other
// write claims its row first and leaves its answer in it.
package idempotency
