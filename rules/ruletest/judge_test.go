package ruletest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules/ruletest"
)

var cmpCoverage = cmpopts.IgnoreUnexported(ruletest.Coverage{})

const rubricsText = `rubrics:
  - id: polite
    title: The answer is polite
    severity: low
    when: answer contains "sorry"
    judges: [main, second]
    material: [answer]
    questions:
      - {id: polite, ask: "Is it polite?"}
      - {id: warmth, ask: "How warm?", kind: number, min: 0, max: 10, quote: [none]}
    pass: {polite: yes}
    score: warmth
`

// loadRubrics reads a test file beside a file of rubrics, both from memory.
func loadRubrics(test string) (*ruletest.File, error) {
	files := map[string]string{"p.yaml": rubricsText, "p_test.yaml": test, "r.yaml": rulesText}
	return ruletest.LoadWith("p_test.yaml", func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, fmt.Errorf("open %s: no such file", path)
		}
		return []byte(text), nil
	})
}

const sorry = `steps: [{user: "Where is it?"}, {answer: I am sorry for the delay.}]`

func TestRepliesOfJudges(t *testing.T) {
	tests := []struct{ name, judge, expect, failure string }{
		{"a verdict; what must be quoted is found", "{polite: yes, warmth: 7}", "{outcome: pass, score: 0.7}", ""},
		{"the other verdict", "{polite: no, warmth: 0}", "fail", ""},
		{"what is expected is compared", "{polite: no, warmth: 0}", "pass", "polite: fail, want pass"},
		{"a quotation of one's own", `{polite: {verdict: yes, quotes: ["sorry for"], reason: it says so}, warmth: 7}`, `{outcome: pass, message: 'polite: yes, because it says so ["sorry for"]; warmth: 7, because stated by the test; 2 of 2 judgements agree'}`, ""},
		{"one that does not occur", `{polite: {verdict: yes, quotes: ["all is well"]}, warmth: 7}`, "{outcome: error, reason: quote_not_in_material}", "reason"},
		{"none where one is due", `{polite: {verdict: yes, quotes: []}, warmth: 7}`, "{outcome: error}", ""},
		{"a judge that abstains", "{polite: cannot_tell, warmth: cannot_tell}", "error", ""},
		{"two judges that disagree", "[{polite: yes, warmth: 7}, {polite: no, warmth: 7}]", "error", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := loadRubrics("tests:\n  - name: a\n    " + sorry + "\n    judge: {polite: " + tt.judge + "}\n    expect: {polite: " + tt.expect + "}\n")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(ruletest.Run(f, ruletest.Options{}).Tests[0].Failures, "\n")
			if tt.failure == "" && got != "" || !strings.Contains(got, tt.failure) {
				t.Errorf("failures %q, want %q", got, tt.failure)
			}
		})
	}
}

func TestMistakesInReplies(t *testing.T) {
	tests := []struct{ name, judge, want string }{
		{"no such rubric", "{rude: {polite: yes}}", `p_test.yaml:4: test "a": judge: no rubric "rude" that asks a judge: want polite`},
		{"a question without an answer", "{polite: {polite: yes}}", `p_test.yaml:4: test "a": judge: polite: no answer to question "warmth"`},
		{"no such question", "{polite: {polite: yes, warmth: 1, heat: 2}}", `p_test.yaml:4: test "a": judge: polite: no question "heat": want polite, warmth`},
		{"no such verdict", "{polite: {polite: maybe, warmth: 1}}", `p_test.yaml:4: test "a": judge: polite: question "polite": "maybe": verdict must be one of yes, no, cannot_tell`},
		{"out of range", "{polite: {polite: yes, warmth: 11}}", `p_test.yaml:4: test "a": judge: polite: question "warmth": "11": verdict must be a number from 0 to 10`},
		{"another key", "{polite: {polite: {verdict: yes, quote: x}, warmth: 1}}", `p_test.yaml:4: test "a": judge: polite: polite: unknown key "quote": want verdict, quotes or reason`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadRubrics("tests:\n  - name: a\n    " + sorry + "\n    judge: " + tt.judge + "\n    expect: {polite: pass}\n")
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v\nwant  %s", err, tt.want)
			}
		})
	}
}

// A rubric has to be seen in every outcome; a test that gives no reply is not
// about it.
func TestCoverageOfRubrics(t *testing.T) {
	f, err := loadRubrics(`rules: r.yaml
rubrics: p.yaml
tests:
  - name: polite
    ` + sorry + `
    judge: {polite: {polite: yes, warmth: 7}}
    expect: {polite: pass}
  - name: no reply
    steps: [{tool: {name: refund, result: ok}}, {answer: "sorry, refund done"}]
    expect: {refund-is-real: pass}
  - name: not about it
    steps: [{answer: Hello.}]
    expect: {polite: not_applicable}
`)
	if err != nil {
		t.Fatal(err)
	}
	r := ruletest.Run(f, ruletest.Options{})
	want := []ruletest.Coverage{
		{Rule: "refund-is-real", Seen: []string{"pass", "not_applicable"}, Missing: []string{"fail"}},
		{Rule: "polite", Seen: []string{"pass", "not_applicable", "skipped"}, Missing: []string{"fail"}},
	}
	if diff := cmp.Diff(want, r.Coverage, cmpCoverage); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
	for _, one := range r.Tests {
		if len(one.Failures) > 0 {
			t.Errorf("%s: %v", one.Name, one.Failures)
		}
	}
	if !strings.Contains(strings.Join(r.Problems, "\n"), `p.yaml:2: rubric "polite": never seen to be fail`) {
		t.Errorf("problems: %v", r.Problems)
	}
}

const sessionRules = `rules:
  - {id: one-search, severity: low, scope: session, assert: 'len(tools("search")) <= 1', message: "{len(tools('search'))} searches"}
  - {id: short, severity: low, scope: trace, assert: len(llms()) < 2}
`

func TestSessions(t *testing.T) {
	load := func(test string) (*ruletest.File, error) {
		return ruletest.LoadWith("s_test.yaml", func(path string) ([]byte, error) {
			return []byte(map[string]string{"s.yaml": sessionRules, "s_test.yaml": test}[path]), nil
		})
	}
	const test = `tests:
  - name: searched twice in one conversation
    traces:
      - session: talk
        steps: [{user: a}, {tool: {name: search, result: x}}, {answer: one}]
      - steps: [{user: b}, {tool: {name: search, result: x}, id: again}, {answer: two}]
    expect:
      one-search: {outcome: fail, message: 2 searches, witness: [search, again]}
      short: [pass, pass]
  - name: searched once
    traces:
      - steps: [{user: a}, {answer: one}]
      - steps: [{user: b}, {tool: {name: search, result: x}}, {answer: one}, {answer: two}]
    expect:
      one-search: pass
      short: fail
`
	f, err := load(test)
	if err != nil {
		t.Fatal(err)
	}
	if r := ruletest.Run(f, ruletest.Options{}); !r.Passed() {
		t.Errorf("result = %+v", r)
	}
	// A rule of scope session needs a test of a session.
	f, err = load("tests: [{name: a, steps: [{answer: x}], expect: {short: pass}}, {name: b, steps: [{answer: one}, {answer: two}], expect: {short: fail}}]")
	if err != nil {
		t.Fatal(err)
	}
	if r := ruletest.Run(f, ruletest.Options{}); len(r.Problems) != 2 || !strings.Contains(r.Problems[0], `rule "one-search": never seen to be pass`) {
		t.Errorf("problems: %v", r.Problems)
	}
	// What a failure shows is the values on the session.
	f, err = load(strings.Replace(test, "one-search: pass", "one-search: fail", 1))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(ruletest.Run(f, ruletest.Options{}).Tests[1].Failures, ""); !strings.Contains(got, `len(tools("search")) `) || !strings.Contains(got, "= 1") {
		t.Errorf("failure %q", got)
	}
	for text, want := range map[string]string{
		"traces: [{session: a, steps: [{user: x}]}, {session: b, steps: [{user: y}]}]": `trace 2: session "b", and a trace before has "a": want one session`,
		"traces: [{steps: [{answer: x, id: one}]}, {steps: [{answer: y, id: one}]}]":   `trace 2: id "one" is used twice`,
		"steps: [{user: x}]\n    traces: [{steps: [{user: x}]}]":                       "want one of steps, traces (of one session), or trace",
	} {
		if _, err := load("tests:\n  - name: a\n    expect: {short: pass}\n    " + text + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// A recorded file may hold the traces of one session.
func TestRecordedSession(t *testing.T) {
	f, err := ruletest.LoadWith("s_test.yaml", func(path string) ([]byte, error) {
		return []byte(map[string]string{"s.yaml": sessionRules, "s_test.yaml": "tests: [{name: a, trace: x.json, expect: {short: pass, one-search: pass}}]"}[path]), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	recorded := func(sessions ...string) ruletest.Options {
		var list []*trace.Trace
		for i, s := range sessions {
			list = append(list, &trace.Trace{ID: fmt.Sprint(i), Session: s})
		}
		return ruletest.Options{Open: func(string) ([]*trace.Trace, error) { return list, nil }}
	}
	if got := ruletest.Run(f, recorded("s", "s")).Tests[0].Failures; len(got) != 0 {
		t.Errorf("failures: %v", got)
	}
	if got := ruletest.Run(f, recorded("s", "other")).Tests[0].Failures; len(got) != 1 || !strings.Contains(got[0], "has 2 traces of 2 sessions: want one trace, or the traces of one session") {
		t.Errorf("failures: %v", got)
	}
}

func TestJUnitHasACaseForEachRule(t *testing.T) {
	r := run(t, testHead)
	r.Problems = append(r.Problems, "the file itself")
	var b bytes.Buffer
	if err := (&ruletest.Report{Files: []*ruletest.Result{r}}).WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuite name="r_test.yaml" tests="4" failures="2">`,
		`<testcase name="rule refund-is-real" classname="r_test.yaml">`, `never seen to be fail`,
		`<testcase name="file" classname="r_test.yaml">`, `message="the file itself"`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
