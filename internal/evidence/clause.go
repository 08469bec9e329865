package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
)

// clause is the bounds of the clause of a sentence that an atom stands in.
func clause(text string, from, to int, a *atom.Atom) (int, int) {
	return parted(text, from, to, a, " and ", " while ", " but ", " whereas ", " which ")
}

// passage is the bounds of what a sentence says between marks, conjunctions included.
func passage(text string, from, to int, a *atom.Atom) (int, int) {
	return parted(text, from, to, a)
}

// maxClause bounds the bytes of a clause before an atom, and those after it.
const maxClause = 1000

// parted is the bounds of the part of a sentence that an atom stands in, between
// brackets, semicolons, commas and colons before a space, and the words.
func parted(text string, from, to int, a *atom.Atom, conjunctions ...string) (int, int) {
	breaks := func(i int) int { // the width of a mark at i that parts clauses
		switch c := text[i]; c {
		case ';', '(', ')':
			return 1
		case ',', ':':
			if i+1 < len(text) && text[i+1] == ' ' {
				return 1
			}
		case ' ':
			for _, w := range conjunctions {
				if strings.HasPrefix(text[i:], w) {
					return len(w)
				}
			}
		case 0xe3, 0xef: // what 、 and the wide marks begin with
			for _, w := range [...]string{"，", "；", "：", "、", "（", "）"} {
				if strings.HasPrefix(text[i:], w) {
					return len(w)
				}
			}
		}
		return 0
	}
	from, to = max(from, a.Offset-maxClause), min(to, a.Offset+a.Length+maxClause)
	low, high := from, to
	for i := from; i < a.Offset; i++ {
		if w := breaks(i); w > 0 && i+w <= a.Offset {
			low = i + w
		}
	}
	for i := a.Offset + a.Length; i < to; i++ {
		if breaks(i) > 0 {
			high = i
			break
		}
	}
	return low, high
}
