package ruletest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// Options says what to run, and how to read recorded traces.
type Options struct {
	Run  *regexp.Regexp // tests to run, by name; nil: all. With it coverage is not asked for.
	Open func(path string) ([]*trace.Trace, error)
}

// Result is what became of one test file.
type Result struct {
	Path     string       `json:"file"`
	Tests    []TestResult `json:"tests"`
	Coverage []Coverage   `json:"coverage"` // nil where some tests were left out
	Problems []string     `json:"problems"` // what is wrong with the file as a whole
}

// TestResult is what became of one test.
type TestResult struct {
	Name     string   `json:"name"`
	Line     int      `json:"line"`
	Failures []string `json:"failures"` // empty: passed
}

// Coverage says in which outcomes a rule was seen.
type Coverage struct {
	Rule    string   `json:"rule"`
	Seen    []string `json:"seen"`
	Missing []string `json:"missing"`
}

// Passed reports whether nothing is wrong.
func (r *Result) Passed() bool {
	for _, t := range r.Tests {
		if len(t.Failures) > 0 {
			return false
		}
	}
	return len(r.Problems) == 0
}

// Run runs the tests of a file. Mistakes in the rules are problems of the
// result.
func Run(f *File, o Options) *Result {
	r := &Result{Path: f.Path, Tests: []TestResult{}, Problems: []string{}}
	set, err := f.compile()
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
		return r
	}
	seen := map[string]map[trace.Outcome]bool{}
	for i := range f.Tests {
		t := &f.Tests[i]
		if o.Run != nil && !o.Run.MatchString(t.Name) {
			continue
		}
		r.Tests = append(r.Tests, f.check(t, set, o, seen, true))
	}
	switch {
	case len(r.Tests) == 0:
		r.Problems = append(r.Problems, fmt.Sprintf("%s: no test matches", f.Path))
	case o.Run == nil:
		r.cover(f, set, seen)
	}
	return r
}

// cover reports the outcomes in which a rule was not seen.
func (r *Result) cover(f *File, set *rules.Set, seen map[string]map[trace.Outcome]bool) {
	for _, rule := range set.Rules() {
		if f.shipped(rule.ID) {
			continue
		}
		c := Coverage{Rule: rule.ID, Seen: []string{}, Missing: []string{}}
		want := []trace.Outcome{trace.OutcomePass, trace.OutcomeFail}
		if set.CanBeNotApplicable(rule.ID) {
			want = append(want, trace.OutcomeNotApplicable)
		}
		if rule.Scope == trace.ScopeSession {
			want = nil // a test has one trace
		}
		for o := trace.OutcomePass; o <= trace.OutcomeSkipped; o++ {
			if seen[rule.ID][o] {
				c.Seen = append(c.Seen, o.String())
			} else if slices.Contains(want, o) {
				c.Missing = append(c.Missing, o.String())
				r.Problems = append(r.Problems, fmt.Sprintf("%s:%d: rule %q: never seen to be %s", rule.Pos.File, rule.Pos.Line, rule.ID, o))
			}
		}
		r.Coverage = append(r.Coverage, c)
	}
}

// check runs one test. Outcomes are added to seen, where it is given; with
// explain failures show the values of the rule's parts.
func (f *File) check(t *Test, set *rules.Set, o Options, seen map[string]map[trace.Outcome]bool, explain bool) TestResult {
	result := TestResult{Name: t.Name, Line: t.Line, Failures: []string{}}
	fail := func(line int, format string, args ...any) {
		result.Failures = append(result.Failures, fmt.Sprintf("%s:%d: ", f.Path, line)+fmt.Sprintf(format, args...))
	}
	if len(t.Configure) > 0 {
		configured, err := f.compile(&rules.File{Name: f.Path, Configure: t.Configure})
		if err != nil {
			fail(t.Line, "%v", err)
			return result
		}
		set = configured
	}
	tr, err := t.trace(o)
	if err != nil {
		fail(t.Line, "%v", err)
		return result
	}
	findings, _ := set.Eval(tr)
	byRule := map[string][]trace.Finding{}
	for _, one := range findings {
		byRule[one.Rule] = append(byRule[one.Rule], one)
		if seen != nil {
			if seen[one.Rule] == nil {
				seen[one.Rule] = map[trace.Outcome]bool{}
			}
			seen[one.Rule][one.Outcome] = true
		}
	}
	show := func(rule string) string {
		if !explain {
			return ""
		}
		return values(set, rule, tr)
	}
	expected := map[string]bool{}
	for _, e := range t.Expect {
		expected[e.Rule] = true
		got := byRule[e.Rule]
		if len(got) == 0 {
			fail(e.Line, "no rule %q, or it is switched off", e.Rule)
			continue
		}
		before := len(result.Failures)
		compare(&e, got, tr, func(format string, args ...any) { fail(e.Line, e.Rule+": "+format, args...) })
		if len(result.Failures) > before {
			result.Failures[before] += show(e.Rule)
		}
	}
	for _, rule := range set.Rules() {
		if worst := Worst(byRule[rule.ID]); !expected[rule.ID] && !f.shipped(rule.ID) && worst != nil && worst.Outcome != trace.OutcomePass && worst.Outcome != trace.OutcomeNotApplicable {
			fail(t.Line, "%s: not expected: %v: %s%s", rule.ID, worst.Outcome, worst.Message, show(rule.ID))
		}
	}
	return result
}

func (t *Test) trace(o Options) (*trace.Trace, error) {
	if t.Case != nil {
		return t.Case.Build()
	}
	if o.Open == nil {
		return nil, fmt.Errorf("trace %s: recorded traces cannot be read here", t.TraceFile)
	}
	traces, err := o.Open(t.TraceFile)
	if err != nil {
		return nil, fmt.Errorf("trace %s: %w", t.TraceFile, err)
	}
	if len(traces) != 1 {
		return nil, fmt.Errorf("trace %s: has %d traces: want one", t.TraceFile, len(traces))
	}
	return traces[0], nil
}

// Worst is the finding that says most: an error, else a failure, a pass, a
// skipped one, or that the rule does not apply. It is nil for none.
func Worst(findings []trace.Finding) *trace.Finding {
	order := []trace.Outcome{trace.OutcomeError, trace.OutcomeFail, trace.OutcomePass, trace.OutcomeSkipped, trace.OutcomeNotApplicable}
	for _, o := range order {
		for i := range findings {
			if findings[i].Outcome == o {
				return &findings[i]
			}
		}
	}
	return nil
}

// compare says how findings differ from what was expected.
func compare(e *Expected, got []trace.Finding, tr *trace.Trace, fail func(format string, args ...any)) {
	if !e.Exact {
		compareOne(&e.Findings[0], Worst(got), tr, fail)
		return
	}
	if len(got) != len(e.Findings) {
		fail("%d findings, want %d", len(got), len(e.Findings))
		return
	}
	for i := range got {
		compareOne(&e.Findings[i], &got[i], tr, func(format string, args ...any) {
			fail("finding %d: %s", i+1, fmt.Sprintf(format, args...))
		})
	}
}

func compareOne(e *ExpectedFinding, got *trace.Finding, tr *trace.Trace, fail func(format string, args ...any)) {
	if got.Outcome != e.Outcome {
		text := ""
		if got.Message != "" {
			text = " (" + got.Message + ")"
		}
		fail("%v, want %v%s", got.Outcome, e.Outcome, text)
		return
	}
	if e.Reason != "" && got.Reason != e.Reason {
		fail("reason %s, want %s", got.Reason, e.Reason)
	}
	if e.Message != nil && got.Message != *e.Message {
		fail("message\n     got %q\n    want %q", got.Message, *e.Message)
	}
	if e.Score != nil && (got.Score == nil || *got.Score != *e.Score) {
		fail("score %s, want %g", scoreText(got.Score), *e.Score)
	}
	if e.Witness != nil && !sameWitness(e.Witness, got.Witness, tr) {
		names := make([]string, len(got.Witness))
		for i, id := range got.Witness {
			names[i] = id
			if s := stepOf(tr, id); s != nil && s.Label() != id {
				names[i] += " (" + s.Label() + ")"
			}
		}
		fail("witness [%s], want [%s]", strings.Join(names, ", "), strings.Join(e.Witness, ", "))
	}
}

func scoreText(s *float64) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprint(*s)
}

// sameWitness compares spans in order: an expected one is named by its id, its
// label, or the text that it put out.
func sameWitness(want, got []string, tr *trace.Trace) bool {
	return slices.EqualFunc(want, got, func(name, id string) bool {
		if name == id {
			return true
		}
		s := stepOf(tr, id)
		if s == nil {
			return false
		}
		if s.Label() == name || s.Name == name {
			return true
		}
		for _, m := range s.Output.List() {
			if m.Text() == name {
				return true
			}
		}
		return false
	})
}

func stepOf(tr *trace.Trace, witness string) *trace.Step {
	for _, s := range tr.Steps {
		if s.Witness() == witness {
			return s
		}
	}
	return nil
}

// values is the parts of a rule with their values on the trace, for the text
// of a failure.
func values(set *rules.Set, rule string, tr *trace.Trace) string {
	e, err := set.Explain(rule, tr)
	if err != nil || len(e.Subjects) == 0 {
		return ""
	}
	show := &e.Subjects[0]
	for i := range e.Subjects {
		if o := e.Subjects[i].Finding.Outcome; o == trace.OutcomeFail || o == trace.OutcomeError {
			show = &e.Subjects[i]
			break
		}
	}
	var b strings.Builder
	b.WriteString("\n")
	rules.WriteValues(&b, show.Values, "    ")
	return strings.TrimRight(b.String(), "\n")
}
