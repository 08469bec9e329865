package normalise_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// exhaust uses everything that is lazy.
func exhaust(s *trace.Step) {
	_ = contents(s)
	s.Tools()
	s.Reasoning()
	s.Label()
}

// TestHostileShapes reads shapes that have broken other readers. None may panic,
// and each must end within the time that go test allows.
func TestHostileShapes(t *testing.T) {
	deep := strings.Repeat(`{"messages":[`, 10_000) + strings.Repeat("]}", 10_000)
	tests := map[string]map[string]any{
		"indexes of no list": {
			"gen_ai.operation.name": "chat", "gen_ai.prompt.999999999.content": "x", "gen_ai.prompt.-1.content": "x", "gen_ai.prompt.01.content": "x",
			"gen_ai.prompt.__proto__.content": "x", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "ok", "gen_ai.prompt.name": "no message",
		},
		"nesting":             {"openinference.span.kind": "LLM", "input.value": deep, "output.value": deep},
		"nesting, messages":   {"gen_ai.operation.name": "chat", "gen_ai.input.messages": strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)},
		"nesting, documents":  {"openinference.span.kind": "TOOL", "output.value": strings.Repeat("[", 100_000)},
		"nesting, tool":       {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": strings.Repeat(`{"output":`, 10_000) + "1"},
		"wrong types":         {"gen_ai.operation.name": int64(7), "gen_ai.input.messages": true, "gen_ai.usage.input_tokens": "many", "gen_ai.tool.name": 1.5, "error.type": []any{"x"}},
		"absurd numbers":      {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 1e300, "gen_ai.usage.output_tokens": int64(-5), "gen_ai.usage.cost": "NaN"},
		"noise":               {"gen_ai.operation.name": "chat", "gen_ai.input.messages": "\x00\xff\xfe{[\"", "gen_ai.output.messages": "{\"a\":\xff"},
		"names without words": {"": "x", ".": "y", "gen_ai.prompt.": "z", "llm.input_messages..": "w", "metadata": "{", "gen_ai.prompt.0": "v"},
		"quotes":              {"openinference.span.kind": "\"", "mlflow.spanType": `"`, "gen_ai.agent.name": `"`},
	}
	many := map[string]any{"openinference.span.kind": "LLM"}
	for i := range 10_000 {
		many[fmt.Sprintf("llm.input_messages.%d.message.content", i)] = "x"
	}
	tests["many attributes"] = many
	for name, attrs := range tests {
		t.Run(name, func(t *testing.T) {
			s := make1("span", attrs)
			exhaust(s)
			if len(s.Losses) > 60 {
				t.Errorf("%d losses, want them bounded", len(s.Losses))
			}
		})
	}
	s := make1("span", tests["indexes of no list"])
	if list := s.Input.List(); len(list) != 1 || list[0].Text() != "ok" {
		t.Errorf("messages = %v, want the one that is there", list)
	}
	if s := make1("span", tests["absurd numbers"]); s.Usage.Input != 0 || s.Usage.Output != 0 {
		t.Errorf("usage = %+v, want none of the absurd counts", s.Usage)
	}
	if s := make1("span", many); len(s.Losses) == 0 || s.Losses[0].Reason != "over_limit" {
		t.Errorf("losses = %v, want over_limit", s.Losses)
	}
}

func TestHostileSpans(t *testing.T) {
	r := normalise.New(normalise.Options{Attributes: []string{"a", ""}})
	// An empty span of empty everything.
	s := r.Span(pcommon.NewResource(), pcommon.NewInstrumentationScope(), ptrace.NewSpan())
	if s == nil || s.ID != "" || s.SpanID != "" || !s.Start.IsZero() {
		t.Errorf("an empty span = %+v, want a step without ids and times", s)
	}
	// Many events and links, attributes of every type.
	span := ptrace.NewSpan()
	span.SetName("chat")
	for i := range 5000 {
		e := span.Events().AppendEmpty()
		e.SetName("gen_ai.user.message")
		e.Attributes().PutStr("content", fmt.Sprintf("[{\"text\":\"%d", i))
		span.Links().AppendEmpty()
	}
	m := span.Attributes().PutEmptyMap("gen_ai.input.messages")
	for range 200 {
		m = m.PutEmptyMap("m")
	}
	span.Attributes().PutEmptyBytes("gen_ai.output.messages").FromRaw([]byte{0, 1, 2})
	span.Attributes().PutEmpty("gen_ai.tool.name")
	exhaust(r.Span(pcommon.NewResource(), pcommon.NewInstrumentationScope(), span))
	// A log record of nothing.
	if f := r.Log(pcommon.NewResource(), pcommon.NewInstrumentationScope(), plog.NewLogRecord()); f != nil {
		t.Errorf("an empty record = %+v, want nothing", f)
	}
}

// The same span read by many at once is the same step: the bags are not shared.
func TestConcurrentUse(t *testing.T) {
	spans, _ := readFile(t, filepath.Join(captured, "openinference-manual", "S3.otlp.jsonl"))
	r := normalise.New(normalise.Options{})
	var want []string
	for _, s := range spans {
		want = append(want, contents(r.Span(s.resource, s.scope, s.span)))
	}
	done := make(chan string)
	for range 8 {
		go func() {
			for i, s := range spans {
				if got := contents(r.Span(s.resource, s.scope, s.span)); len(got) != len(want[i]) {
					done <- fmt.Sprintf("span %d differs", i)
					return
				}
			}
			done <- ""
		}()
	}
	for range 8 {
		if problem := <-done; problem != "" {
			t.Error(problem)
		}
	}
}

func FuzzSpan(f *testing.F) {
	for _, name := range []string{"strands/S1", "genkit/S1", "vercel-ai/S3"} {
		spans, _ := readFile(f, filepath.Join(captured, name+".otlp.jsonl"))
		for _, s := range spans[:min(4, len(spans))] {
			for k, v := range s.span.Attributes().All() {
				f.Add(s.span.Name(), k, v.AsString(), "gen_ai.choice", "message")
			}
		}
	}
	r := normalise.New(normalise.Options{Attributes: []string{"x"}})
	f.Fuzz(func(t *testing.T, name, key, text, event, eventKey string) {
		for _, kind := range []string{"", "chat", "execute_tool", "retrieval", "invoke_agent"} {
			span := ptrace.NewSpan()
			span.SetName(name)
			if kind != "" {
				span.Attributes().PutStr("gen_ai.operation.name", kind)
			}
			span.Attributes().PutStr(key, text)
			e := span.Events().AppendEmpty()
			e.SetName(event)
			e.Attributes().PutStr(eventKey, text)
			exhaust(r.Span(pcommon.NewResource(), pcommon.NewInstrumentationScope(), span))
		}
		lr := plog.NewLogRecord()
		lr.SetEventName(event)
		lr.Body().SetStr(text)
		lr.Attributes().PutStr(key, text)
		if f := r.Log(pcommon.NewResource(), pcommon.NewInstrumentationScope(), lr); f != nil {
			f.Input.List()
			f.Output.List()
			if f.Step != nil {
				exhaust(f.Step)
			}
			if f.Facts != nil {
				exhaust(f.Facts)
			}
		}
	})
}
