package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// act is what a sentence does.
type act int

const (
	// states: it says something worth keeping.
	states act = iota
	// chats: small talk, or an offer of help.
	chats
	// asks: a question that states nothing.
	asks
	// commands: a request that states nothing.
	commands
)

// judge says what a sentence does and gives the part of it that states something,
// which for most is all of it.
func judge(text string, english, assistant bool, names map[string]bool) (act, string) {
	switch {
	case isSmallTalk(text, names), assistant && service.MatchString(text):
		return chats, ""
	case !english:
		if assistant && (foreignService.MatchString(text) || exclaims(text)) {
			return chats, ""
		}
		return judgeForeign(text, names)
	case assistant:
		if asksSomething(text) || invites.MatchString(text) {
			return asks, ""
		}
		// What sounds like a command is advice.
		return states, text
	}
	if len(text) < 80 && steers.MatchString(text) || restates.MatchString(text) && !personal(text) && (!named(text, names) || answerIs.MatchString(text)) {
		return commands, ""
	}
	if supposes.MatchString(text) || counterfactual.MatchString(text) || handsOverHere(text) {
		return commands, ""
	}
	if foreignQuestion.MatchString(text) && !foreignOwn.MatchString(text) {
		return asks, ""
	}
	if m := rememberWhen.FindStringSubmatch(text); m != nil && holdsNow(m[1]) {
		return states, strings.TrimRight(text, "?!. ") // what was, and may be so no more
	}
	for _, opening := range []*pattern{told, noteThat} {
		if m := opening.FindStringSubmatchIndex(text); m != nil {
			clause := strings.TrimRight(text[m[2]:], "?!. ")
			if opening == noteThat {
				clause = text[m[2]:]
			}
			if standsAlone(clause) && (!asksSomething(text) || !isQuiz(text[:m[2]], clause)) {
				return states, clause
			}
		}
	}
	if asksSomething(text) || favours.MatchString(text) {
		if clause := stated(text, names); clause != "" {
			return states, clause
		}
		return asks, ""
	}
	if asksForText(text) && !strings.Contains(text, ":") {
		if asks := requestForText(text); personal(asks) && named(asks, names) {
			return states, asks
		}
		return commands, ""
	}
	if (request.MatchString(text) || imperative(text) && slotOf(text).name == "") && !standing.MatchString(text) && !personal(text) {
		if clause := besides(text, names); clause != "" {
			return states, clause
		}
		return commands, ""
	}
	return states, text
}

// judgeForeign judges a sentence whose grammar is not known: only a plain question
// is told from the rest, and of one that has a part before it all is kept.
func judgeForeign(text string, names map[string]bool) (act, string) {
	if supposesForeign(text) {
		return commands, ""
	}
	if !asksForeign(text) {
		if foreignRequest.MatchString(text) && !foreignOwn.MatchString(text) {
			return commands, ""
		}
		return states, text
	}
	if n := strings.IndexRune(text, '¿'); n > 0 {
		if part := strings.TrimRight(text[:n], " ,;:–—-"); countWords(part) >= 3 && !isSmallTalk(part, names) {
			return states, part
		}
		return asks, ""
	}
	if n := strings.LastIndexAny(text, ",、，،;"); n > 0 && countWords(text[:n]) >= 3 && !isSmallTalk(text[:n], names) {
		return states, text
	}
	return asks, ""
}

// asksForeign says whether a sentence of another language is a question.
func asksForeign(text string) bool {
	if endsAsking(text) {
		return true
	}
	bare := strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || isPictograph(r) || strings.ContainsRune(closers+"!.。！…", r)
	})
	for _, ending := range []string{"ですか", "ますか", "でしょうか", "ましたか", "吗", "嗎"} {
		if strings.HasSuffix(bare, ending) {
			return true
		}
	}
	return foreignQuestion.MatchString(text)
}

// phrases is a pattern of sentences' beginnings in any case.
func phrases(list ...string) *pattern {
	return newPattern(`(?i)^[\s¿¡"«„]*(?:` + strings.Join(list, `|`) + `)`)
}

var (
	// foreignQuestion opens a question of another language that lacks its mark.
	foreignQuestion = phrases(
		`(?:qué|cuál|cuándo|dónde|cómo|cuánt[oa]s?|quién) (?:es|son|está|tal|hora|hago|puedo|significa|se)\b`, `(?:puedes|podrías|me puedes|sabes)\b`,
		`(?:qu'est-ce|est-ce|comment (?:je|tu|on|vous|faire|ça|est|dit|puis|s'appelle)|pourquoi|quand est|quel(?:le)? (?:est|heure)|où est|tu peux|peux-tu|pouvez-vous|vous pouvez|tu sais|c'est quoi)\b`,
		`(?:was ist|was sind|wie (?:ist|geht|spät|kann|mache|viel|heißt)|wo (?:ist|kann|finde)|wann ist|warum|wer ist|kannst du|könntest du|können sie|weißt du)\b`,
		`(?:o que|qual|quando é|onde (?:fica|está|posso)|como (?:se|faço|posso|é)|por que|quem é|você pode|vc pode|pode me|podes)\b`,
		`هل\s`, `(?:ما|من|أين|متى|كيف|لماذا|كم)\s(?:هو|هي|هل|يمكن|أستطيع)`)
	// foreignRequest opens a request of another language that states nothing.
	foreignRequest = phrases(
		`(?:por favor,? )?(?:escr[ií]be(?:me)?|escribir|tradúce(?:me|lo|la)?|traduce|explíca(?:me|lo)?|explica|resume|resúme(?:lo|me)?|dame|cuéntame|ayúdame|hazme|hazlo|muéstrame|dime|corrige|continúa|sigue|\pL*[áéí]\pL*(?:ame|eme|me))(?:\s|$|[,.!])`,
		`(?:s'il (?:te|vous) plaît,? )?(?:écris|écrivez|traduis|traduisez|explique|expliquez|résume|résumez|donne|donnez|raconte|aide-moi|aidez-moi|montre|dis-moi|dites-moi|corrige|corrigez|continue)(?:\s|$|[-,.!])`,
		`(?:bitte )?(?:schreib|schreibe|übersetze?|erklär|erkläre|fasse?|gib mir|erzähl|hilf mir|zeig mir|sag mir|mach mir|korrigiere?|mach weiter)(?:\s|$|[,.!])`,
		`(?:por favor,? )?(?:escreva|escreve|traduza|traduz|explique|explica|resuma|resume|me (?:dá|dê|conta|explica|ajuda|diz|mostra)|dá-me|conta-me|ajuda-me|ajude-me|faça|corrija|continua|continue)(?:\s|$|[,.!])`,
		`(?:请|請|麻烦|麻煩)?(?:你)?(?:再)?(?:帮我|幫我|给我|給我|替我)?(?:写|寫|翻译|翻譯|解释|解釋|总结|總結|列出|推荐|推薦|改写|润色|讲|继续)(?:一|个|個|下|几|這|这|成|$)`,
		`[^。、]{0,25}(?:書いて|教えて|訳して|翻訳して|説明して|まとめて|直して|続けて|手伝って)(?:ください|下さい|くれる|くれます|ほしい|お願いします|ね|よ)?[。！!]?$`,
		`(?:من فضلك،? )?(?:اكتب|ترجم|اشرح|لخص|أعطني|اعطني|ساعدني|أخبرني|قل لي)\s`)
	// foreignOwn says that something of the speaker's own is in it.
	foreignOwn = newPattern(`(?i)(?:^|[^\pL])(?:mi|mis|soy|tengo|mon|ma|mes|je|j'ai|j’ai|mein|meine|meinen|meiner|meinem|ich|meu|minha|meus|minhas|eu|tenho)(?:$|[^\pL])|我的|我是|我有|私の|僕の`)
	// foreignService are an assistant's offers of help in other languages.
	foreignService = phrases(`¿?en qué (?:más )?puedo ayudar`, `estoy aquí para`, `comment puis-je`, `n'hésite`, `je suis là pour`, `wie kann ich (?:dir|ihnen)`, `gerne?[,!. ]`, `como posso ajudar`, `何かお手伝い`, `有什么可以帮`, `كيف يمكنني`)
)

// english is a pattern for any case and either form of apostrophe.
func english(written string) *pattern { return newSpelledPattern(written, inEnglish) }

func inEnglish(written string) string {
	var out strings.Builder
	out.WriteString(`(?i)`)
	class := false
	written = strings.ReplaceAll(written, `\p{Lu}`, `(?-i:\p{Lu})`) // a capital is one
	for _, r := range written {
		switch {
		case r == '[':
			class = true
		case r == ']':
			class = false
		case r == '\'' && class:
			out.WriteRune('’')
		case r == '\'':
			out.WriteString("['’]")
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

const lightWords = `(?:(?:hey|hi|hello|oh|ok|okay|so|and|but|btw|by the way|well|also|wait|now|then|um|please|pls|sorry|actually|alright|great|cool|thanks|thank you|just|kindly|haha|hahaha|lol|lmao|hm+|yo|nah|no|yes|yeah|omg|wtf|bro|bruh|dude|man|ooh+|ahh+|aw+|jeez|ugh|anyway|anyways|uh|er|right|argh|oops|damn|better)[,!.:]*\s+)*`

var (
	// told opens a question that tells what it asks about; what is told follows.
	told = english(`^` + lightWords + `(?:(?:did|have|had|haven't|didn't)\s+(?:i|we)\s+(?:ever\s+|already\s+|not\s+)?(?:tell|told|mention|mentioned|say|said)(?:\s+to)?(?:\s+you)?(?:\s+(?:already|yet|before))?|(?:did|do|didn't|don't)\s+you\s+(?:know|remember)(?:\s+when)?|you\s+know|remember\s+when|can\s+you\s+believe|guess\s+what\s*[,:!?.…–—-]+)[,:!?]?\s+(?:that\s+)?(.+)$`)
	// noteThat opens a statement that is asked to be remembered.
	noteThat = english(`^` + lightWords + `(?:remember|note|be aware|(?:keep|bear) (?:this |it )?in mind|(?:don't|do not|never|please don't) (?:ever )?forget|make a note|take note|fyi|for your information|for the record|just so you know|so you know|you should know|i(?: want|'d like| would like) you to (?:remember|know|note)|i (?:just )?(?:wanted|want) (?:to (?:say|tell you|let you know|mention|share)|you to know))(?:\s+(?:about me|for (?:me|later|next time|future reference)|this))*[,:]?\s+(?:that\s+|this:\s+)?(.+)$`)
	// interrogative opens a question that may lack its mark.
	interrogative = english(`^` + lightWords + `(?:` +
		`(?:who|whose|whom|why)\s+\S|how (?:high|tall|big|far|long|old|much|many|fast|deep|often|heavy|wide|hot|cold|hard|bad|good|late|early|soon)\s+(?:\S+\s+)?(?:is|are|was|were|do|does|did|can|will|would|should|has|have)\b|(?:what|who|whose|whom|where|when|why|how)(?:'s|'re|\s+(?:is|are|am|was|were|do|does|did|can|could|would|should|will|has|had|about|come))\b` +
		`|(?:what|which|how)\s+(?:[\w']+\s+){1,3}(?:is|are|do|does|did|can|should|would|was|were|will)\s+(?:i|you|we|he|she|it|they|there|the|this|that|my|your|best|good)\b` +
		`|(?:can|could|would|will|should|shall|does|did|is|are|was|were|am|isn't|aren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|shouldn't|wasn't|weren't)\s+(?:i|you|we|he|she|it|they|there|this|that|these|those|the|my|your|our|his|her|their|anyone|anybody|someone|any)\s+\S` +
		`|(?:do|have|has|had|may|haven't|hasn't)\s+(?:i|you|we|he|she|they|anyone|anybody)\s+\S` +
		`|(?:does|is|are|isn't|aren't|doesn't|whats|wheres|whos|hows|whens)\s+\S|how to\s|how (?:many|much|long|far|often|old)(?:\s|\W*$)|which (?:one|way|of)(?:\s|\W*$)|mind if i\b|guess (?:what|who|where|how|when) \S|(?:what|which|whose)\s+[\w']+\s+(?:do|does|did|should|can|would|will)\s+\S|(?:can|could|should|would|will|do) (?:people|cats?|dogs?|kids|babies|plants|[\pL]{3,}s) (?:\pL+)\b|what (?:happens|comes|goes) (?:next|now|if|when|after)\b|got (?:any|anything)\b|any (?:good|decent|cheap|nice|other|idea)\b)`)
	// relative words after a question word make a clause of it, not a question.
	fused = english(`^` + lightWords + `(?:what|which|how|whatever)\s+(?:i|we|he|she|they|you|my|our)\b`)
	// request opens a command, or a wish that someone do or tell something.
	request = english(`^` + lightWords + `(?:` +
		`write|practi[cs]e (?:a|an|my|with)|tell (?:me|us)|show (?:me|us)|give (?:me|us)|explain|translate|summari[sz]e|list|generate|draw (?:me|a|an|the)|describe|rewrite|rephrase|paraphrase|recommend|suggest|help|compare|define|calculate|compute|convert|fix|debug|draft|proofread|brainstorm|pretend|imagine|(?:let's|let us|lets) (?:say|pretend|imagine|assume|suppose|role-?play|play|practi[cs]e|start|try|continue|talk about|move on|go with|do)|suppose|assume|say i(?:'m| am| were| was)|you(?:'re| are) (?:now )?(?:a|an|the|my) |act (?:as|like)|continue|go (?:on|ahead)|keep going|look (?:at|up|into)|check (?:out|this|it|that|the|my)|take a look|see (?:the|this|below)|let me (?:know|see|think)|answer (?:the|this|my)|respond to|repeat|create|make (?:me|it|this|that|the|a list|a table|sure)|find (?:me|a|an|the|some|out)|search|google|analy[sz]e|evaluate|review|classify|extract|outline|elaborate|expand|shorten|simplify|improve|correct|edit|format|implement|refactor|optimi[sz]e|solve|prove|forget (?:that|about|it|what|this|everything|all)|(?:erase|delete|wipe|clear) (?:all|everything|my (?:data|account|history|memories|memory))|you can forget|ignore|skip (?:it|that|this)|play (?:me|something|some|a|the) |remind me (?:of|about|what|who|when|where|how|which)|recall|provide|discuss|identify|read (?:this|the|it)|try again|don't worry|talk about|ask me|quiz me|teach me|shorten|polish|tweak|add (?:a|an|more|some)|remove (?:the|that|this)|change (?:the|that|this|it) (?:to|tone|title|wording)|use (?:a|more|fewer|less) |turn (?:this|it|that) into|put (?:this|it|that) in|show it|explain it|start over|redo|regenerate|again|walk me|do (?:it|that|this)|what if|rename|reformat|rerun|re-run|retry|revert|undo|merge (?:it|this|that|the)|push (?:it|this|that)|commit (?:it|this|that)|replace (?:it|the|this|that|all|every)|insert (?:a|an|the|it)|append|sum (?:it|this|that|up)|label (?:each|the|these|this|them|every|all)|highlight|capitali[sz]e|sort (?:it|the|them|these|this)|swap (?:it|the|them|those)|split (?:it|the|them|this)|count (?:the|how|them)|run (?:it|that|this|the)|try (?:it|that|this|again|with|the other|another|a different)|move (?:it|that|this|the \pL+ (?:to|up|down|above|below))|add (?:the|another|it|that|this)|indent|reorder|update (?:it|the|that|this)|cut (?:it|the|that|this)|number (?:them|the|it)|send (?:it|me|that|this)|leave out|drop (?:the|it|that)|start with|print (?:it|the|this)|delete (?:the|it|that|this|all)|apply (?:it|that|this|the)|undo (?:it|that|the)|say (?:it|that|this) (?:again|in|more)|call (?:it|that) |name (?:it|the)|close (?:it|the issue|the ticket)|open (?:it|the file)|wrap (?:it|the)|keep (?:it|them) (?:short|brief|simple|as)|now (?:do|make|write|add|label)|` +
		`i(?:'m| am| was)? (?:just )?(?:wonder(?:ing)?|curious) (?:if|whether|how|what|why|when|where|who|which)|(?:just )?(?:curious|wondering) (?:if|whether|how|what|why|when|where|who)|i(?:'d| would) (?:like|love) (?:to (?:know|ask|hear|understand)|you to|your)|i (?:want|need) (?:you to|to know|to ask|your (?:help|opinion|advice))|any (?:ideas?|tips|suggestions|advice|thoughts|recommendations)` +
		`)\b`)
	// invites is an assistant's request to be told something.
	invites = english(`^` + lightWords + `(?:tell me|let me know|share|feel free|i'd (?:love|like) to (?:know|hear|learn)|(?:if )?you can tell me|describe your|give me)\b`)
	// steers are fragments that say how to go on.
	steers = english(`^(?:` + lightWords + `|(?:interesting|perfect|nice)[,.! ]+)*(?:tell me more|do (?:it|that|this)|option \w|(?:neither|either|both|all of (?:them|it)|none of (?:them|these)|the (?:former|latter))|\d+ more|(?:a bit |a little |much |even |way )?(?:more|less) (?:formal|casual|details?|detailed|funny|serious|polite|concise|technical|examples)|(?:shorter|longer|simpler|funnier|louder|again)|(?:can|could) (?:u|you|ya) (?:make|do|try|shorten|redo|repeat|rewrite|explain|add|change) (?:it|that|this|one|them)\b[^.!,]{0,30}|in (?:french|german|english|spanish|italian|portuguese|dutch|japanese|chinese|korean|arabic|polish|one sentence|a table|bullet points)|next(?: one| question)?|ok \w+)(?: please| pls| plz| thanks)?\W*$`)
	// restates says back what was explained.
	restates = english(`^(?:i see|ok|okay|right|got it|ah|aha|oh|ohh|hm+)[,.! ]+so (?:it's|that's|basically|it is|you mean|that means|they're|it|its|thats|the|[a-z] is)\b`)
	// answerIs says back what came out.
	answerIs = english(`\bso (?:the (?:answer|result|value|output|number|total|first|second|right)|[a-z]) (?:one |is|must|would)`)
	// supposes opens a play or an exercise.
	supposes = english(`^` + lightWords + `(?:imagine (?:you|i|we|that)|pretend|suppose|assume|(?:let's|let us|lets) (?:say|pretend|imagine|assume|suppose|role-?play)|act (?:as|like))\b`)
	// counterfactual supposes what is not so, and tells nothing else.
	counterfactual = english(`^` + lightWords + `(?:if|imagine if|suppose) (?:i|we)(?: only)? (?:were|was|had|won|could|lived|knew|did not|didn't|ever (?:won|had|became))\b[^.;]*\b(?:i'd|we'd|i would|we would|i could|we could|would i|would be|it'd|it would)\b`)
	// standing marks a command that is to hold from now on, or that tells of a plan or a name.
	standing = english(`\b(?:always|never|from now on|in (?:the )?future|every time|whenever|each time|going forward|by default|remind me to|call me|calling me)\b`)
	// asksBack opens a request for what was told before.
	asksBack = english(`^` + lightWords + `(?:tell|show|list|give|remind|recall|repeat|describe|summari[sz]e|i(?:'m| am| was)? (?:just )?(?:wonder|curious)|i(?:'d| would) (?:like|love) to (?:know|hear)|i (?:want|need) to know)`)
	// tag is a question hung on a statement.
	tag = english(`(?:,?\s+(?:right|correct|ok|okay|eh|huh|you know)|,\s+(?:yes|no)|\s+(?:is|are|was|were|do|does|did|have|has|had|ca|could|wo|would|should)n't (?:i|you|he|she|it|we|they|there)|,\s+(?:is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|ca|wo)(?:n't)? (?:i|you|he|she|it|we|they|there|that|this))\s*\?[\s?!]*$`)
	// part separates the parts of a sentence that can each be statement or question.
	part = english(`(?:,\s+|;\s+|:\s+|\s+[-–—]+\s+|—|\s+(?:because|since|cuz|'cause|given that|now that|considering(?: that)?)\s+)(?:(?:and|but|so|because|since|as|cuz|given that|now that|considering(?: that)?)\s+)?`)
	// because opens a part that gives a reason.
	because = english(`^` + lightWords + `(?:since|because|as|given that|now that|considering(?: that)?)\s+`)
	// andAsks ends a statement where a question begins without a comma.
	andAsks    = english(`\s+(?:and|so|but)\s+(?:what|which|who|where|when|why|how|can|could|should|do|does|is|are|would|will)\b`)
	questioner = english(`^(?:i|we)(?:'m| am| was|'d| would)? (?:just )?(?:wonder|wondering|curious|have (?:a|another|one|some) (?:\w+ )?questions?|need (?:some |your )?(?:help|advice)|want to (?:ask|know)|like to (?:ask|know)|think|guess|mean|don't know|have no idea|forgot|forget|can't remember|don't remember|asked|hope)\b`)
	modalAsk   = english(`^(?:i|we) (?:should|could|can|must|need to|have to|told|said|mentioned|just)\b`)
	politely   = english(`^` + lightWords + `(?:(?:can|could|would|will) you|would you mind|(?:can|could|may) (?:i|we) (?:get|have)|do you (?:remember|know|have any|recall)|any\b|is there any)`)
)

// endsAsking says whether a sentence ends with a question mark, smileys aside.
func endsAsking(text string) bool {
	end := strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || isPictograph(r) || strings.ContainsRune(closers+"!.…", r)
	})
	last, _ := utf8.DecodeLastRuneInString(end)
	return last == '?' || last == '？' || last == '؟' || last == '\u037e' && len(end) > 0
}

func asksSomething(text string) bool {
	return endsAsking(text) || interrogative.MatchString(text) && !fused.MatchString(text)
}

// standsAlone says whether a clause has a subject of its own and a verb.
func standsAlone(clause string) bool {
	words := wordsOf(clause)
	if len(words) < 2 || !verbal(words) {
		return false
	}
	first := words[0]
	return subjects[first.low] || kin[first.low] || strings.HasSuffix(first.low, "'s") || first.capital && !questionWords[first.low]
}

// isQuiz says whether a clause after "do you know" or "you know" is what is asked
// for, not what is told: only the speaker's own affairs are told that way.
func isQuiz(opening, clause string) bool {
	if !strings.Contains(strings.ToLower(opening), "you know") && !strings.Contains(strings.ToLower(opening), "you remember") {
		return false
	}
	if strings.HasSuffix(strings.ToLower(strings.TrimSpace(opening)), "that") {
		return false
	}
	first := wordsOf(clause)[0]
	return !own[first.low] && (!first.capital || first.low == "the")
}

// stated gives what a question states by the way ("I'm allergic to nuts, what can
// I eat?"), or "".
func stated(text string, names map[string]bool) string {
	if m := tag.FindStringIndex(text); m != nil {
		said := text[:m[0]]
		words := wordsOf(said)
		if len(words) >= 3 && !strings.HasPrefix(words[0].low, "you") && verbal(words) && !interrogative.MatchString(said) && !isSmallTalk(said, names) {
			return said
		}
	}
	from, to, last := -1, -1, 0
	all := parts(text)
	for len(all) > 1 {
		// Who is addressed at the end is part of the question.
		if last := wordsOf(text[all[len(all)-1][0]:]); len(last) > 2 || len(last) > 0 && own[last[0].low] || len(last) == 2 && questionWords[last[0].low] {
			break
		}
		all = all[:len(all)-1]
		all[len(all)-1][1] = len(text)
	}
	for i, bounds := range all {
		clause := text[bounds[0]:bounds[1]]
		if i == 0 {
			if m := because.FindStringIndex(clause); m != nil {
				bounds[0] += m[1]
				clause = clause[m[1]:]
			}
			if m := andAsks.FindStringIndex(clause); m != nil {
				bounds[1] = bounds[0] + m[0]
				clause = clause[:m[0]]
			}
		}
		if isSmallTalk(clause, names) {
			continue
		}
		switch declares(clause, i) {
		case wholly:
			if from < 0 {
				from = bounds[0]
			} else if last != i-1 {
				continue
			}
			to, last = bounds[1], i
		case leaning:
			return text
		}
	}
	if from >= 0 {
		return strings.TrimRight(text[from:to], " ,;:?!-–—")
	}
	if politely.MatchString(text) && (standing.MatchString(text) || personal(text) && named(text, names)) {
		return text
	}
	return ""
}

// parts cuts a sentence at what parts its clauses.
func parts(text string) [][2]int {
	var out [][2]int
	start := 0
	for _, m := range part.FindAllStringIndex(text, -1) {
		out = append(out, [2]int{start, m[0]})
		start = m[1]
	}
	return append(out, [2]int{start, len(text)})
}

// declaration is how much of a statement a part of a question is.
type declaration int

const (
	notAtAll declaration = iota
	// wholly: it can be understood alone.
	wholly
	// leaning: it states something about what the question names.
	leaning
)

func declares(clause string, index int) declaration {
	words := wordsOf(clause)
	if len(words) < 3 && !(len(words) == 2 && own[words[0].low] && auxiliaries[words[0].low]) || interrogative.MatchString(clause) || questionWords[words[0].low] {
		return notAtAll
	}
	first := words[0]
	switch {
	case questioner.MatchString(clause):
		return notAtAll
	case own[first.low] && (first.low != "my" && first.low != "our"):
		if endsAsking(clause) && modalAsk.MatchString(clause) {
			return notAtAll
		}
		return wholly
	case own[first.low]:
		if len(words) >= 4 && verbal(words) {
			return wholly
		}
	case index > 0 && leaners[first.low]:
		if verbal(words) {
			return leaning
		}
	case index == 0 && !endsAsking(clause) && !strings.HasPrefix(first.low, "you") && !request.MatchString(clause) && !conditional[first.low]:
		if verbal(words) && (subjects[first.low] || first.capital || parents[first.low]) {
			return wholly
		}
	}
	return notAtAll
}

// personal says whether a request tells of something of the speaker's own: "my" or
// "our" before anything but the matter of the request itself. A request for what
// was told before tells nothing.
func personal(text string) bool {
	if asksBack.MatchString(text) {
		return false
	}
	words := wordsOf(text)
	for i, w := range words {
		if w.low != "my" && w.low != "our" || i+1 == len(words) {
			continue
		}
		if !matters[words[i+1].low] && (i+2 >= len(words) || !matters[words[i+2].low]) {
			return true
		}
	}
	return false
}

// named says whether a text has a name or a number in it that is not its first
// word and not who is addressed.
func named(text string, names map[string]bool) bool {
	words := wordsOf(text)
	for i, w := range words {
		if unicode.IsDigit(rune(text[w.start])) {
			return true
		}
		called := i == len(words)-1 && w.start >= 2 && text[w.start-2] == ','
		if i > 0 && w.capital && !own[w.low] && !addressed(w.low, names) && !called && text[w.start-1] == ' ' && !strings.ContainsRune("?!.,", rune(text[max(0, w.start-2)])) {
			return true
		}
	}
	return false
}

var (
	own           = set(`i i'm i've i'd i'll we we're we've we'd we'll my our im ive`)
	subjects      = set(`i i'm i've i'd i'll we we're we've we'd we'll my our im ive he he's she she's they they're they've it it's the there there's this that your his her their its a an these those both all everyone someone nobody`)
	kin           = set(`mum mom dad mummy daddy mother father grandma grandpa granny nana people`)
	questionWords = set(`what which who whose whom where when why how if whether what's who's where's how's can could would will should do does did is are was were has had may am`)
	leaners       = set(`he he's she she's they they're it it's his her their he'll she'll they've she'd he'd`)
	conditional   = set(`if when unless suppose imagine assuming once until while whenever`)
	// matters are the things that requests are about, not facts of someone's life.
	matters = set(`essay text code email mail letter cv resume question questions message messages document paragraph writing draft answer conversation chat chats notes note data file files history memory memories preferences homework assignment sentence sentences grammar script function program query article report request prompt story poem problem instructions name life own mind opinion way time god goodness dear understanding favorite favourite previous last knowledge`)
)
