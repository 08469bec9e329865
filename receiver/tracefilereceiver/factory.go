package tracefilereceiver

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/tracegrade/tracegrade/internal/shared"
	"github.com/tracegrade/tracegrade/receiver/tracefilereceiver/internal/metadata"
)

// NewFactory makes receivers of type trace_file.
func NewFactory() receiver.Factory {
	// A receiver in a traces and in a logs pipeline reads its files once.
	var readers shared.Map[*Config, *reader]
	get := func(set receiver.Settings, cfg component.Config) (*shared.Component[*reader], error) {
		c := cfg.(*Config)
		return readers.Get(c, func() (*reader, error) { return newReader(c, set) })
	}
	return receiver.NewFactory(metadata.Type, createDefaultConfig,
		receiver.WithTraces(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
			r, err := get(set, cfg)
			if err == nil {
				r.Value.traces = next
			}
			return r, err
		}, metadata.TracesStability),
		receiver.WithLogs(func(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
			r, err := get(set, cfg)
			if err == nil {
				r.Value.logs = next
			}
			return r, err
		}, metadata.LogsStability))
}
