package atom

import (
	"math"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Dimension tells which units can be converted into each other.
type Dimension uint8

// The dimensions. DimNone is that of a unit which is its own.
const (
	DimNone Dimension = iota
	DimLength
	DimMass
	DimTime
	DimVolume
	DimArea
	DimBytes
	DimPower
	DimEnergy
	DimFrequency
	DimSpeed
	DimTemperature
	DimRate
	DimPressure
	DimVoltage
	DimCurrent
	DimCharge
	DimSubstance
	DimPercent
	DimFactor
	DimFlow
	DimDensity
	DimMoney // currencies, which no factor converts
)

// Measure leads from a unit to its dimension and its size in base units.
type Measure struct {
	Dim Dimension
	By  float64
	Off float64 // added after multiplying: temperatures
}

// Measures are the units that can be converted, by their symbols.
var Measures = withMetrics(map[string]Measure{
	"km": {DimLength, 1000, 0}, "m": {DimLength, 1, 0}, "cm": {DimLength, .01, 0}, "mm": {DimLength, .001, 0}, "µm": {DimLength, 1e-6, 0}, "nm": {DimLength, 1e-9, 0},
	"mi": {DimLength, 1609.344, 0}, "ft": {DimLength, .3048, 0}, "in": {DimLength, .0254, 0}, "yd": {DimLength, .9144, 0}, "nmi": {DimLength, 1852, 0}, "AU": {DimLength, 149_597_870_700, 0},
	"kg": {DimMass, 1, 0}, "g": {DimMass, .001, 0}, "mg": {DimMass, 1e-6, 0}, "µg": {DimMass, 1e-9, 0}, "t": {DimMass, 1000, 0}, "lb": {DimMass, .45359237, 0},
	"oz": {DimMass, .028349523125, 0}, "jin": {DimMass, .5, 0}, "kt": {DimMass, 1e6, 0}, "Mt": {DimMass, 1e9, 0}, "kt10": {DimMass, 1e7, 0},
	"s": {DimTime, 1, 0}, "ms": {DimTime, .001, 0}, "µs": {DimTime, 1e-6, 0}, "ns": {DimTime, 1e-9, 0}, "min": {DimTime, 60, 0}, "h": {DimTime, 3600, 0}, "d": {DimTime, 86400, 0},
	"wk": {DimTime, 604800, 0}, "mo": {DimTime, 2629746, 0}, "y": {DimTime, 31556952, 0}, "quarter": {DimTime, 7889238, 0}, "decade": {DimTime, 315569520, 0}, "century": {DimTime, 3155695200, 0},
	"L": {DimVolume, 1, 0}, "ml": {DimVolume, .001, 0}, "cl": {DimVolume, .01, 0}, "dl": {DimVolume, .1, 0}, "gal": {DimVolume, 3.785411784, 0}, "m³": {DimVolume, 1000, 0}, "km³": {DimVolume, 1e12, 0}, "cm³": {DimVolume, .001, 0}, "mm³": {DimVolume, 1e-6, 0}, "ft³": {DimVolume, 28.316846592, 0}, "bbl": {DimVolume, 158.987294928, 0},
	"m²": {DimArea, 1, 0}, "km²": {DimArea, 1e6, 0}, "cm²": {DimArea, 1e-4, 0}, "ha": {DimArea, 1e4, 0}, "acre": {DimArea, 4046.8564224, 0}, "mu": {DimArea, 2000.0 / 3, 0}, "ft²": {DimArea, .09290304, 0}, "mi²": {DimArea, 2589988.110336, 0},
	"B": {DimBytes, 1, 0}, "KB": {DimBytes, 1e3, 0}, "MB": {DimBytes, 1e6, 0}, "GB": {DimBytes, 1e9, 0}, "TB": {DimBytes, 1e12, 0}, "PB": {DimBytes, 1e15, 0},
	"KiB": {DimBytes, 1 << 10, 0}, "MiB": {DimBytes, 1 << 20, 0}, "GiB": {DimBytes, 1 << 30, 0}, "TiB": {DimBytes, 1 << 40, 0},
	"W": {DimPower, 1, 0}, "kW": {DimPower, 1e3, 0}, "MW": {DimPower, 1e6, 0}, "GW": {DimPower, 1e9, 0}, "hp": {DimPower, 745.69987, 0},
	"Wh": {DimEnergy, 1, 0}, "kWh": {DimEnergy, 1e3, 0}, "MWh": {DimEnergy, 1e6, 0}, "GWh": {DimEnergy, 1e9, 0}, "TWh": {DimEnergy, 1e12, 0},
	"Hz": {DimFrequency, 1, 0}, "kHz": {DimFrequency, 1e3, 0}, "MHz": {DimFrequency, 1e6, 0}, "GHz": {DimFrequency, 1e9, 0},
	"km/h": {DimSpeed, 1 / 3.6, 0}, "m/s": {DimSpeed, 1, 0}, "mph": {DimSpeed, .44704, 0}, "kn": {DimSpeed, .514444, 0}, "km/s": {DimSpeed, 1000, 0}, "ft/s": {DimSpeed, .3048, 0},
	"°C": {DimTemperature, 1, 0}, "°F": {DimTemperature, 5.0 / 9, -160.0 / 9}, "K": {DimTemperature, 1, -273.15},
	"kbps": {DimRate, 1e3, 0}, "Mbps": {DimRate, 1e6, 0}, "Gbps": {DimRate, 1e9, 0},
	"psi": {DimPressure, 6894.757293168, 0}, "atm": {DimPressure, 101325, 0}, "mmHg": {DimPressure, 133.322387415, 0}, "cal": {DimEnergy, 4.184 / 3600, 0}, "kcal": {DimEnergy, 4184. / 3600, 0},
	"%": {DimPercent, 1, 0}, "pp": {DimPercent, 1, 0}, "x": {DimFactor, 1, 0},
	"L/s": {DimFlow, 1, 0}, "L/min": {DimFlow, 1. / 60, 0}, "L/h": {DimFlow, 1. / 3600, 0}, "m³/s": {DimFlow, 1000, 0}, "m³/min": {DimFlow, 1000. / 60, 0}, "m³/h": {DimFlow, 1000. / 3600, 0}, "gal/min": {DimFlow, 3.785411784 / 60, 0}, "ml/min": {DimFlow, .001 / 60, 0},
	"kg/m³": {DimDensity, 1, 0}, "g/L": {DimDensity, 1, 0}, "mg/L": {DimDensity, .001, 0}, "g/dL": {DimDensity, 10, 0}, "mg/dL": {DimDensity, .01, 0}, "µg/mL": {DimDensity, .001, 0}, "µg/L": {DimDensity, 1e-6, 0}, "g/cm³": {DimDensity, 1000, 0}, "g/mL": {DimDensity, 1000, 0}, "kg/L": {DimDensity, 1000, 0},
})

// Base is a value in the base unit of its dimension, with its grain. Units
// that are in no dimension are their own.
func Base(num, grain float64, unit string) (float64, float64, Measure) {
	m, ok := Measures[unit]
	if !ok {
		return num, grain, Measure{By: 1}
	}
	return num*m.By + m.Off, grain * m.By, m
}

// SameDimension reports whether values of two units can be compared.
func SameDimension(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := Measures[a]
	y, okY := Measures[b]
	return okX && okY && x.Dim == y.Dim
}

// Coarse is the grain that a value may be rounded to: that of its last digit,
// or of its last digit that is not zero where the text says "about", or the
// value ends in several zeros. Who writes 2000 and keeps one digit of four says so:
// "about 2000", "2 thousand".
func (a *Atom) Coarse(about bool) float64 {
	g := a.Grain
	if g <= 0 {
		g = 1
	}
	v := math.Abs(a.Num)
	if v == 0 || !about && (a.Part == PartFirst || v >= 1000*g && a.Significant() == 1) {
		return g
	}
	limit := g * 1000
	if about {
		limit = math.Inf(1)
	} else if a.Raw.Exp < 0 || a.Scale > 0 {
		limit = g
	}
	for g*10 <= limit && g*10 <= v && math.Abs(math.Round(v/(g*10))*(g*10)-v) < g*1e-6 {
		g *= 10
	}
	return g
}

// Leeway is how far a calculated result may lie from the value that is stated of it: half of
// the last digit; of thousands, and of what is said to be rough, half of the last
// digit that is not zero.
func (a *Atom) Leeway(about bool) float64 {
	if about || math.Abs(a.Num) >= 1000 {
		return a.Rounding(about)
	}
	return a.Grain * .5 * (1 + 1e-9)
}

// Rounding is how far a value may lie from what it was rounded from: 59 is not
// 100, and 6 is not about 10, though each has the other's only digit.
func (a *Atom) Rounding(about bool) float64 {
	share := .05
	if about {
		share = .15
	}
	return max(a.Grain*.5, min(a.Coarse(about)*.5, share*math.Abs(a.Num))) * (1 + 1e-9)
}

// IsCurrency reports a unit that is an ISO 4217 code.
func IsCurrency(unit string) bool {
	return len(unit) == 3 && lang.IsUpper(unit[0]) && lang.IsUpper(unit[1]) && lang.IsUpper(unit[2])
}
