package tracefilereceiver

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/tracegrade/tracegrade/internal/tracefile"
)

// Config says what to read.
type Config struct {
	// Include lists files, folders (all their files) and glob patterns.
	// Required.
	Include []string `mapstructure:"include"`
	// Format is the name of a format that every document must have. Default:
	// empty, detected by content.
	Format string `mapstructure:"format"`
	// Follow makes the receiver go on looking for new files every
	// PollInterval. A file is read once, when it has not changed for one
	// interval. Default: false, read what is there and be done.
	Follow bool `mapstructure:"follow"`
	// PollInterval is the time between two looks. Default: 1s.
	PollInterval time.Duration `mapstructure:"poll_interval"`

	// prevent unkeyed literal initialisation
	_ struct{}
}

var _ component.Config = (*Config)(nil)

const defaultPollInterval = time.Second

func createDefaultConfig() component.Config {
	return &Config{PollInterval: defaultPollInterval}
}

// Validate reports every mistake at once.
func (c *Config) Validate() error {
	var errs []error
	if len(c.Include) == 0 {
		errs = append(errs, errors.New(`"include" is empty: want files, folders or glob patterns`))
	}
	for i, p := range c.Include {
		if _, err := filepath.Match(p, ""); err != nil {
			errs = append(errs, fmt.Errorf(`"include[%d]" %q: %w`, i, p, err))
		}
	}
	if c.PollInterval <= 0 {
		errs = append(errs, fmt.Errorf(`"poll_interval" is %v: want a positive duration`, c.PollInterval))
	}
	if known := tracefile.Formats(); c.Format != "" && !slices.Contains(known, c.Format) {
		errs = append(errs, fmt.Errorf(`"format" is %q: want one of %s`, c.Format, strings.Join(known, ", ")))
	}
	return errors.Join(errs...)
}
