package trap

import "math/rand/v2"

// Unanswerable takes the claim out of every document.
type Unanswerable struct{}

var unanswerable = Kind{
	ID: 44, Name: "unanswerable", Group: "control", Family: "",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number, Entity, Date, Status, Relation, Scope, Conditional, Breakdown, Interval},
	Factors:  Factors{},
	Prices:   []int{-1},
	Change:   "no evidence at all",
	Tell:     "to abstain is right",
	New:      func() Trap { return &Unanswerable{} },
}

// Make implements [Trap].
func (*Unanswerable) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	d := &Defect{Claim: m.claim(Value{}, Value{})}
	for _, doc := range m.Docs {
		if doc.states(Claim) {
			d.Docs = append(d.Docs, m.unsaid(doc))
		}
	}
	return d, nil
}
