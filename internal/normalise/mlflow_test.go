package normalise_test

import "testing"

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
