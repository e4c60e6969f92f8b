package extract

import "strings"

// Not to be remembered is the same wish as to be forgotten.

var (
	unremembered  = english(`^` + lightWords + `(?:i(?:'d| would| do)? (?:don't|dont|do not|never) (?:want|need|like) (?:you|u|ya|this (?:app|bot|thing)) to (?:ever )?|i(?:'d| would) (?:rather|prefer) (?:it if )?you (?:didn't|didnt|did not|don't|not|would not|wouldn't) (?:to )?|(?:please |pls )?(?:you )?(?:don't|dont|do not|never|shouldn't|should not|mustn't|must not) |i(?:'d| would) (?:rather|prefer) (?:you |that you )|i want you to )(remember|know|keep|store|save|hold on to|keep in mind|forget|recall)\s+(?:about\s+)?((?:my|that (?:i|my|we)|where i|how old|who i|what i)\b.+)$`)
	allergyNoun   = newPattern(`^([\pL' -]{2,20}?)[- ](?:allergy|allergies|intolerance)$`)
	unrememberAny = strings.Split("remember,know,keep,store,save,hold on,forget,recall", ",")
	// recallsNot tells of the speaker's own memory, their "I" left out; it asks only where it
	// is put to somebody.
	recallsNot = english(`^(?:(?:oh|ok|okay|so|and|but|well|um|uh|hm+|sorry|actually|honestly|lol|haha|no|yeah|ugh)[\s,.!]+)*(?:(?:still|really|just)\s+)?(?:don't|dont|do not|never|shouldn't|mustn't)\s+(?:(?:even|really|ever)\s+)?(?:remember|know|recall)\b`)
	putToYou   = english(`\b(?:please|pls|plz|for me|about me|any ?more|any longer)\b`)
	// ofOrFor is for whom or of whom something is not to be remembered.
	ofOrFor = english(`\s+(?:for|about) me\b[\s.!]*$`)
)

// tellsOfNotKnowing says whether a text tells that its speaker does not remember something:
// "dont remember my blood type".
func tellsOfNotKnowing(text string) bool {
	return recallsNot.MatchString(text) && !putToYou.MatchString(text) && !sameBreath.MatchString(text)
}

// asForget writes a wish that something be not remembered as one that it be forgotten.
func asForget(text string) string {
	if len(text) > 200 || !contains(strings.ToLower(text), unrememberAny) {
		return text
	}
	m := unremembered.FindStringSubmatchIndex(text)
	if m == nil {
		return text
	}
	opening, verb := strings.ToLower(text[:m[2]]), strings.ToLower(text[m[2]:m[3]])
	denied := strings.Contains(opening, "n't") || strings.Contains(opening, "not ") || strings.Contains(opening, "dont") || strings.Contains(opening, "didnt") || strings.Contains(opening, "never")
	if (verb == "forget") == denied {
		return text // "don't forget my name"
	}
	named := ofOrFor.ReplaceAllString(text[m[4]:m[5]], "")
	noun := strings.TrimPrefix(strings.ToLower(strings.TrimRight(named, " .!")), "my ")
	if verb == "keep" || verb == "store" || verb == "save" {
		if !knownTopic(fromMemory.ReplaceAllString(noun, "")) && !ofClause.MatchString(named) {
			return text // "don't save my changes"
		}
	}
	return "forget " + named
}

// forgottenKind gives what is known of a noun by what one says of it: "nut allergy" of whoever
// is allergic to nuts.
func forgottenKind(noun string) (all []about) {
	if m := allergyNoun.FindStringSubmatch(noun); m != nil {
		names := []string{m[1]}
		switch {
		case strings.HasSuffix(m[1], "s") && !strings.HasSuffix(m[1], "ss"):
			names = append(names, singular(m[1]))
		case strings.HasSuffix(m[1], "y"):
			names = append(names, m[1][:len(m[1])-1]+"ies")
		default:
			names = append(names, m[1]+"s", m[1]+"es")
		}
		for _, name := range names {
			all = append(all, about{name: "allergy:" + name})
		}
		return all
	}
	for _, says := range []string{"I have ", "I have a ", "I am on a "} {
		if a := slotOf(says + noun); a.name != "" && a.subject == "" && !strings.HasPrefix(a.name, "does:") && !strings.HasPrefix(a.name, "number of") {
			return []about{{name: a.name}}
		}
	}
	return nil
}

// forgetWhat names what is to be forgotten by what one says of it: "who I voted for".
var (
	forgetWhat  = english(`^` + lightWords + `forget (?:who|whom|what|which \pL+) (?:i|we)(?:'m| am|'ve| have|'d)? (\pL{3,}(?: (?:for|with|on|to|at|in|about))?)$`)
	saysNothing = set(`am have had has was were did does said say told tell wrote think thought know knew want wanted mean meant like love need just asked got`)
)
