//go:build linux

package main

import "testing"

func TestCheckVersion(t *testing.T) {
	tests := []struct{ version, want string }{
		{"26.7.3", ""},
		{"26.10", ""},
		{"27.1.0", ""},
		{"26.5.3", "libchdb is version 26.5.3: want 26.7 or newer, which can listen on ports"},
		{"25.12.1", "libchdb is version 25.12.1: want 26.7 or newer, which can listen on ports"},
		{"", "libchdb states no version: want 26.7 or newer"},
		{"x.y", "libchdb is version x.y: want 26.7 or newer, which can listen on ports"},
	}
	for _, tt := range tests {
		got := ""
		if err := checkVersion(tt.version); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("checkVersion(%q) = %q, want %q", tt.version, got, tt.want)
		}
	}
}
