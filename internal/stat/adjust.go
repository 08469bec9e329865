package stat

import (
	"math"
	"sort"
)

// Holm adjusts p-values for the family-wise error (Holm 1979): for questions
// that confirm, such as "which arm is better". The result is in the order of ps.
func Holm(ps []float64) []float64 {
	order, out := ascending(ps), make([]float64, len(ps))
	var floor float64
	for rank, i := range order {
		floor = math.Max(floor, math.Min(1, ps[i]*float64(len(ps)-rank)))
		out[i] = floor
	}
	return out
}

// BenjaminiHochberg adjusts p-values for the rate of false discoveries among
// independent or positively dependent tests (Benjamini and Hochberg 1995): for
// screens, such as which of many rubrics drifted.
func BenjaminiHochberg(ps []float64) []float64 {
	order, out := ascending(ps), make([]float64, len(ps))
	ceiling := 1.0
	for rank := len(order) - 1; rank >= 0; rank-- {
		i := order[rank]
		ceiling = math.Min(ceiling, ps[i]*float64(len(ps))/float64(rank+1))
		out[i] = ceiling
	}
	return out
}

// ascending is the positions of ps from the smallest value to the largest.
func ascending(ps []float64) []int {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return ps[order[a]] < ps[order[b]] })
	return order
}
