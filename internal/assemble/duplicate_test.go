package assemble_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func merge(key string) func(*trace.Step) { return func(s *trace.Step) { s.Hints.Merge = key } }
func rpc(id, side string) func(*trace.Step) {
	return func(s *trace.Step) { s.Hints.RPCID, s.Hints.RPCSide = id, side }
}
func service(name string) func(*trace.Step) { return func(s *trace.Step) { s.Service.Name = name } }

// Each case is what several producers record of what happened; want is the
// steps that really happened, by id of the record that stands for them.
func TestDuplicates(t *testing.T) {
	llm, toolKind := trace.KindLLM, trace.KindTool
	tests := []struct {
		name  string
		steps []*trace.Step
		want  string
		usage trace.Usage
	}{
		{
			"framework around client library", []*trace.Step{
				span(llm, "outer", "", 0, 50, in(ask), out(ai("yes")), usage(10, 2)),
				span(llm, "inner", "outer", 1, 49, scope("sdk"), usage(10, 2), reply("r1")),
			}, "outer", trace.Usage{Input: 10, Output: 2},
		},
		{
			"client library with the content, framework without", []*trace.Step{
				span(llm, "outer", "", 0, 50, usage(10, 2)),
				span(llm, "inner", "outer", 1, 49, scope("sdk"), in(ask), out(ai("yes")), usage(10, 2)),
			}, "inner", trace.Usage{Input: 10, Output: 2},
		},
		{
			"four records of one call, with transport between", []*trace.Step{
				span(llm, "framework", "", 0, 50, in(ask), out(ai("yes")), model("gpt-4.1")),
				span(llm, "instrumentation", "framework", 1, 49, scope("oi"), usage(10, 2), model("gpt-4.1-2025-04-14")),
				span(trace.KindUnknown, "post", "instrumentation", 2, 48, scope("http")),
				span(llm, "gateway", "post", 3, 47, scope("gw"), usage(10, 2), model("openai/gpt-4.1")),
				span(llm, "sdk", "gateway", 4, 46, scope("sdk"), reply("r1")),
			}, "framework post", trace.Usage{Input: 10, Output: 2},
		},
		{
			"cached tokens in one total and not in the other", []*trace.Step{
				span(llm, "outer", "", 0, 50, in(ask), out(ai("yes")), usage(4, 2)),
				span(llm, "inner", "outer", 1, 49, scope("sdk"), func(s *trace.Step) {
					s.Usage = trace.Usage{Input: 10, CacheRead: 6, Output: 2, Scope: trace.UsageOwn}
				}),
			}, "outer", trace.Usage{Input: 10, CacheRead: 6, Output: 2},
		},
		{
			"a failed tool that another producer names by its class", []*trace.Step{
				span(toolKind, "a", "", 0, 10, tool("rate", "c1", `{"to":"EUR"}`, ""), failed("upstream timeout")),
				span(toolKind, "b", "", 1, 9, scope("other"), tool("DynamicTool", "", `{"to":"EUR"}`, ""), failed("Error: upstream timeout\n    at call")),
			}, "a", trace.Usage{},
		},
		{
			"a failed tool of which another producer has no arguments", []*trace.Step{
				span(toolKind, "a", "", 0, 10, tool("rate", "c1", `{"to":"EUR"}`, ""), failed("timeout")),
				span(toolKind, "b", "", 1, 9, scope("other"), tool("rate", "", "", ""), failed("")),
			}, "a", trace.Usage{},
		},
		{
			"the failure of a tool as a span within it", []*trace.Step{
				span(toolKind, "a", "", 0, 10, tool("rate", "", `{"to":"EUR"}`, ""), failed("timeout")),
				span(toolKind, "b", "a", 8, 9, tool("error", "", `{"to":"EUR"}`, ""), failed("timeout")),
			}, "a", trace.Usage{},
		},
		{
			"two tools that failed otherwise", []*trace.Step{
				span(toolKind, "a", "", 0, 10, tool("rate", "c1", `{"to":"EUR"}`, ""), failed("timeout")),
				span(toolKind, "b", "", 1, 9, scope("other"), tool("price", "", `{"to":"EUR"}`, ""), failed("no such currency")),
			}, "a b", trace.Usage{},
		},
		{
			"a receipt of each call's tokens beside it", []*trace.Step{
				span(llm, "a", "", 0, 10, in(ask), out(ai("yes")), usage(10, 2)),
				span(llm, "bill a", "", 10, 10, usage(10, 2)),
				span(llm, "b", "", 20, 30, in(ask, ai("yes"), user("sure?")), out(ai("yes")), usage(14, 2)),
				span(llm, "bill b", "", 30, 30, usage(14, 2)),
			}, "a b", trace.Usage{Input: 24, Output: 4},
		},
		{
			"tokens of a call of which nothing else is recorded", []*trace.Step{
				span(llm, "a", "", 0, 10, in(ask), out(ai("yes")), usage(10, 2)),
				span(llm, "unseen", "", 10, 10, usage(90, 20)),
			}, "a unseen", trace.Usage{Input: 100, Output: 22},
		},
		{
			"retries within one call", []*trace.Step{
				span(llm, "call", "", 0, 50, in(ask), out(ai("yes"))),
				span(llm, "try1", "call", 1, 10, scope("sdk"), failed("503")),
				span(llm, "try2", "call", 11, 40, scope("sdk"), usage(10, 2)),
			}, "call", trace.Usage{Input: 10, Output: 2},
		},
		{
			"a loop recorded as a model call is structure", []*trace.Step{
				span(llm, "loop", "", 0, 90, usage(30, 4)),
				span(llm, "step1", "loop", 1, 20, usage(10, 2), out(asks("c", "t", "{}"))),
				span(toolKind, "tool", "loop", 21, 30, tool("t", "c", "{}", "r")),
				span(llm, "step2", "loop", 31, 50, usage(20, 2), out(ai("done"))),
			}, "loop step1 tool step2", trace.Usage{Input: 30, Output: 4},
		},
		{
			"an agent as a tool within a model call's span", []*trace.Step{
				span(llm, "outer", "", 0, 90, usage(10, 1), out(asks("c", "helper", "{}"))),
				span(toolKind, "helper", "outer", 10, 80, tool("helper", "c", "{}", "r")),
				span(llm, "inner", "helper", 20, 70, usage(10, 1), out(ai("r"))),
			}, "outer helper inner", trace.Usage{Input: 20, Output: 2},
		},
		{
			"side by side, by response id", []*trace.Step{
				span(trace.KindAgent, "agent", "", 0, 90),
				span(llm, "a", "agent", 1, 50, in(ask), out(ai("yes")), reply("r1")),
				span(llm, "b", "agent", 60, 61, scope("log"), reply("r1"), usage(10, 2)),
			}, "agent a", trace.Usage{Input: 10, Output: 2},
		},
		{
			"side by side, by time and usage", []*trace.Step{
				span(llm, "a", "", 0, 50, in(ask), out(ai("yes")), usage(10, 2)),
				span(llm, "b", "", 1, 49, scope("sdk"), usage(10, 2)),
			}, "a", trace.Usage{Input: 10, Output: 2},
		},
		{
			"side by side, by time and reply", []*trace.Step{
				span(llm, "a", "", 0, 50, in(ask), out(ai("yes"))),
				span(llm, "b", "", 1, 49, scope("sdk"), out(ai("yes")), usage(10, 2)),
			}, "a", trace.Usage{Input: 10, Output: 2},
		},
		{
			"two equal calls of one producer are two", []*trace.Step{
				span(llm, "a", "", 0, 50, out(ai("yes")), usage(10, 2)),
				span(llm, "b", "", 1, 49, out(ai("yes")), usage(10, 2)),
			}, "a b", trace.Usage{Input: 20, Output: 4},
		},
		{
			"equal usage, other replies", []*trace.Step{
				span(llm, "a", "", 0, 50, out(ai("yes")), usage(10, 2)),
				span(llm, "b", "", 1, 49, scope("sdk"), out(ai("no")), usage(10, 2)),
			}, "a b", trace.Usage{Input: 20, Output: 4},
		},
		{
			"one made-up response id for all calls", []*trace.Step{
				span(llm, "a", "", 0, 10, reply("mock"), usage(1, 1)),
				span(llm, "b", "", 20, 30, reply("mock"), usage(1, 1)),
			}, "a b", trace.Usage{Input: 2, Output: 2},
		},
		{
			"halves of a stream", []*trace.Step{
				span(llm, "request", "", 0, 10, in(ask), func(s *trace.Step) { s.Hints.StreamKey = "k" }),
				span(llm, "reply", "", 40, 40, out(ai("yes")), usage(10, 2), func(s *trace.Step) { s.Hints.StreamKey = "k" }),
			}, "request", trace.Usage{Input: 10, Output: 2},
		},
		{
			"replies of two streams of one key", []*trace.Step{
				span(llm, "a", "", 0, 0, out(ai("yes")), usage(10, 2), func(s *trace.Step) { s.Hints.StreamKey = "k" }),
				span(llm, "b", "", 40, 40, out(ai("no")), usage(12, 3), func(s *trace.Step) { s.Hints.StreamKey = "k" }),
			}, "a b", trace.Usage{Input: 22, Output: 5},
		},
		{
			"chunks and placeholders", []*trace.Step{
				span(llm, "llm", "", 0, 50, out(ai("yes")), usage(10, 2)),
				span(llm, "chunk", "llm", 10, 10, out(ai("y")), func(s *trace.Step) { s.Hints.Chunk = true }),
				span(trace.KindTool, "pending", "llm", 0, 0, func(s *trace.Step) { s.Hints.Pending = true }),
			}, "llm", trace.Usage{Input: 10, Output: 2},
		},
		{
			"MCP client and server below the framework's tool", []*trace.Step{
				span(toolKind, "tool", "", 0, 50, tool("search", "c1", `{"q":1}`, "r")),
				span(toolKind, "client", "tool", 1, 49, scope("mcp"), rpc("7", "client"), tool("search", "", `{"q": 1}`, "")),
				span(toolKind, "server", "client", 2, 48, scope("mcp"), service("server"), rpc("7", "server"), tool("search", "", "", "")),
			}, "tool", trace.Usage{},
		},
		{
			"MCP server without its client's parent", []*trace.Step{
				span(toolKind, "client", "", 1, 49, rpc("7", "client"), tool("search", "", "", "")),
				span(toolKind, "server", "", 2, 48, rpc("7", "server"), service("server"), tool("search", "", "", "r")),
			}, "client", trace.Usage{},
		},
		{
			"a server's name before the tool's", []*trace.Step{
				span(toolKind, "tool", "", 0, 50, tool("mcp__shop__search", "c1", `{"q":1}`, "r")),
				span(toolKind, "inner", "tool", 1, 49, scope("mcp"), tool("search", "", `{"q":1}`, "")),
			}, "tool", trace.Usage{},
		},
		{
			"a tool that calls another, and one that calls itself", []*trace.Step{
				span(toolKind, "tool", "", 0, 50, tool("walk", "", `{"n":2}`, "r")),
				span(toolKind, "self", "tool", 1, 40, tool("walk", "", `{"n":1}`, "r")),
				span(toolKind, "other", "tool", 41, 49, tool("read", "", `{"n":2}`, "r")),
			}, "tool self other", trace.Usage{},
		},
		{
			"a tool recorded twice side by side", []*trace.Step{
				span(toolKind, "a", "", 0, 50, tool("search", "", `{"q":1}`, "")),
				span(toolKind, "b", "", 1, 49, scope("sdk"), tool("search", "", `{"q":1}`, "r")),
			}, "a", trace.Usage{},
		},
		{
			"a tool retried under one call id is two", []*trace.Step{
				span(toolKind, "a", "", 0, 10, tool("search", "c1", `{"q":1}`, ""), failed("503")),
				span(toolKind, "b", "", 20, 30, tool("search", "c1", `{"q":1}`, "r")),
			}, "a b", trace.Usage{},
		},
		{
			"embedding wrapper and leaf", []*trace.Step{
				span(trace.KindEmbedding, "wrapper", "", 0, 50, usage(10, 0)),
				span(trace.KindEmbedding, "leaf", "wrapper", 1, 49, usage(10, 0)),
			}, "wrapper", trace.Usage{Input: 10},
		},
		{
			"retriever around the database's query, and around two", []*trace.Step{
				span(trace.KindRetriever, "retriever", "", 0, 50),
				span(trace.KindRetriever, "query", "retriever", 1, 49),
				span(trace.KindRetriever, "ensemble", "", 60, 90),
				span(trace.KindRetriever, "one", "ensemble", 61, 70),
				span(trace.KindRetriever, "two", "ensemble", 71, 80),
			}, "retriever ensemble one two", trace.Usage{},
		},
		{
			"usage on agents and workflows is a sum", []*trace.Step{
				span(trace.KindWorkflow, "flow", "", 0, 90, usage(30, 4)),
				span(trace.KindAgent, "agent", "flow", 1, 89, usage(30, 4)),
				span(llm, "llm1", "agent", 2, 20, usage(10, 2)),
				span(llm, "llm2", "agent", 31, 50, usage(20, 2)),
				span(trace.KindAgent, "remote", "flow", 60, 80, usage(5, 5)),
			}, "flow agent llm1 llm2 remote", trace.Usage{Input: 35, Output: 9},
		},
		{
			"records known to repeat each other", []*trace.Step{
				span(llm, "call", "", 0, 50, merge("m"), in(ask), out(ai("yes")), usage(10, 2)),
				span(llm, "generate", "call", 1, 49, merge("m"), usage(11, 9), model("other")),
			}, "call", trace.Usage{Input: 11, Output: 9},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := build(tt.steps...)
			if got := ids(tr); got != tt.want {
				t.Errorf("steps = %s, want %s", got, tt.want)
			}
			if len(tr.Steps) != len(tt.steps) {
				t.Errorf("%d steps listed of %d", len(tr.Steps), len(tt.steps))
			}
			got := tr.Usage
			got.Scope = trace.UsageNone
			if got != tt.usage {
				t.Errorf("usage = %+v, want %+v", got, tt.usage)
			}
			// What a trace uses is what its own steps use.
			var sum trace.Usage
			for _, s := range tr.Steps {
				if s.DuplicateOf == "" && s.Usage.Scope == trace.UsageOwn {
					sum.Add(s.Usage)
				}
			}
			if sum != got {
				t.Errorf("sum over steps = %+v, trace says %+v", sum, got)
			}
		})
	}
}

// A failure that only one end of a call records belongs to the call.
func TestFailureLiftedFromTheServer(t *testing.T) {
	tr := build(
		span(trace.KindTool, "client", "", 1, 49, rpc("7", "client"), tool("rate", "", "{}", "")),
		span(trace.KindTool, "server", "client", 2, 48, rpc("7", "server"), tool("rate", "", "", ""), failed("503")),
	)
	if s := stepOf(t, tr, "client"); !s.Status.Failed || s.Tool.Error != "503" {
		t.Errorf("status %+v, error %q; want failed with 503", s.Status, s.Tool.Error)
	}
	if s := stepOf(t, tr, "server"); s.DuplicateOf != "client" {
		t.Errorf("server repeats %q, want client", s.DuplicateOf)
	}
}

// A failed attempt within a call that succeeded is no failure.
func TestRetrySucceeded(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "call", "", 0, 50, in(ask), out(ai("yes"))),
		span(trace.KindLLM, "try1", "call", 1, 10, scope("sdk"), failed("503")),
		span(trace.KindLLM, "try2", "call", 11, 40, scope("sdk")),
	)
	if s := stepOf(t, tr, "call"); s.Status.Failed {
		t.Error("the call is failed, though its second attempt succeeded")
	}
}

// Two calls without content that counted the same tokens are two where a tool ran
// between them: the second is no receipt of the first.
func TestEqualCountsAroundATool(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "first", "", 0, 10, usage(10, 5), out(ai("redacted"))),
		span(trace.KindTool, "pay", "", 11, 12, tool("pay", "", "{}", "paid")),
		span(trace.KindLLM, "second", "", 20, 30, usage(10, 5)),
	)
	if s := stepOf(t, tr, "second"); s.DuplicateOf != "" || tr.Usage.Input != 20 {
		t.Errorf("the second repeats %q, %d tokens in, want two calls of 10", s.DuplicateOf, tr.Usage.Input)
	}
}
