package trap

import "math/rand/v2"

// DirectionFlip exchanges the two sides of the relation that is claimed.
type DirectionFlip struct{}

var directionFlip = Kind{
	ID: 5, Name: "direction_flip", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page, Records, Workspace, Agent},
	Shapes:   []Shape{Relation},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "what is ahead and what is behind, or cause and effect, exchanged",
	Tell:     "a table against the sentence",
	New:      func() Trap { return &DirectionFlip{} },
}

// Make implements [Trap].
func (*DirectionFlip) Make(r *rand.Rand, m *Material) (*Defect, error) {
	truth := m.Truth()
	v := m.other(r)
	flipped := truth.With(v)
	flipped.Extra = map[string]string{"w": truth.Value.Text}
	return m.Defect(v, m.Piece.State(Claim, flipped)), nil
}
