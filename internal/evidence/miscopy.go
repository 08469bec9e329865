package evidence

import (
	"math"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// miscopied finds a value of the same kind and unit, on the same subject, that the
// text copied wrongly: two digits changed places (421 days, where 412 days are
// stated), one digit is another, is missing or too many; one part of a date is
// another; or the number is the same and its unit or scale is not.
func (k *linker) miscopied(l *Link, text string, near lang.Words) {
	if p, _ := k.copied(&l.Atom, text, near); p != nil {
		k.deny(l, p)
	}
}

// cuesOfWay are the words that call for a way of arithmetic.
var cuesOfWay = map[string]uint16{"sum": cueSum, "difference": cueDifference, "ratio": cueRatio, "product": cueProduct | cueRatio, "percentage": cueRatio,
	"percent_change": cueChange | cueDifference, "mean": cueMean, "count": cueSum, "sum_ratio": cueSum | cueMean}

// rather decides a value that arithmetic yields of which the text says nothing,
// and that is a stated value with two digits in each other's place, or in another
// unit: it was copied wrongly rather than calculated.
func (k *linker) rather(l *Link, text string) bool {
	cue := cuesOfWay[l.How]
	if l.State != Derived || l.shown || cue == 0 || l.Atom.Significant() < 2 {
		return false
	}
	from, to := lang.Sentence(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length)
	low, high := passage(text, from, to, &l.Atom)
	if cues(text[low:high])&cue != 0 {
		return false
	}
	near := make(lang.Words, 0, 24)
	near.Add(text[from:to])
	p, slip := k.copied(&l.Atom, text, near)
	if slip != transposed && slip != otherUnit {
		return false
	}
	k.deny(l, p)
	return true
}

// copied is the value that one may be a wrong copy of, and how the two differ.
func (k *linker) copied(a *atom.Atom, text string, near lang.Words) (*posting, slip) {
	var clause lang.Words
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	low, high := passage(text, from, to, a)
	clause.Add(text[low:high])
	x := k.index
	best, closest, how := int32(-1), 0, noSlip
	for i := range x.posts {
		if i >= maxCopies || k.slips > maxSlips {
			k.ledger.noteCut("conflicts")
			break
		}
		p := &x.posts[i]
		if k.later(p.obs) || p.how == coarsened || x.obs[p.obs].Error {
			continue
		}
		slip := k.slipOf(a, p)
		if slip == noSlip || slip > otherUnit && (k.missing != "" || !mistakable(a, p)) { // what is left out may hold it
			continue
		}
		k.slips++
		label := x.label(p)
		score := 2*clause.Shared(label) + near.Shared(label)
		if ctx := x.context(p); score > 0 || slip != substituted {
			score += near.Shared(ctx) + min(1, k.question.Shared(ctx))
		}
		digits := a.Significant()
		if !a.Numeric() {
			digits = len(a.Value)
		}
		switch least := slip.needs(digits); {
		case least < 0 || score < least:
		case score+int(8-slip) > closest:
			best, closest, how = int32(i), score+int(8-slip), slip
		}
	}
	if best < 0 {
		return nil, noSlip
	}
	return &x.posts[best], how
}

const (
	maxCopies = 20_000 // values that one is compared with
	maxSlips  = 50_000 // pairs of values of which one may be a wrong copy, whose words are compared
)

// slip is how a value differs from one that it may be a wrong copy of.
type slip int8

const (
	noSlip slip = iota
	transposed
	otherUnit
	otherPart // of a date
	substituted
	dropped
)

// needs is how much a sentence must share with what a value may be a wrong copy
// of, by the number of digits: the fewer there are, the likelier is chance. It is -1
// where no words are enough.
func (s slip) needs(digits int) int {
	switch s {
	case transposed:
		return [...]int{-1, -1, 1, 1, 1, 0}[min(digits, 5)]
	case otherUnit:
		return [...]int{-1, -1, 2, 1, 0}[min(digits, 4)]
	case otherPart:
		return 1
	case substituted:
		return [...]int{-1, 5, 3, 2, 1, 1}[min(digits, 5)]
	case dropped:
		return [...]int{-1, -1, 4, 3, 2, 2}[min(digits, 5)]
	}
	return -1
}

// slipOf tells how a value differs from a posting's.
func (k *linker) slipOf(a *atom.Atom, p *posting) slip {
	x := k.index
	kind, unit := atom.Kinds[p.kind], atom.UnitNames[p.unit]
	switch {
	case a.Kind == atom.Date:
		if kind != atom.Date {
			return noSlip
		}
		v := x.atoms(p.obs, p.piece)[p.nth].Value
		if p.how == converted {
			seconds, _ := unixTime(x.obs[p.obs].pieces[p.piece].text)
			v = momentOf(seconds)
		}
		return dateSlip(a.Value, v)
	case a.Kind == atom.Identifier:
		if kind != atom.Identifier && kind != atom.Number || p.how == converted {
			return noSlip
		}
		v := x.text(p)
		if more := len(v) - len(a.Value); len(v) < 4 || more < -1 || more > 2 || strings.EqualFold(v, a.Value) { // v1.2.3 is as long as 1.2.3
			return noSlip
		}
		return digitSlip(lang.Lower(a.Value), strings.TrimPrefix(lang.Lower(v), "v"))
	case !a.Numeric() || !kind.Numeric() || unit == "th" || a.Unit == "th":
		return noSlip
	}
	ratio := a.Num / p.num
	if near := ratio < 12 && ratio > 1/12.; !near && (a.Unit == "" || unit == "") {
		return noSlip
	}
	own, other := digitsOf(a.Num, a.Grain), digitsOf(p.num, float64(p.grain))
	same := trimZeros(own) == trimZeros(other)
	if a.Unit != unit && p.how != converted {
		if same && trimZeros(own) > 9 && a.Unit != "" && unit != "" && (atom.SameDimension(a.Unit, unit) || atom.IsCurrency(a.Unit) && atom.IsCurrency(unit)) {
			return otherUnit
		}
		if !(unit == "" && a.Unit != "" && p.noun == 0) && !(a.Unit == "" && a.Noun == "points") {
			return noSlip
		}
		if pc := &x.obs[p.obs].pieces[p.piece]; pc.key == "" || x.keySays(p, a) == differs {
			return noSlip
		}
	}
	if p.how == converted && a.Unit != unit {
		return noSlip
	}
	if a.Unit == "" && unit == "" && a.Fit(kind, unit, p.noun) < 2 && !atom.OtherScript(atom.NounKey(a.Noun), p.noun) {
		return noSlip
	}
	if same {
		if a.Num != p.num && trimZeros(own) > 9 && a.Unit == unit {
			return otherUnit // of another scale
		}
		return noSlip
	}
	if ratio > 12 || ratio < 1/12. {
		return noSlip
	}
	if s := numberSlip(own, other); s != noSlip {
		return s
	}
	return numberSlip(trimZeros(own), trimZeros(other))
}

// digitsOf are the digits of a number as they are written, without its point.
func digitsOf(num, grain float64) uint64 {
	if grain <= 0 {
		grain = 1
	}
	return uint64(math.Round(math.Abs(num) / grain))
}

func trimZeros(n uint64) uint64 {
	for n > 0 && n%10 == 0 {
		n /= 10
	}
	return n
}

// numberSlip is digitSlip of two numbers.
func numberSlip(a, b uint64) slip {
	var x, y [20]byte
	return digitSlip(strconv.AppendUint(x[:0], a, 10), strconv.AppendUint(y[:0], b, 10))
}

// digitSlip tells how two codes differ: by two neighbouring characters or two digits that changed
// places, by one digit, by one digit more.
func digitSlip[T string | []byte](a, b T) slip {
	switch len(a) - len(b) {
	case 0:
		var at [3]int
		n := 0
		for i := 0; i < len(a); i++ {
			if a[i] == b[i] {
				continue
			}
			if n == len(at)-1 || !lang.IsDigit(a[i]) && !lang.IsLetter(a[i]) {
				return noSlip
			}
			at[n] = i
			n++
		}
		switch {
		case n == 1 && lang.IsDigit(a[at[0]]) && lang.IsDigit(b[at[0]]):
			return substituted
		case n == 2 && a[at[0]] == b[at[1]] && a[at[1]] == b[at[0]]:
			return transposed
		}
	case 1, -1:
		long, short := a, b
		if len(b) > len(a) {
			long, short = b, a
		}
		if len(short) < 2 {
			return noSlip
		}
		i := 0
		for i < len(short) && long[i] == short[i] {
			i++
		}
		if lang.IsDigit(long[i]) && string(long[i+1:]) == string(short[i:]) {
			return dropped
		}
	}
	return noSlip
}

// dateSlip reports two dates, or two times, that differ in one part of them.
func dateSlip(a, b string) slip {
	if len(a) == 7 && strings.HasPrefix(a, "--") && len(b) >= 10 && b[4] == '-' {
		b = "-" + b[4:10]
	}
	if len(a) == 5 && a[2] == ':' && len(b) >= 16 && b[10] == 'T' {
		b = b[11:16]
	}
	if len(a) == 10 && len(b) > 10 && b[10] == 'T' {
		b = b[:10]
	}
	if len(a) != len(b) || a == b || len(a) < 4 {
		return noSlip
	}
	if len(a) == 4 {
		if s := digitSlip(a, b); s == transposed || s == substituted && a[:3] == b[:3] {
			return otherPart
		}
		return noSlip
	}
	n := 0
	partsA, partsB := strings.FieldsFunc(a, isDatePart), strings.FieldsFunc(b, isDatePart)
	if len(partsA) != len(partsB) {
		return noSlip
	}
	for i := range partsA {
		if partsA[i] != partsB[i] {
			n++
		}
	}
	if n == 1 {
		return otherPart
	}
	return noSlip
}

func isDatePart(r rune) bool { return r == '-' || r == ':' || r == 'T' }
