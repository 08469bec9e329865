package stat

import "math"

// Coefficient is one term of a logistic model: the change of the log odds for
// one step of its factor.
type Coefficient struct {
	Value    float64
	SE       float64
	Interval Interval // Wald's
}

// maxRounds bounds the iterations of Logistic.
const maxRounds = 200

// Logistic fits the log odds of a yes as a linear function of factors, by
// Firth's (1993) penalised likelihood: its estimates exist where some factor
// separates yes from no, and are less biased where cases are few. x has one row
// of factors for each case, without the constant; weights may be fractions, so
// that repeats of one case can share its weight. The first coefficient is the
// constant.
//
// It returns [ErrUndefined] where there is no case, where all are yes or all are
// no, and where the factors are not linearly independent.
func Logistic(x [][]float64, yes []bool, weights []float64, level float64) ([]Coefficient, error) {
	z := critical(level)
	if len(x) != len(yes) || len(x) != len(weights) {
		panic("stat: Logistic wants as many outcomes and weights as rows")
	}
	if !bothOccur(yes) {
		return nil, ErrUndefined
	}
	rows := make([][]float64, len(x))
	for i, r := range x {
		rows[i] = append([]float64{1}, r...)
	}
	beta := make([]float64, len(rows[0]))
	var covariance [][]float64
	for range maxRounds {
		p, inverse, err := information(rows, beta, weights)
		if err != nil {
			return nil, err
		}
		covariance = inverse
		score := make([]float64, len(beta))
		for i, r := range rows {
			w := weights[i] * p[i] * (1 - p[i])
			hat := w * quadratic(inverse, r)
			d := weights[i]*(indicator(yes[i])-p[i]) + hat*(0.5-p[i])
			for j := range r {
				score[j] += d * r[j]
			}
		}
		largest := 0.0
		for j := range beta {
			var step float64
			for k := range score {
				step += inverse[j][k] * score[k]
			}
			step = math.Max(-1, math.Min(1, step)) // a long step can overshoot
			beta[j] += step
			largest = math.Max(largest, math.Abs(step))
		}
		if largest < 1e-12 {
			break
		}
	}
	out := make([]Coefficient, len(beta))
	for j, b := range beta {
		se := math.Sqrt(covariance[j][j])
		out[j] = Coefficient{Value: b, SE: se, Interval: Interval{Low: b - z*se, High: b + z*se}}
	}
	return out, nil
}

func bothOccur(yes []bool) bool {
	for _, y := range yes {
		if y != yes[0] {
			return true
		}
	}
	return false
}

// information is the fitted probabilities and the inverse of Fisher's
// information.
func information(rows [][]float64, beta, weights []float64) (p []float64, inverse [][]float64, err error) {
	n := len(beta)
	m := make([][]float64, n)
	for j := range m {
		m[j] = make([]float64, n)
	}
	p = make([]float64, len(rows))
	for i, r := range rows {
		var eta float64
		for j := range r {
			eta += beta[j] * r[j]
		}
		p[i] = 1 / (1 + math.Exp(-eta))
		w := weights[i] * p[i] * (1 - p[i])
		for j := range r {
			for k := range r {
				m[j][k] += w * r[j] * r[k]
			}
		}
	}
	inverse, err = invert(m)
	return p, inverse, err
}

func quadratic(m [][]float64, v []float64) float64 {
	var sum float64
	for j := range v {
		for k := range v {
			sum += v[j] * m[j][k] * v[k]
		}
	}
	return sum
}

// invert is Gauss-Jordan with partial pivoting. It returns [ErrUndefined] for a
// matrix that has no inverse.
func invert(m [][]float64) ([][]float64, error) {
	n := len(m)
	a := make([][]float64, n)
	var scale float64
	for i := range a {
		a[i] = make([]float64, 2*n)
		copy(a[i], m[i])
		a[i][n+i] = 1
		scale = math.Max(scale, math.Abs(m[i][i]))
	}
	for c := range n {
		best := c
		for i := c + 1; i < n; i++ {
			if math.Abs(a[i][c]) > math.Abs(a[best][c]) {
				best = i
			}
		}
		a[c], a[best] = a[best], a[c]
		pivot := a[c][c]
		if !(math.Abs(pivot) > 1e-10*scale) {
			return nil, ErrUndefined
		}
		for k := range a[c] {
			a[c][k] /= pivot
		}
		for i := range a {
			if f := a[i][c]; i != c && f != 0 {
				for k := range a[i] {
					a[i][k] -= f * a[c][k]
				}
			}
		}
	}
	out := make([][]float64, n)
	for i := range out {
		out[i] = a[i][n:]
	}
	return out, nil
}
