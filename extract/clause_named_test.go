package extract

import "testing"

// What a sentence tells of somebody it names is a statement of its own, which outlasts what it tells of
// the speaker, where it is sure of whom it is.
func TestWhatIsToldOfSomebodyNamedStandsForItself(t *testing.T) {
	tells(t, map[string][]string{
		"I started dating Sander, he builds violins":                           {"I started dating Sander [partner=Sander]", "(Sander) builds violins"},
		"I'm dating Mia, she has two kids":                                     {"I'm dating Mia [partner=Mia]", "(Mia) has two kids"},
		"I'm dating Mia and her brother is a judge":                            {"I'm dating Mia [partner=Mia]", "(Mia's) brother is a judge"},
		"I have a boyfriend called Ravi who works at Google":                   {"I have a boyfriend called Ravi [partner=Ravi]", "(Ravi) works at Google [ravi|work=Google]"},
		"I have a new boss, she's strict":                                      {"I have a new boss [has:boss]", "(my boss is) strict"},
		"I live with my sister, she's vegan":                                   {"I live with my sister [lives with:sister]", "(my sister is) vegan [sister|diet=vegan]"},
		"My girlfriend Nora is a nurse and she plays the cello":                {"My girlfriend Nora is a nurse [nora|role=nurse]", "(Nora) plays the cello [nora|habit:play cello]"},
		"I'm planning a trip to Kyoto with my sister Ana, she speaks Japanese": {"I'm planning a trip to Kyoto with my sister Ana", "(my sister Ana) speaks Japanese [ana|language:japanese]"},
		"I have a dog called Rex, he's allergic to chicken":                    {"I have a dog called Rex [pet:rex]", "(Rex is) allergic to chicken [rex|allergy:chicken]"},
		"I've been seeing Ines since spring, she restores old boats in Aveiro": {"I've been seeing Ines since spring [partner=Ines]", "(Ines) restores old boats in Aveiro"},
		"I have a new teacher, Mr Bosman, he counts the chalk":                 {"I have a new teacher, Mr Bosman [has:teacher]", "(my teacher Mr Bosman) counts the chalk"},
		"My boss is Karen Moss, she's from Cork":                               {"My boss is Karen Moss [boss=Karen Moss]", "(Karen Moss is) from Cork"},
		"I'm dating Ines, she always":                                          {"I'm dating Ines, she always [partner=Ines]"},
		"I started dating Sander. He builds violins":                           {"I started dating Sander [partner=Sander]", "(Sander) builds violins"},
		"I'm dating Sander. His father is a judge":                             {"I'm dating Sander [partner=Sander]", "(Sander's) father is a judge"},
		// Where it is not sure, or tells of both, the sentence stays whole.
		"I'm dating Ivo, he's been married before":             {"I'm dating Ivo, he's been married before [partner=Ivo]"},
		"I'm dating Ivo, he lives with me":                     {"I'm dating Ivo, he lives with me [partner=Ivo]"},
		"I'm dating Ivo, he was at Google":                     {"I'm dating Ivo, he was at Google [partner=Ivo]"},
		"I'm dating Ivo and he loves it":                       {"I'm dating Ivo and he loves it [partner=Ivo]"},
		"My friend Tom and my brother Leo fight, he's a boxer": {"My friend Tom and my brother Leo fight, he's a boxer"},
		"I live with my mother, he's vegan":                    {"I live with my mother, he's vegan [lives with:mother]"},
		"I'm dating Tom's brother, he's vegan":                 {"I'm dating Tom's brother, he's vegan"},
		"I live in Paris, she's in Rome":                       {"I live in Paris, she's in Rome [home=Paris]"},
		"I'm writing a novel with Ana, he's a smuggler in it":  {"I'm writing a novel with Ana, he's a smuggler in it [in the middle of:novel]"},
		"I have a cat and a dog, he's three":                   {"I have a cat and a dog, he's three [has:cat]"},
	})
}

// What is over of the speaker leaves what was told of somebody else.
func TestEndingLeavesWhatWasToldBeside(t *testing.T) {
	for _, c := range []struct{ first, over, left string }{
		{"I started dating Sander, he builds violins", "I broke up with Sander", "(Sander) builds violins"},
		{"I'm dating Mia, she has two kids", "Mia and I split up", "(Mia) has two kids"},
		{"I have a boyfriend called Ravi who works at Google", "I broke up with Ravi", "(Ravi) works at Google"},
		{"My girlfriend Nora is a nurse and she plays the cello", "Nora and I broke up", "(Nora) plays the cello"},
		{"I'm planning a trip to Kyoto with my sister Ana, she speaks Japanese", "we had to cancel Kyoto", "(my sister Ana) speaks Japanese"},
		{"We use Celery with redis and my boss hates it", "we dropped Celery", ""},
	} {
		left := ""
		for _, s := range extracted(t, nil, user(c.first)) {
			if endsIt(s.Text, c.over) {
				continue
			}
			left = s.Text
		}
		if left != c.left {
			t.Errorf("%q, %q: %q is left, want %q", c.first, c.over, left, c.left)
		}
	}
}
