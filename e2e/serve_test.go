package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/tracegrade/tracegrade/internal/store"
)

// wantRows waits until SQL answers want.
func wantRows(t *testing.T, c *collector, s *store.Store, sql string, want []string) {
	t.Helper()
	var got []string
	c.eventually(sql, func() (err error) {
		got, err = ask(t.Context(), s, sql)
		if err == nil && !slices.Equal(got, want) {
			err = fmt.Errorf("rows (-want +got):\n%s", cmp.Diff(want, got))
		}
		return err
	})
}

// An agent that is instrumented with the OpenTelemetry SDK, over both
// protocols.
func TestSDKOverGRPCAndHTTP(t *testing.T) {
	c := serve(t, t.TempDir(), quick...)
	for _, protocol := range []string{"grpc", "http"} {
		var e sdktrace.SpanExporter
		var err error
		if protocol == "grpc" {
			e, err = otlptracegrpc.New(t.Context(), otlptracegrpc.WithEndpoint(c.grpc), otlptracegrpc.WithInsecure())
		} else {
			e, err = otlptracehttp.New(t.Context(), otlptracehttp.WithEndpoint(c.http), otlptracehttp.WithInsecure())
		}
		if err != nil {
			t.Fatal(err)
		}
		provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(e), sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "sdk-"+protocol))))
		tracer := provider.Tracer("agent")
		ctx, root := tracer.Start(t.Context(), "invoke_agent clerk")
		root.SetAttributes(attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", "clerk"))
		_, call := tracer.Start(ctx, "execute_tool refund")
		call.SetAttributes(attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "refund"), attribute.String("gen_ai.tool.call.arguments", `{"order":7}`))
		call.SetStatus(codes.Error, "card declined")
		call.End()
		_, chat := tracer.Start(ctx, "chat m")
		chat.SetAttributes(attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.request.model", "m"),
			attribute.String("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"Your refund is done."}],"finish_reason":"stop"}]`))
		chat.End()
		root.End()
		if err := provider.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := database(t, c.data)
	wantRows(t, c, s, "SELECT service, agent, answer, complete FROM traces ORDER BY service",
		[]string{"sdk-grpc clerk Your refund is done. true", "sdk-http clerk Your refund is done. true"})
	wantRows(t, c, s, "SELECT service, kind, tool, failed FROM steps WHERE kind = 'tool' ORDER BY service",
		[]string{"sdk-grpc tool refund true", "sdk-http tool refund true"})
	// The failed refund was never retried or mentioned.
	wantRows(t, c, s, "SELECT service, outcome FROM findings WHERE rule = 'unhandled-error' ORDER BY service",
		[]string{"sdk-grpc fail", "sdk-http fail"})
	c.term()
}

// captures are recorded runs of several frameworks, with log records and
// without.
var captures = []string{
	"openinference-manual/S1", "openinference-manual/S3", "openinference-openai/S5", "otel-openai/S3", "otel-openai/S5", "openlit/S4",
	"langchain-openinference/S6", "langchain-double/S2", "vercel-ai/S9", "vercel-ai/S2",
}

// recorded reads the requests of a capture, log records first: order must not
// matter.
func recorded(t *testing.T) (logs []plog.Logs, traces []ptrace.Traces, files []string) {
	t.Helper()
	for _, capture := range captures {
		path := filepath.Join("..", "testdata", "traces", filepath.FromSlash(capture))
		if data, err := os.ReadFile(path + ".logs.otlp.jsonl"); err == nil {
			files = append(files, path+".logs.otlp.jsonl")
			for line := range strings.Lines(string(data)) {
				ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs([]byte(line))
				if err != nil {
					t.Fatal(err)
				}
				logs = append(logs, ld)
			}
		}
		data, err := os.ReadFile(path + ".otlp.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, path+".otlp.jsonl")
		for line := range strings.Lines(string(data)) {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(line))
			if err != nil {
				t.Fatal(err)
			}
			traces = append(traces, td)
		}
	}
	if len(logs) == 0 {
		t.Fatal("no capture has log records")
	}
	return logs, traces, files
}

// What the collector stores of a trace is what the command line stores of its
// file: the same findings, outcomes, traces and steps.
func TestLiveAndOfflineStoreTheSame(t *testing.T) {
	live := serve(t, t.TempDir(), quick...)
	logs, traces, files := recorded(t)
	for _, ld := range logs {
		if err := live.sendLogs(ld); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[pcommon.TraceID]bool{}
	for _, td := range traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					ids[s.TraceID()] = true
				}
			}
		}
		if err := live.sendTraces(td); err != nil {
			t.Fatal(err)
		}
	}
	s := database(t, live.data)
	wantRows(t, live, s, "SELECT toString(count()) FROM traces", []string{fmt.Sprint(len(ids))})

	data := t.TempDir()
	if _, status := tracegrade(t, append([]string{"grade", "--store", "--data", data, "--format", "json"}, files...)...); status != 1 {
		t.Fatalf("grade --store: status %d, want 1: the captures hold failures", status)
	}
	offline := database(t, data)
	for _, sql := range []string{
		"SELECT trace_id, rule, rule_hash, subject, span_id, step_id, outcome, severity, reason, message, witness, revision, digest, session_id, service, version, agent FROM findings ORDER BY ALL",
		"SELECT trace_id, rule, rule_hash, pass, fail, not_applicable, error, skipped, revision, digest FROM outcomes FINAL ORDER BY ALL",
		"SELECT * EXCEPT (row_version, graded_at, release_reason) FROM traces ORDER BY trace_id",
		"SELECT * EXCEPT (row_version) FROM steps FINAL ORDER BY trace_id, step_id",
		"SELECT * EXCEPT (row_version) FROM observations FINAL ORDER BY ALL",
		"SELECT * EXCEPT (row_version) FROM links FINAL ORDER BY ALL",
		"SELECT kind, rule, hash, title, scope, severity, defect, text FROM rules FINAL ORDER BY ALL",
	} {
		want, err := ask(t.Context(), offline, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if len(want) == 0 {
			t.Errorf("%s: nothing offline", sql)
		}
		wantRows(t, live, s, sql, want)
	}
	live.term()
	impactOfStored(t, data, files)
}

// impactOfStored asks what changed rules would change on files, and on the same
// traces as they are stored.
func impactOfStored(t *testing.T, data string, files []string) {
	rules := filepath.Join(t.TempDir(), "few.yaml")
	const text = "rules:\n- {id: few, title: Few calls, severity: low, scope: trace, assert: len(llms()) < 3}\n" +
		"- {id: short, title: Short, severity: low, scope: session, assert: len(answers) < 2}\n"
	if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want, status := tracegrade(t, append([]string{"rules", "impact", "pack:evidence", rules}, files...)...)
	if status != 0 || !strings.Contains(want, "few: none -> fail") || !strings.Contains(want, "short: none -> fail") || !strings.Contains(want, "single-source: fail -> none") {
		t.Fatalf("impact on files: status %d:\n%s", status, want)
	}
	got, status := tracegrade(t, "rules", "impact", "pack:evidence", rules, "--from", "--data", data)
	if diff := cmp.Diff(lines(want), lines(got)); status != 0 || diff != "" {
		t.Errorf("status %d; impact (-files +stored):\n%s", status, diff)
	}
	if none, status := tracegrade(t, "rules", "impact", "pack:evidence", rules, "--from", "--data", data, "--since", "2030-01-01"); status != 5 {
		t.Errorf("no trace selected: status %d, want 5:\n%s", status, none)
	}
}

// lines is a text as a set of lines: stored traces come in another order where
// they began at one time.
func lines(text string) []string {
	list := strings.Split(text, "\n")
	slices.Sort(list)
	return list
}

func TestHTTPBodies(t *testing.T) {
	c := serve(t, t.TempDir(), quick...)
	td := agentTrace(1, "shop")
	proto, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	json, err := (&ptrace.JSONMarshaler{}).MarshalTraces(agentTrace(2, "shop"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, contentType string
		body              []byte
		status            int
	}{
		{"protobuf", "application/x-protobuf", proto, 200},
		{"JSON", "application/json", json, 200},
		{"cut JSON", "application/json", json[:len(json)/2], 400},
		{"noise", "application/x-protobuf", []byte("\xff\xfe\xfd noise"), 400},
	} {
		if status, answer := c.post("/v1/traces", tt.contentType, tt.body); status != tt.status {
			t.Errorf("%s: status %d (%s), want %d", tt.name, status, answer, tt.status)
		}
	}
	// A request beyond gRPC's own limit of 4 MiB, as long conversations are.
	large := agentTrace(3, "shop")
	large.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(1).Attributes().PutStr("gen_ai.tool.call.result", strings.Repeat("x", 20<<20))
	if err := c.sendTraces(large); err != nil {
		t.Errorf("20 MiB over gRPC: %v", err)
	}
	s := database(t, c.data)
	wantRows(t, c, s, "SELECT toString(count()) FROM traces", []string{"3"})
	wantRows(t, c, s, "SELECT has(cut, 'output'), toString(length(output)) FROM steps WHERE startsWith(trace_id, '03') AND kind = 'tool'", []string{"1 65536"})
	c.term()
}

// agentTrace is trace n: a root, a tool that failed and was ignored, an answer.
func agentTrace(n uint32, service string) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", service)
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	for i, op := range []string{"invoke_agent", "execute_tool", "chat"} {
		s := spans.AppendEmpty()
		s.SetTraceID([16]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24), 1})
		s.SetSpanID([8]byte{byte(i + 1)})
		if i > 0 {
			s.SetParentSpanID([8]byte{1})
		}
		s.SetName(op)
		s.SetStartTimestamp(pcommon.Timestamp(1_796_000_000_000_000_000 + 1000*i))
		s.SetEndTimestamp(s.StartTimestamp() + 1_000_000)
		a := s.Attributes()
		a.PutStr("gen_ai.operation.name", op)
		switch op {
		case "execute_tool":
			a.PutStr("gen_ai.tool.name", "refund")
			a.PutStr("gen_ai.tool.call.arguments", `{"order":7}`)
			s.Status().SetCode(ptrace.StatusCodeError)
			s.Status().SetMessage("card declined")
		case "chat":
			a.PutStr("gen_ai.request.model", "m")
			a.PutStr("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"Your refund is done."}],"finish_reason":"stop"}]`)
		}
	}
	return td
}

// Raw spans that contrib's own exporter writes stand beside our findings.
func TestFindingsBesideContribsTable(t *testing.T) {
	c := serve(t, t.TempDir(), append(quick,
		"--set=exporters.clickhouse={endpoint: '${env:TRACEGRADE_DSN}', database: tracegrade}",
		"--set=service.pipelines.traces/raw={receivers: [otlp], exporters: [clickhouse]}")...)
	if err := c.sendTraces(agentTrace(1, "shop")); err != nil {
		t.Fatal(err)
	}
	s := database(t, c.data)
	wantRows(t, c, s, "SELECT rule, SpanName FROM findings_current INNER JOIN otel_traces ON TraceId = trace_id AND SpanId = span_id WHERE rule = 'unhandled-error'",
		[]string{"unhandled-error execute_tool"})
	out, status := tracegrade(t, "query", "otel-findings", "-p", "database=tracegrade", "-p", "rule=unhandled-error", "--data", c.data, "--format", "csv")
	if status != 0 || !strings.Contains(out, "execute_tool") || strings.Count(out, "\n") != 2 {
		t.Errorf("status %d, want one finding beside its span:\n%s", status, out)
	}
	c.term()
}
