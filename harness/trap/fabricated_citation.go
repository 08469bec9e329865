package trap

import (
	"fmt"
	"math/rand/v2"
)

// FabricatedCitation cites a document of the official source that does not exist.
type FabricatedCitation struct{}

var fabricatedCitation = Kind{
	ID: 19, Name: "fabricated_citation", Group: "source", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page, Agent},
	Shapes:   []Shape{Number, Entity, Date, Interval},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "a reference that does not exist",
	Tell:     "resolve the reference",
	New:      func() Trap { return &FabricatedCitation{} },
}

// Make implements [Trap].
func (*FabricatedCitation) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	doc := m.Piece.State(Claim, m.Truth().With(v))
	doc.Links = []string{fmt.Sprintf("https://%s/reports/%d", m.Primary.Domain, 1000+r.IntN(9000))}
	doc.Origin = m.Primary.Author
	return m.Defect(v, doc), nil
}
