package trap

import "math/rand/v2"

// EntitySwap replaces the entity of the claim by another of the same type.
type EntitySwap struct{}

var entitySwap = Kind{
	ID: 2, Name: "entity_swap", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page, Records, Workspace, Agent},
	Shapes:   []Shape{Entity},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "an entity replaced by another of its type",
	Tell:     "a cross-reference; an id that does not fit the name",
	New:      func() Trap { return &EntitySwap{} },
}

// Make implements [Trap].
func (*EntitySwap) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}
