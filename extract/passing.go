package extract

import (
	"strings"
)

// Much of what a user writes belongs to the moment: how they feel just now, what they
// do in the next minutes, how the work that is going on goes, and what they think of
// the answer they were given. None of it tells anything of them tomorrow. A sentence
// that names somebody or something, has a number or a date in it, or speaks of "my" or
// "our" anything is not taken for such.

// passingWords is the most words of a sentence that may be of the moment only.
const passingWords = 18

const (
	// before and after a remark of the moment.
	soft   = `(?:(?:ok|okay|oh|ah|hm+|so|and|but|well|now|then|anyway|also|ugh|omg|um|uh|no|yes|yeah|wait|right|haha|lol|lmao|man|damn|finally|alright|sorry|great|cool|nice|perfect|fair enough|honestly|actually|btw)[\s,!.:;…–—-]+)*`
	tail3  = `(?:[\s,]+(?:lol|lmao|haha\w*|rn|now|right now|again|today|tonight|already|though|tho|too|as well|still|yet|here|i swear|so much|so hard|so bad|man|omg|ugh|fr|ngl|tbh|xd|either|at all|honestly|lately|after that|thanks|this time|for me))*[\s.!…]*$`
	am     = `(?:i'm|im|i am|i'm feeling|i feel|feeling|we're|we are)`
	very3  = `(?:(?:so|really|very|too|literally|just|already|pretty|kinda|a bit|totally|all|still|about to be|such|super|actually)\s+)*`
	mood   = `(?:tired|exhausted|bored|crying|dying|dead|hungry|starving|thirsty|sleepy|happy|mad|angry|pissed(?: off)?|annoyed|frustrated|confused|lost|stuck|lazy|cold|hot|freezing|sweating|laughing|screaming|shaking|blushing|cooked|speechless|impressed|amazed|surprised|shocked|hyped|pumped|excited|done|overwhelmed|curious|nervous|sorry|grateful|relieved|an idiot|stupid|dumb|silly|blind|such an idiot|glad|proud|back|away|off|here|ready|waiting|listening|getting there|working on it|on it|trying|checking|looking|testing(?: this| it)?|reading(?: it| this)?)`
	shows  = `(?:shows?|says?|throws?|gives?|returns?|hangs?|fails?|failed|crash(?:es|ed)?|loads?|freez(?:es)?|works?|worked|compiles?|compiled|runs?|pass(?:es|ed)?|breaks?|broke|builds?|built|happens?|happened|stopped|spins?|helped|fixed it|did it|solved it|did nothing|does nothing|won't load|doesn't load|keeps (?:\pL+ing)|times out|timed out)`
	stuck  = `(?:(?:i'm|im|i am|i|we're|we are|i've been|ive been|we've been|i have been|been|got|get)\s+)*(?:(?:still|just|totally|really|kinda|completely|now|a bit|getting|so)\s+)*(?:stuck|blocked|struggling|wrestling|fighting|battling)\s+(?:(?:on|with|at|by|in|over)\s+)?`
	puzzle = `(?:bugs?|errors?|problems?|issues?|exceptions?|exercises?|levels?|questions?|steps?|tests?|puzzles?|riddles?|codes?|lines?|tasks?|tickets?|boss|equations?|proofs?|queries|query|function|loop|regex|build|deploy|migration|merge conflicts?|conflicts?|bit|part|thing|one)`
	state  = `(?:red|green|failing|broken|working|loading|stuck|hanging|crashing|the same|slow|down|up|blank|empty|fixed|running|building|lagging|gone|better|worse|coming|done|fine|frozen|weird|empty|there|not there|not working|compiling|passing)`
	device = `(?:(?:tracking|login|main|last|first|whole|web|home|new|other|second|second|unit|front|error) )?(?:page|site|website|app|build|tests?|link|button|screen|script|code|query|server|pipeline|job|deploy|output|command|request|program|function|loop|import|install|download|upload|video|connection|wifi|router|printer|cursor|terminal|console|log|file|preview|form|image|bug|error|light|lights|game|stream|tab|window|spinner|menu|api|endpoint|response|container|branch)`
	chore  = `(?:try(?:ing)? (?:it|that|this|again|the|another|a different|with|out|to|\pL+ing)|grab|check|restart|reboot|reload|refresh|retry|test|paste|post|send (?:it|that|this|you|the)|show you|copy|rerun|run (?:it|that|this|the)|do (?:it|that|this)|give (?:it|that|this) a|read (?:it|this|that|through)|take a (?:shower|break|nap|look|walk|screenshot|photo|picture)|have a look|look (?:at|into|it)|make (?:tea|coffee|some|a coffee|a tea|dinner|lunch)|eat (?:now|something|first|lunch|dinner)|get (?:coffee|food|water|lunch|dinner|some|a coffee|a drink|a snack|back to)|ask (?:them|him|her|around)|google|fix (?:it|that|this)|log (?:in|out)|put (?:it|that|this|the)|think about|sleep on|wait|see (?:if|what|how|whether)|let you know|come back|be (?:back|right back)|go (?:now|to bed|to sleep|eat|check|with (?:that|this|it))|use (?:that|this|it)|leave it|keep (?:it|that)|figure (?:it|this|that) out|start over|finish (?:this|it|that)|continue|move on|type)`
)

var passingForms = []*pattern{
	// How one feels just now.
	english(`^` + soft + am + `\s+` + very3 + mood + tail3),
	english(`^` + soft + `(?:it|this|that|the|these|those)\b[^,.]{0,40}\s(?:is|are|'s|was)\s+(?:` + very3 + `)(?:killing me|driving me (?:crazy|nuts|mad|insane)|so (?:slow|annoying|hard|cute|pretty|weird)|annoying|ridiculous)` + tail3),
	english(`^` + soft + `(?:i )?(?:really )?(?:hate|love|like|can't stand) (?:this|that|these|those) (?:boss|level|game|song|part|build|bug|error|thing|page|site|website|app|computer|laptop|weather|keyboard|code|file|test|tests|idea|one|answer|version|line|picture|pic|photo|bit|joke|story|poem|tool|color|colour|look|style|list|update|feature|map|round|match|mission|quest)` + tail3),
	english(`^` + soft + `i (?:can't|cannot) (?:wait|take it|even|breathe|stop (?:laughing|crying)|believe (?:it|this|that)|deal)(?: any ?more| any longer)?` + tail3),
	english(`^` + soft + `(?:lagging|crashing|buffering|freezing|sweating|crying|dying|screaming|laughing|vibing|same|mood)` + tail3),
	english(`^` + soft + `(?:i(?:'ve)? (?:had|have had|been having)|i(?:'m| am)? having|it(?:'s| is| was|'s been| has been)|today(?:'s| is| was| has been)|this (?:day|morning|evening)(?: is| was)?)\s+(?:(?:such|quite|a|an|really|very|so|pretty|been|super)\s+)*(?:long|rough|hard|bad|good|great|crazy|busy|awful|weird|terrible|horrible|amazing|slow|lazy|stressful|exhausting)(?: (?:day|night|morning|evening|one))?` + tail3),
	english(`^` + soft + `(?:i'm |im |i am )?feeling\s+` + very3 + `(?:under the weather|meh|blah|low|down|off|better|great|good|ok|fine)` + tail3),
	english(`^` + soft + `(?:i )?(?:really |so )?need (?:a |some |more |my )?(?:break|coffee|tea|sleep|nap|drink|food|minute|sec|second|moment|shower|hug|beer|wine|water|caffeine|vacation)` + tail3),
	english(`^` + soft + `(?:this|it|that)(?:'s| is)? (?:taking|took|takes) (?:forever|ages|so long|too long)` + tail3),
	// Where one is just now, and what breaks in.
	english(`^` + soft + `(?:(?:i'm|im|i am|we're)\s+)?(?:still |just |already |now )*(?:on the (?:bus|train|tram|metro|subway|phone|way|couch|sofa|toilet|road)|at the (?:supermarket|store|shop|airport|station|door|checkout|bus stop)|in (?:a meeting|bed|line|class|the car|the bath|the shower|traffic|the queue)|watching (?:a|the|some) \pL+|having (?:lunch|dinner|breakfast|a coffee|coffee|a drink)|eating(?: lunch| dinner| breakfast)?|cooking(?: dinner| lunch)?|driving|walking home|heading (?:home|out|off)|(?:going|off) (?:to (?:bed|sleep|work|lunch|dinner)|home|out))` + tail3),
	english(`^` + soft + `(?:(?:someone|somebody)(?:'s| is) (?:at|here|calling|knocking)\b.*|(?:dinner|lunch|food|coffee|breakfast|pizzas?|tea|(?:the |my )?(?:taxi|uber|kettle|phone|doorbell|oven|kids?|baby|bus|train|cab))(?:'s|s| is| are)? (?:ready|here|ringing|boiling|done|beeping|crying|awake|asleep|burning|coming|late|calling))` + tail3),
	english(`^` + soft + `(?:it's|its|it is) (?:late|early|past midnight|bed ?time|lunch ?time|dark|time for bed)` + tail3),
	// What is done in the next minutes.
	english(`^` + soft + `(?:i'm |im |i am |we're )?(?:gonna|going to|about to|off to)\s+(?:just |quickly |now |go |first |go and )*` + chore + `\b[^,.]*$`),
	english(`^` + soft + `(?:i'll|i will|ill)\s+(?:just |quickly |now |go |first |go and |probably )*` + chore + `\b[^,.]*$`),
	english(`^` + soft + `(?:(?:let me|lemme)\s+(?:just |first |quickly |go |try )*(?:see|check|try|think|look|go|get|find|read|test|move|moving|send|paste|show|grab|ask|do|run|fix|change|put|copy|open|close|restart|reload|start|finish|explain|rephrase|add|use|know|be|start over|sleep on|double[- ]check|google|take)|(?:let's|lets|let us)\s+(?:just |first |not )*(?:see|try|check|look|go on|go back|do (?:it|this|that)|find out|test|wait|start|keep|make (?:it|this|that)|use (?:it|this|that|the)|say|play|talk about|begin|continue|stop|move on|run (?:it|this|that)|think|figure|fix|change|put|add|write|pretend|focus|leave))\b[^,.]*$`),
	english(`^` + soft + `(?:i'm |im |i am )?(?:now )?(?:looking for (?:the|my (?:glasses|phone|keys|charger|notes|pen|wallet))|trying (?:again|it|that|this|the)|running (?:it|that|this)|restarting|reloading|rebooting|retrying|typing|scrolling)\b[^,.]*$`),
	english(`^` + soft + stuck + `(?:this|that|these|those|it|(?:the )?(?:same|last|next)|level|step|question|exercise|line|part|traffic)(?: (?:one|thing|bit|part|` + puzzle + `|\d+))?` + tail3),
	// How the work goes.
	english(`^` + soft + `(?:(?:way|much|a bit|bit|still|far|a little) )?(?:too [a-z]+|not (?:enough|good|bad|great|clear|funny|quite|right|there|yet|helpful|working|bad))` + tail3),
	english(`^` + soft + `(?:still |now |all |yep |yup |nope |again )*(?:(?:it|its|it's|that|that's|thats|this|everything|things?|they|they're|the ` + device + `)(?:'s| is| are| was)?\s+)?(?:still |now |all |finally |just |not |back )*` + state + tail3),
	english(`^` + soft + `(?:it|that|this|everything|nothing|the ` + device + `)\s+(?:just |still |now |only |finally |also |always )*` + shows + `(?:\s+(?:a|an|the|it|that|nothing|me)(?:\s[\pL-]+){0,3})?` + tail3),
	english(`^` + soft + `(?:i )?(?:just )?forgot to (?:save|commit|push|attach|paste|add|include|run|restart|build|compile|import|close|mention|say|upload|send|hit|press|click|copy|enable|turn|switch|type)\b[^,.]*$`),
	english(`^` + soft + `(?:nvm|never ?mind)[\s,.!]+(?:it|its|it's|it'll|that|that's|i (?:got|found|fixed|figured|solved|see|know|get)|all|forget)\b[^,.]*$`),
	english(`^` + soft + `(?:i|we) (?:got|found|fixed|figured|solved|did|made|broke|see|get|understand|understood) (?:it|that|this|them|what (?:it|you|that))\b[^,.]{0,20}$`),
	english(`^` + soft + `(?:it|this|that) (?:just |still |only |now )*(?:says|shows|gives(?: me)?|throws|prints|returns|asks|tells me|complains)\b[^.]*$`),
	english(`^` + soft + `(?:i'm |im |i |i still |still |now i |and now i )?(?:get|getting|got|see|seeing|keep getting)\s+(?:an? |the |this |that |some |same |another |only )*(?:\pL+ )?(?:errors?|timeouts?|warnings?|exceptions?|crash|spinner|blank \pL+|\d{3}|stack ?trace|message|popup|nothing|undefined|null|nil)\b[^,.]{0,30}$`),
	english(`^` + soft + `works? (?:like a charm|fine|great|perfectly|well|for me)` + tail3),
	// Thinking aloud.
	english(`^` + soft + `(?:maybe|perhaps|probably|presumably|could be|must be|might be|i (?:bet|wonder|suspect)|hmm+|so if|what if|let's say)\s+(?:it|it's|its|that|that's|this|if|the|i (?:pass|call|set|use|add|put|remove|change)|there's|because)\b[^.]*$`),
	// What is thought of the answer, and of the one who gives it.
	english(`^` + soft + `(?:that's|thats|that is|this is|it's|its|this isn't|that isn't|this was|that was)\s+(?:not |exactly |just |really |what |almost |pretty much )+(?:what |how |the one )?i\b[^.]*$`),
	english(`^` + soft + `i (?:(?:said|asked for|wanted|meant) (?:it|that|this|one|only|just|you|two|three|four|five|six|ten|\d|shorter|longer|to (?:say|ask))|asked you|told you (?:that|this|already|not|to)|needed it)\b[^.]*$`),
	english(`^` + soft + `i(?:'d| would) (?:rather )?(?:put|make|move|use|say|change|add|remove|keep|swap|drop|cut|start|phrase|word|write|call|go with)\s(?:the|it|that|this|them|these|those|more|less|fewer|something|a (?:different|shorter|longer|simpler|better))\b[^.]*$`),
	english(`^` + soft + `i (?:wish|hope|like|love|hate|thank|trust|believe|appreciate|admire)\s+(?:you|how you|what you|that you|your)\b[^.,]*$`),
	english(`^` + soft + am + `\s+` + very3 + mood + `\s(?:how|by how|by|with|at|that|about|of|for)\s[^.]*\byou(?:r|'re)?\b[^.]*$`),
	english(`^` + soft + `i (?:(?:was (?:going|about|gonna) to|meant to|wanted to) (?:ask|say|tell|write|type|add|mention)|forgot what i (?:was|wanted)|(?:don't know|can't remember|have no idea) (?:what|how|why|if|where) (?:it|this|that|you|i did|i was|went|happened|is|to (?:say|ask|explain|put|phrase|fix|answer|do (?:it|this|that|with|now|next|here))))(?:\s|$)[^.]*$`),
	english(`^` + soft + `i(?:'m| am)? ?(?:just )?(?:think|guess|believe|suppose)?,? ?i(?:'m| am|'ve)? (?:finally )?(?:understand|get|got|see|follow|know) (?:it|now|that|this|what you mean)\b[^,.]*$`),
	english(`^` + soft + `(?:it's|that's|its|thats|no,?|not) (?:the|that) (?:other|wrong|same|first|second|third|last|next|previous) (?:one|file|line|part|version|word|page|button)\b[^.]{0,20}$`),
	english(`^` + soft + `no,? [a-z_./-]+,? not [a-z_./-]+\W*$`),
	english(`^` + soft + `i(?:'m| am)? just (?:checking|testing|trying|wondering|asking|saying|kidding|joking|looking|browsing|playing around|messing (?:around|with you))\b[^.]*$`),
}

// interrupting are remarks that are of the moment whatever else is in them.
var interrupting = []*pattern{
	english(`^` + soft + stuck + `(?:this|that|these|those|the|a|an|one|some)\s+(?:[a-z-]+\s+){0,3}?` + puzzle + `(?:\s+(?:since|for|all|the whole|in|with|of|at|on|now|right now|again|today|still)\b[^.!?]{0,40})?[\s.!…]*$`),
	english(`^` + soft + `my (?:head|brain|eyes|fingers?|internet|wifi|connection|battery|screen|mic|keyboard|feet|back|stomach|throat)(?:'s| is| are)? ` + very3 + `(?:spinning|fried|tired|slow|dying|dead|low|lagging|melting|killing me|bad|frozen|hurts?|hurting)(?:[\s,]+(?:lol|lmao|haha\w*|rn|now|right now|today|tonight|so much|so bad))*\W*$`),
	english(`^` + soft + `(?:(?:i|i'll|i'd|let's|we)\s+)?(?:rather |really |think i |definitely )*(?:prefer|like|want|choose|pick|take|go with|went with|go for)?\s*(?:the|your) (?:first|second|third|fourth|last|other|previous|next|original|shorter|longer|1st|2nd|3rd) (?:one|option|version|idea|suggestion|draft|title|choice|variant)s?\b[^.]{0,40}$`),
	english(`(?:^|\s)(?:brb|bbl|gtg|g2g|afk|bbs)(?:\W|$)|\b(?:right back|be back (?:soon|in a (?:bit|sec|minute|moment)))\W*$|(?:^|[,.!…–—-]\s*)(?:(?:please|wait|ok|sorry)[,\s]+)?(?:one (?:moment|sec|second|minute)|(?:just )?a (?:moment|sec|second|minute)|(?:gimme|give me) a (?:sec|second|minute|moment))(?: please)?(?:[,.!]|\W*$)|^` + soft + `(?:hang|hold) on(?:[,.!]|\W*$|\s+\pL+\W*$|\s+(?:a|the|let|lemme|i|im|i'm|one|sec)\b)`),
	english(`^(?:sec|a sec|wait|moment|hold up|two secs?|2 secs?)[,.!\s]+(?:the )?(?:door|phone|doorbell|kettle|dog|cat|baby|call|someone's (?:at|here)\b.*)\W*$`),
	english(`^` + soft + `(?:next|another|one more|same|more of)\s+(?:one|again|time|those|these|please)\b[^.]{0,20}$`),
}

var (
	// addressing opens a remark on the one who is spoken to.
	addressing = english(`^` + soft + `(?:you|u|you've|you're|youre|ur|your (?:answer|reply|version|list|code|last|first|second|suggestion|explanation|text|translation|summary))\b`)
	// ofSelf says that somebody speaks of themself.
	ofSelf = english(`\b(?:i|i'm|im|i've|i'd|i'll|we|we're|we've|me|us)\b(?: (?:asked|said|meant|wanted|needed|told|gave|wrote|sent)\b)?`)
	// lasting are words of what holds longer than a moment.
	lasting = english(`\b(?:always|never|usually|often|every|each|since|from now on|in general|by default|years?|months?|weeks?|remember|call me|allerg\pL*|vegan|vegetarian|pregnant|married|divorced|engaged|diagnosed|job|school|work|university|house|moved|born|birthday|retire\pL*|tomorrow|next|weekend|yesterday)\b`)
	// ownThing is anything of the speaker's own but what the talk is about.
	ownThing  = english(`\b(?:my|our|mine|ours)\b(?: (?:god|bad|mind|turn|english|way|glasses|goodness|mistake|fault|question|point|brain|head))?`)
	neverMind = english(`\bnever ?mind\b`)
	moodOf    = english(`^` + soft + am + `\s+` + very3 + mood + tail3)
	// remarkEnd parts a sentence into its remarks.
	remarkEnd = newPattern(`[,;!.…]+\s+|\s+[-–—]+\s+|\s+(?:but|and)\s+`)
	// performs is what is done in a play, between asterisks.
	performs = newPattern(`^\*\pL[^*\n]{2,80}\*(?:\s|$)`)
	// onlyQuotes is a quotation that is handed over with a word or two.
	onlyQuotes = english(`^(?:(?:ok|okay|and|now|also|then|next|or|but|what about|how about|this|that|these|here|one more|another(?: one)?|this one|please|check|the next one)[\s,:]+)+["“«][^"”»]{3,}["”»]\W*$`)
)

// passes says whether a sentence of a user belongs to the moment only.
func passes(text string, names map[string]bool) bool {
	if countWords(text) > passingWords || len(text) > 200 {
		return false
	}
	if onlyQuotes.MatchString(text) || performs.MatchString(text) {
		return true
	}
	if ownsThing(text) || named(text, names) {
		return false
	}
	if passesAsOne(text) || interrupts(text) {
		return true
	}
	parts := remarkEnd.Split(text, -1)
	if len(parts) < 2 {
		return false
	}
	found := false
	for _, part := range parts {
		if !hasContent(part) {
			continue
		}
		if !isSmallTalk(part, names) && !carriesNothing(part) && !passesAsOne(part) && !(found && dangles(part)) {
			return false
		}
		found = true
	}
	return found
}

// dangles says whether a part says only why or how much.
func dangles(part string) bool {
	words := wordsOf(part)
	return len(words) > 0 && len(words) <= 4 && words[0].low == "so" && !verbal(words)
}

// interrupts says whether a sentence breaks off the talk, or asks for more of the same.
func interrupts(text string) bool {
	for _, form := range interrupting {
		if form.MatchString(text) {
			return true
		}
	}
	return false
}

// tellsOfSelf says whether a text tells of who speaks more than what they asked for.
func tellsOfSelf(text string) bool {
	for _, m := range ofSelf.FindAllString(text, -1) {
		if low := strings.ToLower(m); low != "me" && low != "us" && !strings.Contains(m, " ") {
			return true
		}
	}
	return false
}

func ownsThing(text string) bool {
	for _, m := range ownThing.FindAllString(text, -1) {
		if !strings.Contains(m, " ") {
			return true
		}
	}
	return false
}

func passesAsOne(text string) bool {
	if lasting.MatchString(neverMind.ReplaceAllString(text, "nvm")) || !moodOf.MatchString(text) && slotOf(text).name != "" {
		return false
	}
	if m := addressing.FindStringIndex(text); m != nil && !tellsOfSelf(text[m[1]:]) {
		return true
	}
	for _, form := range passingForms {
		if form.MatchString(text) {
			return true
		}
	}
	return false
}
