package ruletest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/rules/ruletest"
)

// TestSchema holds the schema against test files that are right, the shipped ones among
// them, and against mistakes that an editor should underline.
func TestSchema(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(ruletest.FileSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tests.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("tests.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text []byte) error {
		var v any
		if err := yaml.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		js, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(js))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(instance)
	}
	shipped, err := filepath.Glob(filepath.Join("..", "packs", "*", "*_test.yaml"))
	if err != nil || len(shipped) < 6 {
		t.Fatalf("%d shipped test files: %v", len(shipped), err)
	}
	for _, name := range shipped {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for text, right := range map[string]bool{
		"tests: [{name: a, steps: [{user: 404}, {agent: x, steps: [{tool: {name: t, args: [1], result: {a: 1}}}]}, {answer: }], expect: {r: pass}}]": true,
		"tests: [{name: a, steps: [{agent: x, steps: [{tool: {nmae: t}}]}]}]":                                                                        false,
		"tests: [{name: a, steps: {user: x}}]":                         false,
		"tests: [{name: a, steps: [{answer: x, input_tokens: many}]}]": false,
		"tests: [{name: a, trase: x.jsonl}]":                           false,
		"rules: x.yaml":                                                false, // without tests
	} {
		if err := validate([]byte(text)); (err == nil) != right {
			t.Errorf("%s: %v, want right: %v", text, err, right)
		}
	}
}
