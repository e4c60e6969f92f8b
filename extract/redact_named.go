package extract

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// link is how a value hangs on its name.
type link int

const (
	unlinked link = iota
	// bySign is "password: x", "password = x", "password": "x".
	bySign
	// bySaying is "the password is x", "set my password to x".
	bySaying
	// byPlace is "password x".
	byPlace
)

const (
	// linkBytes is how far behind a name what links it to a value is looked for.
	linkBytes = 160
	// followMost is the most values of one name.
	followMost = 24
)

const (
	copulas = `is|was|are|were|be|am|isn['’]t|is not|is no longer|wasn['’]t|reset to|set to|changed to|updated to|will be|should be|would be|has been|had been|used to be|to be|becomes?|equals?|reads?|es|era|son|será|sera|est|était|etait|sont|ist|war|lautet|lauten|heißt|sind|è|e'|era|sono|é|são|foi|это|был|была|jest|är|er|on|dir|هي|هو|كانت|है|था|হল|είναι|zijn|adalah`
	fillers = `now|still|just|currently|simply|actually|always|usually|basically|only|literally|probably|set|changed|set to|changed to|jetzt|immer noch|noch|ahora|todavía|maintenant|toujours|adesso|agora|ainda|теперь|الآن|also|called|nu`
)

var (
	// linkTold is what stands between a name and what it is said to be: "for the wifi is
	// now". Its qualification may name what it is of.
	linkTold = newPattern(`(?i)^` +
		`(?:\s*\([^()\n]{1,40}\)|\s*,\s(?:[\pL'’]+\s){1,7}[\pL'’]+,|\s+[–—-]\s(?:[\pL'’]+\s){1,7}[–—-])?` +
		`(?:\s+(?:i|we) (?:use|used|have|had|set|chose|picked)(?: (?:for|on|at|in|with|everywhere)(?:\s[^\s:=,;.!?]+){0,4}?)?)?` +
		`(?:\s+(?:for|of|to|on|at|in|from|with|behind|für|fürs|fuers|vom|von|zum|zur|beim|im|para|de|del|della|dell|dello|di|per|al|pour|du|des|d['’]|do|da|dos|das|no|na|от|для|к|на|van|voor|het|الخاصة|الخاص|لحسابي|لـ|هنا|till|för|meiner|meines|meinem|unserer|unseres|моей|моего|nueva|nuevo|actual|neue|nova|nuova|actuel|wifi|wi-fi|الواي|واي|карты|почты|телефона)['’]?(?:\s*[^\s:=,;.!?]+(?:\s+[^\s:=,;.!?]+){0,6}?)?)?` +
		`(?:\s+(?:` + copulas + `)|\s*[—–])` +
		`((?:\s+(?:` + fillers + `))*)` +
		`\s*(?:(?::|=|：|->|→)\s*|\s)`)
	// linkIt is "I keep forgetting my password, it's x".
	linkIt = newPattern(`(?i)^[^\n:=]{0,60}?[,.;:!?–—-]\s*(?:(?:but|so|and|now|because|currently)\s+)?(?:it['’]s|it is|it was|its|c['’]est|es ist)\s+(?:(?:now|still|just|currently)\s+)?`)
	// linkPause is "my password? x", "PIN #x".
	linkPause = newPattern(`^\s*(?:\?|\.{2,}|…|#)\s*`)
	// linkTo is "set my password to x", which changes must say.
	linkTo = newPattern(`(?i)^(?:\s+(?:for|of|on|at)(?:\s+[^\s:=,;.!?]+){1,5}?)?\s+to(?:\s+be)?(?:(?:\s+(?:` + fillers + `))*)\s*:?\s+`)
	// linkOwn is "my password's x".
	linkOwn = newPattern(`(?i)^['’]s(?:\s+(?:` + fillers + `))*\s*:?\s+`)
	changes = newPattern(`(?i)\b(?:set|sets|setting|change[ds]?|changing|reset|resetting|update[ds]?|updating|make|made|switch(?:ed)?|rotated?|turn(?:ed)?|hasło|hasłem)\b[^.!?\n]*$`)
	// linkFrom is "changed my password from x to y".
	linkFrom = newPattern(`(?i)^(?:\s+(?:for|of|on|at)(?:\s+[^\s:=,;.!?]+){1,4}?)?\s+(?:from|von|de|da|с)\s+`)
	// linkSigned is a sign, behind a quote that closes the name if it has one.
	linkSigned = newPattern(`^(?:["']\s*,?\s*["']?value["']?\s*[:=]\s*|(?:\\?["'` + "`" + `]|\*\*|\])?(?:\s*\([^()\n]{1,40}\))?(?:[ \t]+(?:for|of|to|on|für|para|de|pour|от|для|do|da|du|des|del|della|di)(?:[ \t]+[^\s:=,;.!?]+){1,4}?)?\s*(?::=|==?>?|:|：|->|→|=>)\s*(?:\*\*\s*)?)`)
	linkTag    = newPattern(`^>`)
	// linkDense are the same in scripts without blanks.
	linkDense = newPattern(`^(?:码|碼|コード|번호)?(?:(?:は|是|为|為|就是|は今|는|은|가|이|คือ)[、，:：\s]*|\s*[:：=]\s*|\s+)`)
	// linkBelow parts a name at the end of a line from what stands alone on one below it.
	linkBelow = newPattern(`(?i)^["'”’)*]*(?:(?:[ \t]+(?:is|are|was|follows|below|ist|es|est)[ \t]*:?|[ \t]*[:=：])[ \t]*\r?\n\s*|[ \t]*\r?\n[ \t]*)(?:(?:[-*•>]|\d{1,2}[.)])[ \t]+)?`)
	// linkFollows is "my password is as follows. x".
	linkFollows = newPattern(`(?i)^(?:\s+(?:for|of|to|on|at)(?:\s+[^\s:=,;.!?]+){1,5}?)?\s+(?:is|are|was|were)\s+(?:as follows|the following|below)\s*[.:,–—-]?\s*(?:(?:[-*•>]|\d{1,2}[.)])[ \t]+)?`)
	// linkElement parts an option from its value in a list of strings.
	linkElement = newPattern(`^\\?["']\s*,\s*`)
	linkDirect  = newPattern(`^[ \t]+(?:(?:wifi|wi-fi|карты|почты|телефона)[ \t]+)?(?:(?:[—–-]+|for (?:it|me)|is|would be)[ \t]+)?`)
	linkComma   = newPattern(`^(?:,|\s+(?:here|below|then))[ \t]*[:,]?[ \t]+\b`)
)

// namedSecrets finds what is told to be a secret, in order.
func namedSecrets(text string) []span {
	var out []span
	read := 0
	names := namesOf(text)
	for _, n := range names {
		if n.start < read {
			continue // it stands in the value before
		}
		if s, ok := toldBefore(text, n, read); ok {
			out = append(out, s)
			read = s.end
		}
		for _, s := range n.values(text) {
			out = append(out, s)
			read = s.end
		}
	}
	if more := columnSecrets(text, names); len(more) > 0 {
		holds := func(s span) bool {
			return slices.ContainsFunc(more, func(m span) bool { return s.start <= m.start && m.end <= s.end })
		}
		out = append(slices.DeleteFunc(out, holds), more...)
		slices.SortStableFunc(out, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	}
	return out
}

// values finds what is told behind a name.
func (n secretName) values(text string) []span {
	window := head(text[n.end:], linkBytes)
	if n.setting && !n.shouts && strings.HasPrefix(window, "(") {
		return nil // a function
	}
	if m := ofParameter.FindStringIndex(window); m != nil && !strong(text[n.end+m[1]:tokenEnd(text, n.end+m[1])]) {
		return nil
	}
	var first span
	ok := false
	try := func(how link, form *pattern) {
		if ok {
			return
		}
		if m := form.FindStringSubmatchIndex(window); m != nil {
			first, ok = n.value(text, n.end+m[1], how)
		}
	}
	before, _ := utf8.DecodeLastRuneInString(text[:n.end])
	if after, _ := utf8.DecodeRuneInString(window); isDense(before) || isDense(after) {
		try(bySaying, linkDense)
	} else {
		if m := linkBelow.FindStringIndex(window); m != nil {
			if first, ok = n.below(text, n.end+m[1]); ok {
				return n.further(text, first)
			}
		}
		try(bySign, linkFollows)
		if n.option {
			try(bySign, linkElement)
			try(bySign, linkDirect)
		}
		try(bySign, linkSigned)
		if n.start > 0 && text[n.start-1] == '<' && strings.Contains(window, "</") {
			try(bySign, linkTag)
		}
		try(byPlace, linkFrom)
		try(bySaying, linkOwn)
		if changes.MatchString(tail(text[:n.end], 80)) {
			try(bySaying, linkTo)
		}
		try(bySaying, linkTold)
		try(byPlace, linkDirect)
		if n.kind == aPassword {
			try(byPlace, linkComma)
		}
		if m := linkPause.FindString(window); m != "" && len(clauseFrom(text, n.end+len(m)).words) == 1 {
			try(byPlace, linkPause)
		}
		try(byPlace, linkIt)
	}
	if !ok {
		return nil
	}
	return n.further(text, first)
}

// ofParameter says behind the name of a field what its value must be.
var ofParameter = newPattern(`(?i)^\s*\((?:[^()\n]*[,\s])?(?:string|str|text|int|integer|number|boolean|required|optional|nullable|hashed|encrypted)(?:[,\s][^()\n]*)?\)\s*(?:$|[:,–—\n-])\s*`)

// below finds what is told on the line below a name and says nothing else: what looks like a
// secret by itself.
func (n secretName) below(text string, i int) (span, bool) {
	end := tokenEnd(text, i)
	v := text[i:end]
	behind := strings.TrimLeft(head(text[end:], 8), " \t\r\"'`*")
	if behind != "" && !strings.ContainsAny(behind[:1], "\n.!?;") || strings.Contains(v, markBegin) || pretend.MatchString(v) {
		return span{}, false
	}
	switch n.kind {
	case aPassword, aPhrase, aWord:
		return span{i, end, n.kind.mark()}, standsOut(v)
	case aKey, anyKey:
		n.kind = aKey
		return span{i, end, n.kind.mark()}, len(v) >= 8 && n.looksMade(v, byPlace)
	}
	return span{}, false
}

// follows is what stands between two values of one name.
var (
	valueJoins = newPattern(`(?i)^["'”’)]?(?:\s+(?:anymore|any more|any longer))?(?:\s*[,;/|]|\s*[—–-])?\s*\(?(?:(?:and|or|not|now|then|to|but|instead of|rather than|previously|before|formerly|was|it was|used to be|und|oder|nicht|statt|sondern|auf|y|o|no|sino|et|ou|pas|e|não|и|а|не|или|а не|in|into|as well as|plus|replaces|replacing|old one:?|old one was|the old one was|it used to be|before that|capital|or maybe|maybe|(?:my|the) (?:old|new|other|previous|current|second) one (?:is|was)|(?:until )?i changed it to|it['’]s now|it['’]s|now it['’]s|it is)\s+){1,3}["'“]?`)
	// valueOfOther stands before the value of another of the kind: "and the one of my bank is x".
	valueOfOther = newPattern(`(?i)^["'”’)]?\s*,?(?:\s+(?:and|but|while))?\s+(?:the|my) (?:one|other)(?:\s+one)?(?:\s+(?:of|for|at|on|to|with)(?:\s+[^\s:=,;.!?]+){1,4}?)?(?:\s+(?:is|was)|\s*[:=])\s+["'“]?`)
	valueList    = newPattern(`^["'”’]?(?:\s*\n\s*(?:[-*•]|\d{1,2}[.)])[ \t]+|\s*[,;/|]\s*|\s+)["'“]?`)
	// listNumber is how an element of a list begins.
	listNumber = newPattern(`^\d{1,2}[.)]\s`)
)

// further adds the values that follow the first: "from old1 to new2", "x, not y".
func (n secretName) further(text string, first span) []span {
	out := []span{first}
	from := changesFrom.MatchString(head(text[n.end:], linkBytes))
	for len(out) < followMost {
		end := out[len(out)-1].end
		window := head(text[end:], 80)
		var s span
		ok := false
		if m := valueJoins.FindStringIndex(window); m != nil {
			s, ok = n.next(text, end+m[1], from)
		}
		if m := valueOfOther.FindStringIndex(window); !ok && m != nil {
			s, ok = n.next(text, end+m[1], false)
		}
		if m := valueList.FindStringIndex(window); !ok && m != nil && m[1] > 0 && (n.several || n.kind == aCode) {
			if s, ok = n.next(text, end+m[1], false); ok && !hasDigit(text[s.start:s.end]) {
				ok = false
			}
		}
		if !ok {
			break
		}
		out = append(out, s)
	}
	return out
}

var changesFrom = newPattern(`(?i)^(?:\s+(?:for|of|on|at)(?:\s+\S+){1,4}?)?\s+(?:from|von|de|da|с)\s`)

// next is a value that follows another.
func (n secretName) next(text string, i int, plain bool) (span, bool) {
	end := tokenEnd(text, i)
	v := text[i:end]
	switch {
	case v == "" || strings.HasPrefix(v, markBegin) || isProse(v) || pretend.MatchString(v):
	case n.kind == aPIN || n.kind == aCVV:
		if allDigits(v) && len([]rune(v)) >= 3 && !aYear.MatchString(v) {
			return span{i, end, n.kind.mark()}, true
		}
	case strong(v) && (hasLetters(v) || len(v) >= 5), plain && !saysOf(v):
		return span{i, end, n.kind.mark()}, true
	}
	return span{}, false
}

var (
	// pinDigits are the digits of a PIN, in one or in groups.
	pinDigits = newPattern(`^["'“(]?(\p{Nd}{2,6}(?:-\p{Nd}{2,6}){1,5}|\p{Nd}(?:[ -]\p{Nd}){3,11}|\p{Nd}{2}(?: \p{Nd}{2}){1,3}|\p{Nd}{3,12})(?:$|[^\p{Nd}\pL_])`)
	// pinWords are digits in words.
	pinWords  = newPattern(`(?i)^(?:(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double|null|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|zéro|un|deux|trois|quatre|cinq|sept|huit|neuf|um|dois|três|quatro|sete|oito|nove|due|tre|quattro|cinque|sei|sette|otto|ноль|один|два|три|четыре|пять|шесть|семь|восемь|девять)(?:[ ,-]{1,2}|$|[.!?\n])){3,12}`)
	cvvDigits = newPattern(`^["'(]?(\p{Nd}{3,4})(?:$|[^\p{Nd}\pL_])`)
	ssnDigits = newPattern(`^["'(]?(\d{3}[- .]?\d{2}[- .]?\d{4})(?:$|[^\d])`)
	// measure follows a number that is no PIN.
	measure = newPattern(`(?i)^\s*(?:%|cm|mm|m|km|kg|g|years?|days?|hours?|minutes?|times?|characters?|digits?|letters?|words?|people|users?|pins?|codes?|°|dollars?|euros?|usd|eur)\b`)
)

// value gives the secret that is told at i, if one is.
func (n secretName) value(text string, i int, how link) (span, bool) {
	if i >= len(text) || strings.HasPrefix(text[i:], markBegin) || how == bySign && (strings.IndexByte(":<", text[i]) >= 0 || strings.HasPrefix(text[i:], "//")) || how == byPlace && strings.IndexByte("<([{-", text[i]) >= 0 {
		return span{}, false
	}
	if (n.several || strings.Contains(text[n.end:i], "\n")) && listNumber.MatchString(head(text[i:], 8)) {
		return span{}, false
	}
	mark := n.kind.mark()
	form := map[secretKind]*pattern{aPIN: pinDigits, aCVV: cvvDigits, anSSN: ssnDigits}[n.kind]
	if form != nil {
		window := head(text[i:], 64)
		if m := form.FindStringSubmatchIndex(window); m != nil && !measure.MatchString(window[m[3]:]) {
			return span{i + m[2], i + m[3], mark}, true
		}
		if m := pinWords.FindStringIndex(window); m != nil && n.kind == aPIN {
			return span{i, i + len(strings.TrimRight(window[:m[1]], " ,-.!?\n")), mark}, true
		}
		if n.kind != aPIN || how == byPlace {
			return span{}, false
		}
		if end := tokenEnd(text, i); strong(text[i:end]) && (how == bySign || !aYear.MatchString(text[i:end])) {
			return span{i, end, mark}, true
		}
		return span{}, false
	}
	if start, end, behind, ok := quotedValue(text, i); ok {
		if how == bySign && n.kind == anyKey && byteAt(text, n.end) == '"' && strings.EqualFold(text[n.start:n.end], "secret") {
			n.kind = aKey // the member of an object, of which "key" and "token" may be others
		}
		if n.quoted(text[start:end], how) {
			if how == bySign && (n.setting || byteAt(text, n.end) == '"' || byteAt(text, n.end) == '\\') || strings.HasSuffix(text[:start], `\"`) {
				return span{start, end, mark}, true
			}
			return span{i, behind, mark}, true
		}
		return span{}, false
	}
	if first, size := utf8.DecodeRuneInString(text[i:]); valueQuotes[first] != "" || first == '(' || first == '<' && how == bySaying {
		i += size // it does not close
	}
	end := tokenEnd(text, i)
	v := text[i:end]
	if typeName.MatchString(v) || how == bySign && standsFor(v) && (n.option || len(clauseFrom(text, i).words) == 1) || n.titled(text, v, how) || n.kind == aWord && how == bySign && n.lists(text, i) {
		return span{}, false
	}
	if how == bySign && isCode.MatchString(v) || n.directory && strings.ContainsAny(v[:min(1, len(v))], "/~$`\\") {
		return span{}, false
	}
	if v == "" || strings.HasPrefix(v, markBegin) || pretend.MatchString(v) && !(how != byPlace && strings.ContainsAny(v, "0123456789") && len(v) > 4 && !strings.HasPrefix(v, "$") && !strings.HasPrefix(v, "{") && hasLetters(v) && strong(v) && !strings.Contains(v, ".") && !strings.HasPrefix(strings.ToLower(v), "your")) {
		return span{}, false
	}
	switch n.kind {
	case aSeed:
		end := seedEnd(text, i)
		return span{i, end, mark}, end > i
	case aCode:
		if m := pinDigits.FindStringSubmatchIndex(head(text[i:], 64)); m != nil && how != byPlace && !measure.MatchString(head(text[i+m[3]:], 24)) {
			return span{i + m[2], i + m[3], mark}, true
		}
		if hasDigit(v) && len(v) >= 4 && !harmless.MatchString(v) && !measure.MatchString(head(text[end:], 24)) && !(how == byPlace && aYear.MatchString(v)) {
			return span{i, end, mark}, true
		}
		return span{}, false
	case aKey, anyKey:
		if n.kind == anyKey && ofNetwork.MatchString(tail(text[:n.start], 80)) {
			n.kind = aKey
		}
		if n.looksMade(v, how) {
			return span{i, end, mark}, true
		}
		return span{}, false
	}
	if first, _ := utf8.DecodeRuneInString(v); isDense(first) {
		return denseValue(text, i, end, mark)
	}
	if n.kind == aPhrase && how != byPlace {
		return n.phrase(text, i, how)
	}
	if n.kind == aPhrase && how == byPlace && whichIs.MatchString(tail(text[:n.start], 40)) {
		if c := clauseFrom(text, i); len(c.words) >= 3 && !saidOf[strings.ToLower(v)] && !saysOf(v) {
			return span{i, c.end, mark}, true
		}
	}
	if how == byPlace {
		return span{i, end, mark}, n.kind != aWord && standsOut(v)
	}
	if n.kind == aWord && (how == bySaying || !hasDigit(v) && (n.shouts || saysOf(v)) || allDigits(v) && len(v) < 4) {
		return span{i, end, mark}, standsOut(v)
	}
	return n.word(text, i, how)
}

// titled says whether a name and a value are words of a title: a poem titled Password: Love.
func (n secretName) titled(text, v string, how link) bool {
	first, _ := utf8.DecodeRuneInString(text[n.start:])
	of, _ := utf8.DecodeRuneInString(v)
	return how == bySign && unicode.IsUpper(first) && unicode.IsUpper(of) && !strong(v) && beforeTitle.MatchString(tail(text[:n.start], 40))
}

var beforeTitle = newPattern(`(?i)\b(?:titled|entitled|(?:book|novel|poem|song|film|movie|album|story|chapter|episode|essay)(?:\s+(?:is\s+)?(?:called|named))?)\s+["'“]?$`)

// lists says whether a word that names passwords, and other things too, has words behind it that say
// what thing it is: "My pass: Ikon ski pass".
func (n secretName) lists(text string, i int) bool {
	c := clauseFrom(text, i)
	return len(c.words) > 1 && !strong(c.words[0].text) && !afterPassword[strings.ToLower(c.words[1].text)]
}

// isCode is what a program computes.
var isCode = newPattern(`^[*&]?[A-Za-z_$][\w$]*(?:(?:\.|->|::)[\w$]+)*(?:\(|\[|->|::)|^[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)+;?$`)

// ofNetwork ends before "the key is x", where that is of a network.
var ofNetwork = newPattern(`(?i)\b(?:wi-?fi|wlan|wpa\d?|network|router|hotspot)\b[^.!?\n]*$`)

// whichIs ends before the name of a phrase that stands right behind it.
var whichIs = newPattern(`(?i)\b(?:use|used|with|using|by|type|enter|is)\s+(?:(?:the|my|our|this|a)\s+)?(?:[\pL-]+\s+)?$`)

// quoted says whether what stands in quotes behind a name is a secret.
func (n secretName) quoted(v string, how link) bool {
	switch {
	case strings.Contains(v, markBegin), pretend.MatchString(v), how == bySign && standsFor(v), n.kind == aWord && how == byPlace, n.directory && strings.ContainsAny(v[:1], "/~$\\"):
		return false
	case n.setting && how == bySign && n.kind == aKey && len(v) >= 4 && !isProse(v) && !strings.ContainsAny(v, " /") && nameOf(v, "", "").kind == noSecret:
		return true
	case n.kind == aKey || n.kind == anyKey:
		return n.looksMade(v, how)
	case n.kind == aCode:
		return hasDigit(v)
	case how == byPlace:
		return standsOut(v) || !strings.Contains(v, " ") && !isProse(v) && n.kind == aPassword
	}
	return true
}

// looksMade says whether a word can be a key.
func (n secretName) looksMade(v string, how link) bool {
	if known[strings.ToLower(v)] || harmless.MatchString(v) || strings.Contains(v, "](") || strings.Contains(v, "://") || nameOf(v, "", "").kind != noSecret && !hasDigit(v) || isProse(v) || allDigits(v) && len(v) < 6 || strings.ContainsAny(v, " ") {
		return false
	}
	switch {
	case n.kind == anyKey && how == bySign:
		return len(v) >= 8 && hasDigit(v)
	case n.kind == anyKey:
		return len(v) >= 16 && hasDigit(v) && hasLetters(v)
	case how == bySign && (n.setting && !n.camel || n.option):
		return len(v) >= 4
	case how == bySign:
		return hasDigit(v) && len(v) >= 5 || len(v) >= 16
	case how == byPlace:
		return len(v) >= 8 && hasDigit(v) && hasLetters(v)
	}
	return len(v) >= 5 && hasDigit(v) || len(v) >= 20 && !strings.Contains(v, "/")
}

// word gives a password that is told as "password: x" or "the password is x".
func (n secretName) word(text string, i int, how link) (span, bool) {
	mark := n.kind.mark()
	c := clauseFrom(text, i)
	if len(c.words) == 0 || inTitle(text, n.end, c) {
		return span{}, false
	}
	first := c.words[0]
	if isProse(first.text) {
		if c.listed() || how == bySign && c.spelledOut() {
			return span{i, c.end, mark}, true
		}
		return span{}, false
	}
	if strong(first.text) {
		return span{i, first.end, mark}, true
	}
	if known[strings.ToLower(first.text)] || strings.Contains(first.text, "://") && how != bySign {
		return span{}, false
	}
	if len(c.words) == 1 {
		if n.option || !(how == bySaying && saysOf(first.text) && strings.HasSuffix(first.text, "ly")) {
			return span{i, first.end, mark}, true
		}
		return span{}, false
	}
	if n.option || n.setting && how == bySign {
		return span{i, first.end, mark}, true
	}
	if c.listed() {
		if len(c.words) > 9 { // too many words for a password: what comes next has no mark before it
			return span{i, first.end, mark}, true
		}
		return span{i, c.end, mark}, true
	}
	if saysOf(first.text) && how == bySaying {
		return span{}, false
	}
	// Other words follow: of those only some can follow a password.
	if how == bySign || afterPassword[strings.ToLower(c.words[1].text)] || strings.ContainsAny(c.words[1].text, ":=") || nameOf(c.words[1].text, "", "").kind != noSecret {
		return span{i, first.end, mark}, true
	}
	return span{}, false
}

// inTitle says whether a name and what is said of it are words of a title: "The Password
// Is Courage".
func inTitle(text string, end int, c bits) bool {
	copula := strings.TrimSpace(text[end:c.words[0].start])
	if copula != "Is" && copula != "Was" && copula != "Are" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(c.words[0].text)
	return unicode.IsUpper(first) && !strong(c.words[0].text)
}

// afterPassword are words that may follow a password.
var afterPassword = set(`for at on in and but so if please don't do or not with to now when because since as by i you we it keep remember save note pls which that the my is was if though too still today since until user username login email url host für y pero para et mais pour und aber e mas per и но для от`)

// spelledOut says whether words behind "password:" are one, as in "password: i love my
// dog": small words only, of which the first does not say what it must be.
func (b bits) spelledOut() bool {
	if !b.whole || len(b.words) < 3 || len(b.words) > 9 || saidOf[b.words[0].text] {
		return false
	}
	for _, w := range b.words {
		for _, r := range strings.TrimRight(w.text, ".!") {
			if !unicode.IsLower(r) && r != '\'' {
				return false
			}
		}
	}
	return true
}

// saidOf are words that say what is with a password.
var saidOf = set(`must should needs need not no none see ask at in on is was are has been will can cannot minimum least required reset changed expired wrong incorrect too very same stored saved sent kept forgotten lost missing unknown invalid weak strong same-as optional please about how what when where why if for`)

// phrase gives a password of several words.
func (n secretName) phrase(text string, i int, how link) (span, bool) {
	mark := n.kind.mark()
	if end := seedEnd(text, i); end > i {
		return span{i, end, mark}, true
	}
	c := clauseFrom(text, i)
	if len(c.words) == 0 {
		return span{}, false
	}
	first := c.words[0].text
	if how == bySaying && (isProse(first) || saysOf(first)) {
		said := 0
		for _, w := range c.words[1:] {
			if isProse(w.text) && !strong(w.text) {
				said++
			}
		}
		if len(c.words) == 1 || said > 0 && !(first == "never" && len(c.words) > 2 && said < len(c.words)-1) {
			return span{}, false
		}
	}
	if how == bySign && isProse(first) && (len(c.words) < 3 || saidOf[strings.ToLower(first)]) {
		return span{}, false
	}
	return span{i, c.end, mark}, true
}

// seedWords are the words of a seed, which may be numbered or parted by commas.
var seedWords = newPattern(`^(?:(?:\d{1,2}[.):]?\s*)?[a-z]{3,8}(?:[,;]?\s+|$|[.!])){11,25}`)

func seedEnd(text string, i int) int {
	window := head(text[i:], 360)
	m := seedWords.FindStringIndex(window)
	if m == nil {
		return i
	}
	found := strings.TrimRight(window[:m[1]], " ,;\n.!")
	said := 0
	for _, w := range strings.Fields(found) {
		if isProse(w) {
			said++
		}
	}
	if said > 4 {
		return i
	}
	return i + len(found)
}

// denseValue gives a password in a script without blanks.
func denseValue(text string, i, end int, mark string) (span, bool) {
	v := text[i:end]
	if hasDigit(v) || strings.ContainsFunc(v, func(r rune) bool { return r < 0x80 && unicode.IsLetter(r) }) {
		return span{i, end, mark}, !denseProse.MatchString(v)
	}
	if n := utf8.RuneCountInString(v); n < 2 || n > 24 || denseProse.MatchString(v) {
		return span{}, false
	}
	return span{i, end, mark}, true
}

var denseProse = newPattern(`^(?:我|你|他|她|它|错|錯|对|對|什|不|很|一样|必|加密|空|正确|正確|过期|過期|太|安全|简单|簡單|复杂|複雜|谁|哪|怎|多少|忘|被|最|个|個|必要|違|間違|何|なん|秘密|安全|簡単|長|短|変|同じ|まだ|もう|難|覚|お|教|이|안|너무|뭐|무엇|잊|틀|같|길|짧)`)

var (
	possessives = `(?:my|our|the|his|her|their|your|mi|mis|mein|meine|unser|mon|ma|notre|il mio|la mia|meu|minha|a minha|mijn|мой|наш|\S+['’]s)`
	// isMine stands between a value and its name: "x is my wifi password".
	isMine = newPattern(`(?i)(?:["'”’)]?\s*,?\s+(is|was|are|as|for|being|will be|es|est|ist|è|é|это|jest|is now|is still|= ?)\s+` + possessives + `\s+(?:(?:old|new|current|former|main|default|usual|actual|real|temporary|secret|own|[\pL'’-]+(?:['’]s)?)\s+){0,3}|["'”’]?\s+\((?:` + possessives + `\s+)?)$`)
	// usual come between "my" and a name that is then nobody's.
	usual = newPattern(`(?i)\b(?:most|common|commonest|worst|popular|typical|average|same|first|best)\b`)
	// afterName goes on behind a name that a value was said of.
	afterName = newPattern(`(?i)^(?:$|[\s"'”’)]*(?:$|[.,;:!?)\n—–-]|(?:for|to|on|at|in|of|now|btw|and|but|so|please|pls|again|since|there|here|everywhere|too|as well|because|don't|if|für|para|pour|de|per|lol|these days|today|right now|then)\b))`)
)

// reverseBytes is how far before a name its value is looked for.
const reverseBytes = 160

// toldBefore finds the value before a name: "x is my password", "I use x as my password".
func toldBefore(text string, n secretName, read int) (span, bool) {
	if n.kind == anyKey || n.kind == aWord || n.setting || n.option || !afterName.MatchString(head(text[n.end:], 40)) {
		return span{}, false
	}
	from := max(read, n.start-reverseBytes)
	for from < n.start && !utf8.RuneStart(text[from]) {
		from++
	}
	window := text[from:n.start]
	m := isMine.FindStringSubmatchIndex(window)
	if m == nil || usual.MatchString(window[m[0]:]) {
		return span{}, false
	}
	bracketed := m[2] < 0
	as := !bracketed && strings.EqualFold(window[m[2]:m[3]], "as")
	said := window[:m[0]]
	mark := n.kind.mark()
	if closed := text[from+m[0]]; closed == '"' || closed == '\'' || strings.HasPrefix(text[from+m[0]:], "”") {
		opening := map[byte]string{'"': `"`, '\'': `'`}[closed]
		if opening == "" {
			opening = "“"
		}
		if i := strings.LastIndex(said, opening); i >= 0 && i+len(opening) < len(said) && !strings.Contains(said[i:], "\n") {
			return span{from + i + len(opening), from + len(said), mark}, true
		}
	}
	start := strings.LastIndexFunc(said, unicode.IsSpace) + 1
	v := strings.Trim(said[start:], `"'“‘(`)
	start = from + strings.LastIndex(said, v)
	end := start + len(v)
	if v == "" || strings.Contains(v, markBegin) || start < read || known[strings.ToLower(v)] || harmless.MatchString(v) && n.kind != anSSN {
		return span{}, false
	}
	if from > 0 && start == from {
		return span{}, false // its beginning may be farther off
	}
	switch n.kind {
	case aPIN, aCVV:
		return span{start, end, mark}, allDigits(v) && len([]rune(v)) >= 3
	case anSSN:
		return span{start, end, mark}, ssnDigits.MatchString(v)
	case aCode:
		return span{start, end, mark}, hasDigit(v) && len(v) >= 4
	case aKey:
		return span{start, end, mark}, hasDigit(v) && len(v) >= 6
	}
	if strong(v) {
		return span{start, end, mark}, true
	}
	if bracketed || isProse(v) || notValue[strings.ToLower(v)] {
		return span{}, false
	}
	// A word alone, or words in a row, from the beginning of the clause.
	opens := strings.LastIndexAny(said, ".!?,;:\n") + 1
	words := clauseFrom(text[:end], from+opens+len(said[opens:])-len(strings.TrimLeft(said[opens:], " ")))
	whole := from == 0 || opens > 0
	switch {
	case whole && len(words.words) == 1 && words.whole:
		return span{start, end, mark}, true
	case whole && words.listed() && len(words.words) >= 3 && n.kind != aPIN && !strings.ContainsAny(said[opens:], "\"'"):
		return span{words.words[0].start, end, mark}, true
	case as && useBefore.MatchString(said[:start-from]):
		return span{start, end, mark}, true
	}
	return span{}, false
}

var (
	notValue  = set(`he she this it that these those what which who where here there someone everybody nobody everyone one another something email phone thing name word bitwarden keepass lastpass dashlane security safety length question answer`)
	useBefore = newPattern(`(?i)\b(?:use|used|using|uses|set|chose|pick|picked|choose|put|have|had|keep|kept|type|enter|need|want|saved?|stored?)\s+["'“]?$`)
)
