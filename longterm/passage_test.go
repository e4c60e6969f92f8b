package longterm

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheBestPassageOfALongText(t *testing.T) {
	var pages []string
	for i := range 12 {
		pages = append(pages, fmt.Sprintf("Chapter %d is about nothing in particular. %s It ends here.", i, strings.Repeat("Many words follow one another and say little. ", 6)))
	}
	pages[7] = "Store the saffron in a tin. It keeps for two years if no light falls on it! After that the taste is gone."
	text := strings.Join(pages, "\n\n")
	got := questionOf("How long does saffron keep?").passage(text)
	if !strings.Contains(got, "Store the saffron in a tin. It keeps for two years") || !strings.HasPrefix(got, cutMark+" ") || !strings.HasSuffix(got, " "+cutMark) || wordsIn(got) > passageWords+2 {
		t.Errorf("%d words: %q", wordsIn(got), got)
	}
	if got := questionOf("Where do I live?").passage(text); !strings.HasPrefix(got, "Chapter 0 is about nothing") || !strings.HasSuffix(got, " "+cutMark) {
		t.Errorf("no word in common: %q", got)
	}
	if got := questionOf("chapter eleven: 11").passage(text); strings.HasSuffix(got, cutMark) || !strings.HasPrefix(got, cutMark) {
		t.Errorf("the end: %q", got)
	}
	for _, whole := range []string{"Saffron keeps for two years.", strings.TrimSpace(strings.Repeat("word ", passageWords)), ""} {
		if got := questionOf("saffron").passage(whole); got != whole {
			t.Errorf("%q is cut to %q", whole, got)
		}
	}
	// Scripts without blanks.
	chinese := strings.Repeat("今天没有什么特别的事情。", 80) + "藏红花可以保存两年。" + strings.Repeat("明天也没有什么特别的事情。", 80)
	if got := questionOf("藏红花可以保存多久？").passage(chinese); !strings.Contains(got, "藏红花可以保存两年") || wordsIn(got) > passageWords+2 {
		t.Errorf("%d: %q", wordsIn(got), got)
	}
}

func FuzzPassages(f *testing.F) {
	for _, seed := range []string{"One. Two!\nThree?", strings.Repeat("a", 2000), strings.Repeat("a b ", 500), "。。！\xff…  \n\n", strings.Repeat("x. ", 300)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := strings.Join(sentences(text), ""); got != text {
			t.Fatalf("%q became %q", text, got)
		}
		for _, p := range passages(text) {
			if wordsIn(p) > passageWords+1 {
				t.Fatalf("%d words in %q", wordsIn(p), p)
			}
		}
	})
}
