package trap

import (
	"fmt"
	"math/rand/v2"
)

// PartialResult returns the first rows of a table that must be summed. The
// reply says how many rows there are. A query that sums or pages is answered.
type PartialResult struct{}

var partialResult = Kind{
	ID: 31, Name: "partial_result", Group: "channel", Family: "relevance_misjudgment",
	Surfaces: []Surface{Records},
	Shapes:   []Shape{Breakdown},
	Needs:    []Role{Parts},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 1},
	Prices:   []int{1},
	Change:   "the first rows only",
	Tell:     "the total; has_more",
	New:      func() Trap { return &PartialResult{} },
}

// Make implements [Trap].
func (*PartialResult) Make(r *rand.Rand, m *Material) (*Defect, error) {
	parts := m.Piece.Parts
	if len(parts) < 3 {
		return nil, fmt.Errorf("%d rows to sum, want 3 or more: %w", len(parts), ErrMaterial)
	}
	keep := 1 + r.IntN(len(parts)-1)
	var sum float64
	for _, p := range parts[:keep] {
		sum += p.Num
	}
	d := m.Defect(NewNumber(m.Lang, sum, m.Truth().Value.Unit))
	d.Claim.Sources = []string{m.Piece.Address}
	d.Claim.Shown = []string{`"has_more":true`}
	d.Interventions = []Intervention{{Op: Drop, Keep: keep, On: Binding{
		Tool: "query_database", Query: "(?i)" + m.Piece.Address, Except: `(?i)sum\(|total\(|offset`,
	}}}
	return d, nil
}
