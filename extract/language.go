package extract

import (
	"strings"
	"unicode"
)

// Rules of grammar are English; other languages are cut into statements and
// otherwise left as they are. So all that is asked of a text is whether English
// rules may be applied to it.

// little are the commonest little words of each language; those shared with
// English ("a", "in", "me") are left out.
var little = map[string]map[string]bool{
	"en": set(`the i i'm my is are was were and to of it that you your have has had do don't did for with on at this we our they he she not be been will can just about but so what how when from it's i've an if or as am would could should there their his her got get like love really go going went`),
	"es": set(`el la los las un una es en por con para mi mis soy vivo tengo y del se está están gusta estoy que qué pero muy tu su nos fue era al lo le como cuando donde dónde ayer hoy mañana también ya novia novio nos trabajo vivimos`),
	"fr": set(`je j'ai suis le la les des est et mon ma mes dans pour avec pas une un du au aux c'est qui que nous vous il elle ils sur mais très hier demain aujourd'hui n'ai j'aime d'un qu'il chez où à ne`),
	"de": set(`ich bin und der die das ist mein meine meinen nicht ein eine einen mit zu habe hat wir auf für auch aber sehr mag von dem den im am gestern heute morgen wohne sind war wie noch bei er sie es wurde kein keine keinen mehr uns haben gestorben gezogen umgezogen nach verkauft getrennt arbeite wohnen heißt`),
	"pt": set(`eu moro meu minha meus minhas não um uma com para que é o os do da dos das sou tenho em no na gosto muito mas foi está ele ela nós ontem hoje amanhã também por se já terminei moramos namorada namorado trabalho`),
	"it": set(`io sono il lo gli di che mi ho una un per con mia mio non della del nel è ma molto abito vivo piace lavoro ieri oggi domani anche da`),
	"nl": set(`ik het een van mijn niet woon ben en heb de dat met voor maar zijn hij zij wij gisteren vandaag morgen ook naar op`),
	"pl": set(`jestem mam nie się na w z do moja mój jest i że ale bardzo lubię mieszkam`),
}

// isEnglish says whether English grammar may be expected of a text: it is in Latin
// letters and no other language has more of its little words in it.
func isEnglish(text string) bool {
	text = head(text, 4000)
	latin, other, foreign := 0, 0, 0
	capital, inside := false, false // of the word: a name may be written in any letters
	for _, r := range text {
		if !unicode.IsLetter(r) {
			inside = false
			continue
		}
		if !inside {
			capital, inside = unicode.IsUpper(r), true
		}
		switch {
		case r < 0x80:
			latin++
		case unicode.Is(unicode.Latin, r):
			latin++
			if !capital {
				foreign++
			}
		default:
			other++
		}
	}
	if other > latin {
		return false
	}
	words := wordsOf(text)
	votes := votesFor(words)
	best := 0
	for language, n := range votes {
		if language != "en" {
			best = max(best, n)
		}
	}
	if foreign > 0 || strings.ContainsAny(text, "¿¡") {
		best++
	}
	if votes["en"] == 0 && len(words) <= 12 && opensForeign(text, words) {
		return false
	}
	return best <= votes["en"] || best < 2 && foreign == 0
}

// votesFor counts the little words of each language.
func votesFor(words []word) map[string]int {
	votes := map[string]int{}
	for _, w := range words {
		for language, list := range little {
			if list[w.low] {
				votes[language]++
			}
		}
	}
	return votes
}

// languageOf gives the language that has most little words among some, "" if two have.
func languageOf(words []word) string {
	best, most := "", 0
	for language, n := range votesFor(words) {
		switch {
		case n > most:
			best, most = language, n
		case n == most:
			best = ""
		}
	}
	return best
}
