package extract

import "strings"

// contractions are the short forms of English, with and without their apostrophe,
// and what they stand for.
var contractions = map[string]string{
	"i'm": "I am", "im": "I am", "i've": "I have", "ive": "I have", "i'd": "I would", "i'll": "I will",
	"we're": "we are", "we've": "we have", "we'd": "we would", "we'll": "we will",
	"he's": "he is", "she's": "she is", "it's": "it is", "that's": "that is", "there's": "there is", "they're": "they are", "they've": "they have",
	"name's": "name is", "isn't": "is not", "isnt": "is not", "aren't": "are not", "arent": "are not", "ain't": "am not",
	"wasn't": "was not", "wasnt": "was not", "weren't": "were not", "don't": "do not", "dont": "do not", "doesn't": "does not", "doesnt": "does not",
	"didn't": "did not", "didnt": "did not", "haven't": "have not", "havent": "have not", "hasn't": "has not", "hasnt": "has not", "hadn't": "had not",
	"can't": "can not", "cant": "can not", "cannot": "can not", "couldn't": "could not", "won't": "will not", "wouldn't": "would not", "shouldn't": "should not",
	"favourite": "favorite", "favourites": "favorites", "fav": "favorite", "fave": "favorite", "colour": "color", "colours": "colors",
	"bday": "birthday", "bday's": "birthday is", "bdays": "birthday is", "birthday's": "birthday is",
	"gonna": "going to", "wanna": "want to", "gotta": "got to",
}

// expand writes the short forms of a text out, so that rules need to know one form only.
func expand(text string) string {
	var out strings.Builder
	done := 0
	for _, w := range wordsOf(text) {
		long, ok := contractions[w.low]
		if !ok {
			continue
		}
		out.WriteString(text[done:w.start])
		out.WriteString(long)
		done = w.end
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}
