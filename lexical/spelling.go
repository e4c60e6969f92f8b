package lexical

import "strings"

// american holds words that British and American English spell otherwise, by the British
// spelling. Only spelling is in it: no words that only one side has (flat, mum), none
// that either side also has with another meaning (tyre, kerb, cheque, storey), and none
// that are names in one of the spellings (Grey, Honour, Armour).
var american = spellings()

func spellings() map[string]string {
	all := map[string]string{}
	add := func(stems, british, american, ends string) {
		for _, stem := range strings.Fields(stems) {
			for _, end := range append([]string{""}, strings.Fields(ends)...) {
				all[stem+british+end] = stem + american + end
			}
		}
	}
	// -our, -or
	add(`behavi col endeav fav ferv flav harb hum lab misdemean neighb od rum sav splend tum val vap vig`, "our", "or",
		`s ed ing er ers ful fully less ite ites able ably al ally hood hoods ly y ist ists`)

	// -ise, -ize
	stems := `agon american anonym antagon apolog author bapt brutal capital categor central character civil colon commercial computer
critic crystall custom demon digit dramat econom emphas energ equal fantas fertil final formal general global harmon hospital
human hypnot ideal immun individual industrial initial institutional internal international item jeopard legal local maxim
memor mesmer minim mobil modern moistur monet neutral normal optim organ ostrac pasteur patron penal personal plural polar
popular priorit privat publ public random rational real recogn reorgan revolution romantic sanit scrutin secular serial sexual
social special stabil standard steril stigmat subsid summar symbol sympath synchron synthes terror token traumat
trivial unauthor unorgan util vandal verbal victim visual western winter`
	add(stems, "is", "iz", `e es ed ing er ers able ation ations ational ings`)
	for _, stem := range strings.Fields(stems) {
		delete(all, stem+"is") // no word by itself, or another one
	}
	add(`anal catal dial electrol paral breathal`, "ys", "yz", `e es ed ing er ers`)
	for _, stem := range strings.Fields(`anal catal dial electrol paral breathal`) {
		delete(all, stem+"ys")
	}
	delete(all, "analyses") // also of analysis, on both sides
	delete(all, "catalyses")
	delete(all, "dialyses")
	delete(all, "paralyses")

	// -re, -er
	add(`cent centimet epicent fib kilomet lit lust meag millilit millimet calib nanomet sab somb spect theat amphitheat`, "re", "er", `s`)
	add(`cent`, "red", "ered", ``)
	add(`cent`, "ring", "ering", ``)
	add(`met`, "re", "er", `s`)

	// one l or two
	add(`cance channe counse dia due equa fue fune labe leve marve mode pane peda quarre riva signa spira tota trave tunne unrave`, "ll", "l", `ed ing`)
	add(`counse jewe mode trave`, "ll", "l", `er ers`)
	add(`counse`, "llor", "lor", `s`)
	add(`marve`, "llous", "lous", `ly`)

	for british, american := range map[string]string{
		"aeroplane": "airplane", "aeroplanes": "airplanes", "ageing": "aging", "aluminium": "aluminum", "anaemia": "anemia", "anaemic": "anemic",
		"anaesthesia": "anesthesia", "anaesthetic": "anesthetic", "anaesthetist": "anesthetist",
		"caesarean": "cesarean", "catalogue": "catalog", "catalogues": "catalogs", "coeliac": "celiac", "cosy": "cozy", "defence": "defense",
		"diarrhoea": "diarrhea", "doughnut": "donut", "doughnuts": "donuts", "enrol": "enroll", "enrolment": "enrollment", "foetus": "fetus", "fulfil": "fulfill",
		"fulfilment": "fulfillment", "gynaecologist": "gynecologist", "gynaecology": "gynecology", "haemoglobin": "hemoglobin", "haemorrhage": "hemorrhage",
		"instalment": "installment", "instalments": "installments", "jewellery": "jewelry", "judgement": "judgment", "learnt": "learned", "leukaemia": "leukemia",
		"licence": "license", "licences": "licenses", "manoeuvre": "maneuver", "manoeuvres": "maneuvers", "moustache": "mustache", "oesophagus": "esophagus", "oestrogen": "estrogen",
		"offence": "offense", "omelette": "omelet", "omelettes": "omelets", "orthopaedic": "orthopedic", "paediatric": "pediatric", "paediatrician": "pediatrician",
		"plough": "plow", "practise": "practice", "practised": "practiced", "practises": "practices", "practising": "practicing", "pretence": "pretense",
		"programme": "program", "programmes": "programs", "pyjama": "pajama", "pyjamas": "pajamas", "sceptic": "skeptic", "sceptical": "skeptical",
		"skilful": "skillful", "sulphur": "sulfur", "woollen": "woolen", "yoghurt": "yogurt", "yoghurts": "yogurts",
	} {
		all[british] = american
	}
	return all
}
