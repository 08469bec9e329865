package main

import "testing"

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
