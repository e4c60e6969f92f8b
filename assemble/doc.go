// Package assemble makes the context that a chat model is sent: what memd recalls
// for what is being talked about, and the last turns of the session, within a token
// budget.
//
// Invariants:
//   - What comes out can be sent to an OpenAI-compatible chat API as it is: only that
//     format's members, a tool call always followed by a result for each of its ids,
//     no result without its call.
//   - The budget covers all that is sent. It is given out in this order: the newest
//     user message, the recall (up to a quarter), then messages from the newest back.
//   - Nothing that is recalled can pass for anything but a quotation.
//   - The long tier cannot fail a context; the log can.
//
// Reading (assemble.go) is apart from choosing and trimming (compose.go), which
// depends on nothing but its input.
package assemble
