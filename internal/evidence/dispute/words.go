package dispute

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// inWords makes the statements of a sentence whose values are words: names for
// a role, and states.
func (r *Reading) inWords(p *Part, part int32, toks []token, sc, under *scene) {
	for c := range toks {
		for k := range toks[c].marks {
			m := toks[c].marks[k]
			switch {
			case m.kinds&name != 0 && !shareOut(toks, toks[c].clause, p.Atoms):
				r.roles(p, part, toks, c, m.concept, sc, under)
			case m.state > 0 && toks[c].does&prepositional == 0:
				r.condition(p, part, toks, c, m, sc, under)
			}
		}
	}
}

// roles makes a statement of each name near a role.
func (r *Reading) roles(p *Part, part int32, toks []token, c int, concept int16, sc, under *scene) {
	labelled := c+1 < len(toks) && toks[c+1].clause == toks[c].clause+1 && strings.TrimSpace(p.Text[toks[c].to:toks[c+1].from]) == ":"
	for i := range toks {
		t := &toks[i]
		if labelled && i == c+1 && !t.proper && !t.han && t.atom < 0 { // owner: platform-core
			s := statement{kind: name, part: part, off: t.from, concepts: []int16{concept}, scene: sc, under: under, text: p.Text}
			for j := i; j < len(toks) && toks[j].clause == t.clause && j < i+5; j++ {
				s.value = append(s.value, toks[j].hash)
				s.size = toks[j].to - s.off
			}
			s.circumstances(r, toks, p, i, nil, nil)
			r.list = append(r.list, s)
			continue
		}
		gap := int(t.clause) - int(toks[c].clause)
		if i == c || gap < -1 || gap > 2 {
			continue
		}
		switch {
		case t.proper && t.lead && !t.han:
		case t.han && len(t.marks) == 0 && (gap == 0 || gap == 1 && i == c+1):
		default:
			continue
		}
		s := statement{kind: name, part: part, off: t.from, size: t.to - t.from, concepts: []int16{concept}, scene: sc, under: under, near: distance(c, i) + 10*abs(gap), text: p.Text}
		s.value = append(s.value, t.hash)
		if t.han {
			s.value = s.value[:0]
			run := p.Text[t.from:t.to]
			bigrams(run, func(h uint64) { s.value = append(s.value, h) })
		}
		for j := i + 1; j < len(toks) && toks[j].proper && !toks[j].lead && toks[j].atom == t.atom; j++ {
			s.value = append(s.value, toks[j].hash)
			s.size = toks[j].to - s.off
		}
		s.circumstances(r, toks, p, i, nil, nil)
		s.when = append(s.when, sc.when...)
		if ended(p.Text, toks, p.Atoms) {
			s.sides = append(s.sides, mark{group: lexicon().former, narrow: true})
		}
		r.list = append(r.list, s)
	}
}

// ended reports a sentence of what lasted from one date to another, or until one.
func ended(text string, toks []token, atoms []atom.Atom) bool {
	prev := -1
	for i := range toks {
		if toks[i].atom < 0 || atoms[toks[i].atom].Kind != atom.Date && !isYear(&atoms[toks[i].atom]) {
			continue
		}
		before := lang.LowerASCII(text[max(0, int(toks[i].from)-8):toks[i].from])
		if strings.HasSuffix(before, " until ") || prev >= 0 && ranges(text, &atoms[toks[prev].atom], &atoms[toks[i].atom]) {
			return true
		}
		prev = i
	}
	return false
}

// shareOut reports a clause that gives figures of those whom it names.
func shareOut(toks []token, clause int16, atoms []atom.Atom) bool {
	for i := range toks {
		if a := toks[i].atom; a >= 0 && toks[i].clause == clause && (atoms[a].Kind == atom.Percent || atoms[a].Kind == atom.Money) {
			return true
		}
	}
	return false
}

func abs(n int) int { return max(n, -n) }

// condition makes the statement of a state.
func (r *Reading) condition(p *Part, part int32, toks []token, c int, m mark, sc, under *scene) {
	t := &toks[c]
	s := statement{kind: stateKind, part: part, off: t.from, size: t.to - t.from, state: m, scene: sc, under: under, text: p.Text}
	before := strings.TrimRight(lang.LowerASCII(p.Text[max(0, int(t.from)-16):t.from]), " ")
	if lang.HasAnySuffix(before, " not", " not been", " not yet been", " never", " never been", "n't", " no longer", " yet to be", "未", "没有", "并未", "从未", "不", " not be") || before == "not" {
		s.state.class = 1 - s.state.class
	}
	s.circumstances(r, toks, p, c, nil, nil)
	s.when = append(s.when, sc.dates...)
	for i := range toks {
		if a := toks[i].atom; a >= 0 && p.Atoms[a].Kind == atom.Date && isClock(p.Atoms[a].Value) {
			s.clocks = append(s.clocks, p.Atoms[a].Value)
		}
	}
	for i := range toks { // a name that is the only word may be what is spoken of: Pets
		if i != c && toks[i].clause == t.clause && toks[i].proper && !toks[i].han {
			s.words = append(s.words, toks[i].hash)
		}
	}
	r.list = append(r.list, s)
}

const stateKind kind = 1 << 20

var scoringHan = []string{"胜", "负", "击败", "比分", "领先", "战平", "落后"}

// score makes the statement of a result, such as 3-1 or 218 to 206.
func (r *Reading) score(p *Part, part int32, toks []token, values []int, sc, under *scene, of bool) (skip map[int]bool) {
	if !of {
		for i := range toks {
			w := p.Text[toks[i].from:toks[i].to]
			if toks[i].does&scores != 0 || toks[i].han && lang.ContainsAny(w, scoringHan) {
				of = true
			}
		}
	}
	if !of {
		return nil
	}
	for n := 1; n < len(values); n++ {
		a, b := &p.Atoms[toks[values[n-1]].atom], &p.Atoms[toks[values[n]].atom]
		if a.Kind != atom.Number || b.Kind != atom.Number || a.Unit+b.Unit != "" || a.Num >= 1000 || b.Num >= 1000 || a.Offset+a.Length > b.Offset {
			continue
		}
		switch link := strings.TrimSpace(p.Text[a.Offset+a.Length : b.Offset]); link {
		case "-", "–", ":", "：", "to", "比", "votes to":
		default:
			continue
		}
		s := statement{kind: scoreKind, part: part, off: int32(a.Offset), size: int32(b.Offset + b.Length - a.Offset), scene: sc, under: under, text: p.Text, hi: max(a.Num, b.Num)*1000 + min(a.Num, b.Num)}
		s.circumstances(r, toks, p, values[n-1], nil, nil)
		s.when = append(s.when, sc.when...)
		s.words = nil
		r.list = append(r.list, s)
		if skip == nil {
			skip = map[int]bool{}
		}
		skip[values[n-1]], skip[values[n]] = true, true
	}
	return skip
}

const scoreKind kind = 1 << 21
