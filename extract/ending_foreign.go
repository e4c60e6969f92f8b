package extract

import "strings"

// Endings in other languages: a thing that was sold or stolen, somebody who has died, a couple that has
// parted. They end what was told of the same in a sure form only: as of something of the speaker's that
// goes on.

// endFormsAbroad name what is over in a group.
var endFormsAbroad = []struct {
	kind    endKind
	pattern *pattern
}{
	{notHad, abroad(`(?:vendí|vendimos|he vendido|hemos vendido|acabo de vender|regalé|perdí|me robaron|nos robaron|me han robado|ya vendí|ya vendimos)\s` + ownAbroad)},
	{notHad, abroad(`(?:j['’]ai|on a|nous avons|je viens de|on vient de)\s(?:vendu|vendre|donné|perdu)\s` + ownAbroad)},
	{notHad, abroad(`on m['’]a volé\s` + ownAbroad)},
	{notHad, abroad(`(?:ich habe|ich hab|wir haben|habe|hab|haben)(?:\s(?:gestern|jetzt|gerade|letzte Woche|inzwischen))?\s` + ownAbroad + `(?:\s(?:gestern|jetzt|letzte Woche|im \pL+))?\s(?:verkauft|verschenkt|verloren)`)},
	{notHad, abroad(ownAbroad + `\s(?:wurde|ist)\s(?:mir\s)?(?:gestern\s|heute\s)?(?:gestohlen|geklaut|verkauft)`)},
	{notHad, abroad(`(?:vendi|vendemos|já vendi|já vendemos|acabei de vender|perdi|roubaram-me|roubaram|me roubaram)\s` + ownAbroad)},
	{notHad, abroad(`(?:ho venduto|abbiamo venduto|mi hanno rubato|ho perso)\s` + ownAbroad)},
	{died, abroad(`(?:(?:mi|nuestro|nuestra|mon|ma|notre|mein|meine|unser|unsere|meu|minha|o|a|el|la|nosso|nossa)\s)?(?:\pL+\s)?(\p{Lu}[\pL'’-]+|perro|perra|gato|gata|chien|chat|Hund|Katze|cão|cachorro|cachorra)\s(?:murió|falleció|ha muerto|se murió|est morte?|est décédée?|ist gestorben|ist tot|morreu|faleceu|è mort[oa])`)},
}

// ownAbroad is a thing of the speaker's.
const ownAbroad = `(?:mi|mis|la|el|nuestro|nuestra|mon|ma|mes|le|notre|mein|meine|meinen|den|das|die|unser|unsere|unseren|o|a|meu|minha|nosso|nossa|os|as|il|la mia|il mio)\s(?:viej[oa]\s|vieux\s|vieille\s|alte[sn]?\s|velh[oa]\s)?([\pL][\pL\d'’-]{2,}(?:\s(?:\p{Lu}[\pL\d'’-]*|\d+))?)`

var (
	endHintsAbroad = strings.Split("vend,regal,perd,rob,volé,donné,verkauft,verschenkt,verloren,gestohlen,geklaut,roub,rubato,perso,murió,falleci,muert,mort,décéd,gestorben,ist tot,morreu,faleceu,venduto", ",")
	// hadAbroad tells that one has a thing, wasAbroad that one had it; ownedAbroad stand before one's own.
	hadAbroad   = newPattern(`(?i)(?:^|[\s,(])(?:tengo|tenemos|conduzco|j['’]ai|nous avons|on a|ich habe|wir haben|ich fahre|tenho|temos|dirijo|ho|abbiamo)(?:\s|$)`)
	ownedAbroad = set(`mi mis nuestro nuestra nuestros nuestras mon ma mes notre nos mein meine meinen meinem meiner meines unser unsere unseren meu meus minha minhas nosso nossa mio mia miei mie`)
	wasAbroad   = newPattern(`(?i)(?:^|[\s,(])(?:tuve|tenía|teníamos|era|fue|antes|avais|avait|était|eu|hatte|hatten|war|waren|früher|tinha|tive|foi|avevo|aveva|ero)(?:[\s,.]|$)`)
	// ofOthersAbroad makes a thing somebody else's.
	ofOthersAbroad = newPattern(`(?i)(?:^|\s)(?:de mi|de mis|del|de la vecina|de mon|de ma|de mes|von mein\pL*|mein\pL* \pL+s|do meu|da minha|di mi[oa]|su|sus|son|sa|ses|sein\pL*|ihr\pL*|seu|sua)\s`)
	// couplesAbroad are with whom one is together.
	couplesAbroad = set(`novia novio pareja esposa esposo marido mujer mulher femme mari frau mann copine copain compagne compagnon freundin freund partnerin namorada namorado fidanzata fidanzato ragazza ragazzo moglie marito saliendo namorando namoro zusammen sors`)
)

// foreignEnding gives what a statement of another language says to be over, false if nothing.
func foreignEnding(text string) (Ending, bool) {
	if e, ok := partedAbroad(text); ok {
		return e, true
	}
	if len(text) > 200 || !contains(strings.ToLower(text), endHintsAbroad) || strings.ContainsAny(text, "?¿") {
		return Ending{}, false
	}
	bare := strings.TrimRight(noted.ReplaceAllString(text, ""), " .!")
	for _, form := range endFormsAbroad {
		m := form.pattern.FindStringSubmatch(firstSmall(bare))
		if m == nil {
			m = form.pattern.FindStringSubmatch(bare)
		}
		if m == nil || m[1] == "" {
			continue
		}
		e := Ending{kind: form.kind, spelled: m[1], abroad: true}
		for _, w := range wordsOf(m[1]) {
			e.words = append(e.words, w.low)
		}
		if len(e.words) == 0 || noObjects[e.words[0]] || noThingsAbroad[e.words[0]] {
			return Ending{}, false
		}
		return e, true
	}
	return Ending{}, false
}

// endsAbroad says whether what a text tells is over by an ending in another language.
func (e Ending) endsAbroad(text string) bool {
	if len(text) > 300 || e.at(wordsOf(text)) < 0 || wasAbroad.MatchString(text) || ofOthersAbroad.MatchString(text) {
		return false
	}
	if _, again := foreignEnding(text); again {
		return false
	}
	if e.kind == splitUp {
		return withAbroad.MatchString(text)
	}
	words := wordsOf(text)
	at := e.at(words)
	own := at > 0 && ownedAbroad[words[at-1].low] || at > 1 && ownedAbroad[words[at-2].low]
	return own || hadAbroad.MatchString(text)
}

// partedAbroad gives with whom somebody is no more.
func partedAbroad(text string) (Ending, bool) {
	if !contains(strings.ToLower(text), partHintsAbroad) {
		return Ending{}, false
	}
	a, ok := foreignChange(noted.ReplaceAllString(text, ""))
	if !ok || a.name != "partner" || !a.negated || a.value == "" {
		return Ending{}, false
	}
	return Ending{kind: splitUp, words: []string{strings.ToLower(a.value)}, named: true, abroad: true, spelled: a.value}, true
}

var (
	partHintsAbroad = strings.Split("termin,romp,roto,rotto,rompu,cort,dejé,dejamos,dejado,acab,separ,séparé,quitté,ya no,já não,mais com,plus avec,getrennt,schluss,nicht mehr,juntos,lasciati", ",")
	withAbroad      = newPattern(`(?i)(?:^|[\s,(])(?:(?:mi|mein|meine|meiner|meinem|ma|mon|minha|meu|la mia|il mio) (?:\pL+ )?(?:novia|novio|pareja|esposa|esposo|marido|mujer|mulher|copine|copain|compagne|compagnon|femme|mari|freundin|freund|frau|mann|partnerin|partner|namorada|namorado|ragazza|ragazzo|moglie|marito)|saliendo con|namorando|namoro|zusammen|sors avec|ensemble)(?:[\s,.)]|$)`)
)
