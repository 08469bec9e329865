package gradeprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"

	"github.com/tracegrade/tracegrade/internal/shared"
	"github.com/tracegrade/tracegrade/processor/gradeprocessor/internal/metadata"
)

// NewFactory makes processors of type grade. The traces and the logs pipeline
// that name one id share one grader, so that log records find their spans.
func NewFactory() processor.Factory {
	var graders shared.Map[*Config, *grader]
	// Rules are compiled when a component is made, so that the collector's
	// validate command reports their mistakes.
	get := func(set processor.Settings, cfg component.Config) (*shared.Component[*grader], error) {
		c := cfg.(*Config)
		return graders.Get(c, func() (*grader, error) { return newGrader(c, set) })
	}
	return processor.NewFactory(metadata.Type, createDefaultConfig,
		processor.WithTraces(func(_ context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
			g, err := get(set, cfg)
			if err != nil {
				return nil, err
			}
			if err := g.Value.sendTo(next); err != nil {
				return nil, err
			}
			return &traces{g}, nil
		}, metadata.TracesStability),
		processor.WithLogs(func(_ context.Context, set processor.Settings, cfg component.Config, next consumer.Logs) (processor.Logs, error) {
			g, err := get(set, cfg)
			if err != nil {
				return nil, err
			}
			return &logs{Component: g, next: next}, nil
		}, metadata.LogsStability))
}

// traces is the grader in a traces pipeline.
type traces struct {
	*shared.Component[*grader]
}

// Capabilities says that findings are written onto the spans.
func (*traces) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: true} }

// logs is the grader in a logs pipeline: it reads the records and passes them
// on at once, as they are.
type logs struct {
	*shared.Component[*grader]
	next consumer.Logs
}

// Capabilities says that records are left as they are.
func (*logs) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }
