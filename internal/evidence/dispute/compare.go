package dispute

import (
	"math"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

type verdict uint8

const (
	incomparable verdict = iota
	agrees
	differs
)

// compare compares two values.
func (s *statement) compare(o *statement, r, q *Reading) verdict {
	switch {
	case s.kind == stateKind:
		switch {
		case s.state.state != o.state.state:
			return incomparable
		case s.state.class == o.state.class:
			return agrees
		}
		return differs
	case s.kind == scoreKind:
		if s.hi == o.hi {
			return agrees
		}
		return differs
	case s.kind == name:
		a, b := lone(s.value, q), lone(o.value, r)
		switch {
		case a == 0 && b == 0:
			if shares(s.value, o.value) {
				return agrees
			}
			return incomparable
		case a == 0 || b == 0:
			if shares(s.value, o.value) {
				return agrees
			}
			return incomparable
		}
		return differs
	}
	a, b := s.a, o.a
	if s.kind&o.kind == code && squeeze(a.Value) != squeeze(b.Value) && (q.says(lang.Hash(squeeze(a.Value))) || r.says(lang.Hash(squeeze(b.Value)))) {
		return incomparable // it is the thing, not what is said of it
	}
	switch {
	case s.kind&o.kind&date != 0 && a.Kind != b.Kind || a.Kind == atom.Date && b.Kind == atom.Date:
		return compareDates(a.Value, b.Value)
	case a.Kind == atom.Identifier && b.Kind == atom.Identifier:
		if squeeze(a.Value) == squeeze(b.Value) {
			return agrees
		}
		if strings.HasPrefix(a.Value, b.Value+".") || strings.HasPrefix(b.Value, a.Value+".") {
			return agrees
		}
		return differs
	case a.Kind == atom.Identifier || b.Kind == atom.Identifier:
		if a.Value == b.Value {
			return agrees
		}
		return differs
	case !a.Numeric() || !b.Numeric() || !atom.SameDimension(a.Unit, b.Unit) || (a.Unit == "pp") != (b.Unit == "pp"):
		return incomparable
	}
	if s.numbers() || o.numbers() { // a port is no rounded one
		if a.Num == b.Num {
			return agrees
		}
		return differs
	}
	if equal(a, b, s.about || o.about) {
		return agrees
	}
	for _, x := range s.same {
		if x.Numeric() && atom.SameDimension(x.Unit, b.Unit) && (equal(x, b, false) || between(s, x, b)) {
			return incomparable
		}
	}
	for _, x := range o.same {
		if x.Numeric() && atom.SameDimension(x.Unit, a.Unit) && (equal(x, a, false) || between(o, x, a)) {
			return incomparable
		}
	}
	if keeps(s.bound, a, b) || keeps(o.bound, b, a) {
		return agrees
	}
	return differs
}

// numbers reports a number that names something.
func (s *statement) numbers() bool {
	return s.a.Unit == "" && slices.ContainsFunc(s.concepts, func(c int16) bool { return lexicon().kinds[c]&code != 0 })
}

// between reports a range of which s and x are the ends, and that holds b.
func between(s *statement, x, b *atom.Atom) bool {
	lo, hi := s.a, x
	if lo.Offset > hi.Offset {
		lo, hi = hi, lo
	}
	if !ranges(s.text, lo, hi) {
		return false
	}
	u, _, _ := atom.Base(lo.Num, lo.Grain, lo.Unit)
	w, _, _ := atom.Base(hi.Num, hi.Grain, hi.Unit)
	v, _, _ := atom.Base(b.Num, b.Grain, b.Unit)
	return v >= min(u, w)*(1-1e-9) && v <= max(u, w)*(1+1e-9)
}

func keeps(bound int8, limit, other *atom.Atom) bool {
	v, _, _ := atom.Base(limit.Num, limit.Grain, limit.Unit)
	w, _, _ := atom.Base(other.Num, other.Grain, other.Unit)
	return bound > 0 && w >= v || bound < 0 && w <= v
}

// Agree reports values of which one may be the other, rounded, in another unit or of
// a part of its time.
func Agree(a, b *atom.Atom) bool {
	switch {
	case a.Numeric() && b.Numeric():
		return atom.SameDimension(a.Unit, b.Unit) && equal(a, b, false)
	case a.Kind == atom.Date && b.Kind == atom.Date:
		return DatesMeet(a.Value, b.Value)
	}
	return a.Value == b.Value
}

// DatesMeet reports dates or times of day of which one may be the other, or lies in it.
func DatesMeet(a, b string) bool { return compareDates(a, b) == agrees }

// equal reports whether one value may be the other, rounded.
func equal(a, b *atom.Atom, about bool) bool {
	v, _, m := atom.Base(a.Num, a.Grain, a.Unit)
	w, _, n := atom.Base(b.Num, b.Grain, b.Unit)
	if v == w {
		return true
	}
	if m.Dim == atom.DimBytes && v > 0 && w > 0 { // GB and GiB are mixed up
		for f := 1.024; f < 1.1; f *= 1.024 {
			if q := max(v, w) / min(v, w); math.Abs(q-f) < .001 {
				return true
			}
		}
	}
	half := math.Max(a.Coarse(about)*m.By, b.Coarse(about)*n.By) / 2 * (1 + 1e-9)
	if a.Unit == "" && b.Unit == "" && a.Raw.Exp >= 0 && b.Raw.Exp >= 0 && a.Scale == 0 && b.Scale == 0 && math.Abs(a.Num) < 1000 {
		half = 0
	}
	if written := math.Max(a.Grain*m.By, b.Grain*n.By) / 2 * (1 + 1e-9); a.Unit != "" && a.Scale == 0 && b.Scale == 0 && math.Abs(v-w) <= written && math.Abs(v-w) <= math.Max(math.Abs(v), math.Abs(w))*.07 {
		return true
	}
	return math.Abs(v-w) <= half && math.Abs(v-w) <= math.Max(math.Abs(v), math.Abs(w))*.05
}

func compareDates(a, b string) verdict {
	if isClock(a) != isClock(b) {
		return incomparable
	}
	if periodsMeet(a, b, true) {
		return agrees
	}
	return differs
}

// periodsMeet reports dates of which one lies in the other. Figures of a year are
// not those of its quarters, unless only the dates matter.
func periodsMeet(a, b string, dates bool) bool {
	if a == b || strings.HasPrefix(a, b) && len(b) >= 4 || strings.HasPrefix(b, a) && len(a) >= 4 {
		return dates || strings.ContainsAny(a, "QH") == strings.ContainsAny(b, "QH")
	}
	if strings.HasPrefix(a, "--") || strings.HasPrefix(b, "--") {
		return strings.HasSuffix(a, strings.TrimLeft(b, "-")) || strings.HasSuffix(b, strings.TrimLeft(a, "-")) || strings.HasPrefix(a, "--") && len(b) == 4 || strings.HasPrefix(b, "--") && len(a) == 4
	}
	if !dates && strings.ContainsAny(a, "QH") != strings.ContainsAny(b, "QH") {
		return false
	}
	f, t, ok := atom.DayNumber(strings.TrimPrefix(a, "FY"))
	g, u, other := atom.DayNumber(strings.TrimPrefix(b, "FY"))
	return ok && other && (f <= g && u <= t || g <= f && t <= u)
}

func clash(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, x := range a {
		for _, y := range b {
			if periodsMeet(x, y, false) {
				return false
			}
		}
	}
	return true
}
