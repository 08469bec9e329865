package assemble_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// shapes are traces of n spans: what long agents make, and what hostile or
// broken producers make.
var shapes = []struct {
	name  string
	steps func(n int) []*trace.Step
}{
	{"loop", func(n int) []*trace.Step { // one agent, each call with the whole history of the last 20
		steps := []*trace.Step{span(trace.KindAgent, "agent", "", 0, 10*n)}
		history := []trace.Message{sys, ask}
		for i := 1; i+1 < n; i += 2 {
			call := asks(fmt.Sprint("c", i), "search", fmt.Sprintf(`{"q":%d}`, i))
			steps = append(steps,
				span(trace.KindLLM, fmt.Sprint("llm", i), "agent", 10*i, 10*i+5, in(append([]trace.Message(nil), history...)...), out(call), usage(10, 2)),
				span(trace.KindTool, fmt.Sprint("tool", i), "agent", 10*i+6, 10*i+9, tool("search", fmt.Sprint("c", i), fmt.Sprintf(`{"q":%d}`, i), "999")))
			history = append(history, call, told(fmt.Sprint("c", i), "999"))
			if len(history) > 42 {
				history = append(history[:2:2], history[4:]...)
			}
		}
		return steps
	}},
	{"chain", func(n int) []*trace.Step { // each span the parent of the next
		var steps []*trace.Step
		for i := range n {
			steps = append(steps, span(trace.Kind(i%6), fmt.Sprint(i), parentID(i-1), i, 2*n-i, usage(1, 1)))
		}
		return steps
	}},
	{"nested calls", func(n int) []*trace.Step {
		var steps []*trace.Step
		for i := range n {
			steps = append(steps, span(trace.KindLLM, fmt.Sprint(i), parentID(i-1), i, 2*n-i, scope(fmt.Sprint(i%7)), out(ai(fmt.Sprint(i)))))
		}
		return steps
	}},
	{"cycle", func(n int) []*trace.Step {
		var steps []*trace.Step
		for i := range n {
			steps = append(steps, span(trace.KindTool, fmt.Sprint(i), fmt.Sprint((i+1)%n), 1, 2, tool("x", "", "{}", "")))
		}
		return steps
	}},
	{"no times", func(n int) []*trace.Step {
		var steps []*trace.Step
		for i := range n {
			s := span(trace.KindLLM, fmt.Sprint(i), "", 0, 0, in(ask), out(asks("", "x", "{}")), usage(1, 1))
			s.Start, s.End = time.Time{}, time.Time{}
			steps = append(steps, s)
		}
		return steps
	}},
	{"one key", func(n int) []*trace.Step { // everything that is looked up by is the same
		var steps []*trace.Step
		for i := range n / 2 {
			steps = append(steps,
				span(trace.KindLLM, fmt.Sprint("l", i), "", i, i+1, scope(fmt.Sprint(i)), in(ask), out(asks("c", "x", "{}"), asks("", "x", "{}")), reply("r"), usage(1, 1)),
				span(trace.KindTool, fmt.Sprint("t", i), "", i, i+1, tool("x", "c", "{}", ""), scope(fmt.Sprint(i)), rpc("1", "client")))
		}
		return steps
	}},
	{"calls without answers", func(n int) []*trace.Step {
		var steps []*trace.Step
		for i := range n {
			steps = append(steps, span(trace.KindTool, fmt.Sprint("t", i), "", n+i, n+i+1, tool(fmt.Sprint("y", i%3), "", fmt.Sprint(i), "")))
		}
		call := trace.Message{Role: trace.RoleAssistant}
		for i := range n {
			call.Parts = append(call.Parts, asks("", fmt.Sprint("y", i%3), "0").Parts...)
		}
		return append(steps, span(trace.KindLLM, "llm", "", 0, 1, in(ask), out(call)))
	}},
}

func parentID(i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprint(i)
}

// Hostile and long traces are assembled whole. The time that they take is
// measured by BenchmarkTrace; a quadratic pass would make this test hang.
func TestLongTraces(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			const n = 20_000
			tr := build(shape.steps(n)...)
			if len(tr.Steps) < n-1 {
				t.Errorf("%d steps of %d spans", len(tr.Steps), n)
			}
		})
	}
}

func BenchmarkTrace(b *testing.B) {
	for _, shape := range shapes {
		for _, n := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				steps := shape.steps(n)
				for b.Loop() {
					assemble.Trace(traceID, steps, nil, trace.Release{})
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/span")
			})
		}
	}
}

// BenchmarkCaptured is what a span of the recorded runs costs after normalise,
// decoding of its content included.
func BenchmarkCaptured(b *testing.B) {
	for _, framework := range []string{"openinference-manual", "vercel-ai", "langchain-openinference", "otel-openai", "strands"} {
		b.Run(framework, func(b *testing.B) {
			spans := 0
			for b.Loop() {
				b.StopTimer()
				rec := record(b, framework+"/S[1-6].*otlp.jsonl")
				b.StartTimer()
				for _, t := range rec.assemble() {
					spans += t.Revision
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(spans), "ns/span")
		})
	}
}
