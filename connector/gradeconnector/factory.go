package gradeconnector

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"

	"github.com/tracegrade/tracegrade/connector/gradeconnector/internal/metadata"
)

// NewFactory makes connectors of type grade.
func NewFactory() connector.Factory {
	return connector.NewFactory(metadata.Type, createDefaultConfig,
		connector.WithTracesToLogs(func(_ context.Context, _ connector.Settings, _ component.Config, next consumer.Logs) (connector.Traces, error) {
			return &toLogs{next: next}, nil
		}, metadata.TracesToLogsStability),
		connector.WithTracesToMetrics(func(_ context.Context, _ connector.Settings, cfg component.Config, next consumer.Metrics) (connector.Traces, error) {
			return newToMetrics(cfg.(*Config), next), nil
		}, metadata.TracesToMetricsStability))
}

// reader is what both connectors are: a component that reads and holds nothing
// that must be stopped.
type reader struct {
	component.StartFunc
	component.ShutdownFunc
}

// Capabilities says that spans are left as they are.
func (reader) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }
