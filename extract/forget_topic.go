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
	health := of("blood type,blood group,weight,height", `illness ill disease diagnosis diagnosed condition medication medicine meds tablet tablets pill pills insulin inhaler injection injections surgery operation symptoms therapy therapist allergic allergy allergies intolerant intolerance pregnant pregnancy asthma diabetes diabetic migraine migraines epilepsy arthritis coeliac celiac adhd anxiety depression insomnia tinnitus eczema psoriasis endometriosis ibs scoliosis sciatica anaemia anemia cancer gout reflux vertigo cholesterol blood_pressure blood_sugar`)
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

// polite are words of courtesy at the end of a request in other languages.
var polite = newPattern(`(?i)[,，、]?\s*(?:por favor|s'il te plaît|s'il te plait|s'il vous plaît|stp|svp|per favore|grazie|merci|gracias|danke|bitte|obrigad[oa]|من فضلك|شكرا|谢谢|好吗)\s*$`)

// foreignAll asks for everything about somebody or something to be forgotten.
var foreignAll = []*pattern{
	newPattern(`(?i)(?:vergiss|vergessen sie|lösch\pL*)(?: bitte)?,? (?:alles|was)(?:,? was)?(?: ich| du| wir)?(?: dir)?(?: je)? ?(?:über|von) (.+?)(?: (?:gesagt|erzählt|geschrieben|weißt|gesprochen)(?: (?:habe|hast|haben))?)?$`),
	newPattern(`(?i)(?:olvida|borra) (?:todo )?(?:lo que (?:te )?(?:he dicho|dije|conté|he contado|sabes))? ?(?:sobre|de) (.+)$`),
	newPattern(`(?i)(?:oublie|oubliez|efface|supprime) (?:tout )?(?:ce que (?:je t'ai dit|j'ai dit|tu sais|je vous ai dit))? ?(?:sur|de|à propos de) (.+)$`),
	newPattern(`(?i)(?:esquece|esqueça|apaga) (?:tudo )?(?:o que (?:eu )?(?:te )?(?:disse|falei|contei|sabes))? ?(?:sobre|da|do|de) (.+)$`),
	newPattern(`(?i)(?:dimentica|cancella) (?:tutto )?(?:quello che (?:ti )?(?:ho detto|sai))? ?(?:su|di) (.+)$`),
	newPattern(`^(?:请|請)?(?:你)?(?:忘记|忘記|忘掉)(?:所有)?关于(.+?)(?:的一切|的事|的事情|的所有事)?$`),
}

// foreignOwns name somebody or something of one's own by a word, or by a clause that asks who that
// is: "vergiss meinen Vermieter", "olvida cómo se llama mi casero".
var foreignOwns = []struct {
	form *pattern
	// whose are the words for "my" that may stand before the noun where it is told of.
	whose []string
}{
	{newPattern(`(?i)^.{0,20}?(?:vergiss|vergiß|vergessen sie|lösch|lösche)(?: bitte| mal)*(?:,? (?:wie|wer)|,? den namen von)? (?:mein|meine|meinen|meinem|meiner) (\pL+)(?: (?:heißt|heisst|ist))?$`), []string{"mein", "meine", "meinen", "meinem", "meiner"}},
	{newPattern(`(?i)^.{0,20}?(?:olvida|olvídate de|borra)(?:,? (?:quién es|cómo se llama|el nombre de))?(?: a| de)? mi (\pL+)$`), []string{"mi"}},
	{newPattern(`(?i)^.{0,20}?(?:oublie|oubliez|efface)(?:,? (?:qui est|comment s'appelle|le nom de))? (?:mon|ma) (\pL+)$`), []string{"mon", "ma"}},
	{newPattern(`(?i)^.{0,20}?(?:esquece|esqueça|apaga)(?:,? (?:quem é|como se chama|o nome d[oa]))?(?: o| a| do| da)? (?:meu|minha) (\pL+)$`), []string{"meu", "minha"}},
	{newPattern(`(?i)^.{0,20}?(?:dimentica|cancella)(?:,? (?:chi è|come si chiama|il nome del|il nome della))?(?: il| la)? (?:mio|mia) (\pL+)$`), []string{"mio", "mia"}},
}

// foreignTalk is of the talk itself, and not known of anybody.
var foreignTalk = set(`frage bitte nachricht idee vorschlag anfrage wunsch worte text pregunta mensaje idea petición solicitud texto question demande message idée remarque texte pergunta mensagem ideia pedido domanda messaggio richiesta testo`)

// ownForeign gives what is named so, in the forms in which it may have been told.
func ownForeign(text string) (named []string) {
	for _, f := range foreignOwns {
		m := f.form.FindStringSubmatch(text)
		if m == nil || foreignTalk[strings.ToLower(m[1])] {
			continue
		}
		for _, my := range f.whose {
			named = append(named, my+" "+strings.ToLower(m[1]))
		}
		break
	}
	return named
}

// foreignClauses gives the forms in which what is to be forgotten may have been said.
func foreignClauses(text string) []string {
	text = strings.Trim(polite.ReplaceAllString(strings.TrimRight(text, " .!。！"), ""), " ,.")
	var out []string
	if m := germanForget.FindStringSubmatch(text); m != nil {
		clause := m[1]
		fields := strings.Fields(clause)
		// The verb stands at the end, behind it nothing; who does it comes first.
		subject := 1
		if len(fields) > 3 && germanOwn[strings.ToLower(fields[0])] {
			subject = 2
		}
		if n := len(fields); n > subject+1 {
			verb := []string{fields[n-1]}
			rest := slices.Clone(fields[subject : n-1])
			out = append(out, strings.Join(slices.Concat(fields[:subject], verb, rest), " "))
			if subject == 1 && n > 3 {
				out = append(out, strings.Join(slices.Concat(fields[:2], verb, fields[2:n-1]), " "))
			}
		}
		return append(out, clause)
	}
	if m := romanceForget.FindStringSubmatch(text); m != nil {
		clause := strings.TrimSpace(m[1])
		out = append(out, clause)
		low := strings.ToLower(clause)
		for _, me := range []string{"yo ", "eu ", "io "} {
			if strings.HasPrefix(low, me) {
				return append(out, clause[len(me):])
			}
		}
		if me := map[string]string{"olvida": "yo ", "esquec": "eu ", "esqueç": "eu ", "diment": "io "}[romanceVerb(text)]; me != "" {
			out = append(out, me+clause)
		}
		return out
	}
	if m := japaneseForget.FindStringSubmatch(text); m != nil {
		clause := strings.TrimSuffix(strings.TrimSuffix(m[1], "という"), "って")
		forms := []string{clause}
		for _, end := range [][2]string{{"ている", "ています"}, {"でいる", "でいます"}, {"がある", "があります"}, {"がいる", "がいます"}, {"である", "です"}, {"な", "です"}, {"だ", "です"}, {"べる", "べます"}, {"した", "しました"}, {"する", "します"}, {"った", "りました"}} {
			if base, ok := strings.CutSuffix(clause, end[0]); ok {
				forms = append(forms, base+end[1])
			}
		}
		for _, form := range forms {
			bare := japaneseMe.ReplaceAllString(form, "")
			out = append(out, bare, "私は"+bare, "僕は"+bare)
		}
		return out
	}
	if m := chineseForget.FindStringSubmatch(text); m != nil {
		return []string{m[1]}
	}
	if m := arabicForget.FindStringSubmatch(text); m != nil {
		return []string{m[1], "أنا " + m[1]}
	}
	return nil
}

func romanceVerb(text string) string {
	low := strings.ToLower(text)
	for _, verb := range []string{"olvida", "esquec", "esqueç", "diment"} {
		if strings.Contains(low, verb) {
			return verb
		}
	}
	return ""
}

var (
	germanForget   = newPattern(`(?i)^.{0,20}?(?:vergiss|vergessen sie|vergiß|vergeet)(?: bitte| mal| alsjeblieft)*,? da(?:ss|ß|t) (.+)$`)
	romanceForget  = newPattern(`(?i)^.{0,24}?(?:olvida|olvídate de|oublie|oubliez|esquece|esqueça|dimentica)(?: por favor| s'il te plaît| per favore)?,? (?:que |qu'|che )(.+)$`)
	japaneseForget = newPattern(`^(.+?)(?:こと|の)(?:は|を|も)?(?:もう)?忘れて`)
	japaneseMe     = newPattern(`^(?:私|僕|俺|わたし)(?:が|は)、?`)
	chineseForget  = newPattern(`^(?:请|請|麻烦)?(?:你)?(?:帮我)?(?:忘记|忘記|忘掉|忘了)(我.+?)(?:这件事|這件事|这事|的事情|的事|吧)?$`)
	arabicForget   = newPattern(`^(?:من فضلك،? )?(?:انسَ|انس|انسى|إنسى|إنس)\s+(?:أنني|أني|اني|انني|أنّي|أننا)\s+(.+)$`)
	germanOwn      = set(`mein meine meinem meinen unser unsere der die das`)
	// remindsForeign asks that something be not forgotten.
	remindsForeign = newPattern(`(?i)(?:vergiss|vergessen sie|oublie|oubliez)\s+(?:bitte\s+|mal\s+)?(?:nicht|nie|pas|jamais)\b|\b(?:no|não|nao|non|n'|ne)\s*(?:te |me |lo )?(?:olvid|esque|diment|oubli)`)
)

var pet = set(`dog dogs puppy cat cats kitten pet pets parrot hamster rabbit horse ex ex-husband ex-wife ex-girlfriend ex-boyfriend crush family parents kids children in-laws`)
