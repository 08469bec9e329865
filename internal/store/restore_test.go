package store

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// A trace that was stored and loaded is graded like the trace itself: every
// finding of every shipped rule is the same.
func TestStoredTracesAreGradedAlike(t *testing.T) {
	set, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	captures, err := filepath.Glob("../../testdata/traces/*/S*.otlp.jsonl")
	if err != nil || len(captures) < 50 {
		t.Fatalf("%d captures, error %v", len(captures), err)
	}
	// What a row does not tell: which of two calls came first that one reply
	// asked for at one time, where neither has a span or an id.
	unordered := "llamaindex/S4.otlp.jsonl"
	byID := cmpopts.SortSlices(func(a, b string) bool { return a < b })
	reader := normalise.New(normalise.Options{Attributes: set.Attributes()})
	for _, file := range captures {
		if strings.HasSuffix(file, ".logs.otlp.jsonl") {
			continue
		}
		name := strings.TrimPrefix(file, "../../testdata/traces/")
		options := []cmp.Option{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(StepRow{}, "Losses")}
		if name == unordered {
			options = append(options, byID, cmpopts.SortSlices(func(a, b StepRow) bool { return a.StepID < b.StepID }))
		}
		t.Run(name, func(t *testing.T) {
			for id, r := range readCapture(t, reader, file) {
				tr := assemble.Trace(id, r.steps, r.fragments, trace.Release{Reason: trace.ReleaseEndOfInput})
				want := grade.Trace(set, tr, day(0))
				rows := FromGrade(want, false)
				again := ToTrace(&rows.Traces[0], rows.Steps)
				got := grade.Trace(set, again, day(0))
				if diff := cmp.Diff(want.Findings, got.Findings, options...); diff != "" {
					t.Errorf("findings (-trace +as stored):\n%s", diff)
				}
				if diff := cmp.Diff(rows.Steps, FromGrade(got, false).Steps, options...); diff != "" {
					t.Errorf("rows (-trace +as stored):\n%s", diff)
				}
			}
		})
	}
}

func TestStoredTextThatIsNotWhole(t *testing.T) {
	long := strings.Repeat("x", limitContent)
	say := func(text string) trace.Messages {
		return trace.MessageList([]trace.Message{{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}})
	}
	tests := []struct {
		name    string
		step    trace.Step
		capture trace.Capture
		lost    []string // reason:column
	}{
		{"whole", trace.Step{Kind: trace.KindLLM, Input: say("a"), Output: say("b")}, trace.CaptureFull, nil},
		{"a message too long", trace.Step{Kind: trace.KindLLM, Input: say("a"), Output: say(long)}, trace.CapturePartial, []string{"cut:output"}},
		{"a result too long", trace.Step{Kind: trace.KindTool, Tool: &trace.Tool{Result: trace.TextValue(long + long)}}, trace.CapturePartial, []string{"cut:output"}},
		{"a secret taken out", trace.Step{Kind: trace.KindTool, Tool: &trace.Tool{Arguments: trace.TextValue("key [redacted:api_key]")}}, trace.CapturePartial, []string{"redacted:input"}},
		{"tools too long", trace.Step{Kind: trace.KindLLM, Offered: trace.TextValue(`[{"name":"` + long + `"}]`)}, trace.CapturePartial, []string{"cut:offered"}},
		{"tools that are no JSON any more", trace.Step{Kind: trace.KindLLM, Offered: trace.TextValue(`[{"name":"login","parameters":{"password":[redacted:field]}}]`)}, trace.CapturePartial, []string{"redacted:offered"}},
		{"documents too long", trace.Step{Kind: trace.KindRetriever, Tool: &trace.Tool{}, Documents: []trace.Document{{Content: "a"}, {Content: long}}}, trace.CapturePartial, []string{"cut:retrieved"}},
		{"what was off stays off", trace.Step{Kind: trace.KindTool, Capture: trace.CaptureOff, Tool: &trace.Tool{Arguments: trace.TextValue(long + long)}}, trace.CaptureOff, []string{"cut:input"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.step.ID, tt.step.SpanID = "s", "s"
			rows := FromGrade(&trace.Grade{Trace: &trace.Trace{ID: "t", Steps: []*trace.Step{&tt.step}}}, false)
			steps.limit(&rows.Steps[0])
			got := ToTrace(&rows.Traces[0], rows.Steps)
			s := got.Steps[0]
			var lost []string
			for _, l := range s.Losses {
				lost = append(lost, l.Reason+":"+l.Key)
			}
			if diff := cmp.Diff(tt.lost, lost); diff != "" || s.Capture != tt.capture || lacks(got) != (tt.lost != nil) {
				t.Errorf("capture %v, want %v; losses (-want +got):\n%s", s.Capture, tt.capture, diff)
			}
			if s.Offered.Captured() || strings.Contains(tt.name, "message too long") && (s.Output.Captured() || s.RawOutput.Captured()) {
				t.Errorf("half of a JSON text was read: %v", s)
			}
			if strings.Contains(tt.name, "documents") && (len(s.Documents) != 1 || s.Documents[0].Content != "a") {
				t.Errorf("documents: %v", s.Documents)
			}
		})
	}
}

func TestRowsThatWereReplaced(t *testing.T) {
	row := TraceRow{TraceID: "t", Revision: 3, RowVersion: 3}
	got := ToTrace(&row, []StepRow{
		{TraceID: "t", StepID: "a", SpanID: "a", RowVersion: 2, Kind: "llm", Name: "old"},
		{TraceID: "t", StepID: "a", SpanID: "a", RowVersion: 3, Kind: "llm", Name: "new"},
		{TraceID: "t", StepID: "derived", RowVersion: 2, Kind: "tool", Synthetic: true, ToolCallID: "c1"}, // its span came later
		{TraceID: "t", StepID: "b", SpanID: "b", RowVersion: 3, Kind: "tool", ToolCallID: "c1"},
		{TraceID: "t", StepID: "other", RowVersion: 2, Kind: "tool", Synthetic: true, ToolCallID: "c2"},
	})
	var names []string
	for _, s := range got.Steps {
		names = append(names, s.ID+s.Name)
	}
	if diff := cmp.Diff([]string{"anew", "b", "other"}, sorted(names)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
