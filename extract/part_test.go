package extract

import (
	"slices"
	"testing"
)

func TestSentencesAreThoseThatAreLearnedFrom(t *testing.T) {
	for text, want := range map[string][]string{
		"deploy it to staging. my sister anna is a vet":                {"deploy it to staging.", "my sister anna is a vet"},
		"the build is red! why? i meet dr. kwon at 3.5 p.m. today\nok": {"the build is red!", "why?", "i meet dr. kwon at 3.5 p.m. today", "ok"},
		"住在波尔图。为什么？":                                                   {"住在波尔图。", "为什么？"},
		"":                                                             nil,
		"1. Hold it.\n2. Log in.\n3.":                                  {"1. Hold it.", "2. Log in.", "3."},
		"The plan: 1. Draft it. 2. Review it. Done":                    {"The plan:", "1. Draft it.", "2. Review it.", "Done"},
	} {
		if got := Sentences(text, 100); !slices.Equal(got, want) {
			t.Errorf("Sentences(%q) = %q", text, got)
		}
	}
	if got := Sentences("One. Two. Three.", 2); len(got) != 2 {
		t.Errorf("%q are more than 2", got)
	}
}

func TestPartsOfSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"we fly to malta on friday, can you check invoice 77?":    {"we fly to malta on friday", "can you check invoice 77?"},
		"Explain quicksort again - We drive to Rome on Friday":    {"Explain quicksort again", "We drive to Rome on Friday"},
		"I bought a moped; make the table wider and write a poem": {"I bought a moped", "make the table wider", "write a poem"},
		"My ex is Bernd, who lives in Kiel, and he owes me 4,200": {"My ex is Bernd, who lives in Kiel, and he owes me 4,200"},
		"I live at 5 Elm St. Can you check the invoice?":          {"I live at 5 Elm St.", "Can you check the invoice?"},
		"With HIV you should see Dr. Molar twice a year":          {"With HIV you should see Dr. Molar twice a year"},
		`She said "come over, bring the dog now" to me`:           {`She said "come over, bring the dog now" to me`},
	} {
		if got := Parts(text); !slices.Equal(got, want) {
			t.Errorf("Parts(%q) = %q", text, got)
		}
	}
}

func TestPiecesOfTexts(t *testing.T) {
	const text = "Here it is:\n```go\nfmt.Println(1)\n\n// x\n```\n1. Hold it.\n   Not long. Then wait.\n2. Log in\n- Done? Yes.\nserver {\n  listen 8080;\n}\nName: Ada\nThat is all. Bye."
	want := []Piece{
		{"Here it is:", []string{"Here it is:"}, false},
		{"```go\nfmt.Println(1)\n\n// x\n```", []string{"```go", "fmt.Println(1)", "", "// x", "```"}, true},
		{"1. Hold it.\n   Not long. Then wait.", []string{"1. Hold it.", "Not long.", "Then wait."}, true},
		{"2. Log in", []string{"2. Log in"}, true},
		{"- Done? Yes.", []string{"- Done?", "Yes."}, true},
		{"server {\n  listen 8080;\n}", []string{"server {", "  listen 8080;", "}"}, true},
		{"Name: Ada", []string{"Name: Ada"}, false},
		{"That is all. Bye.", []string{"That is all.", "Bye."}, false},
	}
	if got := Pieces(text); !slices.EqualFunc(got, want, func(a, b Piece) bool {
		return a.Text == b.Text && a.Whole == b.Whole && slices.Equal(a.Sentences, b.Sentences)
	}) {
		t.Errorf("%+v", got)
	}
	if got := Pieces("```\nopen"); len(got) != 1 || !got[0].Whole {
		t.Errorf("%+v", got)
	}
}
