package payload_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// A tool of the OpenAI Agents SDK that waits for a person has no result yet.
func TestWaitingForApproval(t *testing.T) {
	for _, result := range []string{
		`FunctionToolResult(tool=FunctionTool(name='pay'), output=None, run_item=ToolApprovalItem(type='tool_approval_item'))`,
		`{"tool": {"name": "pay"}, "output": null, "run_item": {"type": "tool_approval_item", "tool_name": "pay"}}`,
	} {
		if r := payload.Unwrap(trace.RawValue(result, value.Decode)); r.Value.Captured() || r.Failed {
			t.Errorf("%s: result %q, failed %v", result, r.Value.Text(), r.Failed)
		}
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		result  string
		refused bool
	}{
		{"User rejected the tool call for `order` with reason: too early", true},
		{`{"type":"execution-denied","reason":"too early"}`, true},
		{`{"type":"execution-denied"}`, true},
		{"Tool call was rejected by the user.", true},
		{"The user denied this tool call.", true},
		{"The tool call was denied.", true},
		{"The user doesn’t want to proceed with this tool use. The tool use was rejected.", true},
		{"Tool execution was not approved.", true},
		{"Permission to use Bash has been denied.", true},
		{"用户拒绝了工具调用", true},

		{"The customer rejected the offer.", false},
		{`{"status":"declined","reason":"card expired"}`, false},
		{`{"approved":false,"reason":"income"}`, false},
		{"Three tool calls were made.\nTwo were denied.", false},
		{"Order A1 is booked.", false},
	}
	for _, tt := range tests {
		r := payload.Unwrap(trace.RawValue(tt.result, value.Decode))
		if r.Refused != tt.refused || tt.refused && (!r.Failed || r.Message == "") {
			t.Errorf("%s: refused %v, failed %v (%s)", tt.result, r.Refused, r.Failed, r.Message)
		}
	}
}
