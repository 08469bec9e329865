package evidence

import (
	"math"
	"strconv"
)

// Kind is the kind of an atom.
type Kind string

// The kinds of atoms. A number has no unit but `th` for an ordinal.
const (
	KindNumber     Kind = "number"
	KindMoney      Kind = "money"      // unit: ISO 4217
	KindPercent    Kind = "percent"    // unit: % or pp
	KindQuantity   Kind = "quantity"   // unit: a short symbol, see unit.go
	KindDate       Kind = "date"       // value: ISO 8601 as far as stated
	KindIdentifier Kind = "identifier" // value: as written; a version without its v
	KindURL        Kind = "url"        // value: as written, without trailing punctuation
	KindQuote      Kind = "quote"      // value: what stands between the marks
	KindName       Kind = "name"       // value: as written
)

// Kinds lists all kinds.
var Kinds = []Kind{KindNumber, KindMoney, KindPercent, KindQuantity, KindDate, KindIdentifier, KindURL, KindQuote, KindName}

// Atom is one comparable value in a text.
type Atom struct {
	Kind   Kind   `json:"kind"`
	Value  string `json:"value"` // canonical: plain decimal, ISO 8601, or the text itself
	Unit   string `json:"unit"`  // canonical; empty where there is none
	Text   string `json:"text"`  // as it stands in the text
	Offset int    `json:"offset"`
	Length int    `json:"length"`

	num    float64 // the value, numeric kinds only
	grain  float64 // the worth of one in the last written digit, numeric kinds only
	noun   string  // the word that follows a bare number: what it counts
	raw    decimal // the numeral before its scale
	scale  int8    // power of ten of the scale word
	word   bool    // written in words
	shared bool    // its unit is that of a list's last member
	part   uint8   // of a value in several units: partFirst, whose num is the whole, or partLater
}

// Numeric reports whether the atom has a magnitude to calculate with.
func (a *Atom) Numeric() bool { return a.Kind.numeric() }

func (k Kind) numeric() bool {
	switch k {
	case KindNumber, KindMoney, KindPercent, KindQuantity:
		return true
	}
	return false
}

// decimal is coef × 10^exp: exact for up to 18 digits.
type decimal struct {
	coef uint64
	exp  int32
	neg  bool
}

// add appends one digit, and reports whether it still fits.
func (d *decimal) add(digit byte) bool {
	if d.coef >= 1e17 {
		return false
	}
	d.coef = d.coef*10 + uint64(digit)
	return true
}

func (d decimal) float() float64 {
	f := float64(d.coef) * pow10(int(d.exp))
	if d.exp < 0 { // dividing by an exact power keeps decimals like 0.3 what they read as
		f = float64(d.coef) / pow10(int(-d.exp))
	}
	if d.neg {
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
func (d decimal) String() string {
	coef, exp := d.coef, int(d.exp)
	if coef == 0 {
		return "0"
	}
	for exp < 0 && coef%10 == 0 {
		coef, exp = coef/10, exp+1
	}
	var a [64]byte
	b := a[:0]
	if d.neg {
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
