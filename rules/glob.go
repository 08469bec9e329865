package rules

import (
	"strings"
	"unicode/utf8"
)

// glob matches names with * and ?, without regard to case.
type glob struct {
	pattern string
	plain   bool
}

func newGlob(pattern string) glob {
	p := strings.ToLower(pattern)
	return glob{pattern: p, plain: !strings.ContainsAny(p, "*?")}
}

func (g glob) match(name string) bool {
	if g.plain {
		return strings.EqualFold(g.pattern, name)
	}
	return globMatch(g.pattern, strings.ToLower(name))
}

// globMatch is the usual two-pointer match: linear in practice, and at most
// len(pattern) * len(name) steps. ? stands for one character, not one byte.
func globMatch(pattern, name string) bool {
	p, n, star, mark := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && pattern[p] == '?':
			p++
			n += characterAt(name, n)
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			mark += characterAt(name, mark)
			p, n = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// characterAt is the length in bytes of the character at a place.
func characterAt(s string, i int) int {
	_, size := utf8.DecodeRuneInString(s[i:])
	return size
}
