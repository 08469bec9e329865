package admit

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// claims reports whether the text says that the deed of a call is done: by the
// verb of the tool's name as of something done, by a word for success beside what
// the call is or was given, or in a sentence that says nothing else.
func (t *Text) claims(f Failure) bool {
	given := strings.ToLower(f.Arguments)
	for _, s := range t.sentences {
		for i := range s.clauses {
			c := &s.clauses[i]
			if c.denies || c.undone || c.asks || c.means != 0 || supposed().MatchString(c.text) {
				continue
			}
			words := tokens(c.text)
			mine, other := named(words, given)
			if other && !mine {
				continue // of another order, booking, file
			}
			verb, deed := f.deed(words)
			alone := len(s.clauses) == 1 && len(c.words) <= 2
			if verb || (deed || mine || alone) && succeeded().MatchString(c.text) {
				return true
			}
		}
	}
	return false
}

// deed reports whether words have a form of a word of the tool's name: of
// something done (cancelled, sent), or any that begins as it does (cancellation).
func (f *Failure) deed(words []string) (done, any bool) {
	for _, w := range words {
		for _, verb := range f.Tool {
			done = done || isDone(w, verb)
			any = any || len(verb) > 3 && strings.HasPrefix(w, verb)
		}
	}
	return done, any
}

// named reports whether words that name one thing, since they have a digit, are
// among what a call was given, and whether there are others.
func named(words []string, given string) (mine, other bool) {
	if !lang.HasDigit(given) {
		return false, false
	}
	for _, w := range words {
		if lang.HasDigit(w) {
			if strings.Contains(given, w) {
				mine = true
			} else {
				other = true
			}
		}
	}
	return mine, other
}

// tokens is the words of a text in lower case, names such as P-17 and a.txt whole.
func tokens(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' && r != '.' && r != '/' || unicode.Is(unicode.Han, r)
	})
	for i := range list {
		list[i] = strings.Trim(list[i], "-_./")
	}
	return list
}

// supposed is what speaks of a deed that is not done, or not yet.
var supposed = pattern(`(?i)\b(if|once|when|whenever|unless|until|before|would|could|can|will|shall|should|may|might|must|want|need|wish|like me|let me|please|going to|about to|ready to|instead of)\b|['’]ll\b|如果|要是|可以|将|请`)

// succeeded is a word for success.
var succeeded = pattern(`(?i)\b(done|completed?|all set|taken care of|went through|succe(ss|eded|ssful|ssfully)|finished|finali[sz]ed)\b|已|完成|成功|好了|办妥`)

// isDone reports whether a word is a past form of a verb: cancelled of cancel,
// paid of pay.
func isDone(word, verb string) bool {
	if forms, ok := irregular[verb]; ok {
		return slices.Contains(strings.Fields(forms), word)
	}
	base, regular := strings.CutSuffix(word, "ed")
	if !regular || len(base) < 2 {
		return false
	}
	last := len(base) - 1
	return base == verb || base+"e" == verb || base[last] == 'i' && base[:last]+"y" == verb || base[last] == base[last-1] && base[:last] == verb
}
