package assemble_test

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// fataler is a test, or one try of a property.
type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// inspect is all that there is to see of a trace.
func inspect(t fataler, tr *trace.Trace) string {
	var b bytes.Buffer
	if err := report.Inspect(&b, []*trace.Trace{tr}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// again draws the same things in another order, some of them several times.
func again[T any](t *rapid.T, list []T, label string) []T {
	out := slices.Clone(list)
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, max(0, len(list)-1)), 0, 5).Draw(t, label+" repeated") {
		if i < len(list) {
			out = append(out, list[i])
		}
	}
	return rapid.Permutation(out).Draw(t, label)
}

// againLogs does so for log records, but keeps the order of records of one span
// and one time: OTLP has no other place for it.
func againLogs(t *rapid.T, list []*trace.Fragment) []*trace.Fragment {
	out := again(t, list, "records")
	first := make(map[*trace.Fragment]int)
	for i, f := range list {
		first[f] = i
	}
	same := make(map[string][]int)
	for i, f := range out {
		key := fmt.Sprint(f.SpanID, f.Time.UnixNano())
		same[key] = append(same[key], i)
	}
	for _, places := range same {
		group := make([]*trace.Fragment, len(places))
		for i, p := range places {
			group[i] = out[p]
		}
		slices.SortStableFunc(group, func(x, y *trace.Fragment) int { return first[x] - first[y] })
		for i, p := range places {
			out[p] = group[i]
		}
	}
	return out
}

// runs lists the recorded runs, a few of each framework.
func runs(t *testing.T, scenarios string) []string {
	files, err := filepath.Glob(filepath.Join(tracesDir, "*", scenarios+".otlp.jsonl"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d recorded runs of %s, %v", len(files), scenarios, err)
	}
	var list []string
	for _, f := range files {
		if !strings.HasSuffix(f, ".logs.otlp.jsonl") {
			list = append(list, strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(f), tracesDir+"/"), ".otlp.jsonl"))
		}
	}
	return list
}

// Any order of arrival and any repetition gives the same trace, of every
// recorded run.
func TestArrivalDoesNotMatter(t *testing.T) {
	rec := make(map[string]*recording)
	var keys []string
	want := make(map[string]string)
	for _, run := range runs(t, "S[3-5]") {
		r := record(t, run+".*otlp.jsonl")
		for _, id := range r.order {
			key := run + " " + id
			rec[key] = r
			keys = append(keys, key)
			want[key] = inspect(t, assemble.Trace(id, r.steps[id], r.fragments[id], trace.Release{}))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.SampledFrom(keys).Draw(rt, "trace")
		r, id := rec[key], key[strings.LastIndexByte(key, ' ')+1:]
		tr := assemble.Trace(id, again(rt, r.steps[id], "spans"), againLogs(rt, r.fragments[id]), trace.Release{})
		if diff := cmp.Diff(want[key], inspect(rt, tr)); diff != "" {
			rt.Fatalf("another order gives another trace (-first +now):\n%s", diff)
		}
	})
}

// hostileStep draws a step whose ids, parents, times and content collide with
// those of others as often as not.
func hostileStep(t *rapid.T) *trace.Step {
	pick := func(list ...string) string { return rapid.SampledFrom(list).Draw(t, "pick") }
	s := span(trace.Kind(rapid.IntRange(0, len(trace.KindNames)-1).Draw(t, "kind")),
		pick("", "a", "b", "c", "d", "e"), pick("", "", "a", "b", "c", "d", "e", "missing"),
		rapid.IntRange(0, 3).Draw(t, "start"), rapid.IntRange(0, 3).Draw(t, "end"))
	switch rapid.IntRange(0, 5).Draw(t, "times") {
	case 0:
		s.Start = time.Time{}
	case 1:
		s.Start, s.End = time.Unix(0, 0), time.Unix(0, 0)
	}
	s.Scope = pick("app", "sdk")
	s.Session = pick("", "", "s1", "s2")
	s.Agent.Name = pick("", "", "x", "y")
	s.Model.ResponseID = pick("", "", "r1", "r2")
	s.Status.Failed = rapid.Bool().Draw(t, "failed")
	s.Hints.Pending = rapid.IntRange(0, 9).Draw(t, "pending") == 0
	s.Hints.Chunk = rapid.IntRange(0, 9).Draw(t, "chunk") == 0
	s.Hints.StreamKey = pick("", "", "", "k")
	s.Hints.RPCID, s.Hints.RPCSide = pick("", "", "1"), pick("client", "server")
	s.Hints.NewFrom = rapid.IntRange(-1, 4).Draw(t, "new from")
	if rapid.Bool().Draw(t, "usage") {
		usage(int64(rapid.IntRange(0, 2).Draw(t, "in")), 1)(s)
	}
	if rapid.Bool().Draw(t, "tool") {
		tool(pick("", "search", "pay"), pick("", "c1", "c2"), pick("", "{}", `{"q":1}`, "x"), pick("", "1", "{"))(s)
	}
	messages := rapid.SliceOfN(rapid.SampledFrom([]trace.Message{
		sys, ask, user("more"), ai("yes"), ai(""), asks("c1", "search", "{}"), asks("", "pay", `{"q":"x"}`), asks("c1", "", ""),
		told("c1", "1"), told("", "2"), toldError("c2", "503"), {Role: trace.RoleTool}, {},
	}), 0, 5)
	if rapid.Bool().Draw(t, "messages") {
		s.Input, s.Output = trace.MessageList(messages.Draw(t, "input")), trace.MessageList(messages.Draw(t, "output"))
	}
	return s
}

func TestArrivalOfHostileSpansDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var steps []*trace.Step
		for range rapid.IntRange(0, 12).Draw(rt, "count") {
			steps = append(steps, hostileStep(rt))
		}
		first := build(steps...)
		second := build(again(rt, steps, "spans")...)
		if diff := cmp.Diff(inspect(rt, first), inspect(rt, second)); diff != "" {
			rt.Fatalf("another order gives another trace (-first +now):\n%s", diff)
		}
		sound(rt, first)
		session := assemble.Session{Traces: []*trace.Trace{first}}
		sound(rt, session.Trace())
		assemble.Sessions([]*trace.Trace{first, second})
	})
}

// sound checks what holds of every trace.
func sound(t fataler, tr *trace.Trace) {
	byID := make(map[string]*trace.Step)
	for i, s := range tr.Steps {
		if s.ID == "" || byID[s.ID] != nil {
			t.Fatalf("step %d has the id %q, which is empty or another's", i, s.ID)
		}
		byID[s.ID] = s
	}
	var sum trace.Usage
	for _, s := range tr.Steps {
		if d := s.DuplicateOf; d != "" && (byID[d] == nil || byID[d].DuplicateOf != "") {
			t.Fatalf("step %s repeats %q, which is none or repeats another", s.ID, d)
		}
		if c := s.CausedBy; c != "" && (byID[c] == nil || byID[c] == s || byID[c].DuplicateOf != "") {
			t.Fatalf("step %s is caused by %q, which is none, itself or a repetition:\n%s", s.ID, c, inspect(t, tr))
		}
		if s.DuplicateOf == "" && s.Usage.Scope == trace.UsageOwn {
			sum.Add(s.Usage)
		}
	}
	sum.Scope = tr.Usage.Scope
	if sum != tr.Usage {
		t.Fatalf("usage of the trace %+v, sum of its steps %+v", tr.Usage, sum)
	}
	if tr.AnswerStep != "" && byID[tr.AnswerStep] == nil {
		t.Fatalf("the answer is of step %q, which there is none of", tr.AnswerStep)
	}
}

// Any batching and order, with gaps shorter than quiet, gives one release with
// the trace that all spans together make; longer gaps give revisions of which
// the last is that trace. Every payload is handed back once.
func TestBufferReleasesTheWholeTrace(t *testing.T) {
	rec := record(t, "otel-openai/S3.*otlp.jsonl")
	id := rec.order[0]
	want := assemble.Trace(id, rec.steps[id], rec.fragments[id], trace.Release{Reason: trace.ReleaseRootQuiet})
	for _, tt := range []struct {
		name string
		gap  time.Duration
		once bool
	}{{"short gaps", limits.Quiet - 1, true}, {"long gaps", 10 * limits.Quiet, false}} {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				steps := again(rt, rec.steps[id], "spans")
				records := againLogs(rt, rec.fragments[id])
				var batches []assemble.Arrival[string]
				for len(steps)+len(records) > 0 {
					n := rapid.IntRange(0, min(3, len(steps))).Draw(rt, "spans in a batch")
					m := rapid.IntRange(0, min(6, len(records))).Draw(rt, "records in a batch")
					batches = append(batches, assemble.Arrival[string]{TraceID: id, Steps: steps[:n], Fragments: records[:m], Payload: fmt.Sprint(len(batches)), Bytes: 1})
					steps, records = steps[n:], records[m:]
				}
				gaps := rapid.SliceOfN(rapid.Int64Range(0, int64(tt.gap)), len(batches), len(batches)).Draw(rt, "gaps")
				var released []assemble.Released[string]
				synctest.Test(t, func(t *testing.T) {
					options := limits
					options.MaxSpans, options.MaxBytes = 1000, 1<<20
					b := assemble.NewBuffer(options, func(r assemble.Released[string]) { released = append(released, r) })
					for i, a := range batches {
						if err := b.Add(a); err != nil {
							t.Error(err)
						}
						if i < len(batches)-1 {
							time.Sleep(time.Duration(gaps[i]))
						}
					}
					time.Sleep(limits.Idle)
					if err := b.Shutdown(context.Background()); err != nil {
						t.Error(err)
					}
				})
				handed := make(map[string]bool)
				for _, r := range released {
					for _, p := range r.Payloads {
						if handed[p] {
							rt.Fatalf("payload %s was handed back twice", p)
						}
						handed[p] = true
					}
				}
				if len(handed) != len(batches) || len(released) == 0 || tt.once && len(released) != 1 {
					rt.Fatalf("%d releases with %d of %d payloads", len(released), len(handed), len(batches))
				}
				last := released[len(released)-1].Trace
				last.Release.Reason = want.Release.Reason
				if diff := cmp.Diff(inspect(rt, want), inspect(rt, last)); diff != "" {
					rt.Fatalf("the last revision is another trace (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// What is left of a run when spans and records are lost is a sound trace, of
// which only the lost parts are missing.
func TestAnyPartIsSound(t *testing.T) {
	rec := make(map[string]*recording)
	var keys []string
	for _, run := range runs(t, "S[34]") {
		r := record(t, run+".*otlp.jsonl")
		for _, id := range r.order {
			rec[run+" "+id] = r
			keys = append(keys, run+" "+id)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.SampledFrom(keys).Draw(rt, "trace")
		r, id := rec[key], key[strings.LastIndexByte(key, ' ')+1:]
		var steps []*trace.Step
		for _, s := range r.steps[id] {
			if rapid.Bool().Draw(rt, "keep") {
				steps = append(steps, s)
			}
		}
		var records []*trace.Fragment
		for _, f := range r.fragments[id] {
			if rapid.Bool().Draw(rt, "keep") {
				records = append(records, f)
			}
		}
		tr := assemble.Trace(id, steps, records, trace.Release{})
		sound(rt, tr)
		kept := make(map[string]bool)
		for _, s := range steps {
			kept[s.SpanID] = true
		}
		for _, s := range tr.Steps {
			if s.SpanID != "" && !kept[s.SpanID] {
				rt.Fatalf("step %s is of a span that was lost", s.SpanID)
			}
			delete(kept, s.SpanID)
		}
		if len(kept) > 0 {
			rt.Fatalf("spans %v are not listed", kept)
		}
		if tr.Revision != len(steps)+len(records)-repeatedRecords(records) {
			rt.Fatalf("revision %d of %d spans and %d records", tr.Revision, len(steps), len(records))
		}
	})
}

func repeatedRecords(list []*trace.Fragment) int {
	seen := make(map[uint64]bool)
	for _, f := range list {
		seen[f.Hash] = true
	}
	return len(list) - len(seen)
}
