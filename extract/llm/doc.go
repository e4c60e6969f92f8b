// Package llm extracts candidate facts with a language model behind a server that
// speaks OpenAI's chat completions.
//
// A model is believed in nothing. It reads messages and proposes statements, each
// with the messages it takes it from; a statement that the text of these messages
// does not bear out is refused, and what such a message states by the rules of
// package extract takes its place. All its words have to be there, in one clause or in
// clauses that lean on it, and what keeps that clause from being plainly so ("not",
// "maybe", "used to", "want to", "my sister") stays. Slot, subject, value and polarity
// are read by the rules. So a model can make the result better than that of the rules,
// and whatever it answers, nothing is invented and little is lost. What is asked to be
// forgotten is the rules' to find; a model cannot keep it back.
//
//	extractor.go  from messages to calls and back; splitting; what the rules take over
//	prompt.go     what the model is told
//	client.go     the server: how it answers, how it fails, when it is left alone
//	dialect.go    what of the API the server takes, found by its answers and remembered
//	window.go     how much the model takes at once: configured, told, or learned
//	tokens.go     counting
//	answer.go     reading an answer, whatever is around or in it
//	json.go       JSON as models write it
//	judge.go      from what is proposed to candidates
//	support.go    whether a text bears a statement out
//	metrics.go    calls, tokens, cost, facts
//
// A server is asked with a JSON schema, else with a tool to call, else in words: one that
// refuses the richer way, or takes it and does not hold its model to it, is asked in the
// next, and anew from the first after Config.Reprobe. Of messages that are too much for
// one call, or for one answer, halves are read, the second after the end of the first. No
// request is made twice that had an answer. A server that is away is tried three times
// and then left alone: for as long as it asks for, else for Config.Pause.
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
//	llm/2:name                            the model's statements
//	rules/2 (llm: unavailable)            the rules' statements, and why
//	llm/2:name + rules/2 (llm: too_long)  the rules' for a part of the messages
//
// If a message is longer than extract.MaxText, each ends in extract.CutMark.
package llm
