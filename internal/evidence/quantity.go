package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/reckon"
)

// unitOfAtom is the unit of a value: nights are days.
func unitOfAtom(a *atom.Atom) string {
	if a.Unit == "" && nightNouns[lang.Stem(a.Noun)] {
		return "d"
	}
	return a.Unit
}

// dimOf is a unit's dimension and its size.
func dimOf(unit string) (reckon.Dim, float64) {
	if unit == "" || unit == "x" {
		return reckon.Dim{}, 1
	}
	if unit == "%" || unit == "pp" {
		return reckon.Dim{}, .01
	}
	if atom.IsCurrency(unit) {
		return reckon.Dim{Money: 1, Currency: atom.UnitNumbers[unit] + 1}, 1
	}
	m := atom.Measures[unit]
	switch m.Dim {
	case atom.DimLength:
		return reckon.Dim{Length: 1}, m.By
	case atom.DimArea:
		return reckon.Dim{Length: 2}, m.By
	case atom.DimVolume:
		return reckon.Dim{Length: 3}, m.By / 1000
	case atom.DimMass:
		return reckon.Dim{Mass: 1}, m.By
	case atom.DimTime:
		return reckon.Dim{Time: 1}, m.By
	case atom.DimBytes:
		return reckon.Dim{Bytes: 1}, m.By
	case atom.DimRate:
		return reckon.Dim{Bytes: 1, Time: -1}, m.By / 8
	case atom.DimEnergy:
		return reckon.Dim{Energy: 1}, m.By * 3600
	case atom.DimPower:
		return reckon.Dim{Energy: 1, Time: -1}, m.By
	case atom.DimSpeed:
		return reckon.Dim{Length: 1, Time: -1}, m.By
	}
	if over, under, ok := strings.Cut(unit, "/"); ok && over != "" && under != "" {
		d, by := dimOf(over)
		e, size := dimOf(under)
		if out, ok := d.Per(e); ok && d.Other == 0 && e.Other == 0 {
			return out, by / size
		}
	}
	if m.By == 0 {
		m.By = 1
	}
	return reckon.Dim{Other: atom.UnitNumbers[unit] + 1}, m.By
}

// eachOf is what a value of a text is for each of, past what it counts: 131 chunks an hour.
func eachOf(text string, a *atom.Atom) (per, bool) {
	end := a.Offset + a.Length
	if a.Noun != "" && a.Noun != "per" && strings.HasPrefix(text[end:], " "+a.Noun+" ") {
		end += 1 + len(a.Noun)
	}
	if next, _ := lang.WordAt(text, min(end+1, len(text))); ratesOf[next] != "" { // 5 mg daily
		return per{unit: ratesOf[next], times: 1}, true
	}
	each, ok := perOf(text, a.Offset, end)
	return each, ok && each.unit != ""
}
