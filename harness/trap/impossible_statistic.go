package trap

import "math/rand/v2"

// ImpossibleStatistic states a mean outside of the confidence interval beside it.
type ImpossibleStatistic struct{}

var impossibleStatistic = Kind{
	ID: 10, Name: "impossible_statistic", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Interval},
	Factors:  Factors{Disguise: 1, Magnitude: 2, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 2},
	Prices:   []int{1, 2, 3},
	Change:   "a mean outside its own confidence interval",
	Tell:     "arithmetic",
	New:      func() Trap { return &ImpossibleStatistic{} },
}

// Make implements [Trap].
func (*ImpossibleStatistic) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}
