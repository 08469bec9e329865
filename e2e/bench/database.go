package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/store/engine"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// open runs, or attaches to, the engine of a data folder.
func (b *bench) open(ctx context.Context, data string) (*engine.Engine, *store.Store, error) {
	e, err := engine.Start(ctx, engine.Options{Data: data, Helper: filepath.Join(b.bin, "tracegrade-engine"), Owner: "bench"})
	if err != nil {
		return nil, nil, err
	}
	s, err := store.Open(store.Config{DSN: e.DSN()})
	if err != nil {
		return nil, nil, err
	}
	return e, s, nil
}

// insert measures the insert path: rows of findings, and bytes of steps.
func (b *bench) insert(ctx context.Context) error {
	e, s, err := b.open(ctx, filepath.Join(b.work, "insert"))
	if err != nil {
		return err
	}
	defer e.Close()
	defer s.Close()
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	b.head("table", "rows per CPU-second of ours", "MB per CPU-second")

	const rows, batch = 500_000, 50_000
	var spent time.Duration
	for from := 0; from < rows; from += batch {
		f := findings(from, batch)
		before := ownCPU()
		if err := s.Insert(ctx, &store.Batch{Findings: f}); err != nil {
			return err
		}
		spent += ownCPU() - before
	}
	b.row("findings", fmt.Sprintf("%.0f", rows/spent.Seconds()), "")

	reader := normalise.New(normalise.Options{})
	src := &source{corpus: b.traces}
	var bytes, steps int
	spent = 0
	for range 10 {
		rows := store.FromSpans(src.whole(10_000), reader)
		for i := range rows.Steps {
			r := &rows.Steps[i]
			bytes += len(r.Input) + len(r.Output) + len(r.Reasoning)
		}
		steps += len(rows.Steps)
		before := ownCPU()
		if err := s.Insert(ctx, &rows); err != nil {
			return err
		}
		spent += ownCPU() - before
	}
	b.row("steps, with their text", fmt.Sprintf("%.0f", float64(steps)/spent.Seconds()), fmt.Sprintf("%.0f", float64(bytes)/1e6/spent.Seconds()))
	return nil
}

// findings makes rows as a grader does, one a trace.
func findings(from, n int) []store.FindingRow {
	list := make([]store.FindingRow, n)
	at := time.Now()
	for i := range list {
		id := traceID(uint64(from + i)).String()
		t := store.TraceRow{TraceID: id, Revision: 8, Digest: id, SessionID: id, Service: "shop", Version: "1.4.0", Agent: "clerk", NormaliserVersion: "1", TraceStart: at, GradedAt: at}
		list[i] = store.NewFindingRow(&t, &trace.Finding{
			Rule: "unhandled-error", RuleHash: "9f86d081884c7d65", Scope: trace.ScopeSpan, SubjectID: id[16:], SpanID: id[16:], StepID: id[16:],
			Outcome: trace.OutcomeFail, Severity: trace.SeverityHigh, Reason: "assertion_failed",
			Message: "fetch_exchange_rate failed (upstream timeout) and was neither retried with success, replaced by another tool, nor mentioned in the answer",
			Witness: []string{id[16:]},
		})
	}
	return list
}

// million sends a million spans through serve into the embedded ClickHouse,
// kills the engine and then the collector on the way, and accounts for every
// trace that was answered OK long enough before.
func (b *bench) million(ctx context.Context) error {
	b.head("queue", "spans", "us CPU per span of the collector", "its peak memory (RSS)", "wall", "load", "killed", "traces due", "returned once", "missing", "twice")
	for _, disk := range []bool{true, false} {
		if err := b.passage(ctx, disk); err != nil {
			return err
		}
	}
	return nil
}

// settle is quiet time plus flush.
const settle = 4 * time.Second

// passage sends the spans once. Only with the queue on disk are processes
// killed.
func (b *bench) passage(ctx context.Context, disk bool) error {
	const size = 1000
	total := b.many
	data := filepath.Join(b.work, fmt.Sprint("million-", disk))
	var args []string
	if !disk {
		args = append(args, "--set=exporters.clickhouse_grade.sending_queue.storage=null")
	}
	began := time.Now()
	c, err := b.serve(ctx, "", append(args, "--data", data)...)
	if err != nil {
		return err
	}
	src := &source{corpus: b.traces}
	due := map[string]bool{} // traces that have to be there
	part := func(spans int) error {
		var ids []string
		_, err := c.send(ctx, func() (ptraceotlp.ExportRequest, bool) {
			if spans <= 0 {
				return ptraceotlp.ExportRequest{}, false
			}
			td := src.whole(size)
			spans -= td.SpanCount()
			ids = append(ids, idsOf(td)...)
			return ptraceotlp.NewExportRequestFromTraces(td), true
		})
		for _, id := range ids {
			due[id] = true
		}
		return err
	}
	killed := "-"
	if disk {
		killed = "engine, then collector"
		if err := part(total / 3); err != nil {
			return err
		}
		status, err := engine.Status(ctx, data)
		if err != nil {
			return err
		}
		if err := syscall.Kill(status.EnginePID, syscall.SIGKILL); err != nil {
			return err
		}
		if err := part(total / 3); err != nil {
			return err
		}
		// A machine that cannot keep up grades late: what counts as quiet time
		// begins when the grader has caught up.
		if err := c.caughtUp(ctx); err != nil {
			return err
		}
		time.Sleep(settle)
		c.kill()
		if c, err = b.serve(ctx, "", append(args, "--data", data)...); err != nil {
			return err
		}
		if err := part(total - 2*(total/3)); err != nil {
			return err
		}
	} else if err := part(total); err != nil {
		return err
	}
	if err := c.caughtUp(ctx); err != nil {
		return err
	}
	if err := c.written(ctx); err != nil {
		return err
	}
	wall := time.Since(began)
	e, s, err := b.open(ctx, data)
	if err != nil {
		return err
	}
	counts, err := traceCounts(ctx, s)
	if err != nil {
		return err
	}
	s.Close()
	e.Close()
	peak, err := peakMemory(c.cmd.Process.Pid)
	if err != nil {
		return err
	}
	spent, err := c.stop()
	if err != nil {
		return err
	}
	once, twice, missing := 0, 0, 0
	for id := range due {
		switch counts[id] {
		case 0:
			missing++
		case 1:
			once++
		default:
			twice++
		}
	}
	queue, us := "in memory", fmt.Sprintf("%.1f", spent.Seconds()*1e6/float64(total))
	if disk {
		queue, us = "on disk", "(see below)"
		if us, err = b.diskCost(ctx, data+"-cost"); err != nil {
			return err
		}
	}
	b.row(queue, total, us, fmt.Sprintf("%d MiB", peak>>20), fmt.Sprintf("%.0f s", wall.Seconds()), load(), killed, len(due), once, missing, twice)
	return nil
}

// load is the machine's load average of the last 15 minutes: CPU times of a
// busy machine are longer.
func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(data)); len(f) > 2 {
		return f[2]
	}
	return "unknown"
}

// diskCost is the collector's CPU per span with the queue on disk, undisturbed.
func (b *bench) diskCost(ctx context.Context, data string) (string, error) {
	c, err := b.serve(ctx, "", "--data", data)
	if err != nil {
		return "", err
	}
	if _, err := c.sendSpans(ctx, &source{corpus: b.traces}, b.spans, 1000); err != nil {
		return "", err
	}
	if err := c.caughtUp(ctx); err != nil {
		return "", err
	}
	if err := c.written(ctx); err != nil {
		return "", err
	}
	spent, err := c.stop()
	return fmt.Sprintf("%.1f", spent.Seconds()*1e6/float64(b.spans)), err
}

// traceCounts is how often queries return each trace.
func traceCounts(ctx context.Context, s *store.Store) (map[string]int, error) {
	rows, err := s.Query(ctx, "SELECT trace_id, count() FROM traces_current GROUP BY trace_id", nil)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for rows.Next() {
		v, err := rows.Values()
		if err != nil {
			return nil, err
		}
		n, _ := v[1].(uint64)
		counts[fmt.Sprint(v[0])] = int(n)
	}
	return counts, rows.Close()
}

// idsOf lists the traces of a request.
func idsOf(td ptrace.Traces) []string {
	var ids []string
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				if id := s.TraceID().String(); !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
		}
	}
	return ids
}
