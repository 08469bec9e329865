package stat

import (
	"fmt"
	"math"
)

// Judged is what is known of a judged rate: the judge said yes to Yes of N
// items, and on items with a person's label it was right on TruePositive of
// Positives (items that are yes) and TrueNegative of Negatives.
type Judged struct {
	Yes, N                  int
	TruePositive, Positives int
	TrueNegative, Negatives int
}

// Corrected is a judged rate after correction for the judge's known errors.
type Corrected struct {
	Apparent    float64  `json:"apparent"` // Yes / N
	Sensitivity float64  `json:"sensitivity"`
	Specificity float64  `json:"specificity"`
	Value       float64  `json:"value"` // within [0, 1]
	SE          float64  `json:"se"`    // delta method, see [Correct]
	Interval    Interval `json:"interval"`
	// Outside says that the apparent rate cannot come from a judge with these
	// error rates: Value was clipped, and the labels do not describe the items.
	Outside bool `json:"outside"`
}

// Correct is the estimate of Rogan and Gladen (1978),
//
//	θ = (p + q0 − 1) / (q0 + q1 − 1)
//
// with q1 the sensitivity and q0 the specificity, the delta-method standard error
//
//	Var θ = [p(1−p)/n + (1−θ)²q0(1−q0)/m0 + θ²q1(1−q1)/m1] / (q0+q1−1)²
//
// and the interval of Lang and Reiczigel (2014), which adds pseudo-counts so
// that a judge that made no mistake on few labels is not taken for infallible.
// Correct per arm: one calibration shared by two arms can turn the sign of
// their difference.
//
// It returns [ErrUndefined] where a count of items is 0 or the judge is no
// better than chance on the labels.
func Correct(j Judged, level float64) (Corrected, error) {
	z := critical(level)
	for _, c := range []struct {
		name string
		k, n int
	}{{"yes", j.Yes, j.N}, {"true positive", j.TruePositive, j.Positives}, {"true negative", j.TrueNegative, j.Negatives}} {
		if c.k < 0 || c.k > c.n {
			return Corrected{}, fmt.Errorf("correct a judged rate: %d %s of %d: want 0 <= k <= n", c.k, c.name, c.n)
		}
	}
	if j.N == 0 || j.Positives == 0 || j.Negatives == 0 {
		return Corrected{}, ErrUndefined
	}
	n, m0, m1 := float64(j.N), float64(j.Negatives), float64(j.Positives)
	p, q0, q1 := float64(j.Yes)/n, float64(j.TrueNegative)/m0, float64(j.TruePositive)/m1
	if q0+q1-1 < 1e-12 {
		return Corrected{}, fmt.Errorf("the judge is no better than chance: %w", ErrUndefined)
	}
	raw := (p + q0 - 1) / (q0 + q1 - 1)
	c := Corrected{Apparent: p, Sensitivity: q1, Specificity: q0, Value: clip(raw)}
	c.Outside = raw < -1e-12 || raw > 1+1e-12
	c.SE = deltaError(p, n, q0, m0, q1, m1, c.Value)

	// Pseudo-counts: z²/2 for the rate, one for each of the judge's.
	p, n = (n*p+z*z/2)/(n+z*z), n+z*z
	q0, m0 = (m0*q0+1)/(m0+2), m0+2
	q1, m1 = (m1*q1+1)/(m1+2), m1+2
	if q0+q1-1 < 1e-12 {
		c.Interval = Interval{Low: 0, High: 1}
		return c, nil
	}
	theta := (p + q0 - 1) / (q0 + q1 - 1)
	shift := 2 * z * z * (theta*q1*(1-q1)/m1 - (1-theta)*q0*(1-q0)/m0)
	half := z * deltaError(p, n, q0, m0, q1, m1, theta)
	c.Interval = Interval{Low: clip(theta + shift - half), High: clip(theta + shift + half)}
	return c, nil
}

// deltaError is the standard error of the corrected rate theta.
func deltaError(p, n, q0, m0, q1, m1, theta float64) float64 {
	v := p*(1-p)/n + (1-theta)*(1-theta)*q0*(1-q0)/m0 + theta*theta*q1*(1-q1)/m1
	return math.Sqrt(v) / (q0 + q1 - 1)
}
