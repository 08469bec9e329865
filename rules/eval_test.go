package rules_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// brief writes findings as outcome:reason@subject.
func brief(findings []trace.Finding) string {
	var parts []string
	for _, f := range findings {
		parts = append(parts, fmt.Sprintf("%v:%s@%v", f.Outcome, f.Reason, f.Scope))
	}
	return strings.Join(parts, " ")
}

const refundTrace = `
steps:
  - user: Refund order 17.
  - tool: {name: refund, args: {order: 17}, error: card declined}
    id: refund1
  - answer: Your refund is done.
    id: answer1
`

func TestOutcomes(t *testing.T) {
	tests := []struct {
		name, keys, trace, want string
	}{
		{"trace pass", "scope: trace\nassert: len(tools()) == 3", "", "pass:assertion_holds@trace"},
		{"trace fail", "scope: trace\nassert: len(tools()) == 2", "", "fail:assertion_failed@trace"},
		{"when false", "scope: trace\nwhen: answer contains \"refund\"\nassert: \"false\"", "", "not_applicable:not_relevant@trace"},
		{"span per step", "where: step.kind == \"tool\"\nassert: step.ok", "", "fail:assertion_failed@span pass:assertion_holds@span pass:assertion_holds@span"},
		{"span nothing selected", "where: step.kind == \"reranker\"\nassert: step.ok", "", "not_applicable:no_subject@trace"},
		{"span when false", "where: step.kind == \"tool\"\nwhen: step.tool.name == \"x\"\nassert: step.ok", "", "not_applicable:not_relevant@trace"},
		{"span when for some", "where: step.kind == \"tool\"\nwhen: step.tool.name == \"calculator\"\nassert: step.ok", "", "pass:assertion_holds@span"},
		{"a group by its key", "scope: trace\nassert: 'len(groupBy([\"a\", \"b\", \"a\"], #)[\"a\"]) == 2 and groupBy([1, 2, 1], #)[3] == nil'", "", "pass:assertion_holds@trace"},
		{"a pair by its key", "scope: trace\nassert: fromPairs([[\"a\", [1, 2]]])[\"a\"][1] == 2", "", "pass:assertion_holds@trace"},
		{"a group of steps", "scope: trace\nassert: groupBy(tools(), .tool.name)[\"calculator\"][0].ok == true", "", "pass:assertion_holds@trace"},
		{"error", "scope: trace\nassert: tools()[0].tool.arguments.nothing > 3", "", "error:evaluation_error@trace"},
		{"a step beyond the list is none", "scope: trace\nassert: not tools(\"nothing\")[0].ok and tools()[9] == nil and tools()[-9] == nil and tools()[-1].ok == last(tools()).ok", "", "pass:assertion_holds@trace"},
		{"a text beyond the list is none", "scope: trace\nassert: questions[5] == nil and questions[5] != \"x\" and not (questions[5] contains \"x\") and questions[-1] == question", "", "pass:assertion_holds@trace"},
		{"beyond a list, in the machine", "scope: trace\nassert: let x = questions[5]; x == nil and questions[5] != \"x\" and [1, 2][7] != 1 and [1, 2][1] == 2", "", "pass:assertion_holds@trace"},
		{"extremes of durations and times", "scope: trace\nassert: max(map(tools(), .duration)) >= min(map(tools(), .duration)) and max(duration(\"1s\"), duration(\"3s\")) == duration(\"3s\") and min([date(\"2026-01-02\"), date(\"2026-01-01\")]) == date(\"2026-01-01\") and max(map(tools(), .start)) >= trace.start", "", "pass:assertion_holds@trace"},
		{"of no and of two types", "scope: trace\nassert: 'max([duration(\"1s\"), 3]) != nil'", "", "error:evaluation_error@trace"},
		{"sums of durations", "scope: trace\nassert: sum(tools(), .duration) == sum(map(tools(), .duration)) and sum(filter(map(tools(), .duration), false)) == duration(\"0s\") and sum(tools(), .seconds) == sum(map(tools(), .seconds))", "", "pass:assertion_holds@trace"},
		{"a percentile of durations is in nanoseconds", "scope: trace\nassert: 'percentile([duration(\"1s\"), duration(\"2s\")], 95) == 2000000000'", "", "pass:assertion_holds@trace"},
		{"seconds of a duration", "scope: trace\nparams: {limit: {type: duration, default: 90s}}\nassert: 'seconds(params.limit) == 90 and percentile(map(tools(), .seconds), 95) < seconds(params.limit) and seconds(sum(tools(), .duration)) == sum(tools(), .seconds) and seconds(percentile([duration(\"1s\"), duration(\"2s\")], 95)) == 2'", "", "pass:assertion_holds@trace"},
		{"seconds of a text", "scope: trace\nassert: 'seconds(at({\"a\": \"x\"}, \"a\")) == 90'", "", "error:evaluation_error@trace"},
		{"pairs in the order of their keys", "scope: trace\nassert: 'toPairs({\"b\": 2, \"a\": 1})[0][0] == \"a\" and toPairs({\"b\": 2, \"a\": 1})[1][1] == 2 and fromPairs(toPairs({\"b\": 2}))[\"b\"] == 2'", "", "pass:assertion_holds@trace"},
		{"a reduce to a number", "scope: trace\nassert: 'reduce(tools(), #acc + .seconds, 0) == sum(tools(), .seconds)'", "", "pass:assertion_holds@trace"},
		{"errors are one finding", "where: step.kind == \"tool\"\nassert: step.tool.arguments.amount > 3", "", "error:evaluation_error@span"},
		{"error does not hide others", "where: step.kind == \"tool\"\nassert: step.tool.name != \"calculator\" or step.tool.arguments.amount > 3", "", "pass:assertion_holds@span pass:assertion_holds@span error:evaluation_error@span"},
		{"session", "scope: session\nassert: \"true\"", "", "skipped:session_open@session"},
		{"no content", "scope: trace\nassert: answer contains \"x\"", "capture: off\nsteps: [{user: q}, {answer: a}]", "not_applicable:content_not_captured@trace"},
		{"no content of a step", "where: step.kind == \"tool\"\nassert: step.tool.result != nil", "steps: [{tool: {name: a, result: 1}, capture: off}]", "not_applicable:content_not_captured@trace"},
		{"content of one of two", "where: step.kind == \"tool\"\nassert: step.tool.result != nil", "steps: [{tool: {name: a, result: 1}, capture: off}, {tool: {name: b, result: 2}}]", "pass:assertion_holds@span"},
		{"a failed call has no result", "where: step.kind == \"tool\"\nassert: step.tool.result == nil", "steps: [{tool: {name: a, error: bad}}]", "pass:assertion_holds@span"},
		{"what is not read does not matter", "scope: trace\nassert: len(tools()) == 1", "capture: off\nsteps: [{tool: {name: a}}]", "pass:assertion_holds@trace"},
		{"score out of range", "scope: trace\nassert: \"true\"\nscore: len(tools())", "", "error:evaluation_error@trace"},
		{"calls made at once do not follow each other", "scope: trace\nassert: immediately(tools(\"a\")[0], tools(\"b\")[0])", "steps: [{parallel: [{tool: {name: a}}, {tool: {name: b}}]}]", "fail:assertion_failed@trace"},
		{"calls in a row do", "scope: trace\nassert: immediately(tools(\"a\")[0], tools(\"b\")[0])", "steps: [{tool: {name: a}}, {tool: {name: b}}]", "pass:assertion_holds@trace"},
		{"content read by let", "scope: trace\nlet: {long: \"len(answer) > 3\"}\nassert: long or true", "capture: off\nsteps: [{answer: a}]", "not_applicable:content_not_captured@trace"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := exampleTrace(t)
			if tt.trace != "" {
				tr = buildTrace(t, tt.trace)
			}
			if got := brief(evalRule(t, tt.keys, tr)); got != tt.want {
				t.Errorf("findings = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMessageScoreAndWitness(t *testing.T) {
	tests := []struct {
		name, keys string
		message    string
		witness    []string
	}{
		{"message and stated witness", `scope: trace
when: answer contains "refund"
assert: any(tools("refund"), .tool.ok and before(#, answerStep))
witness: tools("refund")
message: "refund calls: {len(tools('refund'))}, successful: {count(tools('refund'), .tool.ok)}, {{}"`,
			"refund calls: 1, successful: 0, {}", []string{"refund1"}},
		{"derived from any", "scope: trace\nassert: any(tools(), .tool.ok)", "", []string{"refund1"}},
		{"derived from all", "scope: trace\nassert: all(steps(\"tool\", \"llm\"), .ok)", "", []string{"refund1"}},
		{"derived from none", "scope: trace\nassert: none(llms(), .output contains \"done\")", "", []string{"answer1"}},
		{"derived from count", "scope: trace\nassert: count(tools(), not .ok) == 0", "", []string{"refund1"}},
		{"derived from len", "scope: trace\nassert: len(tools()) > 1", "", []string{"refund1"}},
		{"the part of and that is false", "scope: trace\nassert: len(llms()) == 1 and all(tools(), .ok)", "", []string{"refund1"}},
		{"both parts of or", "scope: trace\nassert: len(llms()) > 1 or all(tools(), .ok)", "", []string{"refund1", "answer1"}},
		{"not", "scope: trace\nassert: not any(llms(), .ok)", "", []string{"answer1"}},
		{"through let in the expression", "scope: trace\nassert: let bad = filter(tools(), not .ok); len(bad) == 0", "", []string{"refund1"}},
		{"answer", "scope: trace\nassert: answer contains \"sorry\"", "", []string{"answer1"}},
		{"nothing named: the answer", "scope: trace\nassert: trace.cost > 0", "", []string{"answer1"}},
		{"span scope: the step", "where: step.kind == \"tool\"\nassert: step.ok", "", []string{"refund1"}},
		{"span scope: the step before what the assertion rests on", "where: step.kind == \"tool\"\nassert: firstAfter(step, llms()).output == \"\"", "", []string{"refund1", "answer1"}},
		{"span scope: the step before the stated witness", "where: step.kind == \"tool\"\nassert: step.ok\nwitness: llms()", "", []string{"refund1", "answer1"}},
		{"message falls back to the title", "scope: trace\ntitle: no refund\nassert: len(tools()) == 0", "no refund", []string{"refund1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := buildTrace(t, refundTrace)
			f := evalRule(t, tt.keys, tr)
			if len(f) != 1 || f[0].Outcome != trace.OutcomeFail {
				t.Fatalf("findings = %s, want one fail", brief(f))
			}
			if f[0].Message != tt.message {
				t.Errorf("message = %q, want %q", f[0].Message, tt.message)
			}
			if diff := cmp.Diff(tt.witness, f[0].Witness); diff != "" {
				t.Errorf("witness (-want +got):\n%s", diff)
			}
		})
	}
	f := evalRule(t, "scope: trace\nassert: \"true\"\nscore: count(tools(), .ok) / len(tools())", exampleTrace(t))
	if f[0].Score == nil || *f[0].Score != 2.0/3 {
		t.Errorf("score = %v, want 2/3", f[0].Score)
	}
}

// Some producers record the answer on the agent's own step, which begins before
// everything else.
func TestAnswerOnTheAgent(t *testing.T) {
	tr := buildTrace(t, refundTrace)
	tr.AnswerStep = tr.Steps[0].ID
	for _, condition := range []string{`before(first(tools()), answerStep)`, `answerStep.id == "answer1"`, `lastBefore(answerStep, tools()).tool.name == "refund"`} {
		if f := holds(t, condition, tr); f.Outcome != trace.OutcomePass {
			t.Errorf("%s: %v", condition, f.Outcome)
		}
	}
}

func TestCounts(t *testing.T) {
	set := compileText(t, `rules:
  - {id: a, severity: low, where: step.kind == "tool", assert: step.ok}
  - {id: b, severity: low, scope: trace, assert: "false"}
  - {id: c, severity: low, where: step.kind == "memory", assert: step.ok}
`)
	_, counts := set.Eval(exampleTrace(t))
	for i := range counts {
		counts[i].RuleHash = ""
	}
	want := []trace.RuleCount{{Rule: "a", Pass: 2, Fail: 1}, {Rule: "b", Fail: 1}, {Rule: "c", NotApplicable: 1}}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestTemplateValuesKeepTheirType(t *testing.T) {
	set := compileText(t, `rules:
  - id: "most-{n}-{exact}-{unit}"
    title: at most {n} calls, {exact}
    severity: low
    scope: trace
    each: {n: [2, 3], exact: [true, false], unit: [1.5]}
    assert: '(each.exact ? len(tools()) == each.n : len(tools()) <= each.n) and each.unit * 2 == 3'
`)
	findings, _ := set.Eval(exampleTrace(t)) // of three calls
	var got []string
	for _, f := range findings {
		got = append(got, fmt.Sprintf("%s %v %s", f.Rule, f.Outcome, f.Message))
	}
	want := []string{"most-2-true-1.5 fail at most 2 calls, true", "most-2-false-1.5 fail at most 2 calls, false", "most-3-true-1.5 pass ", "most-3-false-1.5 pass "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestSettingsAndTemplates(t *testing.T) {
	set := compileText(t, `rules:
  - id: most-calls
    severity: low
    scope: trace
    params: {most: {type: int, default: 5, doc: most calls}}
    assert: len(tools()) <= params.most
    message: "{len(tools())} calls, at most {params.most}"
  - {id: off, severity: low, scope: trace, assert: "false"}
  - id: "{tool}-works"
    title: "{tool} works"
    severity: high
    scope: trace
    each: {tool: [search_web, Calculator]}
    when: len(tools(each.tool)) > 0
    assert: all(tools(each.tool), .ok)
configure:
  - {rule: most-calls, severity: critical, params: {most: 2}}
  - {rule: off, enabled: false}
`)
	findings, _ := set.Eval(exampleTrace(t))
	var got []string
	for _, f := range findings {
		got = append(got, fmt.Sprintf("%s %v %v %s", f.Rule, f.Outcome, f.Severity, f.Message))
	}
	want := []string{"most-calls fail critical 3 calls, at most 2", "search_web-works fail high search_web works", "calculator-works pass high "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestAttributes(t *testing.T) {
	set := compileText(t, oneRule("where: step.attributes[\"tenant\"] == \"acme\"\nassert: step.attributes.region == \"eu\""))
	if diff := cmp.Diff([]string{"region", "tenant"}, set.Attributes()); diff != "" {
		t.Errorf("Attributes (-want +got):\n%s", diff)
	}
	tr := buildTrace(t, `steps: [{tool: {name: a}, attributes: {tenant: acme, region: us}}, {tool: {name: b}, attributes: {tenant: b}}]`)
	findings, _ := set.Eval(tr)
	if got := brief(findings); got != "fail:assertion_failed@span" {
		t.Errorf("findings = %s", got)
	}
	if got := mistakes(oneRule("assert: step.attributes[step.name] == 1")); !strings.Contains(got, "want a constant name") {
		t.Errorf("a computed attribute name is accepted: %q", got)
	}
}

func TestHashIsOfMeaning(t *testing.T) {
	hash := func(keys string) string { return compileText(t, oneRule(keys)).Rules()[0].Hash }
	base := "scope: trace\nlet: {good: \"filter(tools(), .ok)\"}\nwhen: len(llms()) > 0\nparams: {n: {type: int, default: 3}}\nassert: len(good) > params.n and answer contains \"x\""
	same := map[string]string{
		"spaces":    "scope: trace\nlet: {good: \"filter( tools( ) , .ok )\"}\nwhen: len(llms()) > 0\nparams: {n: {type: int, default: 3}}\nassert: |\n  len(good) > params.n\n    and answer contains 'x'",
		"operators": "scope: trace\nlet: {good: \"filter(tools(), #.ok)\"}\nwhen: (len(llms()) > 0)\nparams: {n: {type: int, default: 3}}\nassert: len(good) > params.n && answer contains \"x\"",
		"title":     base + "\ntitle: another\nmessage: also {len(tools())}\ndescription: more",
		"unused":    "let: {unused: \"1\"," + strings.TrimPrefix(strings.Replace(base, "scope: trace\nlet: {", "", 1), "") + "\nscope: trace",
		"literal":   "scope: trace\nlet: {good: \"filter(tools(), .ok)\"}\nwhen: len(llms()) > 0\nassert: len(good) > 3 and answer contains \"x\"",
	}
	for name, keys := range same {
		if hash(keys) != hash(base) {
			t.Errorf("%s changes the hash", name)
		}
	}
	different := map[string]string{
		"parameter": strings.Replace(base, "default: 3", "default: 4", 1),
		"let":       strings.Replace(base, ".ok)\"", "not .ok)\"", 1),
		"when":      strings.Replace(base, "> 0", "> 1", 1),
		"operator":  strings.Replace(base, " and ", " or ", 1),
		"text":      strings.Replace(base, "\"x\"", "\"X\"", 1),
		"scope":     strings.Replace(base, "scope: trace", "scope: session", 1),
		"score":     base + "\nscore: \"1\"",
	}
	seen := map[string]string{hash(base): "base"}
	for name, keys := range different {
		h := hash(keys)
		if other, again := seen[h]; again {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
}

func TestEvalIsConcurrentAndRepeatable(t *testing.T) {
	set := compileText(t, `let: {good: "filter(tools(), .ok)"}
rules:
  - {id: a, severity: low, where: step.kind == "tool", assert: len(good) > 5, message: "{len(good)}"}
  - {id: b, severity: low, scope: trace, assert: "all(tools(), repeats(#) == 0)"}
`)
	want, _ := set.Eval(exampleTrace(t))
	other := buildTrace(t, refundTrace[:strings.Index(refundTrace, "  - tool")]+"  - answer: x\n")
	traces := make([]*trace.Trace, 8)
	for i := range traces {
		traces[i] = exampleTrace(t)
	}
	var wg sync.WaitGroup
	results := make([][]trace.Finding, len(traces))
	for i, tr := range traces {
		wg.Go(func() {
			set.Eval(other2(other))
			results[i], _ = set.Eval(tr)
		})
	}
	wg.Wait()
	for _, got := range results {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("an evaluation differs (-want +got):\n%s", diff)
		}
	}
}

// other2 copies a trace, so that two evaluations do not share one.
func other2(t *trace.Trace) *trace.Trace { c := *t; return &c }

func TestHostileTraces(t *testing.T) {
	set := compileText(t, `rules:
  - {id: a, severity: low, scope: trace, assert: "all(steps(), .depth >= 0 and len(children(#)) >= 0 and next(#) != # and causedBy(#) != #)"}
  - {id: b, severity: low, scope: trace, assert: "root != nil or len(steps()) >= 0"}
  - {id: c, severity: low, assert: "step.duration >= duration('0s')"}
`)
	step := func(id, parent string) *trace.Step {
		return &trace.Step{ID: id, SpanID: id, ParentID: parent, Kind: trace.KindTool}
	}
	traces := map[string]*trace.Trace{
		"empty":            {},
		"cycle":            {Steps: []*trace.Step{step("a", "b"), step("b", "c"), step("c", "a")}},
		"own parent":       {Steps: []*trace.Step{step("a", "a")}},
		"same ids":         {Steps: []*trace.Step{step("a", ""), step("a", "a")}},
		"empty ids":        {Steps: []*trace.Step{step("", ""), step("", "")}},
		"reversed times":   {Steps: []*trace.Step{{ID: "a", Start: exampleTrace(t).End, End: exampleTrace(t).Start}}},
		"duplicate circle": {Steps: []*trace.Step{{ID: "a", DuplicateOf: "b"}, {ID: "b", DuplicateOf: "a"}}},
		"caused by itself": {Steps: []*trace.Step{{ID: "a", CausedBy: "a"}}},
	}
	for name, tr := range traces {
		t.Run(name, func(t *testing.T) {
			findings, _ := set.Eval(tr)
			for _, f := range findings {
				if f.Outcome == trace.OutcomeError || f.Outcome == trace.OutcomeFail || f.Outcome == trace.OutcomeUnset {
					t.Errorf("%s: %v %s", f.Rule, f.Outcome, f.Message)
				}
			}
		})
	}
}
