package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// isApproval reports whether a type is that of a part by which a person is asked
// whether a call may run, or answers: tool-approval-request,
// function_approval_response. Items of the Responses API are messages of their own.
func isApproval(t string) bool { return (asksApproval(t) || givesApproval(t)) && items[t] == 0 }

func asksApproval(t string) bool {
	return strings.HasSuffix(t, "approval_request") || strings.HasSuffix(t, "approval-request")
}

func givesApproval(t string) bool {
	return strings.HasSuffix(t, "approval_response") || strings.HasSuffix(t, "approval-response")
}

// onlyApprovals reports whether every part of a list is one.
func onlyApprovals(list value.Node) bool {
	for e := range list.Elements() {
		if t, _ := e.Get("type").Text(); !isApproval(t) {
			return false
		}
	}
	return true
}

// approval reads such a part. A request is the call that it is about, unless the
// message has that already; an answer that refuses is its result. That a call may
// run is no part: the call's own result follows.
func approval(parts []trace.Part, t string, m value.Node) []trace.Part {
	inner := m.First("function_call", "tool_call", "toolCall", "functionCall")
	if !inner.IsObject() {
		inner = m
	}
	call := callPart(inner)
	if asksApproval(t) {
		if call.Name == "" || repeats(parts, call) {
			return parts
		}
		return append(parts, call)
	}
	verdict := m.First("approved", "approve")
	if verdict.Kind() != value.KindFalse {
		return parts
	}
	if call.Name != "" {
		parts = append(parts, call)
	}
	return append(parts, trace.Part{Type: trace.PartToolResult, ID: call.ID, Name: call.Name, Value: denial(m)})
}

// denial is the result of a call that a person refused.
func denial(verdict value.Node) trace.Value {
	d := map[string]any{"type": "execution-denied"}
	if why := verdict.TextAt("reason"); why != "" {
		d["reason"] = why
	}
	return trace.DataValue(d)
}
