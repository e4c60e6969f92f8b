// Package lexical turns text into the terms that keyword search stores and asks
// for. It is pure: the same text gives the same terms on every machine and in
// every release, because the terms of what was stored years ago must still meet
// those of today's question. Nothing here looks at the language of a text as a
// whole, so a word has the same term in a memory, in a question and alone.
//
// A change to what a text yields needs the postings rebuilt; the golden test
// holds the terms still.
package lexical
