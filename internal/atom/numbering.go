package atom

import (
	"maps"
	"slices"
	"sort"
)

// Kinds and units as small numbers, for those who keep millions of atoms: a kind's
// is its place in [Kinds], a unit's its place in UnitNames, of which the first is
// that of no unit.
var (
	KindNumbers = map[Kind]uint8{}
	UnitNumbers = map[string]uint16{"": 0}
	UnitNames   = []string{""}
)

func init() {
	for i, k := range Kinds {
		KindNumbers[k] = uint8(i)
	}
	add := func(u string) {
		if _, ok := UnitNumbers[u]; !ok && u != "" {
			UnitNumbers[u] = uint16(len(UnitNames))
			UnitNames = append(UnitNames, u)
		}
	}
	for _, table := range []map[string]string{Units, hanUnits, CompoundUnits, Currencies} {
		distinct := slices.Compact(slices.Sorted(maps.Values(table)))
		keys := make([]string, 0, 3*len(distinct))
		for _, u := range distinct {
			keys = append(keys, u, u+"²", u+"³")
		}
		sort.Strings(keys)
		for _, u := range keys {
			add(u)
		}
	}
	for _, u := range []string{"%", "pp", "th", "x", "mph", "°", "°C", "°F", "ly", "d", "J", "N", "V", "W", "L", "t", "RUB", "TRY", "VND", "TWD"} {
		add(u)
	}
	for _, c := range CurrencySigns {
		add(c.Code)
	}
	for _, c := range currencyHan {
		add(c.Code)
	}
	for _, c := range CurrencyWords {
		add(c.Code)
	}
}
