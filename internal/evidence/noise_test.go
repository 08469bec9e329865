package evidence_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// TestNamedKeysOfMessages tells what frameworks put beside a message from a
// record whose own fields have the same names.
func TestNamedKeysOfMessages(t *testing.T) {
	tests := []struct {
		name, result string
		want         evidence.State
	}{
		{"a field of a record", `{"status": "done", "progress": 100, "artifact": "build-77.tar.gz"}`, evidence.Carried},
		{"the type that was asked for", `{"progress": 100, "type": "build-77.tar.gz"}`, evidence.Carried},
		{"beside a message, where no model sees it", `{"content": "The build is done.", "tool_call_id": "c1", "artifact": "build-77.tar.gz"}`, evidence.Unsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := evidence.Build(&trace.Trace{Question: "Is the build done?", Answer: "Yes: build-77.tar.gz is there.", AnswerStep: "answer", Steps: []*trace.Step{
				{ID: "call", Kind: trace.KindTool, Tool: &trace.Tool{Name: "get_build", Result: trace.RawValue(tt.result, nil)}},
				{ID: "answer", Kind: trace.KindLLM},
			}})
			if len(l.Links) != 1 || l.Links[0].State != tt.want {
				t.Errorf("values of the answer: %+v, want one that is %v", l.Links, tt.want)
			}
		})
	}
}
