package trace_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// said is a model's reply in a turn.
func said(id, parent string, turn int, text string) *trace.Step {
	return &trace.Step{ID: id, SpanID: id, ParentID: parent, Kind: trace.KindLLM, Turn: turn,
		Output: trace.MessageList([]trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}})}
}

func asking(s *trace.Step, question string) *trace.Step {
	s.Input = trace.MessageList([]trace.Message{{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: question}}}})
	return s
}

func of(kind trace.Kind, id, parent string, turn int) *trace.Step {
	return &trace.Step{ID: id, SpanID: id, ParentID: parent, Kind: kind, Turn: turn}
}

func returning(s *trace.Step, text string) *trace.Step {
	s.RawOutput = trace.TextValue(text)
	return s
}

func calling(s *trace.Step) *trace.Step {
	s.Output = trace.MessageList([]trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{
		{Type: trace.PartText, Text: "let me look"}, {Type: trace.PartToolCall, Name: "look"}}}})
	return s
}

func TestEarlier(t *testing.T) {
	stated := asking(of(trace.KindAgent, "agent", "", 1), "find out")
	tests := []struct {
		name  string
		steps []*trace.Step // the last gave the answer
		want  []string      // question, answer and step of each
	}{
		{"one turn", []*trace.Step{said("a", "", 1, "working"), said("b", "", 1, "done")}, nil},
		{"before the first turn", []*trace.Step{said("a", "", 0, "welcome"), said("b", "", 1, "done")}, nil},
		{"the last reply of each", []*trace.Step{asking(said("a", "", 1, "working"), "q"), said("b", "", 1, "one"), said("c", "", 2, "two"), said("d", "", 3, "three")},
			[]string{"q", "one", "b", "", "two", "c"}},
		{"a turn that ends with a call has no answer", []*trace.Step{said("a", "", 1, "one"), calling(said("b", "", 1, "")), said("c", "", 2, "two")}, nil},
		{"an agent that holds the conversation", []*trace.Step{of(trace.KindAgent, "agent", "", 1), said("a", "agent", 1, "one"), said("b", "agent", 2, "two")},
			[]string{"", "one", "a"}},
		{"a run that states what it was given goes on", []*trace.Step{stated, said("a", "agent", 1, "one"), said("b", "agent", 2, "two")}, nil},
		{"such a run that ends with the turn", []*trace.Step{stated, said("a", "agent", 1, "one"), said("b", "", 2, "two")}, []string{"find out", "one", "a"}},
		{"what a tool's model says is told to nobody", []*trace.Step{said("a", "", 1, "one"), of(trace.KindTool, "tool", "", 1), said("b", "tool", 1, "inside"), said("c", "", 2, "two")},
			[]string{"", "one", "a"}},
		{"an agent that answered otherwise", []*trace.Step{returning(of(trace.KindAgent, "agent", "", 1), "in short: 1"), said("a", "agent", 1, "one"), said("b", "", 2, "two")},
			[]string{"", "in short: 1", "agent"}},
		{"a duplicate", []*trace.Step{said("a", "", 1, "one"), {ID: "b", SpanID: "b", Kind: trace.KindLLM, Turn: 1, DuplicateOf: "a"}, said("c", "", 2, "two")},
			[]string{"", "one", "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := &trace.Trace{Steps: tt.steps, AnswerStep: tt.steps[len(tt.steps)-1].ID}
			for i, s := range tr.Steps {
				s.Start = time.Unix(int64(i), 0)
				s.End = s.Start
			}
			var got []string
			for _, turn := range tr.Earlier() {
				got = append(got, turn.Question, turn.Answer, turn.Step.ID)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Earlier = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEarlierWithoutAnswer(t *testing.T) {
	tr := &trace.Trace{Steps: []*trace.Step{said("a", "", 1, "one"), calling(said("b", "", 2, ""))}}
	if got := tr.Earlier(); len(got) != 1 || got[0].Answer != "one" {
		t.Errorf("Earlier of a trace whose last turn got no answer = %+v, want that of the first", got)
	}
}

// What ended while a model spoke was known when it ended, what went on was not, and
// neither was what another model did meanwhile.
func TestSpokenBy(t *testing.T) {
	at := func(s *trace.Step, from, to int) *trace.Step {
		s.Start, s.End = time.Unix(int64(from), 0), time.Unix(int64(to), 0)
		return s
	}
	tests := []struct {
		name string
		rest []*trace.Step
		want int
	}{
		{"nothing follows", nil, 1},
		{"a tool within", []*trace.Step{at(of(trace.KindTool, "t", "", 1), 12, 14)}, 2},
		{"two within, one after", []*trace.Step{at(of(trace.KindTool, "t", "", 1), 12, 14), at(of(trace.KindTool, "u", "", 1), 15, 20), at(of(trace.KindTool, "v", "", 1), 20, 21)}, 3},
		{"one that outlasts it", []*trace.Step{at(of(trace.KindTool, "t", "", 1), 12, 21)}, 1},
		{"another model", []*trace.Step{at(said("m", "", 1, "x"), 12, 14)}, 1},
		{"without times", []*trace.Step{of(trace.KindTool, "t", "", 1)}, 1},
	}
	for _, tt := range tests {
		tr := &trace.Trace{Steps: append([]*trace.Step{at(said("a", "", 1, "done"), 10, 20)}, tt.rest...)}
		if got := tr.SpokenBy(0); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestBefore(t *testing.T) {
	message := func(role trace.Role, text string) trace.Message {
		return trace.Message{Role: role, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}
	}
	given := func(s *trace.Step, list ...trace.Message) *trace.Step {
		s.Input = trace.MessageList(list)
		return s
	}
	user, model := trace.RoleUser, trace.RoleAssistant
	order, shall, yes := message(user, "refund 8"), message(model, "shall I?"), message(user, "yes")
	asks := trace.Message{Role: model, Parts: []trace.Part{{Type: trace.PartToolCall, Name: "look"}}}
	tests := []struct {
		name  string
		steps []*trace.Step
		want  []string // question and answer of each
	}{
		{"one turn", []*trace.Step{given(said("a", "", 1, "done"), message(trace.RoleSystem, "be kind"), order)}, nil},
		{"no message of the user", []*trace.Step{given(said("a", "", 1, "done"), shall)}, nil},
		{"an order, a question back, a yes", []*trace.Step{given(said("a", "", 1, "done"), order, shall, yes)}, []string{"refund 8", "shall I?"}},
		{"calls in between, and what comes after the last message", []*trace.Step{given(said("a", "", 1, "done"), order, asks, message(trace.RoleTool, "found"), shall, yes, asks)},
			[]string{"refund 8", "shall I?"}},
		{"an agent that was given the last message alone", []*trace.Step{given(of(trace.KindAgent, "agent", "", 1), yes), given(said("a", "agent", 1, "done"), order, shall, yes)},
			[]string{"refund 8", "shall I?"}},
		{"a guard before it", []*trace.Step{given(said("g", "", 1, "fine"), yes), given(said("a", "", 1, "done"), order, shall, yes)}, []string{"refund 8", "shall I?"}},
		{"what got no answer is part of the next", []*trace.Step{given(said("a", "", 1, "done"), message(user, "hello"), order, shall, yes)}, []string{"refund 8", "shall I?"}},
		{"what the last message goes on with", []*trace.Step{given(said("a", "", 1, "done"), order, shall, message(user, "hm"), yes)}, []string{"refund 8", "shall I?"}},
		{"a greeting", []*trace.Step{given(said("a", "", 1, "done"), message(model, "hello"), order)}, nil},
		{"two turns", []*trace.Step{given(said("a", "", 1, "done"), message(user, "hi"), message(model, "hello"), order, shall, yes)}, []string{"hi", "hello", "refund 8", "shall I?"}},
		{"what a model of the trace replied", []*trace.Step{given(said("a", "", 1, "shall I?"), order), given(said("b", "", 1, "done"), order, shall, yes)}, nil},
		{"a later turn", []*trace.Step{given(said("a", "", 1, "who?"), order), given(said("b", "", 2, "done"), order, shall, yes)}, nil},
	}
	for _, tt := range tests {
		var got []string
		for _, turn := range (&trace.Trace{Steps: tt.steps}).Before() {
			got = append(got, turn.Question, turn.Answer)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A model that was asked for several choices gives each its end; the conversation
// goes on with the first. What one model says bit by bit ends once.
func TestSaid(t *testing.T) {
	words := func(text, finish string, calls ...string) trace.Message {
		m := trace.Message{Role: trace.RoleAssistant, FinishReason: finish, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}
		for _, name := range calls {
			m.Parts = append(m.Parts, trace.Part{Type: trace.PartToolCall, Name: name})
		}
		return m
	}
	tests := []struct {
		name  string
		reply []trace.Message
		want  string
	}{
		{"nothing", nil, ""},
		{"one choice", []trace.Message{words("one", "stop")}, "one"},
		{"choices", []trace.Message{words("one", "stop"), words("two", "length"), words("three", "stop")}, "one"},
		{"bit by bit", []trace.Message{words("let me see", ""), words("two", "stop")}, "two"},
		{"a call, then words", []trace.Message{words("let me see", "tool_call", "look"), words("two", "stop")}, "two"},
		{"items of one reply, each with an end", []trace.Message{words("let me see", "stop"), words("", "stop"), words("two", "stop")}, "two"},
		{"what came after the provider's tool", []trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{
			{Type: trace.PartText, Text: "let me see"}, {Type: trace.PartToolResult}, {Type: trace.PartText, Text: "two"}}}}, "two"},
	}
	for _, tt := range tests {
		if got := trace.Said(tt.reply); got != tt.want {
			t.Errorf("%s: said %q, want %q", tt.name, got, tt.want)
		}
	}
}
