package dispute

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// sentence makes the statements of one sentence.
func (r *Reading) sentence(p *Part, part int32, toks []token, sc, under *scene) {
	values := make([]int, 0, 8)
	for i := range toks {
		if t := &toks[i]; t.atom >= 0 && !t.season && p.Atoms[t.atom].Kind != atom.Name && p.Atoms[t.atom].Kind != atom.Quote && p.Atoms[t.atom].Part != atom.PartLater && kindOf(&p.Atoms[t.atom]) != 0 {
			values = append(values, i)
		}
	}
	given := assign(toks, values, p.Atoms)
	sc.when = sc.when[:0]
	valued := false
	for n, v := range values {
		a := &p.Atoms[toks[v].atom]
		if a.Kind == atom.Identifier && a.Value[0] == '+' && len(given[n].concepts) == 0 {
			given[n].concepts = append(given[n].concepts, lexicon().phone)
		}
		if bornAt(p.Text, a) {
			given[n].concepts = append(given[n].concepts, lexicon().born)
		} else if n > 0 && bornAt(p.Text, &p.Atoms[toks[values[n-1]].atom]) && a.Offset-p.Atoms[toks[values[n-1]].atom].Offset < 8 {
			given[n].concepts = append(given[n].concepts, lexicon().died)
		}
		if y := yearOf(a); y != "" && len(given[n].concepts) == 0 {
			sc.when = append(sc.when, y)
		} else if y == "" {
			valued = true
		}
		if y := yearOf(a); y != "" {
			sc.dates = append(sc.dates, y)
		}
	}
	if !valued {
		for i := range toks {
			for k := range toks[i].marks {
				if toks[i].marks[k].group > 0 {
					sc.sides = append(sc.sides, toks[i].marks[k])
				}
			}
		}
	}
	skip := r.score(p, part, toks, values, sc, under, false)
	for n, v := range values {
		if skip[v] {
			continue
		}
		t := &toks[v]
		a := &p.Atoms[t.atom]
		s := statement{under: under, kind: kindOf(a), part: part, off: int32(a.Offset), size: int32(a.Length), a: a, concepts: given[n].concepts, mods: given[n].mods, scene: sc, noun: a.Noun, text: p.Text}
		if s.kind&(date|clock|code) != 0 && len(s.concepts) == 0 || lang.HasAnySuffix(p.Text[:a.Offset], "per ", "每") {
			continue
		}
		if s.kind == code && a.Kind == atom.Identifier && !lang.HasHan(p.Text) && a.Value[0] != '+' && !announced(toks, v, s.concepts) {
			continue // Version 4.2 fixed 12 bugs
		}
		if s.kind == code {
			s.concepts = slices.DeleteFunc(s.concepts, func(c int16) bool { return c == lexicon().version })
			if len(s.concepts) == 0 { // of what each version is said
				continue
			}
		}
		if n > 0 && !slices.Contains(s.concepts, lexicon().died) && ranges(p.Text, &p.Atoms[toks[values[n-1]].atom], a) {
			continue // the end of a range, whose beginning has the statement
		}
		if s.kind == code {
			s.own = coded{formOf(a.Text), t.hash}
			if v > 0 && toks[v-1].does&labels != 0 && strings.Trim(a.Text, "0123456789") == "" {
				s.own = coded{toks[v-1].hash, lang.Hash(a.Text)}
			}
		}
		if a.Kind == atom.Number && a.Noun == "" && v > 0 && toks[v-1].does&labels != 0 {
			s.own = coded{toks[v-1].hash, lang.Hash(a.Value)}
			s.kind = code
			s.concepts = conceptsOf(toks[v-1:v], code, nil)
			if len(s.concepts) == 0 {
				continue
			}
		} else if a.Kind == atom.Identifier && strings.Trim(a.Value, "0123456789") == "" {
			s.kind |= count
		}
		if w := hyphened(p.Text, a); w != 0 {
			s.own = coded{w, lang.Hash(a.Value)}
		}
		s.circumstances(r, toks, p, v, values, given)
		if len(s.words) == 0 && v > 0 && toks[v-1].clause == t.clause-1 && strings.TrimSpace(p.Text[toks[v-1].to:t.from]) == ":" { // pH of sample 14: 7.1
			for i := range toks[:v] {
				if w := &toks[i]; w.clause == t.clause-1 && w.atom < 0 && !w.proper && !w.letter && !onlyFiller(w.marks) {
					s.words = push(s.words, w.meaning())
				}
			}
		}
		s.tail = tailOf(p.Text, toks, v)
		s.rate(p.Text)
		r.list = append(r.list, s)
	}
	r.inWords(p, part, toks, sc, under)
}

type attribution struct {
	concepts []int16
	mods     []uint64
}

// assign gives each concept that the tokens name to the values that it is nearest to.
func assign(toks []token, values []int, atoms []atom.Atom) []attribution {
	out := make([]attribution, len(values))
	give := func(n, c int, k *mark) {
		if !slices.Contains(out[n].concepts, k.concept) {
			out[n].concepts = append(out[n].concepts, k.concept)
		}
		if c > 0 && toks[c-1].plain() && !toks[c-1].han && !toks[c-1].letter {
			out[n].mods = append(out[n].mods, toks[c-1].hash)
		}
	}
	type loose struct {
		at int
		m  *mark
	}
	var left []loose
	for c := range toks {
		for k := range toks[c].marks {
			m := &toks[c].marks[k]
			if m.concept == 0 {
				continue
			}
			given := false
			for n, v := range values {
				of := kindOf(&atoms[toks[v].atom])
				if toks[v].clause != toks[c].clause || m.kinds&of == 0 {
					continue
				}
				nearer := slices.ContainsFunc(values, func(o int) bool {
					return toks[o].clause == toks[c].clause && of != code && kindOf(&atoms[toks[o].atom])&of != 0 && distance(c, o) < distance(c, v)
				})
				if !nearer {
					give(n, c, m)
					given = true
				}
			}
			if !given {
				left = append(left, loose{c, m})
			}
		}
	}
	// What names no value of its own clause is of the next one that nothing else is said of.
	for n, v := range values {
		if len(out[n].concepts) > 0 {
			continue
		}
		best, reach := 1<<30, 0
		for _, l := range left {
			if l.m.kinds&kindOf(&atoms[toks[v].atom]) == 0 {
				continue
			}
			d := distance(l.at, v)
			if gap := int(toks[v].clause) - int(toks[l.at].clause); gap < -1 || gap > 2 {
				continue
			}
			if d < best {
				best, reach = d, l.at
			}
		}
		for _, l := range left {
			if best < 1<<30 && l.at == reach && l.m.kinds&kindOf(&atoms[toks[v].atom]) != 0 {
				give(n, l.at, l.m)
			}
		}
	}
	return out
}

// distance is that of a word and a value: what follows the value is a little farther.
func distance(word, value int) int {
	if word < value {
		return 2 * (value - word)
	}
	return 2*(word-value) + 1
}

// announced reports a value before which a word of its attribute stands.
func announced(toks []token, v int, concepts []int16) bool {
	for i := range toks[:v] {
		for k := range toks[i].marks {
			if c := toks[i].marks[k].concept; c > 0 && slices.Contains(concepts, c) {
				return true
			}
		}
	}
	return false
}

func hasAny(marks []mark) bool {
	return slices.ContainsFunc(marks, func(m mark) bool { return m.concept > 0 })
}
