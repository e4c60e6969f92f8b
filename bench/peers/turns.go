package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// turn is something that a user says, and what they may ask about it later.
type turn struct{ text, question string }

// teller makes up turns, none of which is like another. The same seed makes the same ones.
type teller struct {
	r    *rand.Rand
	told map[string]bool
}

func newTeller() *teller { return &teller{r: rand.New(rand.NewPCG(3, 5)), told: map[string]bool{}} }

var (
	colours  = strings.Fields("red blue green black white brown grey purple yellow orange")
	things   = strings.Fields("kayak lamp guitar telescope bicycle carpet clock teapot camera chessboard tent violin jacket mirror bookcase kettle")
	months   = strings.Fields("January February March April May June July August September October November December")
	rooms    = strings.Fields("kitchen garage attic cellar hallway office bedroom shed")
	openings = strings.Fields("Ba Ke Li Mo Nu Ra Se Ti Vo Zu Dri Fen Gor Hul Jas Kit Lom Mur")
	middles  = strings.Fields("ba ke li mo nu ra se ti vo zu")
	endings  = strings.Fields("ton ville berg dal mark stad ford wick")
)

func (t *teller) some(of []string) string { return of[t.r.IntN(len(of))] }

func (t *teller) next() turn {
	for {
		thing := t.some(colours) + " " + t.some(things) + " from " + t.some(openings) + t.some(middles) + t.some(middles) + t.some(endings)
		if t.told[thing] {
			continue
		}
		t.told[thing] = true
		return turn{
			text:     fmt.Sprintf("I bought a %s in %s, and I keep it in the %s.", thing, t.some(months), t.some(rooms)),
			question: fmt.Sprintf("Where do I keep the %s?", thing),
		}
	}
}
