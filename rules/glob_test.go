package rules_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestGlobs(t *testing.T) {
	tests := []struct {
		text, pattern string
		want          bool
	}{
		{"search_web", "search*", true},
		{"search_web", "SEARCH_*", true},
		{"search_web", "*web", true},
		{"search_web", "*a*_*b", true},
		{"search_web", "search", false},
		{"search_web", "search_w?b", true},
		{"search_web", "search_web?", false},
		{"", "*", true},
		{"", "", true},
		{"a", "", false},
		{"aab", "*ab", true},
		{"搜索网页", "搜索*", true},
		{"搜索网页", "搜索??", true},
		{"搜索网页", "搜索???", false},
		{"搜索网页", "*页", true},
		{"a[b]", "a[b]", true},
	}
	for _, tt := range tests {
		condition := `like(answer, "` + tt.pattern + `")`
		tr := exampleTrace(t)
		tr.Answer = tt.text
		if got := holds(t, condition, tr).Outcome == trace.OutcomePass; got != tt.want {
			t.Errorf("like(%q, %q) = %v, want %v", tt.text, tt.pattern, got, tt.want)
		}
	}
}
