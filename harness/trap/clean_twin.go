package trap

import "math/rand/v2"

// CleanTwin changes nothing: the same task without the trap.
type CleanTwin struct{}

var cleanTwin = Kind{
	ID: 41, Name: "clean_twin", Group: "control", Family: "",
	Surfaces: []Surface{Search, Page, Records, Workspace, Agent},
	Shapes:   []Shape{Number, Entity, Date, Status, Relation, Scope, Conditional, Breakdown, Interval},
	Factors:  Factors{},
	Prices:   []int{0, 1, 2, 3},
	Change:   "nothing",
	Tell:     "nothing",
	New:      func() Trap { return &CleanTwin{} },
}

// Make implements [Trap].
func (*CleanTwin) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	return &Defect{Claim: m.claim(m.Truth().Value, Value{})}, nil
}
