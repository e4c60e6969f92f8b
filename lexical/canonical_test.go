package lexical

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCanonicalMakesOne(t *testing.T) {
	for _, same := range [][]string{
		{"I love coffee", "I love coffee 😊", "I love coffee! ❤️❤️", "i love coffee 🔥 !!", "😊 I love coffee", "I love coffee :)", "I love coffee ^^", "I love coffee 👍🏽", "I love coffee ❤️‍🔥"},
		{"I live in Lisbon", "As I said before, I live in Lisbon.", "as I said I live in Lisbon", "Like I already told you: I live in Lisbon", "Again, I live in Lisbon!",
			"By the way, I live in Lisbon", "btw I live in Lisbon", "Oh and I live in Lisbon", "oh, and by the way, I live in Lisbon", "Just so you know, I live in Lisbon", "just so you know that I live in Lisbon",
			"FYI: I live in Lisbon", "I live in Lisbon, by the way", "I live in Lisbon btw 😊", "I live in Lisbon, as I’ve mentioned before.", "well... I live in Lisbon", "And again: I live in Lisbon", "So, as I said, I live in Lisbon",
			"For the record, I live in Lisbon"},
		{"My favorite color is teal", "My favourite colour is teal", "my FAVOURITE color is teal."},
		{"The neighbor's theater organizes traveling shows", "the neighbour’s theatre organises travelling shows"},
		{"I analyze a program at the center, 3 liters a day", "I analyse a programme at the centre, 3 litres a day"},
		{"I am allergic to peanuts", "I'm allergic to peanuts", "I’m allergic to peanuts."},
		{"I do not eat fish, and I have not since May", "I don't eat fish, and I haven't since May"},
		{"It is Anna who has got a dog; she has got two", "It's Anna who's got a dog; she's got two"},
		{"Celiac and anemic, I practice yogurt making", "Coeliac and anaemic, I practise yoghurt making"},
	} {
		for _, text := range same {
			if got, want := Canonical(text), Canonical(same[0]); got != want {
				t.Errorf("Canonical(%q) = %q, want %q", text, got, want)
			}
		}
	}
}

func TestCanonicalKeepsApart(t *testing.T) {
	for _, other := range [][]string{
		{"My favourite emoji is 😊", "My favourite emoji is ❤️", "My favourite emoji is"},
		{"Sign your answers with 😊", "Sign your answers with ❤", "Sign your answers with"},
		{"Mood: 😊", "Mood: 😢", "Mood"},
		{"Pineapple on pizza 👍", "Pineapple on pizza 👎", "Pineapple on pizza 🙄"},
		{"I love Mondays", "I love Mondays 🙄", "I love Mondays 💔"},
		{"I got the job", "I got the job 🤞"},
		{"I love", "I love 🍕", "I love 🍣"},
		{"😊", "❤", "🎉"},
		{"Coffee", "Coffee 😍"},
		{"I live here with 👩‍🔥", "I live here with 👩", "I live here with"},
		{"My latency is <3", "My latency is <4"},
		{"The score was 2 :3", "The score was 2"},
		{"I design in Adobe XD", "I design in Adobe"},
		{"I live in Lisbon", "I live in Lisbon again", "I don't live in Lisbon"},
		{"Again I live in Lisbon", "I live in Lisbon"},
		{"As I said yesterday, I run today", "I run today"},
		{"Mr Grey is my boss", "Mr Gray is my boss"},
		{"For the record store I sort vinyl", "store I sort vinyl"},
		{"By the way", "As I said", "btw"},
		{"The analysis has two analyses", "The analysis has two analyzes"},
		{"I had a metre", "I had a metré"},
		{"So far I like it", "far I like it"},
		{"Lands at 6", "Lands at 8"},
		{"I'm vegan", "I'm not vegan", "I was vegan"},
		{"Anna's sister", "Anna is sister"},
		{"He'd go", "He had go", "He would go"},
		{"I was born in May", "I was born in March"},
	} {
		seen := map[string]string{}
		for _, text := range other {
			if was, ok := seen[Canonical(text)]; ok {
				t.Errorf("%q and %q are both %q", text, was, Canonical(text))
			}
			seen[Canonical(text)] = text
		}
	}
}

// Most texts are as they were: what is stored under their normal form is found.
func TestCanonicalIsMostlyTheNormalForm(t *testing.T) {
	for _, text := range []string{"My favorite color is blue.", "  Anna’s “here” …", "Straße", "私は猫が好きです。", "!!!", "", "v1.2", "I write C++.", "Your hour of pouring flour", "Our tour of four towers", "I exercise", "Surprise, surprise"} {
		if got, want := Canonical(text), Normalise(text); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSpellingsEndInOne(t *testing.T) {
	for from, to := range american {
		if _, ok := american[to]; ok || from == to {
			t.Errorf("%s is spelled %s, which is spelled otherwise", from, to)
		}
		if Normalise(from) != from || Normalise(to) != to {
			t.Errorf("%s, %s: not in normal form", from, to)
		}
	}
	for _, word := range []string{"our", "hour", "your", "tour", "four", "flour", "sour", "promise", "premise", "exercise", "advertise", "wise", "rise", "expertise", "surprise", "comprise", "grey", "here", "were", "more", "sure", "care", "where", "fire", "hire", "tyre", "called", "filled", "sister", "telling"} {
		if to, ok := american[word]; ok {
			t.Errorf("%s is spelled %s", word, to)
		}
	}
}

// adorned makes texts with what Canonical drops, anywhere.
func adorned(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{
		"As I said before,", "by the way", "btw", "fyi", "again,", "oh and", "just so you know", "that", "well...", "so,", "and", "oh",
		"I live in Lisbon", "colour", "favourite", "not", "6", "is", "emoji", "the", "é", "x", "1",
		"😊", "❤️", "👍🏽", "❤️‍🔥", "👩‍🔥", "\u200d", "\ufe0f", "♀", "👎", ":)", ":d", "^^", ",", ".", "!", ":", "\u0301", "…", "-",
	}), 0, 9).Draw(t, "parts")
	return strings.Join(parts, rapid.SampledFrom([]string{" ", " ", ""}).Draw(t, "sep"))
}

func checkCanonical(t failer, text string) {
	t.Helper()
	once := Canonical(text)
	if !utf8.ValidString(once) {
		t.Fatalf("%q gives invalid UTF-8", text)
	}
	if twice := Canonical(once); twice != once {
		t.Fatalf("%q gives %q, then %q", text, once, twice)
	}
	if normal := Normalise(once); normal != once {
		t.Fatalf("%q gives %q, whose normal form is %q", text, once, normal)
	}
	if of := Canonical(Normalise(text)); of != once {
		t.Fatalf("%q gives %q, its normal form %q", text, once, of)
	}
	if (once == "") != (Normalise(text) == "") {
		t.Fatalf("nothing is left of %q", text)
	}
}

func TestCanonicalTwiceIsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkCanonical(t, adorned(t))
		checkCanonical(t, mixed(t))
	})
}

func FuzzCanonical(f *testing.F) {
	for _, s := range []string{"", "As I said, I live in Lisbon 😊", "btw btw", "oh and oh and x", "colour", "❤️‍🔥 x ❤️‍🔥", "\u200d😊", "so, so, so, so", "\xff 😊"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkCanonical(t, text) })
}

func BenchmarkCanonical(b *testing.B) {
	text := "As I said before, my sister Ana moved to Porto last week; her new flat is near the harbour and she loves it 😊"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Canonical(text)
	}
}

// A long text of nothing but lead-ins takes no longer than another.
func BenchmarkCanonicalOfLeadIns(b *testing.B) {
	text := strings.Repeat("so, ", 16<<10) + "x"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Canonical(text)
	}
}
