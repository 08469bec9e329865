package trap

import "math/rand/v2"

// ScopeInflation gives the claimed finding the wide scope of another finding of
// the same document, and that one the narrow scope: no word is new.
type ScopeInflation struct{}

var scopeInflation = Kind{
	ID: 7, Name: "scope_inflation", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page, Agent},
	Shapes:   []Shape{Scope},
	Needs:    []Role{Side},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 2},
	Prices:   []int{0, 1, 2, 3},
	Change:   "the narrow scope of a finding exchanged with the wide scope of another",
	Tell:     "the text of the source itself",
	New:      func() Trap { return &ScopeInflation{} },
}

// Make implements [Trap].
func (*ScopeInflation) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	truth, side := m.Truth(), m.Facts[Side]
	doc := m.Piece.State(Claim, truth.With(side.Value)).State(Side, side.With(truth.Value))
	return m.Defect(side.Value, doc), nil
}
