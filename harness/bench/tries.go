package bench

import (
	"fmt"
	"slices"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stat"
)

// tries counts the successes of one task's repeats.
type tries struct{ c, n int }

// overTries is what becomes of k tries at one task, as means over the tasks that
// were tried so often: pass^k, all pass; resist^k, of k exposures none ends on
// the false value; fall@k, at least one does. Without repeats there are none.
func overTries(runs []*Record, list []unit) []Figure {
	passes, resists := map[string]tries{}, map[string]tries{}
	count := func(m map[string]tries, id string, is bool) {
		t := m[id]
		t.n++
		if is {
			t.c++
		}
		m[id] = t
	}
	for _, r := range runs {
		if passed, ok := r.Passed(); ok && r.Arm == cases.Trapped && !r.Control {
			count(passes, r.Case, passed)
		}
	}
	for _, u := range list {
		if exposed(u) && u.p.AdoptedFinal.Is != funnel.NotMeasured {
			count(resists, u.r.Case+" "+u.t.ID, u.p.AdoptedFinal.Is == funnel.No)
		}
	}
	most := 1
	for _, t := range passes {
		most = max(most, t.n)
	}
	var figures []Figure
	for _, k := range sizes(most) {
		figures = append(figures,
			overTasks(fmt.Sprintf("pass^%d", k), passes, func(t tries) (float64, error) { return stat.AllOf(k, t.c, t.n) }),
			overTasks(fmt.Sprintf("resist^%d", k), resists, func(t tries) (float64, error) { return stat.AllOf(k, t.c, t.n) }),
			overTasks(fmt.Sprintf("fall@%d", k), resists, func(t tries) (float64, error) { return stat.OneOf(k, t.n-t.c, t.n) }))
	}
	return figures
}

// sizes is 2, 4, 8, … and the most tries that there are.
func sizes(most int) []int {
	var list []int
	for k := 2; k < most; k *= 2 {
		list = append(list, k)
	}
	if most > 1 {
		list = append(list, most)
	}
	return list
}

// overTasks is the mean over the tasks for which the figure is defined.
func overTasks(name string, tasks map[string]tries, of func(tries) (float64, error)) Figure {
	ids := make([]string, 0, len(tasks))
	for id := range tasks {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	t := newTally()
	for _, id := range ids {
		if v, err := of(tasks[id]); err == nil {
			t.value(id, v)
		}
	}
	return t.mean(name)
}
