package stat

import "math"

// McNemarMidP is the mid-p value of McNemar's test for two arms on the same
// cases, from the discordant counts: b cases in which only the first arm
// succeeds, c in which only the second does. It is
//
//	2·P(X ≤ min(b,c)) − P(X = min(b,c)),  X ~ Bin(b+c, ½)
//
// (Fagerland, Lydersen and Laake 2013: the exact conditional test is
// needlessly conservative). Without discordant cases it is 1. Absolute
// precision is better than 1e-9 up to a million discordant cases.
func McNemarMidP(b, c int) float64 {
	if b < 0 || c < 0 {
		panic("stat: McNemarMidP wants counts of 0 or more")
	}
	n, least := b+c, min(b, c)
	if n == 0 {
		return 1
	}
	var tail float64
	for k := least; k >= 0; k-- {
		term := halfBinomial(n, k)
		tail += term
		if term < tail*1e-18 {
			break // the terms fall: what is left cannot show
		}
	}
	return math.Min(1, 2*tail-halfBinomial(n, least))
}

// halfBinomial is P(X = k) for X ~ Bin(n, ½).
func halfBinomial(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x) + 1); return v }
	return math.Exp(lg(n) - lg(k) - lg(n-k) - float64(n)*math.Ln2)
}

// PairedDifference is the difference of two success rates on the same cases,
// second arm less first, with Newcombe's (1998) score interval for paired
// data, method 10. both counts cases in which both arms succeed, onlyFirst and
// onlySecond those in which one does, neither the rest. It returns
// [ErrUndefined] where there are no cases.
func PairedDifference(both, onlyFirst, onlySecond, neither int, level float64) (float64, Interval, error) {
	n := both + onlyFirst + onlySecond + neither
	if n == 0 {
		return 0, Interval{}, ErrUndefined
	}
	m := float64(n)
	first, second := both+onlyFirst, both+onlySecond
	w1, err := Wilson(first, n, level)
	if err != nil {
		return 0, Interval{}, err
	}
	w2, err := Wilson(second, n, level)
	if err != nil {
		return 0, Interval{}, err
	}
	p1, p2 := float64(first)/m, float64(second)/m
	phi := correlation(float64(both), float64(onlyFirst), float64(onlySecond), float64(neither), m)
	l1, u1, l2, u2 := p1-w1.Low, w1.High-p1, p2-w2.Low, w2.High-p2
	d := p2 - p1
	below := math.Sqrt(math.Max(0, l2*l2-2*phi*l2*u1+u1*u1))
	above := math.Sqrt(math.Max(0, u2*u2-2*phi*u2*l1+l1*l1))
	return d, Interval{Low: d - below, High: d + above}, nil
}

// correlation is phi of the 2x2 table, with Newcombe's continuity correction;
// 0 where a margin is empty.
func correlation(a, b, c, d, n float64) float64 {
	product := (a + b) * (c + d) * (a + c) * (b + d)
	if product == 0 {
		return 0
	}
	cross := a*d - b*c
	if cross > 0 {
		cross = math.Max(cross-n/2, 0)
	}
	return cross / math.Sqrt(product)
}
