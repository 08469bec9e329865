package trap

import "math/rand/v2"

// WrongGranularity serves the value of the group that the subject belongs to.
// What the text says of the group and what it says of the subject change
// places, so that the name of the group is nothing new.
type WrongGranularity struct{}

var wrongGranularity = Kind{
	ID: 16, Name: "wrong_granularity", Group: "relevance", Family: "relevance_misjudgment",
	Surfaces: []Surface{Search, Page, Records},
	Shapes:   []Shape{Number},
	Needs:    []Role{Group, Side},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "the whole for the part",
	Tell:     "the field that states the scope",
	New:      func() Trap { return &WrongGranularity{} },
}

// Make implements [Trap].
func (*WrongGranularity) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	whole := m.Facts[Group]
	side := m.Facts[Side]
	side.Subject = m.Truth().Subject
	return m.Defect(whole.Value, m.Piece.State(Claim, whole).State(Side, side)), nil
}
