package extract

import "strings"

// Formulas of letters, of waiting, of speaking into a machine: they are said whatever
// comes, and tell nothing.

var formulas = english(`^(?:` + strings.Join([]string{
	// A letter's opening and end.
	`(?:dear|to|attn|hello|hi|good (?:morning|day|afternoon|evening))\s+(?:(?:sir|madam|sirs|mr|mrs|ms|miss|mx|dr|prof|professor|doctor|rev|hiring manager|whom it may concern|all|team|colleagues?|customer service|support|committee|neighbou?rs?|friends?)\b\.?(?:\s+(?:or|and|/)\s+(?:sir|madam|mr|mrs|ms|dr)\b\.?)?\s*)+(?:\p{Lu}[\pL'-]+\s*){0,3}[,.:!]*`,
	`dear\s+\p{Lu}[\pL'-]+(?:\s+\p{Lu}[\pL'-]+){0,2}\s*[,:!]`,
	`(?:(?:i|we) (?:remain|am|are)[\s,]+)?(?:yours|very truly yours|yours (?:very )?(?:faithfully|sincerely|truly|ever|respectfully|cordially)|sincerely(?: yours)?|respectfully(?: yours)?|faithfully|cordially|(?:with |my )?(?:(?:kind|kindest|best|warm|warmest|many|sincere) )+(?:regards|wishes|thanks|greetings)|with (?:thanks|gratitude|appreciation)|in anticipation)\W*`,
	`(?:i|we) (?:remain|am|are)[\s,]+(?:(?:as ever|most|ever|very|deeply|truly|sincerely|so|extremely|always|forever)[\s,]+)*(?:grateful|thankful|obliged|indebted|appreciative|yours)(?: to you)?\W*`,
	`(?:i|we) (?:look|am looking|are looking) forward to (?:hearing from you|your (?:reply|response|answer))\b.{0,30}`,
	// Away and back.
	`(?:(?:ok|k|oh|sorry)[\s,]+)?(?:afk|brb|bbl|bio|bathroom break|back in|give me|gimme)\s*(?:in\s+)?(?:\d+|a|one|two|five|ten)?\s*(?:m|min|mins|minutes?|s|secs?|seconds?|moments?|ticks?)?\W*`,
	// Who is addressed, and no more.
	`(?:hi|hello|hey+|yo|howdy|morning|evening|oi|ahoy|alright|sup)[\s,]+(?:coach|doc|doctor|teach|teacher|boss|chief|captain|cap|sir|madam|ma'am|miss|professor|prof|chef|team|support|bot|robot|computer|machine|assistant|helper|genius|friend|pal|mate|stranger|people|lovely|gorgeous|handsome|darling|honey|sweetie|big guy|legend)\W*`,
	// A mood by the day of the week.
	`(?:(?:ugh|meh|ah|oh|typical|bloody|just|it's|its|such a|classic)[\s,]+)*(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?)(?:[\s,]+(?:am i right|huh|eh|again|lol|amirite|vibes|blues|mood))*\W*`,
	// Speaking into a machine.
	`(?:(?:um+|uh+|er+m?|ok|okay|so|right|yeah|well|hang on|hold on|wait|hello|hi|hey|now|and|oh|alright|let's see|let me see)[\s,.]+)*(?:is (?:this|it) (?:thing )?(?:on|working|recording|listening)|(?:is anyone|are you|can you) (?:there|listening|hear me)|testing(?:[\s,]+(?:testing|one|two|three|1|2|3))*|mic check|one two(?: three)?|can (?:you|anyone) hear me|where was i|what was i saying|what was i going to say|start(?:ing)? over|scratch that|never ?mind|new line|full stop|end of (?:note|message)|note to self)(?:[\s,.]+(?:now|again|okay|ok|um+|uh+|right|yeah|never ?mind|start over|so))*\W*`,
	// Thanks and assent in other languages, of several words.
	`(?:(?:tamam|peki|evet|hay[ıi]r|olur|harika|süper|anlad[ıi]m|merhaba|selam|sağ ?ol(?:un)?|(?:çok )?teşekkürler|teşekkür ederim|eyvallah|kolay gelsin|görüşürüz|iyi (?:günler|akşamlar|geceler)|bir (?:dakika|saniye)|tabii|rica ederim)[\s,.!]*)+`,
	`(?:(?:ok|va bene|bene|benissimo|perfetto|certo|ottimo|grazie(?: mille| tante)?|mille grazie|ciao|salve|buongiorno|buonasera|prego|d'accordo|capito|un (?:attimo|momento|secondo|minuto)(?: solo)?|aspetta|aspetti|a dopo|a presto|sì|no)[\s,.!]*)+`,
	`(?:(?:ok|vale|bueno|perfecto|claro|genial|gracias|muchas gracias|mil gracias|hola|un (?:momento|segundo|minuto|momentito|ratito)|espera|espere|ya vuelvo|ahora vuelvo|de nada|sí|no)[\s,.!]*)+`,
	`(?:(?:ok|d'accord|merci(?: beaucoup| bien)?|bonjour|salut|parfait|super|un (?:instant|moment|petit instant)|une (?:minute|seconde)|attends|attendez|je reviens|oui|non)[\s,.!]*)+`,
	`(?:(?:ok|okay|gut|danke(?: schön| sehr| dir| ihnen)?|vielen dank|super|perfekt|alles klar|(?:einen |kleinen |nen )?(?:moment|augenblick|sekunde|minute)(?: bitte| mal)?|warte(?:n sie)?(?: kurz| mal)?|bin (?:gleich|wieder) (?:da|zurück)|ja|nein)[\s,.!]*)+`,
	`(?:(?:ok|tá|certo|perfeito|(?:muito )?obrigad[oa]|valeu|olá|oi|um (?:momento|segundo|minuto|instante|momentinho)|espera|espere|já volto|sim|não)[\s,.!]*)+`,
	`(?:(?:ok|oké|prima|goed|bedankt|dank je(?: wel)?|dank u(?: wel)?|(?:een )?(?:momentje|moment|seconde)|even wachten|ben zo terug|ja|nee)[\s,.!]*)+`,
	`(?:(?:ok|dobrze|dobra|dziękuję(?: bardzo)?|dzięki|cześć|hej|chwileczkę|moment|chwila|sekundę|super|tak|nie)[\s,.!]*)+`,
	`(?:(?:ok|tack(?: så mycket)?|tusen takk|takk|mange tak|tak|kiitos(?: paljon)?|hej|hei|ett ögonblick|vänta|et øyeblikk|et øjeblik|hetkinen|bra|fint|ja|nej|nei)[\s,.!]*)+`,
}, `|`) + `)$`)

// formulaBytes is the longest sentence that is looked at for a formula.
const formulaBytes = 90

// isFormula says whether a sentence is a formula and nothing else.
func isFormula(text string) bool {
	return len(text) <= formulaBytes && formulas.MatchString(strings.TrimSpace(text))
}

// favours ask without a mark: "can u fill this in for me".
var favours = english(`^` + lightWords + `(?:(?:can|could|would|will) (?:u|ya|yous|someone|somebody|one of you)|(?:do|does|did|are|have|r|is|was) (?:u|ya)|(?:any1|anyone|anybody) (?:know|here|have|up|got)|(?:u|you) (?:know|think|reckon|mind|able to|around|there) |mind (?:if|\pL+ing)|wanna|do me a favou?r|gimme|lemme)\b`)
