package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/tracegrade/tracegrade/harness/journal"
)

// message is a message as the semantic conventions write it.
type message struct {
	Role         string `json:"role"`
	Parts        []part `json:"parts"`
	FinishReason string `json:"finish_reason,omitempty"`
}

type part struct {
	Type      string `json:"type"`
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
	Response  any    `json:"response,omitempty"`
}

func text(role, content string) message {
	return message{Role: role, Parts: []part{{Type: "text", Content: content}}}
}

// exporters are shared by all runs of a process that export to one place.
var (
	exportersMu sync.Mutex
	exporters   = map[string]sdktrace.SpanExporter{}
)

func exporterTo(ctx context.Context, endpoint string) (sdktrace.SpanExporter, error) {
	exportersMu.Lock()
	defer exportersMu.Unlock()
	if e, ok := exporters[endpoint]; ok {
		return e, nil
	}
	e, err := otlptracehttp.New(context.WithoutCancel(ctx), otlptracehttp.WithEndpointURL(endpoint+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", endpoint, err)
	}
	exporters[endpoint] = e
	return e, nil
}

// session is one agent's run as spans: an invoke_agent span with chat and
// execute_tool spans below it.
type session struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	ctx      context.Context // carries the agent's span
	root     trace.Span
	name     string
	model    string
	vendor   string
	history  []message
}

// begin starts the agent's span. The spans leave when end is called.
func begin(ctx context.Context, t Task, name, vendor, model string) (*session, error) {
	exp, err := exporterTo(ctx, t.OTLP)
	if err != nil {
		return nil, err
	}
	s := &session{name: name, model: model, vendor: vendor}
	s.provider = sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(keep{exp}, sdktrace.WithMaxExportBatchSize(4096)),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "tracegrade-agent"), attribute.String(journal.RunAttribute, t.Run))),
	)
	s.tracer = s.provider.Tracer("tracegrade.agent")
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": t.TraceParent})
	s.ctx, s.root = s.tracer.Start(ctx, "invoke_agent "+name, trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.provider.name", vendor),
		attribute.String("gen_ai.agent.name", name), attribute.String("gen_ai.conversation.id", t.Run),
		attribute.String("gen_ai.input.messages", encode([]message{text("user", t.Question)})),
	))
	s.history = []message{text("user", t.Question)}
	return s, nil
}

// keep lets many providers share one exporter: none of them shuts it down.
type keep struct{ sdktrace.SpanExporter }

func (keep) Shutdown(context.Context) error { return nil }

// chat records one call of the model that gave out.
func (s *session) chat(out message, inTokens, outTokens int) {
	_, span := s.tracer.Start(s.ctx, "chat "+s.model, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.provider.name", s.vendor),
		attribute.String("gen_ai.request.model", s.model), attribute.String("gen_ai.response.model", s.model),
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{out.FinishReason}),
		attribute.Int("gen_ai.usage.input_tokens", inTokens), attribute.Int("gen_ai.usage.output_tokens", outTokens),
		attribute.String("gen_ai.input.messages", encode(s.history)),
		attribute.String("gen_ai.output.messages", encode([]message{out})),
	))
	span.End()
	s.history = append(s.history, out)
}

// tool records one call of a tool, which call makes.
func (s *session) tool(id, name string, args any, call func(ctx context.Context) (string, error)) (string, error) {
	ctx, span := s.tracer.Start(s.ctx, "execute_tool "+name, trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", name),
		attribute.String("gen_ai.tool.type", "function"), attribute.String("gen_ai.tool.call.id", id),
		attribute.String("gen_ai.tool.call.arguments", encode(args)),
	))
	defer span.End()
	result, err := call(ctx)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
		span.SetAttributes(attribute.String("error.type", "tool_error"))
		result = err.Error()
	}
	span.SetAttributes(attribute.String("gen_ai.tool.call.result", result))
	s.history = append(s.history, message{Role: "tool", Parts: []part{{Type: "tool_call_response", ID: id, Response: result}}})
	return result, err
}

// end closes the agent's span and sends what there is.
func (s *session) end(ctx context.Context, answer string, err error) error {
	if answer != "" {
		s.root.SetAttributes(attribute.String("gen_ai.output.messages", encode([]message{{Role: "assistant", FinishReason: "stop", Parts: []part{{Type: "text", Content: answer}}}})))
	}
	if err != nil {
		s.root.SetStatus(codes.Error, err.Error())
	}
	s.root.End()
	if flush := s.provider.Shutdown(context.WithoutCancel(ctx)); flush != nil && err == nil {
		err = fmt.Errorf("export the spans: %w", flush)
	}
	return err
}

func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("agent: " + err.Error())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
