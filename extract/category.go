package extract

import "strings"

// kindsOf are the plain labels of slots, by what their names begin with.
var kindsOf = []struct{ prefix, category string }{
	{"home", "home"}, {"address", "home"}, {"born in", "personal"}, {"work", "work"}, {"role", "work"}, {"job title", "work"}, {"studies", "education"}, {"major", "education"},
	{"partner", "family"}, {"mother", "family"}, {"father", "family"}, {"sister", "family"}, {"brother", "family"}, {"son", "family"}, {"daughter", "family"}, {"marital status", "family"}, {"number of children", "family"}, {"number of grand", "family"},
	{"number of brothers", "family"}, {"number of sisters", "family"}, {"number of siblings", "family"}, {"number of sons", "family"}, {"number of daughters", "family"}, {"number of ", "pets"}, {"pet:", "pets"}, {"allergy:", "health"}, {"health:", "health"}, {"blood", "health"}, {"diet", "food"}, {"habit:eat", "food"}, {"habit:drink", "food"}, {"habit:", "habit"},
	{"taste:", "preference"}, {"favorite:", "preference"}, {"answer ", "instruction"}, {"date:", "plan"}, {"going to:", "plan"}, {"training for:", "plan"}, {"deadline", "project"}, {"version:", "project"}, {"port", "project"}, {"written in", "project"}, {"default branch", "project"}, {"main branch", "project"}, {"branch", "project"}, {"rate limit", "project"}, {"timeout", "project"}, {"url", "project"}, {"staging url", "project"}, {"database", "project"}, {"framework", "project"}, {"package manager", "project"}, {"linter", "project"},
	{"name", "personal"}, {"called", "personal"}, {"pronouns", "personal"}, {"age", "personal"}, {"birthday", "personal"}, {"language:", "personal"}, {"native language", "personal"},
}

// categories are the labels of what a statement is about; most have none.
func (a about) categories() []string {
	for _, k := range kindsOf {
		if a.name != "" && strings.HasPrefix(a.name, k.prefix) {
			return []string{k.category}
		}
	}
	return nil
}
