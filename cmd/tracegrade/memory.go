package main

import (
	"bufio"
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// tuneCollector trades memory for time in the collector: spans make much
// garbage that is short-lived, and a heap that may grow to five times what is
// in use saves a third of the CPU per span. Near the memory that the
// memory_limiter of the default configuration leaves alone (45 % of the
// machine's, or of the container's), the heap is collected as often as it
// takes. GOGC and GOMEMLIMIT still win.
func tuneCollector() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	meminfo, _ := os.ReadFile("/proc/meminfo")
	cgroup, _ := os.ReadFile("/sys/fs/cgroup/memory.max")
	total := memoryOf(meminfo, cgroup)
	if total == 0 {
		return // how much there is, is not known: Go's own habit is safer
	}
	debug.SetMemoryLimit(total / 100 * 45)
	debug.SetGCPercent(400)
}

// memoryOf is the memory in bytes that this process may use, from the texts of
// /proc/meminfo and of its control group's memory.max; 0 where neither says.
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
