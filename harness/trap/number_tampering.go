package trap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
)

// NumberTampering changes the number of the claim.
type NumberTampering struct {
	// How is "swap" (two digits), "scale" (by 0.5 to 2) or "shift" (by 3 to 30
	// percent); empty draws one.
	How string `json:"how,omitempty"`
}

var numberTampering = Kind{
	ID: 1, Name: "number_tampering", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page, Records, Workspace, Agent},
	Shapes:   []Shape{Number},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "a digit swapped, the number scaled or shifted",
	Tell:     "a second source; an arithmetic total; the sanity of the magnitude",
	New:      func() Trap { return &NumberTampering{} },
}

// Make implements [Trap].
func (t *NumberTampering) Make(r *rand.Rand, m *Material) (*Defect, error) {
	how := t.How
	if how == "" {
		how = []string{"swap", "scale", "shift"}[r.IntN(3)]
	}
	truth := m.Truth().Value
	n, err := tamper(r, how, truth.Num)
	if err != nil {
		return nil, err
	}
	v := NewNumber(m.Lang, n, truth.Unit)
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}

// tamper changes a number and keeps its precision, so that the new one is
// written with as many digits.
func tamper(r *rand.Rand, how string, n float64) (float64, error) {
	scale := precision(n)
	whole := int64(math.Round(n * scale))
	for range 100 {
		var x int64
		switch how {
		case "swap":
			x = swapDigits(r, whole)
		case "scale":
			x = int64(float64(whole) * (0.5 + 1.5*r.Float64()))
		case "shift":
			delta := 0.03 + 0.27*r.Float64()
			if r.IntN(2) == 0 {
				delta = -delta
			}
			x = int64(float64(whole) * (1 + delta))
		default:
			return 0, fmt.Errorf("how %q: want swap, scale or shift", how)
		}
		if differ(x, whole) {
			return float64(x) / scale, nil
		}
	}
	// A number such as 11 has no digits to swap.
	return float64(whole+1+whole/10) / scale, nil
}

// differ keeps a change outside the tolerance of one percent within which
// answers are called equal.
func differ(x, whole int64) bool {
	return x > 0 && math.Abs(float64(x-whole)) > 0.02*math.Abs(float64(whole))
}

// precision is the power of ten that makes n whole, at most 1000.
func precision(n float64) float64 {
	scale := 1.0
	for scale < 1000 && math.Abs(n*scale-math.Round(n*scale)) > 1e-9 {
		scale *= 10
	}
	return scale
}

func swapDigits(r *rand.Rand, n int64) int64 {
	d := []byte(strconv.FormatInt(n, 10))
	if len(d) < 2 {
		return n + 1 + r.Int64N(4)
	}
	i, j := r.IntN(len(d)), r.IntN(len(d))
	d[i], d[j] = d[j], d[i]
	x, err := strconv.ParseInt(string(d), 10, 64)
	if err != nil || d[0] == '0' {
		return n
	}
	return x
}
