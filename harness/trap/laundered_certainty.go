package trap

import (
	"math/rand/v2"
	"slices"
)

// LaunderedCertainty lets one agent state flatly what the agent before it had
// called a guess. Both can be asked, and are agents of the clean world where that has
// one from whom the first has it: who there is does not tell then.
type LaunderedCertainty struct{}

var launderedCertainty = Kind{
	ID: 39, Name: "laundered_certainty", Group: "multi_agent", Family: "temporal_context_neglect",
	Surfaces: []Surface{Agent},
	Shapes:   []Shape{Number, Entity, Date},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 2, Corroboration: 2, Consequence: 1},
	Prices:   []int{1, 2},
	Change:   "a hedge that was lost at the hand-off",
	Tell:     "compare the messages",
	New:      func() Trap { return &LaunderedCertainty{} },
}

// Make implements [Trap].
func (*LaunderedCertainty) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	flat := m.Piece.State(Claim, m.Truth().With(v))
	flat.Origin = m.Outlets[0].Name
	guess := flat.Clone()
	if i := slices.IndexFunc(m.Docs, func(d Doc) bool {
		return d.Surface == Agent && d.Good && d.ID != m.Piece.ID && d.ID != m.Primary.ID
	}); i >= 0 {
		guess = m.Docs[i].Clone()
		flat.Origin = guess.Author
	} else {
		guess.ID, guess.Address, guess.Author = flat.ID+"-"+m.TrapID+"-source", "agent:"+Slug(m.Outlets[0].Name), m.Outlets[0].Name
	}
	guess.Origin, guess.Good = "", false
	guess.Body = []Sentence{{Text: phrase(m.Lang, "guess", "{s}", m.Truth().Subject, "{a}", m.Truth().Aspect, "{v}", v.Text)}}
	return m.Defect(v, flat, guess), nil
}
