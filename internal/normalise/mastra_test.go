package normalise_test

import "testing"

// A generation lists the calls of all its steps beside what it said in the end.
func TestMastraGeneration(t *testing.T) {
	for _, tt := range []struct{ output, want string }{
		{`{"text":"A","toolCalls":[{"toolCallId":"c1","toolName":"find","args":{}}]}`, "out assistant: A"},
		{`{"text":"","toolCalls":[{"toolCallId":"c1","toolName":"find","args":{}}]}`, "out assistant: [find c1 {}]"},
	} {
		s := aSpan("model_generation m", "gen_ai.operation.name", "model_generation", "mastra.span.type", "model_generation", "mastra.model_generation.output", tt.output).read()
		if missing := lacks(s, tt.want); len(missing) > 0 {
			t.Errorf("lacks %q: %q", missing, sayStep(s))
		}
	}
}
