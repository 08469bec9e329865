package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/component"

	"github.com/tracegrade/tracegrade/internal/store/engine"
)

func TestServeDefaultConfigIsPrintedAsItIs(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"serve", "default-config"}, nil, &out, &errs); code != exitOK {
		t.Fatalf("status %d: %s", code, &errs)
	}
	if out.String() != defaultConfig {
		t.Error("serve default-config prints something else than serve.yaml")
	}
}

func TestServeConfigPlaces(t *testing.T) {
	o := serveOptions{configs: []string{"a.yaml"}, sets: []string{"processors.grade.emit=all"}}
	if got, want := strings.Join(o.uris(), " | "), "a.yaml | yaml:processors::grade::emit: all"; got != want {
		t.Errorf("uris = %s, want %s", got, want)
	}
	o.configs = nil
	if got := o.uris(); got[0] != "yaml:"+defaultConfig || len(got) != 2 {
		t.Errorf("without --config the default configuration comes first: %q", got)
	}
}

func TestServeRefusesWrongSettings(t *testing.T) {
	data := t.TempDir()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--metrics", "nowhere", "--dsn", "clickhouse://h:1"}, `--metrics "nowhere"`},
		{[]string{"--config", "none.yaml"}, "none.yaml"},
		{[]string{"--config", "yaml:processors::grade::emit: some"}, "want problems or all"},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"serve", "--data", data}, tt.args...)
		if code := run(args, nil, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), tt.want) {
			t.Errorf("%v: status %d, %s\nwant status 2 and %q", tt.args, code, &errs, tt.want)
		}
	}
}

// A configuration that uses what serve sets can be checked without an engine.
func TestServeValidatesItsOwnConfiguration(t *testing.T) {
	for _, name := range []string{"DSN", "DATA", "OTLP_GRPC", "OTLP_HTTP", "HEALTH", "LOG_LEVEL", "METRICS_LEVEL", "METRICS_HOST", "METRICS_PORT"} {
		t.Setenv("TRACEGRADE_"+name, "") // put back after the test
	}
	var out, errs bytes.Buffer
	if code := run([]string{"serve", "validate", "--config", "serve.yaml"}, nil, &out, &errs); code != exitOK || !strings.Contains(errs.String(), "warning: TRACEGRADE_DSN is empty") {
		t.Errorf("status %d, %s", code, &errs)
	}
	for dsn, want := range map[string]string{
		"":                         "dsn: want the address of a ClickHouse",
		"clickhouse://h:99999/x":   `dsn: port "99999"`,
		"clickhouse://h:9000/my-x": `dsn: database "my-x"`,
	} {
		errs.Reset()
		config := `yaml:{receivers: {otlp: {protocols: {grpc: {}}}}, exporters: {clickhouse_grade: {dsn: "` + dsn + `"}}, service: {pipelines: {traces: {receivers: [otlp], exporters: [clickhouse_grade]}}}}`
		if code := run([]string{"serve", "validate", "--config", config}, nil, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("dsn %q: status %d, %s\nwant status 2 and %q", dsn, code, &errs, want)
		}
	}
}

// A second collector on a data folder is told whose the folder is, and what to
// do.
func TestServeTwiceOnAFolder(t *testing.T) {
	data := t.TempDir()
	claim, err := engine.Claim(data, "serve.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Close()
	var out, errs bytes.Buffer
	code := run([]string{"serve", "--data", data}, nil, &out, &errs)
	want := fmt.Sprintf("tracegrade: data folder %s is that of another tracegrade serve (process %d): stop that, or give this one a folder of its own with --data FOLDER\n", data, os.Getpid())
	if code != exitUsage || errs.String() != want {
		t.Errorf("status %d: %swant status 2: %s", code, &errs, want)
	}
}

// What keeps a collector from starting is said once.
func TestServeSaysOnceWhyItDoesNotStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	stderr := filepath.Join(t.TempDir(), "stderr")
	c := exec.Command(testBinary(t), "serve", "--data", t.TempDir(), "--dsn", "clickhouse://127.0.0.1:1", "--metrics", "",
		"--otlp-grpc", taken.Addr().String(), "--otlp-http", "127.0.0.1:0", "--health", "127.0.0.1:0")
	file, err := os.Create(stderr)
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = file
	err = errors.Join(c.Run(), file.Close())
	said, readErr := os.ReadFile(stderr)
	if readErr != nil {
		t.Fatal(readErr)
	}
	want := "tracegrade: cannot start pipelines: failed to start \"otlp\" receiver: listen tcp " + taken.Addr().String() + ": bind: address already in use\n"
	if c.ProcessState.ExitCode() != exitTrouble || string(said) != want {
		t.Errorf("%v: got %q, want %q", err, said, want)
	}
}

// The command that the banner shows asks the database that the collector writes
// to.
func TestServeSaysHowToAsk(t *testing.T) {
	for _, tt := range []struct {
		o    serveOptions
		env  string
		want string
	}{
		{serveOptions{}, "", "query \"SELECT"},
		{serveOptions{data: "/srv/agents"}, "", "query --data /srv/agents \"SELECT"},
		{serveOptions{data: "/my data/x's"}, "", `query --data '/my data/x'\''s' "SELECT`},
		{serveOptions{dsn: "clickhouse://h:9000/x", data: "d"}, "", "query --dsn clickhouse://h:9000/x \"SELECT"},
		{serveOptions{dsn: "clickhouse://anna:hunter2@h:9000/x"}, "", "query --dsn clickhouse://anna:xxxxx@h:9000/x \"SELECT"},
		{serveOptions{dsn: "clickhouse://h:9000/x"}, "clickhouse://h:9000/x", "query \"SELECT"},
	} {
		t.Setenv("TRACEGRADE_DSN", tt.env)
		var out bytes.Buffer
		tt.o.banner(&out, "", tt.o.given(), 0)
		if !strings.Contains(out.String(), tt.want) {
			t.Errorf("%+v:\n%s\nlacks %s", tt.o, &out, tt.want)
		}
	}
}

func TestDSNIsShownWithoutPassword(t *testing.T) {
	if got := withoutPassword("clickhouse://anna:hunter2@h:9000/x"); strings.Contains(got, "hunter2") || !strings.Contains(got, "h:9000") {
		t.Errorf("shown: %s", got)
	}
}

// The examples are configurations that the distribution accepts.
func TestExampleConfigurations(t *testing.T) {
	files, err := filepath.Glob("../../deploy/collector/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d examples, error %v", len(files), err)
	}
	for _, file := range files {
		var out, errs bytes.Buffer
		if code := run([]string{"serve", "validate", "--config", file}, nil, &out, &errs); code != exitOK {
			t.Errorf("%s: status %d: %s", file, code, &errs)
		}
		for _, old := range deprecated(t, file) {
			t.Errorf("%s: %s", file, old)
		}
	}
}

// deprecated lists the components of a configuration that stand under an old
// name: the collector warns of each.
func deprecated(t *testing.T, file string) (list []string) {
	t.Helper()
	o := serveOptions{configs: []string{file}}
	set := collectorSettings()
	set.ConfigProviderSettings.ResolverSettings.URIs = o.uris()
	set.ConfigProviderSettings.ResolverSettings.DefaultScheme = "file"
	cfg, err := resolved(t.Context(), &set)
	if err != nil {
		t.Fatal(err)
	}
	f, err := set.Factories()
	if err != nil {
		t.Fatal(err)
	}
	check := func(id component.ID, factory component.Factory) {
		if factory.Type() != id.Type() {
			list = append(list, fmt.Sprintf("%s is deprecated, use %s", id.Type(), factory.Type()))
		}
	}
	for id := range cfg.Receivers {
		check(id, f.Receivers[id.Type()])
	}
	for id := range cfg.Processors {
		check(id, f.Processors[id.Type()])
	}
	for id := range cfg.Exporters {
		check(id, f.Exporters[id.Type()])
	}
	for id := range cfg.Extensions {
		check(id, f.Extensions[id.Type()])
	}
	return list
}

// Our own components have the version of this build, which the builder's file
// cannot know.
func TestComponentsHaveTheirVersion(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"serve", "components"}, nil, &out, &errs); code != exitOK {
		t.Fatalf("status %d: %s", code, &errs)
	}
	if n := strings.Count(out.String(), "module: github.com/tracegrade/tracegrade v"+version+"\n"); n != 4 {
		t.Errorf("%d components of ours with version %s, want 4:\n%s", n, version, &out)
	}
}
