package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
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
		"name: x\nkind: react":            "agent a.yaml: kind react needs model and base_url, or script",
		"name: x\nkind: wait\ntoken: abc": "read agent: a.yaml:3: unknown key \"token\": want one of name, kind, command, url, model, base_url, script, prompt, price, key_env, tools, steps, wait, quiet",
		"name: x\n kind: wait":            "read agent: a.yaml:2:2: not YAML: mapping values are not allowed in this context",
		"name: x\nkind: command\ncommand: node agent.js\nsteps: few": "read agent: a.yaml:3: this `node ag...`: want a list such as [node, agent.mjs]\na.yaml:4: this `few`: want a whole number",
		"name: x\nkind: command\ncommand: [a]\nscript: null":         `agent a.yaml: script has no value; where null is meant, write "null"`,
		strings.Repeat("#", maxFile+1):                               "read agent a.yaml: the file has more than 1048576 bytes",
		"- x":                                                        "read agent: a.yaml:1: this: want keys such as name and kind",
		"name: x\nkind: http\nurl: 127.0.0.1:9/run":                  "agent a.yaml: url \"127.0.0.1:9/run\": want an address such as http://127.0.0.1:8080/run",
		"name: x\nkind: react\nmodel: m\nbase_url: localhost":        "agent a.yaml: base_url \"localhost\": want an address such as http://127.0.0.1:8080/run",
		"": "agent a.yaml: the file is empty: want name, kind, and what the kind needs",
		"name: x\nkind: command\ncommand: [a]\nsteps: 3\nurl: http://u": "agent a.yaml: kind command does not take url; it belongs to http\nkind command does not take steps; it belongs to react",
		"name: x\nkind: react\nscript: orakel\nmodel: m": "agent a.yaml: script \"orakel\": want one of oracle, null, trap_taker, sceptic, recoverer\n" +
			"script stands in place of model, base_url and key_env: want one or the other",
		"name: x\nkind: http\nurl: http://u\nprice: {input: 1, output: 2, date: today}": `agent a.yaml: price 1 and 2 of "today": want what a million tokens of input and output cost, and the day on which that was true, such as date: 2026-11-30`,
		"name: x\nkind: react\nmodel: m\nbase_url: http://b/v1\nsteps: -1":              "agent a.yaml: steps -1, wait 0s, quiet 0s: want nothing negative",
	} {
		if _, err := Load("a.yaml", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("Load(%q): %v\nwant %s", text, err, want)
		}
	}
}

// The agent files that are shown as examples can be loaded.
func TestExamples(t *testing.T) {
	names, err := filepath.Glob("../../examples/*/*.yaml")
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

// A process is told which model to ask, where the file says so; nothing that it
// inherits may send its spans elsewhere.
func TestEnvironmentOfProcesses(t *testing.T) {
	task := Task{Base: "http://127.0.0.1:1/r/c/trap/r", Token: "s"}
	for text, want := range map[string][]string{
		"": {},
		"model: m\nbase_url: http://127.0.0.1:2/v1\nprompt: p\n": {"TRACEGRADE_MODEL=m", "OPENAI_BASE_URL=http://127.0.0.1:2/v1", "TRACEGRADE_PROMPT=p"},
		"script: oracle\n": {"TRACEGRADE_MODEL=oracle", "OPENAI_BASE_URL=http://127.0.0.1:1/r/c/trap/r/v1", "OPENAI_API_KEY=s"},
	} {
		f, err := Load("a.yaml", strings.NewReader("name: a\nkind: command\ncommand: [a]\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, f.environment(&task)[len(task.Environment()):]); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
	got := inherited([]string{"PATH=/bin", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://elsewhere", "OTEL_SDK_DISABLED=true", "OTEL_SERVICE_NAME=mine"})
	if want := []string{"PATH=/bin", "OTEL_SERVICE_NAME=mine"}; !slices.Equal(got, want) {
		t.Errorf("inherited %v, want %v", got, want)
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
