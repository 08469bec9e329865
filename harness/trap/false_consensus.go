package trap

import (
	"cmp"
	"fmt"
	"math/rand/v2"
)

// FalseConsensus lets several agents agree who all had it from one source.
type FalseConsensus struct {
	// Agents is how many agree; 0 means 3, at most 8.
	Agents int `json:"agents,omitempty"`
}

var falseConsensus = Kind{
	ID: 40, Name: "false_consensus", Group: "multi_agent", Family: "conflict_mishandling",
	Surfaces: []Surface{Agent},
	Shapes:   []Shape{Number, Entity, Date, Status},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 3, Consequence: 1},
	Prices:   []int{1, 2},
	Change:   "several agents that share one source",
	Tell:     "provenance",
	New:      func() Trap { return &FalseConsensus{} },
}

// Make implements [Trap].
func (t *FalseConsensus) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	f := m.Truth().With(v)
	docs := []Doc{m.Piece.State(Claim, f)}
	docs[0].Origin = m.Outlets[len(m.Outlets)-1].Name
	for i := 1; i < min(cmp.Or(t.Agents, 3), 8); i++ {
		d := docs[0].Clone().reword(i)
		d.ID = fmt.Sprintf("%s-%s-%d", m.Piece.ID, m.TrapID, i)
		d.Author = fmt.Sprintf("%s %d", m.Piece.Author, i+1)
		d.Address = fmt.Sprintf("%s-%d", m.Piece.Address, i+1)
		docs = append(docs, d)
	}
	return m.Defect(v, docs...), nil
}
