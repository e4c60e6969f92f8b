package extract

import (
	"strings"
	"unicode"
)

// What an assistant says back of what it was told, or was given as recalled, states
// nothing new: learned again it would come back as the assistant's own knowledge.

var (
	// echo opens a sentence in which an assistant says what it was told.
	echo = english(`^(?:(?:since|because|yep|yeah|noted|right|sure|of course|certainly|yes|ok|okay|great|right|well|so|ah|got it|noted|understood|as|and|but|thanks|hi|hello|perfect|absolutely|no problem|alright)[\s,!.:–—-]+)*(?:` + strings.Join([]string{
		`(?:as )?you(?:'ve| have| had)? (?:also |just |already |previously |earlier )?(?:mentioned|said|told|noted|shared|indicated|stated|asked me to remember)\b`,
		`(?:i'll|i will|i've|i have|i can|i do|i)(?: also| now)? (?:remember|recall|noted|keep in mind|remembered|made a note|make a note|take note|taken note|saved|stored|recorded|added|updated|note|know|see)(?: (?:down|of it|from (?:our|your|earlier|before|last)[^,]{0,30}|in my (?:memory|notes)))? (?:that )?(?:you|your)\b`,
		`(?:based on|from|according to|in) (?:what (?:you|i)|our (?:previous|earlier|last|past)|your (?:earlier|previous|profile|messages)|my (?:memory|memories|notes|records)|the (?:memories|context))\b`,
		`(?:here(?:'s| is| are)|this is|these are) (?:what|everything|all|the things?|some things|a summary of what) (?:that )?(?:i|we) (?:know|remember|have|recall)\b`,
		`(?:i|what i) (?:remember|know|recall|have noted)(?: (?:about|of) you| so far)?\b[^.]{0,20}:`,
		`(?:so )?you(?:'re| are) (?:also |still |now |really |already |actually )?(?:a|an|the|allergic|vegan|vegetarian|based|living|working|married|single|from|\d+|called|in|studying|learning|interested|fond|currently|planning|going|training|moving|saving|looking forward|preparing|getting|expecting|trying|hoping|thinking)\b`,
		`(?:so )?you (?:also |still |now |really |already |actually )?(?:live|work|love|like|enjoy|prefer|hate|dislike|own|play|speak|study|moved|were born|grew up|go by|drive|eat|drink|don't (?:like|eat|drink|have)|no longer|used to|recently|currently|have (?:a|an|two|three|four|\d+) (?:dog|cat|sister|brother|son|daughter|kid|child|wife|husband|partner|allergy|pet)\w*)\b`,
		`(?:it says (?:here )?|i (?:see|know|understand|gather) (?:that )?)you(?:r|'re| are| have| live| like)\b`, `your (?:dog|cat|pet|sister|brother|son|daughter|wife|husband|partner|mother|father|mom|mum|dad|boss|girlfriend|boyfriend)(?: is|'s) (?:called|named)\b`,
		`your (?:name|favou?rite [\w ]{1,20}|birthday|age|home|job|(?:dog|cat|sister|brother|son|daughter|wife|husband|partner|mother|father|mom|mum|dad)(?:'s name)?) is\b`,
	}, `|`) + `)`)
	// knownOf introduces a list of what is remembered.
	knownOf = english(`\b(?:(?:remember|know|have|recall|noted|stored|saved|learned|memories|facts|information|notes|things|told me|mentioned)\b[^:]{0,30}\b(?:about|of|on|from) (?:you|the user)|(?:what|everything|things) (?:i|we) (?:know|remember|recall)|what you(?:'ve| have) (?:told|shared)|(?:your|user) (?:profile|details|preferences|memories))\b`)
	// advises says that a sentence goes on to something of the assistant's own.
	advises = english(`,\s+so\b|\b(?:therefore|which means|i(?:'d| would)? (?:recommend|suggest|booked|ordered|found|added|scheduled|set)|you (?:could|should|can|might|may|need|will want)|try|consider|let's|how about|i(?:'ve| have) (?:booked|ordered|scheduled|set|found|reserved|cancelled|sent))\b`)
	// askedOfSelf is a user's question for what they told before: its answer is an echo.
	askedOfSelf = english(`\b(?:what(?:'s| is| was| are|'re) my (?:full |first )?(?:name|favou?rite|age|job|address|birthday|diet|allerg|pronouns|hobb|(?:dog|cat|wife|husband|sister|brother|son|daughter|mother|father|mum|mom|dad|partner|boss|girlfriend|boyfriend|pet|kid)s?'?s?)|where do i (?:live|work|study)|who am i|how old am i|what am i allergic|what do i (?:do for|like|eat|drink)|when is my birthday|what do you (?:know|remember) about (?:me|my)|do you (?:know|remember) (?:me|my|where i|what i|who i|that i|anything about me)|what (?:have|did) i (?:tell|told|said|say|mention))`)
	// aside is what an assistant says of the talk itself.
	aside = english(`^(?:(?:ok|okay|sure|of course|sorry|right|alright|great|perfect|absolutely|certainly|yes|no problem)[\s,!.]+)*(?:let me (?:explain|see|check|try|think|know|look|help|show|walk|break)|let's (?:get started|go|do (?:it|this)|start|dive in|begin|see|take a look)|here (?:you go|it is|they are|we go)|take your time|i'll wait|one moment|just a moment|you've got this|looking forward to|i can (?:definitely |certainly |absolutely |also )?help|i'm (?:always )?(?:here|around)|as an assistant|my (?:mistake|apologies|bad)|no (?:problem|worries) at all|thanks for|thank you for)\b[^:\d]{0,60}[:.!]*$`)
	// cheers opens a reaction that tells nothing, whomever it names.
	cheers = english(`^(?:what an?|congrat\w*|that sounds|sounds (?:like|good|great|lovely|fun)|i hope|hope|(?:i'm |i am )?(?:so |very |really )?(?:glad|happy) (?:to|for)|enjoy|have (?:a|fun)|good luck|welcome|thanks|thank you|lovely to|nice to|great to|pleased to|(?:booked|done|sent|scheduled|cancelled|canceled|updated|saved|ordered|added|ready|all (?:set|done))[!.]*$)\b?`)
	// reacts opens a reaction to what was told.
	reacts = english(`^(?:oh|wow|aww?|congrat\w*|that(?:'s| is| sounds| must|'d| would)|sounds|what an?|how|nice|great|lovely|awesome|amazing|wonderful|happy (?:to|for)|glad|i(?:'m| am) (?:so |very |really )?(?:glad|happy|sorry|pleased|excited|thrilled|delighted)|i hope|hope|enjoy|good|have (?:a|fun)|welcome|no worries|noted|got it|sure|okay|alright|thanks|thank you|ah|haha|hehe|it sounds|that must|best of|fingers crossed|sorry|my apologies|apologies|cool|perfect|excellent|fantastic|exciting|understood|of course|absolutely|i can imagine|i understand|i see|sending|take care|poor|yum|delicious|i'd be|i'm here|hello|hi|hey|good (?:morning|evening|afternoon))\b`)
)

// echoes says whether a sentence of an assistant says back what it was told, or only
// reacts to it.
func (g *grouping) echoes(text string) bool {
	if g.english && (aside.MatchString(text) || g.asked != "" && why.MatchString(text) || askedOfSelf.MatchString(g.question) && !advises.MatchString(text)) {
		return true
	}
	if g.english && g.message.Name == "" && (tellsIdentity(text) || calledOut.MatchString(text) && isSmallTalk(calledOut.FindStringSubmatch(text)[1], g.names)) {
		return true
	}
	if m := echo.FindStringIndex(text); m != nil && !advises.MatchString(text[m[1]:]) {
		return true
	}
	if cheers.MatchString(text) && countWords(text) <= 14 && !strings.ContainsAny(text, "0123456789:") && !advises.MatchString(text) {
		return true
	}
	return reacts.MatchString(text) && countWords(text) <= 16 && !strings.ContainsAny(text, "0123456789:") && !advises.MatchString(text) && !g.tellsNames(text)
}

// concludes says whether an assistant only says back what it was told and draws from it
// what is of the moment: "You live in Rome, so it's close".
func (g *grouping) concludes(text string) bool {
	m := soThat.FindStringSubmatch(text)
	if m == nil || !g.english || g.message.Name != "" || len(text) > 300 || !echo.MatchString(m[1]) && !tellsIdentity(m[1]) {
		return false
	}
	return g.echoes(m[2]) || g.remarks(m[2])
}

var (
	// soThat parts what was told from what is drawn from it.
	soThat = english(`^([^.!?;]{4,120}?),\s+(?:and\s+)?(?:so|which means|that means|meaning)\s+(?:that\s+)?(\S.*)$`)
	// calledOut is a courtesy with a name behind it: "Of course, Robert!"
	calledOut = english(`^([^,]{2,30}),\s+\p{Lu}[\pL'-]+[!.]*$`)
	// recalls opens what an assistant says of its user from what it was given.
	recalls = english(`^(?:(?:dear|hi|hello|hey)\s+\p{Lu}[\pL'-]+[,!]\s+|(?:i|we) (?:see|know|note|notice|gather|understand|can see)(?: (?:from|in|by) (?:my|the|our|your) \pL+)?,?\s+(?:that\s+)?|(?:my|the|our|your) (?:notes|memory|memories|records|profile|context|file) (?:say|says|show|shows|tell me|tells me|mention|mentions)\s+(?:that\s+)?)+`)
	toSelf  = strings.NewReplacer("you're", "I'm", "You're", "I'm", "you’re", "I'm", "You’re", "I'm", "you are", "I am", "You are", "I am", "your ", "my ", "Your ", "My ", "you ", "I ", "You ", "I ")
	// identities are the slots of who somebody is, which nobody can tell them.
	identities = set(`name called home work age birthday diet partner role pronouns`)
)

// tellsIdentity says whether an assistant tells its user who they are: that it can have
// from them only.
func tellsIdentity(text string) bool {
	if len(text) > 200 || advises.MatchString(text) {
		return false
	}
	bare := recalls.ReplaceAllString(text, "")
	if !strings.HasPrefix(strings.ToLower(bare), "you") {
		return false
	}
	said := toSelf.Replace(bare)
	for _, part := range append(nextClause.Split(said, -1), said, nextClause.ReplaceAllString(said, ". $1")) {
		a := slotOf(strings.TrimSpace(part))
		if kind, _, _ := strings.Cut(a.name, ":"); identities[a.name] || kind == "allergy" {
			return true
		}
	}
	words := wordsOf(said)
	return strings.HasPrefix(said, "I'm ") && len(words) > 1 && words[1].capital && strings.Contains(said, " I live in ")
}

// tellsNames says whether a text has a name that nobody said before.
func (g *grouping) tellsNames(text string) bool {
	for i, w := range wordsOf(text) {
		if i == 0 || !w.capital || w.low == "i" || strings.HasPrefix(w.low, "i'") {
			continue
		}
		if before := strings.TrimRight(text[:w.start], " "); before != "" && strings.ContainsAny(before[len(before)-1:], ".!?:") {
			continue
		}
		if !g.mentioned(text[w.start:w.end]) && unicode.IsUpper([]rune(text[w.start:w.end])[0]) {
			return true
		}
	}
	return false
}

// mentioned says whether a word stands in one of the messages just before.
func (g *grouping) mentioned(word string) bool {
	if g.heardWords == nil {
		g.heardWords = map[string]bool{}
		for i := len(g.heard) - 1; i >= 0 && i >= len(g.heard)-reach; i-- {
			text := g.heard[i].Text
			if len(text) > MaxText {
				continue
			}
			for _, w := range wordsOf(text) {
				g.heardWords[text[w.start:w.end]] = true
			}
		}
	}
	return g.heardWords[word] || g.heardWords[strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")]
}

// spokenLine is a line that gives who says it, as recalled memories do.
var spokenLine = newPattern(`(?i)^\s*(?:[-*•>]\s*)?["“'*]*(?:user|human|assistant)\**\s*:\s`)

// dropSpokenLines takes lines such as "user: I live in Oslo" out of what an assistant
// says: they come from its context.
func dropSpokenLines(text string) string {
	if !strings.Contains(text, ":") {
		return text
	}
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if !spokenLine.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
