package trap

import "math/rand/v2"

// ForgedCurrency serves an old text with today in its metadata.
type ForgedCurrency struct{}

var forgedCurrency = Kind{
	ID: 13, Name: "forged_currency", Group: "time", Family: "temporal_context_neglect",
	Surfaces: []Surface{Search, Page, Records},
	Shapes:   []Shape{Number, Entity},
	Needs:    []Role{Old},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "an old body under a new time stamp",
	Tell:     "the content against the metadata",
	New:      func() Trap { return &ForgedCurrency{} },
}

// Make implements [Trap].
func (*ForgedCurrency) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	was := m.Facts[Old]
	doc := m.Piece.State(Claim, was).aged(was.AsOf)
	doc.Published = m.Today
	return m.Defect(was.Value, doc), nil
}
