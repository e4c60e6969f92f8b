package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is supposed in another language, and what is only called out in one.

var (
	// supposedForeign has the mood of what is not so on both sides: "wenn ich reich wäre, hätte ich
	// eine Villa", "si tuviera dinero compraría una casa".
	supposedForeign = []*pattern{
		newPattern(`(?i)(?:^|[^\pL])(?:wenn|falls|angenommen)\s.*(?:^|[^\pL])(?:wäre|hätte|würde|könnte|wären|hätten|würden|könnten|müsste|dürfte)[nt]?(?:[^\pL].*(?:wäre|hätte|würde|könnte|wären|hätten|würden|könnten|gäbe|ginge|bliebe|käme|nähme|kaufte|lebte|wohnte)|$)`),
		newPattern(`(?i)(?:^|[^\pL])si\s.*(?:[aie](?:ra|ras|ran|se|sen)|éramos|iéramos|áramos)(?:[^\pL].*(?:[aei]ría|[aei]rías|[aei]ríamos|[aei]rían|dría|bría|hubiera|viviría)(?:$|[^\pL]))`),
		newPattern(`(?i)(?:^|[^\pL])si\s(?:j['’]|je |on |nous )\S*(?:ais|ait|ions)(?:[^\pL].*(?:rais|rait|rions|raient)(?:$|[^\pL]))`),
		newPattern(`(?i)(?:^|[^\pL])se\s(?:eu |a gente |nós )?\S*(?:sse|ssem|ssemos)(?:[^\pL].*(?:ria|rias|ríamos|riam)(?:$|[^\pL]))`),
		newPattern(`(?i)(?:^|[^\pL])se\s(?:io )?(?:fossi|avessi|potessi|vivessi|\pL+ssi)(?:[^\pL].*(?:rei|remmo|rebbe|resti)(?:$|[^\pL]))`),
		newPattern(`(?i)^als ik\s.*(?:was|had|kon|zou)\s?,?.*\szou(?:den)?(?:\s|$)`),
		newPattern(`(?:もし|仮に).*(?:たら|なら|れば)`),
		newPattern(`(?:如果|要是|假如|假设|假設|如果说|倘若)(?:我|我们|能|有).*(?:就|会|會|想|要)`),
		newPattern(`(?:^|\s)لو (?:كنت|كان|كنا|أنني)`),
	}
	// imaginedForeign opens a play.
	imaginedForeign = phrases(`stell dir vor`, `stellen wir uns vor`, `tun wir so, als`, `lass uns (?:so tun|ein rollenspiel)`, `nehmen wir an`, `imagina(?:te)? que`, `supón(?:gamos)? que`, `finge que`, `imagine(?:z)? que`, `imaginons`, `faisons comme si`, `supposons`, `imagina que`, `finja que`, `suponha que`, `immagina (?:che|di)`, `facciamo finta`, `stel je voor`, `doe alsof`, `(?:想像|想象)(?:して|一下)`, `假装|假裝|假设|假設`, `تخيل`)
)

// supposesForeign says whether a sentence of another language supposes what is not so.
func supposesForeign(text string) bool {
	if len(text) > 300 {
		return false
	}
	if imaginedForeign.MatchString(text) {
		return true
	}
	for _, p := range supposedForeign {
		if p.MatchString(text) {
			return true
		}
	}
	return false
}

// shoutWords is the most words of what is called out and no more; shoutDense the same in
// characters of scripts that part no words.
const shoutWords, shoutDense = 5, 10

// exclaims says whether an assistant's sentence in another language is only called out: "你好,李伟!",
// "¡Qué gracia!".
func exclaims(text string) bool {
	bare := strings.TrimRightFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || isPictograph(r) || strings.ContainsRune(closers, r)
	})
	last, _ := utf8.DecodeLastRuneInString(bare)
	if last != '!' && last != '！' || strings.ContainsFunc(text, unicode.IsDigit) || strings.ContainsAny(text, ":：;") {
		return false
	}
	if containsDense(text) {
		return utf8.RuneCountInString(bare) <= shoutDense
	}
	return countWords(text) <= shoutWords
}
