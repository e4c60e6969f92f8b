package extract

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Requests to forget in other languages, whose clause is what was said.

// forgetsForeign takes a request to forget of another language whose clause is what was
// said, and says whether it was one.
func (g *grouping) forgetsForeign(text string) bool {
	if len(text) > 200 || !foreignForget.MatchString(text) {
		return false
	}
	if remindsForeign.MatchString(text) {
		return false
	}
	bare := strings.Trim(polite.ReplaceAllString(strings.TrimRight(text, " .!。！"), ""), " ,.")
	if named := ownForeign(bare); named != nil {
		g.spoken, g.asked, g.adjacent = true, "", false
		for _, name := range named {
			g.forgetsAll(name, []about{{subject: name}})
		}
		return true
	}
	if named := foreignNamed(bare); named != nil {
		g.spoken, g.asked, g.adjacent = true, "", false
		for _, name := range named {
			g.forgetsAll(name, []about{{subject: name}})
		}
		return true
	}
	for _, form := range foreignAll {
		if m := form.FindStringSubmatch(bare); m != nil && len(foreignClauses(text)) == 0 {
			g.spoken, g.asked, g.adjacent = true, "", false
			name := foreignMy.ReplaceAllString(m[1], "")
			g.forgetsAll(m[1], []about{{subject: strings.ToLower(name)}})
			return true
		}
	}
	clauses := foreignClauses(text)
	if len(clauses) == 0 && countWords(text) > 6 {
		return false
	}
	g.spoken, g.asked, g.adjacent = true, "", false
	for _, clause := range clauses {
		dated, _ := resolve(clause, g.said, false)
		g.out = append(g.out, statement{text: dated, forget: true, words: countWords(clause)})
	}
	// It may have been said with something else: "j'ai le diabète et un chien".
	for _, clause := range clauses {
		if within := foreignMe.ReplaceAllString(strings.ToLower(clause), ""); countWords(within) > 1 || containsDense(within) && utf8.RuneCountInString(within) > 3 {
			g.forgetsAll(clause, []about{{subject: within}})
		}
	}
	return true
}

var (
	// foreignMe is a pronoun that a clause begins with.
	foreignMe = newPattern(`^(?:(?:ich|je|yo|eu|io|ik|أنا)\s+|私[はが]|僕[はが]|我)`)
	// foreignWhat names by a clause what is to be forgotten, its verb first or, in German, last:
	// "olvida lo que gano", "vergiss, was ich verdiene".
	foreignWhat = []*pattern{
		newPattern(`(?i)(?:olvida|olvídate de|borra)(?: por favor)?,? (?:lo que|cu[aá]nto|d[oó]nde|con qui[eé]n|de qu[eé]|en qu[eé]|cu[aá]ndo) (?:yo )?(\pL{3,})(?: .{0,20})?$`),
		newPattern(`(?i)(?:oublie|oubliez|efface)(?: s'il te plaît)?,? (?:ce que|combien|où|avec qui|pour qui|quand|chez qui) (?:je (\pL{3,})|(j['’]\pL{3,}))(?: .{0,20})?$`),
		newPattern(`(?i)(?:esquece|esqueça|apaga)(?: por favor)?,? (?:o que|quanto|onde|com quem|quando) (?:eu )?(\pL{3,})(?: .{0,20})?$`),
		newPattern(`(?i)(?:dimentica|cancella)(?: per favore)?,? (?:quello che|quanto|dove|con chi|quando) (?:io )?(\pL{3,})(?: .{0,20})?$`),
		newPattern(`(?i)(?:vergiss|vergessen sie|vergiß)(?: bitte)?,? (?:was|wie viel|wieviel|wo|wann|mit wem|bei wem|für wen|woran) ich (?:.{1,20} )?(\pL{3,})$`),
	}
	// foreignTold are verbs of telling, which name nothing.
	foreignTold = set(`dije digo dicho conté sabes habe hatte sagte gesagt erzählt erzählte geschrieben disse falei contei disso detto scritto dis j'ai quiero quise quero soy sou sono estoy será voy`)
	// foreignOf names somebody or something by a noun in scripts that part no words.
	japaneseOf = newPattern(`^(?:.{0,6}、)?(?:私の|僕の|俺の|わたしの)?(.{1,12}?)(?:のこと|に関すること|について(?:話した|言った)?(?:こと)?|の話)(?:は|を|も)?(?:全部|すべて|全て|もう|どうか)*、?忘れて`)
	chineseOf  = newPattern(`^(?:请|請|麻烦)?(?:你)?(?:帮我)?(?:把)?(?:忘记|忘記|忘掉|忘了|删除|刪除)(?:所有)?(?:关于|關於)?(?:我)?(?:的)?(.{1,10}?)(?:的(?:一切|事情|事儿|事|情况|所有事|信息))(?:吧|好吗)?$`)
	chineseIs  = newPattern(`[是有在住喜讨吃说想会爱做去买]`)
)

// foreignNamed gives what a request names by a clause, or by a noun in scripts that part no words,
// in the forms in which it may have been told.
func foreignNamed(text string) (named []string) {
	for _, form := range foreignWhat {
		if m := form.FindStringSubmatch(text); m != nil {
			if verb := strings.ToLower(strings.Join(m[1:], "")); !foreignTold[strings.ReplaceAll(verb, "’", "'")] {
				return []string{verb}
			}
		}
	}
	if m := japaneseOf.FindStringSubmatch(text); m != nil && !verbalKana.MatchString(m[1]) {
		if utf8.RuneCountInString(m[1]) > 1 {
			return []string{m[1]}
		}
		// One character alone names nothing: "妹" is in other words too.
		for _, particle := range []string{"は", "が", "の", "と", "を", "に", "も"} {
			named = append(named, m[1]+particle)
		}
		return append(named, "私の"+m[1])
	}
	if m := chineseOf.FindStringSubmatch(text); m != nil && !chineseIs.MatchString(m[1]) && utf8.RuneCountInString(m[1]) > 1 {
		return []string{m[1]}
	}
	return nil
}

// verbalKana ends a clause, where a noun was looked for.
var verbalKana = newPattern(`(?:る|た|だ|い|う|く|す|つ|ぬ|む|ぶ|ぐ)$`)

var (
	foreignForget = phrases(`(?:(?:bitte|por favor|s'il te plaît|s'il vous plaît|per favore|alsjeblieft)[, ]+)?(?:kannst du |könntest du |puedes |peux-tu |pode |puoi )?(?:bitte )?(?:vergiss|vergiß|vergessen sie|olvida|olvídate|oublie|oubliez|esquece|esqueça|dimentica|vergeet)(?:[, ]|$)`, `.{0,60}忘れて(?:ください|下さい|ね|くれ|欲しい|ほしい)?[。！]?$`, `(?:请|請|麻烦)?(?:你)?(?:帮我)?(?:忘记|忘記|忘掉|忘了)(?:我|关于|所有)`, `(?:من فضلك،? )?(?:انسَ|انس|انسى|إنسى|إنس)\s`)
	foreignMy     = newPattern(`(?i)^(?:meinen?|meinem|meiner|mein|mi|mis|mon|ma|mes|o meu|a minha|meu|minha|mio|mia|il mio|la mia|我的)\s*`)
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
