package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
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
	}
}
