package stat

import "math"

// Rate is k successes of n, with its Wilson interval at [Level].
type Rate struct {
	K        int      `json:"k"`
	N        int      `json:"n"`
	Value    float64  `json:"value"`
	Interval Interval `json:"interval"`
}

// NewRate measures k of n. It returns [ErrUndefined] where n is 0.
func NewRate(k, n int) (Rate, error) {
	i, err := Wilson(k, n, Level)
	if err != nil {
		return Rate{}, err
	}
	return Rate{K: k, N: n, Value: float64(k) / float64(n), Interval: i}, nil
}

// Wilson is the score interval of k successes of n (Wilson 1927). It keeps its
// coverage for small n and for rates near 0 and 1: 0 of 25 is not a zero.
// It returns [ErrUndefined] where n is 0, and panics unless 0 <= k <= n.
func Wilson(k, n int, level float64) (Interval, error) {
	if k < 0 || k > n {
		panic("stat: Wilson wants 0 <= k <= n")
	}
	z := critical(level)
	if n == 0 {
		return Interval{}, ErrUndefined
	}
	var (
		m      = float64(n)
		p      = float64(k) / m
		zz     = z * z
		centre = (p + zz/(2*m)) / (1 + zz/m)
		half   = z / (1 + zz/m) * math.Sqrt(p*(1-p)/m+zz/(4*m*m))
	)
	i := Interval{Low: clip(centre - half), High: clip(centre + half)}
	// The ends are exactly 0 and 1 here; rounding would leave 1e-17.
	if k == 0 {
		i.Low = 0
	}
	if k == n {
		i.High = 1
	}
	return i, nil
}
