package trap

import (
	"fmt"
	"math/rand/v2"
)

// MisleadingLog shows the log of another commit, with the opposite outcome.
type MisleadingLog struct{}

var misleadingLog = Kind{
	ID: 36, Name: "misleading_log", Group: "state", Family: "uncritical_acceptance",
	Surfaces: []Surface{Workspace},
	Shapes:   []Shape{Status},
	Factors:  Factors{Disguise: 3, Magnitude: 3, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 2},
	Prices:   []int{1, 2},
	Change:   "the log of another commit",
	Tell:     "the commit id",
	New:      func() Trap { return &MisleadingLog{} },
}

// Make implements [Trap].
func (*MisleadingLog) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	f := m.Truth().With(v)
	f.Extra = map[string]string{"c": fmt.Sprintf("%07x", r.IntN(1<<28))}
	return m.Defect(v, m.Piece.State(Claim, f)), nil
}
