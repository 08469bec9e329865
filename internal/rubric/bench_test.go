package rubric

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/redact"
)

// sized is a trace whose material has about so many bytes.
func sized(bytes int) made {
	m := newTrace("How large is the Norden reservoir?")
	page := `{"title": "Norden water report", "body": "The Norden reservoir holds 412 million m3; see https://water.example/report for 2019 to 2024."}`
	for n := 0; n < bytes; n += len(page) {
		m.tool("fetch_page", `{"url": "https://water.example"}`, page)
	}
	return m
}

// cpu is the processor time of this process so far.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkItem is all of our own work on one judged item: guard, material,
// redaction, packing, prompt, reply, mapping. The judge answers at once. It
// reports processor time beside the mean and the 99th percentile of the wall
// clock, which a loaded machine stretches.
func BenchmarkItem(b *testing.B) {
	policy, err := redact.New(redact.DefaultConfig())
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{1 << 10, 4 << 10, 64 << 10} {
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			o := mainJudge(says([3]string{"supported", "yes", "412 million m3"}))
			o.Redaction = policy
			g := grader(b, compile(b, supported), o)
			tr := sized(size).answers("It holds 412 million m3.")
			var took []time.Duration
			before := cpu(b)
			for b.Loop() {
				start := time.Now()
				g.Trace(context.Background(), tr, nil)
				took = append(took, time.Since(start))
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(len(took)), "cpu-us/op")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us/op")
		})
	}
}

// BenchmarkPack is the packing of a trace of 10,000 steps into a window of
// 32,768 tokens, which counts tokens and ranks sections.
func BenchmarkPack(b *testing.B) {
	m := newTrace("How large is the Norden reservoir?")
	for i := range 10_000 {
		m.tool("fetch_page", "{}", fmt.Sprintf("page %d: ", i)+strings.Repeat("the reservoir report of the region ", 8))
	}
	tr := m.answers("It holds 412 million m3.")
	g := grader(b, compile(b, supported), mainJudge(says([3]string{"supported", "yes", "the reservoir"})))
	for b.Loop() {
		g.Trace(context.Background(), tr, nil)
	}
}
