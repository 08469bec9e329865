package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"golang.org/x/sys/unix"

	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rubrics"
)

// judgedConfig grades with all packs; RUBRICS is the key rubrics or nothing.
const judgedConfig = `
receivers: {otlp: {protocols: {grpc: {endpoint: "%GRPC", max_recv_msg_size_mib: 64}}}}
processors: {grade: {rules: ["pack:all"], RUBRICS assemble: {quiet: 1s, late: 1s}}}
exporters: {nop: }
extensions: {health_check: {endpoint: "%HEALTH"}}
service:
  extensions: [health_check]
  telemetry: {logs: {level: error}, metrics: {level: normal, readers: [{pull: {exporter: {prometheus: %METRICS}}}]}}
  pipelines: {traces: {receivers: [otlp], processors: [grade], exporters: [nop]}}
`

const (
	// offered is how many spans a second are sent: what one of two cores can grade.
	offered = 4000
	// rounds is how often the collectors of judgeDown are compared: the best of
	// each counts, since whatever else runs on the machine only takes away.
	rounds = 3
)

// judgeDown measures what the collector takes in of a steady stream, and how
// fast it answers, with all shipped rubrics while their judge is down or hangs,
// beside none.
func (b *bench) judgeDown(ctx context.Context) error {
	refusing := freeAddress()
	hanging, closeHanging, err := hangingServer()
	if err != nil {
		return err
	}
	defer closeHanging()
	ways := []struct {
		name, address string
		best          received
	}{{name: "no rubrics"}, {name: "all rubrics, the judge refuses connections", address: refusing}, {name: "all rubrics, the judge hangs", address: hanging}}
	for range rounds {
		for i := range ways {
			got, err := b.receive(ctx, ways[i].address)
			if err != nil {
				return err
			}
			if ways[i].best.rate == 0 || got.p99 < ways[i].best.p99 {
				ways[i].best = got
			}
		}
	}
	fmt.Fprintf(b.out, "%d spans a second are offered, 100 a request\n\n", offered)
	b.head("collector", "spans received a second", "requests refused", "answered within, median", "99th percentile", "us CPU per span", "findings of rubrics that ask a model, by reason")
	for _, w := range ways {
		b.row(w.name, fmt.Sprintf("%.0f", w.best.rate), w.best.refused, w.best.p50.Round(10*time.Microsecond), w.best.p99.Round(10*time.Microsecond), fmt.Sprintf("%.0f", w.best.cpu), w.best.reasons)
	}
	return nil
}

// hangingServer accepts requests and never answers.
func hangingServer() (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })}
	go func() { _ = s.Serve(l) }()
	return l.Addr().String(), func() { _ = s.Close() }, nil
}

// received is one collector that took spans in.
type received struct {
	rate     float64 // spans a second, until the last was accepted
	p50, p99 time.Duration
	cpu      float64 // us per span
	refused  int64
	reasons  string
}

// receive offers spans at a steady rate. judge is the address of the judges'
// server; empty for no rubrics.
func (b *bench) receive(ctx context.Context, judge string) (received, error) {
	var r received
	key := ""
	if judge != "" {
		file := filepath.Join(b.work, "judges.yaml")
		text := fmt.Sprintf("judges:\n  - {provider: openai, model: m, base_url: \"http://%s/v1/\"}\n", judge)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return r, err
		}
		key = fmt.Sprintf(`rubrics: {files: ["pack:all"], judges: %q},`, file)
	}
	c, err := b.serve(ctx, strings.Replace(judgedConfig, "RUBRICS", key, 1), "--data", b.work)
	if err != nil {
		return r, err
	}
	const size = 100
	src, left, due := &source{corpus: b.traces}, b.spans, time.Now()
	s, err := c.send(ctx, func() (ptraceotlp.ExportRequest, bool) {
		if left <= 0 {
			return ptraceotlp.ExportRequest{}, false
		}
		left -= size
		request := ptraceotlp.NewExportRequestFromTraces(src.request(size))
		time.Sleep(time.Until(due))
		due = due.Add(size * time.Second / offered)
		return request, true
	})
	if err != nil {
		c.kill()
		return r, err
	}
	slices.Sort(s.answers)
	r.rate, r.refused = float64(b.spans)/s.took.Seconds(), s.refused.Load()
	r.p50, r.p99 = s.answers[len(s.answers)/2], s.answers[len(s.answers)*99/100]
	if judge != "" {
		m, err := c.scrape(ctx)
		if err != nil {
			return r, err
		}
		r.reasons = skips(m)
	}
	cpu, err := c.stop()
	r.cpu = cpu.Seconds() * 1e6 / float64(b.spans)
	return r, err
}

var reasonOf = regexp.MustCompile(`^otelcol_processor_grade_rubric_findings(?:_total)?\{.*reason="([a-z_]+)"`)

// skips sums up the findings of rubrics by reason, the most frequent first.
func skips(m map[string]float64) string {
	n := map[string]int{}
	for name, v := range m {
		if match := reasonOf.FindStringSubmatch(name); match != nil {
			n[match[1]] += int(v)
		}
	}
	var list []string
	for reason := range n {
		list = append(list, reason)
	}
	slices.SortFunc(list, func(a, b string) int { return n[b] - n[a] })
	for i, reason := range list {
		list[i] = fmt.Sprintf("%d %s", n[reason], reason)
	}
	return strings.Join(list, ", ")
}

// items is how many items are judged for each size, and itemsPerCollection after how
// many of them garbage is collected where it is collected between items.
const items, itemsPerCollection = 4000, 50

// judgedItem measures the processor time of our own code on one judged item:
// guard, material, redaction, packing, prompt, pool, reply, mapping. The judge
// answers at once. Decoding what the trace holds is in it; the rules have looked at the
// evidence before, as they do in the collector. Garbage, most of which is of the rules, is
// collected meanwhile, and in a second pass only between items.
func (b *bench) judgedItem(ctx context.Context) error {
	set, err := ruleset.Load([]string{"pack:evidence"})
	if err != nil {
		return err
	}
	all, err := rubrics.Load([]string{"pack:evidence"})
	if err != nil {
		return err
	}
	config := judge.Config{Provider: "openai", Model: "m"}.WithDefaults()
	p := pool.New(supports{}, pool.Config{}, pool.Options{Identity: config.Identity(), MaxOut: config.MaxOutput})
	defer p.Close(ctx)
	policy, err := redact.New(redact.Config{Builtin: []string{"secrets", "personal"}}) // as for judges
	if err != nil {
		return err
	}
	g, err := rubric.New(all.Only("grounded"), rubric.Options{Redaction: policy, Judges: []rubric.Judge{{Config: config, Asker: p}}})
	if err != nil {
		return err
	}
	b.head("material", "mean CPU", "99th percentile", "highest", "between collections: 50th percentile", "99th percentile", "highest")
	for _, size := range []int{1 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10} {
		// once judges a trace that was not seen before, and is the time that it took.
		next := 0
		once := func() (time.Duration, error) {
			graded := grade.Trace(set, pages(next, size), time.Unix(0, 0))
			next++
			before, err := processTime()
			if err != nil {
				return 0, err
			}
			g.Grade(ctx, graded)
			after, err := processTime()
			if last := graded.Findings[len(graded.Findings)-1]; err == nil && last.Outcome != trace.OutcomePass {
				err = fmt.Errorf("the judge was not understood: %s %s %s", last.Outcome, last.Reason, last.Message)
			}
			return after - before, err
		}
		n := items * 1024 / max(1024, size/4)
		cells := []any{fmt.Sprintf("%d KB", size>>10)}
		for _, collecting := range []bool{true, false} {
			debug.SetGCPercent(map[bool]int{true: 800, false: -1}[collecting]) // 800 as in the collector
			took := make([]time.Duration, 0, n)
			var sum time.Duration
			for i := range n + n/10 {
				if !collecting && i%itemsPerCollection == 0 {
					runtime.GC()
				}
				d, err := once()
				if err != nil {
					return err
				}
				if i >= n/10 { // until everything was used once, nothing counts
					took = append(took, d)
					sum += d
				}
			}
			slices.Sort(took)
			cell := func(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }
			middle := sum / time.Duration(n)
			if !collecting {
				middle = took[n/2]
			}
			cells = append(cells, cell(middle), cell(took[n*99/100]), cell(took[n-1]))
		}
		b.row(cells...)
	}
	return nil
}

// processTime is the CPU time of this process so far.
func processTime() (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return 0, fmt.Errorf("read the CPU time of this process: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

// pages is a trace, different for each n, whose agent read pages of so many
// bytes together.
func pages(n, bytes int) *trace.Trace {
	t := &trace.Trace{ID: fmt.Sprintf("%032x", n+1), Question: "How large is the Norden reservoir?", Start: time.Unix(1_796_000_000, 0)}
	add := func(s *trace.Step) {
		i := len(t.Steps)
		s.ID = fmt.Sprintf("%016x", i+1)
		s.SpanID, s.TraceID, s.Capture = s.ID, t.ID, trace.CaptureFull
		s.Start = t.Start.Add(time.Duration(i) * time.Second)
		s.End = s.Start.Add(time.Second / 2)
		t.Steps = append(t.Steps, s)
	}
	for i, left := 0, bytes; left > 0; i++ {
		page := fmt.Sprintf(`{"title": "Norden water report %d of run %d", "body": "The Norden reservoir holds 412 million m3; see https://water.example/report-%d for 2019 to 2024. Its dam was raised twice, and the town of Halden drinks from it."}`, i, n, i)
		add(&trace.Step{Kind: trace.KindTool, Name: "fetch", Tool: &trace.Tool{Name: "fetch", Arguments: trace.TextValue(fmt.Sprintf(`{"url": "https://water.example/%d"}`, i)), Result: trace.TextValue(page)}})
		left -= len(page)
	}
	t.Answer = "The Norden reservoir holds 412 million m3."
	add(&trace.Step{Kind: trace.KindLLM, Name: "chat", Output: trace.MessageList([]trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{{Type: trace.PartText, Text: t.Answer}}}})})
	t.AnswerStep, t.End = t.Steps[len(t.Steps)-1].ID, t.Steps[len(t.Steps)-1].End
	return t
}

// supports is a judge that finds everything supported.
type supports struct{}

var nonceOf = regexp.MustCompile(`Set nonce to ([a-z2-7]{12})\.`)

func (supports) Ask(_ context.Context, r judge.Request) (judge.Reply, error) {
	nonce := nonceOf.FindStringSubmatch(r.System)
	if nonce == nil {
		return judge.Reply{}, &judge.Error{Reason: judge.ReasonServer, Err: fmt.Errorf("the prompt names no nonce")}
	}
	answers := `{"unsupported": {"quotes": [], "reason": "the pages say so", "verdict": "no"}, "share": {"quotes": [], "reason": "all of one", "verdict": 1}}`
	return judge.Reply{Text: fmt.Sprintf(`{"verdicts": %s, "nonce": %q}`, answers, nonce[1]), Model: "m", InputTokens: 1000, OutputTokens: 100, UsageStated: true}, nil
}
