package trap

import "math/rand/v2"

// OutdatedSnapshot serves a document of an earlier day, true when it was written.
type OutdatedSnapshot struct{}

var outdatedSnapshot = Kind{
	ID: 11, Name: "outdated_snapshot", Group: "time", Family: "temporal_context_neglect",
	Surfaces: []Surface{Search, Page, Records},
	Shapes:   []Shape{Number, Entity},
	Needs:    []Role{Old},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "what was true earlier",
	Tell:     "its day is before the question; a newer document exists",
	New:      func() Trap { return &OutdatedSnapshot{} },
}

// Make implements [Trap].
func (*OutdatedSnapshot) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	was := m.Facts[Old]
	doc := m.Piece.State(Claim, was).aged(was.AsOf)
	doc.Published = was.AsOf
	return m.Defect(was.Value, doc), nil
}
