package stat

import (
	"fmt"
	"math"
)

// Agreement is how far two raters agree on nominal classes, beyond chance.
type Agreement struct {
	N        int      `json:"n"`
	Observed float64  `json:"observed"` // share of items on which they agree
	Expected float64  `json:"expected"` // the same, were they independent with these margins
	Kappa    float64  `json:"kappa"`    // (observed - expected) / (1 - expected)
	SE       float64  `json:"se"`       // standard error of Kappa, large-sample; 0: it cannot be told, see HasInterval
	Interval Interval `json:"interval"` // Kappa ± z·SE, within [-1, 1]
}

// HasInterval reports whether Interval says anything. The large-sample standard
// error is 0 at perfect agreement and where one rater put all items into one
// class: that is a limit of the formula, not certainty.
func (a Agreement) HasInterval() bool { return a.SE > 1e-9 }

// String is kappa with its interval, where there is one.
func (a Agreement) String() string {
	if !a.HasInterval() {
		return fmt.Sprintf("%.2f (no interval)", a.Kappa)
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f]", a.Kappa, a.Interval.Low, a.Interval.High)
}

// Kappa is Cohen's kappa (1960) of a square table of counts, rows for one
// rater and columns for the other, with the large-sample standard error of
// Fleiss, Cohen and Everitt (1969, formula 13).
//
// It returns [ErrUndefined] for an empty table and where both raters put all
// items into one class: then chance agreement is certain and kappa is 0/0. At
// perfect agreement, and where one rater never varies, the standard error comes
// out as 0 and the interval as a point, however few the items:
// [Agreement.HasInterval] tells.
func Kappa(table [][]int, level float64) (Agreement, error) {
	z := critical(level)
	n, rows, cols, err := margins(table)
	if err != nil {
		return Agreement{}, err
	}
	if n == 0 {
		return Agreement{}, ErrUndefined
	}
	var a = Agreement{N: n}
	total := float64(n)
	for i := range table {
		a.Observed += float64(table[i][i]) / total
		a.Expected += rows[i] / total * cols[i] / total
	}
	if 1-a.Expected < 1e-12 {
		return Agreement{}, ErrUndefined
	}
	a.Kappa = (a.Observed - a.Expected) / (1 - a.Expected)
	var diagonal, off float64
	for i := range table {
		for j, c := range table[i] {
			p := float64(c) / total
			// The column margin of the row's class and the row margin of the
			// column's class, in that order: rater one's i meets rater two's j.
			ri, cj := rows[i]/total, cols[j]/total
			if i == j {
				d := 1 - (ri+cj)*(1-a.Kappa)
				diagonal += p * d * d
				continue
			}
			m := cols[i]/total + rows[j]/total
			off += p * m * m
		}
	}
	rest := a.Kappa - a.Expected*(1-a.Kappa)
	variance := (diagonal + (1-a.Kappa)*(1-a.Kappa)*off - rest*rest) / (total * (1 - a.Expected) * (1 - a.Expected))
	a.SE = math.Sqrt(math.Max(0, variance))
	a.Interval = Interval{Low: math.Max(-1, a.Kappa-z*a.SE), High: math.Min(1, a.Kappa+z*a.SE)}
	return a, nil
}

// margins sums a square table of counts.
func margins(table [][]int) (n int, rows, cols []float64, err error) {
	rows, cols = make([]float64, len(table)), make([]float64, len(table))
	for i, row := range table {
		if len(row) != len(table) {
			return 0, nil, nil, fmt.Errorf("kappa: row %d has %d columns: want a square table of %d", i, len(row), len(table))
		}
		for j, c := range row {
			if c < 0 {
				return 0, nil, nil, fmt.Errorf("kappa: count %d in row %d, column %d: want 0 or more", c, i, j)
			}
			n += c
			rows[i] += float64(c)
			cols[j] += float64(c)
		}
	}
	return n, rows, cols, nil
}
