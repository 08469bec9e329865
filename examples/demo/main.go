// Command demo shows the main job on real traces: it starts the collector with
// the embedded ClickHouse, sends it recorded agent runs over OTLP, waits until
// they are graded, and asks what was found. It leaves nothing running and
// nothing behind. "make demo" builds what it needs and runs it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/tracegrade/tracegrade/internal/tracefile"
)

// limit bounds the whole demo, on a slow machine too.
const limit = 3 * time.Minute

func main() {
	bin := flag.String("bin", "bin/tracegrade", "the tracegrade binary")
	traces := flag.String("traces", "testdata/traces", "folder of recorded runs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := run(ctx, *bin, *traces); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// runs are the recordings that are sent: one framework each, with a story that
// the findings tell.
var runs = []struct{ files, story string }{
	{"openinference-manual/S1", "one search, the first hit has a wrong price, and the agent takes it"},
	{"openinference-manual/S3", "a tool fails and a retry works: nothing to find fault with"},
	{"openinference-manual/S10", "the answer holds a number that no source has"},
	{"otel-openai/S2", "two sources conflict; content arrives as log records"},
	{"vercel-ai/S6", "a page of 2019 is used for a question about the latest"},
	{"strands/S4", "four tool calls are asked for, the framework loses three"},
}

func run(ctx context.Context, bin, folder string) error {
	data, err := os.MkdirTemp("", "tracegrade-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	d := &demo{bin: bin, data: data}

	say("1. Start the collector with its embedded ClickHouse")
	stop, err := d.serve(ctx)
	if err != nil {
		return err
	}
	defer stop()

	say("2. Send %d recorded agent runs over OTLP", len(runs))
	sent, err := d.send(ctx, folder)
	if err != nil {
		return err
	}
	if err := d.waitUntilGraded(ctx, sent); err != nil {
		return err
	}

	say("3. What was found, each with the span that proves it")
	if err := d.findings(ctx); err != nil {
		return err
	}
	say("4. Questions that SQL answers")
	for _, name := range []string{"outcomes", "worst-traces", "usage"} {
		if err := d.show(ctx, name); err != nil {
			return err
		}
	}
	say("5. How to go on")
	fmt.Printf(`  %[1]s grade %[2]s/openinference-manual/S10.otlp.jsonl
      the same grades from a file, without any server
  %[1]s inspect %[2]s/otel-openai
      what tracegrade understands of a trace
  %[1]s serve
      a collector and its ClickHouse that stay; then send OTLP to localhost:4317 and ask "%[1]s query"
  README.md
      how to plug it into a collector and a ClickHouse that you have
`, bin, folder)
	return nil
}

func say(format string, args ...any) { fmt.Printf("\n== "+format+"\n\n", args...) }

type demo struct {
	bin, data, otlp string
}

// serve starts the collector and waits until it is ready. The returned
// function stops it and waits until it is gone.
func (d *demo) serve(ctx context.Context) (func(), error) {
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	d.otlp = ports[0]
	args := []string{"serve", "--data", d.data, "--otlp-grpc", ports[0], "--otlp-http", ports[1], "--health", ports[2], "--metrics", ""}
	fmt.Printf("$ %s serve --data %s\n", d.bin, d.data)
	cmd := exec.Command(d.bin, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w (make build makes it)", d.bin, err)
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	stop := func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-gone:
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			<-gone
		}
	}
	for {
		select {
		case err := <-gone:
			gone <- err
			return nil, fmt.Errorf("the collector ended: %w", err)
		case <-ctx.Done():
			stop()
			return nil, fmt.Errorf("the collector did not become ready: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
		if r, err := http.Get("http://" + ports[2]); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return stop, nil
			}
		}
	}
}

// send exports the recordings and returns the number of their traces.
func (d *demo) send(ctx context.Context, folder string) (int, error) {
	conn, err := grpc.NewClient(d.otlp, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	traces, logs := ptraceotlp.NewGRPCClient(conn), plogotlp.NewGRPCClient(conn)
	ids := map[string]bool{}
	for _, r := range runs {
		files, err := filepath.Glob(filepath.Join(folder, r.files+".*otlp.jsonl"))
		if err != nil || len(files) == 0 {
			return 0, fmt.Errorf("no recording %s in %s", r.files, folder)
		}
		spans := 0
		_, err = tracefile.Read(ctx, files, tracefile.Options{Workers: 1}, tracefile.Sink{
			Data: func(data tracefile.Data) error {
				for _, rs := range data.Traces.ResourceSpans().All() {
					for _, ss := range rs.ScopeSpans().All() {
						for _, s := range ss.Spans().All() {
							ids[s.TraceID().String()] = true
							spans++
						}
					}
				}
				if data.Traces.SpanCount() > 0 {
					_, err := traces.Export(ctx, ptraceotlp.NewExportRequestFromTraces(data.Traces))
					return err
				}
				_, err := logs.Export(ctx, plogotlp.NewExportRequestFromLogs(data.Logs))
				return err
			},
			Problem: func(p *tracefile.Problem) { fmt.Fprintln(os.Stderr, "demo:", p) },
		})
		if err != nil {
			return 0, fmt.Errorf("send %s: %w", r.files, err)
		}
		fmt.Printf("  %-26s %3d spans   %s\n", r.files, spans, r.story)
	}
	return len(ids), nil
}

// waitUntilGraded asks ClickHouse until all traces that were sent are there.
func (d *demo) waitUntilGraded(ctx context.Context, want int) error {
	for {
		var rows []struct {
			N json.Number `json:"n"`
		}
		out, err := d.query(ctx, "--format", "json", "SELECT uniqExact(trace_id) AS n FROM traces")
		if err == nil && json.Unmarshal(out, &rows) == nil && len(rows) == 1 && rows[0].N.String() == fmt.Sprint(want) {
			fmt.Printf("\n  %d traces are graded and stored\n", want)
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("the traces were not graded in time: %w", ctx.Err()), err)
		case <-time.After(300 * time.Millisecond):
		}
	}
}

func (d *demo) query(ctx context.Context, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, d.bin, append([]string{"query", "--data", d.data}, args...)...).Output()
}

// findings runs the query of that name and writes each row over three lines.
func (d *demo) findings(ctx context.Context) error {
	fmt.Printf("$ %s query findings\n", d.bin)
	out, err := d.query(ctx, "--format", "json", "findings")
	if err != nil {
		return fmt.Errorf("query findings: %w", err)
	}
	var rows []struct {
		Service, Rule, Severity, Outcome, Message, Span string
		TraceID                                         string `json:"trace_id"`
	}
	if err := json.Unmarshal(out, &rows); err != nil {
		return fmt.Errorf("query findings: %w", err)
	}
	if len(rows) == 0 {
		return errors.New("no finding: the recordings hold some")
	}
	for _, r := range rows {
		fmt.Printf("  %-5s%-8s%-20s%s\n               %s\n               proof: span %s of trace %s\n", r.Outcome, r.Severity, r.Rule, r.Service, r.Message, r.Span, r.TraceID)
	}
	return nil
}

// show runs a named query as a user would.
func (d *demo) show(ctx context.Context, name string) error {
	fmt.Printf("$ %s query %s\n", d.bin, name)
	out, err := d.query(ctx, name)
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("query %s: %s", name, strings.TrimSpace(string(exit.Stderr)))
		}
		return fmt.Errorf("query %s: %w", name, err)
	}
	fmt.Println(string(out))
	return nil
}

// freePorts returns addresses on which nothing listens now.
func freePorts(n int) ([]string, error) {
	var addresses []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}
