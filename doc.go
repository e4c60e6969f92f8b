// Package memd holds the words that the rest of the daemon shares: a message
// and how one is read from OpenAI's shape, a scope, a candidate fact, a memory,
// and the one error type whose kinds each edge maps once.
//
// It imports only the standard library; every other package may import it.
package memd
