package trap

import (
	"cmp"
	"math/rand/v2"
)

// DuplicateEcho serves the same falsehood in several wordings from several publishers.
type DuplicateEcho struct {
	// Copies is how many; 0 means 3, at most 8.
	Copies int `json:"copies,omitempty"`
}

var duplicateEcho = Kind{
	ID: 21, Name: "duplicate_echo", Group: "source", Family: "conflict_mishandling",
	Surfaces: []Surface{Search},
	Shapes:   []Shape{Number, Entity, Date, Status},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 1, Corroboration: 3, Consequence: 1},
	Prices:   []int{1, 2, 3},
	Change:   "one falsehood on several pages that look independent",
	Tell:     "shared phrasing; one origin",
	New:      func() Trap { return &DuplicateEcho{} },
}

// Make implements [Trap].
func (t *DuplicateEcho) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	return m.inPlace(v, m.echoes(v, min(cmp.Or(t.Copies, 3), 8), "")...), nil
}
