package rules_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/tracefile"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// conditions use every operator and loop that run as Go, with the values on
// which they and the machine could differ: nil, numbers of two types, texts
// against lists, operands of unknown type, and those that fail.
var conditions = []string{
	`1 == 1.0`, `1 < 2.5`, `"a" < "b"`, `2 >= 2`, `3 > 4`, `1 <= 0`,
	`nil == nil`, `answerStep == nil`, `answerStep != root`, `root == root`,
	`root.tool == nil`, `first(tools()).tool != nil`,
	`"a" in ["a", "b"]`, `1 in [1.0]`, `"q" in {"q": 1}`, `not ("x" in ["a"])`,
	`"cut" in root.losses`,
	`answer contains "1"`, `answer startsWith "x"`, `question endsWith "?"`, `answer matches "\\d+"`, `answer not matches "^$"`,
	`root.ok ? answer != "" : false`,
	`any(tools(), .tool.ok)`, `all(tools(), .tool.ok)`, `none(tools(), .tool.name == "")`, `count(tools(), .tool.ok) == 2`,
	`len(filter(steps(), .kind in ["llm", "tool"])) > 1`, `len(filter(steps(), false)) == 0`,
	`map(tools(), .tool.name) == ["search_web"]`, `filter(tools(), false) == []`,
	`any(steps(), any(.requested, .name == "calculator"))`, `all(llms(), all(.offered, # != ""))`,
	`first(filter(steps(), false)) == nil`, `last(tools()).tool.name != ""`, `first(["a"]) == "a"`, `len("héllo") == 5`, `len({"a": 1}) == 1`,
	`first(tools()).tool.arguments.query == nil`, `first(tools()).tool.arguments.nothing.at.all == nil`,
	`first(tools()).tool.arguments.query contains "X"`,
	`any(tools(), .tool.result > 5)`, `any(tools(), .tool.arguments.query > 1)`, `not (first(tools()).tool.arguments == true)`,
	`any(tools(), .tool.arguments.expression == "2 * 1099" and .tool.result == 2198)`,
	`len(first(tools()).tool.arguments.query) > 0`, `any(first(tools()).tool.arguments.query, # == "a")`,
	`first(tools()).tool.result in first(tools()).tool.arguments`,
	`len(concat(tools(), llms())) == 4`, `1 - len(tools()) / len(steps()) > 0`, `1 + 2 * 3 - 4 / 2 == 5`, `"a" + "b" == "ab"`, `min(1, 2) == 1`,
	`len(flatten(map(tools(), .losses))) == 0`, `lower("A") + upper("b") == "aB"`, `trim(" a ") == "a"`, `round(2.5) == 3`, `max([1, 2]) == 2`, `1 + first(tools()).tool.arguments.query == 2`, `keys({"a": 1}) == ["a"]`, `string(1) == "1"`, `int("x") == 1`, `sum([1, 2]) == 3`, `reverse([1, 2]) == [2, 1]`, `split("a b", " ") == ["a", "b"]`,
	`tools()[0].tool.name != ""`, `tools()[-1] == last(tools())`, `tools()[99].ok`, `len(tools()[0:1]) == 1`, `len(tools()[1:]) + len(tools()[:1]) == len(tools())`, `"hello"[1:3] == "el"`, `len([1, 2, 3][-2:]) == 2`,
	`{"a": 1, "b": [2]} == {"b": [2], "a": 1}`, `first(tools()).tool.arguments == {"query": "X200"}`, `{"a": 1, "a": 2}.a == 1`, `len({}) == 0`,
	`(first(tools()).tool.arguments.nothing ?? "x") == "x"`, `(answerStep ?? root) != nil`, `(nil ?? 1) == 1`, `first(tools()).tool.arguments.query ?? false`,
	`"ab" matches ("a" + "b")`, `[1, 2][0] == 1 and ["a"][0] == "a"`, `toJSON([1]) contains "1"`, `mean([1, 2]) == 1.5`,
	`find(tools(), .tool.ok) == first(tools())`, `find(tools(), false) == nil`, `find([1, 2, 3], # > 1) == 2`, `find(["a"], # > 1) == nil`,
	`findIndex([1, 2, 3], # > 1) == 1`, `findIndex(["a"], # == "b") == nil`, `["a", "b"][:findIndex(["a", "b"], # == "b") ?? 0] == ["a"]`,
	`any(tools(), find(.losses, # == "cut") == nil) and find(steps(), find(.requested, .name == "calculator") != nil) != nil`,
	`loops(1) == []`, `len(loops(2)) == 0`, `schemaErrors(1, "x") == []`,
}

// TestDirectIsTheMachine evaluates conditions, all examples of the language and
// the shipped packs in both ways.
func TestDirectIsTheMachine(t *testing.T) {
	all := append([]string(nil), conditions...)
	for _, f := range rules.Functions() {
		all = append(all, f.Example)
	}
	for _, f := range rules.Fields() {
		if f.Example != "" {
			all = append(all, f.Example)
		}
	}
	var text strings.Builder
	text.WriteString("rules:\n")
	for i, c := range all {
		rule := fmt.Sprintf("  - {id: c%d, severity: low, scope: trace, assert: %q}\n", i, c)
		if f, err := rules.Parse("one.yaml", []byte("rules:\n"+rule)); err != nil {
			t.Fatal(err)
		} else if _, err := rules.Compile(f); err != nil {
			t.Logf("left out, since it does not compile: %s", c)
			continue
		}
		text.WriteString(rule)
	}
	compile := func() *rules.Set {
		f, err := rules.Parse("conditions.yaml", []byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		set, err := rules.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	compare(t, compile(), compile(), exampleTrace(t), &trace.Trace{})

	captured, _, err := offline.Traces(context.Background(), []string{"../testdata/traces"}, offline.Options{Problem: func(*tracefile.Problem) {}})
	if err != nil || len(captured) < 100 {
		t.Fatalf("%d captured traces: %v", len(captured), err)
	}
	a, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	b, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, a, b, captured...)
}

// compare makes the machine run the second of two equal sets.
func compare(t *testing.T, direct, machine *rules.Set, traces ...*trace.Trace) {
	t.Helper()
	n := rules.MachineOnly(machine)
	t.Logf("%d expressions of %d rules run as Go", n, len(machine.Rules()))
	if n < len(machine.Rules())/2 {
		t.Errorf("only %d expressions of %d rules run as Go", n, len(machine.Rules()))
	}
	for _, tr := range traces {
		got, _ := direct.Eval(tr)
		want, _ := machine.Eval(tr)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("trace %s (-machine +direct):\n%s", tr.ID, diff)
		}
	}
}
