package clickhousegradeexporter

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/tracegrade/tracegrade/exporter/clickhousegradeexporter/internal/metadata"
)

// NewFactory makes exporters of type clickhouse_grade.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(metadata.Type, createDefaultConfig, exporter.WithTraces(createTraces, metadata.TracesStability))
}

func createTraces(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
	c := cfg.(*Config)
	w, err := newWriter(c, set.Logger)
	if err != nil {
		return nil, err
	}
	return newTraces(ctx, set, c, w)
}

// newTraces puts the helper's queue and retry before a writer.
func newTraces(ctx context.Context, set exporter.Settings, c *Config, w *writer) (exporter.Traces, error) {
	w.durable = c.Queue.HasValue() && c.Queue.Get().StorageID != nil
	e, err := exporterhelper.NewTraces(ctx, set, c, w.write,
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		// Package store bounds every statement; a batch is several.
		exporterhelper.WithTimeout(exporterhelper.TimeoutConfig{}),
		exporterhelper.WithQueue(c.Queue),
		exporterhelper.WithRetry(c.Retry),
		exporterhelper.WithShutdown(w.close))
	if err != nil {
		return nil, err
	}
	return &drained{Traces: e, writer: w, longest: c.Drain}, nil
}
