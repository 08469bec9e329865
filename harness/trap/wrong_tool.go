package trap

import (
	"fmt"
	"math/rand/v2"
)

// WrongTool lets the calculator give a wrong result once, as a stale cache does.
type WrongTool struct{}

var wrongTool = Kind{
	ID: 29, Name: "wrong_tool", Group: "channel", Family: "uncritical_acceptance",
	Surfaces: []Surface{Records},
	Shapes:   []Shape{Breakdown},
	Needs:    []Role{Parts},
	Factors:  Factors{Disguise: 3, Magnitude: 2, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 1},
	Prices:   []int{1},
	Change:   "a tool that is silently wrong",
	Tell:     "compute again",
	New:      func() Trap { return &WrongTool{} },
}

// Make implements [Trap].
func (*WrongTool) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	d := m.Defect(v)
	d.Claim.Sources = []string{"calculator"}
	d.Claim.Shown = []string{fmt.Sprintf(`"result":"%s"`, digits("", v.Num))}
	d.Interventions = []Intervention{{Op: Replace, On: Binding{Tool: "calculator", Call: 1}, Text: digits("", v.Num)}}
	return d, nil
}
