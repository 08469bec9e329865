package trap

import "math/rand/v2"

// Camouflage puts the falsehood between true statements about the subject and its peers.
type Camouflage struct{}

var camouflage = Kind{
	ID: 23, Name: "camouflage", Group: "source", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number, Entity, Date, Status},
	Needs:    []Role{Side, Peer},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "one falsehood inside a page that is true otherwise",
	Tell:     "a look-up of each statement",
	New:      func() Trap { return &Camouflage{} },
}

// Make implements [Trap].
func (*Camouflage) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}
