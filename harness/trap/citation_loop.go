package trap

import "math/rand/v2"

// CitationLoop serves two pages that name each other as their source.
type CitationLoop struct{}

var citationLoop = Kind{
	ID: 20, Name: "citation_loop", Group: "source", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search},
	Shapes:   []Shape{Number, Entity, Date},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 1, Corroboration: 2, Consequence: 1},
	Prices:   []int{1, 2, 3},
	Change:   "two pages cite each other",
	Tell:     "follow the links",
	New:      func() Trap { return &CitationLoop{} },
}

// Make implements [Trap].
func (*CitationLoop) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	f := m.Truth().With(v)
	a, b := m.through(m.Piece.State(Claim, f), 0), m.through(m.Piece.State(Claim, f), 1)
	b = b.reword(1)
	a.Links, b.Links = []string{b.Address}, []string{a.Address}
	a.Origin, b.Origin = b.Domain, a.Domain
	return m.inPlace(v, a, b), nil
}
