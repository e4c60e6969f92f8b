// Package extract turns messages of a session into candidate facts.
//
// Rules, the extractor that needs no model, works in steps, each a file:
//
//	bound.go     how much of a message is looked at
//	clean.go     what a message may hand on: no control characters, no recalled or few-shot text, secrets redacted
//	redact.go    the secrets: redact_token.go and redact_number.go those that have a form of their own,
//	             redact_name.go, redact_named.go and redact_value.go those that are called one,
//	             redact_paper.go the numbers of papers,
//	             redact_said.go those that only what was said before makes one
//	quoted.go    what a user quotes, or hands over to have something done with it
//	play.go      what is said in a play, draft.go requests for a text
//	sentence.go  cutting into sentences, list items and captions; code and logs left out
//	language.go  which rules of grammar may be applied at all
//	small_talk.go  greetings, thanks, bare acknowledgements, offers of help; formula.go those of letters
//	judge.go     what each sentence does: state, ask, command; and what an asking one states by the way
//	worth.go     whether what a user states tells more than the talk itself; anchor.go has what
//	             outlasts it, predicate.go what is said of oneself, vocabulary.go the classes of words
//	imperative.go  commands by their form; answer_style.go how to answer, decision.go what is decided for
//	suppose_foreign.go  what is supposed in other languages
//	passing.go   what is of the moment only: moods, errands, remarks on the work and the answer
//	light.go     words that carry nothing
//	advice.go    what of an assistant's words is worth keeping
//	echo.go      what an assistant only says back
//	hearing.go   the messages before, as far as one leans on them
//	answer.go    a bare answer and its question; answer_kind.go has what a question asks for,
//	             answer_ending.go what an answer says to be over
//	correct.go   "sorry, I mean …" and "that was wrong: it's …"; correct_value.go
//	             a word or two in the place of what was wrong, correct_kind.go whether it is of its kind,
//	             correct_place.go where it stands then, correct_form.go the many ways of saying so,
//	             correct_chain.go what was put right wrongly
//	mend.go      a sentence that puts itself right, and what was moved to another day
//	forget.go    "forget that …"; forget_topic.go what is asked to be forgotten by its topic,
//	             forget_foreign.go requests in other languages,
//	             confide.go what is told in confidence, confide_foreign.go that in other languages
//	form.go      "Name: …", "City: …"
//	introduced.go  "Tom, 30, from Leeds", and what a question tells by the way
//	clause.go    parting clauses that change apart from one another; clause_each.go the parts of a row,
//	             clause_own.go predicates of one subject, clause_whose.go whether they surely are that
//	             subject's; tag.go what is hung on to what is told
//	date.go      dates resolved against the message's own time and zone: date_relative.go and date_weekday.go
//	             those told from its day, date_calendar.go and date_span.go days of a month, date_written.go
//	             figures, date_foreign.go other languages; date_tense.go what has been and what is to come
//	slot.go      what a statement is about, and of whom; slot_person.go, slot_taste.go, slot_thing.go, slot_pay.go and slot_undertaking.go have the kinds, often.go how often,
//	             illness.go the illnesses, slot_over.go and slot_end.go what ends one, slot_former.go what was once, figurative.go what ends none
//	category.go  plain labels of these
//	statement.go joining sentences that cannot be understood alone, and bounds
//	sift.go      what a user's messages state, kept or not, for who chooses otherwise, and what
//	             is no matter of choice
//	reading.go   what a text that a person writes for a memory is about
//
// It is pure and deterministic: the same input gives the same candidates. A
// statement is kept in the speaker's own words; what is written in beside them
// stands in brackets: a date "(2024-02-26)", the question that a bare answer
// answers "(asked: Where do you live?)", what its speaker said just before and it
// points to "(said before: I adopted a greyhound)", the subject of a clause that was
// parted from the one that names it "(I)", a mark "[redacted:card]". One closing
// full stop is dropped, markdown's "**" and list marks too, blanks are collapsed;
// every other sign stays as said.
//
// Its work is bounded and grows with the text and no faster, whatever the text is
// like. Of one message the first MaxText bytes (65536) are turned into statements, cut
// behind a line, a sentence or a word; the rest stays in the log only, and the
// extraction says so: "rules/8 (cut at 65536 bytes)". A sentence of more than 2000
// characters is taken for several. An extraction ends soon after its context does.
//
// A user's sentence is kept if it tells something that outlasts the talk.
package extract
