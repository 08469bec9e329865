package atom

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// compounds finds values that are written in several units, the larger first:
// 2 hours and 22 minutes, 2h22m, 6 ft 2 in, 4小时18分. Each part is an atom; the
// first one's magnitude is that of the whole, in its unit.
func (sc *scanner) compounds() {
	atoms := sc.atoms[sc.base:]
	for i := 0; i+1 < len(atoms); i++ {
		if atoms[i].Kind != Quantity {
			continue
		}
		first := &atoms[i]
		for j := i + 1; j < len(atoms); j++ {
			a, b := &atoms[j-1], &atoms[j]
			if !sc.continues(a, b) {
				break
			}
			if first.Part == 0 {
				first.Part = PartFirst
			}
			b.Part = PartLater
			m, n := Measures[first.Unit], Measures[b.Unit]
			first.Num += b.Num * n.By / m.By
			first.Grain = b.Grain * n.By / m.By
			i = j
		}
	}
}

// Parts of a value in several units.
const (
	PartFirst = 1
	PartLater = 2
)

// continues reports whether b is what the larger unit of a leaves.
func (sc *scanner) continues(a, b *Atom) bool {
	if b.Offset < a.Offset+a.Length || b.Offset > a.Offset+a.Length+len(", and ") || a.Raw.Exp < 0 {
		return false
	}
	timed := false
	switch gap := sc.s[a.Offset+a.Length : b.Offset]; gap {
	case "", " ":
	case ", ", " and ", ", and ", "零":
		timed = true
	default:
		return false
	}
	m := Measures[a.Unit]
	if m.Dim != DimTime && (timed || m.Dim != DimLength && m.Dim != DimMass) {
		return false
	}
	if b.Kind == Number && a.Unit == "h" && b.Unit == "" && strings.HasPrefix(b.Noun, "分") { // 4小时18分
		b.Kind, b.Unit, b.Noun = Quantity, "min", ""
		b.Length += len("分")
	}
	if b.Kind == Number && a.Unit == "h" && b.Unit == "" && b.Length <= 2 && b.Raw.Exp == 0 && b.Raw.Coef < 60 && b.Noun == "" && b.Offset == a.Offset+a.Length+1 && !b.InWords { // 2 h 15
		b.Kind, b.Unit = Quantity, "min"
	}
	if b.Unit == "m" && (a.Unit == "h" || a.Unit == "d") { // 7 h 45 m
		b.Unit = "min"
	}
	if b.Kind == Number && b.InWords && a.InWords && a.Unit == "h" && b.Unit == "" && b.Noun == "" && b.Raw.Exp == 0 && b.Raw.Coef >= 10 && b.Raw.Coef < 60 && b.Offset == a.Offset+a.Length+1 { // two hours fifteen
		b.Kind, b.Unit = Quantity, "min"
	}
	n := Measures[b.Unit]
	return b.Kind == Quantity && n.Dim == m.Dim && n.By < m.By && b.Num >= 0 && b.Num*n.By < m.By
}

// compounded reports whether a unit of time stands behind the "one" or "an" that
// ends at end, and goes on in a smaller one: "an hour and ten minutes". By itself
// "an hour" is no value.
func (sc *scanner) compounded(end int) bool {
	unit, p := lang.WordAt(sc.s, sc.space(end))
	larger := Measures[Units[unit]]
	if larger.Dim != DimTime {
		return false
	}
	p += len(sc.prefixOf(p, " and"))
	n, stop := sc.count(sc.space(p))
	if stop == sc.space(p) || n == 0 {
		return false
	}
	next, _ := lang.WordAt(sc.s, sc.space(stop))
	smaller := Measures[Units[next]]
	return smaller.Dim == DimTime && smaller.By < larger.By || Units[unit] == "h" && n >= 10 && n < 60 && (next == "" || functionWords[next])
}

// compact reads 2h22m and 1d4h30m, which begin at i: each part is an atom. It
// returns i where there is none.
func (sc *scanner) compact(i int) int {
	const order = "dhms"
	s := sc.s
	parts, last := [4]Atom{}, -1
	n := 0
	p := i
	if e := lang.DigitsEnd(s, i); e+1 >= len(s) || strings.IndexByte(order, s[e]) < 0 {
		return i
	}
	for p < len(s) && lang.IsDigit(s[p]) {
		d, end := ParseDigits(s, p)
		if last == 1 && end == p+2 && d.Coef < 60 && !lang.IsAlnumAt(s, end) { // 1h30
			parts[n] = Atom{Kind: Quantity, Value: d.String(), Unit: "min", Offset: p, Length: 2, Num: d.Float(), Grain: 1, Raw: d}
			n++
			p = end
			break
		}
		if end >= len(s) {
			return i
		}
		at := strings.IndexByte(order, s[end])
		if at <= last || d.Exp < 0 && s[end] != 's' {
			return i
		}
		stop := end + 1
		if s[end] == 'm' && strings.HasPrefix(s[end:], "min") {
			stop = end + 3
		}
		last = at
		parts[n] = Atom{Kind: Quantity, Value: d.String(), Unit: [...]string{"d", "h", "min", "s"}[at], Offset: p, Length: stop - p, Num: d.Float(), Grain: 1, Raw: d}
		n++
		p = stop
	}
	if n < 2 || lang.IsAlnumAt(s, p) {
		return i
	}
	for _, a := range parts[:n] {
		sc.emit(a)
	}
	return p
}
