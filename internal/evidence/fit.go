package evidence

import "strings"

import (
	"math"
	"strconv"
)

// significant is the number of digits of a value without the zeros around it; of
// a value in several units, that of the whole in its smallest one.
func significant(a *Atom) int {
	n, zeros := 0, 0
	value := a.Value
	if a.part == partFirst && a.grain > 0 {
		value = strconv.FormatFloat(math.Round(a.num/a.grain), 'f', -1, 64)
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '0' && n > 0:
			zeros++
		case c >= '1' && c <= '9':
			n += zeros + 1
			zeros = 0
		}
	}
	return n
}

// fit tells how well two atoms of one value go together: 3 the same unit and
// kind, 2 where one lacks a unit, 1 where they count different things, 0 not at all.
func fit(a, b *Atom) int {
	return fitOf(a, b.Kind, b.Unit, nounKey(b.noun))
}

func nounKey(n string) uint32 {
	if n == "" {
		return 0
	}
	return nounHash(n)
}

func (k *linker) fitPosting(a *Atom, p *posting) int {
	return fitOf(a, Kinds[p.kind], unitNames[p.unit], p.noun)
}

func fitOf(a *Atom, kind Kind, unit string, noun uint32) int {
	switch {
	case a.Numeric() && kind.numeric():
		if a.Unit == unit {
			own := nounKey(a.noun)
			switch {
			case a.Unit != "" || own == noun || hanWord(a.noun):
				return 3
			case own == 0 || noun == 0 || otherScript(own, noun):
				return 2
			}
			return 1
		}
		switch {
		case a.Unit == "th" || unit == "th":
			return 1
		case a.Unit == "" && a.noun == "points" && (unit == "pp" || unit == "%"):
			return 2
		case a.Unit == "" && a.noun != "" && !hanWord(a.noun):
			return 1
		case unit == "" && noun != 0:
			return 1
		case a.Unit == "" || unit == "":
			return 2
		case a.Unit == "%" && unit == "pp", a.Unit == "pp" && unit == "%", a.Unit == "CNY" && unit == "JPY", a.Unit == "JPY" && unit == "CNY",
			crowns[a.Unit] && crowns[unit],                                     // written kr
			a.Unit == "°" && unit[0] == 0xc2, unit == "°" && a.Unit[0] == 0xc2: // ° and °C, but not °F and °C
			return 2
		}
		return 0
	case a.Kind == kind:
		return 3
	case kind == KindDate && a.Kind == KindNumber && (a.noun != "" || strings.IndexByte(a.Text, ',') > 0):
		return 0 // 1,987 people, and founded in 1987
	case plainNumber(a.Kind, a.Unit) && plainNumber(kind, unit):
		return 2
	}
	return 0
}

var crowns = map[string]bool{"SEK": true, "NOK": true, "DKK": true}

// plainNumber reports kinds that may be written alike: 2019, 3.2, 88213.
func plainNumber(k Kind, unit string) bool {
	return k == KindDate || k == KindIdentifier || k == KindNumber && unit == ""
}

func hanWord(n string) bool { return n != "" && n[0] >= 0x80 }
