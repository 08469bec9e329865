package dispute

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// maxBeside bounds the values before a value in its sentence, and those after it, that
// say of what it is.
const maxBeside = 16

// circumstances reads what else the clause and the sentence say.
func (s *statement) circumstances(r *Reading, toks []token, p *Part, v int, values []int, given []attribution) {
	clause := toks[v].clause
	scope := -1
	for i := range toks {
		t := &toks[i]
		if i == v {
			continue
		}
		if t.clause == clause && t.does&scopes != 0 {
			scope = i
		}
		if scope >= 0 && i > scope && i <= scope+4 && t.clause == clause && t.plain() && !t.letter && !t.stop {
			s.scope = append(s.scope, t.hash)
		}
		if t.proper && t.lead && t.clause == clause {
			h := i - 1
			for h >= 0 && toks[h].clause == clause && toks[h].does&article != 0 {
				h--
			}
			if h > 0 && p.Text[toks[h].from:toks[h].to] == "of" && toks[h-1].plain() && toks[h-1].clause == clause && (h < 2 || !hasAny(toks[h-2].marks)) && toks[h-1].atom < 0 {
				s.head = append(s.head, toks[h-1].hash)
			}
		}
		for k := range t.marks {
			if t.marks[k].group > 0 {
				if t.clause == clause {
					s.sides = push(s.sides, t.marks[k])
				} else {
					s.wider = push(s.wider, t.marks[k])
				}
			}
		}
		if t.clause != clause {
			continue
		}
		if i > 0 && t.plain() && !t.stop && !t.han && toks[i-1].plain() && !toks[i-1].stop && !toks[i-1].letter && !toks[i-1].han && toks[i-1].clause == clause && t.from == toks[i-1].to+1 {
			s.qualities = append(s.qualities, [2]uint64{toks[i-1].hash, t.hash})
		}
		if i == 0 && t.plain() && strings.HasSuffix(p.Text[t.from:t.to], "ing") { // Repainting the X costs
			s.head = append(s.head, t.hash)
		}
		if t.han && len(t.marks) == 0 {
			s.clauseRun = append(s.clauseRun, p.Text[t.from:t.to])
		}
		if i > 0 && t.proper && t.lead && inPlace(p.Text[:t.from]) {
			s.places = append(s.places, t.hash)
		}
		if t.han && len(t.marks) == 0 {
			if h := district(p.Text[t.from:t.to]); h != 0 {
				s.places = append(s.places, h)
			}
		}
		if t.atom < 0 && !t.proper && !t.filler && !s.meant(t.marks) && !t.stop {
			if t.han && len(t.marks) == 0 {
				bigrams(p.Text[t.from:t.to], func(h uint64) { s.words = r.words.add(s.words, h) })
			} else if !t.letter {
				s.words = r.words.add(s.words, t.meaning())
			}
		}
	}
	numeric := false
	for _, o := range values {
		numeric = numeric || toks[o].clause == clause && p.Atoms[toks[o].atom].Numeric() && !isYear(&p.Atoms[toks[o].atom])
	}
	var wider []string
	own, _ := slices.BinarySearch(values, v)
	first := max(0, own-maxBeside)
	for n, o := range values[first:min(len(values), own+1+maxBeside)] {
		n += first
		b := &p.Atoms[toks[o].atom]
		if o == v {
			continue
		}
		if s.a != nil && b.Kind.Numeric() == s.a.Kind.Numeric() && kindOf(b)&s.kind != 0 {
			s.same = append(s.same, b)
		} else if s.a != nil && b.Numeric() && b.Unit != "" && toks[o].clause == clause {
			s.others = append(s.others, b)
		}
		if b.Kind == atom.Date && isClock(b.Value) {
			s.clocks = append(s.clocks, b.Value)
			continue
		}
		y := yearOf(b)
		if y == "" {
			continue
		}
		event := len(given[n].concepts) > 0 && (toks[o].clause != clause || !numeric)
		switch {
		case event && s.kind&(date) == 0 && toks[o].clause != clause:
		case toks[o].clause == clause:
			s.when = push(s.when, y)
		case !event:
			wider = append(wider, y)
		}
	}
	if len(s.when) == 0 {
		s.when = wider
	}
	if s.a != nil && s.a.Numeric() {
		s.reach(p.Text)
	}
}

func onlyFiller(marks []mark) bool {
	for k := range marks {
		if marks[k].filler {
			return true
		}
	}
	return false
}

// inPlace reports what stands before a place that a figure is of.
func inPlace(before string) bool {
	return lang.HasAnySuffix(before, " in ", " in the ", "In ", "In the ", "在")
}

// district is the name of a part of a city at the end of Chinese.
func district(run string) uint64 {
	if !lang.HasAnySuffix(run, "区", "县", "镇", "乡", "分公司", "分店", "校区") || utf8.RuneCountInString(run) < 3 {
		return 0
	}
	_, w := utf8.DecodeLastRuneInString(run)
	_, v := utf8.DecodeLastRuneInString(run[:len(run)-w])
	return lang.Hash(run[len(run)-w-v:])
}

// tailOf is the last two characters of the Chinese before a value, which say what it is.
func tailOf(text string, toks []token, v int) uint64 {
	for i := v - 1; i >= 0 && toks[i].clause == toks[v].clause; i-- {
		t := &toks[i]
		if onlyFiller(t.marks) {
			continue
		}
		if !t.han || len(t.marks) > 0 || t.proper {
			return 0
		}
		run := text[t.from:t.to]
		_, w := utf8.DecodeLastRuneInString(run)
		_, u := utf8.DecodeLastRuneInString(run[:len(run)-w])
		return lang.Hash(run[len(run)-w-u:])
	}
	return 0
}

// meant reports a word that names the statement's attribute.
func (s *statement) meant(marks []mark) bool {
	for k := range marks {
		if c := marks[k].concept; c > 0 && slices.Contains(s.concepts, c) {
			return true
		}
	}
	return false
}
