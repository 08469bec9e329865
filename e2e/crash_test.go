package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/store/engine"
)

// exactlyOnce is what queries return of n traces of service shop that were
// stored at least once each: rows that arrived twice are one to whoever asks.
func exactlyOnce(n int) []string { return []string{fmt.Sprintf("%d %d", n, n)} }

const countTraces = "SELECT toString(count()), toString(uniqExact(trace_id)) FROM traces FINAL WHERE service = 'shop'"

// countFindings counts the failed refunds: one a trace.
const countFindings = "SELECT toString(count()), toString(uniqExact(trace_id)) FROM findings FINAL WHERE rule = 'unhandled-error' AND service = 'shop'"

func (c *collector) sendAgentTraces(from, to uint32) {
	c.t.Helper()
	for n := from; n <= to; n++ {
		if err := c.sendTraces(agentTrace(n, "shop")); err != nil {
			c.t.Fatal(err)
		}
	}
}

// SIGTERM loses nothing that was answered OK: what is being put together is
// graded, and written before the engine stops.
func TestSIGTERM(t *testing.T) {
	c := serve(t, t.TempDir())
	c.sendAgentTraces(1, 200)
	c.term()
	for sql, want := range map[string]string{
		countTraces:   "200,200\n",
		countFindings: "200,200\n",
		"SELECT toString(count()) FROM steps FINAL WHERE service = 'shop'": "600\n",
		"SELECT DISTINCT release_reason FROM traces":                       "shutdown\n",
	} {
		got, status := tracegrade(t, "query", "--data", c.data, "--format", "csv", sql)
		if _, rows, _ := strings.Cut(got, "\n"); status != 0 || rows != want {
			t.Errorf("%s: status %d, got %q, want %q", sql, status, rows, want)
		}
	}
	if strings.Contains(c.out.String(), "spans wait") {
		t.Errorf("the collector printed:\n%s", c.out)
	}
}

// kill -9 of the collector while ClickHouse is gone: what was graded waits in
// the queue on disk and is stored exactly once by the next collector.
func TestKill9WithRowsInTheQueue(t *testing.T) {
	data := t.TempDir()
	c := serve(t, data, quick...)
	c.sendAgentTraces(1, 50)
	s := database(t, data)
	wantRows(t, c, s, countTraces, exactlyOnce(50))
	// Rows are visible a moment before the queue lets go of them.
	c.eventually("the queue is empty", func() error { return c.metric("otelcol_exporter_queue_size", 0) })
	s.Close()

	// Without its engine the exporter can write nothing; the engine's owner
	// would bring it back, so it is held still and not killed.
	before, err := engine.Status(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(before.EnginePID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.sendAgentTraces(51, 100)
	c.eventually("the 150 spans of the traces are in the queue", func() error {
		return c.metric("otelcol_exporter_queue_size", 150)
	})
	c.kill()
	if err := syscall.Kill(before.EnginePID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}

	c = serve(t, data, quick...)
	s = database(t, data)
	wantRows(t, c, s, countTraces, exactlyOnce(100))
	wantRows(t, c, s, countFindings, exactlyOnce(100))
	c.term()
}

// kill -9 of the engine: it comes back by itself on the same ports, and
// nothing is lost.
func TestKill9OfTheEngine(t *testing.T) {
	c := serve(t, t.TempDir(), quick...)
	c.sendAgentTraces(1, 20)
	s := database(t, c.data)
	wantRows(t, c, s, countTraces, exactlyOnce(20))
	before, err := engine.Status(t.Context(), c.data)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(before.EnginePID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.sendAgentTraces(21, 40)
	wantRows(t, c, s, countTraces, exactlyOnce(40))
	wantRows(t, c, s, countFindings, exactlyOnce(40))
	after, err := engine.Status(t.Context(), c.data)
	if err != nil {
		t.Fatal(err)
	}
	if after.EnginePID == before.EnginePID || after.NativePort != before.NativePort {
		t.Errorf("engine before: process %d, port %d; after: %d, %d; want another process on the same port",
			before.EnginePID, before.NativePort, after.EnginePID, after.NativePort)
	}
	c.term()
}

// A ClickHouse that cannot be reached, or refuses the password, does not stop
// the collector: it says so once and goes on taking spans in.
func TestUnreachableDatabase(t *testing.T) {
	c := serve(t, t.TempDir(), append([]string{"--dsn", "clickhouse://tracegrade:hunter2@127.0.0.1:1/tracegrade"}, quick...)...)
	c.sendAgentTraces(1, 1)
	c.eventually("it says that ClickHouse does not answer", func() error {
		if !strings.Contains(c.out.String(), "cannot write to ClickHouse") {
			return fmt.Errorf("printed: %s", c.out)
		}
		return nil
	})
	c.sendAgentTraces(2, 2)
	if strings.Contains(c.out.String(), "hunter2") {
		t.Error("the password is printed")
	}
	began := time.Now()
	c.term()
	t.Logf("stopped after %v with rows in the queue", time.Since(began))
}
