package extract

import "testing"

// What is told and what says that it is over are about the same.
func TestWhatIsOverMeetsWhatWasTold(t *testing.T) {
	for _, pair := range [][2]string{
		{"I play the trumpet every weekend", "gave up the trumpet lol"},
		{"i do karate on mondays", "quit karate last month"},
		{"I go to pottery class on Fridays", "I don't go to pottery anymore"},
		{"I'm a member of the Alder Chess Club", "I'm no longer a member of the Alder Chess Club, too far away"},
		{"I sing in a choir on Tuesdays", "i left the choir"},
		{"I'm on the school board", "I resigned from the school board"},
		{"We run a small bike shop called Spoke in Delft", "we closed the bike shop in spring"},
		{"I own a food truck", "sold the food truck, bit sad"},
		{"I take Morvexa every night for my heart", "my doctor took me off Morvexa"},
		{"I'm on Tilvane 20 mg", "came off tilvane in may"},
		{"i've got my wrist in a splint for two weeks", "splint came off today!!"},
		{"My foot is in a cast", "the cast's off finally"},
		{"I have braces", "got my braces off"},
		{"I'm engaged to Sunniva", "we called off the wedding"},
		{"im seeing a guy called tariq", "me and tariq broke up"},
		{"I'm pregnant", "the baby is here, a boy"},
		{"I live with my aunt", "i don't live with my aunt anymore"},
		{"We keep the backups on tape", "We no longer keep the backups on tape, they are in a vault"},
		{"Jonas lives with us", "Jonas doesn't live with us any more"},
		{"I smoke ten a day", "haven't smoked since january"},
		{"I'm learning Norwegian with a tutor", "I've dropped Norwegian"},
		{"I'm vegetarian", "any steak places here? not vegetarian anymore lol"},
		{"I volunteer at the animal shelter", "I had to stop volunteering at the animal shelter"},
		{"I'm doing keto", "quit keto last week"},
		{"i broke my wrist", "my wrist is healed"},
		{"I've got the flu", "finally over the flu"},
		{"My dad is in hospital", "dad got out of hospital today"},
		{"I've been dating Ravi since June", "Ravi and I are over"},
		{"I run every morning", "I can't run anymore because of my hip"},
		{"i'm in a book club with Odile", "Odile and i left the book club"},
		{"Ich arbeite bei der Post", "Ich arbeite nicht mehr bei der Post"},
		{"J'habite à Rouen", "Je n'habite plus à Rouen"},
		{"Vivo con mi madre en Vigo", "ya no vivo con mi madre en Vigo"},
		{"Ich habe einen Hund", "Ich habe keinen Hund mehr"},
		{"our wedding is on 4 July", "the wedding's off"},
	} {
		told, over := extracted(t, nil, user(pair[0])), extracted(t, nil, user(pair[1]))
		if len(told) != 1 || len(over) != 1 {
			t.Errorf("%q: %s %s", pair, quoted(texts(told)), quoted(texts(over)))
			continue
		}
		a, b := told[0], over[0]
		if a.Slot == "" || a.Slot != b.Slot || a.Subject != b.Subject || a.Negated || !b.Negated || b.Value != "" && b.Value != a.Value {
			t.Errorf("%q: %s|%s=%s, %s|%s=%s %v", pair, a.Subject, a.Slot, a.Value, b.Subject, b.Slot, b.Value, b.Negated)
		}
	}
}

// What has only stopped for the moment, or is somebody else's, ends nothing.
func TestWhatIsNotOver(t *testing.T) {
	for _, text := range []string{
		"the tram stopped for an hour", "I dropped my phone", "I left the office at six", "closed the window", "I returned the call", "we left the party early",
		"I'm off work today", "the chickens came home", "my brother quit", "closed the cafe early because of the storm", "stopped the piano practice at nine", "I don't eat fish on mondays anymore",
	} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Negated {
				t.Errorf("%q: %s", text, c.Slot)
			}
		}
	}
}

func TestWhatChangesHasOneSlot(t *testing.T) {
	for _, pair := range [][2]string{
		{"our kitten Pixel weighs 1 kilo", "pixel weighs 3 kilos now"},
		{"I work at the museum", "since october I work at the archive instead, it's quieter"},
		{"My oboe exam was moved to 17 April 2025", "ugh they moved my oboe exam AGAIN, 24 April 2025 now"},
		{"my physio appointment is on Tuesday", "physio got moved to Friday"},
		{"My rent is 800", "rent went up to 870"},
		{"my favourite bar is Anchor", "new favourite bar: The Lantern"},
		{"our API is on v2", "our API is on v3 now"},
		{"I'm a junior welder", "got promoted to senior welder"},
		{"my boss is Karen", "we have a new boss, Idris"},
		{"my son is 3 months old", "my son is 5 months old now"},
		{"deadline for the grant is 4 June", "grant deadline moved to 11 June"},
		{"I'm single", "i have a girlfriend now, Noor"},
	} {
		told, now := extracted(t, nil, user(pair[0])), extracted(t, nil, user(pair[1]))
		if len(told) != 1 || len(now) != 1 {
			t.Errorf("%q: %s %s", pair, quoted(texts(told)), quoted(texts(now)))
			continue
		}
		if a, b := told[0], now[0]; a.Slot == "" || a.Slot != b.Slot || a.Subject != b.Subject || a.Value == b.Value || b.Value == "" || b.Negated {
			t.Errorf("%q: %s|%s=%s, %s|%s=%s", pair, a.Subject, a.Slot, a.Value, b.Subject, b.Slot, b.Value)
		}
	}
}
