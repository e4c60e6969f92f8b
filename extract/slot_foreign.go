package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// In other languages a few kinds of slots are read where the form is sure: where somebody lives, works,
// what they eat, drink, take, play and smoke, their diet, and with whom they are. So a move, a new job or
// "ya no como carne" ends what was so, in that language and in others. The statement is kept as it was
// said; whatever is not of these forms ends nothing.

const (
	// placeAbroad is a name behind the word that opens it, as far as it is capitals.
	placeAbroad = `(\p{Lu}[\pL'’.&+-]*(?:\s(?:(?:de|del|la|las|los|el|do|da|dos|am|an der|sur|sous|und Söhne)\s)?\p{Lu}[\pL'’.&+-]*){0,3})`
	// restAbroad is what may be told behind it.
	restAbroad = `(?:$|[\s,.;!(].*$)`
	// thingAbroad is what is eaten or played: one word, behind what only says how much.
	thingAbroad = `(?:(?:mucha?s?|muit[oa]s?|bastante|algo de|un poco de|um pouco de|viel|gern|gerne|oft|immer|nie|beaucoup de|beaucoup d['’]|un peu de|du|de la|de l['’]|des|de|d['’]|les|le|la|l['’]|el|los|las|o|a|os|as|au|aux|à la|à l['’]|al|ao|à|molta?|molto|il|i|gli)\s*)*(\p{Ll}[\pL'’-]{2,})`
	nounGerman  = `(?:(?:viel|gern|gerne|oft|regelmäßig|täglich|jeden Tag|etwas)\s+)*(\p{Lu}\pL{2,})`
	// whenAbroad stands between a verb and its place.
	whenAbroad = `(?:\s(?:ahora|actualmente|ya|hoy|maintenant|désormais|actuellement|aujourd['’]hui|jetzt|nun|inzwischen|mittlerweile|zurzeit|derzeit|momentan|seit \pL+|agora|atualmente|hoje|ora|adesso|attualmente))*`
)

// foreignRule gives a slot its name and its value by what stands in the groups; of "eat" the thing is in
// the name. over says that it is so no more.
type foreignRule struct {
	name    string
	over    bool
	pattern *pattern
}

// foreignRules begin with a small letter, as a statement is read; foreignPairs with a name.
var foreignRules = []foreignRule{
	{"home", false, abroad(`(?:vivo|vivimos|resido|residimos|estoy viviendo|estamos viviendo)` + whenAbroad + `\sen\s` + placeAbroad)},
	{"home", false, abroad(`(?:(?:me|nos)\s(?:mudé|mudamos|trasladé|trasladamos|he mudado|hemos mudado|he trasladado|vine a vivir|vinimos a vivir)|acabo de mudarme|acabamos de mudarnos|acabo de mudar)(?:\s\pL+){0,2}?\sa\s` + placeAbroad)},
	{"home", true, abroad(`ya no (?:vivo|vivimos|resido)\sen\s` + placeAbroad)},
	{"home", false, abroad(`(?:j['’]habite|nous habitons|on habite|je vis|nous vivons|on vit)` + whenAbroad + `\s(?:(?:à|en|au|aux)\s)?` + placeAbroad)},
	{"home", false, abroad(`(?:j['’]ai|nous avons|on a)\s(?:déménagé|emménagé)(?:\s\pL+){0,2}?\s(?:à|en|au|aux)\s` + placeAbroad)},
	{"home", false, abroad(`(?:je viens de|nous venons de|on vient de)\s(?:déménager|m['’]installer|nous installer|emménager)\s(?:à|en|au|aux)\s` + placeAbroad)},
	{"home", false, abroad(`(?:je me suis installée?|nous nous sommes installée?s)\s(?:à|en|au|aux)\s` + placeAbroad)},
	{"home", true, abroad(`(?:je n['’]habite|j['’]habite|nous n['’]habitons|on n['’]habite|je ne vis|nous ne vivons|on ne vit)\splus\s(?:à|en|au|aux)\s` + placeAbroad)},
	{"home", false, abroad(`(?:ich wohne|ich lebe|wir wohnen|wir leben|wohne ich|lebe ich|wohnen wir|leben wir|wohne|wohnen)` + whenAbroad + `\sin\s` + placeAbroad)},
	{"home", false, abroad(`(?:(?:ich\s)?bin(?:\sich)?|(?:wir\s)?sind(?:\swir)?)(?:\s(?:jetzt|gerade|nun|endlich|inzwischen|mittlerweile|gestern|wieder|im \pL+|letzte[ns]? \pL+|vor \pL+ \pL+)(?:\s\([^)]*\))?)*\snach\s` + placeAbroad + `\s(?:um|zurück)?gezogen`)},
	{"home", true, abroad(`(?:ich wohne|wir wohnen|ich lebe|wir leben|wohne|wohne ich|wohnen wir)\s(?:jetzt )?nicht mehr in\s` + placeAbroad)},
	{"home", false, abroad(`(?:moro|moramos|vivo|vivemos|resido|estou morando|estou a viver|estou a morar)` + whenAbroad + `\s(?:em|no|na|nos|nas)\s` + placeAbroad)},
	{"home", false, abroad(`(?:me mudei|mudei-me|mudei|nos mudamos|mudámo-nos|mudamo-nos|mudamos|a gente se mudou|acabei de me mudar)(?:\s\pL+){0,2}?\s(?:para|pra|pro)\s(?:(?:o|a|os|as)\s)?` + placeAbroad)},
	{"home", true, abroad(`(?:já não (?:moro|vivo|moramos)|não (?:moro|vivo|moramos) mais)\s(?:em|no|na)\s` + placeAbroad)},
	{"home", true, abroad(`não (?:moro|vivo|moramos)\s(?:em|no|na)\s` + placeAbroad + `\smais`)},
	{"home", false, abroad(`(?:abito|abitiamo|vivo|viviamo)` + whenAbroad + `\s(?:a|in)\s` + placeAbroad)},
	{"home", false, abroad(`(?:mi sono trasferit[oa]|ci siamo trasferit[ie])(?:\s\pL+){0,2}?\s(?:a|in)\s` + placeAbroad)},
	{"home", true, abroad(`non (?:abito|vivo|abitiamo|viviamo) più\s(?:a|in)\s` + placeAbroad)},

	{"work", false, abroad(`(?:trabajo|estoy trabajando|empecé a trabajar|empiezo a trabajar|he empezado a trabajar|empecé|tengo (?:un )?(?:nuevo trabajo|trabajo nuevo)|conseguí (?:un )?(?:nuevo )?trabajo)` + whenAbroad + `\s(?:en|para)\s` + placeAbroad)},
	{"work", true, abroad(`ya no trabajo\s(?:en|para)\s` + placeAbroad)},
	{"work", true, abroad(`(?:renuncié|dimití|he dejado (?:mi|el) trabajo|dejé (?:mi|el) trabajo|perdí (?:mi|el) trabajo|me despidieron|me han despedido|me echaron del trabajo)(?:\s(?:en|de|a)\s` + placeAbroad + `)?`)},
	{"work", false, abroad(`(?:je travaille|j['’]ai commencé(?: à travailler)?|j['’]ai un nouveau (?:travail|boulot|poste|job)|j['’]ai trouvé un (?:nouveau )?(?:travail|boulot|poste|job))` + whenAbroad + `\s(?:chez|pour)\s` + placeAbroad)},
	{"work", true, abroad(`je ne travaille plus\s(?:chez|pour|à)\s` + placeAbroad)},
	{"work", true, abroad(`j['’]ai (?:démissionné|quitté mon (?:travail|boulot|emploi|poste|job)|perdu mon (?:travail|boulot|emploi|poste|job)|été licenciée?)(?:\s(?:de\s)?chez\s` + placeAbroad + `)?`)},
	{"work", false, abroad(`(?:ich arbeite|arbeite ich)` + whenAbroad + `\s(?:bei|für)\s` + placeAbroad)},
	{"work", false, abroad(`(?:ich habe|ich hab|habe|hab)` + whenAbroad + `\s(?:einen neuen Job|eine neue Stelle|eine neue Arbeit)\sbei\s` + placeAbroad)},
	{"work", false, abroad(`(?:ich habe|ich hab|habe|hab)(?:\s\pL+){0,2}?\sbei\s` + placeAbroad + `\sangefangen`)},
	{"work", true, abroad(`(?:ich )?arbeite nicht mehr\s(?:bei|für)\s` + placeAbroad)},
	{"work", true, abroad(`(?:ich habe|ich hab|habe|hab)(?:\s\pL+){0,2}?(?:\sbei\s` + placeAbroad + `)?\s(?:(?:meinen Job|meine Stelle|meine Arbeit)\s)?(?:gekündigt|aufgehört)`)},
	{"work", false, abroad(`(?:trabalho|estou trabalhando|estou a trabalhar|comecei a trabalhar|comecei|tenho um (?:novo emprego|emprego novo|novo trabalho)|consegui um (?:novo )?emprego)` + whenAbroad + `\s(?:em|no|na|para a|para o|pra)\s` + placeAbroad)},
	{"work", true, abroad(`(?:já não trabalho|não trabalho mais)\s(?:em|no|na|para a|para o|pra)\s` + placeAbroad)},
	{"work", true, abroad(`não trabalho\s(?:em|no|na)\s` + placeAbroad + `\smais`)},
	{"work", true, abroad(`(?:pedi demissão|me demiti|demiti-me|larguei (?:o|meu|o meu) (?:emprego|trabalho)|deixei (?:o|meu|o meu) (?:emprego|trabalho)|perdi (?:o|meu|o meu) (?:emprego|trabalho)|fui demitid[oa]|fui despedid[oa])(?:\s(?:do|da|de)\s` + placeAbroad + `)?`)},
	{"work", false, abroad(`(?:lavoro|ho iniziato a lavorare|ho cominciato a lavorare)` + whenAbroad + `\s(?:per|da|alla|presso)\s` + placeAbroad)},
	{"work", true, abroad(`non lavoro più\s(?:per|da|alla|presso|in)\s` + placeAbroad)},
	{"work", true, abroad(`(?:mi sono licenziat[oa]|mi sono dimess[oa]|ho lasciato il (?:mio )?lavoro)(?:\s(?:da|alla)\s` + placeAbroad + `)?`)},

	{"diet", false, abroad(`(?:soy|ahora soy|me hice|me he hecho|me volví)\s(vegetarian[oa]|vegan[oa]|pescetarian[oa])`)},
	{"diet", true, abroad(`ya no soy\s(vegetarian[oa]|vegan[oa]|pescetarian[oa])`)},
	{"diet", false, abroad(`(?:je suis(?: devenue?)?)` + whenAbroad + `\s(végétarienne|végétarien|végétalienne|végétalien|végane|vegan|végan)`)},
	{"diet", true, abroad(`je ne suis plus\s(végétarienne|végétarien|végétalienne|végétalien|végane|vegan|végan)`)},
	{"diet", false, abroad(`(?:ich bin|bin ich|ich lebe|ich esse|ich ernähre mich)` + whenAbroad + `\s(Vegetarier(?:in)?|Veganer(?:in)?|vegetarisch|vegan)`)},
	{"diet", true, abroad(`(?:ich bin|ich lebe|ich esse|ich ernähre mich)\s(?:nicht mehr\s|keine?\s)(Vegetarier(?:in)?|Veganer(?:in)?|vegetarisch|vegan)(?:\smehr)?`)},
	{"diet", false, abroad(`(?:sou|agora sou|virei|me tornei|tornei-me)\s(vegetarian[oa]|vegan[oa])`)},
	{"diet", true, abroad(`(?:já não sou|não sou mais)\s(vegetarian[oa]|vegan[oa])`)},
	{"diet", true, abroad(`não sou\s(vegetarian[oa]|vegan[oa])\smais`)},
	{"diet", false, abroad(`(?:sono|sono diventat[oa])\s(vegetarian[oa]|vegan[oa])`)},
	{"diet", true, abroad(`non sono più\s(vegetarian[oa]|vegan[oa])`)},

	{"habit:smoke", true, abroad(`(?:ya no fumo|dejé de fumar|he dejado de fumar|je ne fume plus|j['’]ai arrêté de fumer|ich rauche nicht mehr|ich habe aufgehört zu rauchen|ich habe mit dem Rauchen aufgehört|já não fumo|não fumo mais|parei de fumar|deixei de fumar|non fumo più|ho smesso di fumare)`)},
	{"habit:smoke", false, abroad(`(?:fumo|je fume|ich rauche)`)},
	{"habit:eat ", true, abroad(`(?:ya no como|dejé de comer|he dejado de comer|je ne mange plus|j['’]ai arrêté de manger|já não como|parei de comer|deixei de comer|não como mais|non mangio più|ho smesso di mangiare)\s` + thingAbroad)},
	{"habit:eat ", true, abroad(`(?:não como)\s` + thingAbroad + `\smais`)},
	{"habit:eat ", true, abroad(`ich esse (?:keine?n?|nicht mehr)\s(\p{Lu}\pL{2,})(?:\smehr)?`)},
	{"habit:eat ", false, abroad(`(?:como|comemos|je mange|nous mangeons|mangio|mangiamo)\s` + thingAbroad)},
	{"habit:eat ", false, abroad(`(?:ich esse|wir essen)\s` + nounGerman)},
	{"habit:drink ", true, abroad(`(?:ya no bebo|dejé de beber|je ne bois plus|j['’]ai arrêté de boire|já não bebo|parei de beber|deixei de beber|não bebo mais|non bevo più|ho smesso di bere)\s` + thingAbroad)},
	{"habit:drink ", true, abroad(`ich trinke keine?n?\s(\p{Lu}\pL{2,})\smehr`)},
	{"habit:drink ", false, abroad(`(?:bebo|bebemos|je bois|nous buvons|bevo)\s` + thingAbroad)},
	{"habit:drink ", false, abroad(`(?:ich trinke|wir trinken)\s` + nounGerman)},
	{"habit:take ", true, abroad(`(?:ya no tomo|dejé de tomar|he dejado de tomar|je ne prends plus|j['’]ai arrêté de prendre|já não tomo|parei de tomar|deixei de tomar|não tomo mais|non prendo più)\s` + thingAbroad)},
	{"habit:take ", true, abroad(`ich nehme keine?n?\s(\p{Lu}\pL{2,})\smehr`)},
	{"habit:take ", true, abroad(`ich nehme\s(\p{Lu}\pL{2,})\snicht mehr`)},
	{"habit:take ", false, abroad(`(?:tomo|tomamos|je prends|prendo)\s` + thingAbroad)},
	{"habit:take ", false, abroad(`ich nehme\s` + nounGerman)},
	{"habit:play ", true, abroad(`(?:ya no (?:toco|juego)|dejé de (?:tocar|jugar)|je ne joue plus|j['’]ai arrêté (?:de jouer)?|já não (?:toco|jogo)|parei de (?:tocar|jogar)|não (?:toco|jogo) mais|non (?:suono|gioco) più)\s` + thingAbroad)},
	{"habit:play ", true, abroad(`ich spiele (?:keine?n?\s(\p{Lu}\pL{2,})\smehr|nicht mehr\s(\p{Lu}\pL{2,}))`)},
	{"habit:play ", false, abroad(`(?:toco|juego|je joue|jogo|suono|gioco)\s` + thingAbroad)},
	{"habit:play ", false, abroad(`ich spiele\s` + nounGerman)},

	{"partner", true, abroad(`(?:terminé|rompí|corté|lo dejé|he roto|terminei|acabei|rompi|ho rotto)\s(?:(?:com|con|de|do|da)\s)(?:(?:a|o|mi|minha|meu|la|il|mia|mio)\s)?(?:(?:novia|novio|pareja|namorada|namorado|esposa|ragazza|ragazzo)\s?)?` + placeAbroad + `?`)},
	{"partner", true, abroad(`(?:me separei d[eoa]|me separé de|ya no (?:estoy|salgo) con|já não (?:estou|namoro) com|não (?:estou|namoro) mais com)\s(?:(?:a|o|mi|minha|meu|la)\s)?(?:(?:novia|novio|pareja|namorada|namorado|esposa|marido|mujer)\s?)?` + placeAbroad + `?`)},
	{"partner", true, abroad(`j['’]ai (?:rompu avec|quitté)\s(?:(?:ma copine|mon copain|mon mari|ma femme|ma compagne|mon compagnon)\s?)?` + placeAbroad + `?`)},
	{"partner", true, abroad(`je ne (?:suis|sors) plus avec\s` + placeAbroad)},
	{"partner", true, abroad(`(?:ich habe|ich hab|habe|hab) mich von (?:(?:meiner Freundin|meinem Freund|meiner Frau|meinem Mann)\s?)?` + placeAbroad + `?\s?getrennt`)},
	{"partner", true, abroad(`(?:ich habe|ich hab|habe|hab) mit\s` + placeAbroad + `\sSchluss gemacht`)},
	{"partner", true, abroad(`ich bin nicht mehr mit\s` + placeAbroad + `\szusammen`)},
	{"partner", false, abroad(`(?:mi (?:novia|novio|pareja|esposa|esposo|marido|mujer)|minha (?:namorada|esposa|mulher)|meu (?:namorado|marido)|la mia (?:ragazza|moglie)|il mio (?:ragazzo|marito))\s(?:se llama|se chama|chama-se|si chiama)\s` + placeAbroad)},
	{"partner", false, abroad(`(?:estoy saliendo con|salgo con|estou namorando(?: com)?(?: [oa])?|estou a namorar com(?: [oa])?|namoro com(?: [oa])?|esco con)\s` + placeAbroad)},
	{"partner", false, abroad(`(?:ma copine|mon copain|mon mari|ma femme|ma compagne|mon compagnon)\ss['’]appelle\s` + placeAbroad)},
	{"partner", false, abroad(`je sors avec\s` + placeAbroad)},
	{"partner", false, abroad(`(?:meine (?:neue )?(?:Freundin|Frau|Partnerin)|mein (?:neuer )?(?:Freund|Mann|Partner))\sheißt\s` + placeAbroad)},
	{"partner", false, abroad(`ich bin (?:jetzt )?mit\s` + placeAbroad + `\szusammen`)},
}

var foreignPairs = []foreignRule{
	{"partner", true, abroad(`(?:[AO]\s)?` + placeAbroad + `\s(?:y yo|e eu|e io)\s(?:rompimos|terminamos|lo dejamos|lo hemos dejado|nos separamos|acabámos|acabamos|ya no estamos juntos|já não estamos juntos|não estamos mais juntos|hemos roto|ci siamo lasciati)`)},
	{"partner", true, abroad(`(?:[AO]\s)?` + placeAbroad + `\set moi\s(?:avons rompu|nous sommes séparés|on s['’]est séparés|on n['’]est plus ensemble|ne sommes plus ensemble|c['’]est fini)`)},
	{"partner", true, abroad(`(?:[AO]\s)?` + placeAbroad + `\sund ich\s(?:haben uns getrennt|sind nicht mehr zusammen|sind getrennt)`)},
}

// abroad is a statement that begins so.
func abroad(written string) *pattern {
	return newPattern(`^(?:(?:` + beforeAbroad + `)[\s,:]+)*(?:` + written + `)` + restAbroad)
}

// beforeAbroad is what may stand before and changes nothing.
const beforeAbroad = `yo|eu|io|ahora|agora|ora|jetzt|also|entonces|então|alors|maintenant|désormais|finalmente|finalement|por fin|enfin|endlich|übrigens|por cierto|au fait|aliás|bueno|pues|bon|naja|ja|sí|sim|oui|no|não|nein|non|al final|desde \pL+|seit \pL+|inzwischen|mittlerweile|hace \pL+ \pL+|ayer|hier|gestern|ontem|ieri|la semana pasada|el mes pasado|le mois dernier|la semaine dernière|letzten Monat|letzte Woche|mês passado|semana passada`

// foreignChange gives the slot of what is said in another language in a form that is sure, false if
// it is in none.
func foreignChange(text string) (about, bool) {
	if len(text) > 200 || strings.ContainsAny(text, "?¿？\"“«") {
		return about{}, false
	}
	bare := strings.TrimRight(text, " .!。！")
	if containsDense(bare) || isArabic(bare) {
		return changeOf(bare, denseRules)
	}
	if a, ok := changeOf(firstSmall(bare), foreignRules); ok {
		if _, then, more := strings.Cut(bare, ", "); more && a.negated {
			if b, ok := foreignChange(then); ok && b.name == a.name && !b.negated {
				return b, true // "ya no vivo en Madrid, ahora vivo en Toledo"
			}
		}
		return a, true
	}
	return changeOf(bare, foreignPairs)
}

// foreignParts parts what is told in one breath of two things that change apart from one another, each
// in a form that is sure: "Vivo en Madrid y trabajo en Seat".
func foreignParts(text string) []clausePart {
	if at := joinAbroad.FindAllStringIndex(text, 2); len(at) == 1 {
		left, right, lead := text[:at[0][0]], text[at[0][1]:], ""
		a, known := foreignChange(left)
		b, also := foreignChange(right)
		if also && startsGerman.MatchString(left) && !startsGerman.MatchString(right) {
			lead = "(Ich) "
		}
		if !also && startsGerman.MatchString(left) {
			if b, also = foreignChange("ich " + right); also {
				lead = "(Ich) "
			}
		}
		if known && also && a.name != b.name {
			return []clausePart{{left, a}, {lead + right, b}}
		}
	}
	return []clausePart{{text: text}}
}

var (
	joinAbroad   = newPattern(`,?\s(?:y|e|ed|und|et)\s`)
	startsGerman = newPattern(`^(?:Ich|ich)\s`)
)

// firstSmall writes the first letter of a statement small.
func firstSmall(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(r)) + text[size:]
}

// changeOf reads a statement by the first of some rules that knows it.
func changeOf(text string, rules []foreignRule) (about, bool) {
	for _, rule := range rules {
		m := rule.pattern.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		value, end := "", len(text)
		for i := 2; i+1 < len(m); i += 2 {
			if m[i] >= 0 {
				value, end = text[m[i]:m[i+1]], m[i+1]
			}
		}
		if !rule.over && (alsoAbroad.MatchString(text) || value != "" && andAbroad.MatchString(text[end:])) {
			return about{}, false // of several things
		}
		a := about{name: rule.name, value: value, negated: rule.over}
		if strings.HasSuffix(rule.name, " ") {
			a.name, a.value = rule.name+strings.ToLower(value), ""
			if value == "" || noThingsAbroad[strings.ToLower(value)] {
				return about{}, false
			}
		}
		if rule.name == "work" && citiesAbroad[strings.ToLower(value)] || value == "" && !rule.over && rule.name != "habit:smoke" {
			return about{}, false // where, not with whom
		}
		if rule.name == "diet" {
			a.value = strings.ToLower(value)
		}
		return a, true
	}
	return about{}, false
}

var (
	// alsoAbroad limits what is told, or tells of more than one.
	alsoAbroad = newPattern(`(?i)(?:^|[\s,])(?:también|además|a veces|los fines de semana|antes|aussi|parfois|le week-end|avant|auch|manchmal|am Wochenende|früher|nebenbei|também|às vezes|nos fins de semana|anche|a volte|quizás|tal vez|peut-être|vielleicht|talvez|forse)(?:[\s,.]|$)`)
	// andAbroad goes on with another thing.
	andAbroad = newPattern(`(?i)^,?\s(?:y|e|o|ou|und|oder|et|pero|aber|mais|mas|ma|sondern|sino|ed|excepto|sauf|außer|exceto|solo|seulement|nur|só)(?:\s|$)`)
	// noThingsAbroad are no things that somebody eats, plays or takes.
	noThingsAbroad = set(`mucho muy bien siempre casa nada todo algo tanto así más menos nunca tarde temprano bem sempre tudo nada muito mal rien tout bien trop tard souvent jamais zeit viel alles nichts cuando quando quand wenn que con com avec mit para pour für porque parce weil rolle platz part parte soin cuidado cuenta decisión decisões decisiones notas fotos photos bus tren train métro metro taxi avión bain ducha douche desayuno`)
	// citiesAbroad are places in which somebody works, and no firms.
	citiesAbroad = set(`madrid barcelona valencia sevilla bilbao málaga zaragoza españa spain méxico mexico bogotá lima buenos chile colombia argentina paris lyon marseille bordeaux toulouse lille nantes france belgique suisse bruxelles genève berlin hamburg münchen köln frankfurt stuttgart wien zürich deutschland österreich schweiz lisboa porto braga coimbra brasil portugal são rio recife roma milano torino napoli italia italien london londres europa`)
)

func isArabic(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Arabic, r) })
}

// denseRules are the same of languages that part no words by blanks, or are written in other letters.
var denseRules = []foreignRule{
	{"home", true, newPattern(`^(?:我们?|現在|现在)?(?:已经|已經)?(?:不再|没有再|不)住在?([\p{Han}]{2,6})(?:了|里)?$`)},
	{"home", false, newPattern(`^(?:我们?)(?:现在|現在|刚刚|刚|剛)?(?:住在|搬到了?|搬去了?)([\p{Han}]{2,6}?)(?:了|里)?$`)},
	{"work", true, newPattern(`^我(?:已经|已經)?(?:不再|不)在([\p{Han}\pL]{2,10})(?:工作|上班)(?:了)?$`)},
	{"work", true, newPattern(`^我(?:已经|已經|刚|昨天)?(?:辞职|辭職|离职|離職)了?$`)},
	{"work", false, newPattern(`^我(?:现在|現在)?在([\p{Han}\pL]{2,10})(?:工作|上班)$`)},
	{"habit:eat ", true, newPattern(`^我(?:已经|已經)?(?:不再|不)吃(\p{Han}{1,4}?)了?$`)},
	{"habit:eat ", false, newPattern(`^我(?:经常|常常|喜欢|每天)?吃(\p{Han}{1,4}?)$`)},
	{"habit:smoke", true, newPattern(`^我(?:已经|已經)?(?:不再抽烟|不抽烟|戒烟)了?$`)},

	{"home", true, newPattern(`^(?:私は|僕は|俺は)?もう([\p{Han}\p{Katakana}\p{Hiragana}ー]{1,10}?)に(?:は)?住んで(?:いない|いません|ない|ません)$`)},
	{"home", false, newPattern(`^(?:私は|僕は|俺は|今は?|現在は?)?([\p{Han}\p{Katakana}ー]{1,10}?)(?:に住んで(?:いる|います|る|ます)|に引っ越し(?:た|ました)|へ引っ越し(?:た|ました))$`)},
	{"work", true, newPattern(`^(?:私は|僕は)?もう([\p{Han}\p{Katakana}\pLー]{1,12}?)で(?:は)?働いて(?:いない|いません|ない|ません)$`)},
	{"work", true, newPattern(`^(?:私は|僕は)?(?:会社|仕事)を(?:辞めた|辞めました|退職しました)$`)},
	{"work", false, newPattern(`^(?:私は|僕は|今は?)?([\p{Katakana}\p{Han}\p{Latin}ー]{1,12}?)で働いて(?:いる|います|る|ます)$`)},
	{"habit:eat ", true, newPattern(`^(?:私は|僕は)?もう([\p{Han}\p{Katakana}\p{Hiragana}ー]{1,8}?)(?:を|は)?食べ(?:ない|ません|なくなった|なくなりました)$`)},
	{"habit:eat ", false, newPattern(`^(?:私は|僕は)?(?:よく|毎日)?([\p{Han}\p{Katakana}ー]{1,8}?)を(?:よく|毎日)?食べ(?:る|ます|ています)$`)},

	{"home", true, newPattern(`^(?:أنا\s)?لم أعد (?:أسكن|أعيش|أقيم) في (\p{Arabic}+)$`)},
	{"home", false, newPattern(`^(?:أنا\s)?(?:أسكن|أعيش|أقيم|انتقلت إلى|انتقلنا إلى|انتقلت للعيش في)(?: الآن)?(?: في)? (\p{Arabic}+)(?: الآن)?$`)},
	{"work", true, newPattern(`^(?:أنا\s)?لم أعد أعمل (?:في|لدى|مع) (\p{Arabic}+(?:\s\p{Arabic}+)?)$`)},
	{"work", true, newPattern(`^(?:لقد\s)?(?:استقلت|تركت عملي|تركت العمل|تركت وظيفتي)$`)},
	{"work", false, newPattern(`^(?:أنا\s)?أعمل (?:الآن )?(?:لدى|في شركة|مع) (\p{Arabic}+)$`)},
	{"habit:eat ", true, newPattern(`^(?:أنا\s)?لم أعد آكل (\p{Arabic}+)$`)},
	{"habit:eat ", false, newPattern(`^(?:أنا\s)?آكل (\p{Arabic}+)(?:\s.*)?$`)},
	{"habit:smoke", true, newPattern(`^(?:لم أعد أدخن|أقلعت عن التدخين|توقفت عن التدخين)$`)},
}

// What another language says to be over is told by the words without their "no longer".

// foreignOver gives what was said before that a statement says to be over; "" if it says
// nothing of the kind.
func foreignOver(text string) string {
	low := strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	for _, form := range overForms {
		if m := form.pattern.FindStringSubmatchIndex(low); m != nil {
			out := string(form.pattern.ExpandString(nil, form.without, low, m))
			return strings.Join(strings.Fields(form.elide.Replace(out)), " ")
		}
	}
	return ""
}

var overForms = []struct {
	pattern *pattern
	without string
	elide   *strings.Replacer
}{
	{newPattern(`^(.+?) nicht mehr(.*)$`), "$1$2", strings.NewReplacer()},
	{newPattern(`^(.+?) kein(en|e|em|er|)(\s.+?) mehr(.*)$`), "$1 ein$2$3$4", strings.NewReplacer()},
	{newPattern(`^(?:yo )?ya no (.+)$`), "$1", strings.NewReplacer()},
	{newPattern(`^(j|nous|on|il|elle|ils|elles|je|mon \pL+|ma \pL+) ?(?:ne |n')(.+?) plus( .*|)$`), "$1 $2$3", strings.NewReplacer("je h", "j'h", "je a", "j'a", "je e", "j'e", "je é", "j'é", "je u", "j'u")},
	{newPattern(`^(?:eu )?(?:já não) (.+)$`), "$1", strings.NewReplacer()},
	{newPattern(`^(?:eu )?não (.+?) mais( .*|)$`), "$1$2", strings.NewReplacer()},
	{newPattern(`^(?:io )?non (.+?) più( .*|)$`), "$1$2", strings.NewReplacer()},
	{newPattern(`^我(?:已经)?不再(.+)$`), "我$1", strings.NewReplacer()},
}

// foreignSlot gives the slot of what is said in another language: it can only be over.
func foreignSlot(text string) about {
	if a, ok := foreignChange(text); ok {
		return a
	}
	if e, ok := foreignEnding(text); ok {
		return about{name: overSlots + stem(e.Head()), negated: true}
	}
	if len(text) > 120 || countWords(text) > 10 && !containsDense(text) || strings.ContainsAny(text, "?¿？;:") {
		return about{}
	}
	text = strings.TrimRight(text, " .!。！")
	over := foreignOver(text)
	if over == "" {
		return about{name: "does:" + strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(text), "yo "), "eu "), "io ")}
	}
	return about{name: "does:" + over, negated: true}
}
