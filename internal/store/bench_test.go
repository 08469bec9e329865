package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time that this process has used, the engine's apart.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkInsertFindings reports rows per second of this process's CPU time.
func BenchmarkInsertFindings(b *testing.B) {
	s := open(b)
	const size = 10_000
	rows := make([]FindingRow, size)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		at := day(0).Add(time.Duration(i) * time.Second)
		span := fmt.Sprintf("%016x", random.Uint64())
		rows[i] = FindingRow{
			TraceID: fmt.Sprintf("%032x", random.Uint64()), Subject: span, Revision: 12, RowVersion: RowVersion(12, at), Digest: fmt.Sprintf("%016x", random.Uint64()),
			SessionID: fmt.Sprintf("session-%d", i/20), Service: "shop", Version: "1.4.2", Agent: "helper",
			Rule: fmt.Sprintf("rule-%d", i%24), RuleHash: fmt.Sprintf("%016x", i%24), NormaliserVersion: "1",
			Scope: "span", SpanID: span, StepID: span, Outcome: "fail", Severity: "high", Reason: "assert",
			Message:    fmt.Sprintf("tool search failed at step %d and was never called again, nor does the answer mention it", i%40),
			Witness:    []string{span, fmt.Sprintf("%016x", random.Uint64())},
			TraceStart: at, GradedAt: at,
		}
	}
	insertAll(b, s, Batch{})
	version := uint64(0)
	used := cpu()
	for b.Loop() {
		version++
		for i := range rows {
			rows[i].RowVersion = version // so that it is not the insert before
		}
		if err := s.Insert(b.Context(), &Batch{Findings: rows}); err != nil {
			b.Fatal(err)
		}
	}
	used = cpu() - used
	b.ReportMetric(float64(b.N)*size/used.Seconds(), "rows/cpu-s")
}

// BenchmarkInsertSteps reports megabytes of text per second of this process's
// CPU time.
func BenchmarkInsertSteps(b *testing.B) {
	s := open(b)
	const size = 1000
	rows := make([]StepRow, size)
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the agent asked a tool for the price of 912 shares and the tool answered with a table of dates and values that the model then summed")
	text := func(n int) string {
		var t strings.Builder
		for t.Len() < n {
			t.WriteString(words[random.IntN(len(words))])
			fmt.Fprintf(&t, " %d ", random.IntN(1000))
		}
		return t.String()
	}
	bytes := 0
	for i := range rows {
		at := day(0).Add(time.Duration(i) * time.Second)
		rows[i] = StepRow{
			TraceID: fmt.Sprintf("%032x", i/10), StepID: fmt.Sprintf("%016x", i), SpanID: fmt.Sprintf("%016x", i), Kind: "llm", KindSource: "gen_ai.operation.name",
			Dialect: "otel", Name: "chat gpt", Service: "shop", Version: "1", Model: "gpt", Provider: "openai", StepStart: at, StepEnd: at,
			FinishReasons: []string{"stop"}, Input: text(8 << 10), Output: text(1 << 10), UsageScope: "own", Capture: "full",
		}
		bytes += len(rows[i].Input) + len(rows[i].Output)
	}
	insertAll(b, s, Batch{})
	version := uint64(0)
	used := cpu()
	for b.Loop() {
		version++
		for i := range rows {
			rows[i].RowVersion = version
		}
		if err := s.Insert(b.Context(), &Batch{Steps: rows}); err != nil {
			b.Fatal(err)
		}
	}
	used = cpu() - used
	b.ReportMetric(float64(b.N)*float64(bytes)/1e6/used.Seconds(), "MB/cpu-s")
	b.ReportMetric(float64(b.N)*size/used.Seconds(), "rows/cpu-s")
}
