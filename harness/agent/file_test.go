package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoad(t *testing.T) {
	const good = "name: mine\nkind: react\nmodel: m\nbase_url: http://127.0.0.1:1/v1\nkey_env: MY_KEY\n"
	f, err := Load("a.yaml", strings.NewReader(good))
	if err != nil || f.Name != "mine" || f.Hash == "" {
		t.Fatalf("Load: %+v, %v", f, err)
	}
	again, err := Load("b.yaml", strings.NewReader(good+"steps: 3\n"))
	if err != nil || again.Hash == f.Hash {
		t.Errorf("another content has the same hash %q, %v", f.Hash, err)
	}
	if _, err := Open(f, func(string) string { return "" }); err == nil || err.Error() != "agent mine: the variable MY_KEY is empty" {
		t.Errorf("without its key: %v", err)
	}
	a, err := Open(f, func(name string) string { return "value of " + name })
	if r, ok := a.(*ReAct); err != nil || !ok || r.Key != "value of MY_KEY" {
		t.Errorf("Open: %+v, %v", a, err)
	}
	for text, want := range map[string]string{
		"kind: command":                   "agent a.yaml: name \"\": want up to 40 letters, digits, dots and dashes\nkind command needs command",
		"name: x\nkind: oracel":           `agent a.yaml: kind "oracel": want one of oracle, null, trap_taker, sceptic, recoverer, react, command, http, mcp_host, wait`,
		"name: x\nkind: http":             "agent a.yaml: kind http needs url",
		"name: x\nkind: react":            "agent a.yaml: kind react needs model\nkind react needs base_url",
		"name: x\nkind: wait\ntoken: abc": "read agent a.yaml: yaml: unmarshal errors:\n  line 3: field token not found in type agent.File",
	} {
		if _, err := Load("a.yaml", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("Load(%q): %v\nwant %s", text, err, want)
		}
	}
}

// The agent files that are shown as examples can be loaded.
func TestExamples(t *testing.T) {
	names, err := filepath.Glob("../../examples/harness/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d examples, %v", len(names), err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Load(name, bytes.NewReader(data))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := Open(f, os.Getenv); err != nil {
			t.Error(err)
		}
	}
}

func TestEnvironmentRoundTrip(t *testing.T) {
	want := Task{Run: "r", Question: "q?", Lang: "zh", Base: "http://127.0.0.1:1/r/c/trap/r", Token: "s", OTLP: "http://127.0.0.1:2", TraceParent: "00-x-y-01"}
	env := map[string]string{}
	for _, kv := range want.Environment() {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	if d := cmp.Diff(want, FromEnvironment(func(k string) string { return env[k] })); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
