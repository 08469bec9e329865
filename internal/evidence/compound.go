package evidence

import "strings"

// compounds finds values that are written in several units, the larger first:
// 2 hours and 22 minutes, 2h22m, 6 ft 2 in, 4小时18分. Each part is an atom; the
// first one's magnitude is that of the whole, in its unit.
func (sc *scanner) compounds() {
	atoms := sc.atoms[sc.base:]
	for i := 0; i+1 < len(atoms); i++ {
		if atoms[i].Kind != KindQuantity {
			continue
		}
		first := &atoms[i]
		for j := i + 1; j < len(atoms); j++ {
			a, b := &atoms[j-1], &atoms[j]
			if !sc.continues(a, b) {
				break
			}
			if first.part == 0 {
				first.part = partFirst
			}
			b.part = partLater
			m, n := measures[first.Unit], measures[b.Unit]
			first.num += b.num * n.by / m.by
			first.grain = b.grain * n.by / m.by
			i = j
		}
	}
}

// Parts of a value in several units.
const (
	partFirst = 1
	partLater = 2
)

// continues reports whether b is what the larger unit of a leaves.
func (sc *scanner) continues(a, b *Atom) bool {
	if b.Offset < a.Offset+a.Length || b.Offset > a.Offset+a.Length+len(", and ") || a.raw.exp < 0 {
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
	m := measures[a.Unit]
	if m.dim != dimTime && (timed || m.dim != dimLength && m.dim != dimMass) {
		return false
	}
	if b.Kind == KindNumber && a.Unit == "h" && b.Unit == "" && strings.HasPrefix(b.noun, "分") { // 4小时18分
		b.Kind, b.Unit, b.noun = KindQuantity, "min", ""
		b.Length += len("分")
	}
	if b.Kind == KindNumber && a.Unit == "h" && b.Unit == "" && b.Length <= 2 && b.raw.exp == 0 && b.raw.coef < 60 && b.noun == "" && b.Offset == a.Offset+a.Length+1 && !b.word { // 2 h 15
		b.Kind, b.Unit = KindQuantity, "min"
	}
	if b.Unit == "m" && (a.Unit == "h" || a.Unit == "d") { // 7 h 45 m
		b.Unit = "min"
	}
	n := measures[b.Unit]
	return b.Kind == KindQuantity && n.dim == m.dim && n.by < m.by && b.num >= 0 && b.num*n.by < m.by
}

// compact reads 2h22m and 1d4h30m, which begin at i: each part is an atom. It
// returns i where there is none.
func (sc *scanner) compact(i int) int {
	const order = "dhms"
	s := sc.s
	parts, last := [4]Atom{}, -1
	n := 0
	p := i
	if e := digitsEnd(s, i); e+1 >= len(s) || strings.IndexByte(order, s[e]) < 0 {
		return i
	}
	for p < len(s) && isDigit(s[p]) {
		d, end := parseDigits(s, p)
		if end >= len(s) {
			return i
		}
		at := strings.IndexByte(order, s[end])
		if at <= last || d.exp < 0 && s[end] != 's' {
			return i
		}
		stop := end + 1
		if s[end] == 'm' && strings.HasPrefix(s[end:], "min") {
			stop = end + 3
		}
		last = at
		parts[n] = Atom{Kind: KindQuantity, Value: d.String(), Unit: [...]string{"d", "h", "min", "s"}[at], Offset: p, Length: stop - p, num: d.float(), grain: 1, raw: d}
		n++
		p = stop
	}
	if n < 2 || alnumAt(s, p) {
		return i
	}
	for _, a := range parts[:n] {
		sc.emit(a)
	}
	return p
}
