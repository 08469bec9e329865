package trap

import "math/rand/v2"

// EmptyResult answers the first query with no rows, as an index in an outage does.
type EmptyResult struct{}

var emptyResult = Kind{
	ID: 30, Name: "empty_result", Group: "channel", Family: "uncritical_acceptance",
	Surfaces: []Surface{Records},
	Shapes:   []Shape{Number},
	Factors:  Factors{Disguise: 3, Magnitude: 3, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 1},
	Prices:   []int{1},
	Change:   "an empty result because of an outage",
	Tell:     "ask again; the count",
	New:      func() Trap { return &EmptyResult{} },
}

// Make implements [Trap].
func (*EmptyResult) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	v := none(m.Lang, m.Truth().Value)
	d := m.Defect(v)
	d.Claim.Sources = []string{m.Piece.Address}
	d.Claim.Shown = []string{`"row_count":0`}
	d.Interventions = []Intervention{{Op: Replace, On: Binding{Tool: "query_database", Query: "(?i)" + m.Piece.Address, Call: 1}}}
	return d, nil
}
