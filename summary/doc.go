// Package summary keeps running summaries of sessions by a chat model, in the
// background: of what has left a session's window, and of a closed session the whole. It
// owns the tables session_summary and summary_due. A summary is of the messages that may
// be learned from, and of them alone: not of what was posted with infer false, nor of
// incognito sessions, nor of those that are not to be learned from.
//
// A context reads a summary with the log (shortterm.Window); where there is none, the
// memories of the session stand for it. A summary goes with any change to the messages it
// is of.
package summary
