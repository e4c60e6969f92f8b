package extract

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Illnesses that somebody may have, by name. What is asked to be forgotten of somebody's health is
// told by these too.

var illnessNames = strings.Split(`asthma|diabetes|type 1 diabetes|type 2 diabetes|migraine|migraines|epilepsy|arthritis|celiac disease|coeliac disease|crohn's|crohn's disease|adhd|anxiety|depression|insomnia|tinnitus|hypertension|high blood pressure|low blood pressure|eczema|psoriasis|endometriosis|ibs|scoliosis|sciatica|anaemia|anemia|hay fever|hayfever|sleep apnea|sleep apnoea|vertigo|gout|reflux|back pain|cancer|a bad knee|`+
	`lupus|ms|multiple sclerosis|hiv|ptsd|ocd|bpd|bipolar disorder|schizophrenia|autism|hepatitis|herpes|parkinson's|dementia|alzheimer's|fibromyalgia|pcos|glaucoma|osteoporosis|leukemia|leukaemia|lymphoma|heart disease|a heart condition|long covid|dyslexia`, "|")

// illnesses is a pattern of them, the longest first.
var illnesses = func() string {
	all := slices.Clone(illnessNames)
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for i, name := range all {
		all[i] = regexp.QuoteMeta(name)
	}
	return "(?:" + strings.Join(all, "|") + ")"
}()
