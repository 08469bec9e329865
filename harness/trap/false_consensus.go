package trap

import (
	"cmp"
	"math/rand/v2"
)

// FalseConsensus lets several agents agree who all had it from one source. They are
// the agents of the clean world, where each has the truth from a source of its own:
// neither a name nor that there are several of them tells.
type FalseConsensus struct {
	// Agents is how many agree; 0 means all but the primary source.
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
	var docs []Doc
	for _, d := range m.Docs {
		if d.Surface == Agent && d.Good && d.ID != m.Primary.ID && len(docs) < cmp.Or(t.Agents, len(m.Docs)) {
			d = d.State(Claim, f)
			d.Origin = m.Outlets[len(m.Outlets)-1].Name
			docs = append(docs, d)
		}
	}
	return m.Defect(v, docs...), nil
}
