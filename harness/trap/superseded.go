package trap

import "math/rand/v2"

// Superseded serves a statement that was corrected: the official document says
// which figure it corrects.
type Superseded struct{}

var superseded = Kind{
	ID: 12, Name: "superseded", Group: "time", Family: "temporal_context_neglect",
	Surfaces: []Surface{Search, Page},
	Shapes:   []Shape{Number, Date, Entity},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "a statement that its publisher corrected elsewhere",
	Tell:     "a search for the correction",
	New:      func() Trap { return &Superseded{} },
}

// Make implements [Trap].
func (*Superseded) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	doc := m.Piece.State(Claim, m.Truth().With(v))
	doc.Published = daysBefore(m.Primary.Published, 20+r.IntN(60))
	notice := m.Primary.Clone()
	notice.Body = append(notice.Body, Sentence{Text: phrase(m.Lang, "corrects", "{v}", v.Text)})
	d := m.Defect(v, doc)
	d.Docs = append(d.Docs, notice)
	return d, nil
}
