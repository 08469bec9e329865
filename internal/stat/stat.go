// Package stat is the arithmetic of measured rates and of comparisons: numbers
// in, numbers out. It knows nothing of traces or rules, and uses no clock and
// no randomness that is not seeded.
//
//	interval.go   one rate and its interval (Wilson)
//	kappa.go      agreement beyond chance of two raters (Cohen)
//	correct.go    a rate corrected for its judge's known errors (Rogan-Gladen)
//	paired.go     two arms on the same cases (McNemar mid-p)
//	difference.go two rates of different cases (Newcombe)
//	adjust.go     many comparisons (Holm, Benjamini-Hochberg)
//	bootstrap.go  means, and other figures, over clusters of repeats
//	tries.go      all of k tries, at least one of k tries
//	calibration.go  stated probabilities against what happened (Brier, ECE, AUROC)
//	logistic.go   a yes or no explained by factors (Firth)
//
// What is not defined (a rate of nothing, kappa where chance agreement is
// certain) is [ErrUndefined], never 0. The expected values of the tests come
// from statsmodels, scipy and published examples: testdata/README.md.
package stat

import (
	"errors"
	"math"
)

// ErrUndefined is returned for a figure that its data do not define, such as a
// rate with denominator 0. It is shown as "not measured".
var ErrUndefined = errors.New("not measured: the data do not define it")

// Level is the confidence level of every interval that is shown without one.
const Level = 0.95

// Interval is a two-sided confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Contains reports whether x lies in the interval, ends included.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// Quantile is the standard normal quantile of p, 0 < p < 1.
func Quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// critical is the two-sided critical value of a confidence level.
func critical(level float64) float64 {
	if !(level > 0 && level < 1) {
		panic("stat: a confidence level must be between 0 and 1")
	}
	return Quantile((1 + level) / 2)
}

// clip brings x into [0, 1].
func clip(x float64) float64 { return math.Min(1, math.Max(0, x)) }
