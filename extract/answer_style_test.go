package extract

import (
	"slices"
	"testing"

	"github.com/memdhq/memd"
)

// A message that says nothing but how to answer is meant for all answers to come.
func TestWishesForAllAnswers(t *testing.T) {
	tells(t, map[string][]string{
		"keep explanations short. Code first, then one or two sentences max": {"keep explanations short [answer length=short]", "Code first, then one or two sentences max [answer first=code]"},
		"And keep your answers brief please":                                 {"And keep your answers brief please [answer length=brief]"},
		"explain like I'm five":                                              {"explain like I'm five [answer level=five]"},
		"please stop apologising":                                            {"please stop apologising [!answer with apologies]"},
		"don't say sorry all the time":                                       {"don't say sorry all the time [!answer with apologies]"},
		"no small talk please":                                               {"no small talk please [!answer with extras]"},
		// For one answer:
		"keep it short":                                      nil,
		"explain it like I'm five":                           nil,
		"keep explanations short. What is a monad?":          nil,
		"Code first. Write me a function that sorts a list.": nil,
	})
}

// What was proposed by its name is decided for by it.
func TestDecisions(t *testing.T) {
	tells(t, map[string][]string{
		"APScheduler it is":               {"APScheduler it is"},
		"let's go with Postgres":          {"let's go with Postgres"},
		"ok let's use Tailwind then":      {"ok let's use Tailwind then"},
		"let's go with the second one":    nil,
		"let's go with option B":          nil,
		"lemon it is":                     nil,
		"let's go with something shorter": nil,
	})
	before := []memd.Message{{ID: 1, Role: memd.RoleAssistant, Text: "You could take either SQLite or Postgres.", CreatedAt: said}}
	if got := texts(extracted(t, before, user("Postgres it is"))); !slices.Equal(got, []string{"Postgres it is"}) {
		t.Errorf("%q", got)
	}
}

// Somebody of one's own who is called by a small letter is told of beside a question.
func TestOfRelativesBesideAQuestion(t *testing.T) {
	tells(t, map[string][]string{
		"mum was diagnosed with type 2 diabetes, what should she eat?": {"mum was diagnosed with type 2 diabetes [mother|health:type 2 diabetes]"},
		"dad has dementia, how do I talk to him?":                      {"dad has dementia [father|health:dementia]"},
		"grandma has arthritis, what helps?":                           {"grandma has arthritis [grandmother|health:arthritis]"},
		"what did mum have for lunch?":                                 nil,
		"does dad like tea?":                                           nil,
	})
}
