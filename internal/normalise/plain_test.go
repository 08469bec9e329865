package normalise_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// People write the same of a step in many ways. What is a service's and no
// agent's is left alone, however it is written.
func TestPlainStyles(t *testing.T) {
	type object = map[string]any
	tests := []struct {
		name string
		span built
		kind trace.Kind
		says string // of a tool its name, arguments and result, of others what they were given and gave
	}{
		{"snake case", aSpan("tool", "tool", "find", "args", `{"id":7}`, "output", `"Monday"`), trace.KindTool, `find {"id":7} Monday`},
		{"camel case", aSpan("executeTool", "toolName", "find", "toolArgs", `{"id":7}`, "toolResult", `"Monday"`), trace.KindTool, `find {"id":7} Monday`},
		{"camel case, of a model", aSpan("callModel", "modelName", "gpt-4o", "userMessage", "Q", "outputText", "A"), trace.KindLLM, "user: Q assistant: A"},
		{"calls of a model", aSpan("callModel", "modelName", "gpt-4o", "userMessage", "Q", "outputText", "", "toolCalls", `[{"id":"c1","name":"find","arguments":{"id":7}}]`), trace.KindLLM, `user: Q assistant: [find c1 {"id":7}]`},
		{"dots", aSpan("tool.find", "tool.input", `{"id":7}`, "tool.output", `"Monday"`), trace.KindTool, `find {"id":7} Monday`},
		{"an object named after the step", aSpan("tool", "tool", object{"name": "find", "input": object{"id": 7}, "output": "Monday"}), trace.KindTool, `find {"id":7} Monday`},
		{"an object of a model", aSpan("step", "llm", object{"model": "gpt-4o", "input": []any{object{"role": "user", "content": "Q"}}, "output": "A"}), trace.KindLLM, "user: Q assistant: A"},
		{"JSON in one attribute", aSpan("function", "span.data", `{"type":"tool","tool":"find","input":{"id":7},"output":"Monday"}`), trace.KindTool, `find {"id":7} Monday`},
		{"JSON of a model", aSpan("generation", "span.data", `{"type":"llm","model":"gpt-4o","prompt":"Q","completion":"A"}`), trace.KindLLM, "user: Q assistant: A"},
		{"JSON of an agent", aSpan("run", "data", `{"type":"agent","input":"Q","output":"A"}`), trace.KindAgent, "Q A"},

		{"HTTP", aSpan("GET /tool", "http.request.method", "GET", "url.full", "https://x.example/tool", "input", "a", "output", "b"), trace.KindUnknown, ""},
		{"a database", aSpan("SELECT", "db.system", "postgresql", "db.statement", "select prompt, completion from tools"), trace.KindUnknown, ""},
		{"a queue", aSpan("orders publish", "messaging.system", "kafka", "data", `{"type":"tool","input":"a"}`), trace.KindUnknown, ""},
		{"a job", aSpan("resizeImage", "inputFile", "a.png", "outputFile", "b.png", "model", "canon-5d"), trace.KindUnknown, ""},
		{"machine learning that is no language model", aSpan("predict", "model", object{"name": "resnet-50", "input": "a.png", "output": "cat"}), trace.KindUnknown, ""},
		{"a step of a build", aSpan("step", "step.name", "compile", "step.type", "gradle", "span.type", "web"), trace.KindUnknown, ""},
		{"an order", aSpan("process order", "data", `{"type":"order","input":{"id":7},"output":{"ok":true}}`), trace.KindUnknown, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.span.read()
			says := ""
			switch {
			case s.Kind == trace.KindUnknown:
			case s.Tool != nil:
				says = s.Tool.Name + " " + s.Tool.Arguments.Text() + " " + s.Tool.Result.Text()
			case s.Kind == trace.KindLLM:
				says = say(&s.Input) + " " + say(&s.Output)
			default:
				says = s.RawInput.Text() + " " + s.RawOutput.Text()
			}
			if s.Kind != tt.kind || says != tt.says {
				t.Errorf("read as %s %q, want %s %q", s.Kind, says, tt.kind, tt.says)
			}
		})
	}
}
