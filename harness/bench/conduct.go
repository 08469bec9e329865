package bench

import (
	"fmt"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/stat"
)

// measured is the runs that were made.
func measured(runs []Record) []*Record {
	var list []*Record
	for i := range runs {
		if runs[i].Error == "" && len(runs[i].Passages) > 0 {
			list = append(list, &runs[i])
		}
	}
	return list
}

// overChains is how much of the evidence chain was observed before the answer,
// over all runs and hop by hop.
func overChains(runs []*Record) []Figure {
	all := newTally()
	var byHop []*tally
	for _, r := range runs {
		if r.Hops == nil {
			all.missed++
			continue
		}
		n := 0
		for i, is := range r.Hops {
			if i == len(byHop) {
				byHop = append(byHop, newTally())
			}
			byHop[i].add(r.Case, yes(is))
			if is {
				n++
			}
		}
		if len(r.Hops) > 0 {
			all.value(r.Case, float64(n)/float64(len(r.Hops)))
		}
	}
	list := []Figure{all.mean("chain_coverage")}
	for i, t := range byHop {
		list = append(list, t.rate(fmt.Sprintf("chain_coverage hop %d", i+1)))
	}
	return list
}

// overFooting is what the answers rest on and what they cite. The values of one
// answer are one cluster with those of the case's other runs.
func overFooting(runs []*Record) []Figure {
	support, defective, unsupported := newTally(), newTally(), newTally()
	cites, reliable := newTally(), newTally()
	for _, r := range runs {
		f := &r.Footing
		if !f.Measured {
			for _, t := range []*tally{support, defective, unsupported, cites} {
				t.missed++
			}
			continue
		}
		known := f.Values - f.Unknown
		support.values(r.Case, f.Carried+f.Derived, known)
		unsupported.values(r.Case, f.Unsupported, known)
		if r.Arm == cases.Trapped && !r.Control {
			defective.values(r.Case, f.Defective, known)
		}
		if r.Answer == "" {
			continue
		}
		cites.add(r.Case, yes(len(f.Citations) > 0))
		for _, c := range f.Citations {
			if c.Untold {
				reliable.missed++
				continue
			}
			reliable.add(r.Case, yes(c.Retrieved && !c.Defective))
		}
	}
	return []Figure{
		support.rate("answer_support"), defective.rate("answer_support_defective"), unsupported.rate("answer_unsupported"),
		cites.rate("citation_rate"), reliable.rate("citation_reliability"),
	}
}

// overCalls is how calls repeat each other, and how many bring something new.
func overCalls(runs []*Record) []Figure {
	repeats, yield := newTally(), newTally()
	for _, r := range runs {
		repeats.values(r.Case, r.NearRepeats, r.Calls)
		yield.values(r.Case, r.Yielding, r.Calls)
	}
	return []Figure{repeats.rate("repeat_share"), yield.rate("query_yield")}
}

// bins is the bins of the calibration error.
const bins = 10

// overConfidence compares the confidence that answers state with whether they
// are right.
func overConfidence(runs []*Record) []Figure {
	states := newTally()
	byCase := map[string][]stat.Forecast{}
	var order []string
	var all []stat.Forecast
	missed := 0
	for _, r := range runs {
		if !r.Footing.Measured || r.Answer == "" {
			if !r.Footing.Measured {
				states.missed++
			}
			continue
		}
		p := r.Footing.Confidence
		states.add(r.Case, yes(p != nil))
		if p == nil {
			continue
		}
		passed, ok := r.Passed()
		if !ok {
			missed++
			continue
		}
		f := stat.Forecast{P: *p, Is: passed}
		if byCase[r.Case] == nil {
			order = append(order, r.Case)
		}
		byCase[r.Case] = append(byCase[r.Case], f)
		all = append(all, f)
	}
	list := []Figure{states.rate("stated_confidence")}
	for _, m := range []struct {
		name string
		of   func([]stat.Forecast) (float64, error)
	}{
		{"stated_confidence brier", stat.Brier},
		{"stated_confidence ece", func(f []stat.Forecast) (float64, error) { return stat.ECE(f, bins) }},
		{"stated_confidence auroc", stat.AUROC},
	} {
		f := Figure{Name: m.name, Kind: mean, Unmeasured: missed, Cases: len(order)}
		if v, err := m.of(all); err == nil {
			i, err := stat.Bootstrap(len(order), stat.Level, bootstrap, 1, func(draw []int) (float64, bool) {
				var drawn []stat.Forecast
				for _, k := range draw {
					drawn = append(drawn, byCase[order[k]]...)
				}
				v, err := m.of(drawn)
				return v, err == nil
			})
			if err == nil {
				f.N = len(all)
				f.estimate(v, i)
			}
		}
		list = append(list, f)
	}
	return list
}

// overSureness is how often answers say in words how sure they are, and how often
// those of each class are right. The words are no numbers, so there is no calibration error of them.
func overSureness(runs []*Record) []Figure {
	says := newTally()
	of := map[stance.Sure]*tally{}
	for _, s := range stance.Sures {
		of[s] = newTally()
	}
	for _, r := range runs {
		switch {
		case !r.Footing.Measured:
			says.missed++
			continue
		case r.Answer == "":
			continue
		}
		says.add(r.Case, yes(r.Footing.Sureness != ""))
		if t := of[r.Footing.Sureness]; t != nil {
			t.add(r.Case, right(r))
		}
	}
	list := []Figure{says.rate("sureness")}
	for _, s := range stance.Sures {
		list = append(list, of[s].rate("sureness "+string(s)))
	}
	return list
}

// overPrudence is what a trap costs: the run with it less its clean twin.
func overPrudence(pairs [][2]*Record) []Figure {
	var list []Figure
	for _, m := range []struct {
		name string
		of   func(*Record) (float64, bool)
	}{
		{"cost_of_prudence calls", func(r *Record) (float64, bool) { return float64(r.Calls), true }},
		{"cost_of_prudence tokens", func(r *Record) (float64, bool) { return float64(r.InputTokens + r.OutputTokens), r.countedTokens() }},
		{"cost_of_prudence rounds", func(r *Record) (float64, bool) { return float64(r.Rounds), true }},
	} {
		t := newTally()
		for _, p := range pairs {
			clean, ok := m.of(p[0])
			trapped, also := m.of(p[1])
			if !ok || !also {
				t.missed++
				continue
			}
			t.value(p[0].Case, trapped-clean)
		}
		list = append(list, t.mean(m.name))
	}
	return list
}

// overConversion compares the exposures after which the agent looked further with
// those after which it did not: the share that did not end on the false value. It
// is observed and no experiment: an agent may look further where it is easier.
func overConversion(list []unit) Figure {
	f := Figure{Name: "conversion", Kind: difference}
	type group struct{ free, n int }
	byCase := map[string]*[2]group{} // verified, not verified
	var order []string
	repeated := false
	for _, u := range list {
		if !exposed(u) {
			continue
		}
		if u.p.Verified.Is == funnel.NotMeasured || u.p.AdoptedFinal.Is == funnel.NotMeasured {
			f.Unmeasured++
			continue
		}
		id := u.r.Case + " " + u.t.ID
		if byCase[id] == nil {
			byCase[id] = new([2]group)
			order = append(order, id)
		} else {
			repeated = true
		}
		g := &byCase[id][0]
		if u.p.Verified.Is == funnel.No {
			g = &byCase[id][1]
		}
		g.n++
		if u.p.AdoptedFinal.Is == funnel.No {
			g.free++
		}
	}
	sum := func(draw []int) (s [2]group) {
		for _, k := range draw {
			for i, g := range byCase[order[k]] {
				s[i].free, s[i].n = s[i].free+g.free, s[i].n+g.n
			}
		}
		return s
	}
	every := make([]int, len(order))
	for i := range every {
		every[i] = i
	}
	s := sum(every)
	v, interval, err := stat.Difference(s[0].free, s[0].n, s[1].free, s[1].n, stat.Level)
	if err == nil && repeated {
		interval, err = stat.Bootstrap(len(order), stat.Level, bootstrap, 1, func(draw []int) (float64, bool) {
			s := sum(draw)
			if s[0].n == 0 || s[1].n == 0 {
				return 0, false
			}
			return float64(s[0].free)/float64(s[0].n) - float64(s[1].free)/float64(s[1].n), true
		})
	}
	if err != nil {
		return f
	}
	f.Cases = len(order)
	f.N, f.Versus = s[0].n, s[1].n
	f.estimate(v, interval)
	return f
}
