package rules_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Schemas come from traces: none of them may end the process, follow a
// reference to elsewhere, or make a verdict that it does not support. (Those written in
// a rule are refused when it is compiled: an element of a list is not.)
func TestHostileSchemas(t *testing.T) {
	tests := []struct {
		name, condition string
		want            trace.Outcome
	}{
		{"refers to itself", `len(schemaErrors("x", {"$ref": "#"})) > 0`, trace.OutcomePass},
		{"refers elsewhere", `len(schemaErrors("x", [{"$ref": "http://elsewhere.example/schema.json"}][0])) == 0`, trace.OutcomeError},
		{"refers to a file", `len(schemaErrors("x", [{"$ref": "file:///etc/passwd"}][0])) == 0`, trace.OutcomeError},
		{"bad pattern", `len(schemaErrors("x", [{"pattern": "("}][0])) == 0`, trace.OutcomeError},
		{"no schema", `len(schemaErrors("x", ["text"][0])) == 0`, trace.OutcomeError},
		{"whole numbers", `len(schemaErrors({"n": 3}, {"properties": {"n": {"type": "integer", "minimum": 3}}})) == 0`, trace.OutcomePass},
		{"too small", `schemaErrors({"n": 2}, {"properties": {"n": {"type": "integer", "minimum": 3}}}) == ["n: minimum: got 2, want 3"]`, trace.OutcomePass},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := evalRule(t, "scope: trace\nassert: '"+tt.condition+"'", exampleTrace(t))[0]
			if f.Outcome != tt.want {
				t.Errorf("%s: %v (%s), want %v", tt.condition, f.Outcome, f.Message, tt.want)
			}
		})
	}
	// A tool whose schema cannot be read says nothing about the call.
	tr := buildTrace(t, `steps: [{llm: {offered: [{name: a, parameters: {"$ref": "file:///etc/passwd"}}], calls: [{a: {x: 1}}]}}]`)
	if f := holds(t, `len(argumentErrors(first(llms()))) == 0`, tr); f.Outcome != trace.OutcomePass {
		t.Errorf("argumentErrors: %v (%s)", f.Outcome, f.Message)
	}
}
