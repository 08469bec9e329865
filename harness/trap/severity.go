package trap

import (
	"fmt"
	"math"
	"slices"
	"time"
)

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

// Outside is the factors, by their keys, that are not from 0 to 3.
func (f Factors) Outside() (wrong []string) {
	for _, x := range []struct {
		key   string
		level int
	}{{"disguise", f.Disguise}, {"magnitude", f.Magnitude}, {"centrality", f.Centrality}, {"authority", f.Authority}, {"corroboration", f.Corroboration}, {"consequence", f.Consequence}} {
		if x.level < 0 || x.level > 3 {
			wrong = append(wrong, fmt.Sprintf("%s %d", x.key, x.level))
		}
	}
	return wrong
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

// The borders of magnitude. Slight is 10 % or less, or a date of the same month's
// length away; extreme is tenfold, or ten years.
const (
	slightRatio, extremeRatio = 1.1, 10
	slightDays, extremeDays   = 31, 3653
)

// magnitude is the factor of that name where it can be measured: of two quantities
// of one dimension, or of two days. ok is false of names, outcomes and currencies, whose
// distance a kind states.
func magnitude(truth, falsehood Value) (level int, ok bool) {
	if truth.Day != "" && falsehood.Day != "" {
		a, errA := time.Parse(time.DateOnly, truth.Day)
		b, errB := time.Parse(time.DateOnly, falsehood.Day)
		days := math.Abs(b.Sub(a).Hours() / 24)
		return level3(days, slightDays, extremeDays), errA == nil && errB == nil
	}
	x, y := truth.Num, falsehood.Num
	if u := Units[truth.Unit]; truth.Unit != falsehood.Unit && u.In == falsehood.Unit {
		x *= u.Factor
	} else if truth.Unit != falsehood.Unit {
		return 0, false
	}
	if x == y || x < 0 || y < 0 || min(x, y) == 0 && max(x, y) == 0 {
		return 0, false
	}
	return level3(max(x, y)/min(x, y), slightRatio, extremeRatio), true
}

// level3 is 1 up to slight, 3 from extreme on, and 2 between them.
func level3(x, slight, extreme float64) int {
	switch {
	case x <= slight:
		return 1
	case x >= extreme:
		return 3
	}
	return 2
}
