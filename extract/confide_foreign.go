package extract

import "strings"

// The same in other languages: "ne retiens pas ça : …", "das bleibt unter uns", "ここだけの話、…".

const (
	notKeptGerman     = `(?:(?:bitte |aber |und )*(?:(?:merke?|merken sie|speichere?|speichern sie|notiere?|notieren sie|behalte?)(?: dir| sich)?(?: bitte)? (?:das|dies|dieses|es|das folgende|davon|hiervon)(?: bitte)?(?: hier)? (?:nicht|nichts)|merke? (?:dir )?(?:bitte )?nichts (?:davon|hiervon)|merke? (?:es|das) dir (?:bitte )?nicht|(?:das |es |dies )?(?:bitte )?nicht (?:speichern|merken|notieren|aufschreiben)|schreibe? (?:dir )?(?:das|dies|es)(?: bitte)? nicht auf|behalte? (?:das|es) für dich)|(?:das|dies|es)(?: hier)? (?:ist (?:streng )?(?:vertraulich|geheim)|bleibt (?:bitte )?(?:ganz )?unter uns|muss unter uns bleiben)|(?:ganz |nur )?unter uns(?: gesagt)?|im vertrauen(?: gesagt)?|streng vertraulich)`
	notKeptSpanish    = `(?:(?:por favor,? |pero |y )*no (?:lo |la |te )?(?:guardes|recuerdes|almacenes|anotes|apuntes|registres|memorices|acuerdes de)(?: (?:esto|eso|nada de (?:esto|eso|lo que)|lo siguiente|lo que (?:te )?(?:digo|voy a decir)))?|(?:que )?(?:esto|eso) (?:queda|quede|se queda) entre (?:nosotros|tú y yo|tu y yo)|(?:que )?quede entre (?:nosotros|tú y yo)|entre (?:nosotros|tú y yo|tu y yo)|(?:esto |eso )?es (?:confidencial|un secreto)|en confianza|que no salga de aquí|guárdalo para ti)`
	notKeptFrench     = `(?:(?:s'il te plaît,? |s'il vous plaît,? |mais |et )*(?:ne |n')(?:l'|le |te )?(?:retiens|retenez|garde|gardez|enregistre|enregistrez|note|notez|mémorise|mémorisez|stocke|sauvegarde|souviens|conserve)(?: pas| rien)?(?: de)?(?: (?:ça|ceci|cela|tout ça|tout cela|ce qui suit|ce que je (?:te |vous )?dis))?|(?:(?:que )?(?:ça|ceci|cela) )(?:reste|doit rester) entre nous|entre nous|c'est (?:confidentiel|un secret)|en confidence|garde (?:ça|le) pour toi)`
	notKeptPortuguese = `(?:(?:por favor,? |mas |e )*não (?:o |a |te |se )?(?:guarde|guardes|lembre|lembres|salve|salves|armazene|armazenes|anote|anotes|registre|registres|memorize|grave)(?: (?:isto|isso|nada d?isso|nada disto|o seguinte))?|(?:(?:que )?(?:isto|isso) )?fi(?:ca|que) entre nós|(?:só )?entre nós|(?:isto |isso )?é (?:confidencial|segredo)|em confiança)`
	notKeptItalian    = `(?:(?:per favore,? |ma |e )*non (?:lo |ti )?(?:salvare|ricordare|memorizzare|annotare|registrare|conservare)(?: (?:questo|quello|nulla di questo|niente di questo|quanto segue))?|(?:questo |che )?(?:resta|resti|rimanga) tra (?:noi|me e te)|(?:detto )?tra (?:noi|me e te)|è (?:confidenziale|riservato|un segreto)|in confidenza)`
	notKeptDutch      = `(?:(?:alsjeblieft |maar |en )*(?:onthoud|bewaar|noteer|sla) (?:dit|dat|het)(?: alsjeblieft)? niet(?: op)?|(?:dit|dat) blijft (?:tussen|onder) ons|(?:tussen|onder) ons(?: gezegd)?|(?:dit|dat) is (?:vertrouwelijk|geheim)|in vertrouwen)`
	notKeptJapanese   = `(?:(?:これ|それ|この(?:こと|話)|この会話|次のこと)(?:は|を|も)?、?(?:覚え|記憶し|保存し|記録し|メモし)(?:ないで|なくて(?:いい|結構))(?:ください|下さい|ね|くれ|です|ほしい)?(?:けど|が)?|(?:覚え|記憶し|保存し|記録し|メモし)ないで(?:ください|下さい|ね|くれ|ほしい)?(?:けど|が)?|ここだけの(?:話|秘密)(?:です|だ|にして(?:ください)?)?(?:けど|が|で)?|(?:これは)?(?:内緒|秘密)(?:です|だ|に(?:して)?(?:ください|ね)?)?(?:けど|が|で)?|オフレコ(?:で|だ|です)?(?:けど|が)?)`
	notKeptChinese    = `(?:(?:请|請|麻烦)?(?:你)?(?:不要|别|別|不用)(?:把)?(?:这个|這個|这件事|這件事|这些|以下内容)?(?:记住|記住|记录|記錄|保存|存储|儲存|记下来|記下來|记下|记|記)(?:这个|這個|这件事|這件事|这些|这点|下来|以下内容)?|(?:这|這|这是|這是)?(?:只是)?(?:我们|咱们|你我|我們)之间(?:的)?(?:秘密|事|话)?|(?:这|這)(?:件事)?(?:要|请)?保密|(?:私下|悄悄)(?:说|告诉你))`
	notKeptArabic     = `(?:(?:من فضلك،? |لكن |و)*لا (?:تحفظ|تتذكر|تسجل|تخزن|تحتفظ|تكتب)(?: (?:هذا|ذلك|بهذا|بذلك|ما يلي|أي شيء من هذا))?|(?:هذا )?(?:يبقى |سر |فقط )*بيننا(?: فقط)?|هذا سر(?:ي)?)`
	foreignSecret     = `(?:` + notKeptGerman + `|` + notKeptSpanish + `|` + notKeptFrench + `|` + notKeptPortuguese + `|` + notKeptItalian + `|` + notKeptDutch + `|` + notKeptJapanese + `|` + notKeptChinese + `|` + notKeptArabic + `)`
	foreignPlease     = `(?:[\s,、，،]*(?:bitte|ok|okay|danke|por favor|gracias|vale|s'il te plaît|s'il vous plaît|merci|d'accord|obrigad[oa]|per favore|grazie|alsjeblieft|bedankt|お願いします|お願い|谢谢|謝謝|من فضلك|شكرا))*`
	foreignJoint      = `[\s,;:.!–—、，。：；،()-]+(?:(?:und|aber|y|pero|et|mais|e|mas|ma|en|maar|و|لكن)\s+)*`
	foreignConfiding  = foreignSecret + foreignPlease + `(?:` + foreignJoint + foreignSecret + foreignPlease + `)*`
)

var (
	confidesForeign     = anySpelling(`(?i)^[\s¡]*` + foreignConfiding + `[\s.!。！?？)]*$`)
	confidesForeignThen = anySpelling(`(?i)^[\s¡]*` + foreignConfiding + `\s*[:,;.–—、，：。，،-]+\s*(?:(?:aber|pero|mais|mas|ma|maar|لكن)\s+)?(\S.*)$`)
	confidesForeignLast = anySpelling(`(?i)^(.{4,}?)\s*[,;:.(–—、，：。，،-]+\s*(?:(?:und|aber|y|pero|et|mais|e|mas|ma|en|maar)\s+)*` + foreignConfiding + `[\s.!。！)]*$`)
	foreignNext         = anySpelling(`(?i)das folgende|lo siguiente|voy a decir|ce qui suit|o seguinte|quanto segue|次のこと|以下内容|ما يلي`)
	// foreignBack points to what was said.
	foreignBack = anySpelling(`(?i)(?:^|[^\pL])(?:das|es|davon|eso|lo|ça|cela|l'|isso|o|quello|dat|het|ذلك)(?:$|[^\pL])|それ`)
	// foreignDoes is what its speaker does or has, and no request: "das ist nicht …".
	foreignDoes = anySpelling(`(?i)^(?:entre nous|entre nós|entre nosotros|unter uns|tra noi|tussen ons|onder ons)\s*,?\s*(?:deux|dois|dos|due|trois|drei)`)
)

// anySpelling is a pattern in which an apostrophe has either form.
func anySpelling(written string) *pattern {
	return newPattern(strings.ReplaceAll(written, "'", "['’]"))
}

// foreignStems are found in what asks so.
var foreignStems = strings.Split("merk,speicher,notier,schreib,behalt,vertrau,unter uns,geheim,privat,guard,recuerd,almacen,anot,apunt,regist,memori,acuerdes,entre,confiden,secreto,confianza,aquí,reti,gard,note,mémor,stock,sauv,souvi,conserv,lembr,salv,armazen,grave,segredo,confian,ricord,annot,tra noi,tra me,riservat,onthou,bewaar,noteer,sla ,tussen ons,onder ons,vertrouw,覚え,記憶,保存,記録,メモ,ここだけ,内緒,秘密,オフレコ,记,記,存,之间,之間,保密,私下,悄悄,تحفظ,تتذكر,تسجل,تخزن,تحتفظ,تكتب,بيننا,سر", ",")

func foreignConfidence(text string) confidence {
	if !contains(strings.ToLower(text), foreignStems) {
		return confidence{}
	}
	if foreignDoes.MatchString(text) {
		return confidence{}
	}
	if confidesForeign.MatchString(text) {
		return confidence{asks: true, next: foreignNext.MatchString(text), back: foreignBack.MatchString(text)}
	}
	if m := confidesForeignThen.FindStringSubmatch(text); m != nil && !asksForeign(text) && (countWords(m[1]) > 1 || containsDense(m[1])) {
		return confidence{asks: true, behind: m[1], next: true}
	}
	if m := confidesForeignLast.FindStringSubmatch(text); m != nil && !asksForeign(text) {
		return confidence{asks: true, before: m[1]}
	}
	return confidence{}
}
