package atom

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// wordAmount reads a number in English words that begins at i with the word w.
func (sc *scanner) wordAmount(i, end int, w string) int {
	first, ok := numberWord(w)
	if !ok && w != "a" && w != "an" {
		return i
	}
	s := sc.s
	if end < len(s) && (s[end] == '-' || s[end] == ' ') && first >= 20 && lang.IsLetterAt(s, end+1) {
		// forty-two and forty two, not twenty two-dollar notes
		next, stop := lang.WordAt(s, end+1)
		if v, ok := numberWord(next); ok && v > 0 && v < 10 && (s[end] == '-' || stop == len(s) || s[stop] != '-') {
			first, end = first+v, stop
		}
	}
	if e, ok := sc.fraction(i, end, first); ok {
		return e
	}
	if e, ok := sc.spokenPoint(i, end, first); ok {
		return e
	}
	if e, ok := sc.spokenYear(i, end, first); ok {
		return e
	}
	if ok && strings.HasPrefix(s[end:], " and a half ") { // two and a half hours
		return sc.amount(i, i, end+len(" and a half"), Decimal{Coef: first*10 + 5, Exp: -1}, "", true)
	}
	if e, ok := sc.outOf(i, end, first); ok {
		return e
	}
	total, group := uint64(0), first
	articles := !ok
	if articles {
		group = 1
	}
	grown := false
	for {
		p := sc.space(end)
		if p == end {
			break
		}
		next, stop := lang.WordAt(s, p)
		if next == "and" && group >= 100 {
			next, stop = lang.WordAt(s, sc.space(stop))
			if v, ok := numberWord(next); !ok || v == 0 || v > 99 {
				break
			}
		}
		v, known := numberWord(next)
		m := multipliers[next]
		switch {
		case m == 100:
			group *= 100
		case m == 12 && (articles || ok):
			group *= 12
		case m >= 1000:
			total, group = total+group*m, 0
		case known && v < group%1000+1 && grown && v > 0:
			if stop < len(s) && s[stop] == '-' {
				if u, e := lang.WordAt(s, stop+1); v >= 20 && numberWords[u] > 0 && numberWords[u] < 10 {
					v, stop = v+numberWords[u], e
				}
			}
			group += v
		case known && group == 0 && total > 0:
			group += v
		default:
			m = 0
			known = false
		}
		if m == 0 && !known {
			break
		}
		grown = true
		end = stop
		if total > 1e15 || group > 1e15 {
			break
		}
	}
	if !grown && (articles || w == "one" || w == "zero") {
		if w != "zero" && sc.compounded(end) {
			return sc.amount(i, i, end, Decimal{Coef: 1}, "", true)
		}
		return i
	}
	return sc.amount(i, i, end, Decimal{Coef: total + group}, "", true)
}

// spokenPoint reads the digits of "two point four", which a scale or unit may follow.
func (sc *scanner) spokenPoint(i, end int, whole uint64) (int, bool) {
	w, stop := lang.WordAt(sc.s, sc.space(end))
	if w != "point" {
		return i, false
	}
	n := Decimal{Coef: whole}
	for n.Exp > -6 {
		w, e := lang.WordAt(sc.s, sc.space(stop))
		v, ok := numberWord(w)
		if !ok || v > 9 {
			break
		}
		n.Coef, n.Exp, end, stop = n.Coef*10+v, n.Exp-1, e, e
	}
	if n.Exp == 0 {
		return i, false
	}
	return sc.amount(i, i, end, n, "", true), true
}

// spokenYear reads "nineteen eighty-seven": a century, then a number of two digits.
func (sc *scanner) spokenYear(i, end int, century uint64) (int, bool) {
	if century < 13 || century > 20 {
		return i, false
	}
	p := sc.space(end)
	w, stop := lang.WordAt(sc.s, p)
	year, ok := numberWord(w)
	if !ok || year < 10 || p == end {
		return i, false
	}
	if stop < len(sc.s) && sc.s[stop] == '-' {
		w, e := lang.WordAt(sc.s, stop+1)
		v, ok := numberWord(w)
		if !ok || year < 20 || v > 9 || v == 0 {
			return i, false // nineteen twenty-dollar notes
		}
		year, stop = year+v, e
	}
	return sc.amount(i, i, stop, Decimal{Coef: 100*century + year}, "", true), true
}

// fraction reads "two thirds", "three quarters", "half of", "a third of".
func (sc *scanner) fraction(i, end int, parts uint64) (int, bool) {
	s := sc.s
	p := end
	if p < len(s) && (s[p] == ' ' || s[p] == '-') {
		p++
	}
	w, stop := lang.WordAt(s, p)
	whole := fractionWords[w]
	if whole == 0 || p == end {
		return i, false
	}
	if parts == 0 || parts == 1 {
		if parts = 1; !strings.HasPrefix(s[stop:], " of") {
			return i, false
		}
	}
	sc.emitFraction(i, stop, parts, whole)
	return stop, true
}

// outOf reads "three in ten", "one out of two".
func (sc *scanner) outOf(i, end int, parts uint64) (int, bool) {
	p := end
	for _, w := range []string{" in ", " out of "} {
		if strings.HasPrefix(sc.s[end:], w) {
			p = end + len(w)
		}
	}
	if p == end {
		return i, false
	}
	w, stop := lang.WordAt(sc.s, p)
	whole, ok := numberWord(w)
	if !ok || parts == 0 || parts >= whole || whole > 20 {
		return i, false
	}
	sc.emitFraction(i, stop, parts, whole)
	return stop, true
}

func (sc *scanner) emitFraction(i, end int, parts, whole uint64) {
	v := float64(parts) / float64(whole)
	d := Decimal{Coef: uint64(v*10000 + .5), Exp: -4}
	sc.emit(Atom{Kind: Number, Value: d.String(), Offset: i, Length: end - i, Num: v, Grain: .0001, InWords: true})
}

// numberWord is the value of a number in letters, in lower case.
func numberWord(w string) (uint64, bool) {
	if len(w) < 3 || len(w) > 9 {
		return 0, false
	}
	switch w[0] {
	case 't', 'o', 'f', 's', 'e', 'n', 'z':
		v, ok := numberWords[w]
		return v, ok
	}
	return 0, false
}

var numberWords = map[string]uint64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
	"twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var multipliers = map[string]uint64{
	"hundred": 100, "dozen": 12, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
}

var fractionWords = map[string]uint64{
	"halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "tenth": 10, "tenths": 10,
}
