package trap

import "math/rand/v2"

// PropagatedFalsehood lets another agent assert the false value.
type PropagatedFalsehood struct{}

var propagatedFalsehood = Kind{
	ID: 38, Name: "propagated_falsehood", Group: "multi_agent", Family: "conflict_mishandling",
	Surfaces: []Surface{Agent},
	Shapes:   []Shape{Number, Entity, Date, Status},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{1, 2},
	Change:   "another agent asserts the falsehood",
	Tell:     "ask it for its evidence",
	New:      func() Trap { return &PropagatedFalsehood{} },
}

// Make implements [Trap].
func (*PropagatedFalsehood) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}
