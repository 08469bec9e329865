package assemble_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// fragment is a log record of span id at a millisecond; its number is its hash.
func fragment(number uint64, spanID string, at int, set func(*trace.Fragment)) *trace.Fragment {
	f := &trace.Fragment{TraceID: traceID, SpanID: spanID, Time: ms(at), Hash: number}
	set(f)
	return f
}

func hears(list ...trace.Message) func(*trace.Fragment) {
	return func(f *trace.Fragment) { f.Input = trace.MessageList(list) }
}

func says(list ...trace.Message) func(*trace.Fragment) {
	return func(f *trace.Fragment) { f.Output = trace.MessageList(list) }
}

func buildWith(steps []*trace.Step, fragments ...*trace.Fragment) *trace.Trace {
	return assemble.Trace(traceID, steps, fragments, trace.Release{})
}

func texts(list []trace.Message) []string {
	var out []string
	for i := range list {
		text := string(list[i].Role) + ":" + list[i].Text()
		for _, p := range list[i].Parts {
			text += p.Name + p.ID
		}
		out = append(out, text)
	}
	return out
}

func TestContentFromLogs(t *testing.T) {
	off := func(s *trace.Step) { s.Capture = trace.CaptureOff }
	llm := func(opts ...func(*trace.Step)) []*trace.Step {
		return []*trace.Step{span(trace.KindLLM, "llm", "", 10, 20, opts...)}
	}
	tests := []struct {
		name      string
		steps     []*trace.Step
		fragments []*trace.Fragment
		input     []string
		output    []string
		capture   trace.Capture
		losses    int
		revision  int
		unjoined  int
	}{
		{"one record a message", llm(off), []*trace.Fragment{
			fragment(1, "llm", 10, hears(sys)), fragment(2, "llm", 11, hears(ask)), fragment(3, "llm", 20, says(ai("999."))),
		}, []string{"system:be careful", "user:what does it cost?"}, []string{"assistant:999."}, trace.CaptureFull, 0, 4, 0},
		{"in the order of time, not of arrival", llm(off), []*trace.Fragment{
			fragment(3, "llm", 20, says(ai("999."))), fragment(2, "llm", 11, hears(ask)), fragment(1, "llm", 10, hears(sys)),
		}, []string{"system:be careful", "user:what does it cost?"}, []string{"assistant:999."}, trace.CaptureFull, 0, 4, 0},
		{"a record that arrives twice counts once", llm(off), []*trace.Fragment{
			fragment(2, "llm", 11, hears(ask)), fragment(2, "llm", 11, hears(ask)),
		}, []string{"user:what does it cost?"}, nil, trace.CaptureFull, 0, 2, 0},
		{"records without content do not switch capture on", llm(off), []*trace.Fragment{
			fragment(1, "llm", 11, hears(trace.Message{Role: trace.RoleUser})),
		}, []string{"user:"}, nil, trace.CaptureOff, 0, 2, 0},
		{"the same content on the span", llm(in(sys, ask), out(ai("999."))), []*trace.Fragment{
			fragment(1, "llm", 11, hears(sys, ask)), fragment(2, "llm", 20, says(ai("999."))),
		}, []string{"system:be careful", "user:what does it cost?"}, []string{"assistant:999."}, trace.CaptureFull, 2, 3, 0},
		{"only the instructions on the span", llm(in(sys)), []*trace.Fragment{
			fragment(1, "llm", 11, hears(ask)),
		}, []string{"system:be careful", "user:what does it cost?"}, nil, trace.CaptureFull, 0, 2, 0},
		{"cut on the span, whole in the log", llm(in(user("what do")), func(s *trace.Step) { s.Capture = trace.CapturePartial }), []*trace.Fragment{
			fragment(1, "llm", 11, hears(ask)),
		}, []string{"user:what does it cost?"}, nil, trace.CapturePartial, 0, 2, 0},
		{"by the id of the reply", llm(off, reply("r1")), []*trace.Fragment{
			{TraceID: traceID, ResponseID: "r1", Time: ms(20), Hash: 1, Output: trace.MessageList([]trace.Message{ai("999.")})},
		}, nil, []string{"assistant:999."}, trace.CaptureFull, 0, 2, 0},
		{"by the id of the reply, its own span not being there", llm(off, reply("r1")), []*trace.Fragment{
			{TraceID: traceID, SpanID: "gone", ResponseID: "r1", Time: ms(20), Hash: 1, Output: trace.MessageList([]trace.Message{ai("999.")})},
		}, nil, []string{"assistant:999."}, trace.CaptureFull, 0, 2, 0},
		{"of no span", llm(off), []*trace.Fragment{
			fragment(1, "other", 11, hears(ask)), {TraceID: traceID, Hash: 2, ResponseID: "r9"}, {TraceID: traceID, Hash: 3},
		}, nil, nil, trace.CaptureOff, 0, 4, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := buildWith(tt.steps, tt.fragments...)
			s := stepOf(t, tr, "llm")
			if diff := cmp.Diff(tt.input, texts(s.Input.List())); diff != "" {
				t.Errorf("input (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.output, texts(s.Output.List())); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
			if s.Capture != tt.capture || len(s.Losses) != tt.losses || tr.Revision != tt.revision || tr.Unjoined != tt.unjoined {
				t.Errorf("capture %v, losses %v, revision %d, unjoined %d; want %v, %d, %d, %d",
					s.Capture, s.Losses, tr.Revision, tr.Unjoined, tt.capture, tt.losses, tt.revision, tt.unjoined)
			}
		})
	}
}

// A producer that writes one record a message repeats the conversation with
// every call, all with one time. What was said before tells the order, and a
// call comes before its result.
func TestRecordsOfOneTime(t *testing.T) {
	call := asks("c1", "search", "{}")
	tr := buildWith([]*trace.Step{
		span(trace.KindLLM, "llm1", "", 10, 20),
		span(trace.KindLLM, "llm2", "", 30, 40),
	},
		fragment(1, "llm1", 10, hears(ask)), fragment(2, "llm1", 10, hears(sys)), fragment(3, "llm1", 20, says(call)),
		fragment(4, "llm2", 30, hears(told("c1", "999"))), fragment(5, "llm2", 30, hears(call)), fragment(6, "llm2", 30, hears(ask)),
		fragment(7, "llm2", 30, hears(sys)), fragment(8, "llm2", 40, says(ai("999."))),
	)
	want := []string{"system:be careful", "user:what does it cost?", "assistant:searchc1", "tool:c1"}
	if diff := cmp.Diff(want, texts(stepOf(t, tr, "llm2").Input.List())); diff != "" {
		t.Errorf("input of llm2 (-want +got):\n%s", diff)
	}
	if got, want := ids(tr), "llm1 (search) llm2"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	first := buildWith([]*trace.Step{span(trace.KindLLM, "llm", "", 10, 20)}, // nothing was said before
		fragment(1, "llm", 10, hears(told("c1", "999"))), fragment(2, "llm", 10, hears(call)), fragment(3, "llm", 10, hears(sys)))
	if diff := cmp.Diff([]string{"system:be careful", "assistant:searchc1", "tool:c1"}, texts(stepOf(t, first, "llm").Input.List())); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
}

// Facts that a producer logs and does not put on the span.
func TestFactsFromLogs(t *testing.T) {
	facts := &trace.Step{
		Session: "s1", Model: trace.Model{Response: "m-1"}, Usage: trace.Usage{Input: 3, Output: 4, Scope: trace.UsageOwn},
		Status: trace.Status{Failed: true, Message: "overloaded", Source: "attribute"},
	}
	tr := buildWith([]*trace.Step{span(trace.KindLLM, "llm", "", 10, 20, model("m"))},
		fragment(1, "llm", 15, func(f *trace.Fragment) { f.Facts = facts }))
	s := stepOf(t, tr, "llm")
	if s.Session != "s1" || s.Model.Response != "m-1" || s.Usage.Input != 3 || !s.Status.Failed || tr.Session != "s1" {
		t.Errorf("session %q, model %+v, usage %+v, status %+v", s.Session, s.Model, s.Usage, s.Status)
	}
}

// Producers that log instead of tracing: records that describe steps.
func TestStepsFromLogs(t *testing.T) {
	described := func(kind trace.Kind, set ...func(*trace.Step)) func(*trace.Fragment) {
		return func(f *trace.Fragment) {
			f.Step = &trace.Step{TraceID: traceID, Kind: kind, Start: f.Time, End: f.Time, SpanID: f.SpanID}
			for _, s := range set {
				s(f.Step)
			}
		}
	}
	t.Run("asked for, decided and done are one call", func(t *testing.T) {
		tr := buildWith(nil,
			fragment(1, "", 10, described(trace.KindTool, tool("bash", "c1", `{"cmd":"ls"}`, ""))),
			fragment(2, "", 12, described(trace.KindTool, tool("bash", "c1", "", "a b"), failed("exit 1"))),
			fragment(3, "", 20, described(trace.KindTool, tool("bash", "c2", "", "c"))))
		if len(tr.Steps) != 2 || tr.Revision != 3 {
			t.Fatalf("%d steps, revision %d; want 2 and 3", len(tr.Steps), tr.Revision)
		}
		s := tr.Steps[0]
		if s.Tool.Arguments.Text() != `{"cmd":"ls"}` || s.Tool.Result.Text() != "a b" || !s.Status.Failed || !s.End.Equal(ms(12)) || s.SpanID != "" || len(s.ID) != 16 {
			t.Errorf("arguments %q, result %q, status %+v, end %v, span %q, id %q", s.Tool.Arguments.Text(), s.Tool.Result.Text(), s.Status, s.End, s.SpanID, s.ID)
		}
	})
	t.Run("a record of what its span records goes into the span", func(t *testing.T) {
		tr := buildWith([]*trace.Step{span(trace.KindTool, "tool", "", 10, 20, tool("bash", "", "", ""))},
			fragment(1, "tool", 15, described(trace.KindTool, tool("bash", "c1", `{"cmd":"ls"}`, "a b"))))
		if len(tr.Steps) != 1 || tr.Steps[0].Tool.Result.Text() != "a b" {
			t.Errorf("%d steps, result %q", len(tr.Steps), tr.Steps[0].Tool.Result.Text())
		}
	})
	t.Run("a record of something else is a step below the span", func(t *testing.T) {
		tr := buildWith([]*trace.Step{span(trace.KindAgent, "agent", "", 10, 20)},
			fragment(1, "agent", 15, described(trace.KindTool, tool("bash", "c1", "", "a b"))))
		if len(tr.Steps) != 2 || tr.Steps[1].ParentID != "agent" || tr.Steps[1].Label() != "bash" {
			t.Errorf("steps %s", ids(tr))
		}
	})
}

// A span that is delivered again, or first as a placeholder, is read once.
func TestRepeatedSpans(t *testing.T) {
	placeholder := span(trace.KindLLM, "llm", "", 0, 0, func(s *trace.Step) { s.Hints.Pending = true })
	early := span(trace.KindLLM, "llm", "", 0, 5, out(ai("no")))
	last := span(trace.KindLLM, "llm", "", 0, 9, out(ai("yes")))
	for _, steps := range [][]*trace.Step{
		{placeholder, early, last, last}, {last, early, placeholder}, {early, nil, last, placeholder},
	} {
		tr := build(steps...)
		if len(tr.Steps) != 1 || tr.Revision != 1 || tr.Answer != "yes" {
			t.Errorf("%d steps, revision %d, answer %q; want one step that ended last", len(tr.Steps), tr.Revision, tr.Answer)
		}
	}
}

func TestSpansWithoutIDs(t *testing.T) {
	a, b := span(trace.KindTool, "", "", 0, 5, tool("x", "", "", "")), span(trace.KindTool, "", "", 0, 5, tool("y", "", "", ""))
	tr := build(a, b, a)
	if len(tr.Steps) != 2 || tr.Revision != 2 || tr.Steps[0].ID == tr.Steps[1].ID {
		t.Errorf("%d steps, revision %d", len(tr.Steps), tr.Revision)
	}
}

func TestCompleteness(t *testing.T) {
	for _, tt := range []struct {
		name     string
		steps    []*trace.Step
		complete bool
		missing  int
	}{
		{"whole", []*trace.Step{span(trace.KindAgent, "a", "", 0, 9), span(trace.KindTool, "b", "a", 1, 2)}, true, 0},
		{"one parent missing, named twice", []*trace.Step{span(trace.KindAgent, "a", "", 0, 9), span(trace.KindTool, "b", "x", 1, 2), span(trace.KindTool, "c", "x", 1, 2)}, false, 1},
		{"no root", []*trace.Step{span(trace.KindTool, "b", "x", 1, 2)}, false, 1},
		{"a cycle", []*trace.Step{span(trace.KindTool, "a", "b", 1, 2), span(trace.KindTool, "b", "a", 1, 2)}, false, 0},
		{"its own parent", []*trace.Step{span(trace.KindTool, "a", "a", 1, 2)}, false, 0},
		{"nothing", nil, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if r := build(tt.steps...).Release; r.Complete != tt.complete || r.MissingParents != tt.missing || r.Reason != trace.ReleaseEndOfInput {
				t.Errorf("release %+v, want complete %t, %d missing", r, tt.complete, tt.missing)
			}
		})
	}
}

// Order is by start; among equal starts a cause comes before its effect.
func TestOrder(t *testing.T) {
	tr := build(
		span(trace.KindTool, "z-tool", "agent", 10, 10, tool("x", "c1", "", "")),
		span(trace.KindLLM, "llm", "agent", 10, 10, out(asks("c1", "x", "{}"))),
		span(trace.KindAgent, "agent", "root", 10, 90),
		span(trace.KindWorkflow, "root", "", 10, 100),
		span(trace.KindTool, "a-late", "agent", 11, 12, tool("y", "", "", "")),
		span(trace.KindTool, "reversed", "agent", 13, 2, tool("y", "", "", "")),
		&trace.Step{SpanID: "untimed", TraceID: traceID, ParentID: "a-late", Kind: trace.KindUnknown},
	)
	if got, want := ids(tr), "root agent llm z-tool a-late untimed reversed"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
}

// A trace whose spans are still to come is when its log records were, so that it
// is stored where the revision with the spans will be. Once there are steps,
// they say when it was.
func TestTraceOfRecordsAlone(t *testing.T) {
	records := []*trace.Fragment{fragment(2, "llm", 20, says(ai("999."))), {TraceID: traceID, Hash: 3}, fragment(1, "llm", 11, hears(user("what?")))}
	tr := buildWith(nil, records...)
	if !tr.Start.Equal(ms(11)) || !tr.End.Equal(ms(20)) || tr.Unjoined != 3 {
		t.Errorf("of records alone: from %v to %v, %d unjoined; want %v, %v, 3", tr.Start, tr.End, tr.Unjoined, ms(11), ms(20))
	}
	s := span(trace.KindLLM, "other", "", 5, 30)
	tr = buildWith([]*trace.Step{s}, records...)
	if !tr.Start.Equal(s.Start) || !tr.End.Equal(s.End) || tr.Unjoined != 3 {
		t.Errorf("with a step: from %v to %v, %d unjoined; want %v, %v, 3", tr.Start, tr.End, tr.Unjoined, s.Start, s.End)
	}
	tr = buildWith(nil, &trace.Fragment{TraceID: traceID, Hash: 3})
	if !tr.Start.IsZero() {
		t.Errorf("of a record without a time: from %v, want none", tr.Start)
	}
}
