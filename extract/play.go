package extract

import (
	"context"
	"strings"
	"time"

	"github.com/memdhq/memd"
)

// In a play nothing is true that is said of oneself, up to where its speaker steps out of it: to
// the end of the message, and of the scene as long as that goes on. Where something is only asked
// for, a text to be written or a part to be inPlay by who listens, what stands behind may be of it
// or tell what is so: it is kept in its words, and is about nothing, so that it ends nothing.

// scene is how far what is said is of a play.
type scene int

const (
	// earnest is what is meant as it is said.
	earnest scene = iota
	// posed may be matter of what is asked for.
	posed
	// inPlay is of a play.
	inPlay
)

const makeBelieve = `(?:role-?play(?:ing)?|role play(?:ing)?|d\s?&\s?d|dnd|dungeons (?:and|&) dragons|pathfinder|larp|rpg|text[- ]adventure|make[- ]believe|fan ?fic(?:tion)?)`

const (
	worlds      = `(?:game|story|novel|book|dream|play|campaign|world|screenplay|film|movie|fan ?fic\pL*|comic|sims|minecraft\pL*|simulation|rpg|fantasy)`
	behindWorld = `(?:\s*[,:]|\s+(?:i|i'm|im|i've|my|we|there|he|she|they|it)\b)`
	famed       = `(?:batman|superman|spider-?man|iron man|thor|the hulk|wonder woman|darth vader|luke skywalker|yoda|gandalf|frodo|sherlock(?: holmes)?|james bond|dracula|santa(?: claus)?|harry potter|hermione|dumbledore|voldemort|godzilla|shrek|elsa|jesus|god|the pope|napoleon|cleopatra|julius caesar)`
)

var (
	// playing opens a play, playsOn one that goes on from message to message.
	playing = english(`^` + lightWords + `(?:(?:let's|let us|lets|can we|could we|we could|shall we|i want to|i'd like to|wanna|want to) (?:do (?:an?|the|some|another) )?(?:` + makeBelieve + `|play (?:(?:a|an|the|this|that)\s+)?(?:game|scene|pretend|house|doctor)|pretend|imagine|act (?:out|as if|like)|(?:(?:short|little|new|quick|funny|\pL+)\s+){0,2}scene)\b|` + makeBelieve + `\b\s*(?:[:,.!–—-]|time|scene|scenario)|pretend (?:to be|(?:that )?(?:i|i'm|im|i've|we|we're|my|our|it|there|this))\b|this is a (?:` + makeBelieve + `\b|game\s*(?:[.,:;!]|$|\bwhere\b))|(?:imagine|picture)(?: that)? (?:i|i'm|im|i've|we|we're|we've)\b)`)
	// askedIf opens what is so for the sake of a question only.
	askedIf = english(`^` + lightWords + `(?:suppose|supposing|assume|assuming|say|let's say|lets say|what if)(?: that)? (?:i|i'm|im|i've|we|we're|we've|my)\b`)
	playsOn = english(`^` + lightWords + `(?:(?:let's|let us|lets|can we|could we|we could|shall we|i want to|i'd like to|wanna|want to) (?:do (?:an?|the|some|another) )?(?:` + makeBelieve + `|pretend|act out|(?:(?:short|little|new|quick|funny|\pL+)\s+){0,2}scene)\b|` + makeBelieve + `\b\s*(?:[:,.!–—-]|time|scene|scenario)|pretend (?:to be|(?:that )?(?:i|i'm|im|i've|we|we're|my|our))\b|this is a ` + makeBelieve + `\b)`)
	// practises does in play what is told in earnest.
	practises = english(`\b(?:interview|interviewer|presentation|speaking test|oral exam|pitch)\b`)
	// givesPart gives the other side of a play away: "you are the patient".
	givesPart = english(`\byou(?:'re| are)(?: now)? (?:the|my) (?:patient|customer|client|guest|passenger|pupil|student|tourist|suspect|witness|candidate|interviewee)\s*(?:[.!,;]|$)`)
	// counterpart is who one is towards a part that another plays.
	counterpart = english(`^(?:(?:and|then|now|here)\s+)*(?:i(?:'m| am|'ll be| will be| play)|im)\s+(?:(?:a|an|the|your|one|of|new|first|worried|angry|difficult|sick|old|young|next|potential)\s+)*(?:patient|customer|client|guest|passenger|pupil|student|tourist|travell?er|caller|suspect|witness|candidate|interviewee|interviewer|applicant|buyer|seller|visitor|victim|prisoner|captain|hero|knight|king|queen|prince|princess|wizard|witch|elf|dwarf|dragon|robot|alien|vampire|detective|astronaut|pirate|employee|boss|user)\b`)
	// acting gives a part to who listens.
	acting = english(`^` + lightWords + `(?:(?:i want you to|can you|could you|please|now)\s+)*(?:act (?:as|like)|you(?:'re| are)(?: now)? (?:a|an|the|my)|(?:imagine|pretend)(?: that)? you|play the (?:role|part)|take the role|i want you to (?:act|be|play)|be my)\b`)
	// praises says to who listens what they are.
	praises = english(`^` + lightWords + `you(?:'re| are)(?: now)? (?:an?|the|my) (?:\pL+ )?(?:best|great\pL*|good|star|legend|life ?saver|genius|angel|help|hero|machine|bot|ai|robot|computer|friend|joke|mess|pain|treasure|gem|blessing|one|only|reason|bit|real|true|big|huge|amazing|awesome|wonderful|lovely|nice|smart\pL*|funny|clever|kind|fast|sweet\pL*|disappointment|liar)\b`)
	// ofInvented opens what is told of somebody or a world that a speaker made up, ofFilm what
	// is told of another's.
	ofInvented = english(`^` + lightWords + `(?:(?:my|our|the) (?:[\pL&-]+\s+){0,2}?(?:character|protagonist|oc|avatar|alter ego|heroine|villain|persona|narrator)\b|in (?:my|our) (?:[\pL&-]+\s+){0,2}?` + worlds + behindWorld + `|(?:i'm|i am|im) ` + famed + `\s*(?:[.,!;]|$|\b(?:and|lol|haha|from)\b))`)
	ofFilm     = english(`^` + lightWords + `in (?:(?:the|this|a) (?:[\pL&-]+\s+){0,2}?` + worlds + `|skyrim|minecraft|the sims|fallout|stardew valley|animal crossing|world of warcraft|wow|zelda|d\s?&\s?d|dnd)` + behindWorld)
	// stepsOut tells something of the play's speaker after all.
	stepsOut = english(`^(?:(?:ok|okay|so|and|but|also|oh|anyway|alright|now|well|no|haha\pL*|lol|\d+)[\s,.!:–—-]+)*(?:\(?\s*ooc\b|btw\b|by the way|in (?:real life|reality|actual fact)|irl\b|out of character|for (?:context|reference|your information)|fyi\b|real talk|about me\b|some background|background:|back to (?:reality|real life|the real)|(?:all )?jokes? aside|joking aside|seriously (?:now|though)|unrelated(?:ly)?\b|on (?:a|an|another) \pL+ note|side note|note to you|in truth|the truth is)|\b(?:irl|in real life|in reality|(?:my|the|our|a) (?:real|actual) (?:name|life|job|wife|husband|home|age|self)|real me)\b`)
	// endsScene ends a play.
	endsScene = english(`^(?:(?:ok|okay|so|and|but|oh|anyway|alright|now|well|no|haha\pL*|lol|cool|great|nice|thanks|thank you|phew)[\s,.!:–—-]+)*(?:(?:let's |lets |let us |we can |i want to |please )?(?:end|stop|finish|quit|leave|exit|pause|close)\s+(?:the |this |our |playing |it|here|now|there|with)|(?:end|stop|exit|quit|done|enough|finished)\s*[.!]*$|(?:the |end of )?(?:scene|game|role-?play|story)(?:'s| is)? (?:over|done|end)|end of (?:scene|game|role-?play|story)|that was (?:fun|great|awesome|good|cool|nice|hilarious)|enough (?:of|with|playing|role)|(?:new|different|other|another|serious|real|actual) (?:topic|question|subject|thing)\b|(?:help me (?:with|write|find|fix|plan|to)|write (?:me |a |an )|translate|summari[sz]e|explain|proofread|i need (?:your )?help|i have a (?:real |serious |quick )?question|question:)|(?:can|could|would|will) you (?:please )?(?:help me (?:with|write|find|fix|plan)|explain|translate|write|summari[sz]e|check|fix|proofread|recommend|remember|remind)|(?:what|how|who)(?:'s| is| was| did) (?:the )?(?:weather|my (?:real )?name|i (?:tell|say)))`)
)

// follow follows a sentence of a user through a play; it says how far the sentence itself is of
// one, and how far what comes behind it.
func (s scene) follow(text string) (this, next scene) {
	if s != earnest && stepsOut.MatchString(text) || s == inPlay && endsScene.MatchString(text) {
		s = earnest
	}
	switch {
	case playing.MatchString(text) && !practises.MatchString(text) && !unsaidNever.MatchString(text), givesPart.MatchString(text):
		return inPlay, inPlay
	case s == inPlay:
		return inPlay, inPlay
	case acting.MatchString(text) && !praises.MatchString(text) && !practises.MatchString(text), askedIf.MatchString(text), asksForText(text):
		return posed, posed
	case ofInvented.MatchString(text):
		return posed, posed
	case ofFilm.MatchString(text):
		return posed, s
	}
	return s, s
}

// pose has a statement be about nothing.
func (s *statement) pose() {
	if !s.forget {
		s.posed, s.corrects, s.slot = true, false, about{}
	}
}

// scenesBack is how many messages back a play that goes on is looked for, sceneRest how long
// nothing may be said in it.
const (
	scenesBack = 12
	sceneRest  = 2 * time.Hour
)

// playStems are found in what opens a play.
var playStems = strings.Split("rolepla,role-pla,role pla,d&d,d & d,dnd,dungeon,pathfinder,larp,rpg,adventure,make-believe,make believe,fanfic,fan fic,pretend,scene,act out", ",")

// inScene says whether a message is of a play that was opened before it and goes on. The only
// error is ctx's own.
func (h *hearing) inScene(ctx context.Context, m *memd.Message) (bool, error) {
	first := max(0, len(h.heard)-scenesBack)
	for i := len(h.heard) - 1; i >= first; i-- {
		opened := h.heard[i]
		if opened.Role != memd.RoleUser || len(opened.Text) > recalledText || !contains(strings.ToLower(opened.Text), playStems) {
			continue
		}
		on, last := false, opened.CreatedAt
		for _, n := range append(h.heard[i:len(h.heard):len(h.heard)], m) {
			if n.CreatedAt.Sub(last) > sceneRest {
				return false, nil
			}
			if last = n.CreatedAt; n == m || n.Role != memd.RoleUser {
				continue
			}
			pieces, err := split(ctx, head(n.Text, recalledText))
			if err != nil {
				return false, err
			}
			for _, p := range pieces {
				switch {
				case on && endsScene.MatchString(p.text):
					on = false
				case on && stepsOut.MatchString(p.text):
					on = goesAside.MatchString(p.text)
				case playsOn.MatchString(p.text) && !practises.MatchString(p.text):
					on = true
				}
			}
			if !on && n != opened {
				return false, nil
			}
			if !on {
				break
			}
		}
		if on {
			return true, nil
		}
	}
	return false, nil
}

// goesAside steps out of a play for a word only.
var goesAside = english(`\b(?:ooc|out of character|btw|by the way|irl|in real life|side note)\b`)
