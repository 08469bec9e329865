package trap

import (
	"math"
	"math/rand/v2"
)

// TrueSurprise makes the true value an unlikely one, everywhere: who doubts it
// finds it confirmed.
type TrueSurprise struct{}

var trueSurprise = Kind{
	ID: 42, Name: "true_surprise", Group: "control", Family: "",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number},
	Factors:  Factors{},
	Prices:   []int{0, 1, 2, 3},
	Change:   "a correct value that is unlikely",
	Tell:     "verification confirms it",
	New:      func() Trap { return &TrueSurprise{} },
}

// Make implements [Trap].
func (*TrueSurprise) Make(r *rand.Rand, m *Material) (*Defect, error) {
	truth := m.Truth().Value
	v := NewNumber(m.Lang, math.Round(truth.Num*(6+4*r.Float64())), truth.Unit)
	d := &Defect{Claim: m.claim(v, Value{})}
	for _, doc := range m.Docs {
		if doc.states(Claim) {
			surprise := doc.State(Claim, m.Truth().With(v))
			surprise.Good = doc.Good
			d.Docs = append(d.Docs, surprise)
		}
	}
	return d, nil
}
