package stat

import (
	"math/rand/v2"
	"sort"
)

// ClusterMean is the mean over all values of all clusters with a percentile
// bootstrap interval that draws whole clusters: a case carries its repeats
// with it, because repeats of one case are not independent. The same seed gives
// the same interval. Below 30 clusters the percentile interval is too narrow:
// say so beside it.
//
// It returns [ErrUndefined] where there is no value.
func ClusterMean(clusters [][]float64, level float64, rounds int, seed uint64) (float64, Interval, error) {
	critical(level)
	if rounds < 1 {
		panic("stat: ClusterMean wants at least one round")
	}
	sums, counts := make([]float64, 0, len(clusters)), make([]float64, 0, len(clusters))
	var sum, count float64
	for _, c := range clusters {
		if len(c) == 0 {
			continue
		}
		var s float64
		for _, v := range c {
			s += v
		}
		sums, counts = append(sums, s), append(counts, float64(len(c)))
		sum += s
		count += float64(len(c))
	}
	if count == 0 {
		return 0, Interval{}, ErrUndefined
	}
	r := rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))
	means := make([]float64, rounds)
	for i := range means {
		var s, n float64
		for range sums {
			k := r.IntN(len(sums))
			s += sums[k]
			n += counts[k]
		}
		means[i] = s / n
	}
	sort.Float64s(means)
	tail := (1 - level) / 2
	return sum / count, Interval{Low: quantileOf(means, tail), High: quantileOf(means, 1-tail)}, nil
}

// Bootstrap is the percentile interval of a figure over n clusters: of is asked
// for the figure of clusters that were drawn with repetition, by their places.
// Draws for which it says that the figure is not defined are left out; where they
// are more than half it returns [ErrUndefined]. The same seed gives the same
// interval.
func Bootstrap(n int, level float64, rounds int, seed uint64, of func(draw []int) (float64, bool)) (Interval, error) {
	critical(level)
	if rounds < 1 {
		panic("stat: Bootstrap wants at least one round")
	}
	if n == 0 {
		return Interval{}, ErrUndefined
	}
	r := rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))
	draw := make([]int, n)
	figures := make([]float64, 0, rounds)
	for range rounds {
		for i := range draw {
			draw[i] = r.IntN(n)
		}
		if v, ok := of(draw); ok {
			figures = append(figures, v)
		}
	}
	if 2*len(figures) < rounds {
		return Interval{}, ErrUndefined
	}
	sort.Float64s(figures)
	tail := (1 - level) / 2
	return Interval{Low: quantileOf(figures, tail), High: quantileOf(figures, 1-tail)}, nil
}

// quantileOf interpolates linearly between order statistics (type 7 of Hyndman
// and Fan, the default of R and numpy).
func quantileOf(sorted []float64, q float64) float64 {
	h := q * float64(len(sorted)-1)
	i := int(h)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}
