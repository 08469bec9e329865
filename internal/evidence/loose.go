package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// loosely finds an identifier that observations write otherwise: in groups, with
// spaces or strokes, with leading zeros or a longer prefix; or of which the text gives a part: the
// short form of a hash, the last digits of a card's number, the end of a path.
func (k *linker) loosely(l *Link, text string) bool {
	a := &l.Atom
	if a.Kind == atom.Identifier && strings.IndexByte(a.Value, '.') > 0 && k.lookThrough(l, func(text string) (from, to int, part, ok bool) {
		from, to, ok = endOfPath(text, a.Value)
		return from, to, true, ok
	}) {
		return true
	}
	value := compact(a.Value)
	if len(value) < 4 || !lang.HasDigit(value) {
		return false
	}
	tail := saysEnding(text, a)
	whole := a.Kind == atom.Identifier && len(value) >= 6
	head := whole && len(value) >= 7 && isHex(value)
	if !whole && !tail {
		return false
	}
	return k.lookThrough(l, func(text string) (from, to int, part, ok bool) {
		from, to, m := alike(text, value)
		return from, to, tail || m != matchWhole, m == matchWhole && (whole || tail) || m == matchEnd && tail || m == matchStart && head
	})
}

// lookThrough goes through the observations, in order, for a text that has the value in
// another way, as a whole or as a part of what stands there.
func (k *linker) lookThrough(l *Link, match func(text string) (from, to int, part, ok bool)) bool {
	for i := range k.index.obs {
		o := &k.index.obs[i]
		if k.later(int32(i)) {
			continue
		}
		for p := range o.pieces {
			pc := &o.pieces[p]
			if k.budget += len(pc.text); k.budget > maxSearch {
				k.ledger.noteCut("search")
				return false
			}
			from, to, part, ok := match(pc.text)
			if !ok {
				continue
			}
			l.State = Carried
			if part {
				l.State, l.How = Derived, "part"
				l.Operands = append(l.Operands, quoteOf(pc.text, from, to))
			}
			k.found(l, i, pc, from, to)
			return true
		}
	}
	return false
}

// inItsDigits finds a number with a decimal comma that an observation writes in the same
// digits, where nothing tells there what the comma means: "Rest: 14,5".
func (k *linker) inItsDigits(l *Link) bool {
	a := &l.Atom
	digits := strings.TrimFunc(a.Text, func(r rune) bool { return r < '0' || r > '9' })
	if a.Raw.Exp >= 0 || strings.IndexByte(digits, ',') < 0 || strings.ContainsFunc(digits, func(r rune) bool { return r != ',' && (r < '0' || r > '9') }) {
		return false
	}
	return k.lookThrough(l, func(text string) (from, to int, part, ok bool) {
		for at := 0; ; at = to {
			i := strings.Index(text[at:], digits)
			if i < 0 {
				return 0, 0, false, false
			}
			from, to = at+i, at+i+len(digits)
			if !lang.IsAlnumAt(text, from-1) && !lang.IsAlnumAt(text, to) && !digitBeyond(text, from-1, -1) && !digitBeyond(text, to, 1) {
				return from, to, false, true
			}
		}
	})
}

// digitBeyond reports a mark at i that leads to another digit, by a step before or after it.
func digitBeyond(text string, i, step int) bool {
	return i >= 0 && i < len(text) && (text[i] == ',' || text[i] == '.') && lang.IsDigitAt(text, i+step)
}

// endOfPath finds a name that a path in a text ends with: client.go in net/client.go.
func endOfPath(text, name string) (from, to int, ok bool) {
	for at := 0; ; at = to {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return 0, 0, false
		}
		from, to = at+i, at+i+len(name)
		if from > 0 && text[from-1] == '/' && !lang.IsAlnumAt(text, to) {
			return from, to, true
		}
	}
}

// found makes bytes of an observation that are no atom the source of a value.
func (k *linker) found(l *Link, obs int, pc *piece, from, to int) {
	l.Observations = append(l.Observations, obs)
	l.posts = append(l.posts, -1)
	l.Sources = append(l.Sources, pc.place(k.index.obs[obs].StepID, from, to-from))
	l.Quotes = append(l.Quotes, quoteOf(pc.text, from, to))
}

// saysEnding reports a number that the words before it call the end of a longer one.
func saysEnding(text string, a *atom.Atom) bool {
	before := lang.Lower(text[max(0, a.Offset-24):a.Offset])
	trimmed := strings.TrimRight(before, " *•·xX.…#\"“'`:：为是")
	return lang.HasAnySuffix(trimmed, "ending", "ending in", "ending with", "ends in", "ends with", "ended in", "last four", "last four digits", "last digits", "last 4", "last 4 digits", "尾号", "末四位", "后四位", "尾数") ||
		strings.HasSuffix(before, "**** ") || strings.HasSuffix(before, "•••• ") || strings.HasSuffix(before, "****") || strings.HasSuffix(before, "••••")
}

// compact is the letters and digits of a code, in lower case.
func compact(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c := s[i]; lang.IsDigit(c) || lang.IsLower(c) {
			b = append(b, c)
		} else if lang.IsUpper(c) {
			b = append(b, c|0x20)
		}
	}
	return string(b)
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if !lang.IsDigit(s[i]) && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}

// match is how a code stands in a text.
type match int8

const (
	matchNone  match = iota
	matchPart        // neither its beginning nor its end is that of a code there
	matchStart       // it is the beginning of a longer one
	matchEnd         // it is the end of a longer one
	matchWhole
)

// alike finds the letters and digits of value, which is compact, in a text, with
// marks that part groups among them, and tells how they stand there.
func alike(text, value string) (from, to int, best match) {
	for i := 0; i+len(value) <= len(text); i++ {
		if lowerByte(text[i]) != value[0] {
			continue
		}
		j, n := i, 0
		for j < len(text) && n < len(value) {
			switch c := lowerByte(text[j]); {
			case c == value[n]:
				n++
			case n > 0 && (c == ' ' || c == '-' || c == '.' || c == '/' || c == '(' || c == ')' || c == '_' || c == ':') && !(c == ' ' && text[j-1] == ' '):
			default:
				n = -1
			}
			if n < 0 {
				break
			}
			j++
		}
		if n < len(value) {
			continue
		}
		starts := i == 0 || !lang.IsAlnumAt(text, i-1) && !(i > 1 && joins(text[i-1]) && lang.IsDigitAt(text, i-2))
		ends := j == len(text) || !lang.IsAlnumAt(text, j) && !(joins(text[j]) && lang.IsDigitAt(text, j+1))
		m := matchPart
		switch {
		case starts && ends:
			return i, j, matchWhole
		case starts:
			m = matchStart
		case ends:
			m = matchEnd
		}
		if m > best {
			from, to, best = i, j, m
		}
	}
	return
}

func joins(c byte) bool { return c == ' ' || c == '-' }

func lowerByte(c byte) byte {
	if lang.IsUpper(c) {
		return c | 0x20
	}
	return c
}
