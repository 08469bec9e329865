// Package journal is the harness's own record of what it served.
//
//	Entry     one call, and what was served: a line of journal.jsonl
//	Span      Entry -> a span of the harness's service, in the agent's trace
//	Exporter  entries -> OTLP, while the harness serves
//
// No verdict comes from it: the spans are marked so that they are no steps of
// the agent.
package journal

import (
	"context"
	"encoding/json"
	"time"

	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/tracegrade/tracegrade/harness/cases"
)

// Entry is one line of the journal: one call, and what was served.
type Entry struct {
	Case string          `json:"case"`
	Arm  cases.Arm       `json:"arm"`
	Run  string          `json:"run"`
	Seq  int             `json:"seq"` // from 1
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Reply is the text that the agent was given.
	Reply  string `json:"reply"`
	Failed bool   `json:"failed"`
	// Status is the status of HTTP that came with the reply of a real HTTP tool; 0
	// for other tools.
	Status int `json:"status,omitempty"`
	// Fault is why a real tool behind the harness gave no reply, which the agent is
	// not told, or that the agent was gone before it; empty where there was one.
	Fault string `json:"fault,omitempty"`
	// Refused is true of a call that was wrong, such as of a tool that is not
	// offered: no tool was asked, and Reply says why.
	Refused bool `json:"refused,omitempty"`
	// Blocks is what a real MCP server's reply held that is no text, such as
	// "image image/png": over MCP the agent is given it, over HTTP it is not.
	Blocks []string `json:"blocks,omitempty"`
	// Served is the traps whose evidence or intervention is in the reply.
	Served []Served `json:"served"`
	// Good is the ids of documents in the reply that state the true value.
	Good []string `json:"good"`
	// Delay is how long the reply was held back.
	Delay time.Duration `json:"delay_ns,omitempty"`
	// Caller is the agent's span that made the call, where the agent says so.
	Caller Caller `json:"caller,omitzero"`
	// Start and Took are when the call came and how long it took, delay
	// included. They are no part of what is replayed.
	Start time.Time     `json:"-"`
	Took  time.Duration `json:"-"`
}

// Served is one trap in one reply.
type Served struct {
	Trap  string `json:"trap"`
	True  string `json:"true"`
	False string `json:"false"`
	// Shown is true where the reply shows the false value.
	Shown bool `json:"shown"`
}

// Caller is what a call says of its caller by W3C trace context and baggage. All
// fields are empty where the agent does not propagate its context.
type Caller struct {
	TraceID string `json:"trace_id,omitempty"`
	SpanID  string `json:"span_id,omitempty"`
	Session string `json:"session,omitempty"` // baggage gen_ai.conversation.id or session.id
}

// propagator reads traceparent, tracestate and baggage.
var propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// WithCaller puts what a carrier (HTTP headers, the _meta of an MCP request) says
// of the caller into the context. A carrier that says nothing leaves it as it is.
func WithCaller(ctx context.Context, c propagation.TextMapCarrier) context.Context {
	return propagator.Extract(ctx, c)
}

// CallerOf is the caller of a call.
func CallerOf(ctx context.Context) Caller {
	var c Caller
	if s := trace.SpanContextFromContext(ctx); s.IsValid() {
		c.TraceID, c.SpanID = s.TraceID().String(), s.SpanID().String()
	}
	bag := baggage.FromContext(ctx)
	for _, key := range []string{"gen_ai.conversation.id", "session.id"} {
		if m := bag.Member(key); c.Session == "" {
			c.Session = m.Value()
		}
	}
	return c
}
