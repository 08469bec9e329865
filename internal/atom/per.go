package atom

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// unitAt reads a unit of measure at i, with what it is counted by: litres per
// minute, kilowatt-hours a year, cubic metres per hour. Litres per 100 km are two
// values, from which others are derived.
func (sc *scanner) unitAt(i int) (string, int) {
	unit, end := sc.plainUnit(i)
	if end == i || end >= len(sc.s) {
		return unit, end
	}
	switch sc.s[end] {
	case ' ', '/', '-':
		return sc.per(unit, end)
	}
	return unit, end
}

// per reads what a unit that ends at end is counted by, where the two are a known
// unit together.
func (sc *scanner) per(unit string, end int) (string, int) {
	s := sc.s
	if rest := s[end:]; (unit == "W" || unit == "kW" || unit == "MW" || unit == "GW") && len(rest) > len("-hour") && strings.EqualFold(rest[1:len("-hour")], "hour") && rest[0] != '/' {
		stop := end + len("-hour")
		if stop < len(s) && s[stop] == 's' {
			stop++
		}
		if !lang.IsAlnumAt(s, stop) {
			return sc.per(unit+"h", stop)
		}
	}
	p := end
	for _, w := range []string{"/", " per ", " a ", " an ", " each ", " every "} {
		if strings.HasPrefix(s[end:], w) {
			p = end + len(w)
			break
		}
	}
	if p == end {
		return unit, end
	}
	if !lang.IsLetterAt(s, p) {
		return unit, end
	}
	den, stop := lang.WordAt(s, p)
	if den == "cubic" {
		if u, e := sc.compound(den, stop); e > stop {
			den, stop = u, e
		}
	} else if u := UnitOf(den); u != "" {
		den = u
	}
	if u := CompoundUnits[unit+"/"+den]; u != "" {
		return u, stop
	}
	return unit, end
}
