package bench

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
)

// stopping ends the benchmark with its second run.
type stopping struct {
	agent.UnderTest
	runs *int
	stop context.CancelFunc
}

func (s stopping) Run(ctx context.Context, t agent.Task) error {
	if *s.runs++; *s.runs == 2 {
		s.stop()
		return ctx.Err()
	}
	return s.UnderTest.Run(ctx, t)
}

// Whoever stops a benchmark is told what stands in its folder, and goes on there.
func TestInterrupted(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	runs := 0
	o := Options{
		Cases: []*cases.Case{oneCase(t)}, Agents: []*agent.File{{Name: "a", Hash: "h"}}, Dir: t.TempDir(), Concurrency: 1,
		Open: func(*agent.File) (agent.UnderTest, error) {
			return stopping{&agent.Scripted{Style: "trap_taker"}, &runs, stop}, nil
		},
	}
	_, err := Run(ctx, o)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted: 1 of 2 runs stand in "+o.Dir) {
		t.Errorf("interrupted: %v", err)
	}
	sum, err := Run(t.Context(), o)
	if want := (Summary{Planned: 2, Resumed: 1, Done: 1}); err != nil || sum != want {
		t.Errorf("gone on with: %+v, %v; want %+v", sum, err, want)
	}
}
