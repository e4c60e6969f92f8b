package lexical

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func stems(text string) string {
	var out []string
	for _, w := range words(text) {
		out = append(out, w.stem())
	}
	return strings.Join(out, " ")
}

func TestWordsAndStems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"   \n\t", ""},
		{"?!… – 🎉", ""},
		{"Caroline's dogs are running", "carolin dog are run"},
		{"Caroline’s dogs", "carolin dog"},
		{"the dogs' bowl", "the dog bowl"},
		{"O'Brien isn't here", "o brien isn t here"},
		{"it's 's s", "it s s"},
		{"his sister's", "his sister"},
		{"let'salad", "let salad"},
		{"3.5 km in v1.2 on 2024-02-26", "3 5 km in v1 2 on 2024 02 26"},
		{"x2 covid19 4th", "x2 covid19 4th"},
		{"café CAFÉ cafe\u0301 naïve", "cafe cafe cafe naiv"},
		{"Ærø Łódź Þór straße", "aero lodz thor strass"},
		{"ＡＢＣ１２ ﬁne", "abc12 fine"},
		{"co\u00adoperate soft\u200bbreak", "cooper soft break"},
		{"allergies allergic allergy", "allergi allerg allergi"},
		{"corazón niños", "corazon nino"},
		{"猫", "猫"},
		{"猫が好き", "猫 猫が 好 が好 好き"},
		{"東京タワー", "東 京 東京 京タ タワ ワー"},
		{"ﾀﾜｰ", "タワ ワー"},
		{"3月に東京", "3 月 月に 東 に東 京 東京"},
		{"아니 커피를", "아니 커피 피를"},
		{"คุณชอบ", "คุณ ณช ชอ อบ"},
		{"मुझे चाय पसंद है", "मुझे चाय पसंद है"},
		{"أُحِبُّ القَهْوَةَ", "احب القهوه"},
		{"Σίσυφος ΣΊΣΥΦΟΣ", "σισυφοσ σισυφοσ"},
		{"Ёлка ёлка", "елка елка"},
		{"שָׁלוֹם", "שלום"},
		{"a\xffb \xf0\x9f", "a b"},
		{"abc\u0000def", "abc def"},
		{strings.Repeat("q", 500), strings.Repeat("q", 64)},
		{"iphone漢字abc", "iphon 漢 字 漢字 abc"},
	} {
		if got := stems(c.text); got != c.want {
			t.Errorf("stems(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// Stored postings hold these numbers: a failure here means that every index in
// the world has to be rebuilt.
func TestTermHashesNeverChange(t *testing.T) {
	for stem, want := range map[string]int32{
		"":       -2128831035,
		"a":      -468965076,
		"hike":   817860722,
		"lisbon": 1153259090,
		"2024":   1109999801,
		"猫が":     -1804898135,
		"احب":    1608824567,
	} {
		if got := hash(stem); got != want {
			t.Errorf("hash(%q) = %d, want %d", stem, got, want)
		}
	}
}

func TestTermsGolden(t *testing.T) {
	terms, length := Terms("My sister Ana moved to Porto; Ana's new flat is near the Douro.")
	want := []Term{
		{-871906060, 1}, {-823475302, 1}, {-787901845, 1}, {-26668255, 1}, {338283141, 2}, {407568404, 1}, {681154065, 1}, {1425233679, 1},
	}
	if !slices.Equal(terms, want) || length != 9 {
		t.Errorf("Terms = %#v, %d; want %#v, 9", terms, length, want)
	}
}

func TestTermsDropStopWordsUnlessAlone(t *testing.T) {
	terms, length := Terms("I am in the garden")
	if want, _ := Terms("garden"); !slices.Equal(terms, want) || length != 1 {
		t.Errorf("got %v, %d", terms, length)
	}
	if terms, length := Terms("To be or not to be"); len(terms) != 4 || length != 6 {
		t.Errorf("only stop words: got %v, %d", terms, length)
	}
	if terms, length := Terms("🎉 !!"); len(terms) != 0 || length != 0 {
		t.Errorf("no words: got %v, %d", terms, length)
	}
	if terms, length := Terms("mention the question"); len(terms) != 2 || length != 2 {
		t.Errorf("words about conversation belong to a memory: got %v, %d", terms, length)
	}
}

func TestQueryTermsFallBack(t *testing.T) {
	for _, c := range []struct{ question, same string }{
		{"What did I mention in our chats about hiking?", "hiking"},
		{"Can you list the different kinds of cheese that I talked about", "cheese"},
		{"What did we discuss?", "discuss"},
		{"Who are you?", "who are you"},
		{"Where does Ana live?", "ana live"},
	} {
		if got, want := QueryTerms(c.question), count(words(c.same)); !slices.Equal(got, want) {
			t.Errorf("QueryTerms(%q) = %v, want those of %q: %v", c.question, got, c.same, want)
		}
	}
	if got := QueryTerms(""); len(got) != 0 {
		t.Errorf("empty question: %v", got)
	}
}

func TestStopListsAreWholeWords(t *testing.T) {
	for _, list := range []map[string]bool{stop, meta} {
		for w := range list {
			if got := words(w); len(got) != 1 || got[0].text != w {
				t.Errorf("%q can never match: it is cut into %v", w, got)
			}
		}
	}
}

// mixed makes texts of many scripts, marks and broken bytes.
func mixed(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(
		rapid.String(),
		rapid.SampledFrom([]string{
			"the", "Ana's", "running", "猫が好き", "ー", "\u0301", "\u3099", "\u200d", "\xff", "İ", "ß", "ﬁ", "ͅ", "Σ", "ς", "한국어", "ไทย",
			"12", "what", "mention", "'s", "’s", "أ", "🎉", "\u0000", "..", "…", "“x”",
		})), 0, 12).Draw(t, "parts"), rapid.SampledFrom([]string{"", " ", "'", "\n"}).Draw(t, "sep"))
}

func TestQuestionAndMemorySpeakTheSameTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := mixed(t)
		checkTerms(t, text)
	})
}

type failer interface {
	Fatalf(format string, args ...any)
	Helper()
}

func checkTerms(t failer, text string) {
	t.Helper()
	terms, length := Terms(text)
	sum, stored := 0, map[int32]bool{}
	for i, term := range terms {
		if term.Count < 1 || i > 0 && terms[i-1].Hash >= term.Hash {
			t.Fatalf("%q: not sorted and counted: %v", text, terms)
		}
		sum += term.Count
		stored[term.Hash] = true
	}
	if sum != length {
		t.Fatalf("%q: length %d, counts add up to %d", text, length, sum)
	}
	question := QueryTerms(text)
	if len(question) == 0 && length > 0 {
		t.Fatalf("%q: a memory that its own text cannot find", text)
	}
	for _, term := range question {
		if !stored[term.Hash] {
			t.Fatalf("%q: asked for a term that is not stored", text)
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "Ana's café", "猫が好き ー", "a\xffb", "e\u0301\u0301\u0301", "한국어 ไทย", strings.Repeat("s's", 90)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkTerms(t, text)
		for _, w := range words(text) {
			if w.text == "" || !utf8.ValidString(w.stem()) {
				t.Fatalf("%q: word %q, stem %q", text, w.text, w.stem())
			}
		}
	})
}

func TestBM25(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-12 }
	// idf ln(1 + 90.5/10.5); a text of mean length with one occurrence scores the idf itself.
	if got, want := BM25(100, 10, 1, 7, 7), math.Log(1+90.5/10.5); !near(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := BM25(100, 10, 3, 14, 7), math.Log(1+90.5/10.5)*3*2.2/(3+1.2*(.25+.75*2)); !near(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if BM25(100, 10, 0, 7, 7) != 0 {
		t.Error("a term that does not occur scores")
	}
	rapid.Check(t, func(t *rapid.T) {
		i := func(name string) int { return rapid.IntRange(-2, 1000).Draw(t, name) }
		n, df, tf, length := i("n"), i("df"), i("tf"), i("length")
		avg := rapid.Float64Range(0, 100).Draw(t, "avg")
		got := BM25(n, df, tf, length, avg)
		if got < 0 || math.IsNaN(got) || math.IsInf(got, 0) {
			t.Fatalf("BM25 = %v", got)
		}
		if more := BM25(n, df, tf+1, length, avg); more < got {
			t.Fatalf("one occurrence more scores less: %v < %v", more, got)
		}
		if rarer := BM25(n, df-1, tf, length, avg); df <= n && rarer < got {
			t.Fatalf("a rarer term scores less: %v < %v", rarer, got)
		}
	})
}

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"My favorite color is blue.", "my favorite color is blue"},
		{"  My favorite\n\tcolor is BLUE!! ", "my favorite color is blue"},
		{"I’m “here” …", `i'm "here"`},
		{"Straße", "strasse"},
		{"ＡＢＣ　１", "abc 1"},
		{"私は猫が好きです。", "私は猫が好きです"},
		{"मुझे चाय पसंद है।", "मुझे चाय पसंद है"},
		{"هل تحب القهوة؟", "هل تحب القهوة"},
		{"I write C#", "i write c#"},
		{"I write C++.", "i write c++"},
		{"v1.2", "v1.2"},
		{"abc\u0000def", "abcdef"},
		{"!!!", "!!!"},
		{"", ""},
		{"café", "café"},
		{"cafe\u0301", "café"},
		{"a\xff", "a\uFFFD"},
	} {
		if got := Normalise(c.text); got != c.want {
			t.Errorf("Normalise(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	if Normalise("lands at 6") == Normalise("lands at 8") || Normalise("cafe") == Normalise("café") {
		t.Error("different statements made equal")
	}
}

func TestNormaliseTwiceIsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := Normalise(mixed(t))
		if twice := Normalise(once); twice != once {
			t.Fatalf("%q, then %q", once, twice)
		}
	})
}

func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"", "Hello.", "ͅΑ", "İ", "ŉ", "ﬁ…", "\xff.", "!?", "\u0000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Normalise(text)
		if !utf8.ValidString(once) {
			t.Fatalf("%q gives invalid UTF-8", text)
		}
		if twice := Normalise(once); twice != once {
			t.Fatalf("%q gives %q, then %q", text, once, twice)
		}
	})
}

func BenchmarkTerms(b *testing.B) {
	text := "My sister Ana moved to Porto last week; her new flat is near the Douro and she loves it."
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Terms(text)
	}
}
