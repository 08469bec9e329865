package gradeprocessor

import (
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// Config says how traces are put together, with which rules they are graded,
// and what of the grade is written.
type Config struct {
	// Rules lists rule files and folders of them. Default: empty, all shipped
	// packs.
	Rules []string `mapstructure:"rules"`
	// Rubrics says which questions are put to judge models. Default: none.
	Rubrics RubricsConfig `mapstructure:"rubrics"`
	// ReloadInterval is how often the files of Rules and Rubrics are looked at for
	// changes. A change that does not compile is logged, and what was loaded
	// stays. 0 never looks. Default: 10s.
	ReloadInterval time.Duration `mapstructure:"reload_interval"`
	// Assemble says when a trace is ready.
	Assemble AssembleConfig `mapstructure:"assemble"`
	// Emit says which findings are written: problems (fail, error and skipped,
	// and every finding of a rubric) or all. Default: problems.
	Emit string `mapstructure:"emit"`
	// WriteAttributes adds the canonical form of every step to its span, as
	// gen_ai.* attributes of the current semantic conventions next to the
	// producer's own, for other backends. Attributes that are there are never
	// changed. Default: false.
	WriteAttributes bool `mapstructure:"write_attributes"`
	// Redaction applies to every text that the processor writes. Spans pass
	// through as they came. Default: secrets are removed.
	Redaction redact.Config `mapstructure:"redaction"`

	// prevent unkeyed literal initialisation
	_ struct{}
}

// RubricsConfig names rubrics, who judges them, and how long traces may wait
// for that.
type RubricsConfig struct {
	// Files lists rubric files, folders of them, and shipped rubrics
	// (pack:evidence, pack:all). Default: empty, none.
	Files []string `mapstructure:"files"`
	// Judges is the file that configures the judges. Default: empty, rubrics that
	// ask a model are skipped.
	Judges string `mapstructure:"judges"`
	// Hold bounds the waiting for judges. What does not fit leaves with skipped
	// findings.
	Hold HoldConfig `mapstructure:"hold"`

	// prevent unkeyed literal initialisation
	_ struct{}
}

// HoldConfig bounds the stage in which traces wait for judges.
type HoldConfig struct {
	// Traces is how many may wait. Default: 1000.
	Traces int `mapstructure:"traces"`
	// Bytes bounds them and their prompts together. Default: 64 MiB.
	Bytes int64 `mapstructure:"bytes"`
	// Wait is how long a trace may wait. Default: 30s.
	Wait time.Duration `mapstructure:"wait"`

	// prevent unkeyed literal initialisation
	_ struct{}
}

// AssembleConfig bounds the putting together of traces.
type AssembleConfig struct {
	// Quiet is how long nothing may arrive for a trace whose root has ended and
	// that lacks no parent, before it is graded. Default: 2s.
	Quiet time.Duration `mapstructure:"quiet"`
	// Idle is the same for a trace that is not known to be whole. Default: 60s.
	Idle time.Duration `mapstructure:"idle"`
	// MaxAge is how long a trace may be held in all. Default: 10m.
	MaxAge time.Duration `mapstructure:"max_age"`
	// Late is how long a graded trace is remembered, so that spans that come
	// after it are graded together with it. Default: 60s.
	Late time.Duration `mapstructure:"late"`
	// MaxSpans bounds the spans of one trace; it is graded when it has more.
	// Default: 20000.
	MaxSpans int `mapstructure:"max_spans"`
	// MaxBytes bounds one trace in bytes. Default: 64 MiB.
	MaxBytes int64 `mapstructure:"max_bytes"`
	// TotalBytes bounds all traces together. What does not fit is refused with
	// an error that makes clients send again. Default: 512 MiB.
	TotalBytes int64 `mapstructure:"total_bytes"`

	// prevent unkeyed literal initialisation
	_ struct{}
}

var _ component.Config = (*Config)(nil)

const (
	emitProblems = "problems"
	emitAll      = "all"

	defaultReloadInterval = 10 * time.Second

	// A reply of a judge takes seconds; a trace is a few dozen KB.
	defaultHoldTraces = 1000
	defaultHoldBytes  = 64 << 20
	defaultHoldWait   = 30 * time.Second
)

func createDefaultConfig() component.Config {
	o := assemble.DefaultOptions()
	return &Config{
		Rubrics:        RubricsConfig{Hold: HoldConfig{Traces: defaultHoldTraces, Bytes: defaultHoldBytes, Wait: defaultHoldWait}},
		ReloadInterval: defaultReloadInterval,
		Assemble: AssembleConfig{
			Quiet: o.Quiet, Idle: o.Idle, MaxAge: o.MaxAge, Late: o.Late,
			MaxSpans: o.MaxSpans, MaxBytes: o.MaxBytes, TotalBytes: o.TotalBytes,
		},
		Emit:      emitProblems,
		Redaction: redact.DefaultConfig(),
	}
}

// Validate reports every mistake at once.
func (c *Config) Validate() error {
	var errs []error
	if c.Emit != emitProblems && c.Emit != emitAll {
		errs = append(errs, fmt.Errorf(`"emit" is %q: want %s or %s`, c.Emit, emitProblems, emitAll))
	}
	if c.ReloadInterval < 0 {
		errs = append(errs, fmt.Errorf(`"reload_interval" is %v: want a positive duration, or 0 for never`, c.ReloadInterval))
	}
	if r := &c.Rubrics; len(r.Files) > 0 && r.Hold.Bytes > c.Assemble.TotalBytes/2 {
		errs = append(errs, fmt.Errorf(`"rubrics::hold::bytes" is %d: want at most half of "assemble::total_bytes", which is %d, so that traces that wait for judges leave room for others`, r.Hold.Bytes, c.Assemble.TotalBytes))
	}
	return errors.Join(errs...)
}

// Validate reports every mistake at once.
func (c *RubricsConfig) Validate() error {
	if len(c.Files) == 0 && c.Judges != "" {
		return fmt.Errorf(`"judges" is %q and "files" is empty: nothing would be asked of them; name rubrics, for example [pack:evidence]`, c.Judges)
	}
	return nil
}

// Validate reports every mistake at once.
func (c *HoldConfig) Validate() error {
	var errs []error
	if c.Traces <= 0 {
		errs = append(errs, fmt.Errorf(`"traces" is %d: want at least 1`, c.Traces))
	}
	if c.Bytes <= 0 {
		errs = append(errs, fmt.Errorf(`"bytes" is %d: want at least 1`, c.Bytes))
	}
	if c.Wait <= 0 {
		errs = append(errs, fmt.Errorf(`"wait" is %v: want a positive duration`, c.Wait))
	}
	return errors.Join(errs...)
}

// Validate reports every mistake at once.
func (c *AssembleConfig) Validate() error {
	var errs []error
	for _, d := range []struct {
		key   string
		value time.Duration
	}{{"quiet", c.Quiet}, {"idle", c.Idle}, {"max_age", c.MaxAge}, {"late", c.Late}} {
		if d.value <= 0 {
			errs = append(errs, fmt.Errorf("%q is %v: want a positive duration", d.key, d.value))
		}
	}
	if c.Quiet > c.Idle {
		errs = append(errs, fmt.Errorf(`"quiet" is %v: want at most "idle", which is %v`, c.Quiet, c.Idle))
	}
	if c.MaxSpans <= 0 {
		errs = append(errs, fmt.Errorf(`"max_spans" is %d: want at least 1`, c.MaxSpans))
	}
	if c.MaxBytes <= 0 {
		errs = append(errs, fmt.Errorf(`"max_bytes" is %d: want at least 1`, c.MaxBytes))
	}
	if c.TotalBytes < c.MaxBytes {
		errs = append(errs, fmt.Errorf(`"total_bytes" is %d: want at least "max_bytes", which is %d`, c.TotalBytes, c.MaxBytes))
	}
	return errors.Join(errs...)
}

func (c *Config) emit() wire.Emit {
	if c.Emit == emitAll {
		return wire.EmitAll
	}
	return wire.EmitProblems
}

func (c *AssembleConfig) options() assemble.Options {
	return assemble.Options{
		Quiet: c.Quiet, Idle: c.Idle, MaxAge: c.MaxAge, Late: c.Late,
		MaxSpans: c.MaxSpans, MaxBytes: c.MaxBytes, TotalBytes: c.TotalBytes,
	}
}
