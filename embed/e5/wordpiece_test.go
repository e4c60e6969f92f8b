package e5

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memdhq/memd/internal/memdtest"
)

func words(tb testing.TB) *wordPiece {
	tb.Helper()
	w, err := openWordPiece(memdtest.Assets(tb).Tokenizer)
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

func passageIDs(w *wordPiece, text string) []int64 {
	ids, _ := w.encode(w.appendPieces(nil, passagePrefix, maxTokens), text)
	return ids
}

// digest is how setup/vectors/make_vectors.py hashes ids.
func digest(ids []int64) string {
	var b []byte
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint16(b, uint16(id))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func unzip(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestTokensMatchTheReference(t *testing.T) {
	w := words(t)
	n, long := 0, 0
	for dec := json.NewDecoder(unzip(t, "tokens.jsonl.gz")); ; n++ {
		var item struct {
			Text, IDs string
			Raw       []byte
		}
		if err := dec.Decode(&item); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if item.Raw != nil {
			item.Text = string(item.Raw)
		}
		ids := passageIDs(w, item.Text)
		if digest(ids) != item.IDs {
			t.Errorf("%q: ids %v", item.Text, ids)
		}
		if len(ids) == maxTokens {
			long++
		}
	}
	if n < 4000 || long < 10 {
		t.Errorf("only %d texts, %d of them long", n, long)
	}
}

func TestTokensInFull(t *testing.T) {
	w := words(t)
	raw, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var items []struct {
		Text string
		IDs  []int64
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		t.Fatal(err)
	}
	if len(items) == 0 {
		t.Error("no texts")
	}
	for _, item := range items {
		if got := passageIDs(w, item.Text); !slices.Equal(got, item.IDs) {
			t.Errorf("%q:\n got %v\nwant %v", item.Text, got, item.IDs)
		}
	}
}

func TestLiteralSpecialTokensAreText(t *testing.T) {
	w := words(t)
	for _, text := range []string{"[SEP]", "[CLS]", "x [SEP] y", "[PAD][MASK][UNK]"} {
		ids, _ := w.encode(nil, text)
		for _, id := range ids[1 : len(ids)-1] {
			if id == w.cls || id == w.sep || id == 0 {
				t.Errorf("%q: %v", text, ids)
			}
		}
	}
}

func TestTheLengthIsBounded(t *testing.T) {
	w := words(t)
	prefix := w.appendPieces(nil, passagePrefix, maxTokens)
	for _, text := range []string{
		strings.Repeat("word ", 600), strings.Repeat("日", 30_000), strings.Repeat(".", 1<<20), strings.Repeat("\xff", 1<<20),
		strings.Repeat("a", 1<<20), strings.Repeat("\u0301", 1<<20), strings.Repeat(" ", 1<<20) + "late",
	} {
		ids, n := w.encode(prefix, text)
		if len(ids) > maxTokens || ids[0] != w.cls || !slices.Equal(ids[1:1+len(prefix)], prefix) || ids[len(ids)-1] != w.sep ||
			n != len(ids)-2-len(prefix) {
			t.Errorf("%q…: %d ids, %d of the text", text[:8], len(ids), n)
		}
	}
}

func TestNothingToEmbedHasNoTokens(t *testing.T) {
	w := words(t)
	for text, want := range map[string]int{
		"": 0, " \t\n": 0, "\u200b\ufeff": 0, "\xff\xfe": 0, "\u0301": 0, "\ufffd": 0, "\ue000": 0, "👍": 1, "a": 1, ".": 1,
	} {
		if _, n := w.encode(nil, text); n != want {
			t.Errorf("%q: %d tokens, want %d", text, n, want)
		}
	}
}

func TestOtherTokenizersAreRefused(t *testing.T) {
	good, err := os.ReadFile(memdtest.Assets(t).Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"BertNormalizer"`, `"NFC"`},
		{`"lowercase":true`, `"lowercase":false`},
		{`"strip_accents":null`, `"strip_accents":false`},
		{`"BertPreTokenizer"`, `"Whitespace"`},
		{`"WordPiece"`, `"BPE"`},
		{`"[CLS]":101`, `"[ABC]":101`},
	} {
		// The file's blanks differ from release to release.
		compact := strings.NewReplacer(`": `, `":`).Replace(string(good))
		changed := strings.ReplaceAll(compact, change[0], change[1])
		if changed == compact {
			t.Fatalf("nothing to change: %s", change[0])
		}
		path := filepath.Join(t.TempDir(), "tokenizer.json")
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openWordPiece(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", change[1], err)
		}
	}
}

func FuzzEncode(f *testing.F) {
	w := words(f)
	inVocabulary := map[int64]bool{}
	for _, pieces := range []map[string]int64{w.initial, w.continuing} {
		for _, id := range pieces {
			inVocabulary[id] = true
		}
	}
	prefix := w.appendPieces(nil, queryPrefix, maxTokens)
	for _, seed := range []string{
		"", "hello world", "I moved to São Tomé!", "[SEP]", "e\u0301", "漢字かな", "한글", "👩‍🚀", "\xff\xc3\x28", "a\u200bb\u00a0c",
		"\U000e0001\U0010ffff", "İstanbul ΣΊΣΥΦΟΣ", strings.Repeat("x", 101), strings.Repeat("\u0315\u0300", 40), "\u1100\u1161\u11a8",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ids, n := w.encode(prefix, text)
		if len(ids) > maxTokens || n != len(ids)-2-len(prefix) {
			t.Errorf("%d ids, %d of the text", len(ids), n)
		}
		for _, id := range ids {
			if !inVocabulary[id] {
				t.Errorf("id %d", id)
			}
		}
		if again, _ := w.encode(prefix, text); !slices.Equal(ids, again) {
			t.Error("not the same again")
		}
		// Case, invalid bytes and blanks at the ends say nothing.
		if other, _ := w.encode(prefix, " \n"+strings.ToValidUTF8(text, "\ufffd")+" "); len(text) < maxTextBytes/2 && !slices.Equal(ids, other) {
			t.Errorf("with blanks around: %v, without: %v", other, ids)
		}
		if normal := normalize(text); !utf8.ValidString(normal) {
			t.Errorf("normalised to %q", normal)
		}
	})
}

func BenchmarkTokenizer(b *testing.B) {
	w := words(b)
	prefix := w.appendPieces(nil, passagePrefix, maxTokens)
	for b.Loop() {
		w.encode(prefix, passage60)
	}
}
