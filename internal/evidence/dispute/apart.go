package dispute

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
)

func lone(list []uint64, o *Reading) (n int) {
	for _, h := range list {
		if !o.says(h) {
			n++
		}
	}
	return n
}

func shares(a, b []uint64) bool { return shared(a, b) > 0 }

func shared(a, b []uint64) (n int) {
	for i, h := range a {
		if slices.Contains(b, h) && !slices.Contains(a[:i], h) {
			n++
		}
	}
	return n
}

// sibling reports statements whose first names share a word and differ in another:
// Nimbus Pad and Nimbus Pen.
func (s *statement) sibling(o *statement, r, q *Reading) bool {
	if s.record || o.record || s.kind == name {
		return false
	}
	if x, y := s.firstRun(), o.firstRun(); x != "" && y != "" {
		var a, b []uint64
		bigrams(x, func(h uint64) { a = append(a, h) })
		bigrams(y, func(h uint64) { b = append(b, h) })
		if lone(a, q) > 0 && lone(b, r) > 0 && shared(a, b) > 0 {
			return true
		}
	}
	a, b := s.scene.first, o.scene.first
	if len(a) == 0 {
		a = s.under.first
	}
	if len(b) == 0 {
		b = o.under.first
	}
	n := shared(a, b)
	return n > 0 && n < len(a) && n < len(b)
}

// firstRun is the first Chinese that the sentence, or what it stands under, names.
func (s *statement) firstRun() string {
	for _, list := range [...][]string{s.scene.runs, s.under.runs} {
		if len(list) > 0 {
			return list[0]
		}
	}
	return ""
}

// qualified reports statements that qualify one word differently, each by a word
// that the other source lacks: unused goods, and defective goods.
func (s *statement) qualified(t *statement, r, o *Reading) bool {
	for _, x := range s.qualities {
		for _, y := range t.qualities {
			if x[1] == y[1] && x[0] != y[0] && !o.says(x[0]) && !r.says(y[0]) {
				return true
			}
		}
	}
	return false
}

// loneNames counts the words of the sentence's names that the other source lacks.
func (s *statement) loneNames(o *Reading) int {
	n := 0
	for _, h := range s.scene.names {
		if !o.says(h) && !slices.Contains(s.value, h) && !slices.Contains(s.scene.common, h) && h != s.own.value {
			n++
		}
	}
	return n
}

// compareCodes counts the codes that both have, and reports a form of which
// they have different ones.
func compareCodes(a, b []coded) (same int, clashing bool) {
	for _, x := range a {
		form, equal := false, false
		for _, y := range b {
			if x.form == y.form {
				form = true
				equal = equal || x.value == y.value
			}
		}
		if equal {
			same++
		}
		if form && !equal {
			clashing = true
		}
	}
	return same, clashing
}

func otherQuantities(a, b *statement) bool {
	for _, x := range a.others {
		for _, y := range b.others {
			if atom.SameDimension(x.Unit, y.Unit) && !equal(x, y, false) {
				return true
			}
		}
	}
	return false
}

// sharedRuns weighs the Chinese that both have.
func (s *statement) sharedRuns(t *statement, r, o *Reading) int {
	mine := append(slices.Clone(s.scene.runs), s.under.runs...)
	its := append(slices.Clone(t.scene.runs), t.under.runs...)
	n := 0
	seen := map[uint64]bool{}
	for _, x := range mine {
		for _, y := range its {
			if x == y {
				n = max(n, 2)
			}
			bigrams(x, func(h uint64) {
				bigrams(y, func(g uint64) {
					if h == g && !seen[h] {
						seen[h] = true
						n++
					}
				})
			})
		}
	}
	return n
}

// loneRun reports Chinese of the clause of which the other source has nothing.
func (s *statement) loneRun(o *Reading) bool {
	list := s.clauseRun
	if s.record {
		list = append(slices.Clone(list), s.scene.runs...)
	}
	for _, run := range list {
		any := false
		bigrams(run, func(h uint64) {
			any = any || o.says(h)
		})
		if !any && !s.isValue(run) {
			return true
		}
	}
	return false
}

func (s *statement) isValue(run string) bool {
	return int(s.off+s.size) <= len(s.text) && strings.Contains(s.text[s.off:s.off+s.size], run)
}

// maxGroups bounds the groups of opposed words.
const maxGroups = 160

// sides is what is named of the groups of opposed words: bits of classes, and of those
// that narrow what is spoken of.
type sides struct{ said, narrow [maxGroups]uint16 }

func (s *sides) add(m mark, narrows bool) {
	s.said[m.group] |= 1 << m.class
	if m.narrow && narrows {
		s.narrow[m.group] |= 1 << m.class
	}
}

// apart reports different classes of a group, or one that narrows on one side alone.
func (s *sides) apart(t *sides) bool {
	for g := range s.said {
		x, y := s.said[g], t.said[g]
		if x|y == 0 || x&y != 0 {
			continue
		}
		if x != 0 && y != 0 || s.narrow[g]|t.narrow[g] != 0 {
			return true
		}
	}
	return false
}

// apart reports statements that name different classes of a group of opposed
// words, or of which only one narrows what it speaks of.
func apart(a, b *statement) bool {
	if len(a.sides)+len(a.wider)+len(a.under.sides)+len(b.sides)+len(b.wider)+len(b.under.sides) == 0 {
		return false
	}
	x := lexicon()
	var named [2]sides
	for n, s := range [2]*statement{a, b} {
		var clause [maxGroups]bool
		for level, list := range [...][]mark{s.sides, s.wider, s.under.sides} {
			for _, m := range list {
				if level > 0 && clause[m.group] || m.group == x.former && s.kind&(date|clock) != 0 || s.kind == stateKind && x.about[s.state.state][m.group] {
					continue
				}
				named[n].add(m, level == 0 || s.record || m.group == x.forecast)
			}
			for _, m := range list {
				clause[m.group] = true
			}
		}
	}
	return named[0].apart(&named[1])
}

// Opposed reports texts that name different ones of what a thing can be one of at a
// time, such as gross and net, or of which only one narrows what it speaks of.
func Opposed(a, b string) bool {
	var named [2]sides
	for n, text := range [2]string{a, b} {
		for _, t := range lex(text, nil, 0, len(text), nil) {
			for _, m := range t.marks {
				if m.group > 0 {
					named[n].add(m, true)
				}
			}
		}
	}
	return named[0].apart(&named[1])
}

// Opposes reports a word that names one of what a thing can be one of at a time.
func Opposes(word string) bool {
	return slices.ContainsFunc(entryOf(word).marks, func(m mark) bool { return m.group > 0 })
}

// narrower reports a count or an amount that is of a place which the other does not name.
func (s *statement) narrower(o *statement, q *Reading) bool {
	if s.kind&(count|money|percent|date) == 0 {
		return false
	}
	for _, h := range s.places {
		if !q.says(h) && (s.kind&date == 0 || len(o.places) > 0) {
			return true
		}
	}
	return false
}
