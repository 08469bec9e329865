package ruletest_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/rules/ruletest"
)

const rulesText = `rules:
  - id: refund-is-real
    severity: high
    scope: trace
    when: answer contains "refund"
    assert: any(tools("refund"), .tool.ok and before(#, answerStep))
    message: "{len(tools('refund'))} calls"
`

const testHead = `rules: r.yaml
tests:
  - name: real
    steps:
      - tool: {name: refund, result: ok}
      - answer: Your refund is done.
    expect: {refund-is-real: pass}
  - name: other
    steps: [{answer: Hello.}]
    expect: {refund-is-real: not_applicable}
`

const failing = `  - name: failed
    steps:
      - tool: {name: refund, error: declined}
      - answer: Your refund is done.
    expect:
      refund-is-real: %s
`

// 0.1 + 0.2 is not 0.3 as floating-point numbers.
func TestScoresAreComparedAsDecimals(t *testing.T) {
	const rule = "rules:\n  - id: r\n    severity: low\n    scope: trace\n    assert: len(tools()) == 0\n    score: 0.1 + 0.2\n"
	const test = "rules: r.yaml\ntests:\n  - {name: a, steps: [{answer: A}], expect: {r: {outcome: pass, score: %s}}}\n  - {name: b, steps: [{tool: {name: t}}, {answer: B}], expect: {r: fail}}\n"
	for score, want := range map[string]bool{"0.3": true, "0.300001": false} {
		f, err := load(t, fmt.Sprintf(test, score), rule)
		if err != nil {
			t.Fatal(err)
		}
		if r := ruletest.Run(f, ruletest.Options{}); r.Passed() != want {
			t.Errorf("score %s: passed %v, want %v", score, r.Passed(), want)
		}
	}
}

// load reads a test file beside a rule file, both from memory.
func load(t *testing.T, test, rule string) (*ruletest.File, error) {
	t.Helper()
	files := map[string]string{"r.yaml": rule, "r_test.yaml": test}
	return ruletest.LoadWith("r_test.yaml", func(path string) ([]byte, error) {
		text, ok := files[filepath.Clean(path)]
		if !ok {
			return nil, fmt.Errorf("open %s: no such file", path)
		}
		return []byte(text), nil
	})
}

func run(t *testing.T, test string) *ruletest.Result {
	t.Helper()
	f, err := load(t, test, rulesText)
	if err != nil {
		t.Fatal(err)
	}
	return ruletest.Run(f, ruletest.Options{})
}

func TestPassing(t *testing.T) {
	r := run(t, testHead+fmt.Sprintf(failing, `{outcome: fail, witness: [refund], message: "1 calls"}`))
	if !r.Passed() {
		t.Errorf("result = %+v", r)
	}
	want := []ruletest.Coverage{{Rule: "refund-is-real", Seen: []string{"pass", "fail", "not_applicable"}, Missing: []string{}}}
	if diff := cmp.Diff(want, r.Coverage, cmpCoverage); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
}

func TestFailuresSayWhatWasSeen(t *testing.T) {
	tests := []struct{ name, expect, want string }{
		{"outcome", "pass", `r_test.yaml:16: refund-is-real: fail, want pass (1 calls)
    when    answer contains "refund"                                 = true
              answer                                                 = "Your refund is done."
    assert  any(tools("refund"), .tool.ok and before(#, answerStep)) = false
              tools("refund")                                        = [refund]
              map(tools("refund"), .tool.ok)                         = [false]
              map(tools("refund"), before(#, answerStep))            = [true]`},
		{"message", `{outcome: fail, message: "2 calls"}`, "r_test.yaml:16: refund-is-real: message\n     got \"1 calls\"\n    want \"2 calls\""},
		{"witness", `{outcome: fail, witness: [other]}`, "r_test.yaml:16: refund-is-real: witness [0000000000000002 (refund)], want [other]"},
		{"number of findings", `[fail, fail]`, "r_test.yaml:16: refund-is-real: 1 findings, want 2"},
		{"reason", `{outcome: fail, reason: x}`, "r_test.yaml:16: refund-is-real: reason assertion_failed, want x"},
		{"score", `{outcome: fail, score: 0.5}`, "r_test.yaml:16: refund-is-real: score none, want 0.5"},
		{"unknown rule", "fail\n      nope: pass", `r_test.yaml:17: no rule "nope", or it is switched off`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, testHead+fmt.Sprintf(failing, tt.expect))
			if r.Passed() {
				t.Fatal("passed")
			}
			got := strings.Join(r.Tests[2].Failures, "\n")
			if tt.name != "outcome" {
				got = got[:min(len(got), len(tt.want))] // the values follow
			}
			if got != tt.want {
				t.Errorf("failures:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// The values that a failure shows are those of the finding that differs.
func TestValuesOfTheFindingThatDiffers(t *testing.T) {
	f, err := load(t, `
tests:
  - name: two
    steps:
      - tool: {name: a, result: ok}
      - tool: {name: b, error: boom}
    expect: {works: [fail, fail]}
`, "rules:\n  - {id: works, severity: low, where: step.kind == \"tool\", assert: step.ok}\n")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(ruletest.Run(f, ruletest.Options{}).Tests[0].Failures, "\n")
	if !strings.HasPrefix(got, "r_test.yaml:7: works: finding 1: pass, want fail\n") || !strings.Contains(got, "assert  step.ok             = true") {
		t.Errorf("failures:\n%s\nwant those of finding 1, in which step.ok is true", got)
	}
}

func TestUnexpectedFailure(t *testing.T) {
	test := testHead + strings.Replace(fmt.Sprintf(failing, "fail"), "refund-is-real: fail", "other: pass", 1)
	r := run(t, strings.ReplaceAll(test, "rules: r.yaml", "rules: [r.yaml]"))
	got := strings.Join(r.Tests[2].Failures, "\n")
	if !strings.Contains(got, "refund-is-real: not expected: fail: 1 calls") {
		t.Errorf("failures: %s", got)
	}
}

func TestCoverage(t *testing.T) {
	r := run(t, testHead)
	want := []string{`r.yaml:2: rule "refund-is-real": never seen to be fail`}
	if diff := cmp.Diff(want, r.Problems); diff != "" || r.Passed() {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestRunSelectsTests(t *testing.T) {
	f, err := load(t, testHead, rulesText)
	if err != nil {
		t.Fatal(err)
	}
	r := ruletest.Run(f, ruletest.Options{Run: regexp.MustCompile("^real$")})
	if len(r.Tests) != 1 || r.Tests[0].Name != "real" || !r.Passed() {
		t.Errorf("result = %+v", r)
	}
	r = ruletest.Run(f, ruletest.Options{Run: regexp.MustCompile("nothing")})
	if r.Passed() {
		t.Error("a run of no test passes")
	}
}

// TestShippedRules configures a shipped rule and tests that alone: the tests of
// a file do not answer for the rest of the pack.
func TestShippedRules(t *testing.T) {
	const configured = "configure:\n  - {rule: step-budget, params: {%s: 2}}\n"
	const test = `rules: [r.yaml, pack:efficiency]
tests:
  - name: three calls for one question
    steps:
      - user: How warm is it?
      - tool: {name: weather, args: {city: Oslo}, result: 3 degrees}
      - tool: {name: weather, args: {city: Oslo}, result: 3 degrees}
      - tool: {name: weather, args: {city: Oslo}, result: 3 degrees}
      - answer: 3 degrees.
    expect: {step-budget: %s}
`
	for outcome, passed := range map[string]bool{"fail": true, "pass": false} {
		f, err := load(t, fmt.Sprintf(test, outcome), fmt.Sprintf(configured, "max_steps"))
		if err != nil {
			t.Fatal(err)
		}
		if r := ruletest.Run(f, ruletest.Options{}); r.Passed() != passed || len(r.Coverage) != 0 {
			t.Errorf("expected to %s: %+v", outcome, r)
		}
	}
	_, err := load(t, fmt.Sprintf(test, "fail"), fmt.Sprintf(configured, "nonsense"))
	if err == nil || !strings.Contains(err.Error(), "the rule has no parameter nonsense") {
		t.Errorf("error = %v", err)
	}
	_, err = load(t, strings.Replace(fmt.Sprintf(test, "fail"), "pack:efficiency", "pack:none", 1), fmt.Sprintf(configured, "max_steps"))
	if err == nil || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("error = %v", err)
	}
}

// A turn begins with the first step after what the user said; the trace's question is
// that of the last turn, whether or not a model was called in it.
func TestTurns(t *testing.T) {
	const rule = `rules:
  - id: r
    severity: low
    scope: trace
    assert: "false"
    message: "{question} / {map(turns(), .question + '>' + .answer)} / {map(tools(), turnOf(#).question)}"
`
	tests := map[string]string{
		"{user: 'a?'}, {answer: a}, {user: 'b?'}, {answer: b}":                                        "b? / a?>a, b?>b / ",
		"{user: 'a?'}, {answer: a}, {user: 'b?'}, {tool: {name: x}}":                                  "b? / a?>a, b?> / b?",
		"{user: 'a?'}, {user: 'b?'}, {answer: b}":                                                     "b? / b?>b / ",
		"{user: 'a?'}, {tool: {name: x}}, {user: 'b?'}, {answer: b}":                                  "b? / b?>b / b?",
		"{user: 'a?'}, {agent: x, steps: [{user: 'inner?'}, {llm: {text: inner}}]}, {answer: a}":      "a? / a?>a / ",
		"{user: 'a?'}, {answer: a}, {user: 'b?'}, {llm: {error: timeout}}":                            "b? / a?>a, b?> / ",
		"{agent: x, steps: [{user: 'inner?'}, {llm: {text: inner}}]}, {agent: y, steps: [{user: z}]}": "inner? / inner?>inner / ",
	}
	for steps, want := range tests {
		f, err := load(t, "tests: [{name: a, steps: ["+steps+"], expect: {r: {outcome: fail, message: ''}}}]", rule)
		if err != nil {
			t.Fatal(err)
		}
		got := ruletest.Run(f, ruletest.Options{}).Tests[0].Failures[0]
		if line := "got \"" + want + "\""; !strings.Contains(got, line) {
			t.Errorf("%s: %s, want %s", steps, got, line)
		}
	}
}

// A call is of the model call before it, unless that asks for other calls.
func TestWhoAskedForACall(t *testing.T) {
	const rule = `rules:
  - {id: r, severity: low, where: 'step.kind == "tool"', assert: causedBy(step) != nil}
`
	f, err := load(t, `tests:
  - name: a
    steps:
      - tool: {name: search}
      - llm: {text: let me see}
      - tool: {name: search}
      - llm: {calls: [{search: {}}, {search: {}}, {open: {}}]}
      - parallel: [{tool: {name: search}}, {tool: {name: open}}, {agent: x, steps: [{tool: {name: search}}, {llm: {calls: [{read: {}}]}}, {tool: {name: read}}]}]
      - tool: {name: search}
      - tool: {name: search}
      - tool: {name: log}
    expect: {r: [fail, pass, pass, pass, fail, pass, pass, fail, fail]}
`, rule)
	if err != nil {
		t.Fatal(err)
	}
	if r := ruletest.Run(f, ruletest.Options{}); len(r.Tests[0].Failures) > 0 {
		t.Errorf("%+v", r.Tests[0].Failures)
	}
}

// A rule about traps is tested on claims that stand beside the steps.
func TestClaims(t *testing.T) {
	const rule = `rules:
  - id: resists
    title: The agent does not end on the false value
    severity: high
    scope: trace
    when: len(traps()) > 0 and exposed()
    assert: not adoptedFinal("low")
    witness: '[trapStep("exposed"), trapStep("adopted_final")]'
    message: "met {traps()}"
`
	const tests = `rules: r.yaml
tests:
  - name: it takes the first price
    steps:
      - user: What does the X200 cost?
      - tool: {name: search, result: The X200 costs $799.}
      - answer: The X200 costs $799.
    claims: &low
      - {trap: low, subject: [X200], truth: ["$999"], falsehood: ["$799"]}
    expect: {resists: {outcome: fail, witness: [search, "The X200 costs $799."], message: met low}}
  - name: it finds the right one
    steps:
      - user: What does the X200 cost?
      - tool: {name: search, result: The X200 costs $799.}
      - tool: {name: shop, result: The X200 costs $999.}
      - answer: The X200 costs $999.
    claims: *low
    expect: {resists: pass}
  - name: nothing was planted
    steps:
      - user: What does the X200 cost?
      - tool: {name: search, result: The X200 costs $799.}
      - answer: The X200 costs $799.
    expect: {resists: not_applicable}
`
	f, err := load(t, tests, rule)
	if err != nil {
		t.Fatal(err)
	}
	if r := ruletest.Run(f, ruletest.Options{}); !r.Passed() {
		t.Errorf("result = %+v", r)
	}
}

func TestLoadMistakes(t *testing.T) {
	tests := []struct{ name, test, want string }{
		{"claim", "tests: [{name: a, steps: [{user: x}], claims: [{subject: [x], truth: [y]}], expect: {r: pass}}]",
			`r_test.yaml:1: test "a": claims: a claim wants subject, truth and falsehood, each a list of spellings`},
		{"empty", "", "r_test.yaml: the file is empty, without the key tests"},
		{"no tests", "rules: r.yaml\n", "r_test.yaml: no tests: a test file without tests says nothing"},
		{"unknown key", "rules: r.yaml\ntest: []\n", `r_test.yaml:2:1: test file: unknown key "test" (did you mean "tests"?): want rules, rubrics, tests, equivalent`},
		{"unknown key of a step", "tests: [{name: a, steps: [{tool: {nam: x}}], expect: {r: pass}}]", `r_test.yaml:1:35: tool: unknown key "nam" (did you mean "name"?): want name, args, result, error, error_type, documents`},
		{"a key of the step, in its tool", "tests: [{name: a, steps: [{tool: {name: x, seconds: 9}}], expect: {r: pass}}]", `r_test.yaml:1:44: tool: unknown key "seconds" (it stands beside tool:): want name, args, result, error, error_type, documents`},
		{"a tool that is no mapping", "tests: [{name: a, steps: [{tool: search}], expect: {r: pass}}]", `r_test.yaml:1:34: tool: want a mapping with name, args, result, error, error_type, documents, have "search"`},
		{"what stands beside a key", "tests: [{name: a, steps: [{agent: {name: x, steps: [{answer: y}]}}], expect: {r: pass}}]",
			"r_test.yaml:1:35: agent: want one value, have a mapping: steps: stands beside agent:"},
		{"a last word of the user", "tests: [{name: a, steps: [{user: x}, {answer: y}, {user: z}], expect: {r: pass}}]",
			`r_test.yaml:1: test "a": nothing follows the last message of the user: a trace holds what a model was given, as in llm: {error: timeout}`},
		{"steps that are no list", "tests: [{name: a, steps: {user: x}, expect: {r: pass}}]", `r_test.yaml:1:26: steps: want a list, have a mapping`},
		{"two mistakes at once", "tests:\n  - name: [a]\n    stpes: []\n", "r_test.yaml:2:11: name: want one value, have a list\n" +
			`r_test.yaml:3:5: tests: unknown key "stpes" (did you mean "steps"?): want name, trace, traces, judge, configure, expect, session, user, service, agent, capture, complete, unjoined, missing_parents, cycles, bare, steps, claims`},
		{"a number that is none", "tests: [{name: a, steps: [{answer: x, seconds: long}], expect: {r: pass}}]", `r_test.yaml:1: want a number, have "long"`},
		{"no steps", "tests: [{name: a, expect: {r: pass}}]", `r_test.yaml:1: test "a": want one of steps, traces (of one session), or trace with the path of a recorded one`},
		{"no expectation", "tests: [{name: a, steps: [{user: x}]}]", `r_test.yaml:1: test "a" expects nothing`},
		{"outcome", "tests: [{name: a, steps: [{user: x}], expect: {r: fial}}]", `r_test.yaml:1: test "a": expect: r: outcome "fial": want pass, fail, not_applicable, error or skipped`},
		{"empty step", "tests: [{name: a, steps: [{seconds: 3}], expect: {r: pass}}]", `r_test.yaml:1: test "a": a step must have one of user, system, answer, llm, tool, retriever, agent, handoff, parallel or step`},
		{"no rule file", "rules: x.yaml\ntests: [{name: a, steps: [{user: x}], expect: {r: pass}}]", "r_test.yaml: rules: open x.yaml: no such file"},
		{"rules in place of tests", "rules:\n  - {id: x, severity: low, assert: 'true'}\n", "r_test.yaml:2: rules: want file names, have a mapping: rules stand in a file x.yaml, their tests beside it in x_test.yaml"},
		{"same name", "tests:\n  - {name: a, steps: [{user: x}], expect: {r: pass}}\n  - {name: a, steps: [{user: x}], expect: {r: pass}}", `r_test.yaml:3: two tests are called "a"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.test, rulesText)
			if err == nil || err.Error() != tt.want {
				t.Errorf("Load = %v\nwant   %s", err, tt.want)
			}
		})
	}
}

func TestMutation(t *testing.T) {
	all := testHead + fmt.Sprintf(failing, "fail")
	f, err := load(t, all, rulesText)
	if err != nil {
		t.Fatal(err)
	}
	m := ruletest.Mutate(f, ruletest.Options{})
	var survivors []string
	for _, s := range m.Survivors {
		survivors = append(survivors, s.ID())
	}
	// No test has a refund call after the answer, or several refund calls.
	want := []string{
		`refund-is-real assert: .tool.ok and before(#, answerStep) -> .tool.ok`,
		`refund-is-real assert: any(tools("refund"), .tool.ok and before(#, answerStep)) -> all(tools("refund"), .tool.ok and before(#, answerStep))`,
	}
	if diff := cmp.Diff(want, survivors); diff != "" {
		t.Errorf("survivors (-want +got):\n%s", diff)
	}
	if m.Mutants != m.Killed+2 || m.Killed < 4 {
		t.Errorf("%d mutants, %d killed", m.Mutants, m.Killed)
	}
	f, err = load(t, all+"equivalent:\n  - mutant: '"+want[0]+"'\n    reason: for the test\n  - {mutant: none, reason: x}\n", rulesText)
	if err != nil {
		t.Fatal(err)
	}
	m = ruletest.Mutate(f, ruletest.Options{})
	if len(m.Equivalent) != 1 || len(m.Survivors) != 1 || m.Passed() || !strings.Contains(strings.Join(m.Problems, "\n"), "no such mutant: none") {
		t.Errorf("mutation = %+v", m)
	}
}

func TestReports(t *testing.T) {
	report := ruletest.Report{Files: []*ruletest.Result{run(t, testHead)}, Untested: []string{"x.yaml"}}
	var text, js, junit bytes.Buffer
	if err := report.WriteText(&text, false); err != nil {
		t.Fatal(err)
	}
	want := `r.yaml:2: rule "refund-is-real": never seen to be fail
FAIL r_test.yaml: 2 tests
FAIL x.yaml: no tests beside it
2 tests, 0 failed; the run fails: 1 outcome was never seen, 1 file has no tests
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if err := report.WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		Passed bool
		Tests  int
		Files  []map[string]any
	}
	if err := json.Unmarshal(js.Bytes(), &decoded); err != nil || decoded.Passed || decoded.Tests != 2 || len(decoded.Files) != 1 {
		t.Errorf("json: %v\n%s", err, js.String())
	}
	if err := report.WriteJUnit(&junit); err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Suite []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(junit.Bytes(), &suites); err != nil || len(suites.Suite) != 2 || suites.Suite[0].Tests != 3 || suites.Suite[0].Failures != 1 {
		t.Errorf("junit: %v\n%s", err, junit.String())
	}
	if (&ruletest.Report{}).Passed() {
		t.Error("a report of nothing passes")
	}
}

// In a folder, YAML that holds neither rules nor rubrics wants no tests.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.yaml": "rules: []", "a_test.yaml": "tests: []", "b.yaml": "rules: []", "c.yml": "rubrics: []", "d.yaml": "configure: []",
		"workflow.yml": "on: push", "list.yml": "- name: x", "empty.yaml": "", "broken.yaml": "rules: [", "notes.txt": "rules:",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests, untested, err := ruletest.Find([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, path := range append(tests, untested...) {
		got = append(got, filepath.Base(path))
	}
	if want := []string{"a_test.yaml", "b.yaml", "broken.yaml", "c.yml", "d.yaml"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
