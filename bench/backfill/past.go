package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// past is what people have said over the years, made up: the same whenever it is asked for.
type past struct {
	prefix   string // of the people's names
	messages int
	people   int
}

// each is how many messages a conversation has.
const each = 10

var (
	places  = []string{"Lisbon", "Bremen", "Oslo", "Turin", "Kyoto", "Quito", "Leeds", "Ghent", "Riga", "Cork"}
	things  = []string{"bicycle", "telescope", "canoe", "piano", "lathe", "greenhouse", "kiln", "sailing boat", "loom", "beehive"}
	friends = []string{"Ana", "Jonas", "Mira", "Teo", "Ilse", "Omar", "Ruth", "Pavel", "Nuno", "Edda"}
	foods   = []string{"walnuts", "oysters", "rye bread", "goat cheese", "plums", "ginger", "lentils", "quinces", "mussels", "fennel"}
	// statements are what a person says of themselves.
	statements = []string{
		"I bought a %[2]s yesterday, number %[5]d of its series, from a shop in %[1]s.",
		"My friend %[3]s moved to %[1]s last week and now lives at number %[5]d.",
		"I am allergic to %[4]s since the dinner with %[3]s.",
		"Next Friday I meet %[3]s in %[1]s to repair the %[2]s.",
		"I work on project %[5]d with %[3]s, we are building a %[2]s.",
		"We paid %[5]d euros for the trip to %[1]s, and %[3]s came along.",
		"My favourite food at the moment is %[4]s, as they cook it in %[1]s.",
	}
	// asides are what else is said.
	asides  = []string{"Thanks, that helps!", "What would you do?", "Can you explain that once more, a bit shorter?", "Good morning", "OK, let's go on with the next step."}
	answers = []string{
		"That sounds good. If you want, I can write down the steps one by one, so that nothing is forgotten on the way.",
		"Of course: begin with the frame, check each joint, and only then turn to the surface. It takes an afternoon.",
		"I would wait until the weather is dry. In the meantime you can sort the tools and order what is missing.",
	}
)

// said gives a text of a person, true if it is one to remember.
func said(r *rand.Rand) string {
	if r.IntN(10) < 4 {
		return asides[r.IntN(len(asides))]
	}
	pick := func(all []string) string { return all[r.IntN(len(all))] }
	return fmt.Sprintf(pick(statements)+"%.0[1]s%.0[2]s%.0[3]s%.0[4]s%.0[5]d", pick(places), pick(things), pick(friends), pick(foods), r.IntN(1_000_000))
}

// write writes conversations in OpenAI's chat format, those of all people mingled, from the first day on.
func (p past) write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 256<<10)
	r := rand.New(rand.NewPCG(7, uint64(len(p.prefix))))
	at := time.Date(2016, 1, 1, 8, 0, 0, 0, time.UTC)
	step := min(time.Hour, 8*365*24*time.Hour/time.Duration(max(1, p.messages/each)))
	type message struct {
		Role    string    `json:"role"`
		Content string    `json:"content"`
		At      time.Time `json:"created_at"`
	}
	e := json.NewEncoder(w)
	for n := 0; n < p.messages; {
		c := struct {
			ID       string    `json:"id"`
			UserID   string    `json:"user_id"`
			Messages []message `json:"messages"`
		}{fmt.Sprintf("c%d", n/each), fmt.Sprintf("%sp%d", p.prefix, r.IntN(p.people)), nil}
		for i := 0; i < each && n < p.messages; i++ {
			m := message{"user", said(r), at.Add(time.Duration(i) * time.Minute)}
			if i%2 == 1 {
				m.Role, m.Content = "assistant", answers[r.IntN(len(answers))]
			}
			c.Messages = append(c.Messages, m)
			n++
		}
		at = at.Add(step)
		if err := e.Encode(c); err != nil {
			return err
		}
	}
	return w.Flush()
}
