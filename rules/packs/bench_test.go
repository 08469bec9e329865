package packs_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/evidence"
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

// BenchmarkRules is what twenty of the rules cost by themselves: the traces are
// decoded and their evidence is known, as they are for whoever stores it anyway,
// and findings are handed back as the collector and the command line do.
// cpu-ns/span is processor time, garbage collection included.
func BenchmarkRules(b *testing.B) {
	set := twenty(b)
	var traces []*trace.Trace
	var known []*evidence.Ledger
	for _, r := range corpus(b, set.Attributes()) {
		for _, t := range r.traces {
			_, _, l := set.EvalEvidence(t, nil)
			traces, known = append(traces, t), append(known, l)
		}
	}
	b.ReportAllocs()
	spans := 0
	start := processorTime(b)
	for b.Loop() {
		for i, t := range traces {
			findings, counts, _ := set.EvalEvidence(t, known[i])
			set.Recycle(findings, counts)
			spans += len(t.Steps)
		}
	}
	b.ReportMetric(float64((processorTime(b)-start).Nanoseconds())/float64(spans), "cpu-ns/span")
	b.ReportMetric(float64(len(set.Rules())), "rules")
}

// twenty is the rules of the packs about conduct: reliability, evidence,
// safety and the first of efficiency.
func twenty(b *testing.B) *rules.Set {
	b.Helper()
	var files []*rules.File
	n := 0
	for _, topic := range []string{"reliability", "evidence", "safety", "efficiency"} {
		list, err := packs.Named(topic)
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range list {
			f.Rules = f.Rules[:min(len(f.Rules), 20-n)]
			n += len(f.Rules)
			files = append(files, f)
		}
	}
	set, err := rules.Compile(files...)
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
