package trap

import "math/rand/v2"

// AuthorityConflict lets a second official body state another value, at an
// earlier day than the body that is responsible.
type AuthorityConflict struct{}

var authorityConflict = Kind{
	ID: 17, Name: "authority_conflict", Group: "source", Family: "conflict_mishandling",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number, Entity, Date, Status},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "two official sources disagree",
	Tell:     "rank, day, primary against secondary",
	New:      func() Trap { return &AuthorityConflict{} },
}

// Make implements [Trap].
func (*AuthorityConflict) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	doc := m.through(m.Piece.State(Claim, m.Truth().With(v)), 0)
	doc.Authority = "official"
	doc.Published = daysBefore(m.Primary.Published, 10+r.IntN(50))
	return m.inPlace(v, doc), nil
}
