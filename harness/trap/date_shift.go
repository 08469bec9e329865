package trap

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// DateShift moves the day of the claim.
type DateShift struct {
	// Days is by how many; 0 draws between 20 days and two years, back or forth.
	Days int `json:"days,omitempty"`
}

var dateShift = Kind{
	ID: 3, Name: "date_shift", Group: "content", Family: "uncritical_acceptance",
	Surfaces: []Surface{Search, Page, Records, Workspace, Agent},
	Shapes:   []Shape{Date},
	Factors:  Factors{Disguise: 3, Magnitude: 1, Centrality: 3, Authority: 1, Corroboration: 1, Consequence: 1},
	Prices:   []int{0, 1, 2, 3},
	Change:   "a day moved",
	Tell:     "the order of events; the weekday; the date of the document",
	New:      func() Trap { return &DateShift{} },
}

// Make implements [Trap].
func (t *DateShift) Make(r *rand.Rand, m *Material) (*Defect, error) {
	days := t.Days
	if days == 0 {
		days = 20 + r.IntN(710)
		if r.IntN(2) == 0 {
			days = -days
		}
	}
	day, err := time.Parse(time.DateOnly, m.Truth().Value.Day)
	if err != nil {
		return nil, fmt.Errorf("day of the claim: %w", err)
	}
	v := NewDate(m.Lang, day.AddDate(0, 0, days).Format(time.DateOnly))
	return m.Defect(v, m.Piece.State(Claim, m.Truth().With(v))), nil
}
