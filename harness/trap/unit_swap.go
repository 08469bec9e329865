package trap

import (
	"fmt"
	"math/rand/v2"
)

// UnitSwap writes the number of the claim with a unit that it is easily confused with.
type UnitSwap struct{}

var unitSwap = Kind{
	ID: 6, Name: "unit_swap", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page, Records, Workspace, Agent},
	Shapes:   []Shape{Number},
	Factors:  Factors{Disguise: 2, Magnitude: 3, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 2},
	Prices:   []int{0, 1, 2, 3},
	Change:   "the unit, the scale or the currency exchanged",
	Tell:     "the magnitude; the header",
	New:      func() Trap { return &UnitSwap{} },
}

// Make implements [Trap].
func (*UnitSwap) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	truth := m.Truth().Value
	u := Units[truth.Unit].Swap
	if u == "" {
		return nil, fmt.Errorf("unit %q has none that it is confused with: %w", truth.Unit, ErrMaterial)
	}
	v := NewNumber(m.Lang, truth.Num, u)
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}
