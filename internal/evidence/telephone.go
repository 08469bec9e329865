package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// telephone finds a telephone number that an observation writes otherwise: with or
// without the country's code, the zero before the area's code, brackets and strokes.
func (k *linker) telephone(l *Link, text string) bool {
	from, to := dialAround(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length)
	own, ok := dialOf(text[from:to])
	if !ok || l.Atom.Kind == atom.Date || l.Atom.Unit != "" {
		return false
	}
	for i := range k.index.obs {
		o := &k.index.obs[i]
		if k.later(int32(i)) || o.Error {
			continue
		}
		for p := range o.pieces {
			pc := &o.pieces[p]
			if k.budget += len(pc.text); k.budget > maxSearch {
				k.ledger.noteCut("search")
				return false
			}
			for at := 0; at < len(pc.text); at++ {
				if !lang.IsDigit(pc.text[at]) {
					continue
				}
				from, to := dialAround(pc.text, at, at+1)
				if other, ok := dialOf(pc.text[from:to]); ok && own.same(other) {
					l.State = Carried
					k.found(l, i, pc, from, to)
					return true
				}
				at = to
			}
		}
	}
	return false
}

// dial is the digits of a telephone number: with the code of its country, or without
// it and the zero before the area's code.
type dial struct {
	digits string
	abroad bool // with the country's code
}

const (
	fewestDialled = 7 // digits, the area's code included
	mostDialled   = 15
	countryCode   = 3 // digits at most
)

// dialAround is the digits around the bytes from off to end, with the marks that part their groups.
func dialAround(text string, off, end int) (from, to int) {
	const marks = " -./()"
	part := func(i int) bool {
		return lang.IsDigit(text[i]) || strings.IndexByte(marks, text[i]) >= 0 && !(text[i] == ' ' && i > 0 && text[i-1] == ' ')
	}
	from, to = off, end
	for from > 0 && off-from <= 2*mostDialled && part(from-1) {
		from--
	}
	if from > 0 && text[from-1] == '+' {
		from--
	}
	for to < len(text) && to-end <= 2*mostDialled && part(to) {
		to++
	}
	for from < off && !lang.IsDigit(text[from]) && text[from] != '+' {
		from++
	}
	for to > end && !lang.IsDigit(text[to-1]) {
		to--
	}
	return from, to
}

// dialOf reads a telephone number.
func dialOf(s string) (d dial, ok bool) {
	if d.abroad = strings.HasPrefix(s, "+") || strings.HasPrefix(s, "00"); d.abroad {
		s = strings.Replace(strings.TrimPrefix(s, "00"), "(0)", "", 1)
	}
	d.digits = strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	if !d.abroad {
		d.digits = strings.TrimPrefix(d.digits, "0")
	}
	return d, len(d.digits) >= fewestDialled && len(d.digits) <= mostDialled
}

// same reports numbers of one telephone.
func (d dial) same(o dial) bool {
	if d.abroad == o.abroad {
		return d.digits == o.digits
	}
	long, short := d.digits, o.digits
	if o.abroad {
		long, short = short, long
	}
	code := len(long) - len(short)
	return code > 0 && code <= countryCode && strings.HasSuffix(long, short)
}
