package atom

import (
	"math"
	"strconv"
)

// Kind is the kind of an atom.
type Kind string

// The kinds of atoms. A number has no unit but `th` for an ordinal.
const (
	Number     Kind = "number"
	Money      Kind = "money"      // unit: ISO 4217
	Percent    Kind = "percent"    // unit: % or pp
	Quantity   Kind = "quantity"   // unit: a short symbol, see unit.go
	Date       Kind = "date"       // value: ISO 8601 as far as stated
	Identifier Kind = "identifier" // value: as written; a version without its v
	URL        Kind = "url"        // value: as written, without trailing punctuation
	Quote      Kind = "quote"      // value: what stands between the marks
	Name       Kind = "name"       // value: as written
)

// Kinds lists all kinds.
var Kinds = []Kind{Number, Money, Percent, Quantity, Date, Identifier, URL, Quote, Name}

// Atom is one comparable value in a text.
type Atom struct {
	Kind   Kind   `json:"kind"`
	Value  string `json:"value"` // canonical: plain decimal, ISO 8601, or the text itself
	Unit   string `json:"unit"`  // canonical; empty where there is none
	Text   string `json:"text"`  // as it stands in the text
	Offset int    `json:"offset"`
	Length int    `json:"length"`

	Num     float64 `json:"-"` // the value, numeric kinds only
	Grain   float64 `json:"-"` // the worth of one in the last written digit, numeric kinds only
	Noun    string  `json:"-"` // the word that follows a bare number: what it counts
	Raw     Decimal `json:"-"` // the numeral before its scale
	Scale   int8    `json:"-"` // power of ten of the scale word
	InWords bool    `json:"-"` // written in words
	Part    uint8   `json:"-"` // of a value in several units: PartFirst, whose Num is the whole, or PartLater
	shared  bool    // its unit is that of a list's last member
}

// Numeric reports whether the atom has a magnitude to calculate with.
func (a *Atom) Numeric() bool { return a.Kind.Numeric() }

// Numeric reports the kinds whose values are numbers.
func (k Kind) Numeric() bool {
	switch k {
	case Number, Money, Percent, Quantity:
		return true
	}
	return false
}

// Decimal is Coef × 10^Exp: exact for up to 18 digits.
type Decimal struct {
	Coef uint64
	Exp  int32
	Neg  bool
}

// add appends one digit, and reports whether it still fits.
func (d *Decimal) add(digit byte) bool {
	if d.Coef >= 1e17 {
		return false
	}
	d.Coef = d.Coef*10 + uint64(digit)
	return true
}

// Float is the nearest float64.
func (d Decimal) Float() float64 {
	f := float64(d.Coef) * pow10(int(d.Exp))
	if d.Exp < 0 { // dividing by an exact power keeps decimals like 0.3 what they read as
		f = float64(d.Coef) / pow10(int(-d.Exp))
	}
	if d.Neg {
		return -f
	}
	return f
}

func pow10(n int) float64 {
	if n >= 0 && n <= 22 {
		return pow10tab[n]
	}
	return math.Pow(10, float64(n))
}

var pow10tab = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// String writes the plain decimal without needless zeros.
func (d Decimal) String() string {
	coef, exp := d.Coef, int(d.Exp)
	if coef == 0 {
		return "0"
	}
	for exp < 0 && coef%10 == 0 {
		coef, exp = coef/10, exp+1
	}
	var a [64]byte
	b := a[:0]
	if d.Neg {
		b = append(b, '-')
	}
	if exp >= 0 {
		b = strconv.AppendUint(b, coef, 10)
		for ; exp > 0; exp-- {
			b = append(b, '0')
		}
		return string(b)
	}
	var t [24]byte
	digits := strconv.AppendUint(t[:0], coef, 10)
	point := len(digits) + exp
	if point <= 0 {
		b = append(b, '0', '.')
		for ; point < 0; point++ {
			b = append(b, '0')
		}
		return string(append(b, digits...))
	}
	b = append(b, digits[:point]...)
	b = append(b, '.')
	return string(append(b, digits[point:]...))
}
