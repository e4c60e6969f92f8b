package extract

import "testing"

// What is so now is told in passing as well, in the slot of what was so before.
func TestWhatIsSoNow(t *testing.T) {
	slotTable(t, map[string]string{
		"so I guess I'm pescatarian now lol": "diet=pescatarian", "I guess I'm vegan": "", "I suppose we're neighbours then": "",
		"And we found a flat in Eindhoven so no more commuting, we moved in on Saturday": "home=Eindhoven", "we looked at a flat in Eindhoven": "", "we found a flat in Eindhoven for my mum": "",
		"down to 84 kg this morning!!": "weight=84 kg", "I'm down to 84 kg": "weight=84 kg", "up to 12 people can join": "",
		"The twins are here!! Felix and Ada, born February 28": "!health:pregnant", "The twins are in the garden": "",
		"We're six people on the team": "how many we are=six", "no hiring freeze, we're five now": "how many we are=five", "we're two hours late": "", "we're 12 now": "",
		"But I do have celiac disease": "health:celiac disease", "I switched to statistics, they accepted 90 credits": "studies=statistics", "I'm in my third year of economics at Bologna": "studies=economics", "I switched to tea": "",
		"my daughter Mia goes to Oakwood Elementary": "mia|school=Oakwood Elementary", "Mia switched schools, she's at Riverside now": "mia|school=Riverside",
		"We renamed the company to Spinly, Loopify was trademarked": "company|name=Spinly", "My startup is called Loopify, we make software for laundromats": "company|name=Loopify",
		"Actually I prefer aisle seats now, bad bladder lol": "seat=aisle", "When booking for me: I always want a window seat": "seat=window",
	})
}
