package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestMemoryOf(t *testing.T) {
	const meminfo = "MemTotal:       24576000 kB\nMemFree:        1000 kB\n"
	for _, tt := range []struct {
		name, meminfo, cgroup string
		want                  int64
	}{
		{"machine", meminfo, "", 24576000 << 10},
		{"container without a bound", meminfo, "max\n", 24576000 << 10},
		{"container", meminfo, "536870912\n", 536870912},
		{"a bound above the machine's", meminfo, "99999999999999\n", 24576000 << 10},
		{"not Linux", "", "", 0},
		{"unreadable", "MemTotal: many kB\n", "x", 0},
	} {
		if got := memoryOf([]byte(tt.meminfo), []byte(tt.cgroup)); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// The heap is bounded by what the processors of the pipelines may hold, by a
// memory_limiter, and by the machine, whichever is least.
func TestCollectorHeap(t *testing.T) {
	const mib, machine = int64(1) << 20, int64(100) << 30
	for _, tt := range []struct {
		name, processors, pipelines string
		machine, want               int64
	}{
		{"one grader", "{grade: {assemble: {max_bytes: 1048576, total_bytes: 67108864}}}", "{traces: {receivers: [otlp], processors: [grade], exporters: [nop]}}",
			machine, 256*mib + 4*64*mib},
		{"of two pipelines, once", "{grade: {assemble: {max_bytes: 1048576, total_bytes: 67108864}}}",
			"{traces: {receivers: [otlp], processors: [grade], exporters: [nop]}, logs: {receivers: [otlp], processors: [grade], exporters: [nop]}}",
			machine, 256*mib + 4*64*mib},
		{"two graders", "{grade: {assemble: {max_bytes: 1048576, total_bytes: 67108864}}, grade/b: {assemble: {max_bytes: 1048576, total_bytes: 33554432}}}",
			"{traces: {receivers: [otlp], processors: [grade], exporters: [nop]}, traces/b: {receivers: [otlp], processors: [grade/b], exporters: [nop]}}",
			machine, 256*mib + 4*96*mib},
		{"one that no pipeline has", "{grade: {assemble: {max_bytes: 1048576, total_bytes: 67108864}}, grade/b: }", "{traces: {receivers: [otlp], processors: [grade], exporters: [nop]}}",
			machine, 256*mib + 4*64*mib},
		{"a small machine", "{grade: }", "{traces: {receivers: [otlp], processors: [grade], exporters: [nop]}}", 1000 * mib, 450 * mib},
		{"an unknown machine", "{grade: {assemble: {max_bytes: 1048576, total_bytes: 67108864}}}", "{traces: {receivers: [otlp], processors: [grade], exporters: [nop]}}",
			0, 256*mib + 4*64*mib},
		{"a memory_limiter below", "{memory_limiter: {check_interval: 1s, limit_mib: 500, spike_limit_mib: 150}, grade: }",
			"{traces: {receivers: [otlp], processors: [memory_limiter, grade], exporters: [nop]}}", machine, 350 * mib},
		{"its spike unsaid", "{memory_limiter: {check_interval: 1s, limit_mib: 500}, grade: }",
			"{traces: {receivers: [otlp], processors: [memory_limiter, grade], exporters: [nop]}}", machine, 400 * mib},
		{"its limit in per cent", "{memory_limiter: {check_interval: 1s, limit_percentage: 40, spike_limit_percentage: 10}, grade: }",
			"{traces: {receivers: [otlp], processors: [memory_limiter, grade], exporters: [nop]}}", 1000 * mib, 300 * mib},
		{"no grader", "{batch: }", "{traces: {receivers: [otlp], processors: [batch], exporters: [nop]}}", 1000 * mib, 450 * mib},
		{"no grader, an unknown machine", "{batch: }", "{traces: {receivers: [otlp], processors: [batch], exporters: [nop]}}", 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := serveOptions{configs: []string{"yaml:{receivers: {otlp: {protocols: {grpc: }}}, exporters: {nop: }, processors: " + tt.processors + ", service: {pipelines: " + tt.pipelines + "}}"}}
			set := collectorSettings()
			set.ConfigProviderSettings.ResolverSettings.URIs = o.uris()
			cfg, err := resolved(t.Context(), &set)
			if err != nil {
				t.Fatal(err)
			}
			if got := collectorHeap(cfg, tt.machine); got != tt.want {
				t.Errorf("%d MiB, want %d", got/mib, tt.want/mib)
			}
		})
	}
}

// What the processor's README tells people to set for a collector of their own is
// what serve sets for the same configuration.
func TestMemoryThatTheREADMEAdvises(t *testing.T) {
	text, err := os.ReadFile("../../processor/gradeprocessor/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Memory\n")
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```.*?```sh\n(.*?)```").FindStringSubmatch(section)
	if example == nil {
		t.Fatal("there is no example")
	}
	o := serveOptions{configs: []string{"yaml:" + example[1] + `
receivers: {otlp: {protocols: {grpc: }}}
exporters: {nop: }
service: {pipelines: {traces: {receivers: [otlp], processors: [memory_limiter, grade], exporters: [nop]}}}`}}
	set := collectorSettings()
	set.ConfigProviderSettings.ResolverSettings.URIs = o.uris()
	cfg, err := resolved(t.Context(), &set)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("GOMEMLIMIT=%dMiB GOGC=%d their-collector", collectorHeap(cfg, 0)>>20, heapGrowth)
	if !strings.HasPrefix(example[2], want) {
		t.Errorf("the README says %q, serve sets %q", example[2], want)
	}
}
