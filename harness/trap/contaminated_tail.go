package trap

import (
	"fmt"
	"math/rand/v2"
)

// ContaminatedTail leaves the body true and changes the conclusion only.
type ContaminatedTail struct{}

var contaminatedTail = Kind{
	ID: 24, Name: "contaminated_tail", Group: "channel", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number},
	Factors:  Factors{Disguise: 2, Magnitude: 1, Centrality: 3, Authority: 2, Consequence: 1},
	Prices:   []int{0},
	Change:   "a misleading conclusion at the end of a true text",
	Tell:     "the body against the conclusion",
	New:      func() Trap { return &ContaminatedTail{} },
}

// Make implements [Trap].
func (*ContaminatedTail) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	doc := m.Piece.Clone()
	doc.Good = false
	tail := -1
	for i, s := range doc.Body {
		if s.Role == Claim {
			tail = i
		}
	}
	if tail < 1 {
		return nil, fmt.Errorf("the piece has no conclusion: %w", ErrMaterial)
	}
	f := m.Truth().With(v)
	doc.Body[tail].Fact = &f
	doc.From, doc.To = 0, len(doc.Body)
	return m.Defect(v, doc), nil
}
