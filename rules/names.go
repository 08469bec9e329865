package rules

import (
	"strings"
	"unicode"
)

// nameWords takes a name apart, in lower case: at all that is no letter and no
// digit, before a capital that follows a small letter or a digit (cancelOrder),
// and before the last of several capitals that a small letter follows
// (HTTPRequest).
func nameWords(name string) []string {
	words := []string{}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		runes, begin := []rune(part), 0
		for i := 1; i < len(runes); i++ {
			afterSmall := !unicode.IsUpper(runes[i-1])
			beforeSmall := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsUpper(runes[i]) && (afterSmall || beforeSmall) {
				words = append(words, strings.ToLower(string(runes[begin:i])))
				begin = i
			}
		}
		words = append(words, strings.ToLower(string(runes[begin:])))
	}
	return words
}
