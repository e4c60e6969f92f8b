package extract

import (
	"strconv"
	"strings"
	"time"
)

// Days counted from today in other languages: "vor zwei Tagen", "hace dos días", "二日前".

// foreignNumbers are the numbers that are written out, of all these languages.
var foreignNumbers = map[string]int{
	"un": 1, "una": 1, "uno": 1, "une": 1, "um": 1, "uma": 1, "einem": 1, "einer": 1, "een": 1,
	"dos": 2, "deux": 2, "zwei": 2, "dois": 2, "duas": 2, "due": 2, "twee": 2,
	"tres": 3, "trois": 3, "drei": 3, "três": 3, "tre": 3, "drie": 3,
	"cuatro": 4, "quatre": 4, "vier": 4, "quatro": 4, "quattro": 4,
	"cinco": 5, "cinq": 5, "fünf": 5, "cinque": 5, "vijf": 5,
	"seis": 6, "six": 6, "sechs": 6, "sei": 6, "zes": 6, "siete": 7, "sept": 7, "sieben": 7, "sete": 7, "sette": 7, "zeven": 7,
	"ocho": 8, "huit": 8, "acht": 8, "oito": 8, "otto": 8, "nueve": 9, "neuf": 9, "neun": 9, "nove": 9, "negen": 9,
	"diez": 10, "dix": 10, "zehn": 10, "dez": 10, "dieci": 10, "tien": 10,
	"一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}

// foreignUnits are those units by their beginnings.
var foreignUnits = []struct{ begins, unit string }{
	{"día", "day"}, {"dia", "day"}, {"jour", "day"}, {"tag", "day"}, {"giorn", "day"}, {"dag", "day"}, {"日", "day"}, {"天", "day"},
	{"semana", "week"}, {"semaine", "week"}, {"woche", "week"}, {"settiman", "week"}, {"weken", "week"}, {"week", "week"}, {"週", "week"}, {"周", "week"},
	{"mes", "month"}, {"mois", "month"}, {"monat", "month"}, {"mês", "month"}, {"maand", "month"}, {"か月", "month"}, {"ヶ月", "month"}, {"个月", "month"}, {"個月", "month"},
	{"año", "year"}, {"ans", "year"}, {"an", "year"}, {"jahr", "year"}, {"ano", "year"}, {"jaar", "year"}, {"年", "year"},
}

const foreignNumber = `(\d{1,3}|\pL+)`

var (
	// countedBack are the forms of "two days ago".
	countedBack = []*pattern{
		newPattern(`(?i)(?:^|[\s,;(])(hace ` + foreignNumber + ` (días?|semanas?|meses|mes|años?))(?:$|[\s,.;!)])`),
		newPattern(`(?i)(?:^|[\s,;(])(il y a ` + foreignNumber + ` (jours?|semaines?|mois|ans?))(?:$|[\s,.;!)])`),
		newPattern(`(?i)(?:^|[\s,;(])(vor ` + foreignNumber + ` (tage?n?|wochen?|monate?n?|jahre?n?))(?:$|[\s,.;!)])`),
		newPattern(`(?i)(?:^|[\s,;(])(há ` + foreignNumber + ` (dias?|semanas?|meses|mês|anos?))(?:$|[\s,.;!)])`),
		newPattern(`(?i)(?:^|[\s,;(])(` + foreignNumber + ` (giorn[oi]|settiman[ae]|mes[ei]|ann[oi]) fa)(?:$|[\s,.;!)])`),
		newPattern(`(?i)(?:^|[\s,;(])(` + foreignNumber + ` (dag(?:en)?|week|weken|maand(?:en)?|jaar) geleden)(?:$|[\s,.;!)])`),
		newPattern(`((\d{1,3}|[一二两兩三四五六七八九十])\s?(日|週|天|周|个月|個月|か月|ヶ月|年)間?(?:前))`),
	}
	// weeksBeside are last and next week.
	weeksBeside = []struct {
		said  *pattern
		weeks int
	}{
		{newPattern(`(?i)(?:^|[\s,;(])(la (?:próxima semana|semana que viene)|la semaine prochaine|nächste woche|(?:na )?(?:próxima semana|semana que vem)|la (?:prossima settimana|settimana prossima)|volgende week)(?:$|[\s,.;!)])`), 1},
		{newPattern(`(?i)(?:^|[\s,;(])(la semana pasada|la semaine dernière|letzte woche|(?:na )?semana passada|la (?:scorsa settimana|settimana scorsa)|vorige week)(?:$|[\s,.;!)])`), -1},
		{newPattern(`(来週|下周|下週|下星期)`), 1}, {newPattern(`(先週|上周|上週|上星期)`), -1},
	}
	// sinceForeign and thatForeign stand before or behind what tells how long something lasts.
	sinceForeign = newPattern(`(?i)(?:desde|depuis|seit|da|sinds|schon)\s*$`)
	thatForeign  = newPattern(`(?i)^\s*(?:que|qu'|de|dass|che|以|从|ずっと)(?:$|[\s\pL])`)
)

// foreignCounted gives what a sentence that is not English counts from the day it was said.
func foreignCounted(text string, said time.Time) []mention {
	r := reader{text: text, said: said, today: day(said.Year(), said.Month(), said.Day())}
	var out []mention
	add := func(m mention, start, end int) {
		if !sinceForeign.MatchString(text[:start]) && !thatForeign.MatchString(text[end:]) && m.when.valid() {
			m.start, m.end = start, end
			out = append(out, m)
		}
	}
	for _, form := range countedBack {
		for _, at := range form.FindAllStringSubmatchIndex(text, -1) {
			n, err := strconv.Atoi(text[at[4]:at[5]])
			if err != nil {
				n = foreignNumbers[strings.ToLower(text[at[4]:at[5]])]
			}
			if unit := foreignUnit(text[at[6]:at[7]]); n > 0 && unit != "" {
				add(r.shift(-n, unit), at[2], at[3])
			}
		}
	}
	for _, w := range weeksBeside {
		for _, at := range w.said.FindAllStringSubmatchIndex(text, -1) {
			add(r.shift(w.weeks, "week"), at[2], at[3])
		}
	}
	return out
}

// foreignUnit gives the English unit of one.
func foreignUnit(word string) string {
	low := strings.ToLower(word)
	if strings.HasPrefix(low, "ann") {
		return "year"
	}
	for _, u := range foreignUnits {
		if strings.HasPrefix(low, u.begins) {
			return u.unit
		}
	}
	return ""
}
