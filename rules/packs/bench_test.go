package packs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// BenchmarkEval grades the captured runs with all packs, as often as with
// fresh traces: content is decoded anew each time. Reading, normalising and
// assembling are not measured.
func BenchmarkEval(b *testing.B) {
	set, err := packs.Compile()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	spans := 0
	for b.Loop() {
		b.StopTimer()
		var traces []*trace.Trace
		for _, r := range corpus(b, set.Attributes()) {
			traces = append(traces, r.traces...)
		}
		b.StartTimer()
		for _, t := range traces {
			set.Eval(t)
			spans += len(t.Steps)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(spans), "ns/span")
	b.ReportMetric(float64(len(set.Rules())), "rules")
}

// BenchmarkCompile compiles a thousand rules of usual size.
func BenchmarkCompile(b *testing.B) {
	var text strings.Builder
	text.WriteString("rules:\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "  - id: rule-%d\n    severity: low\n    scope: trace\n    when: answer contains \"refund %d\"\n    assert: any(tools(\"refund*\"), .tool.ok and before(#, answerStep) and .tool.arguments.order == %d)\n    message: \"calls: {len(tools('refund'))}\"\n", i, i, i)
	}
	data := []byte(text.String())
	for b.Loop() {
		f, err := rules.Parse("bench.yaml", data)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := rules.Compile(f); err != nil {
			b.Fatal(err)
		}
	}
}
