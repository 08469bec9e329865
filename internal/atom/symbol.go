package atom

import (
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// metric is a symbol of a unit that takes prefixes (BIPM, The International
// System of Units, 9th edition, table 7), and the prefixes in use with it.
type metric struct {
	symbol   string
	dim      Dimension
	by       float64 // in base units of the dimension
	prefixes string
}

var metrics = []metric{
	{"m", DimLength, 1, "nµmckM"}, {"g", DimMass, .001, "nµmkM"}, {"s", DimTime, 1, "nµm"}, {"L", DimVolume, 1, "µm"}, {"mol", DimSubstance, 1, "nµmk"},
	{"W", DimPower, 1, "µmkMGT"}, {"Wh", DimEnergy, 1, "mkMGT"}, {"J", DimEnergy, 1. / 3600, "mkMGT"}, {"V", DimVoltage, 1, "µmkM"}, {"A", DimCurrent, 1, "µmkM"}, {"Ah", DimCharge, 1, "mk"},
	{"Hz", DimFrequency, 1, "mkMGT"}, {"Pa", DimPressure, 1, "mhkMG"}, {"bar", DimPressure, 1e5, "m"},
	{"B", DimBytes, 1, "kMGTP"}, {"bit", DimBytes, 1. / 8, "kMGT"}, {"bps", DimRate, 1, "kMGT"}, {"B/s", DimRate, 8, "kMG"},
}

var prefixes = map[rune]float64{'n': 1e-9, 'µ': 1e-6, 'm': 1e-3, 'h': 1e2, 'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12, 'P': 1e15}

// symbol is a metric with a prefix, or without.
type symbol struct {
	unit    string
	written []string // as people write it; empty for one letter alone, which [singleUnit] reads
	measure Measure
}

var symbols = func() (out []symbol) {
	names := map[string]string{"kB": "KB", "kB/s": "KB/s", "mL": "ml"}
	for _, m := range metrics {
		for _, p := range "1" + m.prefixes {
			s := symbol{unit: m.symbol, measure: Measure{m.dim, m.by, 0}}
			if p != '1' {
				s.unit = string(p) + m.symbol
				s.measure.By *= prefixes[p]
			}
			if len(s.unit) > 1 {
				s.written = append(s.written, s.unit)
			}
			upper := strings.ToUpper(string(p)) // K is for 1000 wherever bits and bytes are
			switch {
			case p == '1':
			case m.symbol == "bit":
				s.written = append(s.written, upper+"b")
			case m.symbol == "B/s":
				s.written = append(s.written, upper+"B/s", string(p)+"Bps", upper+"Bps")
			}
			if name := names[s.unit]; name != "" {
				s.unit = name
			}
			out = append(out, s)
		}
	}
	return out
}()

// withSymbols adds those of the symbols to a table that fit into it and have no
// meaning there already.
func withSymbols(table map[string]string, fits func(written string) bool) map[string]string {
	for _, s := range symbols {
		for _, w := range s.written {
			if table[w] == "" && fits(w) {
				table[w] = s.unit
			}
		}
	}
	return table
}

func withStroke(w string) bool { return strings.Contains(w, "/") }
func noStroke(w string) bool   { return !withStroke(w) }

// withMetrics adds what the symbols measure.
func withMetrics(table map[string]Measure) map[string]Measure {
	for _, s := range symbols {
		if _, known := table[s.unit]; !known {
			table[s.unit] = s.measure
		}
	}
	return table
}

// withMicro adds the symbols that begin with a micro sign, which is one of two
// characters.
func withMicro(list []unitSymbol) []unitSymbol {
	for _, s := range symbols {
		if rest, ok := strings.CutPrefix(s.unit, "µ"); ok {
			list = append(list, unitSymbol{"µ" + rest, s.unit}, unitSymbol{"μ" + rest, s.unit})
		}
	}
	return list
}

// foldedUnits are the units as written that a spelling in lower case may stand
// for.
var foldedUnits = sync.OnceValue(func() *lang.Table[[]string] {
	m := make(map[string][]string, len(Units))
	for w := range Units {
		m[lang.Lower(w)] = append(m[lang.Lower(w)], w)
	}
	return lang.MakeTable(m)
})

// UnitOf is the unit that a word names. Case decides between symbols: mW and
// MW, Mb and MB. A word in another case than its unit has is read where that
// leaves one unit, after m and M at its head and b and B in it have spoken: KG,
// Ghz, Hours. In a word all of one case they say nothing, and it is what it
// usually is: mhz, KWH.
func UnitOf(w string) string {
	list := foldedUnits().Fold(w)
	if len(list) == 0 {
		return ""
	}
	if u := Units[w]; u != "" {
		return u
	}
	if folded := lang.Lower(w); folded == w || strings.ToUpper(w) == w {
		if u := Units[folded]; u != "" {
			return u
		}
	} else {
		list = agreeing(list, func(written string) bool { return w[0]|0x20 != 'm' || written[0] == w[0] })
		list = agreeing(list, func(written string) bool { return bitsAgree(w, written) })
	}
	for _, other := range list[1:] {
		if Units[other] != Units[list[0]] {
			return ""
		}
	}
	return Units[list[0]]
}

// agreeing is the members that fit, or all where none does.
func agreeing(list []string, fits func(string) bool) []string {
	var out []string
	for _, w := range list {
		if fits(w) {
			out = append(out, w)
		}
	}
	if out == nil {
		return list
	}
	return out
}

// bitsAgree reports whether two words that differ in case have b and B at the
// same places.
func bitsAgree(a, b string) bool {
	for i := range len(a) {
		if a[i]|0x20 == 'b' && a[i] != b[i] {
			return false
		}
	}
	return true
}
