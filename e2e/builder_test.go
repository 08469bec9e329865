package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Somebody who builds their own collector adds our components to their own
// builder file, and nothing else.
func TestSomebodyElsesBuilderFile(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a whole collector")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := strings.ReplaceAll(`
dist: {module: example.com/observability/collector, name: their-collector, version: 1.2.3, output_path: DIR/out}
receivers:
  - gomod: go.opentelemetry.io/collector/receiver/otlpreceiver v0.165.0
  - {gomod: github.com/tracegrade/tracegrade v0.0.0, import: github.com/tracegrade/tracegrade/receiver/tracefilereceiver}
processors:
  - {gomod: github.com/tracegrade/tracegrade v0.0.0, import: github.com/tracegrade/tracegrade/processor/gradeprocessor}
exporters:
  - gomod: go.opentelemetry.io/collector/exporter/debugexporter v0.165.0
  - {gomod: github.com/tracegrade/tracegrade v0.0.0, import: github.com/tracegrade/tracegrade/exporter/clickhousegradeexporter}
connectors:
  - {gomod: github.com/tracegrade/tracegrade v0.0.0, import: github.com/tracegrade/tracegrade/connector/gradeconnector}
providers:
  - gomod: go.opentelemetry.io/collector/confmap/provider/envprovider v1.71.0
  - gomod: go.opentelemetry.io/collector/confmap/provider/fileprovider v1.71.0
replaces:
  - github.com/tracegrade/tracegrade => ROOT
`, "DIR", dir)
	config = strings.ReplaceAll(config, "ROOT", root)
	file := filepath.Join(dir, "builder-config.yaml")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "tool", "-modfile="+filepath.Join(root, "tools", "go.mod"), "builder", "--config", file)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "out", "their-collector"), "components").CombinedOutput()
	if err != nil {
		t.Fatalf("components: %v\n%s", err, out)
	}
	for _, want := range []string{"trace_file", "grade", "clickhouse_grade", "debug"} {
		if !strings.Contains(string(out), "name: "+want+"\n") {
			t.Errorf("their collector has no %s:\n%s", want, out)
		}
	}

	// And a configuration with all of them is one that it accepts.
	run := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(run, []byte(`
receivers: {trace_file: {include: [nothing/*.json]}, otlp: {protocols: {grpc: }}}
processors: {grade: }
exporters: {debug: , clickhouse_grade: {dsn: "clickhouse://localhost:9000/tracegrade"}}
connectors: {grade: }
service:
  pipelines:
    traces: {receivers: [otlp, trace_file], processors: [grade], exporters: [clickhouse_grade, grade]}
    logs: {receivers: [grade], exporters: [debug]}
    metrics: {receivers: [grade], exporters: [debug]}
`), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(dir, "out", "their-collector"), "validate", "--config", run).CombinedOutput(); err != nil {
		t.Errorf("validate: %v\n%s", err, out)
	}
}
