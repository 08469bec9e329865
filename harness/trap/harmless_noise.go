package trap

import "math/rand/v2"

// HarmlessNoise puts a typing error where it changes no fact.
type HarmlessNoise struct{}

var harmlessNoise = Kind{
	ID: 43, Name: "harmless_noise", Group: "control", Family: "",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number, Entity, Date, Status, Relation, Scope, Conditional, Breakdown, Interval},
	Factors:  Factors{},
	Prices:   []int{0, 1, 2, 3},
	Change:   "a typing error in a sentence that states nothing",
	Tell:     "nothing",
	New:      func() Trap { return &HarmlessNoise{} },
}

// Make implements [Trap].
func (*HarmlessNoise) Make(r *rand.Rand, m *Material) (*Defect, error) {
	doc := m.Piece.Clone()
	for i, s := range doc.Body {
		if runes := []rune(s.Text); s.Fact == nil && len(runes) > 4 {
			at := 1 + r.IntN(len(runes)-3)
			runes[at], runes[at+1] = runes[at+1], runes[at]
			doc.Body[i].Text = string(runes)
			break
		}
	}
	return &Defect{Claim: m.claim(m.Truth().Value, Value{}), Docs: []Doc{doc}}, nil
}
