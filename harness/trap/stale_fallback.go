package trap

import (
	"cmp"
	"math/rand/v2"
)

// StaleFallback lets the first request time out, and answers the second from a
// cache of an earlier day, as the reply's headers say.
type StaleFallback struct {
	// Wait is how long the failing request takes, at most 30s; empty means 5ms.
	Wait string `json:"wait,omitempty"`
}

var staleFallback = Kind{
	ID: 33, Name: "stale_fallback", Group: "channel", Family: "temporal_context_neglect",
	Surfaces: []Surface{Records},
	Shapes:   []Shape{Number, Entity},
	Needs:    []Role{Old},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 3, Corroboration: 1, Consequence: 1},
	Prices:   []int{1},
	Change:   "a cached reply after a failure",
	Tell:     "the cache header",
	New:      func() Trap { return &StaleFallback{} },
}

// Make implements [Trap].
func (t *StaleFallback) Make(_ *rand.Rand, m *Material) (*Defect, error) {
	was := m.Facts[Old]
	d := m.Defect(was.Value)
	d.Claim.Sources = []string{m.Piece.Address}
	stale := m.Piece.Clone().Fields
	stale["value"], stale["as_of"] = was.Value.Text, was.AsOf
	d.Interventions = []Intervention{
		{Op: Fail, On: m.firstRequest(1), Status: 504, Text: "upstream timed out"},
		{Op: Delay, On: m.firstRequest(1), Delay: cmp.Or(t.Wait, "5ms")},
		{Op: Replace, On: m.firstRequest(2), Record: stale, Note: map[string]string{"x-cache": "STALE", "date": was.AsOf}},
	}
	return d, nil
}
