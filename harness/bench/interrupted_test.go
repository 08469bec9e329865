package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// What a crash left in the journal of a run that is made again is forgotten, and
// what was served in runs that stand is kept.
func TestCrashLeavesNoEntries(t *testing.T) {
	o := Options{
		Cases: []*cases.Case{oneCase(t)}, Agents: []*agent.File{{Name: "a", Hash: "h"}}, Dir: t.TempDir(), Concurrency: 1,
		Open: func(*agent.File) (agent.UnderTest, error) { return &agent.Scripted{Style: "trap_taker"}, nil },
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	// A crash after the calls of the second run were written, and before the run was.
	runs, path := filepath.Join(o.Dir, RunsFile), filepath.Join(o.Dir, JournalFile)
	data, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	if err := os.WriteFile(runs, []byte(first+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := Journal(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got, err := Journal(path)
	if err != nil || len(got) != len(want) || len(want) < 2 {
		t.Errorf("%d entries, %v; want %d, of each run its own", len(got), err, len(want))
	}
	seen := map[string]bool{}
	for _, e := range got {
		key := fmt.Sprint(e.Run, e.Seq)
		if seen[key] {
			t.Errorf("run %s has two entries %d", e.Run, e.Seq)
		}
		seen[key] = true
	}
}

// nested begins a second benchmark in the folder while its own is at work.
type nested struct {
	agent.UnderTest
	o   *Options
	got *error
}

func (n nested) Run(ctx context.Context, t agent.Task) error {
	_, *n.got = Run(ctx, *n.o)
	return n.UnderTest.Run(ctx, t)
}

// Two processes do not make runs in one folder. The lock is the system's, so that
// a file which a dead process left behind keeps nobody out.
func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, LockFile), []byte("999999999\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var second error
	o := Options{Cases: []*cases.Case{oneCase(t)}, Agents: []*agent.File{{Name: "a", Hash: "h"}}, Dir: dir, Concurrency: 1}
	o.Open = func(*agent.File) (agent.UnderTest, error) {
		return nested{&agent.Scripted{Style: "trap_taker"}, &o, &second}, nil
	}
	if _, err := Run(t.Context(), o); err != nil {
		t.Errorf("a lock that nobody holds: %v", err)
	}
	want := fmt.Sprintf("%s (process %d): another bench run is at work in this folder: wait for it, or take another folder", dir, os.Getpid())
	if !errors.Is(second, ErrBusy) || second.Error() != want {
		t.Errorf("two at once: %v, want %s", second, want)
	}
}
