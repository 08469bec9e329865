package ruletest

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/rubric"
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

	problems []string // one for each that is missing
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
		r.add(c, "rule", rule.Pos, want, seen[rule.ID])
	}
	for _, one := range f.rubrics() {
		want := []trace.Outcome{trace.OutcomePass, trace.OutcomeFail}
		if one.Where.Set() || one.When.Set() || one.Select.Set() || len(one.NotApply) > 0 {
			want = append(want, trace.OutcomeNotApplicable)
		}
		r.add(Coverage{Rule: one.ID, Seen: []string{}, Missing: []string{}}, "rubric", one.Pos, want, seen[one.ID])
	}
}

// add adds the coverage of one rule or rubric, which a test has to see in every
// outcome of want.
func (r *Result) add(c Coverage, what string, at rules.Pos, want []trace.Outcome, seen map[trace.Outcome]bool) {
	for o := trace.OutcomePass; o <= trace.OutcomeSkipped; o++ {
		if seen[o] {
			c.Seen = append(c.Seen, o.String())
		} else if slices.Contains(want, o) {
			c.Missing = append(c.Missing, o.String())
			c.problems = append(c.problems, fmt.Sprintf("%s:%d: %s %q: never seen to be %s", at.File, at.Line, what, c.Rule, o))
		}
	}
	r.Problems = append(r.Problems, c.problems...)
	r.Coverage = append(r.Coverage, c)
}

// check runs one test. Outcomes are added to seen, where it is given; with
// explain failures show the values of the rule's parts.
func (f *File) check(t *Test, set *rules.Set, o Options, seen map[string]map[trace.Outcome]bool, explain bool) TestResult {
	result := TestResult{Name: t.Name, Line: t.Line, Failures: []string{}}
	fail := func(line int, format string, args ...any) {
		result.Failures = append(result.Failures, fmt.Sprintf("%s:%d: ", f.Path, line)+fmt.Sprintf(format, args...))
	}
	if len(t.Configure) > 0 || t.Planted != nil {
		configured, err := f.compile(&rules.File{Name: f.Path, Configure: t.Configure})
		if err != nil {
			fail(t.Line, "%v", err)
			return result
		}
		set = configured
		set.Planted(t.Planted)
	}
	sub, err := t.subject(o)
	if err != nil {
		fail(t.Line, "%v", err)
		return result
	}
	findings, err := f.findings(t, set, sub)
	if err != nil {
		fail(t.Line, "%v", err)
		return result
	}
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
	show := func(rule string, about *trace.Finding) string {
		if !explain {
			return ""
		}
		return sub.values(set, rule, about)
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
		differs := compare(&e, got, sub, func(format string, args ...any) { fail(e.Line, e.Rule+": "+format, args...) })
		if len(result.Failures) > before {
			result.Failures[before] += show(e.Rule, differs)
		}
	}
	for _, id := range f.tested(set) {
		worst := Worst(byRule[id])
		switch {
		case expected[id] || worst == nil || worst.Outcome == trace.OutcomePass || worst.Outcome == trace.OutcomeNotApplicable:
		case worst.Reason == rubric.NotStated && t.Judge[id] == nil: // the test is not about this rubric
		case worst.Reason == rules.ReasonSessionOpen: // nor about a session
		default:
			fail(t.Line, "%s: not expected: %v: %s%s", id, worst.Outcome, worst.Message, show(id, worst))
		}
	}
	return result
}

// tested lists the rules and rubrics of the file that are not shipped ones.
func (f *File) tested(set *rules.Set) []string {
	var ids []string
	for _, rule := range set.Rules() {
		ids = append(ids, rule.ID)
	}
	for _, r := range f.rubrics() {
		ids = append(ids, r.ID)
	}
	return slices.DeleteFunc(ids, f.shipped)
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

// compare says how findings differ from what was expected. It returns the first that
// does, nil where it is their number.
func compare(e *Expected, got []trace.Finding, sub *subject, fail func(format string, args ...any)) (differs *trace.Finding) {
	if !e.Exact {
		worst := Worst(got)
		compareOne(&e.Findings[0], worst, sub, fail)
		return worst
	}
	if len(got) != len(e.Findings) {
		fail("%d findings, want %d", len(got), len(e.Findings))
		return nil
	}
	for i := range got {
		compareOne(&e.Findings[i], &got[i], sub, func(format string, args ...any) {
			if differs == nil {
				differs = &got[i]
			}
			fail("finding %d: %s", i+1, fmt.Sprintf(format, args...))
		})
	}
	return differs
}

func compareOne(e *ExpectedFinding, got *trace.Finding, sub *subject, fail func(format string, args ...any)) {
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
	if e.Score != nil && (got.Score == nil || math.Abs(*got.Score-*e.Score) > scoreTolerance) {
		fail("score %s, want %g", scoreText(got.Score), *e.Score)
	}
	if e.Witness != nil && !sameWitness(e.Witness, got.Witness, sub) {
		names := make([]string, len(got.Witness))
		for i, id := range got.Witness {
			names[i] = id
			if s := sub.step(id); s != nil && s.Label() != id {
				names[i] += " (" + s.Label() + ")"
			}
		}
		fail("witness [%s], want [%s]", strings.Join(names, ", "), strings.Join(e.Witness, ", "))
	}
}

// scoreTolerance is how far a score may be from what a test expects: what is added
// and divided as floating-point numbers is rarely what it is on paper.
const scoreTolerance = 1e-9

func scoreText(s *float64) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprint(*s)
}

// sameWitness compares spans in order: an expected one is named by its id, its
// label, or the text that it put out.
func sameWitness(want, got []string, sub *subject) bool {
	return slices.EqualFunc(want, got, func(name, id string) bool {
		if name == id {
			return true
		}
		s := sub.step(id)
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
