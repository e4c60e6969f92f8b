package extract

import (
	"slices"
	"strings"
)

// What "forget my …" and "forget everything about …" name. A topic such as someone's
// health is told in words of which none may be "health": then all are named that tell of it.

// forgotten are the slots and the words that a topic stands for.
type forgotten struct {
	slots []string
	words []string
}

var topicsForgotten = func() map[string]forgotten {
	of := func(slots, words string) forgotten {
		f := forgotten{words: strings.Fields(words)}
		for i, word := range f.words {
			f.words[i] = strings.ReplaceAll(word, "_", " ")
		}
		if slots != "" {
			f.slots = strings.Split(slots, ",")
		}
		return f
	}
	health := of("blood type,blood group,weight,height", `illness ill disease diagnosis diagnosed condition medication medicine meds tablet tablets pill pills insulin inhaler injection injections surgery operation symptoms therapy therapist allergic allergy allergies intolerant intolerance pregnant pregnancy diabetic coeliac celiac bipolar autistic cholesterol blood_pressure blood_sugar`)
	health.words = append(health.words, illnessNames...)
	work := of("work,role,job title,salary", `job work works boss salary office employer colleague colleagues`)
	love := of("partner,marital status", `boyfriend girlfriend husband wife partner ex dating divorce divorced engaged married relationship`)
	money := of("salary,rent,budget,bank", `money salary debt debts loan mortgage savings rent bank income`)
	home := of("home,address,flat number,room number,apartment number", `address`)
	family := of("mother,father,partner,number of children,number of siblings", `mother mum mom father dad parents sister brother son daughter kids children wife husband family`)
	return map[string]forgotten{
		"health": health, "medical history": health, "medical stuff": health, "medical data": health, "illness": health, "condition": health, "health issues": health, "health problems": health, "health stuff": health, "medication": of("", `medication medicine meds tablet tablets pill pills insulin inhaler injection injections`), "meds": of("", `medication medicine meds tablet tablets pill pills`),
		"allergies": of("", `allergy allergies allergic intolerant intolerance`), "allergy": of("", `allergy allergies allergic`), "diagnosis": health,
		"job": work, "work": work, "employer": work, "career": work, "work life": work, "job situation": work,
		"love life": love, "relationship": love, "relationships": love, "dating life": love, "marriage": love, "divorce": of("marital status", `divorce divorced divorcing`),
		"money": money, "finances": money, "financial situation": money, "debts": of("", `debt debts owe loan`),
		"salary": of("salary", `salary earn earning earnings wage wages income`), "income": of("salary", `salary earn earning earnings wage wages income`), "wage": of("salary", `salary earn wage wages income`), "earnings": of("salary", `salary earn earning earnings income`),
		"address": home, "where i live": home, "home address": home, "location": home, "family": family,
		"name": of("first name,last name,name", ""), "full name": of("first name,last name,name", ""),
		"phone number": of("phone number", "phone"), "number": of("phone number", "phone"), "phone": of("phone number,phone", "phone"), "email": of("email address", "email"), "email address": of("email address", "email"),
		"kids": of("number of children", `kids kid children`), "children": of("number of children", `kids children`), "pets": of("", `pet pets dog cat`),
	}
}()

// topicDetails are words behind a topic that name none: "my bank details".
var topicDetails = english(`(?:'s? names?|'s| details?| info(?:rmation)?| data| stuff| situation| issues| problems)$`)

// forgottenBy gives what is to be forgotten where a noun is named of one's own: slots, and
// subjects with "my". known is false if nothing is known of what the noun may be.
func forgottenBy(noun string) (all []about, known bool) {
	low := strings.ToLower(strings.TrimSpace(noun))
	bare := topicDetails.ReplaceAllString(low, "")
	for _, name := range []string{low, bare} {
		if f, ok := topicsForgotten[name]; ok {
			for _, slot := range f.slots {
				all = append(all, about{name: slot})
			}
			for _, word := range f.words {
				all = append(all, about{subject: "my " + word})
			}
			return all, true
		}
	}
	for _, name := range []string{low, bare} {
		if slot, ok := forgettable[name]; ok {
			return []about{{name: slot}}, true
		}
		if fav := myFavorite.FindStringSubmatch(name); fav != nil {
			if slot := slotOf("my favorite " + fav[1] + " is X").name; slot != "" {
				return []about{{name: slot}}, true
			}
		}
		if slot := slotOf("my " + name + " is X9"); slot.name != "" && slot.subject == "" {
			return []about{{name: slot.name}, {subject: "my " + name}}, true
		}
		if relation(name) != name || slices.Contains(strings.Split(sole+"|"+several+"|"+many, "|"), name) {
			return []about{{subject: "my " + name}}, true
		}
	}
	if codeNoun.MatchString(low) || pet[low] {
		return []about{{subject: "my " + low}}, true
	}
	for _, name := range []string{low, bare} {
		if all := forgottenKind(name); all != nil {
			return append(all, about{subject: "my " + name}), true
		}
	}
	return []about{{subject: "my " + bare}}, false
}

// forgetsAll asks for all of what a noun names to be forgotten.
func (g *grouping) forgetsAll(text string, all []about) {
	for _, a := range all {
		s := statement{text: text, slot: a, forget: true, words: countWords(text)}
		g.out = append(g.out, s)
	}
}

// asideAfter is what is added to a request to forget, by a sentence of its own.
var asideAfter = english(`^(.{5,}?)\s*[,;–—-]+\s+((?:but |as |since |because |cause |and )?(?:he|she|it|they|we|i|that|this|he's|she's|it's|they're|we're|i'm|im|i've|that's|thats|there|it'll|my|our|turns out)\b.+)$`)

// clauseAndAside parts "Runa plays handball, she quit years ago".
func clauseAndAside(clause string) (first, rest string) {
	m := asideAfter.FindStringSubmatch(clause)
	if m == nil || !standsAlone(m[1]) {
		return clause, ""
	}
	if slotOf(m[2]).name == "" {
		return m[1], "" // why it is to be forgotten
	}
	return m[1], m[2]
}

var (
	// takesBackLast takes back, in a message of its own, what its speaker said last.
	takesBackLast = english(`^(?:(?:oh|no|ok|um|uh|hmm|omg|god|damn|shit)[\s,!.]+)*(?:(?:actually|please|pls|wait|oops|sorry|whoops)[\s,!.]+)+(?:(?:can|could|would) you\s+)?(?:forget|delete|erase|unsee|don't remember|do not remember|dont remember|don't save|dont save)\s+(?:that|this|it)(?:[\s,]+(?:please|pls|ok|lol|haha))*(?:\s*[,.;:!–—-]+\s*(?:i|it|that|this|it's|that's)\b.*|\s+i (?:should not|shouldn't|shouldnt)\b.*)?\W*$|^(?:please |pls )?(?:forget|delete|erase) (?:that|this|it)[\s,.;:!–—-]+i (?:should not|shouldn't|shouldnt|did not mean to|didn't mean to)\b.*$`)
	// noSuchMemory names by a noun what need not be remembered.
	noSuchMemory = english(`^` + lightWords + `(?:you (?:do not|don't|dont) (?:need|have) to (?:remember|keep|know about)|(?:there is |there's )?no need to (?:remember|keep)|you can stop remembering|stop remembering|don't bother remembering)\s+(?:about\s+)?(?:the|my)\s+([\pL' -]{3,30}?)(?:\s+(?:thing|stuff|bit))?(?:\s+(?:any ?more|any longer|now))?(?:,?\s+(?:please|thanks|ok|okay|btw))*\W*$`)
	// sameBreath takes back the sentence before it.
	sameBreath = english(`^(?:(?:oh|wait|sorry|actually|please|pls|ugh|ok|um|and)[\s,!.]+)*(?:don't|do not|dont|never) (?:remember|save|store|keep|record|note|memori[sz]e|repeat) (?:that|this|it)(?:[\s,]+(?:please|pls|ok|lol|haha|though|tho))*\W*$`)
)

var pet = set(`dog dogs puppy cat cats kitten pet pets parrot hamster rabbit horse ex ex-husband ex-wife ex-girlfriend ex-boyfriend crush family parents kids children in-laws`)
