package extract

import "strings"

// Whoever is writing a thesis has one in the making until it is finished, which does not end
// their studies.

const undertakings = `thesis|dissertation|novel|book|memoir|memoirs|screenplay|manuscript|biography|phd`

var (
	undertakes = english(`^(?:am|are|is)\s+(?:(?:busy|still|currently|back)\s+)*(?:writing|working on|finishing|finishing up|revising|editing|drafting)\s+(?:up\s+|on\s+)?(?:a|an|my|our|the|his|her)\s+(?:[\pL'-]+\s+){0,2}?(` + undertakings + `)\b`)
	undertook  = english(`^(?:have\s+)?(?:finished|completed|submitted|handed in|turned in|published|abandoned|gave up on|am done with|is done with)\s+(?:writing\s+|working on\s+)?(?:(?:my|our|his|her)\s+(?:[\pL'-]+\s+){0,2}?(` + undertakings + `)|the\s+(?:[\pL'-]+\s+){0,2}?(thesis|dissertation|screenplay|manuscript))\b`)
)

// undertakingSlot reads what somebody is writing, and that it is done.
func undertakingSlot(s *saying) (about, bool) {
	if !s.known {
		return about{}, false
	}
	if m := s.match(undertakes, "writing", "working on", "finishing", "revising", "editing", "drafting"); m != nil {
		return s.about("in the middle of:"+strings.ToLower(m[1]), "")
	}
	if m := s.match(undertook, "finished", "completed", "submitted", "handed", "turned", "published", "abandoned", "gave up", "done"); m != nil && !s.denied {
		return about{name: "in the middle of:" + strings.ToLower(m[1]+m[2]), subject: s.subject, negated: true}, true
	}
	return about{}, false
}
