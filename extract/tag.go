package extract

// "I'm allergic to nuts, remember?" hangs on what is told a word that is put to who listens: it
// is no part of that, and no member of a row.

var (
	// hungOn is such a word, behind a comma; byMark asks for its mark as well.
	hungOn = english(`,\s+(?:(?:do you |you )?remember(?: that)?|ok|okay|k|got it|got that|understood|deal|alright|all right|yeah|you know|ya know|you see|you hear|hear me|capisce|mind you|don't forget(?: that| it)?|never forget(?: that| it)?)[\s?!.]*$`)
	// ofOwnTold opens what a speaker tells of their own, or asks to be kept in mind.
	ofOwnTold = english(`^` + lightWords + `(?:(?:i|i'm|im|i've|ive|i'd|we|we're|we've|my|our)\s|(?:remember|(?:don't|dont|do not|never) (?:ever )?forget)\s+(?:that\s+)?(?:i|i'm|im|i've|we|we're|my|our)\s)`)
)

// withoutTag takes such words off what a speaker tells of their own.
func withoutTag(text string) string {
	if len(text) > 300 || !ofOwnTold.MatchString(text) {
		return text
	}
	for at := hungOn.FindStringIndex(text); at != nil && countWords(text[:at[0]]) > 2; at = hungOn.FindStringIndex(text) {
		text = text[:at[0]]
	}
	return text
}
