package assemble_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// A trace that is made in the memory of others is the same as one that is not,
// whatever their number of steps, and leaves the steps that were handed in as
// they were.
func TestRecycled(t *testing.T) {
	var lists [][]*trace.Step
	want := map[string]string{}
	for round := range 4 {
		for _, shape := range shapes {
			for _, n := range []int{2, 7, 40, 3, 300} {
				id := fmt.Sprintf("%s/%d/%d", shape.name, n, round)
				steps := shape.steps(n)
				for _, s := range steps {
					s.TraceID = id
				}
				lists = append(lists, steps)
				want[id] = assemble.Trace(id, steps, nil, trace.Release{}).Digest
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		got := 0
		b := assemble.NewBuffer(assemble.Options{Shards: 1}, func(r assemble.Released[int]) {
			got++
			if r.Trace.Digest != want[r.TraceID] {
				t.Errorf("%s (late %v): digest %s, want %s", r.TraceID, r.Late, r.Trace.Digest, want[r.TraceID])
			}
			r.Recycle()
		})
		send := func(part func([]*trace.Step) []*trace.Step) {
			for _, steps := range lists {
				if err := b.Add(assemble.Arrival[int]{TraceID: steps[0].TraceID, Steps: part(steps)}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(61 * time.Second)
		}
		send(func(steps []*trace.Step) []*trace.Step { return steps })
		send(func(steps []*trace.Step) []*trace.Step { return steps[:1] }) // again, into a revision
		if err := b.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got != 2*len(lists) {
			t.Errorf("%d releases, want %d", got, 2*len(lists))
		}
	})
}
