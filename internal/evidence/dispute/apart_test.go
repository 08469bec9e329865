package dispute

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/atom"
)

func TestOpposed(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"the gross weight", "net weight", true},
		{"it opens", "closes", true},
		{"the fare", "child fare", true}, // one of them narrows
		{"a year", "the yearly fee", false},
		{"the fare", "ticket price", false},
		{"净重", "毛重", true},
	} {
		if got := Opposed(tt.a, tt.b); got != tt.want {
			t.Errorf("Opposed(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestAgree(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"1.2 million people", "1,204,300 people", true},
		{"3 km", "3,000 m", true},
		{"3 km", "3,400 kg", false},
		{"$41", "$14", false},
		{"3 May 2026", "May 2026", true},
		{"3 May 2026", "June 2026", false},
		{"07:05", "07:50", false},
	} {
		a, b := atom.Scan(tt.a), atom.Scan(tt.b)
		if got := Agree(&a[0], &b[0]); got != tt.want {
			t.Errorf("Agree(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
