package normalise_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A setting of the request that MLflow keeps as it was given is no content.
func TestMLflowRequestSettings(t *testing.T) {
	s := make1("Completions", map[string]any{
		"mlflow.spanType": `"CHAT_MODEL"`, "model": `"gpt-4.1"`, "stream_options": `{"include_usage": true}`,
		"mlflow.spanInputs":  `{"messages": [{"role": "user", "content": "Where is it?"}], "stream": true, "stream_options": {"include_usage": true}}`,
		"mlflow.spanOutputs": `"In Rome."`,
	})
	for _, l := range s.Losses {
		if l.Key == "stream_options" {
			t.Errorf("loss %+v: want none", l)
		}
	}
}

// What is configured is no content, what was not returned no answer, and the type
// of an agent's output not its output.
func TestMLflowRuns(t *testing.T) {
	run := make1("AgentRunner.run", map[string]any{"mlflow.spanType": `"AGENT"`, "mlflow.spanInputs": `"Q"`, "mlflow.spanOutputs": "null",
		"kwargs": `{"max_turns": 10, "conversation_id": "conv-1", "previous_response_id": null}`})
	if run.RawOutput.Captured() || run.Session != "conv-1" {
		t.Errorf("output %q, session %q, losses %v", run.RawOutput.Text(), run.Session, run.Losses)
	}
	call := make1("chat", map[string]any{"mlflow.spanType": `"CHAT_MODEL"`, "mlflow.spanInputs": `"Q"`, "mlflow.spanOutputs": `"A"`, "invocation_params": `{"model": "m", "stream": false, "stop": null}`})
	agent := make1("Desk", map[string]any{"mlflow.spanType": `"AGENT"`, "mlflow.spanInputs": "null", "mlflow.spanOutputs": `{"output_type": "str"}`})
	for _, s := range []*trace.Step{run, call, agent} {
		for _, l := range s.Losses {
			if l.Reason == "unmapped" {
				t.Errorf("%s: loss %+v", s.Name, l)
			}
		}
	}
	if agent.RawInput.Captured() || agent.RawOutput.Captured() {
		t.Errorf("input %q, output %q: want none", agent.RawInput.Text(), agent.RawOutput.Text())
	}
}
