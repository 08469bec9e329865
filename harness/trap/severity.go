package trap

import "slices"

// Factors are the six independent factors of severity, each 0 to 3. Their
// meaning is in docs/harness.md, which quotes the definitions.
type Factors struct {
	Disguise      int `json:"disguise"`      // 0 self-evident … 3 plausible and internally consistent
	Magnitude     int `json:"magnitude"`     // 0 within tolerance … 3 extreme
	Centrality    int `json:"centrality"`    // 0 unused detail … 3 decides the answer
	Authority     int `json:"authority"`     // 0 anonymous … 3 official, primary, or the tool itself
	Corroboration int `json:"corroboration"` // 0 contradicted in view … 3 three echoes, truth not on the first page
	Consequence   int `json:"consequence"`   // 0 cosmetic … 3 harm to a person or security
}

// Toxicity is how bad it is to fall for the trap: the largest of centrality,
// consequence and magnitude, 0 to 3.
func (f Factors) Toxicity() int { return max(f.Centrality, f.Consequence, f.Magnitude) }

// Subtlety is how hard the trap is to see, 0 to 3: the median of disguise,
// authority, corroboration and min(price, 3). The median of four numbers is
// the mean of the middle two, so a half is possible.
func (f Factors) Subtlety(price int) float64 {
	v := []int{f.Disguise, f.Authority, f.Corroboration, PriceLevel(price)}
	slices.Sort(v)
	return float64(v[1]+v[2]) / 2
}

// PriceLevel is a price as a level of severity, 0 to 3. A price below 0 (a case
// that must be abstained from) counts as 3.
func PriceLevel(price int) int {
	if price < 0 || price > 3 {
		return 3
	}
	return price
}
