package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/spf13/cobra"
	bbolt "go.etcd.io/bbolt/errors"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/otelcol"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/tracegrade/tracegrade/internal/store/engine"
)

// defaultConfig is what serve runs when no --config is given.
//
//go:embed serve.yaml
var defaultConfig string

// serveOptions are the flags of serve.
type serveOptions struct {
	configs, sets []string
	data          string
	dsn           string
	engine        bool
	grpc, http    string
	health        string
	metrics       string
	logLevel      string
}

// serveCommand is the Collector with the components of builder-config.yaml.
func serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the collector: receive spans, grade them, store the grades",
		Long: `Run the collector: receive spans over OTLP, grade them, store the grades.

Without --config it runs its default configuration (tracegrade serve
default-config prints it) with the embedded ClickHouse, or with the server of
--dsn. With --config it runs that; --engine starts the embedded ClickHouse for it
and puts its address into the variable TRACEGRADE_DSN.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), cmd.OutOrStdout(), &o)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&o.configs, "config", nil, "configuration of the collector (file, or env:, file:, yaml:); may repeat")
	f.StringArrayVar(&o.sets, "set", nil, "override one property: --set=processors.grade.emit=all; may repeat")
	f.StringVar(&o.data, "data", "", "data folder: embedded ClickHouse and the exporter's queue (default $XDG_DATA_HOME/tracegrade)")
	f.StringVar(&o.dsn, "dsn", os.Getenv("TRACEGRADE_DSN"), "ClickHouse server to use instead of the embedded one: clickhouse://user:password@host:9000/database (default $TRACEGRADE_DSN)")
	f.BoolVar(&o.engine, "engine", false, "with --config: start the embedded ClickHouse")
	f.StringVar(&o.grpc, "otlp-grpc", "127.0.0.1:4317", "where to listen for OTLP over gRPC")
	f.StringVar(&o.http, "otlp-http", "127.0.0.1:4318", "where to listen for OTLP over HTTP")
	f.StringVar(&o.health, "health", "127.0.0.1:13133", "where to answer health checks")
	f.StringVar(&o.metrics, "metrics", "127.0.0.1:8888", "where to serve the collector's own metrics; empty for nowhere")
	f.StringVar(&o.logLevel, "log-level", "warn", "debug, info, warn or error")
	gates := flag.NewFlagSet("", flag.ContinueOnError)
	featuregate.GlobalRegistry().RegisterFlags(gates)
	f.AddGoFlagSet(gates)

	collector := otelcol.NewCommand(collectorSettings())
	for _, sub := range collector.Commands() {
		if sub.Name() == "validate" {
			sub.RunE = o.validate(sub.RunE)
		}
		cmd.AddCommand(sub)
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "default-config",
		Short: "Print the configuration that serve runs without --config",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), defaultConfig)
			return err
		},
	})
	return cmd
}

// serve runs the collector until it is told to stop.
func serve(ctx context.Context, stdout io.Writer, o *serveOptions) error {
	began := time.Now()
	given := o.given()
	if err := o.prepare(); err != nil {
		return err
	}
	if len(o.configs) == 0 { // whose queue is in the data folder
		claim, err := engine.Claim(o.data, "serve.lock")
		if held := (*engine.HeldError)(nil); errors.As(err, &held) {
			return usagef("data folder %s is that of another tracegrade serve (process %d): stop that, or give this one a folder of its own with --data FOLDER", o.data, held.PID)
		}
		if err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		defer claim.Close()
	}
	database := "server " + withoutPassword(o.dsn)
	if o.dsn == "" && (o.engine || len(o.configs) == 0) {
		e, err := startEngine(ctx, o.data)
		if err != nil {
			return err
		}
		following, stopFollowing := context.WithCancel(ctx)
		last := make(chan *engine.Engine, 1)
		go func() { last <- e.Succeed(following, serveEngine(o.data)) }()
		defer func() {
			stopFollowing()
			(<-last).Close()
		}()
		o.dsn = e.DSN()
		database = fmt.Sprintf("embedded ClickHouse, data in %s", o.data)
		if !e.Owned() {
			database += fmt.Sprintf(" (run by %s)", e.Owner)
		}
	}
	if err := o.setVariables(); err != nil {
		return err
	}
	// The collector listens for signals only once it runs: one that comes a
	// moment before would end the process with everything it holds.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	set := collectorSettings()
	set.DisableGracefulShutdown = true
	set.LoggingOptions = []zap.Option{zap.WrapCore(withoutStartErrors)}
	set.ConfigProviderSettings.ResolverSettings.URIs = o.uris()
	set.ConfigProviderSettings.ResolverSettings.DefaultScheme = "env"
	cfg, err := resolved(ctx, &set)
	if err == nil { // what is wrong with it, the collector says
		tuneHeap(collectorHeap(cfg, machineMemory()))
	}
	col, err := otelcol.NewCollector(set)
	if err != nil {
		return err
	}
	stopped := make(chan struct{})
	var announce sync.WaitGroup
	announce.Go(func() {
		if waitRunning(col, stopped) {
			o.banner(stdout, database, given, time.Since(began))
		}
	})
	err = col.Run(ctx)
	close(stopped)
	announce.Wait()
	if errors.Is(err, bbolt.ErrTimeout) {
		err = fmt.Errorf("%w: a folder of file_storage (%s) is that of another collector: give this one a folder of its own", err, strings.Join(storageFolders(cfg), ", "))
	}
	if err != nil && col.DryRun(ctx) != nil {
		return usage(err) // it never could have run
	}
	return err
}

// withoutStartErrors leaves out what the collector logs of a component that does
// not start: it returns the same as an error, which is what serve prints.
func withoutStartErrors(core zapcore.Core) zapcore.Core { return startErrors{core} }

type startErrors struct{ zapcore.Core }

func (c startErrors) With(fields []zapcore.Field) zapcore.Core {
	return startErrors{c.Core.With(fields)}
}

func (c startErrors) Check(e zapcore.Entry, to *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if e.Message == "Failed to start component" {
		return to
	}
	return c.Core.Check(e, to)
}

// resolved is the configuration that the collector is going to run.
func resolved(ctx context.Context, set *otelcol.CollectorSettings) (*otelcol.Config, error) {
	provider, err := otelcol.NewConfigProvider(set.ConfigProviderSettings)
	if err != nil {
		return nil, err
	}
	defer func() { _ = provider.Shutdown(ctx) }()
	factories, err := set.Factories()
	if err != nil {
		return nil, err
	}
	return provider.Get(ctx, factories)
}

// storageFolders are the folders in which a configuration keeps queues.
func storageFolders(cfg *otelcol.Config) []string {
	var folders []string
	for _, e := range cfg.Extensions {
		if c, ok := e.(*filestorage.Config); ok {
			folders = append(folders, c.Directory)
		}
	}
	slices.Sort(folders)
	return folders
}

// prepare fills in what the flags leave open.
func (o *serveOptions) prepare() error {
	if o.data == "" {
		data, err := engine.DefaultData()
		if err != nil {
			return err
		}
		o.data = data
	}
	data, err := filepath.Abs(o.data)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	o.data = data
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// startEngine starts the embedded ClickHouse, or attaches to the one that runs.
func startEngine(ctx context.Context, data string) (*engine.Engine, error) {
	ctx, cancel := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer cancel()
	return engine.Start(ctx, serveEngine(data))
}

func serveEngine(data string) engine.Options {
	return engine.Options{Data: data, Owner: "tracegrade serve", Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))}
}

// setVariables hands the flags to the configuration.
func (o *serveOptions) setVariables() error {
	vars := map[string]string{
		"TRACEGRADE_DATA": o.data, "TRACEGRADE_DSN": o.dsn,
		"TRACEGRADE_OTLP_GRPC": o.grpc, "TRACEGRADE_OTLP_HTTP": o.http, "TRACEGRADE_HEALTH": o.health,
		"TRACEGRADE_LOG_LEVEL": o.logLevel, "TRACEGRADE_METRICS_LEVEL": "none",
		"TRACEGRADE_METRICS_HOST": "127.0.0.1", "TRACEGRADE_METRICS_PORT": "8888",
	}
	if o.metrics != "" {
		host, port, err := net.SplitHostPort(o.metrics)
		if err != nil {
			return usagef("--metrics %q: %w", o.metrics, err)
		}
		vars["TRACEGRADE_METRICS_LEVEL"], vars["TRACEGRADE_METRICS_HOST"], vars["TRACEGRADE_METRICS_PORT"] = "normal", host, port
	}
	var errs []error
	for name, value := range vars {
		errs = append(errs, os.Setenv(name, value))
	}
	return errors.Join(errs...)
}

// validate checks a configuration as it is, and one that lacks only the address
// that serve finds out (--engine) as with it; the latter is said.
func (o *serveOptions) validate(check func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := o.standIn(o.dsn); err != nil {
			return err
		}
		err := check(cmd, args)
		if err == nil || o.dsn != "" {
			return usage(err)
		}
		if err := o.standIn("clickhouse://127.0.0.1:9000/tracegrade"); err != nil {
			return err
		}
		if check(cmd, args) != nil {
			return usage(err)
		}
		_, err = fmt.Fprintln(cmd.ErrOrStderr(), "tracegrade: warning: TRACEGRADE_DSN is empty: the configuration is right only for serve --engine, serve --dsn, or where the variable is set")
		return err
	}
}

// standIn gives the variables that serve sets for a configuration values of their
// kind, so that one which uses them can be checked without an engine.
func (o *serveOptions) standIn(dsn string) error {
	v := *o
	v.dsn = dsn
	if v.data == "" {
		data, err := engine.DefaultData()
		if err != nil {
			return err
		}
		v.data = data
	}
	return v.setVariables()
}

// uris are the places of the configuration, in the order of precedence.
func (o *serveOptions) uris() []string {
	uris := o.configs
	if len(uris) == 0 {
		uris = []string{"yaml:" + defaultConfig}
	}
	for _, s := range o.sets {
		key, value, _ := strings.Cut(s, "=")
		uris = append(uris, "yaml:"+strings.ReplaceAll(strings.TrimSpace(key), ".", "::")+": "+strings.TrimSpace(value))
	}
	return uris
}

// waitRunning waits until the collector runs; false where it stopped first.
func waitRunning(col *otelcol.Collector, stopped <-chan struct{}) bool {
	for {
		switch col.GetState() {
		case otelcol.StateRunning:
			return true
		case otelcol.StateClosing, otelcol.StateClosed:
			return false
		case otelcol.StateStarting:
		}
		select {
		case <-stopped:
			return false
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// given are the flags with which other verbs find the database of this collector.
func (o *serveOptions) given() string {
	switch {
	case o.dsn != "" && o.dsn != os.Getenv("TRACEGRADE_DSN"):
		return " --dsn " + shellWord(withoutPassword(o.dsn))
	case o.dsn == "" && o.data != "":
		return " --data " + shellWord(o.data)
	}
	return ""
}

// shellWord quotes a text for a shell where it needs that.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+=,", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (o *serveOptions) banner(w io.Writer, database, given string, took time.Duration) {
	fmt.Fprintf(w, "tracegrade %s is ready (%d ms)\n", version, took.Milliseconds())
	if len(o.configs) > 0 {
		fmt.Fprintf(w, "  config    %s\n", strings.Join(o.configs, ", "))
		return
	}
	fmt.Fprintf(w, "  OTLP      grpc %s, http %s\n", o.grpc, o.http)
	fmt.Fprintf(w, "  database  %s\n", database)
	fmt.Fprintf(w, "  health    http://%s\n", o.health)
	fmt.Fprintf(w, "  ask       tracegrade query%s \"SELECT rule, count() FROM findings_current GROUP BY rule\"\n", given)
}

// withoutPassword is a DSN that may be shown.
func withoutPassword(dsn string) string {
	if dsn == "" {
		return ""
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "of --dsn"
	}
	return u.Redacted()
}
