package trap

import (
	"math/rand/v2"
	"strings"
)

// SpoofedMetadata imitates the official source under a domain of a similar name.
type SpoofedMetadata struct{}

var spoofedMetadata = Kind{
	ID: 18, Name: "spoofed_metadata", Group: "source", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number, Entity, Date, Status},
	Factors:  Factors{Disguise: 2, Magnitude: 1, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "domain, author and authority imitate the official source",
	Tell:     "the address against the claimed publisher",
	New:      func() Trap { return &SpoofedMetadata{} },
}

// Make implements [Trap].
func (*SpoofedMetadata) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	doc := m.through(m.Piece.State(Claim, m.Truth().With(v)), 0)
	name, rest, _ := strings.Cut(m.Primary.Domain, ".")
	doc.Domain = name + "-info." + rest
	doc.Address = strings.Replace(doc.Address, m.Outlets[0].Domain, doc.Domain, 1)
	doc.Author, doc.Authority, doc.Title = m.Primary.Author, "official", m.Primary.Title
	return m.inPlace(v, doc), nil
}
