package rules_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
)

func TestFormat(t *testing.T) {
	const in = `# about the file
rules:
    # the first
    - severity: low
      id: a
      assert:   all(tools(), .ok)   # why
      scope: trace
    - {id: b, severity: low, assert: "step.ok"}
    # a block
    - id: c
      assert: |
        step.ok

        and true
      severity: high
    - id: d
      severity: low
      assert: >-
        any(tools(),
          .ok and
            .seconds > 1)
let:
    x: tools()
`
	const want = `# about the file
let:
  x: tools()

rules:
  # the first
  - id: a
    severity: low
    scope: trace
    assert: all(tools(), .ok) # why

  - id: b
    severity: low
    assert: "step.ok"

  # a block
  - id: c
    severity: high
    assert: |
      step.ok

      and true

  - id: d
    severity: low
    assert: |-
      any(tools(),
        .ok and
          .seconds > 1)
`
	got, err := rules.Format("t.yaml", []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("Format (-want +got):\n%s", diff)
	}
	again, err := rules.Format("t.yaml", got)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("formatting twice differs: %v\n%s", err, cmp.Diff(string(got), string(again)))
	}
	if _, err := rules.Format("t.yaml", []byte("rules: [")); err == nil {
		t.Error("what is no rule file is formatted")
	}
}

// rulesOfPacks calls f with each shipped rule file.
func rulesOfPacks(t *testing.T, f func(name string, data []byte)) {
	t.Helper()
	found := 0
	err := fs.WalkDir(packs.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.yaml") {
			return err
		}
		data, err := fs.ReadFile(packs.Files(), name)
		if err == nil {
			found++
			f(name, data)
		}
		return err
	})
	if err != nil || found == 0 {
		t.Fatalf("%d rule files: %v", found, err)
	}
}

func TestFormatKeepsIdentity(t *testing.T) {
	rulesOfPacks(t, func(name string, data []byte) {
		formatted, err := rules.Format(name, data)
		if err != nil {
			t.Fatal(err)
		}
		before, after := compileText(t, string(data)).Rules(), compileText(t, string(formatted)).Rules()
		for i := range before {
			if before[i].Hash != after[i].Hash {
				t.Errorf("%s: formatting changes the hash of %s", name, before[i].ID)
			}
		}
	})
}

func TestSchemaAcceptsShippedRules(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(rules.FileSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("rules.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("rules.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text []byte) error {
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		js, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		inst, err := jsonschema.UnmarshalJSON(bytes.NewReader(js))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(inst)
	}
	rulesOfPacks(t, func(name string, data []byte) {
		if err := valid(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	if valid([]byte("rules: [{id: a, severity: lwo, assert: 'true'}]")) == nil || valid([]byte("rules: [{id: a, severity: low, asert: 'true'}]")) == nil {
		t.Error("the schema accepts a wrong severity or an unknown key")
	}
}

func TestCompletions(t *testing.T) {
	seen := map[string]string{}
	for _, c := range rules.Completions() {
		seen[c.Name] = c.Form
	}
	for name, form := range map[string]string{"tools": "tools(name...)", "step.kind": "step.kind", "answer": "answer", "under": "under(step, kind, name?)"} {
		if seen[name] != form {
			t.Errorf("completion of %s = %q, want %q", name, seen[name], form)
		}
	}
}

func TestImpact(t *testing.T) {
	before := compileText(t, "rules:\n  - {id: calls, severity: low, scope: trace, assert: len(tools()) <= 3}\n  - {id: gone, severity: low, scope: trace, assert: 'true'}\n  - {id: same, severity: low, scope: trace, assert: root.ok}\n")
	after := compileText(t, "rules:\n  - {id: calls, severity: low, scope: trace, assert: len(tools()) <= 2, message: \"{len(tools())} calls\"}\n  - {id: same, severity: high, scope: trace, assert: (root.ok)}\n  - {id: new, severity: low, scope: trace, assert: 'true'}\n")
	i := rules.NewImpact(before, after)
	i.Add(exampleTrace(t))
	var b bytes.Buffer
	if err := i.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `changed calls
    - assert: len(tools()) <= 3
    + assert: len(tools()) <= 2
removed gone
    - library: VERSION
    - scope: trace
    - assert: true
added new
    + library: VERSION
    + scope: trace
    + assert: true
changed same
    - severity: low
    + severity: high

1 trace, 3 verdicts would change
    1  calls: pass -> fail
    1  gone: pass -> none
    1  new: none -> pass

0123456789abcdef0123456789abcdef calls 0123456789abcdef0123456789abcdef: pass -> fail
    3 calls
`
	if diff := cmp.Diff(strings.ReplaceAll(want, "VERSION", rules.LibraryVersion), b.String()); diff != "" {
		t.Errorf("impact (-want +got):\n%s", diff)
	}
}

func TestExplain(t *testing.T) {
	set := compileText(t, oneRule("title: calls work\nlet: {bad: \"filter(tools(), not .ok)\"}\nwhere: step.kind == \"tool\"\nassert: step.ok or len(bad) > 1"))
	e, err := set.Explain("r", exampleTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	e.WriteText(&b)
	want := `rule r (low, scope span): calls work
selects 3 of 6 steps

search_web: fail (assertion_failed)
  calls work
  witness: 0000000000000003
  let bad  filter(tools(), not .ok) = [search_web]
  where    step.kind == "tool"      = true
             step.kind              = "tool"
               step                 = search_web
  assert   step.ok or len(bad) > 1  = false
             step.ok                = false
               step                 = search_web
             len(bad) > 1           = false
               len(bad)             = 1
                 bad                = [search_web]
`
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Errorf("explanation:\n%s\nwant it to begin:\n%s", got, want)
	}
	if _, err := set.Explain("rr", exampleTrace(t)); err == nil || err.Error() != `no rule "rr", or it is switched off (did you mean "r"?)` {
		t.Errorf("Explain = %v", err)
	}
}
