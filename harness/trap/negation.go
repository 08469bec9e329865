package trap

import "math/rand/v2"

// Negation turns the outcome of the claim into its opposite.
type Negation struct{}

var negation = Kind{
	ID: 4, Name: "negation", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page, Records, Workspace, Agent},
	Shapes:   []Shape{Status},
	Factors:  Factors{Disguise: 3, Magnitude: 3, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 2},
	Prices:   []int{0, 1, 2, 3},
	Change:   "the outcome turned into its opposite",
	Tell:     "neighbouring facts disagree",
	New:      func() Trap { return &Negation{} },
}

// Make implements [Trap].
func (*Negation) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}
