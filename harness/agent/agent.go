// Package agent is the agents that a benchmark runs.
//
//	UnderTest  the one interface
//	adapters   a command, an HTTP endpoint, an MCP host, somebody else (wait)
//	scripted   four calibration agents that need no model
//	react      a ReAct agent over any OpenAI-compatible model
//	Load       agent file -> *File, whose hash stands in every run
//
// The built-in agents are instrumented with the OpenTelemetry SDK by the current
// semantic conventions. What is measured comes from those spans, never from an
// agent's return value.
package agent

import (
	"context"
	"strings"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
)

// Task is what an agent is given for one run.
type Task struct {
	Case     *cases.Case // known to calibration agents only
	Arm      cases.Arm
	Run      string // id of the run
	Question string
	Lang     string
	Base     string // address of the run at the harness: …/a/{token}
	Token    string // of the harness; empty for none
	OTLP     string // endpoint for OTLP over HTTP, without /v1/traces
	// TraceParent is the W3C header that puts the agent's spans into the run's trace.
	TraceParent string
}

// UnderTest is an agent that can be run.
type UnderTest interface {
	// Run does the task. An error means that the agent could not be run or
	// crashed; a wrong answer is not an error. Spans must have been exported
	// when it returns.
	Run(ctx context.Context, t Task) error
}

// Environment is the task as environment variables, for agents that are
// processes of their own.
func (t *Task) Environment() []string {
	env := []string{
		"TRACEGRADE_QUESTION=" + t.Question,
		"TRACEGRADE_LANG=" + t.Lang,
		"TRACEGRADE_RUN=" + t.Run,
		"TRACEGRADE_TASK_URL=" + t.Base + "/task",
		"TRACEGRADE_TOOLS_URL=" + t.Base + "/tools",
		"TRACEGRADE_OPENAPI_URL=" + t.Base + "/openapi.json",
		"TRACEGRADE_MCP_URL=" + t.Base + "/mcp",
	}
	env = append(env, t.Telemetry()...)
	if t.Token != "" {
		env = append(env, "TRACEGRADE_TOKEN="+t.Token)
	}
	return env
}

// Telemetry is the part of the environment that sends an agent's spans to the run.
func (t *Task) Telemetry() []string {
	return []string{
		"TRACEPARENT=" + t.TraceParent,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + t.OTLP,
		"OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
		"OTEL_RESOURCE_ATTRIBUTES=" + journal.RunAttribute + "=" + t.Run,
	}
}

// FromEnvironment reads what Environment wrote, for agents that are Go programs.
func FromEnvironment(getenv func(string) string) Task {
	t := Task{
		Run: getenv("TRACEGRADE_RUN"), Question: getenv("TRACEGRADE_QUESTION"), Lang: getenv("TRACEGRADE_LANG"),
		Base:  strings.TrimSuffix(getenv("TRACEGRADE_TASK_URL"), "/task"),
		Token: getenv("TRACEGRADE_TOKEN"), OTLP: getenv("OTEL_EXPORTER_OTLP_ENDPOINT"), TraceParent: getenv("TRACEPARENT"),
	}
	return t
}
