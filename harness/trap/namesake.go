package trap

import "math/rand/v2"

// Namesakes serves the value of another subject that bears the same name.
type Namesakes struct{}

var namesake = Kind{
	ID: 15, Name: "namesake", Group: "relevance", Family: "relevance_misjudgment",
	Surfaces: []Surface{Search, Page, Records},
	Shapes:   []Shape{Number, Entity, Date},
	Needs:    []Role{Namesake},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "another subject of the same name",
	Tell:     "disambiguation",
	New:      func() Trap { return &Namesakes{} },
}

// Make implements [Trap].
func (*Namesakes) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	other := m.Facts[Namesake]
	return m.Defect(other.Value, m.Piece.State(Claim, other)), nil
}
