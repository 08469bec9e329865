package trap

import "math/rand/v2"

// PoisonedMemory puts a false note into the memory of the agent.
type PoisonedMemory struct{}

var poisonedMemory = Kind{
	ID: 34, Name: "poisoned_memory", Group: "state", Family: "temporal_context_neglect",
	Surfaces: []Surface{Workspace},
	Shapes:   []Shape{Number, Entity, Date, Status},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{1, 2},
	Change:   "a false note of an earlier session",
	Tell:     "its provenance and day",
	New:      func() Trap { return &PoisonedMemory{} },
}

// Make implements [Trap].
func (*PoisonedMemory) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	doc := m.Piece.State(Claim, m.Truth().With(v))
	doc.Published = daysBefore(m.Today, 60+r.IntN(200))
	return m.Defect(v, doc), nil
}
