package extract

import "strings"

// The numbers of papers by which somebody is known to offices, and what stands on a card beside
// its number.

const passportMark = "[redacted:passport]"

var (
	// paperNumber names the number of a passport or an identity card, in several languages.
	paperNumber = newPattern(`(?i)(?:\b(?:passport|passeport|pasaporte|passaporte|passaporto|reisepass|personalausweis|ausweis|paspoort|identity card|id card|national id|driver['’]?s? licen[sc]e|driving licen[sc]e|dni|nie)|パスポート|旅券|护照|護照)` +
		`(?:[ -]?(?:number|no\.?|nr\.?|nummer|num\.?|n[.º°]|#|número|numéro|numero)|nummer|番号|号码|號碼)?` +
		`(?:\s+(?:is|was|ist|es|est|é|è)(?:\s+(?:now|el|le|il|o))?|\s*[:：=]|\s*[は是])?\s*["'(]?([A-Z]{0,3}[0-9][A-Z0-9]{5,9})\b`)
	paperHints = strings.Split("pass,pasaporte,ausweis,card,national id,licen,dni,nie,パスポート,旅券,护照,護照", ",")
	// cardExpiry tells until when a card is good.
	cardExpiry = newPattern(`(?i)\b(?:exp(?:iry|ires|iration)?\.?(?: date)?|valid (?:until|thru|through|to|till)|good thru|gültig bis|cad(?:uca|ucidad)?\.?|válid[ao] até)\s*[:=]?\s*((?:0?[1-9]|1[0-2])\s?[/.-]\s?(?:20)?[2-9]\d)\b`)
	ofCard     = strings.Split("cvv,cvc,csc,credit card,debit card,mastercard,amex,kreditkarte,tarjeta,cartão,carte bancaire,"+cardMark, ",")
)

// cardDates finds until when a card is good, where a card is spoken of.
func cardDates(text string) (out [][]int) {
	if !contains(strings.ToLower(text), ofCard) {
		return nil
	}
	for _, m := range cardExpiry.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, m[2:4])
	}
	return out
}

// isPaperNumber says whether a value has as many figures as such numbers have.
func isPaperNumber(value string) bool {
	figures := 0
	for _, r := range value {
		if r >= '0' && r <= '9' {
			figures++
		}
	}
	return figures >= 4
}

// bareLabels are what is left of a card when its numbers are gone.
var bareLabels = english(`^[^\pL\d]*(?:(?:exp(?:iry|ires|iration)?|date|cvv|cvc|csc|card|visa|mastercard|amex|no|nr|valid|until|thru|code|and|security)[^\pL\d]*)*$`)
