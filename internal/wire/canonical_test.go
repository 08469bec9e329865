package wire

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// run is one trace of a captured file: its spans, and what they were read as.
type run struct {
	spans ptrace.Traces
	own   []*trace.Step
	trace *trace.Trace
}

// runs reads a captured file, with its log records.
func runs(t *testing.T, file string) []run {
	t.Helper()
	reader := normalise.New(normalise.Options{})
	var ids []string
	byID := map[string]*run{}
	eachLine(t, file, func(line []byte) {
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					s := reader.Span(rs.Resource(), ss.Scope(), span)
					r := byID[s.TraceID]
					if r == nil {
						r = &run{spans: ptrace.NewTraces()}
						byID[s.TraceID], ids = r, append(ids, s.TraceID)
					}
					r.own = append(r.own, s)
					to := r.spans.ResourceSpans().AppendEmpty()
					rs.Resource().CopyTo(to.Resource())
					in := to.ScopeSpans().AppendEmpty()
					ss.Scope().CopyTo(in.Scope())
					span.CopyTo(in.Spans().AppendEmpty())
				}
			}
		}
	})
	var fragments []*trace.Fragment
	if logs := strings.Replace(file, ".otlp.", ".logs.otlp.", 1); exists(logs) {
		eachLine(t, logs, func(line []byte) {
			ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
			if err != nil {
				t.Fatalf("%s: %v", logs, err)
			}
			for _, rl := range ld.ResourceLogs().All() {
				for _, sl := range rl.ScopeLogs().All() {
					for _, record := range sl.LogRecords().All() {
						if f := reader.Log(rl.Resource(), sl.Scope(), record); f != nil {
							fragments = append(fragments, f)
						}
					}
				}
			}
		})
	}
	var out []run
	for _, id := range ids {
		r := byID[id]
		var mine []*trace.Fragment
		for _, f := range fragments {
			if f.TraceID == id {
				mine = append(mine, f)
			}
		}
		r.trace = assemble.Trace(id, r.own, mine, trace.Release{})
		out = append(out, *r)
	}
	return out
}

func exists(file string) bool { _, err := os.Stat(file); return err == nil }

func eachLine(t *testing.T, file string, do func([]byte)) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		do(lines.Bytes())
	}
}

// write puts the trace on a copy of its spans.
func (r *run) write(canonical bool) ptrace.Traces {
	td := ptrace.NewTraces()
	r.spans.CopyTo(td)
	Write(td, &trace.Grade{Trace: r.trace, GradedAt: epoch}, Options{
		Own: r.own, Joined: func(*trace.Step) bool { return true }, Canonical: canonical,
	})
	return td
}

// each visits the spans that have a step, and what the same span was before.
func (r *run) each(td ptrace.Traces, visit func(at int, resource pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span)) {
	i := 0
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			if Own(ss.Scope()) {
				continue
			}
			for _, span := range ss.Spans().All() {
				visit(i, rs.Resource(), ss.Scope(), span)
				i++
			}
		}
	}
}

// On every captured trace: what a producer wrote stays, the spans mean to us what
// they mean without the attributes, writing twice is writing once, and a reader of
// the conventions alone finds the same steps.
func TestCanonical(t *testing.T) {
	files, err := filepath.Glob("../../testdata/traces/*/*[0-9].otlp.jsonl")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d captured files, %v; want more than 100", len(files), err)
	}
	reader := normalise.New(normalise.Options{})
	compared := map[string]int{}
	for _, file := range files {
		for _, r := range runs(t, file) {
			plain, full := r.write(false), r.write(true)
			var without []ptrace.Span
			r.each(plain, func(_ int, _ pcommon.Resource, _ pcommon.InstrumentationScope, s ptrace.Span) {
				without = append(without, s)
			})
			r.each(full, func(at int, resource pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span) {
				for key, v := range without[at].Attributes().All() {
					if got, ok := span.Attributes().Get(key); !ok || !got.Equal(v) {
						t.Errorf("%s: %s: %s is no longer what it is without", file, span.Name(), key)
					}
				}
				if diff := cmp.Diff(told(reader.Span(resource, scope, without[at])), told(reader.Span(resource, scope, span))); diff != "" {
					t.Errorf("%s: %s: reads otherwise with them (-without +with):\n%s", file, span.Name(), diff)
				}
				r.alone(t, file, reader, span, compared)
			})
			r.each(full, func(at int, _ pcommon.Resource, _ pcommon.InstrumentationScope, span ptrace.Span) {
				Strip(span)
				Strip(without[at])
				if !span.Attributes().Equal(without[at].Attributes()) {
					t.Errorf("%s: %s: something stays after Strip", file, span.Name())
				}
			})
		}
	}
	t.Logf("compared: %v", compared)
	for _, facet := range []string{"kind", "model", "usage", "input", "output", "tool name", "arguments", "result", "documents"} {
		if compared[facet] < 100 {
			t.Errorf("%s was compared on %d steps only", facet, compared[facet])
		}
	}
}

// alone reads what was added to a span as a span of its own, and compares it with
// the step.
func (r *run) alone(t *testing.T, file string, reader *normalise.Reader, span ptrace.Span, compared map[string]int) {
	t.Helper()
	id := span.SpanID()
	at := slices.IndexFunc(r.trace.Steps, func(s *trace.Step) bool { return s.SpanID == id.String() })
	want := r.trace.Steps[at]
	list, ok := span.Attributes().Get(stepWritten)
	if !ok {
		return
	}
	if want.DuplicateOf != "" {
		t.Errorf("%s: %s: written though it repeats %s", file, span.Name(), want.DuplicateOf)
	}
	alone := ptrace.NewSpan()
	alone.SetName("x")
	span.Status().CopyTo(alone.Status())
	added := map[string]bool{}
	for _, key := range list.Slice().All() {
		v, _ := span.Attributes().Get(key.Str())
		v.CopyTo(alone.Attributes().PutEmpty(key.Str()))
		added[key.Str()] = true
	}
	if !added[keyOperation] { // the producer has one: the rest hangs together with it
		v, _ := span.Attributes().Get(keyOperation)
		v.CopyTo(alone.Attributes().PutEmpty(keyOperation))
	}
	got := reader.Span(pcommon.NewResource(), pcommon.NewInstrumentationScope(), alone)
	if got.Dialect != "otel-genai" {
		t.Errorf("%s: %s: read by %s", file, span.Name(), got.Dialect)
	}
	check := func(facet, key string, got, want any) {
		if !added[key] {
			return
		}
		compared[facet]++
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s: %s (-step +read alone):\n%s", file, span.Name(), facet, diff)
		}
	}
	check("kind", keyOperation, got.Kind.String(), want.Kind.String())
	if got.Kind != want.Kind {
		return
	}
	if _, says := span.Attributes().Get(errorType); want.Status.Failed && !says {
		t.Errorf("%s: %s: it failed, and no attribute says so", file, span.Name())
	}
	check("model", "gen_ai.request.model", got.Model.Request, want.Model.Request)
	check("model", "gen_ai.response.model", got.Model.Response, want.Model.Response)
	check("model", "gen_ai.provider.name", got.Model.Provider, want.Model.Provider)
	check("model", "gen_ai.response.finish_reasons", got.Model.FinishReasons, want.Model.FinishReasons)
	check("usage", "gen_ai.usage.input_tokens", got.Usage.Input, want.Usage.Input)
	check("usage", "gen_ai.usage.output_tokens", got.Usage.Output, want.Usage.Output)
	check("usage", "gen_ai.usage.reasoning.output_tokens", got.Usage.Reasoning, want.Usage.Reasoning)
	check("usage", "gen_ai.usage.cache_read.input_tokens", got.Usage.CacheRead, want.Usage.CacheRead)
	check("session", "gen_ai.conversation.id", got.Session, want.Session)
	check("input", keyInput, said(&got.Input), said(&want.Input))
	check("output", keyOutput, said(&got.Output), said(&want.Output))
	if want.Tool != nil && got.Tool != nil {
		check("tool name", keyToolName, got.Tool.Name, want.Tool.Name)
		check("arguments", keyArguments, trace.EncodeJSON(got.Tool.Arguments.Data()), trace.EncodeJSON(want.Tool.Arguments.Data()))
		check("result", keyResult, trace.EncodeJSON(got.Tool.Result.Data()), trace.EncodeJSON(want.Tool.Result.Data()))
		check("documents", "gen_ai.retrieval.documents", contentsOf(got.Documents), contentsOf(want.Documents))
		if want.Kind == trace.KindTool {
			check("documents", keyResult, contentsOf(got.Documents), contentsOf(want.Documents))
		}
	}
}

func contentsOf(list []trace.Document) []string {
	var out []string
	for i := range list {
		out = append(out, list[i].ID+" "+list[i].Title+" "+list[i].URL+" "+list[i].PublishedAt+" "+list[i].Content)
	}
	return out
}

// said is messages for comparison.
func said(m *trace.Messages) []string {
	var out []string
	for _, m := range m.List() {
		line := string(m.Role) + " " + m.FinishReason
		for i := range m.Parts {
			p := &m.Parts[i]
			line += "|" + string(p.Type) + " " + p.Text + p.ID + " " + p.Name + " " + trace.EncodeJSON(p.Value.Data())
		}
		out = append(out, line)
	}
	return out
}

// told is all that a step says, for comparison.
func told(s *trace.Step) []string {
	out := []string{s.Kind.String(), s.KindSource, s.Dialect, s.Session, s.User, s.Agent.Name, s.Model.Provider, s.Model.Request, s.Model.Response, s.Model.ResponseID, s.Capture.String(), s.Usage.Scope.String(),
		trace.EncodeJSON(s.Usage), s.RawInput.Text(), s.RawOutput.Text(), trace.EncodeJSON(s.Offered.Data()), trace.EncodeJSON(s.Losses), trace.EncodeJSON(s.Status)}
	out = append(out, said(&s.Input)...)
	out = append(out, said(&s.Output)...)
	out = append(out, contentsOf(s.Documents)...)
	if t := s.Tool; t != nil {
		out = append(out, t.Name, t.CallID, t.Error, t.Arguments.Text(), t.Result.Text())
	}
	return out
}
