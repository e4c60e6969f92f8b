package extract

import (
	"strings"
	"testing"
	"time"

	"github.com/memdhq/memd"
)

// What is said in a play is not learned, up to its end or to where its speaker steps out of it.
func TestNothingIsTrueInAPlay(t *testing.T) {
	tells(t, map[string][]string{
		"Imagine I'm a CEO. I have 500 employees. I live in Dubai.":                       nil,
		"Pretend I'm a king. My wife is Guinevere. She is 30. I live in a castle":         nil,
		"Let's do a D&D scene. I'm a barbarian called Grumsh, I live in a cave":           nil,
		"let's play a game, you are my doctor. I have a broken arm and I'm 80 years old":  nil,
		"Pretend I'm a king. I live in a castle. Btw I live in Graz.":                     {"Btw I live in Graz [home=Graz]"},
		"I live in Graz. Let's pretend I'm a king. I have a castle.":                      {"I live in Graz [home=Graz]"},
		"Let's play tennis on Friday. I live in Graz.":                                    {"I live in Graz [home=Graz]"},
		"I play D&D on Fridays. I live in Graz.":                                          {"I play D&D on Fridays [habit:play d&d]", "I live in Graz [home=Graz]"},
		"I imagine my wife is in Rome. I live in Graz.":                                   {"I imagine my wife is in Rome", "I live in Graz [home=Graz]"},
		"this is a game changer. I love coffee.":                                          {"I love coffee [taste:coffee]"},
		"Imagine my surprise. I live in Graz.":                                            {"Imagine my surprise", "I live in Graz [home=Graz]"},
		"give me a song recommendation. I love jazz.":                                     {"I love jazz [taste:jazz]"},
		"Let's practice a job interview. You're the interviewer. I'm a nurse at Charité.": {"I'm a nurse at Charité [work=Charité]"},
	})
}

// What stands behind a request for a part or a text may be of that: it is about nothing.
func TestWhatMayBeOfWhatIsAskedForIsAboutNothing(t *testing.T) {
	tells(t, map[string][]string{
		"Act as my therapist. I'm a rock star. I live in LA and I hate my fans.":     {"I'm a rock star", "I live in LA and I hate my fans"},
		"Write a short story. I live in Paris. My wife is Colette.":                  {"I live in Paris", "My wife is Colette"},
		"Write an email to my landlord. I live in Graz and the heating is broken.":   {"I live in Graz and the heating is broken"},
		"My character in the book: I am Nora, I live in Bergen":                      {"My character in the book: I am Nora, I live in Bergen"},
		"In my game I live in a castle and I have three dragons":                     {"In my game I live in a castle and I have three dragons"},
		"I'm Batman. I live in Gotham lol":                                           {"I'm Batman", "I live in Gotham lol"},
		"Write me a bio. I'm a nurse and I live in Graz.":                            {"I'm a nurse [role=nurse]", "I live in Graz [home=Graz]"},
		"I live in Graz. Write me a poem about it.":                                  {"I live in Graz [home=Graz]"},
		"I wrote an email to my landlord. I live in Graz.":                           {"I wrote an email to my landlord", "I live in Graz [home=Graz]"},
		"You're a great help. I live in Graz.":                                       {"I live in Graz [home=Graz]"},
		"In the film I saw a dog dies. I live in Graz.":                              {"In the film I saw a dog dies", "I live in Graz [home=Graz]"},
		"Act as my coach. Draw me a plan. Btw I live in Graz":                        {"Btw I live in Graz [home=Graz]"},
		"write an email to my manager saying I have the flu and can't come tomorrow": nil,
		"Draft a message to my sister that I am moving to Canada":                    nil,
		"Write a message to my wife Pia that I'll be late":                           {"Write a message to my wife Pia"},
	})
}

// A play goes on from message to message, until it is over.
func TestAPlayGoesOn(t *testing.T) {
	for _, c := range []struct {
		said []string
		want string
		// rests is how long nothing was said before the last message.
		rests time.Duration
	}{
		{said: []string{"Let's do a D&D scene. I'm a barbarian.", ">You step out of your cave.", "I live in a cave near Neverwinter"}},
		{said: []string{"roleplay: I'm a wizard", ">Welcome!", "I cast a spell", ">It works.", "my wife is Morgana"}},
		{said: []string{"roleplay: I'm a wizard", ">Welcome!", "btw I live in Graz irl", ">Nice.", "I live in a tower"}},
		{said: []string{"roleplay: I'm a wizard", ">Welcome!", "I cast a spell. Btw I live in Graz"}, want: "Btw I live in Graz [home=Graz]"},
		{said: []string{"roleplay: I'm a wizard", ">Welcome!", "that was fun, thanks", ">Sure.", "I live in Graz"}, want: "I live in Graz [home=Graz]"},
		{said: []string{"roleplay: I'm a wizard", ">Welcome!", "ok stop. I live in Graz"}, want: "I live in Graz [home=Graz]"},
		{said: []string{"roleplay: I'm a wizard", ">Welcome!", "help me write an email. I live in Graz"}, want: "I live in Graz"},
		{said: []string{"roleplay: I'm a wizard", ">Welcome!", "But my real name is Anouk"}, want: "But my real name is Anouk [name=Anouk]"},
		{said: []string{"roleplay: I'm a wizard", ">Welcome!", "I live in Graz"}, want: "I live in Graz [home=Graz]", rests: 5 * time.Hour},
		{said: []string{"Imagine I'm a king.", ">Alright.", "I live in Graz"}, want: "I live in Graz [home=Graz]"},
		{said: []string{"Act as a coach.", ">Alright.", "I live in Graz"}, want: "I live in Graz [home=Graz]"},
		{said: []string{"pretend you're a teacher and tell me how to calm a class", ">I count to ten.", "I live in Graz"}, want: "I live in Graz [home=Graz]"},
		{said: []string{"I play D&D on Fridays", ">Nice.", "I live in Graz"}, want: "I live in Graz [home=Graz]"},
	} {
		var all []memd.Message
		at := time.Date(2024, 3, 5, 12, 0, 0, 0, time.UTC)
		for i, text := range c.said {
			m := memd.Message{ID: int64(i + 1), Role: memd.RoleUser, Text: text, CreatedAt: at.Add(time.Duration(i) * time.Minute)}
			if rest, ok := strings.CutPrefix(text, ">"); ok {
				m.Role, m.Text = memd.RoleAssistant, rest
			}
			if i == len(c.said)-1 {
				m.CreatedAt = m.CreatedAt.Add(c.rests)
			}
			all = append(all, m)
		}
		var got []string
		for _, cand := range extracted(t, all[:len(all)-1], all[len(all)-1]) {
			said := cand.Text
			if held := holds(cand); held != "" {
				said += " [" + held + "]"
			}
			got = append(got, said)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q\n gives %q\n want  %q", c.said, got, c.want)
		}
	}
}
