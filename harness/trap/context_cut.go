package trap

import (
	"fmt"
	"math/rand/v2"
)

// ContextCut shows a window of the page that holds the value which is true on a
// condition, and ends before the condition. The page itself is unchanged.
type ContextCut struct{}

var contextCut = Kind{
	ID: 8, Name: "context_cut", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search},
	Shapes:   []Shape{Conditional},
	Needs:    []Role{Exempt},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{1},
	Change:   "a true sentence without its condition",
	Tell:     "the full page",
	New:      func() Trap { return &ContextCut{} },
}

// Make implements [Trap].
func (*ContextCut) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	doc := m.Piece.Clone()
	doc.Good = false
	at := -1
	for i, s := range doc.Body {
		if s.Role == Exempt {
			at = i
			break
		}
	}
	if at < 3 {
		return nil, fmt.Errorf("the piece states its exemption at sentence %d, want one with three sentences before it: %w", at, ErrMaterial)
	}
	doc.From, doc.To = at-3, at+1
	d := m.Defect(m.Facts[Exempt].Value, doc)
	d.Claim.Sources = nil // the window is defective, the page is not
	return d, nil
}
