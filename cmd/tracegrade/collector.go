package main

import (
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/otelcol"
)

// collectorSettings describes the distribution. Its components are generated
// from builder-config.yaml; its providers are the same as there (by test).
func collectorSettings() otelcol.CollectorSettings {
	return otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{
			Command:     "tracegrade",
			Description: "OpenTelemetry Collector that grades what LLM agents did",
			Version:     version,
		},
		Factories: distribution,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				ProviderFactories: []confmap.ProviderFactory{
					envprovider.NewFactory(),
					fileprovider.NewFactory(),
					yamlprovider.NewFactory(),
				},
			},
		},
	}
}

// distribution is the generated list of components, with the version of this
// build for our own: the builder's file has none for the module that it is in.
func distribution() (otelcol.Factories, error) {
	f, err := components()
	for _, modules := range []map[component.Type]string{
		f.ReceiverModules, f.ProcessorModules, f.ExporterModules, f.ConnectorModules, f.ExtensionModules,
	} {
		for typ, module := range modules {
			if name, ok := strings.CutSuffix(module, " v0.0.0"); ok {
				modules[typ] = name + " v" + version
			}
		}
	}
	return f, err
}
