package bench

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Failure is one reason for which runs could not be made.
type Failure struct {
	Reason string `json:"reason"`
	Runs   int    `json:"runs"`
	First  string `json:"first"` // the first of the runs
}

// maxReasons is how many reasons are told: those that hold a run's own address
// may be as many as the runs.
const maxReasons = 10

// failures groups the runs that could not be made by their reasons, the most
// frequent first.
func failures(runs []Record) []Failure {
	byReason := map[string]*Failure{}
	for _, r := range runs {
		if r.Error == "" {
			continue
		}
		f := byReason[r.Error]
		if f == nil {
			f = &Failure{Reason: r.Error, First: r.Label()}
			byReason[r.Error] = f
		}
		f.Runs++
	}
	list := []Failure{}
	for _, f := range slices.SortedFunc(maps.Values(byReason), func(a, b *Failure) int {
		return cmp.Or(b.Runs-a.Runs, cmp.Compare(a.Reason, b.Reason))
	}) {
		list = append(list, *f)
	}
	return list
}

// notices tells why runs failed while others go on.
type notices struct {
	w    io.Writer // nil: nobody is told
	told map[string]bool
}

// failed tells of a run whose reason is new, on a line of its own where progress
// is being shown.
func (n *notices) failed(r *Record, progress bool) {
	if n.w == nil || n.told[r.Agent+r.Error] || len(n.told) > maxReasons {
		return
	}
	n.told[r.Agent+r.Error] = true
	if progress {
		fmt.Fprintln(n.w)
	}
	if len(n.told) > maxReasons {
		fmt.Fprintf(n.w, "further reasons stand in %s\n", RunsFile)
		return
	}
	fmt.Fprintf(n.w, "%s failed: %s\n", r.Label(), r.Error)
}
