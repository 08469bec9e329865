package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// floor is the collector without our part, and graded with it.
const (
	floor = `
receivers: {otlp: {protocols: {grpc: {endpoint: "%GRPC", max_recv_msg_size_mib: 64}}}}
exporters: {nop: }
extensions: {health_check: {endpoint: "%HEALTH"}}
service:
  extensions: [health_check]
  telemetry: {logs: {level: error}, metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [nop]}}
`
	graded = `
receivers: {otlp: {protocols: {grpc: {endpoint: "%GRPC", max_recv_msg_size_mib: 64}}}}
processors: {grade: {rules: [RULES], assemble: {TOTALquiet: 1s, late: LATE}}}
exporters: {nop: }
extensions: {health_check: {endpoint: "%HEALTH"}}
service:
  extensions: [health_check]
  telemetry: {logs: {level: error}, metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], processors: [grade], exporters: [nop]}}
`
)

func gradedWith(rules string) string {
	return strings.NewReplacer("RULES", rules, "TOTAL", "", "LATE", "1s").Replace(graded)
}

// cpu measures CPU per span at three sizes of request, of a collector that has
// been at work for a while: its heap has the size that it keeps. What a collector
// needs to start, to grow and to stop is no cost of a span.
func (b *bench) cpu(ctx context.Context) error {
	b.head("pipeline", "10 spans a request", "100", "1,000")
	var base []float64
	for _, p := range []struct{ name, config string }{
		{"otlp -> nop", floor},
		{"otlp -> grade (pack reliability) -> nop", gradedWith(`"pack:reliability"`)},
		{"otlp -> grade (all packs) -> nop", gradedWith(`"pack:all"`)},
	} {
		cells := []any{p.name}
		for i, size := range []int{10, 100, 1000} {
			spent, err := b.spend(ctx, p.config, b.spans, size)
			if err != nil {
				return err
			}
			us := spent.Seconds() * 1e6 / float64(b.spans)
			cell := fmt.Sprintf("%.1f us", us)
			if len(base) > i {
				cell += fmt.Sprintf(" (%.1f times)", us/base[i])
			} else {
				base = append(base, us)
			}
			cells = append(cells, cell)
		}
		b.row(cells...)
	}
	return nil
}

// warmUp is how many spans a collector takes in before it is measured: as many as
// let its heap grow to where it stays.
const warmUp = 300_000

// spend is the CPU time of a collector at work that takes in n more spans.
func (b *bench) spend(ctx context.Context, config string, n, size int) (time.Duration, error) {
	c, err := b.serve(ctx, config, "--data", b.work)
	if err != nil {
		return 0, err
	}
	src := &source{corpus: b.traces}
	var spent [2]time.Duration
	for i, spans := range []int{warmUp, n} {
		if _, err = c.sendSpans(ctx, src, spans, size); err == nil {
			spent[i], err = c.rested(ctx)
		}
		if err != nil {
			c.kill()
			return 0, err
		}
	}
	_, err = c.stop()
	return spent[1] - spent[0], err
}

// rested waits until a collector has nothing left to do, and returns the CPU time
// that it took since its start.
func (c *collector) rested(ctx context.Context) (time.Duration, error) {
	const (
		look = time.Second
		idle = 3                     // looks in a row, longer than a trace waits for more
		busy = 50 * time.Millisecond // of CPU between two looks
	)
	last := time.Duration(0)
	for rests := 0; rests < idle; {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-c.ended:
			return 0, fmt.Errorf("the collector ended: %s", &c.printed)
		case <-time.After(look):
		}
		now, err := cpuSoFar(c.cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		if rests++; now-last > busy {
			rests = 0
		}
		last = now
	}
	return last, nil
}

// cpuSoFar is the CPU time of a process that runs, in hundredths of a second.
func cpuSoFar(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:])) // from the third on
	var ticks time.Duration
	for _, i := range []int{11, 12} { // user, system
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("process %d: stat: %w", pid, err)
		}
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond, nil
}

// overload sends ten times what the grader may hold, faster than traces become
// ready. More memory than documented is an error.
func (b *bench) overload(ctx context.Context) error {
	b.head("total_bytes", "sent", "requests refused and sent again", "lost", "peak memory (RSS)", "bound")
	for _, total := range []int{64 << 20, 256 << 20} {
		if err := b.overloadOf(ctx, total); err != nil {
			return err
		}
	}
	return nil
}

// memoryBound is what docs/performance.md states of the memory of serve.
func memoryBound(total int) int64 { return 4*int64(total) + 400<<20 }

func (b *bench) overloadOf(ctx context.Context, total int) error {
	config := strings.NewReplacer("RULES", `"pack:reliability"`, "TOTAL", fmt.Sprintf("max_bytes: %d, total_bytes: %d, ", total, total), "LATE", "1s").Replace(graded)
	c, err := b.serve(ctx, config, "--data", b.work)
	if err != nil {
		return err
	}
	spans := 10 * total / (b.traces.bytes / b.traces.spans)
	s, err := c.sendSpans(ctx, &source{corpus: b.traces}, spans, 100)
	if err != nil {
		c.kill()
		return err
	}
	peak, err := peakMemory(c.cmd.Process.Pid)
	if err != nil {
		return err
	}
	if _, err := c.stop(); err != nil {
		return err
	}
	b.row(fmt.Sprintf("%d MiB", total>>20), fmt.Sprintf("%d spans in %.0f s", spans, s.took.Seconds()), s.refused.Load(), 0,
		fmt.Sprintf("%d MiB", peak>>20), fmt.Sprintf("%d MiB", memoryBound(total)>>20))
	if peak > memoryBound(total) {
		return fmt.Errorf("the collector took %d bytes, more than the documented bound of %d", peak, memoryBound(total))
	}
	return nil
}

// peakMemory is the highest resident size of a process so far.
func peakMemory(pid int) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("process %d: no VmHWM", pid)
}
