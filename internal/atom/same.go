package atom

import (
	"math"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Key is what atoms of one value have in common, whatever their unit.
func (a *Atom) Key() uint64 {
	switch a.Kind {
	case URL:
		return lang.Hash(plainURL(a.Value))
	case Name:
		return lang.Hash(a.Value) * lang.FNVPrime
	}
	return lang.Hash(a.Value)
}

// plainURL is a URL without what does not tell pages apart.
func plainURL(u string) string {
	if i := strings.Index(u, "://"); i >= 0 {
		u = u[i+3:]
	}
	if i := strings.IndexByte(u, '#'); i >= 0 {
		u = u[:i]
	}
	u = strings.TrimPrefix(u, "www.")
	return strings.TrimRight(u, "/")
}

// Coarser lists the dates that a date implies: the month and the year of a
// day, the day without its year, the day of a time.
func Coarser(iso string) []string {
	switch {
	case len(iso) >= 16 && iso[10] == 'T':
		out := []string{iso[:10], iso[:7], iso[:4], "-" + iso[4:10], iso[11:16]}
		if len(iso) >= 19 && iso[16] == ':' {
			out = append(out, iso[11:19], iso[:16])
		}
		return out
	case len(iso) == 8 && iso[2] == ':':
		return []string{iso[:5]}
	case len(iso) == 10 && iso[4] == '-':
		return []string{iso[:7], iso[:4], "-" + iso[4:]}
	case len(iso) == 7 && lang.IsDigit(iso[0]):
		return []string{iso[:4], "-" + iso[4:], iso[5:]}
	case strings.HasPrefix(iso, "FY"):
		return []string{iso[2:]}
	}
	return nil
}

// fit tells how well two atoms of one value go together: 3 the same unit and
// kind, 2 where one lacks a unit, 1 where they count different things, 0 not at all.
func (a *Atom) fit(b *Atom) int {
	return a.Fit(b.Kind, b.Unit, NounKey(b.Noun))
}

// NounKey is [NounHash], and 0 where nothing is counted.
func NounKey(n string) uint32 {
	if n == "" {
		return 0
	}
	return NounHash(n)
}

// Fit is fit for what is known of another atom of the same [Atom.Key]: its kind,
// its unit and the [NounKey] of what it counts.
func (a *Atom) Fit(kind Kind, unit string, noun uint32) int {
	switch {
	case a.Numeric() && kind.Numeric():
		if a.Unit == unit {
			own := NounKey(a.Noun)
			switch {
			case a.Unit != "" || own == noun || lang.IsHan(a.Noun):
				return 3
			case own == 0 || noun == 0 || OtherScript(own, noun):
				return 2
			}
			return 1
		}
		switch {
		case a.Unit == "th" || unit == "th":
			return 1
		case a.Unit == "" && a.Noun == "points" && (unit == "pp" || unit == "%"):
			return 2
		case a.Unit == "" && a.Noun != "" && !lang.IsHan(a.Noun):
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
	case kind == Date && a.Kind == Number && (a.Noun != "" || strings.IndexByte(a.Text, ',') > 0):
		return 0 // 1,987 people, and founded in 1987
	case plainNumber(a.Kind, a.Unit) && plainNumber(kind, unit):
		return 2
	}
	return 0
}

var crowns = map[string]bool{"SEK": true, "NOK": true, "DKK": true}

// plainNumber reports kinds that may be written alike: 2019, 3.2, 88213.
func plainNumber(k Kind, unit string) bool {
	return k == Date || k == Identifier || k == Number && unit == ""
}

// NounHash is what the forms of one noun have in common.
func NounHash(n string) uint32 {
	h := uint32(lang.Hash(lang.Stem(n)))&^3 | 1
	if lang.IsHan(n) {
		h |= 2
	}
	return h
}

// OtherScript reports the [NounKey] of nouns of which one is Chinese and one is not: they say nothing of each other.
func OtherScript(a, b uint32) bool { return (a^b)&2 != 0 }

// Significant is the number of digits of a value without the zeros around it; of
// a value in several units, that of the whole in its smallest one. An identifier is
// not rounded: a zero at its end counts.
func (a *Atom) Significant() int {
	n, zeros := 0, 0
	value := a.Value
	if a.Part == PartFirst && a.Grain > 0 {
		value = strconv.FormatFloat(math.Round(a.Num/a.Grain), 'f', -1, 64)
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
	if a.Kind == Identifier {
		return n + zeros
	}
	return n
}
