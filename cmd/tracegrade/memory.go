package main

import (
	"bufio"
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/processor/memorylimiterprocessor"

	"github.com/tracegrade/tracegrade/processor/gradeprocessor"
)

// How large the heap may get. Spans make much garbage that is short-lived: a
// heap that may grow to nine times what is in use saves CPU (docs/performance.md).
// That would be nine times whatever is held, so it ends at a limit, near which
// the heap is collected as often as it takes.
const (
	heapGrowth = 800 // per cent, as GOGC
	// heapPerHeld is how many bytes of heap there are for one byte of spans that
	// is held: as Go values they take up to about twice their size (measured,
	// see docs/performance.md), and as much again for garbage.
	heapPerHeld = 4
	heapBase    = 256 << 20 // for everything else
	// machineShare is the part of the machine's, or the container's, memory that
	// is taken at most, in per cent.
	machineShare = 45
)

// tuneHeap lets the heap grow as far as a limit; 0 is none known, and leaves
// Go's own habit, which is safer then. GOGC and GOMEMLIMIT still win.
func tuneHeap(limit int64) {
	if limit <= 0 || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetMemoryLimit(limit)
	debug.SetGCPercent(heapGrowth)
}

// heapFor is the heap of a process that holds as many bytes of spans, on a
// machine of which the memory is known or 0.
func heapFor(held, machine int64) int64 {
	return least(heapBase+heapPerHeld*held, machine/100*machineShare)
}

// collectorHeap is the heap of a collector: what its grade processors may hold
// bounds it, and a memory_limiter, which would refuse spans for garbage.
func collectorHeap(cfg *otelcol.Config, machine int64) int64 {
	var held, limit int64
	seen := map[component.ID]bool{}
	for _, p := range cfg.Service.Pipelines {
		for _, id := range p.Processors {
			if seen[id] {
				continue
			}
			seen[id] = true
			switch c := cfg.Processors[id].(type) {
			case *gradeprocessor.Config:
				held += c.Assemble.TotalBytes
			case *memorylimiterprocessor.Config:
				limit = least(limit, softLimit(c, machine))
			}
		}
	}
	if held == 0 {
		return least(limit, machine/100*machineShare)
	}
	return least(limit, heapFor(held, machine))
}

// softLimit is where a memory_limiter begins to refuse.
func softLimit(c *memorylimiterprocessor.Config, machine int64) int64 {
	limit, spike := int64(c.MemoryLimitMiB)<<20, int64(c.MemorySpikeLimitMiB)<<20
	if limit == 0 {
		limit, spike = machine/100*int64(c.MemoryLimitPercentage), machine/100*int64(c.MemorySpikePercentage)
	}
	if spike == 0 {
		spike = limit / 5
	}
	return limit - spike
}

// least is the smallest of the bounds that are known; 0 where none is.
func least(bounds ...int64) int64 {
	var low int64
	for _, b := range bounds {
		if b > 0 && (low == 0 || b < low) {
			low = b
		}
	}
	return low
}

// machineMemory is the memory in bytes that this process may use; 0 where the
// system does not say.
func machineMemory() int64 {
	meminfo, _ := os.ReadFile("/proc/meminfo")
	cgroup, _ := os.ReadFile("/sys/fs/cgroup/memory.max")
	return memoryOf(meminfo, cgroup)
}

// memoryOf is the same, from the texts of /proc/meminfo and of the control
// group's memory.max.
func memoryOf(meminfo, cgroup []byte) int64 {
	total, _ := strconv.ParseInt(strings.TrimSpace(string(cgroup)), 10, 64) // "max" is no bound
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			if kib, err := strconv.ParseInt(f[1], 10, 64); err == nil && (total == 0 || kib<<10 < total) {
				total = kib << 10
			}
		}
	}
	return total
}
