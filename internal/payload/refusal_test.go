package payload_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// A call that waits for a person has no result yet: the OpenAI Agents SDK's
// item says so, or a sentence about the call.
func TestWaitingForApproval(t *testing.T) {
	for _, result := range []string{
		`FunctionToolResult(tool=FunctionTool(name='pay'), output=None, run_item=ToolApprovalItem(type='tool_approval_item'))`,
		`{"tool": {"name": "pay"}, "output": null, "run_item": {"type": "tool_approval_item", "tool_name": "pay"}}`,
		`{"error": "This tool call requires confirmation, please approve or reject."}`, // Google ADK
		`Tool call is awaiting approval by the user.`,
		`该工具调用需要用户确认。`,
	} {
		if r := payload.Unwrap(trace.RawValue(result, value.Decode)); r.Value.Captured() || r.Failed {
			t.Errorf("%s: result %q, failed %v", result, r.Value.Text(), r.Failed)
		}
	}
}

// What waits is the call, not what it was about.
func TestNothingWaits(t *testing.T) {
	for _, result := range []string{
		`{"status": "pending", "order": "A1"}`,
		"The refund requires approval by a manager.",
		`{"error": "confirmation required", "amount": 900}`,
		"Three tool calls were made.\nOne needs approval.",
	} {
		if r := payload.Unwrap(trace.RawValue(result, value.Decode)); !r.Value.Captured() {
			t.Errorf("%s: no result", result)
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
