package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stat"
)

// Versus compares two agents, or one under two settings, on the cases that both
// were run on.
type Versus struct {
	First   string       `json:"first"`
	Second  string       `json:"second"`
	Figures []Comparison `json:"figures"`
	// Changed is the cases that both have, of which the content differs: they are
	// in no figure.
	Changed int `json:"changed"`
}

// Comparison is one figure of both. N is 0 where it was measured of no common case.
type Comparison struct {
	Name   string  `json:"name"`
	N      int     `json:"n"`      // cases
	First  float64 `json:"first"`  // mean over the cases
	Second float64 `json:"second"` //
	// OnlyFirst and OnlySecond count the cases in which one alone did it; where
	// cases were run more than once, those in which one did it more often.
	OnlyFirst  int           `json:"only_first"`
	OnlySecond int           `json:"only_second"`
	Value      float64       `json:"value"` // second less first
	Interval   stat.Interval `json:"interval"`
	// Test is McNemar's mid-p where each case gave one yes or no, else the sign flip, with
	// the number of draws where it is not exact.
	Test string  `json:"test"`
	P    float64 `json:"p"`
	// Adjusted is P by Holm over all comparisons of the report.
	Adjusted float64 `json:"adjusted"`
	Verdict  string  `json:"verdict"` // higher, lower, "no difference shown", "not measured"
}

// MarshalJSON writes null for what is not measured.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type plain Comparison
	measured := c.N > 0
	return json.Marshal(struct {
		plain
		First    *float64       `json:"first"`
		Second   *float64       `json:"second"`
		Value    *float64       `json:"value"`
		Interval *stat.Interval `json:"interval"`
		P        *float64       `json:"p"`
		Adjusted *float64       `json:"adjusted"`
	}{plain(c), known(c.First, measured), known(c.Second, measured), known(c.Value, measured), known(c.Interval, measured), known(c.P, measured), known(c.Adjusted, measured)})
}

// Verdicts of a comparison, of the second against the first.
const (
	higher      = "higher"
	lower       = "lower"
	noneIsShown = "no difference shown"
)

// maxVersus bounds the pairs of agents that a report compares.
const maxVersus = 45

// flips is the draws of the sign flip.
const flips = 10_000

// comparedRates lists what is compared: of a run, what each of its parts that
// count says.
var comparedRates = []struct {
	name string
	of   func(r *Record, say func(part string, is funnel.Truth))
}{
	{"adoption_given_exposure", func(r *Record, say func(string, funnel.Truth)) {
		for _, u := range units([]Record{*r}) {
			if exposed(u) {
				say(u.t.ID, u.p.AdoptedFinal.Is)
			}
		}
	}},
	{"accuracy_trap", func(r *Record, say func(string, funnel.Truth)) {
		if r.Arm == cases.Trapped && !r.Control {
			say("", right(r))
		}
	}},
	{"accuracy_clean", func(r *Record, say func(string, funnel.Truth)) {
		if r.Arm == cases.Clean || r.Control {
			say(string(r.Arm), right(r))
		}
	}},
}

// right is whether a run passed.
func right(r *Record) funnel.Truth {
	passed, ok := r.Passed()
	if !ok {
		return funnel.NotMeasured
	}
	return yes(passed)
}

// compareAll compares every two groups of runs that have a case in common. left is
// how many pairs are beyond maxVersus.
func compareAll(titles []string, runs [][]Record) (list []Versus, left int) {
	list = []Versus{}
	for i := range runs {
		for j := i + 1; j < len(runs); j++ {
			v, common := compare(runs[i], runs[j])
			if !common {
				continue
			}
			if len(list) == maxVersus {
				left++
				continue
			}
			v.First, v.Second = titles[i], titles[j]
			list = append(list, v)
		}
	}
	adjust(list)
	return list, left
}

// compare pairs two groups of runs by case.
func compare(first, second []Record) (v Versus, common bool) {
	hashes := map[string]string{}
	for _, r := range first {
		hashes[r.Case] = r.CaseHash
	}
	changed := map[string]bool{}
	for _, r := range second {
		if h, ok := hashes[r.Case]; ok {
			common = true
			if h != r.CaseHash {
				changed[r.Case] = true
			}
		}
	}
	v.Changed = len(changed)
	for _, m := range comparedRates {
		var arms [2]map[string]map[string][]float64 // case -> part -> values
		for k, runs := range [][]Record{first, second} {
			arms[k] = map[string]map[string][]float64{}
			for i := range runs {
				r := &runs[i]
				if r.Error != "" || len(r.Passages) == 0 || changed[r.Case] {
					continue
				}
				m.of(r, func(part string, is funnel.Truth) {
					if is == funnel.NotMeasured {
						return
					}
					if arms[k][r.Case] == nil {
						arms[k][r.Case] = map[string][]float64{}
					}
					arms[k][r.Case][part] = append(arms[k][r.Case][part], float64(is-funnel.No))
				})
			}
		}
		v.Figures = append(v.Figures, paired(m.name, arms[0], arms[1]))
	}
	return v, common
}

// paired compares the parts of cases that both have. A case counts once, whatever
// its repeats and traps: with the mean over them.
func paired(name string, first, second map[string]map[string][]float64) Comparison {
	c := Comparison{Name: name, P: 1, Adjusted: 1, Verdict: notMeasured}
	var differences []float64
	var both, neither int
	whole := true // each case gave one yes or no
	for _, id := range slices.Sorted(maps.Keys(first)) {
		var a, b []float64
		for part, values := range first[id] {
			if others := second[id][part]; len(others) > 0 {
				a, b = append(a, values...), append(b, others...)
			}
		}
		if len(a) == 0 {
			continue
		}
		x, y := meanOf(a), meanOf(b)
		whole = whole && len(a) == 1 && len(b) == 1
		c.N++
		c.First, c.Second = c.First+x, c.Second+y
		differences = append(differences, y-x)
		switch {
		case x > y:
			c.OnlyFirst++
		case y > x:
			c.OnlySecond++
		case x > 0:
			both++
		default:
			neither++
		}
	}
	if c.N == 0 {
		return c
	}
	c.First, c.Second = c.First/float64(c.N), c.Second/float64(c.N)
	var err error
	if whole {
		c.Test, c.P = "McNemar mid-p", stat.McNemarMidP(c.OnlyFirst, c.OnlySecond)
		c.Value, c.Interval, err = stat.PairedDifference(both, c.OnlyFirst, c.OnlySecond, neither, stat.Level)
	} else {
		var exact bool
		c.Test = "sign flip"
		if c.P, exact = stat.SignFlip(differences, flips, 1); !exact {
			c.Test = fmt.Sprintf("sign flip, %d draws", flips)
		}
		clusters := make([][]float64, len(differences))
		for i := range differences {
			clusters[i] = differences[i : i+1]
		}
		c.Value, c.Interval, err = stat.ClusterMean(clusters, stat.Level, bootstrap, 1)
		// Where no case differs the bootstrap has no width; Newcombe's interval has.
		if err == nil && c.OnlyFirst+c.OnlySecond == 0 {
			_, c.Interval, err = stat.PairedDifference(both, 0, 0, neither, stat.Level)
		}
	}
	if err != nil {
		return Comparison{Name: name, P: 1, Adjusted: 1, Verdict: notMeasured}
	}
	return c
}

func meanOf(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// adjust corrects the p values for how many there are, and says what they show.
func adjust(list []Versus) {
	var made []*Comparison
	var ps []float64
	for i := range list {
		for j := range list[i].Figures {
			if c := &list[i].Figures[j]; c.N > 0 {
				made, ps = append(made, c), append(ps, c.P)
			}
		}
	}
	for i, p := range stat.Holm(ps) {
		c := made[i]
		c.Adjusted, c.Verdict = p, noneIsShown
		switch {
		case p > 1-stat.Level:
		case c.Value > 0:
			c.Verdict = higher
		default:
			c.Verdict = lower
		}
	}
}

// versus writes the comparisons.
func (r *Report) versus(t *table) {
	for i := range r.Versus {
		v := &r.Versus[i]
		t.title(fmt.Sprintf("%s, against %s", v.Second, v.First))
		if v.Changed > 0 {
			fmt.Fprintf(t.b, "%d cases have another content and are in no figure\n\n", v.Changed)
		}
		t.row("second less first, by case", "value", "95 % interval", "cases (first, second alone)", "verdict")
		for _, c := range v.Figures {
			if c.N == 0 {
				t.row(c.Name, notMeasured, "", "0", "")
				continue
			}
			t.row(
				c.Name, fmt.Sprintf("%+.3f (%.3f to %.3f)", c.Value, c.First, c.Second), fmt.Sprintf("%+.3f to %+.3f", c.Interval.Low, c.Interval.High),
				fmt.Sprintf("%d (%d, %d)", c.N, c.OnlyFirst, c.OnlySecond), fmt.Sprintf("%s, p %.2g (%s, Holm)", c.Verdict, c.Adjusted, c.Test),
			)
		}
		t.end()
	}
	if r.Left > 0 {
		fmt.Fprintf(t.b, "%d more pairs of agents are not compared: the report compares %d\n", r.Left, maxVersus)
	}
}
