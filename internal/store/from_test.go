package store

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestMessagesKeepTheNewest(t *testing.T) {
	say := func(role trace.Role, n int) trace.Message {
		return trace.Message{Role: role, Parts: []trace.Part{{Type: trace.PartText, Text: strings.Repeat("x", n)}}}
	}
	system, old, middle, last := say(trace.RoleSystem, 100), say(trace.RoleUser, 400), say(trace.RoleAssistant, 300), say(trace.RoleUser, 200)
	tests := []struct {
		name  string
		list  []trace.Message
		limit int
		want  []int // lengths of the texts that stay
		cut   bool
	}{
		{"none", nil, 1000, []int{}, false},
		{"all fit", []trace.Message{system, old, middle, last}, 2000, []int{100, 400, 300, 200}, false},
		{"the oldest go, the system message stays", []trace.Message{system, old, middle, last}, 1000, []int{100, 300, 200}, true},
		{"a long system message goes too", []trace.Message{old, middle, last}, 700, []int{300, 200}, true},
		{"the last stays however long", []trace.Message{old, middle, last}, 10, []int{200}, true},
		{"one alone", []trace.Message{old}, 10, []int{400}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, cut := messages(tt.list, tt.limit)
			var read []struct{ Parts []struct{ Text string } }
			if err := json.Unmarshal([]byte(text), &read); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			got := []int{}
			for _, m := range read {
				got = append(got, len(m.Parts[0].Text))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || cut != tt.cut {
				t.Errorf("cut %v, want %v; texts (-want +got):\n%s", cut, tt.cut, diff)
			}
		})
	}
}

func TestStepRowContent(t *testing.T) {
	tool := &trace.Step{
		Kind: trace.KindTool, Tool: &trace.Tool{Name: "search", CallID: "c", Arguments: trace.TextValue(`{"q":1}`), Result: trace.TextValue("none"), Error: "no network"},
		RawInput: trace.TextValue("not this"), Status: trace.Status{Failed: true, Message: "nor this"},
		Attributes: map[string]any{"a": "text", "n": int64(1), "list": []any{"x"}, "long": strings.Repeat("x", limitMessage+1)},
	}
	r := NewStepRow(&TraceRow{}, tool)
	if r.Tool != "search" || r.ToolCallID != "c" || r.Input != `{"q":1}` || r.Output != "none" || r.Error != "no network" || !r.Failed {
		t.Errorf("tool: %+v", r)
	}
	if r.Attributes["a"] != "text" || r.Attributes["n"] != "1" || r.Attributes["list"] != `["x"]` || len(r.Attributes["long"]) != limitMessage || !slices.Contains(r.Cut, "attributes") {
		t.Errorf("attributes: %v, cut %v", r.Attributes, r.Cut)
	}
	llm := &trace.Step{
		Kind: trace.KindLLM, Model: trace.Model{Request: "m"}, Input: trace.MessageList([]trace.Message{{Role: trace.RoleUser}}),
		Output: trace.MessageList([]trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{{Type: trace.PartReasoning, Text: "hm"}}}}),
	}
	r = NewStepRow(&TraceRow{}, llm)
	if r.Input != `[{"role":"user","parts":[]}]` || !strings.Contains(r.Output, `"hm"`) || r.Reasoning != "hm" || r.Model != "m" {
		t.Errorf("llm: %+v", r)
	}
	workflow := &trace.Step{Kind: trace.KindWorkflow, RawInput: trace.TextValue("in"), RawOutput: trace.TextValue("out")}
	if r = NewStepRow(&TraceRow{}, workflow); r.Input != "in" || r.Output != "out" {
		t.Errorf("workflow: %+v", r)
	}
}

// Each judgement of a panel is in the row, in its order, and how far they agree.
func TestFindingRowHasItsJudges(t *testing.T) {
	f := trace.Finding{Outcome: trace.OutcomeFail, Judges: []trace.Judgement{
		{Name: "a", Model: "m@f", Outcome: trace.OutcomeFail, Calls: 2, Tokens: 70, Cost: 0.5, Currency: "EUR"},
		{Name: "b", Model: "n", Outcome: trace.OutcomePass, Calls: 1, Tokens: 30},
		{Name: "a", Model: "m@f", Outcome: trace.OutcomeFail, Tokens: 70, Currency: "EUR"},
		{Name: "b", Model: "n", Outcome: trace.OutcomeSkipped},
	}}
	half := 0.5
	want := FindingRow{
		Scope: "unset", Outcome: "fail", Agreement: &half,
		Judges: []string{"a", "b", "a", "b"}, JudgeModels: []string{"m@f", "n", "m@f", "n"}, JudgeOutcomes: []string{"fail", "pass", "fail", "skipped"},
		JudgeCalls: []uint32{2, 1, 0, 0}, JudgeTokens: []uint64{70, 30, 70, 0}, JudgeCosts: []float64{0.5, 0, 0, 0}, JudgeCurrencies: []string{"EUR", "", "EUR", ""},
	}
	if diff := cmp.Diff(want, NewFindingRow(&TraceRow{}, &f)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.Outcome = trace.OutcomeError
	if r := NewFindingRow(&TraceRow{}, &f); r.Agreement != nil {
		t.Errorf("agreement %v without a verdict", *r.Agreement)
	}
}

func TestContentsAreAllTextsOfPeople(t *testing.T) {
	b := Batch{
		Traces: []TraceRow{{Question: "1", Answer: "2", TraceID: "id"}}, Steps: []StepRow{{Input: "3", Output: "4", Reasoning: "5", Error: "6", StepID: "id", Attributes: map[string]string{"k": "7"}}},
		Findings: []FindingRow{{Message: "8", Rule: "id"}}, Observations: []ObservationRow{{Content: "9", Title: "10", URL: "11"}}, Links: []LinkRow{{Value: "12"}},
	}
	var seen []string
	b.Contents(func(s *string) {
		if *s != "" {
			seen = append(seen, *s)
		}
		*s = "gone"
	})
	want := []string{"1", "10", "11", "12", "2", "3", "4", "5", "6", "7", "8", "9"}
	if diff := cmp.Diff(want, sorted(seen)); diff != "" {
		t.Errorf("(-want +seen):\n%s", diff)
	}
	if b.Steps[0].Attributes["k"] != "gone" || b.Traces[0].Question != "gone" || b.Traces[0].TraceID != "id" {
		t.Errorf("not replaced, or too much: %+v", b)
	}
}

// The value of a link is redacted as the text is in which it stands.
func TestLinkedValuesAreRedacted(t *testing.T) {
	policy, err := redact.New(redact.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	arguments := `{"user":"anna7","password":"zx81-spectrum"}`
	b := Batch{
		Traces: []TraceRow{{TraceID: "t", AnswerStep: "a", Answer: "The secret: abc-123 is kept for anna7."}},
		Steps:  []StepRow{{TraceID: "t", StepID: "s", Input: arguments}, {TraceID: "other", StepID: "s", Input: "zx81-spectrum"}, {TraceID: "t", StepID: "earlier", Output: "The password: hunter-22 is set."}},
		Links: []LinkRow{
			{TraceID: "t", StepID: "s", Field: "tool.arguments", Value: "anna7", Canonical: "anna7"},
			{TraceID: "t", StepID: "s", Field: "tool.arguments", Value: "zx81-spectrum", Canonical: "ZX81-SPECTRUM"},
			{TraceID: "t", StepID: "a", Field: "answer", Value: "abc-123", Canonical: "abc-123"},
			{TraceID: "t", StepID: "a", Field: "answer", Value: "anna7", Canonical: "anna7"},
			{TraceID: "other", StepID: "s", Field: "tool.arguments", Value: "zx81-spectrum", Canonical: "zx81-spectrum"},
			{TraceID: "t", StepID: "earlier", Field: "answer", Value: "hunter-22", Canonical: "hunter-22"},
		},
	}
	b.Redact(policy)
	var got []string
	for _, l := range b.Links {
		got = append(got, l.Value+" "+l.Canonical)
	}
	gone := "[redacted:field] [redacted:field]"
	if want := []string{"anna7 anna7", gone, gone, "anna7 anna7", "zx81-spectrum zx81-spectrum", gone}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if want := `{"user":"anna7","password":"[redacted:field]"}`; b.Steps[0].Input != want {
		t.Errorf("input %s, want %s", b.Steps[0].Input, want)
	}
}
