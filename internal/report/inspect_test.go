package report

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// inspected is a trace with every kind of field: set, empty and not captured.
func inspected() *trace.Trace {
	at := func(ms int) time.Time {
		return time.Date(2026, 11, 30, 12, 0, 0, ms*int(time.Millisecond), time.UTC)
	}
	score := 0.0
	call := trace.Part{Type: trace.PartToolCall, ID: "c1", Name: "search", Value: trace.RawValue(`{"q":"a<b"}`, value.Decode)}
	return &trace.Trace{
		ID: "0af7651916cd43dd8448eb211c80319c", Revision: 3, Digest: "d1", Session: "s1", User: "u1",
		Service: trace.Service{Name: "shop", Version: "1.2"}, Agent: trace.Agent{Name: "clerk"},
		Question: "How much?", Answer: "999.", AnswerStep: "00000000000000a1",
		Release: trace.Release{Reason: trace.ReleaseRootQuiet, MissingParents: 1},
		Usage:   trace.Usage{Input: 10, Output: 5, Reasoning: 2, Scope: trace.UsageOwn},
		Start:   at(0), End: at(40), Unjoined: 2,
		Steps: []*trace.Step{
			{
				ID: "00000000000000a1", SpanID: "00000000000000a1", ParentID: "00000000000000a0", Kind: trace.KindLLM,
				KindSource: "gen_ai.operation.name", Dialect: "semconv", Name: "chat m", Scope: "lib", Agent: trace.Agent{Name: "clerk"},
				Turn: 1, Start: at(0), End: at(20),
				Model:   trace.Model{Provider: "openai", Request: "m", FinishReasons: []string{"tool_call"}},
				Offered: trace.DataValue([]any{map[string]any{"name": "search", "parameters": map[string]any{"type": "object"}}}),
				Input:   trace.MessageList([]trace.Message{{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: "How much?"}}}}),
				Output: trace.MessageList([]trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{
					{Type: trace.PartReasoning, Text: "Look it up."}, call,
				}}}),
				Usage: trace.Usage{Input: 10, Output: 5, Reasoning: 2, Scope: trace.UsageOwn},
				Cost:  trace.Cost{Amount: 0.25, Currency: "USD"},
			},
			{
				ID: "00000000000000b1", ParentID: "00000000000000a0", CausedBy: "00000000000000a1", Kind: trace.KindTool,
				KindSource: "call", Name: "search", Turn: 1, Start: at(20), End: at(40), Synthetic: true, Capture: trace.CapturePartial,
				Tool: &trace.Tool{
					Name: "search", CallID: "c1", CallIDFrom: "inferred",
					Arguments: call.Value, Result: trace.RawValue(`[{"id":9007199254740993,"price":999.50}]`, value.Decode),
				},
				Documents: []trace.Document{{ID: "7", Title: "Price list", URL: "https://shop.example/p", PublishedAt: "2026-11-01", Content: "999", Score: &score}},
				Losses:    []trace.Loss{{Reason: "cut", Key: "tool.result", Detail: "at 400 characters"}},
			},
			{
				ID: "00000000000000b2", SpanID: "00000000000000b2", Kind: trace.KindTool, Name: "pay",
				Status:      trace.Status{Failed: true, ErrorType: "timeout", Message: "no answer"},
				Tool:        &trace.Tool{Name: "pay", Error: "no answer"},
				DuplicateOf: "00000000000000b1", Turn: 2,
			},
		},
	}
}

// The goldens are written by hand: they are what scripts and people depend on.
func TestInspect(t *testing.T) {
	for _, tt := range []struct {
		golden string
		write  func(*bytes.Buffer) error
	}{
		{"testdata/inspect.json", func(b *bytes.Buffer) error { return Inspect(b, []*trace.Trace{inspected()}) }},
		{"testdata/inspect.txt", func(b *bytes.Buffer) error { return InspectText(b, []*trace.Trace{inspected()}) }},
	} {
		t.Run(tt.golden, func(t *testing.T) {
			var b bytes.Buffer
			if err := tt.write(&b); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(tt.golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInspectNothing(t *testing.T) {
	var b bytes.Buffer
	if err := Inspect(&b, nil); err != nil || b.String() != "[]\n" {
		t.Errorf("Inspect(nil) = %q, %v; want an empty array", b.String(), err)
	}
}

// A trace without times says where it stands instead of a date that nobody gave.
func TestInspectWithoutTimes(t *testing.T) {
	undated := &trace.Trace{ID: "0af7651916cd43dd8448eb211c80319c", Start: time.Unix(0, 1), End: time.Unix(0, 9), Source: "runs.jsonl:7",
		Steps: []*trace.Step{{ID: "a", SpanID: "a", Kind: trace.KindLLM, Start: time.Unix(0, 2), End: time.Unix(0, 3)}}}
	var text, j strings.Builder
	if err := errors.Join(InspectText(&text, []*trace.Trace{undated}), Inspect(&j, []*trace.Trace{undated})); err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(text.String(), "\n"); first != "trace 0af7651916cd43dd8448eb211c80319c  in runs.jsonl:7" {
		t.Errorf("header %q", first)
	}
	if strings.Contains(j.String(), "1970") || !strings.Contains(j.String(), `"source": "runs.jsonl:7"`) {
		t.Errorf("JSON has a date that nobody gave, or no source:\n%s", j.String())
	}
}

// A step that began while its sibling's parts still ran is shown beside that
// sibling, and the words of the user in an agent's state are a question.
func TestInspectTextIsATree(t *testing.T) {
	step := func(kind trace.Kind, id, parent string, at int64) *trace.Step {
		return &trace.Step{ID: id, SpanID: id, ParentID: parent, Name: id, Kind: kind, Start: time.Unix(at, 0), End: time.Unix(at+9, 0)}
	}
	agent := step(trace.KindAgent, "agent", "", 1)
	agent.Output = trace.MessageList([]trace.Message{
		{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: "how much?"}}},
		{Role: trace.RoleAssistant, Parts: []trace.Part{{Type: trace.PartText, Text: "999"}}},
	})
	tr := &trace.Trace{ID: "t", Steps: []*trace.Step{agent,
		step(trace.KindTool, "one", "agent", 2), step(trace.KindTool, "two", "agent", 3),
		step(trace.KindLLM, "in one", "one", 4), step(trace.KindLLM, "in two", "two", 5), step(trace.KindLLM, "in one again", "one", 6),
		step(trace.KindLLM, "round", "trip", 7), step(trace.KindLLM, "trip", "round", 8),
	}}
	var text strings.Builder
	if err := InspectText(&text, []*trace.Trace{tr}); err != nil {
		t.Fatal(err)
	}
	_, steps, _ := strings.Cut(text.String(), "no root\n")
	want := `  agent agent  [agent]
    question: how much?
    said: 999
    tool one  [one]
      llm in one  [in one]
      llm in one again  [in one again]
    tool two  [two]
      llm in two  [in two]
  llm round  [round]
    llm trip  [trip]
`
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("tree (-want +got):\n%s\n%s", diff, text.String())
	}
}
