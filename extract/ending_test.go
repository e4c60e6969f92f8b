package extract

import (
	"slices"
	"testing"
)

// endsIt says whether what is told first is over by what is told then, as the long tier finds it out.
func endsIt(told, over string) bool {
	is := slotOf(told)
	of := slotOf(over).orEnding(over)
	if is.name == "" {
		is = looseSlot(told)
	}
	if of.name != "" && is.name == of.name && is.subject == of.subject && !is.negated && (of.negated && (of.value == "" || of.value == is.value) || !of.negated && of.value != is.value) {
		return true
	}
	e, ok := EndingOf(over)
	if !ok || of.name == "" || !slices.Contains(EndSlots(told), of.name) {
		return false
	}
	_, ends := e.Ends(told, is.name, is.subject)
	return ends
}

// What is over ends what was told of the same thing, by whatever words.
func TestWhatIsOverEndsWhatSpeaksOfIt(t *testing.T) {
	for _, pair := range [][2]string{
		{"I have a Pixel 8 and the battery drains fast", "gave up on the Pixel and got an iPhone 15"},
		{"I have a Pixel 8 and the battery drains fast", "I no longer have the Pixel"},
		{"I have a Pixel 8", "I sold my Pixel 8"},
		{"Our old Volvo V70 needs new brake pads", "We sold the Volvo yesterday (2026-03-02), got 14,000 for it"},
		{"I have a VW Golf 2015", "Update: I sold the Golf"},
		{"I drive a Tesla", "I sold my Tesla"},
		{"I have a Tesla", "sold my Tesla last week"},
		{"My Brompton has a squeaky hinge", "my Brompton was stolen"},
		{"My Brompton has a squeaky hinge", "someone stole my Brompton last night"},
		{"My MacBook is slow", "I replaced the MacBook with a ThinkPad"},
		{"I have a canoe and two paddles", "we gave the canoe away"},
		{"We're planning a trip to Kyoto in November (2026-11) with my parents", "We had to cancel Kyoto, dad is in hospital"},
		{"We're planning a trip to Kyoto in November", "our trip to Kyoto is off"},
		{"I'm moving to Valencia in September", "I'm not moving to Valencia after all"},
		{"We want to buy a house in Braga", "we decided not to buy the house"},
		{"We are looking at a house in Braga", "the house in Braga fell through"},
		{"my cat pixel has diabetes and gets insulin twice a day", "pixel passed away on sunday :("},
		{"We have a cat called Olive", "Olive died last week"},
		{"My cat Olive is 12", "we had to put Olive down"},
		{"My grandma lives with us", "my grandma passed away"},
		{"My girlfriend Hanna and I want to go to Sicily in May", "so hanna and i broke up last week"},
		{"I'm dating Ravi", "I broke up with Ravi"},
		{"My boyfriend Ravi is a chef", "Ravi dumped me"},
		{"yes, with redis as broker (asked: Do you use Celery for background jobs?)", "we dropped celery and use dramatiq now"},
		{"Heron runs on AWS", "moved Heron from AWS to Hetzner"},
		{"We deploy everything on AWS", "We migrated away from AWS"},
		{"We use Celery with redis", "we moved off Celery"},
		{"I run three times a week, about 8k", "had to give up running because of my knee"},
		{"I go climbing every Tuesday", "I gave up climbing"},
		{"i play bass in a school band", "i quit bass, i play drums now"},
		{"I take sertraline 50mg for anxiety", "I no longer take sertraline"},
		{"I take sertraline 50mg for anxiety", "I stopped taking sertraline"},
		{"I take sertraline 50mg for anxiety", "I came off sertraline in March"},
		{"I'm on sertraline 50mg for my anxiety", "I'm not on sertraline anymore"},
		{"levothyroxine 75 mcg (asked: Do you take any medication?)", "I no longer take levothyroxine"},
		{"Tom does QA", "but Tom left the company so QA is on me now"},
		{"my co-founder Jens does the sales", "Jens left in May"},
		{"my boss Karen is driving me crazy", "Karen left, my new boss is Dev and he's great"},
		{"Co-founder is Jens", "and Jens left so I'm the only founder now"},
		{"my hobbies are climbing", "I gave up climbing after my shoulder surgery"},
		{"Mara leads the design team", "Ines took over design from Mara"},
		{"remind me i have a dentist appointment on march 10 (2026-03-10) at 9am", "the dentist called, appointment moved to march 12 (2026-03-12) at 4pm"},
		{"I have a dentist appointment on March 10", "the dentist moved my appointment to March 12"},
		{"The deadline for project Falcon is April 30 (2026-04-30)", "Client agreed to move the Falcon deadline to May 15 (2026-05-15)"},
		{"We're getting married on June 6, the wedding is in Ravello", "we had to move the wedding to September 12"},
		{"my law exam is on June 18", "my law exam got pushed to July 2"},
		{"I'm flying to Oslo on May 7, my flight leaves at 9", "They rebooked my Oslo flight to May 9"},
		{"We've been together for three years", "so hanna and i broke up last week"},
		{"(I) commute to Philips in Eindhoven every day", "And we found a flat in Eindhoven so no more commuting, we moved in on Saturday"},
		{"I'm getting married on June 6 (2026-06-06) in Ravello!", "we moved the wedding to September 12 (2026-09-12), in Amalfi now"},
		{"I'm from Kenya, living in Nairobi", "i said nairobi last time but that was wrong, i live in Nakuru, my brother is in nairobi"},
		{"her class is 2B at Lindenschule", "small correction, she's in 2C not 2B, and it's 26 kids"},
		{"I'm 34", "sorry, 35 not 34"},
		{"I live in Rome", "I left Rome for good"},
		{"My wife's exam is on May 4", "the exam was moved to May 11"},
		{"I work at Siemens", "I left Siemens for good"},
		{"My dog Max is three", "my dog Max died"},
		{"I work at Siemens", "I said Siemens but it's Bosch"},
		{"I think I might be lactose intolerant, my stomach hurts after milk", "test came back, I'm not lactose intolerant"},
		{"my mom is having cataract surgery on april 3 (2026-04-03)", "surgery is postponed to april 17 (2026-04-17), the doctor is sick"},
	} {
		if !endsIt(pair[0], pair[1]) {
			e, ok := EndingOf(pair[1])
			t.Errorf("%q does not end %q: %+v %v %v, %v", pair[1], pair[0], e, ok, slotOf(pair[1]).orEnding(pair[1]), slotOf(pair[0]))
		}
	}
}

// What is over of one thing ends nothing that is told of others, of what is somebody else's, or of
// what was.
func TestWhatIsOverEndsNothingElse(t *testing.T) {
	for _, pair := range [][2]string{
		{"I have a Pixel 8", "my brother sold his Pixel"},
		{"I have a Pixel 8", "I sold my iPhone"},
		{"My brother has a Volvo", "We sold the Volvo"},
		{"My sister's Volvo is red", "We sold the Volvo"},
		{"We drove the Volvo to Italy in 2019", "We sold the Volvo"},
		{"I have a VW Passat", "I sold the VW Golf"},
		{"I have a Golf", "I might sell the Golf"},
		{"I have a Golf", "I almost sold the Golf"},
		{"I have a Golf", "I haven't sold the Golf yet"},
		{"I have a Golf", "I want to sell the Golf"},
		{"I have a red bike", "I sold the blue bike"},
		{"I live in Kyoto", "We had to cancel Kyoto"},
		{"I love Kyoto", "our trip to Kyoto is off"},
		{"I'm going to Rome in May", "our trip to Kyoto is off"},
		{"I was in Valencia in 2020", "I'm not moving to Valencia after all"},
		{"My dog Rex is six", "I dreamt Rex died"},
		{"My dog Rex is six", "my neighbour's dog Bo died"},
		{"Rex was born in 2015", "Rex died"},
		{"My sister Hanna is a nurse", "Ravi and I broke up"},
		{"My sister Hanna lives in Rome", "Hanna and I broke up"},
		{"My sister works at AWS", "We moved off AWS"},
		{"I love running shoes", "I gave up running"},
		{"I love coffee cake", "I gave up coffee"},
		{"I hate Celery", "we dropped Celery"},
		{"I play the drums", "i quit bass"},
		{"I take ibuprofen for my back", "I no longer take sertraline"},
		{"My mother takes sertraline", "I no longer take sertraline"},
		{"Tom is my brother", "Tom left the company"},
		{"Priya leads backend, Tom does QA", "Tom left the company"},
		{"Priya leads backend", "Tom left the company"},
		{"My physio appointment is on March 10", "my dentist appointment moved to March 12"},
		{"I had a dentist appointment on March 3", "the dentist moved my appointment to March 12"},
		{"My exam is on June 18", "my sister's exam got pushed to July"},
		{"my wife's exam is on June 18", "my exam got pushed to July"},
		{"I use Vim", "I quit Facebook"},
		{"I have 34 cousins", "sorry, 35 not 34"},
		{"The bus is the 34", "I'm 35, not 34"},
		{"My brother Max lives in Bonn", "my dog Max died"},
		{"I love Rome", "I left Rome for good"},
		{"My sister lives in Rome", "I left Rome for good"},
		{"I love Nairobi", "i said nairobi last time but that was wrong, i live in Nakuru"},
		{"My brother works at Siemens", "I said Siemens but it's Bosch"},
		{"I said hi to Tom at work", "I said Siemens but it's Bosch"},
		{"We've known each other for three years", "so hanna and i broke up last week"},
		{"My brother might be lactose intolerant", "I'm not lactose intolerant"},
		{"I might move to Rome", "I'm not lactose intolerant"},
		{"I commute to Philips every day", "we moved the sofa"},
		{"I moved the sofa to the window", "we moved the table"},
		{"My party is in May", "we left the party early"},
		{"The meeting with Tom is on Monday", "we moved the sofa"},
	} {
		if endsIt(pair[0], pair[1]) {
			e, _ := EndingOf(pair[1])
			t.Errorf("%q ends %q: %+v %v, %v", pair[1], pair[0], e, slotOf(pair[1]).orEnding(pair[1]), slotOf(pair[0]))
		}
	}
}
