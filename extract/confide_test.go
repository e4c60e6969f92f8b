package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/memdhq/memd"
)

func TestWhatIsToldInConfidenceIsNotKept(t *testing.T) {
	for _, text := range []string{
		// Before it:
		"don't remember this: I have HIV", "This is confidential, please don't store it: I have HIV", "Off the record: I have HIV", "please don't save the following: I have HIV. My sister knows it.",
		"Between us: I was fired once", "Just between you and me - I was fired once", "don't remember this, but I have HIV", "don't remember this but I have HIV", "don't write this down but I have HIV",
		"please don't remember any of this. I have HIV. I got it in Rome.", "This stays between us, don't store it. I have HIV.", "between you and me, don't write this down: I have HIV", "I'd rather you didn't store this: I have HIV",
		"could you not save this? I have HIV", "can you keep this between us? I have HIV", "I don't want this stored: I have HIV", "do not add this to memory: I have HIV", "keep this out of your memory: I have HIV", "what I'm about to say is confidential. I have HIV.",
		// Behind it:
		"I have HIV. Please don't store that.", "I have HIV. Off the record please", "I have HIV, but don't save that", "I have HIV (don't store this)", "I have HIV - off the record", "I have HIV, this is private",
		"I have HIV. Keep that between us and don't store it.", "I have HIV. My wife doesn't know. Please don't store any of this.", "I got HIV but please don't remember that", "My neighbour hides money at home. please don't remember that",
		// In other languages:
		"merk dir das bitte nicht: ich habe HIV", "Das ist vertraulich. Ich bin schwanger.", "Ich bin schwanger, das bleibt bitte unter uns", "Por favor no guardes esto: tengo VIH", "Tengo una relación con mi jefe, que quede entre nosotros",
		"ne retiens pas ça : j'ai le VIH", "Entre nous, je déteste mon patron", "Não guarde isso: tenho HIV", "Tenho HIV, fica entre nós", "Non memorizzare questo: ho l'HIV", "onthoud dit niet: ik heb hiv",
		"ここだけの話ですが、私は来月会社を辞めます", "请不要记住这个：我有艾滋病", "لا تحفظ هذا: أنا مصاب بالسكري",
	} {
		got := extracted(t, nil, user(text))
		if len(got) == 0 {
			t.Errorf("%q: nothing is asked to be forgotten", text)
		}
		for _, c := range got {
			if !c.Forget {
				t.Errorf("%q: %q is kept", text, c.Text)
			}
		}
	}
	for _, text := range []string{
		"Please don't store that", "off the record please", "don't save this", "please keep that between us", "don't remember that please", "That's confidential, don't store it", "keep it private, ok?",
	} {
		if got := asked(t, []memd.Message{user("I have HIV. I like tea.")}, text); !slices.Equal(got, []string{"I have HIV", "I like tea"}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for said, text := range map[string]string{"Ich habe HIV.": "Das bleibt unter uns.", "Tengo VIH": "no lo guardes por favor", "J'ai le VIH.": "N'enregistre pas ça s'il te plaît.", "私はHIVです": "それは保存しないでください", "我有艾滋病": "别保存这个"} {
		if got := asked(t, []memd.Message{user(said)}, text); !slices.Equal(got, []string{strings.TrimRight(said, ".")}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	// Of all that was said, and of what nothing is to be kept.
	if got := asked(t, []memd.Message{user("I have HIV"), user("I like tea")}, "don't save anything from this chat"); !slices.Equal(got, []string{"I have HIV", "I like tea"}) {
		t.Errorf("%q", got)
	}
	if got := asked(t, nil, "don't keep anything about Karen. I live in Graz. Karen hates me. She is 50."); !slices.Equal(got, []string{"about karen", "+I live in Graz", "Karen hates me", "She is 50"}) {
		t.Errorf("%q", got)
	}
	// What is announced so, and what is answered to it.
	if got := asked(t, []memd.Message{user("don't save the next thing I tell you")}, "I have HIV"); !slices.Equal(got, []string{"health:hiv"}) {
		t.Errorf("%q", got)
	}
	reply := memd.Message{ID: 6, Role: memd.RoleAssistant, Text: "HIV is treated with tenofovir these days.", CreatedAt: said}
	if got := extracted(t, []memd.Message{user("don't remember this, but I have HIV")}, reply); len(got) != 0 {
		t.Errorf("%q", texts(got))
	}
	// What was made of it goes with it.
	before := []memd.Message{user("I have HIV"), {ID: 6, Role: memd.RoleAssistant, Text: "HIV is treated with tenofovir these days.", CreatedAt: said}}
	if got := asked(t, before, "please don't store that"); !slices.Contains(got, "I have HIV") || len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestWhatIsNotToldInConfidence(t *testing.T) {
	for text, want := range map[string]string{
		"I keep my diary private": "+I keep my diary private", "The report is confidential": "+The report is confidential",
		"I don't remember where I put my keys": "+I don't remember where I put my keys", "don't forget that I'm vegan": "+I'm vegan", "never forget that I live in Graz": "+I live in Graz",
		"I had a dream about Tom but don't remember it": "+I had a dream about Tom but don't remember it", "I have an Instagram account and keep it private": "+I have an Instagram account and keep it private",
		"My brother and I keep it between us": "+My brother and I keep it between us", "I have a private pilot license": "+I have a private pilot license", "My job is strictly confidential": "+My job is strictly confidential",
		"don't store it below 5 degrees, my wine freezes": "+don't store it below 5 degrees, my wine freezes", "keep this in mind: I'm vegan": "+I'm vegan", "Elle garde mes enfants, c'est privé": "+Elle garde mes enfants, c'est privé", "我们之间有矛盾": "+我们之间有矛盾",
		"I keep a diary, it's private": "+I keep a diary, it's private", "There is tension between us and my in-laws": "+There is tension between us and my in-laws",
		"My boss told me it's confidential, so I said nothing at work": "+My boss told me it's confidential, so I said nothing at work",
	} {
		if got := asked(t, []memd.Message{user("I live in Porto")}, text); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, text := range []string{"keep it short please", "don't store that file in the cloud", "Is this confidential?", "between us and Spain there is Portugal", "don't store the milk in the door", "Merk dir bitte, dass ich Veganer bin", "N'oublie pas que je suis végétarienne", "别忘了我是素食者"} {
		if got := asked(t, []memd.Message{user("I live in Porto")}, text); slices.Contains(got, "I live in Porto") {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestForgettingWhoIsNotNamed(t *testing.T) {
	for text, want := range map[string]string{
		"forget the dog": "about my dog", "please forget Dr. Lee": "about dr. lee", "forget Dr. Lee": "about dr. lee", "forget my sister's address": "home", "forget Eva's birthday": "birthday",
	} {
		if got := asked(t, nil, text); !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"forget the dog, what about a cat?", "Forget the milk!", "forget the dog food"} {
		for _, c := range extracted(t, nil, user(text)) {
			if c.Forget {
				t.Errorf("%q: %+v", text, c)
			}
		}
	}
}
