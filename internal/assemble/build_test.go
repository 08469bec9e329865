package assemble_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

const traceID = "0af7651916cd43dd8448eb211c80319c"

var began = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func ms(n int) time.Time { return began.Add(time.Duration(n) * time.Millisecond) }

// span makes a step of a span that ran from one millisecond to another.
func span(kind trace.Kind, id, parent string, from, to int, opts ...func(*trace.Step)) *trace.Step {
	s := &trace.Step{
		SpanID: id, TraceID: traceID, ParentID: parent, Kind: kind, Name: id, Scope: "app",
		Start: ms(from), End: ms(to),
	}
	for _, o := range opts {
		o(s)
	}
	return s
}

func in(list ...trace.Message) func(*trace.Step) {
	return func(s *trace.Step) { s.Input = trace.MessageList(list) }
}

func out(list ...trace.Message) func(*trace.Step) {
	return func(s *trace.Step) { s.Output = trace.MessageList(list) }
}

func scope(name string) func(*trace.Step)   { return func(s *trace.Step) { s.Scope = name } }
func model(name string) func(*trace.Step)   { return func(s *trace.Step) { s.Model.Response = name } }
func reply(id string) func(*trace.Step)     { return func(s *trace.Step) { s.Model.ResponseID = id } }
func session(id string) func(*trace.Step)   { return func(s *trace.Step) { s.Session = id } }
func agentIs(name string) func(*trace.Step) { return func(s *trace.Step) { s.Agent.Name = name } }

func usage(input, output int64) func(*trace.Step) {
	return func(s *trace.Step) { s.Usage = trace.Usage{Input: input, Output: output, Scope: trace.UsageOwn} }
}

func failed(message string) func(*trace.Step) {
	return func(s *trace.Step) {
		s.Status = trace.Status{Failed: true, Message: message, Source: "status"}
	}
}

// tool sets name, call id, arguments and result; empty ones were not captured.
func tool(name, callID, args, result string) func(*trace.Step) {
	return func(s *trace.Step) {
		s.Tool = &trace.Tool{Name: name, CallID: callID}
		if args != "" {
			s.Tool.Arguments = trace.RawValue(args, value.Decode)
		}
		if result != "" {
			s.Tool.Result = trace.RawValue(result, value.Decode)
		}
	}
}

func system(text string) trace.Message { return said(trace.RoleSystem, text) }
func user(text string) trace.Message   { return said(trace.RoleUser, text) }
func ai(text string) trace.Message     { return said(trace.RoleAssistant, text) }

func said(role trace.Role, text string) trace.Message {
	return trace.Message{Role: role, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}
}

// asks is an assistant's message with one tool call.
func asks(id, name, args string) trace.Message {
	return trace.Message{Role: trace.RoleAssistant, Parts: []trace.Part{
		{Type: trace.PartToolCall, ID: id, Name: name, Value: trace.RawValue(args, value.Decode)},
	}}
}

func told(id, result string) trace.Message {
	return trace.Message{Role: trace.RoleTool, Parts: []trace.Part{
		{Type: trace.PartToolResult, ID: id, Value: trace.RawValue(result, value.Decode)},
	}}
}

func toldError(id, result string) trace.Message {
	m := told(id, result)
	m.Parts[0].IsError = true
	return m
}

func build(steps ...*trace.Step) *trace.Trace {
	return assemble.Trace(traceID, steps, nil, trace.Release{Reason: trace.ReleaseEndOfInput})
}

// ids lists the steps that are no duplicates, by id or, without a span, by kind
// and label.
func ids(t *trace.Trace) string {
	var list []string
	for _, s := range t.Steps {
		switch {
		case s.DuplicateOf != "":
		case s.Synthetic:
			list = append(list, "("+s.Label()+")")
		default:
			list = append(list, s.SpanID)
		}
	}
	return strings.Join(list, " ")
}

func stepOf(t *testing.T, tr *trace.Trace, id string) *trace.Step {
	t.Helper()
	for _, s := range tr.Steps {
		if s.SpanID == id || s.Synthetic && s.Label() == id {
			return s
		}
	}
	t.Fatalf("no step %q among %s", id, ids(tr))
	return nil
}
