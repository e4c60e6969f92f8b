package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// What tells nothing of anybody is no memory: code within a line, a word that leaves it open, what
// is only supposed, called out or translated.
func TestWhatTellsNothing(t *testing.T) {
	tells(t, map[string][]string{
		"and in this code? `type User struct { Likes []string } // I like cats`": nil,
		"Possibly. My granddaughter Poppy helps me.":                             {"My granddaughter Poppy helps me"},
		"My landlord sent me this":                                               nil,
		"My landlord sent me this letter about the rent going up":                {"My landlord sent me this letter about the rent going up"},
		"Wenn ich so viel verdienen würde wie sie, hätte ich eine Villa am See":  nil,
		"Si tuviera dinero, compraría una casa en Málaga":                        nil,
		"Si j'étais riche, j'habiterais à Paris":                                 nil,
		"Se eu tivesse dinheiro, compraria uma casa":                             nil,
		"如果我有钱，我就会买房子。":                                                          nil,
		"Stell dir vor, ich bin König und wohne in Rom":                          nil,
	})
	for _, text := range []string{"Wenn ich Zeit habe, gehe ich schwimmen", "Si estoy cansada, me acuesto temprano", "Si je suis fatigué, je dors", "I use `go test` every day", "Ich hätte gern mehr Zeit für meine Kinder"} {
		if got := texts(extracted(t, nil, user(text))); !slices.Equal(got, []string{text}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, c := range []struct{ asked, answer, want string }{
		{"你好，我叫李伟", "你好,李伟!", ""},
		{"Me llamo Ana y vivo en Lugo", "¡Qué gracia! Lugo tiene una muralla romana.", "Lugo tiene una muralla romana"},
		{"مرحبا، اسمي يوسف", "أهلاً يوسف!", ""},
		{`Translate into German: "I am allergic to cats."`, "Ich bin allergisch gegen Katzen.", ""},
		{`How do I say "I'm pregnant" in Italian?`, "Sono incinta.", ""},
		{"Ich wohne in Graz", "Graz hat eine schöne Altstadt und den Schlossberg mit Uhrturm.", "Graz hat eine schöne Altstadt und den Schlossberg mit Uhrturm"},
		{"what's the weather in Spanish cities?", "Madrid has 31 degrees today.", "Madrid has 31 degrees today (2024-02-28)"},
	} {
		got := texts(extracted(t, []memd.Message{user(c.asked)}, memd.Message{ID: 6, Role: memd.RoleAssistant, Text: c.answer, CreatedAt: said}))
		if want := []string{c.want}; c.want == "" && len(got) > 0 || c.want != "" && !slices.Equal(got, want) {
			t.Errorf("%q, %q: %q", c.asked, c.answer, got)
		}
	}
}

// Numbers of papers, and until when a card is good, are secrets; that there is one is no secret.
func TestNumbersOfPapers(t *testing.T) {
	for text, want := range map[string]string{
		"my passport number is C01X00T47": "my passport number is [redacted:passport]", "Mein Reisepass: C01X00T47": "Mein Reisepass: [redacted:passport]", "护照号码是E12345678": "护照号码是[redacted:passport]",
		"my card is a visa, cvv 331, exp 09/27": "my card is a visa, cvv [redacted:cvv], exp [redacted:card]",
		"my passport expires in 2027":           "my passport expires in 2027", "my visa expires 09/27": "my visa expires 09/27", "I lost my ID card yesterday": "I lost my ID card yesterday",
		"my ID card 2024 looks old": "my ID card 2024 looks old",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	tells(t, map[string][]string{"exp 09/27 cvv 331": nil})
}
