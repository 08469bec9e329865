package main

import (
	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/otelcol"
)

// serveCommand is the Collector with the components of builder-config.yaml;
// its own subcommands (validate, components, print-config, featuregate) come
// along.
func serveCommand() *cobra.Command {
	cmd := otelcol.NewCommand(collectorSettings())
	cmd.Use = "serve"
	cmd.Short = "Run the collector: receive spans, grade them, store the grades"
	cmd.Args = cobra.NoArgs
	return cmd
}
