package normalise_test

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A value that was cut makes its step partly captured, with a loss that names the
// attribute; a whole one does not, however it ends.
func TestCut(t *testing.T) {
	words := func(n int) string { return strings.Repeat("word ", n/5+1)[:n-1] + "w" }
	for _, tt := range []struct {
		name, text string
		cut        bool
	}{
		{"a limit of 4096", words(4096), true},
		{"of 8192", words(8192), true},
		{"of 12000", words(12000), true},
		{"one more", words(4097), false},
		{"a limit, and a sentence ends there", words(4095) + ".", false},
		{"characters, not bytes", strings.Repeat("價", 4096), true},
		{"bytes, not characters", strings.Repeat("價", 1365) + "w", true},
		{"a short text of a common length", words(512), false},
		{"a limit and three dots", words(500) + "...", true},
		{"three dots within a limit", words(253) + "...", true},
		{"a limit and one sign of three dots", words(1000) + "…", true},
		{"somebody is thinking", "Let me see...", false},
		{"a mark", "The pad costs [TRUNCATED]", true},
		{"a mark in round brackets", "The pad costs…(truncated)", true},
		{"a mark with a number", "The pad costs <truncated 312 characters>", true},
		{"three dots and a mark", "The pad costs... [truncated]", true},
		{"a text about it", "The list was truncated", false},
		{"data", `{"price": 9, "text": "The pad co`, true},
		{"whole data", `{"price": 9}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := aSpan("find", "openinference.span.kind", "TOOL", "tool.name", "find", "input.value", `{"q":"pad"}`, "output.value", tt.text).read()
			lost := false
			for _, l := range s.Losses {
				lost = lost || l == trace.Loss{Reason: "cut", Key: "output.value"}
			}
			if cut := s.Capture == trace.CapturePartial; cut != tt.cut || lost != tt.cut {
				t.Errorf("capture %s, loss %v; want cut %v", s.Capture, lost, tt.cut)
			}
		})
	}
}

// An empty list of output messages is an output that was recorded and says nothing;
// without the attribute nothing is known of the output.
func TestAnOutputWithoutMessagesIsRecorded(t *testing.T) {
	for _, tt := range []struct {
		name, attr, value string
		known             bool
	}{
		{"an empty list", "gen_ai.output.messages", "[]", true},
		{"no attribute", "gen_ai.response.id", "r1", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := aSpan("chat", "gen_ai.operation.name", "chat", tt.attr, tt.value).read()
			if s.Output.Captured() != tt.known {
				t.Errorf("recorded %v, want %v", s.Output.Captured(), tt.known)
			}
			if len(s.Output.List()) != 0 {
				t.Errorf("messages %v, want none", s.Output.List())
			}
		})
	}
}
