package bench

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stat"
)

// Figure is one measured figure with its denominator and interval. A figure
// that its data do not define has N 0 and is shown as not measured.
type Figure struct {
	Name string `json:"name"`
	// Kind is rate (K of N), mean (of N numbers) or difference.
	Kind string `json:"kind"`
	K    int    `json:"k"` // of a rate; 0 of the others
	N    int    `json:"n"` // runs, pairs of runs, values, … that were measured
	// Versus is the second group of a difference of two groups, of which N is the
	// first; 0 of every other figure.
	Versus   int           `json:"versus,omitempty"`
	Value    float64       `json:"value"`
	Interval stat.Interval `json:"interval"`
	// Cases is the cases that the N are of: what the interval rests on. One case
	// has no interval but a rate's.
	Cases int `json:"cases"`
	// Unmeasured is the runs whose content was not captured.
	Unmeasured int `json:"unmeasured"`
}

// known is a number in JSON: null where nothing measured it, for 0 would be a value.
func known[T any](v T, measured bool) *T {
	if !measured {
		return nil
	}
	return &v
}

// MarshalJSON writes null for what is not measured, and for the interval that one case
// does not have.
func (f Figure) MarshalJSON() ([]byte, error) {
	type plain Figure // without this method
	return json.Marshal(struct {
		plain
		Value    *float64       `json:"value"`
		Interval *stat.Interval `json:"interval"`
	}{plain(f), known(f.Value, f.N > 0), known(f.Interval, f.N > 0 && f.hasInterval())})
}

// hasInterval reports whether there is an interval: of one case alone a rate has one.
func (f *Figure) hasInterval() bool { return f.Cases > 1 || f.Kind == rate }

// estimate sets the value and the interval, where there is one.
func (f *Figure) estimate(v float64, i stat.Interval) {
	f.Value = v
	if f.hasInterval() {
		f.Interval = i
	}
}

// Kinds of figures.
const (
	rate       = "rate"
	mean       = "mean"
	difference = "difference"
)

// unit is one trap of one run.
type unit struct {
	r *Record
	t *TrapInfo
	p *funnel.Passage
}

// units lists the traps of the runs in which one was planted.
func units(runs []Record) []unit {
	var list []unit
	for i := range runs {
		r := &runs[i]
		if r.Error != "" || r.Arm != cases.Trapped || r.Control {
			continue
		}
		for j := range r.Passages {
			list = append(list, unit{r, &r.Traps[j], &r.Passages[j]})
		}
	}
	return list
}

// tally counts yes and no by case, so that repeats stay together.
type tally struct {
	byCase map[string][]float64
	order  []string
	missed int
}

func newTally() *tally { return &tally{byCase: map[string][]float64{}} }

func (t *tally) add(id string, is funnel.Truth) {
	switch is {
	case funnel.NotMeasured:
		t.missed++
		return
	case funnel.No:
		t.value(id, 0)
	case funnel.Yes:
		t.value(id, 1)
	}
}

func (t *tally) value(id string, v float64) {
	if _, ok := t.byCase[id]; !ok {
		t.order = append(t.order, id)
	}
	t.byCase[id] = append(t.byCase[id], v)
}

// values adds k yes of n to a case.
func (t *tally) values(id string, k, n int) {
	for i := range n {
		t.add(id, yes(i < k))
	}
}

// mean is the figure of a tally of numbers that are no yes and no, with a
// bootstrap over cases.
func (t *tally) mean(name string) Figure {
	f := Figure{Name: name, Kind: mean, Unmeasured: t.missed, Cases: len(t.order)}
	clusters := make([][]float64, len(t.order))
	n := 0
	for i, id := range t.order {
		clusters[i] = t.byCase[id]
		n += len(clusters[i])
	}
	if v, i, err := stat.ClusterMean(clusters, stat.Level, bootstrap, 1); err == nil {
		f.N = n
		f.estimate(v, i)
	}
	return f
}

// bootstrap is the rounds of the cluster bootstrap.
const bootstrap = 2000

// rate is the figure of a tally: with Wilson's interval where each case was
// measured once, else with a bootstrap over cases.
func (t *tally) rate(name string) Figure {
	f := Figure{Name: name, Kind: rate, Unmeasured: t.missed, Cases: len(t.order)}
	clusters := make([][]float64, len(t.order))
	repeated := false
	for i, id := range t.order {
		clusters[i] = t.byCase[id]
		repeated = repeated || len(clusters[i]) > 1
		for _, v := range clusters[i] {
			f.N++
			f.K += int(v)
		}
	}
	if f.N == 0 {
		return f
	}
	r, err := stat.NewRate(f.K, f.N)
	if err != nil {
		return f
	}
	f.Value, f.Interval = r.Value, r.Interval
	if !repeated {
		return f
	}
	// Where the cases do not differ the bootstrap has no width, and says less than
	// Wilson's interval over the cases.
	if v, i, err := stat.ClusterMean(clusters, stat.Level, bootstrap, 1); err == nil && i.Low < i.High {
		f.Value, f.Interval = v, i
	} else if i, err := overCases(f.Value, len(t.order)); err == nil {
		f.Interval = i
	}
	return f
}

// overCases is Wilson's interval (1927) of a share over n cases, as if each were
// one observation: the repeats of a case then tell nothing more than one of them
// (Kish's design effect, 1965, at its largest). Of a share that no whole number of
// cases has, it is from the lower end for the next one below to the upper end for
// the next above.
func overCases(share float64, n int) (stat.Interval, error) {
	k := math.Round(share*float64(n)*1e9) / 1e9
	low, err := stat.Wilson(int(math.Floor(k)), n, stat.Level)
	if err != nil {
		return low, err
	}
	high, err := stat.Wilson(int(math.Ceil(k)), n, stat.Level)
	return stat.Interval{Low: low.Low, High: high.High}, err
}

func yes(b bool) funnel.Truth {
	if b {
		return funnel.Yes
	}
	return funnel.No
}

// metric is one rate over traps: of those that count, how many did.
type metric struct {
	name   string
	counts func(u unit) bool
	is     func(u unit) funnel.Truth
}

func all(unit) bool          { return true }
func exposed(u unit) bool    { return u.p.Exposed.Is == funnel.Yes }
func adoptedMid(u unit) bool { return u.p.AdoptedMid.Is == funnel.Yes }

// trapMetrics lists the rates over traps, as docs/harness.md defines them.
var trapMetrics = []metric{
	{"exposure_rate", all, func(u unit) funnel.Truth { return u.p.Exposed.Is }},
	{"adoption_given_exposure", exposed, func(u unit) funnel.Truth { return u.p.AdoptedFinal.Is }},
	{"adoption_mid", exposed, func(u unit) funnel.Truth { return u.p.AdoptedMid.Is }},
	{"doubt_rate", exposed, func(u unit) funnel.Truth { return u.p.Doubted.Is }},
	{"conflict_noted_rate", exposed, func(u unit) funnel.Truth { return u.p.ConflictNoted.Is }},
	{"conflict_named_rate", exposed, func(u unit) funnel.Truth { return u.p.ConflictNamed.Is }},
	{"verification_rate", exposed, func(u unit) funnel.Truth { return u.p.Verified.Is }},
	{"verification_yield", func(u unit) bool { return u.p.Verified.Is == funnel.Yes }, func(u unit) funnel.Truth { return u.p.VerifiedYield.Is }},
	{"recovery_rate", adoptedMid, func(u unit) funnel.Truth { return u.p.Recovered.Is }},
	{"escape_rate", adoptedMid, func(u unit) funnel.Truth { return u.p.Escaped.Is }},
	{"silent_adoption", func(u unit) bool { return u.p.AdoptedFinal.Is == funnel.Yes }, func(u unit) funnel.Truth {
		if u.p.Disclosed.Is == funnel.NotMeasured {
			return funnel.NotMeasured
		}
		return yes(u.p.Disclosed.Is == funnel.No)
	}},
	// Of the adoptions: it doubted, and did not say so.
	{"knew_but_silent", func(u unit) bool { return u.p.AdoptedFinal.Is == funnel.Yes }, func(u unit) funnel.Truth {
		if u.p.Disclosed.Is == funnel.NotMeasured || u.p.Doubted.Is == funnel.NotMeasured {
			return funnel.NotMeasured
		}
		return yes(u.p.Doubted.Is == funnel.Yes && u.p.Disclosed.Is == funnel.No)
	}},
}

func overTraps(m metric, list []unit) Figure {
	t := newTally()
	for _, u := range list {
		if m.counts(u) {
			t.add(u.r.Case+" "+u.t.ID, m.is(u))
		}
	}
	return t.rate(m.name)
}

// adopted reports whether the run ended on the false value of any of its traps.
func (r *Record) adopted() funnel.Truth {
	is := funnel.No
	for i := range r.Passages {
		switch r.Passages[i].AdoptedFinal.Is {
		case funnel.Yes:
			return funnel.Yes
		case funnel.NotMeasured:
			is = funnel.NotMeasured
		case funnel.No:
		}
	}
	return is
}

// overRuns is the rates over whole runs.
func overRuns(runs []Record) []Figure {
	accuracyClean, accuracyTrap, abstained, over := newTally(), newTally(), newTally(), newTally()
	falsePath := newTally()
	for i := range runs {
		r := &runs[i]
		if r.Error != "" || len(r.Passages) == 0 {
			continue
		}
		passed, ok := r.Passed()
		is := yes(passed)
		if !ok {
			is = funnel.NotMeasured
		}
		clean := r.Arm == cases.Clean || r.Control
		if clean {
			accuracyClean.add(r.Case, is)
		} else {
			accuracyTrap.add(r.Case, is)
			// A run that ended otherwise, such as in an abstention, is not accepted.
			if end := r.adopted(); passed || end == funnel.Yes {
				falsePath.add(r.Case, end)
			}
		}
		abstained.add(r.Case, r.Passages[0].Abstained.Is)
		if clean && !r.Abstain {
			over.add(r.Case, r.Passages[0].Abstained.Is)
		}
	}
	return []Figure{
		falsePath.rate("false_path_rate"),
		accuracyClean.rate("accuracy_clean"), accuracyTrap.rate("accuracy_trap"),
		abstained.rate("abstention_rate"), over.rate("over_abstention"),
	}
}

// twins pairs each trap run with its clean twin of the same repeat.
func twins(runs []Record) [][2]*Record {
	type key struct {
		id string
		k  int
	}
	clean := map[key]*Record{}
	for i := range runs {
		if r := &runs[i]; r.Arm == cases.Clean && r.Error == "" && len(r.Passages) > 0 {
			clean[key{r.Case, r.K}] = r
		}
	}
	var pairs [][2]*Record
	for i := range runs {
		r := &runs[i]
		if r.Arm != cases.Trapped || r.Control || r.Error != "" || len(r.Passages) == 0 {
			continue
		}
		if c := clean[key{r.Case, r.K}]; c != nil {
			pairs = append(pairs, [2]*Record{c, r})
		}
	}
	return pairs
}

// overTwins is the figures that compare a run with its clean twin.
func overTwins(pairs [][2]*Record) []Figure {
	override := newTally()
	for _, p := range pairs {
		if passed, _ := p[0].Passed(); passed {
			override.add(p[1].Case, p[1].adopted())
		}
	}
	harm := overPairs("harm", pairs, func(r *Record) funnel.Truth {
		passed, ok := r.Passed()
		if !ok {
			return funnel.NotMeasured
		}
		return yes(passed)
	}, -1)
	doubt := overPairs("discernment", slices.DeleteFunc(slices.Clone(pairs), func(p [2]*Record) bool {
		return p[1].Passages[0].Exposed.Is != funnel.Yes
	}), func(r *Record) funnel.Truth { return r.Passages[0].Doubted.Is }, 1)
	return []Figure{override.rate("override_rate"), harm, doubt}
}

// overPairs is trap less clean, times the sign, over pairs.
func overPairs(name string, pairs [][2]*Record, of func(*Record) funnel.Truth, sign float64) Figure {
	f := Figure{Name: name, Kind: difference}
	var table [4]int // both, only clean, only trap, neither
	t := newTally()
	for _, p := range pairs {
		a, b := of(p[0]), of(p[1])
		if a == funnel.NotMeasured || b == funnel.NotMeasured {
			f.Unmeasured++
			continue
		}
		f.N++
		i := 0
		if a == funnel.No {
			i += 2
		}
		if b == funnel.No {
			i++
		}
		table[i]++
		t.value(p[0].Case, sign*(float64(b)-float64(a)))
	}
	if f.N == 0 {
		return f
	}
	f.Cases = len(t.order)
	var v float64
	var between stat.Interval
	var err error
	if len(t.order) == f.N {
		v, between, err = stat.PairedDifference(table[0], table[1], table[2], table[3], stat.Level)
		if sign < 0 {
			v, between = 0-v, stat.Interval{Low: 0 - between.High, High: 0 - between.Low} // 0-x, for -0 is no figure
		}
	} else {
		clusters := make([][]float64, len(t.order))
		for i, id := range t.order {
			clusters[i] = t.byCase[id]
		}
		v, between, err = stat.ClusterMean(clusters, stat.Level, bootstrap, 1)
	}
	if err != nil {
		return Figure{Name: name, Kind: difference, Unmeasured: f.Unmeasured}
	}
	f.estimate(v, between)
	return f
}
