package trap

import "math/rand/v2"

// ApparentCorroboration serves the same falsehood from two publishers that took
// it from one agency, and say so in their metadata.
type ApparentCorroboration struct{}

var apparentCorroboration = Kind{
	ID: 22, Name: "apparent_corroboration", Group: "source", Family: "conflict_mishandling",
	Surfaces: []Surface{Search},
	Shapes:   []Shape{Number, Entity, Date, Status},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 2, Consequence: 1},
	Prices:   []int{1, 2, 3},
	Change:   "different wordings from one origin",
	Tell:     "the graph of provenance",
	New:      func() Trap { return &ApparentCorroboration{} },
}

// Make implements [Trap].
func (*ApparentCorroboration) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	return m.inPlace(v, m.echoes(v, 2, m.Outlets[len(m.Outlets)-1].Name)...), nil
}
