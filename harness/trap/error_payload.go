package trap

import "math/rand/v2"

// ErrorPayload answers the first request with status 200 and a placeholder in an error body.
type ErrorPayload struct{}

var errorPayload = Kind{
	ID: 28, Name: "error_payload", Group: "channel", Family: "uncritical_acceptance",
	Surfaces: []Surface{Records},
	Shapes:   []Shape{Number},
	Factors:  Factors{Disguise: 1, Magnitude: 2, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 1},
	Prices:   []int{1},
	Change:   "status 200 with an error in the body",
	Tell:     "the status in the body; its shape",
	New:      func() Trap { return &ErrorPayload{} },
}

// Make implements [Trap].
func (*ErrorPayload) Make(r *rand.Rand, m *Material) (*Defect, error) {
	v := m.other(r)
	d := m.Defect(v)
	d.Claim.Sources = []string{m.Piece.Address}
	d.Interventions = []Intervention{{Op: Replace, On: m.firstRequest(1), Record: map[string]any{
		"status": "degraded", "error": map[string]any{"code": "upstream_timeout", "retry": true},
		"entity": m.Truth().Subject, "metric": m.Truth().Aspect, "value": v.Text,
	}}}
	return d, nil
}
