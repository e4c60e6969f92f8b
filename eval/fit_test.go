package main

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/memdhq/memd/longterm"
)

// lists of two: the one that answers has more of the part.
func pairOf(part string, more float64) explained {
	return explained{
		conversation: conversation{name: "friends-1"}, question: question{Evidence: []string{"yes"}}, said: sayings{messages: map[int64]string{1: "yes", 2: "no"}},
		results: []result{
			{Role: "user", Sources: []int64{2}, Explain: map[string]float64{"z_cosine": 1}},
			{Role: "user", Sources: []int64{1}, Explain: map[string]float64{"z_cosine": 1, part: more}},
		},
	}
}

func TestAFitLearnsWhatAnswers(t *testing.T) {
	from := weightSet{"user": {"z_cosine": 1, "who": 0.5, "date": 0}, "peer": {"who": 2}}
	for _, c := range []struct {
		name string
		part string
		more float64
		up   float64 // the sign of the change of its weight
	}{{"more answers", "who", 1, 1}, {"less answers", "who", -1, -1}, {"no weight, no fit", "date", 1, 0}} {
		t.Run(c.name, func(t *testing.T) {
			asked := []explained{pairOf(c.part, c.more)}
			loose, held := fit(asked, from, 0.01), fit(asked, from, 100)
			change := loose["user"][c.part] - from["user"][c.part]
			if change*c.up < 0 || c.up != 0 && math.Abs(change) < 0.1 || c.up == 0 && change != 0 {
				t.Errorf("the weight changed by %f", change)
			}
			if near := math.Abs(held["user"][c.part] - from["user"][c.part]); !(near <= 0.01) {
				t.Errorf("held to what was, it changed by %f", near)
			}
			if loose["peer"]["who"] != 2 || math.Abs(loose["user"]["z_cosine"]-1) > 1e-9 {
				t.Errorf("what tells nothing apart changed: %v", loose)
			}
		})
	}
}

func TestRankingAnewIsByTheWeights(t *testing.T) {
	e := pairOf("who", 1)
	if a := e.answer(weightSet{"user": {"who": 1}}); a.ranked[0] != "yes" {
		t.Errorf("ranked %v", a.ranked)
	}
	if a := e.answer(weightSet{"user": {"who": -1}}); a.ranked[0] != "no" {
		t.Errorf("ranked %v", a.ranked)
	}
	if w := (weightSet{"user": {"who": 1, "date": 2}}).without("who"); w["user"]["who"] != 0 || w["user"]["date"] != 2 {
		t.Errorf("%v", w)
	}
}

// What a search explains is what its ranking is made of, and both tables are of all parts.
func TestWeightsAreWeighed(t *testing.T) {
	conversations, err := loadConversations("testdata/recall", openSet)
	if err != nil {
		t.Fatal(err)
	}
	conversations = conversations[:1]
	conversations[0].questions = conversations[0].questions[:4]
	var out bytes.Buffer
	if err := weigh(context.Background(), &out, conversations, options{ablate: true, fit: true}); err != nil {
		t.Fatal(err)
	}
	for part := range weightSet(longterm.Weights()).without("")["peer"] {
		if strings.Count(out.String(), part) < 2 {
			t.Errorf("%s is not in both tables:\n%s", part, out.String())
		}
	}
}
