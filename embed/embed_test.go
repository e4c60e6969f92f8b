package embed

import (
	"math"
	"testing"

	"github.com/memdhq/memd"
	"pgregory.net/rapid"
)

func TestCheckText(t *testing.T) {
	for text, blank := range map[string]bool{
		"":                     true,
		" \t\r\n":              true,
		"\u00a0\u3000\u2028":   true,
		"\u200b\u200d\u202e":   true,
		"\x00\x07":             true,
		"\xff\xfe":             true,
		"a":                    false,
		"\u200bа":              false,
		"👍":                    false,
		"?":                    false,
		"\U0001fae9":           false, // newer than the tables of many a toolchain
		" \u200b 日":            false,
		"\ue000 a private use": false,
	} {
		err := CheckText("text", text)
		if (err != nil) != blank {
			t.Errorf("CheckText(%q) = %v, blank is %v", text, err, blank)
		}
		if err != nil && memd.KindOf(err) != memd.Invalid {
			t.Errorf("CheckText(%q): kind %v", text, memd.KindOf(err))
		}
	}
}

func TestNormalizeRefusesWhatHasNoDirection(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{nil, {}, {0, 0}, {1, nan}, {inf, 1}, {-inf}} {
		if Normalize(v) {
			t.Errorf("Normalize(%v) passed", v)
		}
	}
}

func TestNormalizeGivesLengthOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32), 1, 50).Draw(t, "v")
		largest := 0
		for i := range v {
			if math.Abs(float64(v[i])) > math.Abs(float64(v[largest])) {
				largest = i
			}
		}
		sign := math.Signbit(float64(v[largest]))
		if v[largest] == 0 {
			return
		}
		if !Normalize(v) {
			t.Fatal("refused")
		}
		if n := dot(v, v); math.Abs(n-1) > 1e-5 {
			t.Fatalf("length² %v", n)
		}
		if math.Signbit(float64(v[largest])) != sign {
			t.Fatal("direction changed")
		}
	})
}
