package main

import (
	"bytes"
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
