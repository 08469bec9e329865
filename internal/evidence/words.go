package evidence

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// terms is a small set of words.
type terms []string

func (t terms) has(w string) bool { return slices.Contains(t, w) }

func (t *terms) add(w string) {
	if !t.has(w) {
		*t = append(*t, w)
	}
}

// fillers say nothing of a subject.
var fillers = lang.Set(`number figure amount value total currently current now today latest newest recent official according report reported reports state stated list listed page site
 come comes start starts stand stands give gives given get gets make makes base basic standard average estimate estimated expected record recorded post posted light
 date time year month day people person unit piece led lead announce announced source note update updated approximately about around roughly nearly exactly first next last period`)

// nextWord is where the next word of letters begins at or after from, hyphens in
// it included, and where it ends; at the end of the text both are its length.
func nextWord(text string, from int) (start, end int) {
	for start = from; start < len(text) && !lang.IsLetter(text[start]); start++ {
	}
	for end = start; end < len(text) && (lang.IsLetter(text[end]) || text[end] == '-' && lang.IsLetterAt(text, end+1)); end++ {
	}
	return start, end
}
