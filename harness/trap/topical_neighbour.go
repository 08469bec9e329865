package trap

import "math/rand/v2"

// TopicalNeighbour serves a text about another aspect of the same subject,
// whose value is of the same kind. The answer is not in it.
type TopicalNeighbour struct{}

var topicalNeighbour = Kind{
	ID: 14, Name: "topical_neighbour", Group: "relevance", Family: "relevance_misjudgment",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number},
	Needs:    []Role{Side},
	Factors:  Factors{Disguise: 2, Magnitude: 2, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "a near text that does not hold the answer",
	Tell:     "the answer is absent",
	New:      func() Trap { return &TopicalNeighbour{} },
}

// Make implements [Trap].
func (*TopicalNeighbour) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	side := m.Facts[Side]
	return m.Defect(side.Value, m.Piece.State(Claim, side)), nil
}
