// Package llm extracts candidate facts with a language model behind a server that
// speaks OpenAI's chat completions.
//
// A model is believed in nothing: it selects, and the speaker's own words are kept. It
// reads messages and proposes facts; each is looked for in the statements that the rules
// of package extract read in the messages, and the statement it is found in is the
// candidate, with the speaker, the sources, the date and the slot that the rules give it.
// So whatever a model answers, nothing is invented: a fact that denies, swaps or
// misattributes becomes what was said. What is worth keeping is the model's to say, also
// of what the rules leave. What is asked to be forgotten is the rules' to find; a model
// cannot keep it back.
//
//	extractor.go   from messages to calls and back; what the rules take over
//	batch.go       how many messages go at once, and their halves
//	prompt.go      what the model is told
//	client.go      the server: how it is asked, how it fails, when it is left alone
//	drought.go     calls and extractions that bring nothing
//	completion.go  the body of an answer
//	dialect.go     what of the API the server takes, found by its answers and remembered
//	window.go      how much the model takes at once: configured, told, or learned
//	tokens.go      counting
//	answer.go      the facts in an answer, whatever is around or in it
//	json.go        JSON as models write it
//	judge.go       from facts to candidates
//	locate.go      which statements a fact is told by
//	words.go       what statements and facts are compared by
//	metrics.go     calls, tokens, cost, facts
//
// A server is asked with a JSON schema, else with a tool to call, else in words: one that
// refuses the richer way, or takes it and does not hold its model to it, is asked in the
// next, and anew from the first after Config.Reprobe. Of messages that are too much for
// one call, or for one answer, halves are read, the second after the end of the first. No
// request is made twice that had an answer. A server that is away is tried three times
// and then left alone: for as long as it asks for, else for Config.Pause. So is one whose
// answers are of no use, after some extractions.
//
// Only user and assistant messages are sent, as extract.Clean gives them: the first
// extract.MaxText bytes, without recalled memories and few-shot text, secrets redacted.
//
// A message's memd.LearnAs.Prompt takes the place of what the model is asked to look
// for, and of nothing else: how it answers, and what is made of it, is the same.
//
// A model that is away, or answers absurdly, fails nothing: the rules' result is
// given, and Extraction.Extractor says so:
//
//	llm/5:name                            what the model selected
//	rules/8 (llm: unavailable)            what the rules keep, and why
//	llm/5:name + rules/8 (llm: too_long)  the rules' for a part of the messages
//
// If a message is longer than extract.MaxText, each ends in extract.CutMark.
package llm
