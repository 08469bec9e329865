package atom

import (
	"maps"
	"slices"
)

// Kinds and units as small numbers, for those who keep millions of atoms: a kind's
// is its place in [Kinds], a unit's its place in UnitNames, of which the first is
// that of no unit.
var (
	UnitNumbers = make(map[string]uint16, maxUnits)
	UnitNames   = make([]string, 0, maxUnits)
)

// Number is the kind's place in [Kinds].
func (k Kind) Number() uint8 {
	for i := range Kinds {
		if Kinds[i] == k {
			return uint8(i)
		}
	}
	return 0
}

// maxUnits is about how many there are.
const maxUnits = 700

func init() {
	add := func(u string) {
		if _, ok := UnitNumbers[u]; !ok {
			UnitNumbers[u] = uint16(len(UnitNames))
			UnitNames = append(UnitNames, u)
		}
	}
	add("")
	for _, table := range []map[string]string{Units, hanUnits, CompoundUnits} {
		keys := slices.Compact(slices.Sorted(maps.Values(table)))
		for _, u := range keys[:len(keys):len(keys)] {
			keys = append(keys, u+"²", u+"³")
		}
		slices.Sort(keys)
		for _, u := range keys {
			add(u)
		}
	}
	for _, c := range slices.Sorted(maps.Values(Currencies)) {
		add(c)
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
