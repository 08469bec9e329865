package stat

import (
	"math"
	"math/rand/v2"
)

// exactFlips is how many differences are flipped in every way that there is.
const exactFlips = 20

// SignFlip is the p value, two-sided, of the paired permutation test of
// differences that are independent of each other, such as a case's mean under one
// arm less its mean under another: the share of the ways to flip their signs whose
// sum is as far from 0 as theirs. Differences of 0 change nothing and are left out.
// Up to 20 others it is exact, and said to be; above that it rests on rounds draws, the data being
// one of them (Phipson and Smyth 2010), and the same seed gives the same value. Without
// differences it is 1.
func SignFlip(differences []float64, rounds int, seed uint64) (p float64, exact bool) {
	if rounds < 1 {
		panic("stat: SignFlip wants at least one round")
	}
	var list []float64
	sum := 0.0
	for _, d := range differences {
		if d != 0 {
			list, sum = append(list, d), sum+d
		}
	}
	if len(list) == 0 {
		return 1, true
	}
	far := math.Abs(sum) * (1 - 1e-12) // sums of the same numbers in another order differ in the last digit
	flipped := func(bit func(i int) bool) bool {
		s := 0.0
		for i, d := range list {
			if bit(i) {
				d = -d
			}
			s += d
		}
		return math.Abs(s) >= far
	}
	if len(list) <= exactFlips {
		n, ways := 0, 1<<len(list)
		for w := range ways {
			if flipped(func(i int) bool { return w>>i&1 == 1 }) {
				n++
			}
		}
		return float64(n) / float64(ways), true
	}
	r := rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))
	n := 1
	for range rounds {
		if flipped(func(int) bool { return r.Uint64()&1 == 1 }) {
			n++
		}
	}
	return float64(n) / float64(rounds+1), false
}
