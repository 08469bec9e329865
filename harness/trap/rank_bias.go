package trap

import "math/rand/v2"

// RankBias puts a true text about another edition of the subject at the top of
// the list; the text about the subject itself stands below.
type RankBias struct{}

var rankBias = Kind{
	ID: 32, Name: "rank_bias", Group: "channel", Family: "relevance_misjudgment",
	Surfaces: []Surface{Search},
	Shapes:   []Shape{Number, Date},
	Needs:    []Role{Variant},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 1, Consequence: 1},
	Prices:   []int{0},
	Change:   "another edition at the top",
	Tell:     "the twin with the order changed",
	New:      func() Trap { return &RankBias{} },
}

// Make implements [Trap].
func (*RankBias) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	v := m.Facts[Variant]
	doc := m.through(m.Piece.State(Claim, v), 0)
	d := m.Defect(v.Value, doc)
	return d, nil
}
