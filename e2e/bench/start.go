package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// start measures what a user waits for.
func (b *bench) start(ctx context.Context) error {
	b.head("what", "time")
	var sums []float64
	for range 11 { // the clock of one run says as much about the machine
		init, err := b.initialisation(ctx)
		if err != nil {
			return err
		}
		sums = append(sums, init)
	}
	slices.Sort(sums)
	b.row("initialisation of all packages (GODEBUG=inittrace=1, median of 11)", fmt.Sprintf("%.1f ms", sums[5]))

	file := filepath.Join(b.work, "one.jsonl")
	if err := b.writeFile(file, 1); err != nil {
		return err
	}
	var took []time.Duration
	for range 21 {
		cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "tracegrade"), "grade", file, "--format", "json")
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
			return fmt.Errorf("grade: %w: %s", err, out)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.row("`tracegrade grade` of one file (median of 21)", fmt.Sprintf("%d ms", took[10].Milliseconds()))

	data := filepath.Join(b.work, "start")
	for _, what := range []string{"first start, with a new data folder", "second start"} {
		c, err := b.serve(ctx, "", "--data", data)
		if err != nil {
			return err
		}
		b.row("`tracegrade serve` until ready, with the embedded ClickHouse: "+what, fmt.Sprintf("%d ms", c.ready.Milliseconds()))
		if _, err := c.stop(); err != nil {
			return err
		}
	}
	return nil
}

// initialisation adds up what the Go runtime says of every package, in
// milliseconds.
func (b *bench) initialisation(ctx context.Context) (float64, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(b.bin, "tracegrade"), "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	var sum float64
	for line := range strings.Lines(trace.String()) {
		f := strings.Fields(line) // init PACKAGE @T ms, D ms clock, ...
		if len(f) > 4 && f[0] == "init" {
			d, err := strconv.ParseFloat(f[4], 64)
			if err != nil {
				return 0, fmt.Errorf("inittrace line %q: %w", line, err)
			}
			sum += d
		}
	}
	return sum, nil
}
