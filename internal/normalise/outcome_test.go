package normalise_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Whether a call failed is read from a flag by the end of its key, as its other
// plain keys are. What an order or a payment came to is what the call was about.
func TestPlainOutcomes(t *testing.T) {
	tests := []struct {
		key    string
		value  any
		failed bool
	}{
		{"tool.is_error", true, true},
		{"tool.is_error", false, false},
		{"tool.isError", "true", true},
		{"tool.success", false, true},
		{"tool.success", true, false},
		{"tool.status", "failed", true},
		{"tool.status", "ok", false},
		{"status", "error", true},
		{"status", "completed", false},
		{"acme.tool.outcome", "failure", true},
		{"tool.exit_code", 1, true},
		{"tool.exit_code", 0, false},
		{"tool.http_status", 500, true},
		{"tool.http_status", 204, false},
		{"tool.error", "boom", true},
		{"tool.rc", 2, true},
		{"tool.returncode", 0, false},
		{"tool.result_code", 500, true},
		{"tool.result_code", 200, false},
		{"tool.exception", "DeviceOffline: lamp 4", true},
		{"tool.timed_out", true, true},
		{"tool.timed_out", false, false},
		{"tool.cancelled", true, true},
		{"tool.error_code", "E_OFFLINE", true},
		{"tool.error_code", "0", false},
		{"tool.failure_reason", "lamp offline", true},
		{"tool.error", "false", false},
		{"order.status", "failed", false},
		{"payment.success", false, false},
	}
	for _, tt := range tests {
		s := aSpan("tool.ping", "kind", "tool", "tool.name", "ping", "tool.input", `{"h":"a"}`, "tool.output", "no route", tt.key, tt.value).read()
		if s.Kind != trace.KindTool || s.Status.Failed != tt.failed {
			t.Errorf("%s=%v: %v, failed %v, want %v", tt.key, tt.value, s.Kind, s.Status.Failed, tt.failed)
		}
	}
}

// The definitions of tools that stand among the messages are what the model was
// offered, and nobody's words.
func TestOffersAmongMessages(t *testing.T) {
	s := aSpan("ChatOpenAI", "langfuse.observation.type", "generation", "langfuse.observation.model.name", "gpt-5", "langfuse.observation.input",
		`[{"role":"user","content":"Q"},{"role":"tool","content":{"type":"function","function":{"name":"find","description":"up to 777 kg","parameters":{"type":"object","properties":{}}}}},`+
			`{"role":"tool","content":{"name":"ask","input_schema":{"type":"object"}}}]`,
		"langfuse.observation.output", `{"role":"assistant","content":"A"}`).read()
	if missing := lacks(s, "in user: Q", "offered find ask"); missing != nil {
		t.Errorf("lacks %q\nhas   %q", missing, sayStep(s))
	}
	if list := s.Input.List(); len(list) != 1 {
		t.Errorf("%d messages, want the question alone", len(list))
	}
	// What answers a call is a result, whatever it holds.
	s = aSpan("ChatOpenAI", "langfuse.observation.type", "generation", "langfuse.observation.model.name", "gpt-5", "langfuse.observation.input",
		`[{"role":"user","content":"Q"},{"role":"tool","tool_call_id":"c","content":{"name":"find","parameters":{"type":"object"}}}]`).read()
	if len(s.Tools()) != 0 || len(s.Input.List()) != 2 {
		t.Errorf("a tool's result is read as an offer: %q", sayStep(s))
	}
}

// A number of tokens that can be none is a loss, and -1 says that the producer
// does not know it.
func TestTokensThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		has  any
		lost bool
	}{{int64(7), false}, {int64(-1), false}, {int64(-7), true}, {1.5e308, true}, {int64(math.MaxInt64), true}} {
		s := aSpan("chat m", "gen_ai.operation.name", "chat", "gen_ai.usage.input_tokens", tt.has).read()
		want := int64(0)
		if tt.has == int64(7) {
			want = 7
		}
		if s.Usage.Input != want || tt.lost != slices.ContainsFunc(s.Losses, func(l trace.Loss) bool { return l.Reason == "wrong_type" }) {
			t.Errorf("%v: %d tokens, losses %v; want %d, and a loss: %t", tt.has, s.Usage.Input, s.Losses, want, tt.lost)
		}
	}
}
