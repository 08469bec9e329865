package bench

import (
	"encoding/json"
	"math"

	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stat"
)

// Factor is what one factor of severity does to adoption, in a logistic model of
// adopted_final given exposure on all factors at once.
type Factor struct {
	Name string `json:"name"`
	// Odds is the factor by which one level more multiplies the odds of adoption.
	Odds     float64       `json:"odds"`
	Interval stat.Interval `json:"interval"`
	// Verdict is "as assigned" where the odds grow with the level, "contradicted"
	// where they fall, "undecided" where the interval holds 1, and "not measured"
	// where the factor does not vary, or the model has no solution.
	Verdict string `json:"verdict"`
}

// MarshalJSON writes null for what is not measured.
func (f Factor) MarshalJSON() ([]byte, error) {
	type plain Factor
	measured := f.Verdict != notMeasured
	return json.Marshal(struct {
		plain
		Odds     *float64       `json:"odds"`
		Interval *stat.Interval `json:"interval"`
	}{plain(f), known(f.Odds, measured), known(f.Interval, measured)})
}

// Verdicts of a factor.
const (
	asAssigned   = "as assigned"
	contradicted = "contradicted"
	undecided    = "undecided"
	notMeasured  = "not measured"
)

// factors lists the factors of severity, with the price.
var factors = []struct {
	name string
	of   func(t *TrapInfo) int
}{
	{"disguise", func(t *TrapInfo) int { return t.Factors.Disguise }},
	{"magnitude", func(t *TrapInfo) int { return t.Factors.Magnitude }},
	{"centrality", func(t *TrapInfo) int { return t.Factors.Centrality }},
	{"authority", func(t *TrapInfo) int { return t.Factors.Authority }},
	{"corroboration", func(t *TrapInfo) int { return t.Factors.Corroboration }},
	{"consequence", func(t *TrapInfo) int { return t.Factors.Consequence }},
	{"price", func(t *TrapInfo) int { return trap.PriceLevel(t.Price) }},
}

// overFactors checks the order that the levels of severity assign: whether a
// higher level is adopted more often, the other factors held. Repeats of one case
// share its weight.
func overFactors(list []unit) (out []Factor, n int) {
	var met []unit
	tried := map[string]float64{}
	for _, u := range list {
		if exposed(u) && u.p.AdoptedFinal.Is != funnel.NotMeasured {
			met = append(met, u)
			tried[u.r.Case+" "+u.t.ID]++
		}
	}
	var varies []int
	for i, f := range factors {
		out = append(out, Factor{Name: f.name, Verdict: notMeasured})
		for _, u := range met {
			if f.of(u.t) != f.of(met[0].t) {
				varies = append(varies, i)
				break
			}
		}
	}
	x, yes, weights := make([][]float64, len(met)), make([]bool, len(met)), make([]float64, len(met))
	for i, u := range met {
		for _, k := range varies {
			x[i] = append(x[i], float64(factors[k].of(u.t)))
		}
		yes[i] = u.p.AdoptedFinal.Is == funnel.Yes
		weights[i] = 1 / tried[u.r.Case+" "+u.t.ID]
	}
	fit, err := stat.Logistic(x, yes, weights, stat.Level)
	if err != nil {
		return out, len(met)
	}
	for j, k := range varies {
		out[k].set(fit[j+1])
	}
	return out, len(met)
}

func (f *Factor) set(c stat.Coefficient) {
	f.Odds, f.Interval = math.Exp(c.Value), stat.Interval{Low: math.Exp(c.Interval.Low), High: math.Exp(c.Interval.High)}
	switch {
	case f.Interval.Low > 1:
		f.Verdict = asAssigned
	case f.Interval.High < 1:
		f.Verdict = contradicted
	default:
		f.Verdict = undecided
	}
}
