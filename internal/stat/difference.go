package stat

import "math"

// Difference is the difference of two success rates of different cases, k1 of n1
// less k2 of n2, with Newcombe's (1998) score interval for independent
// proportions, method 10. It returns [ErrUndefined] where either has no case.
func Difference(k1, n1, k2, n2 int, level float64) (float64, Interval, error) {
	w1, err := Wilson(k1, n1, level)
	if err != nil {
		return 0, Interval{}, err
	}
	w2, err := Wilson(k2, n2, level)
	if err != nil {
		return 0, Interval{}, err
	}
	p1, p2 := float64(k1)/float64(n1), float64(k2)/float64(n2)
	d := p1 - p2
	return d, Interval{Low: d - math.Hypot(p1-w1.Low, w2.High-p2), High: d + math.Hypot(w1.High-p1, p2-w2.Low)}, nil
}
