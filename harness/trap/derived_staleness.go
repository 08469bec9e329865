package trap

import "math/rand/v2"

// DerivedStaleness leaves a summary at the state of an earlier day.
type DerivedStaleness struct{}

var derivedStaleness = Kind{
	ID: 35, Name: "derived_staleness", Group: "state", Family: "temporal_context_neglect",
	Surfaces: []Surface{Workspace},
	Shapes:   []Shape{Number, Entity},
	Needs:    []Role{Old},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{1, 2},
	Change:   "a summary that was not brought up to date",
	Tell:     "compute it again from the source",
	New:      func() Trap { return &DerivedStaleness{} },
}

// Make implements [Trap].
func (*DerivedStaleness) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	was := m.Facts[Old]
	doc := m.Piece.State(Claim, was).aged(was.AsOf)
	doc.Published = was.AsOf
	return m.Defect(was.Value, doc), nil
}
