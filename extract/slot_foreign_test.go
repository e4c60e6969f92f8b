package extract

import "testing"

// In other languages what is told in a sure form ends what was so; whatever else stays.
func TestForeignChangesEndWhatWasSo(t *testing.T) {
	for _, pair := range [][2]string{
		{"Vivo en Múnich desde 2019", "Ya no vivo en Múnich"},
		{"Vivo en Múnich con mi hermana", "Me mudé a Valencia la semana pasada"},
		{"Vivo en Madrid", "Ya no vivo en Madrid, ahora vivo en Toledo"},
		{"I live in Graz", "nos mudamos a Valencia"},
		{"Trabajo en Siemens", "Ya no trabajo en Siemens"},
		{"Trabajo para Siemens como ingeniera", "Tengo un nuevo trabajo en Bosch"},
		{"Trabajo en Siemens", "Renuncié la semana pasada"},
		{"Como mucho pescado", "Ya no como pescado"},
		{"Tomo metformina", "Dejé de tomar metformina"},
		{"Fumo un paquete al día", "Dejé de fumar"},
		{"Soy vegetariana", "Ya no soy vegetariana"},
		{"Mi novia Julia es enfermera", "terminé con Julia"},
		{"Estoy saliendo con Marco", "Marco y yo lo dejamos"},
		{"Tengo una moto Honda roja", "ya vendí la moto"},
		{"Mi gato Olive tiene diabetes", "Olive murió ayer"},
		{"J'habite à Lyon depuis trois ans", "J'ai déménagé à Nantes en mars"},
		{"J'habite Lyon", "Je n'habite plus à Lyon"},
		{"Je mange du poisson deux fois par semaine", "je ne mange plus de poisson"},
		{"Je travaille chez Renault", "J'ai démissionné"},
		{"Je travaille chez Renault", "Je travaille maintenant chez Peugeot"},
		{"Je suis végétarienne", "je ne suis plus végétarienne"},
		{"Ma copine s'appelle Léa", "Léa et moi avons rompu"},
		{"J'ai une Clio de 2015", "j'ai vendu la Clio"},
		{"Ich wohne in Hamburg", "ich bin nach Köln gezogen"},
		{"Ich wohne in Hamburg", "bin letzten Monat nach Köln umgezogen"},
		{"Ich wohne in Hamburg", "Ich wohne nicht mehr in Hamburg"},
		{"Ich arbeite bei Otto", "Ich habe gekündigt"},
		{"Ich arbeite bei Otto", "Ich habe eine neue Stelle bei Bosch"},
		{"Ich esse gerne Fleisch", "Ich esse kein Fleisch mehr"},
		{"Meine Freundin heißt Lena", "Lena und ich haben uns getrennt"},
		{"Mein Hund Bello ist schon 14", "Bello ist gestorben"},
		{"Wir haben einen Golf", "Wir haben den Golf verkauft"},
		{"Como carne todos os dias", "não como mais carne"},
		{"Moro em Lisboa há dois anos", "Mudei-me para o Porto"},
		{"Namoro com a Júlia", "terminei com a Júlia"},
		{"Trabalho na Embraer", "pedi demissão"},
		{"Abito a Torino", "Mi sono trasferita a Milano"},
		{"我住在北京", "我搬到了上海"},
		{"我在百度工作", "我不再在百度工作了"},
		{"我每天吃肉", "我已经不吃肉了"},
		{"東京に住んでいます", "もう東京に住んでいません"},
		{"肉をよく食べます", "もう肉は食べません"},
		{"أعيش في القاهرة", "لم أعد أعيش في القاهرة"},
		{"أسكن في القاهرة", "انتقلت إلى دبي"},
	} {
		if !foreignEnds(pair[0], pair[1]) {
			t.Errorf("%q does not end %q", pair[1], pair[0])
		}
	}
	for _, pair := range [][2]string{
		{"Vivo en Madrid", "Me quiero mudar a Toledo el año que viene"},
		{"Vivo en Madrid", "Mi hermano vive en Toledo"},
		{"Vivo en Madrid", "Mi hermano se mudó a Toledo"},
		{"Vivo en Madrid", "Antes vivía en Toledo"},
		{"Vivo en Madrid", "También vivo en Toledo los fines de semana"},
		{"Trabajo en Madrid", "Trabajo en Siemens"},
		{"Como mucho pescado", "Ya no como carne"},
		{"Mi hermana come pescado", "Ya no como pescado"},
		{"La novia de mi hermano, Julia, es enfermera", "terminé con Julia"},
		{"Tuve una moto Honda", "ya vendí la moto"},
		{"Mi hermana tiene una moto", "ya vendí la bici"},
		{"J'habite à Lyon", "Mes parents ont déménagé à Nantes"},
		{"J'habite à Lyon", "Je voudrais déménager à Nantes"},
		{"Je mange du poisson", "Je ne mange plus de viande"},
		{"Ich wohne in Hamburg", "Wir ziehen nächstes Jahr nach Köln"},
		{"Ich wohne in Hamburg", "Ich fahre nach Köln"},
		{"Ich wohne in Hamburg", "Meine Schwester ist nach Köln gezogen"},
		{"Ich arbeite bei Otto", "Mein Bruder hat gekündigt"},
		{"Moro em Lisboa", "Também moro no Porto às vezes"},
		{"我住在北京", "我姐姐住在上海"},
		{"東京に住んでいます", "姉は大阪に住んでいます"},
	} {
		if foreignEnds(pair[0], pair[1]) {
			t.Errorf("%q ends %q", pair[1], pair[0])
		}
	}
}

// foreignEnds says whether what is told first is over by what is told then.
func foreignEnds(told, over string) bool {
	is, of := statement{text: told}.lateSlot(), statement{text: over}.lateSlot()
	if isEnglish(told) {
		is = slotOf(told)
	}
	of = of.orEnding(over)
	if of.name != "" && is.name == of.name && !is.negated && (of.negated && (of.value == "" || of.value == is.value) || !of.negated && of.value != is.value) {
		return true
	}
	e, ok := EndingOf(over)
	if !ok || !hasSlot(EndSlots(told), of.name) {
		return false
	}
	_, ends := e.Ends(told, is.name, is.subject)
	return ends
}

func hasSlot(all []string, slot string) bool {
	for _, s := range all {
		if s == slot {
			return true
		}
	}
	return false
}

// Two things told in one breath are told apart where both are sure.
func TestForeignStatementsAreParted(t *testing.T) {
	for text, want := range map[string][]string{
		"Vivo en Madrid y trabajo en Seat":                             {"Vivo en Madrid", "trabajo en Seat"},
		"Ich wohne in Hamburg und arbeite bei Otto":                    {"Ich wohne in Hamburg", "(Ich) arbeite bei Otto"},
		"J'habite à Lyon et je travaille chez Aldi":                    {"J'habite à Lyon", "je travaille chez Aldi"},
		"Ich bin im Mai nach Köln gezogen und habe bei Otto gekündigt": {"Ich bin im Mai nach Köln gezogen", "(Ich) habe bei Otto gekündigt"},
		"Vivo en Madrid y me encanta":                                  {"Vivo en Madrid y me encanta"},
		"Ich wohne in Hamburg und Berlin":                              {"Ich wohne in Hamburg und Berlin"},
	} {
		check(t, user(text), want)
	}
}
