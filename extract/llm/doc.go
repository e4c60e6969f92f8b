// Package llm extracts candidate facts with a language model behind a server that
// speaks OpenAI's chat completions.
//
// A model is believed in nothing. It reads messages and proposes statements, each
// with the messages it takes it from; a statement that the text of these messages
// does not bear out is refused, and what such a message states by the rules of
// package extract takes its place. So a model can make the result better than that
// of the rules, and whatever it answers, nothing is invented and little is lost.
//
//	extractor.go  from messages to calls and back; splitting; what the rules take over
//	prompt.go     what the model is told
//	client.go     the server: what it takes, how it fails
//	answer.go     reading an answer, whatever is around or in it
//	judge.go      from what is proposed to candidates
//	support.go    whether a text bears a statement out
//
// Only user and assistant messages are sent, as extract.Clean gives them: the first
// extract.MaxText bytes, without recalled memories and few-shot text, secrets redacted.
//
// A message's memd.LearnAs.Prompt takes the place of what the model is asked to look
// for, and of nothing else: how it answers, and what a text must bear out, is the same.
//
// A model that is away, or answers absurdly, fails nothing: the rules' result is
// given, and Extraction.Extractor says so:
//
//	llm/1:name                            the model's statements
//	rules/1 (llm: unavailable)            the rules' statements, and why
//	llm/1:name + rules/1 (llm: too_long)  the rules' for a part of the messages
//
// If a message is longer than extract.MaxText, each ends in extract.CutMark.
package llm
