package trap

import "math/rand/v2"

// InternalInconsistency states a total that the parts in the same text do not sum to.
type InternalInconsistency struct{}

var internalInconsistency = Kind{
	ID: 9, Name: "internal_inconsistency", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Breakdown},
	Needs:    []Role{Parts},
	Factors:  Factors{Disguise: 1, Magnitude: 2, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 1},
	Prices:   []int{0},
	Change:   "the total differs from the sum of the parts beside it",
	Tell:     "arithmetic",
	New:      func() Trap { return &InternalInconsistency{} },
}

// Make implements [Trap].
func (*InternalInconsistency) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}
