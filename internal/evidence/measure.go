package evidence

import "math"

// dimension tells which units can be converted into each other.
type dimension uint8

const (
	dimNone dimension = iota
	dimLength
	dimMass
	dimTime
	dimVolume
	dimArea
	dimBytes
	dimPower
	dimEnergy
	dimFrequency
	dimSpeed
	dimTemperature
	dimRate
	dimPressure
	dimVoltage
	dimCurrent
	dimCharge
	dimSubstance
	dimPercent
	dimFactor
	dimMoney // currencies, which no factor converts
)

// measure leads from a unit to its dimension and its size in base units.
type measure struct {
	dim dimension
	by  float64
	off float64 // added after multiplying: temperatures
}

var measures = withMetrics(map[string]measure{
	"km": {dimLength, 1000, 0}, "m": {dimLength, 1, 0}, "cm": {dimLength, .01, 0}, "mm": {dimLength, .001, 0}, "µm": {dimLength, 1e-6, 0}, "nm": {dimLength, 1e-9, 0},
	"mi": {dimLength, 1609.344, 0}, "ft": {dimLength, .3048, 0}, "in": {dimLength, .0254, 0}, "yd": {dimLength, .9144, 0}, "nmi": {dimLength, 1852, 0}, "AU": {dimLength, 149_597_870_700, 0},
	"kg": {dimMass, 1, 0}, "g": {dimMass, .001, 0}, "mg": {dimMass, 1e-6, 0}, "µg": {dimMass, 1e-9, 0}, "t": {dimMass, 1000, 0}, "lb": {dimMass, .45359237, 0},
	"oz": {dimMass, .028349523125, 0}, "jin": {dimMass, .5, 0}, "kt": {dimMass, 1e6, 0}, "Mt": {dimMass, 1e9, 0}, "kt10": {dimMass, 1e7, 0},
	"s": {dimTime, 1, 0}, "ms": {dimTime, .001, 0}, "µs": {dimTime, 1e-6, 0}, "ns": {dimTime, 1e-9, 0}, "min": {dimTime, 60, 0}, "h": {dimTime, 3600, 0}, "d": {dimTime, 86400, 0},
	"wk": {dimTime, 604800, 0}, "mo": {dimTime, 2629746, 0}, "y": {dimTime, 31556952, 0}, "quarter": {dimTime, 7889238, 0}, "decade": {dimTime, 315569520, 0}, "century": {dimTime, 3155695200, 0},
	"L": {dimVolume, 1, 0}, "ml": {dimVolume, .001, 0}, "cl": {dimVolume, .01, 0}, "dl": {dimVolume, .1, 0}, "gal": {dimVolume, 3.785411784, 0}, "m³": {dimVolume, 1000, 0}, "bbl": {dimVolume, 158.987294928, 0},
	"m²": {dimArea, 1, 0}, "km²": {dimArea, 1e6, 0}, "cm²": {dimArea, 1e-4, 0}, "ha": {dimArea, 1e4, 0}, "acre": {dimArea, 4046.8564224, 0}, "mu": {dimArea, 2000.0 / 3, 0}, "ft²": {dimArea, .09290304, 0}, "mi²": {dimArea, 2589988.110336, 0},
	"B": {dimBytes, 1, 0}, "KB": {dimBytes, 1e3, 0}, "MB": {dimBytes, 1e6, 0}, "GB": {dimBytes, 1e9, 0}, "TB": {dimBytes, 1e12, 0}, "PB": {dimBytes, 1e15, 0},
	"KiB": {dimBytes, 1 << 10, 0}, "MiB": {dimBytes, 1 << 20, 0}, "GiB": {dimBytes, 1 << 30, 0}, "TiB": {dimBytes, 1 << 40, 0},
	"W": {dimPower, 1, 0}, "kW": {dimPower, 1e3, 0}, "MW": {dimPower, 1e6, 0}, "GW": {dimPower, 1e9, 0}, "hp": {dimPower, 745.69987, 0},
	"Wh": {dimEnergy, 1, 0}, "kWh": {dimEnergy, 1e3, 0}, "MWh": {dimEnergy, 1e6, 0}, "GWh": {dimEnergy, 1e9, 0}, "TWh": {dimEnergy, 1e12, 0},
	"Hz": {dimFrequency, 1, 0}, "kHz": {dimFrequency, 1e3, 0}, "MHz": {dimFrequency, 1e6, 0}, "GHz": {dimFrequency, 1e9, 0},
	"km/h": {dimSpeed, 1 / 3.6, 0}, "m/s": {dimSpeed, 1, 0}, "mph": {dimSpeed, .44704, 0}, "kn": {dimSpeed, .514444, 0}, "km/s": {dimSpeed, 1000, 0}, "ft/s": {dimSpeed, .3048, 0},
	"°C": {dimTemperature, 1, 0}, "°F": {dimTemperature, 5.0 / 9, -160.0 / 9}, "K": {dimTemperature, 1, -273.15},
	"kbps": {dimRate, 1e3, 0}, "Mbps": {dimRate, 1e6, 0}, "Gbps": {dimRate, 1e9, 0},
	"psi": {dimPressure, 6894.757293168, 0}, "mmHg": {dimPressure, 133.322387415, 0}, "cal": {dimEnergy, 4.184 / 3600, 0}, "kcal": {dimEnergy, 4184. / 3600, 0},
	"%": {dimPercent, 1, 0}, "pp": {dimPercent, 1, 0}, "x": {dimFactor, 1, 0},
})

// base is a value in the base unit of its dimension, with its grain. Units
// that are in no dimension are their own.
func base(num, grain float64, unit string) (float64, float64, measure) {
	m, ok := measures[unit]
	if !ok {
		return num, grain, measure{by: 1}
	}
	return num*m.by + m.off, grain * m.by, m
}

// sameDimension reports whether values of two units can be compared.
func sameDimension(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := measures[a]
	y, okY := measures[b]
	return okX && okY && x.dim == y.dim
}

// coarse is the grain that a value may be rounded to: that of its last digit,
// or of its last digit that is not zero where the text says "about", or the
// value ends in several zeros.
func (a *Atom) coarse(about bool) float64 {
	g := a.grain
	if g <= 0 {
		g = 1
	}
	v := math.Abs(a.num)
	if v == 0 || a.part == partFirst && !about {
		return g
	}
	limit := g * 1000
	if about {
		limit = math.Inf(1)
	} else if a.raw.exp < 0 || a.scale > 0 {
		limit = g
	}
	for g*10 <= limit && g*10 <= v && math.Abs(math.Round(v/(g*10))*(g*10)-v) < g*1e-6 {
		g *= 10
	}
	return g
}
