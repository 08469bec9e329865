package trap

import "math/rand/v2"

// LaunderedCertainty lets one agent state flatly what the agent before it had
// called a guess. Both can be asked.
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
	guess.ID, guess.Address, guess.Author = flat.ID+"-"+m.TrapID+"-source", "agent:"+Slug(m.Outlets[0].Name), m.Outlets[0].Name
	guess.Origin = ""
	guess.Body = []Sentence{{Text: phrase(m.Lang, "guess", "{s}", m.Truth().Subject, "{a}", m.Truth().Aspect, "{v}", v.Text)}}
	return m.Defect(v, flat, guess), nil
}
