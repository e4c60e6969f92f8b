package extract

import "strings"

// A short sentence may have no little word that tells its language; a verb of the first
// person that English has not, at its beginning, tells it as well.

var (
	firstPersons = set(`
soy tengo vivo trabajo odio estudio uso hablo prefiero quiero necesito adoro detesto estoy toco juego conduzco nací como bebo tomo fumo vendí terminé rompí corté renuncié dejé dimití mudamos
sou moro tenho odeio estudo trabalho falo prefiro gosto detesto toco jogo estou nasci namoro terminei vendi parei mudei larguei deixei bebo tomo
je j'ai j'adore j'aime j'habite j'étudie j'utilise j'apprends j'écris j'ai
ho sono abito lavoro parlo preferisco mangio suono vivo
jestem mam lubię mieszkam pracuję mówię wolę uczę nienawidzę kocham
ich bitte antworte antworten mein meine wohne arbeite hasse
ik woon werk heb`)
	// beforeFirst are words that may stand before it.
	beforeFirst = set(`ya no yo nos eu io não nao non nie nunca ich ik hola oi ciao bonjour hallo cześć aussi também también anche auch`)
	// behindSoy make English of "soy".
	behindSoy = set(`milk sauce latte yogurt yoghurt bean beans protein free products product allergy allergies based wax candle candles flour lecithin formula intolerance chunks mince cream ice curls boy nuggets oil`)
)

// opensForeign says whether words begin as no English sentence does.
func opensForeign(text string, words []word) bool {
	i := 0
	for i < len(words)-1 && beforeFirst[words[i].low] && !firstPersons[words[i].low] {
		i++
	}
	if i+1 >= len(words) || !firstPersons[words[i].low] {
		return false
	}
	next := words[i+1]
	if next.low == words[i].low || strings.TrimSpace(text[words[i].end:next.start]) != "" {
		return false // "ho ho", "soy, nuts"
	}
	return words[i].low != "soy" || !behindSoy[next.low]
}
