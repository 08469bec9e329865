package main

import (
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

// cpu measures CPU per span at three sizes of request. What a collector needs
// to start and stop is measured too, and taken off.
func (b *bench) cpu(ctx context.Context) error {
	b.head("pipeline", "10 spans a request", "100", "1,000")
	var base []float64
	for _, p := range []struct{ name, config string }{
		{"otlp -> nop", floor},
		{"otlp -> grade (pack reliability) -> nop", gradedWith(`"pack:reliability"`)},
		{"otlp -> grade (all packs) -> nop", gradedWith(`"pack:all"`)},
	} {
		idle, err := b.spend(ctx, p.config, 0, 100)
		if err != nil {
			return err
		}
		cells := []any{p.name}
		for i, size := range []int{10, 100, 1000} {
			spent, err := b.spend(ctx, p.config, b.spans, size)
			if err != nil {
				return err
			}
			us := (spent - idle).Seconds() * 1e6 / float64(b.spans)
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

// spend is the CPU time of a collector that takes in n spans.
func (b *bench) spend(ctx context.Context, config string, n, size int) (time.Duration, error) {
	c, err := b.serve(ctx, config, "--data", b.work)
	if err != nil {
		return 0, err
	}
	if _, err := c.sendSpans(ctx, &source{corpus: b.traces}, n, size); err != nil {
		c.kill()
		return 0, err
	}
	return c.stop()
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
