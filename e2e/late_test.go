package e2e

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// lateSpans are a trace in two parts: a model asks for a tool and is told its
// result, and the tool's own span.
func lateSpans(t *testing.T) (first, tool ptrace.Traces) {
	t.Helper()
	add := func(td ptrace.Traces, id, parent byte, start, end pcommon.Timestamp, name string, attributes map[string]any) {
		s := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().AppendEmpty()
		s.SetTraceID([16]byte{15: 7})
		s.SetSpanID([8]byte{7: id})
		if parent != 0 {
			s.SetParentSpanID([8]byte{7: parent})
		}
		s.SetName(name)
		const begin, ms = 1_796_000_000_000_000_000, 1_000_000
		s.SetStartTimestamp(begin + start*ms)
		s.SetEndTimestamp(begin + end*ms)
		if err := s.Attributes().FromRaw(attributes); err != nil {
			t.Fatal(err)
		}
	}
	request := func() ptrace.Traces {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		rs.Resource().Attributes().PutStr("service.name", "shop")
		rs.ScopeSpans().AppendEmpty()
		return td
	}
	const call = `{"type":"tool_call","id":"c1","name":"refund","arguments":{"order":7}}`
	first, tool = request(), request()
	add(first, 1, 0, 0, 1000, "invoke_agent clerk", map[string]any{"gen_ai.operation.name": "invoke_agent"})
	add(first, 2, 1, 100, 200, "chat m", map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "m",
		"gen_ai.output.messages": `[{"role":"assistant","parts":[` + call + `],"finish_reason":"tool_call"}]`,
	})
	add(first, 3, 1, 400, 500, "chat m", map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "m",
		"gen_ai.input.messages":  `[{"role":"assistant","parts":[` + call + `]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"refunded"}]}]`,
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"Done."}],"finish_reason":"stop"}]`,
	})
	add(tool, 4, 1, 250, 300, "execute_tool refund", map[string]any{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "refund", "gen_ai.tool.call.id": "c1",
		"gen_ai.tool.call.arguments": `{"order":7}`, "gen_ai.tool.call.result": "refunded",
	})
	return first, tool
}

// A tool's span that arrives after its call was stored without one takes the
// place of the step that stood in for it: in time for a revision, and too late.
func TestSpanOfAStoredCall(t *testing.T) {
	for name, late := range map[string]string{"in time": "1h", "too late": "1ms"} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, t.TempDir(), append([]string{"--set=processors.grade.assemble.late=" + late}, quick...)...)
			first, tool := lateSpans(t)
			if err := c.sendTraces(first); err != nil {
				t.Fatal(err)
			}
			s := database(t, c.data)
			const calls = "SELECT toString(countIf(NOT synthetic)), toString(countIf(synthetic)) FROM steps_current WHERE kind = 'tool'"
			wantRows(t, c, s, calls, []string{"0 1"})
			if err := c.sendTraces(tool); err != nil {
				t.Fatal(err)
			}
			wantRows(t, c, s, calls, []string{"1 0"})
			c.eventually("the late span is counted", func() error { return c.metric("otelcol_processor_grade_late_spans", 1) })
			c.term()
		})
	}
}
