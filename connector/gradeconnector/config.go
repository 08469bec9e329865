package gradeconnector

import (
	"fmt"

	"go.opentelemetry.io/collector/component"
)

// Config says how findings become metrics. There is nothing to set for logs.
type Config struct {
	// MaxSeries bounds the number of series (rule, outcome, service, agent and
	// its version) that are kept. What is beyond is counted in one series with
	// the attribute otel.metric.overflow. Default: 10000.
	MaxSeries int `mapstructure:"max_series"`

	// prevent unkeyed literal initialisation
	_ struct{}
}

var _ component.Config = (*Config)(nil)

const defaultMaxSeries = 10_000

func createDefaultConfig() component.Config { return &Config{MaxSeries: defaultMaxSeries} }

// Validate checks what the user wrote.
func (c *Config) Validate() error {
	if c.MaxSeries < 1 {
		return fmt.Errorf(`"max_series" is %d: want at least 1`, c.MaxSeries)
	}
	return nil
}
