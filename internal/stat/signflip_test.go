package stat

import (
	"math"
	"slices"
	"testing"
)

// Worked out by hand: the ways to flip the signs are 2 to the number of
// differences that are not 0.
func TestSignFlip(t *testing.T) {
	for _, tt := range []struct {
		list []float64
		want float64
	}{
		{nil, 1},
		{[]float64{0, 0}, 1},
		{[]float64{1}, 1},
		{[]float64{1, 1, 1}, 2. / 8},
		{[]float64{1, 1, 1, 0, 0}, 2. / 8},
		{[]float64{1, 1, -1}, 1},              // every sum is odd: 1 or 3 away
		{[]float64{.5, .5, 1, 1, 1}, 2. / 32}, // only all to one side
		{[]float64{.1, .2, .3}, 2. / 8},
		{slices.Repeat([]float64{.25}, 20), 2. / (1 << 20)},
		{[]float64{3, -1}, 1}, // sums: 2, 4, -4, -2
	} {
		if got, exact := SignFlip(tt.list, 1000, 1); math.Abs(got-tt.want) > 1e-12 || !exact {
			t.Errorf("SignFlip(%v) = %v, want %v", tt.list, got, tt.want)
		}
	}
	// Drawn: forty equal differences are further than any draw of a thousand.
	many := make([]float64, 40)
	for i := range many {
		many[i] = .5
	}
	if got, exact := SignFlip(many, 999, 1); got != 1./1000 || exact {
		t.Errorf("forty equal differences: %v, exact %v; want 0.001, drawn", got, exact)
	}
	// With ten of twenty to each side the sum is 0, and every draw is as far.
	for i := range many {
		if i%2 == 1 {
			many[i] = -.5
		}
	}
	if got, _ := SignFlip(many, 999, 1); got != 1 {
		t.Errorf("a sum of 0: %v, want 1", got)
	}
}
