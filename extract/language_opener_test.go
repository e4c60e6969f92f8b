package extract

import "testing"

// A short sentence in another language is kept, though none of its little words tells it.
func TestShortSentencesOfOtherLanguagesAreKept(t *testing.T) {
	for _, text := range []string{
		"soy vegetariano", "ya no soy vegetariano", "soy madre de tres hijos", "odio el cilantro", "estudio derecho", "uso linux",
		"sou professora", "odeio coentro", "adoro futebol", "estudo engenharia", "j'adore le jazz", "je parle breton",
		"ho due figli", "sono vegetariana", "jestem nauczycielem", "mam psa", "bitte antworte kurz",
	} {
		check(t, user(text), []string{text})
		if isEnglish(text) {
			t.Errorf("%q passes for English", text)
		}
	}
	for _, text := range []string{"soy milk please", "soy latte", "soy, nuts", "I use linux", "my mam is a nurse", "no idea", "no soy for me please"} {
		if !isEnglish(text) {
			t.Errorf("%q passes for another language", text)
		}
	}
}

func TestDaysCountedInOtherLanguages(t *testing.T) {
	for text, want := range map[string]string{
		"Ich habe vor zwei Tagen ein Auto gekauft": "Ich habe vor zwei Tagen (2024-02-26) ein Auto gekauft", "compré una casa hace dos días": "compré una casa hace dos días (2024-02-26)",
		"j'ai acheté un vélo il y a deux jours": "j'ai acheté un vélo il y a deux jours (2024-02-26)", "eu comprei um carro há dois dias": "eu comprei um carro há dois dias (2024-02-26)",
		"ho comprato una bici 3 giorni fa": "ho comprato una bici 3 giorni fa (2024-02-25)", "二日前に犬を飼いました": "二日前 (2024-02-26)に犬を飼いました", "我三天前搬到了上海": "我三天前 (2024-02-25)搬到了上海",
		"Ich fliege nächste Woche nach Rom": "Ich fliege nächste Woche (week of 2024-03-04) nach Rom", "来週東京に行きます": "来週 (week of 2024-03-04)東京に行きます",
		"Soy vegetariana desde hace dos años": "Soy vegetariana desde hace dos años", "há dois anos que moro aqui": "há dois anos que moro aqui", "vor allem mag ich Tee": "vor allem mag ich Tee",
	} {
		if got, _ := resolve(text, said, false); got != want {
			t.Errorf("%q\n gives %q\n want  %q", text, got, want)
		}
	}
}
