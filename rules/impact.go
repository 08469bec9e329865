package rules

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// maxChanges bounds the verdicts that an impact lists; all are counted.
const maxChanges = 1000

// Impact is what replacing one set of rules by another would change on some
// traces.
type Impact struct {
	Rules   []RuleChange    `json:"rules"`
	Traces  int             `json:"traces"`
	Changed int             `json:"changed"` // verdicts, all of them
	List    []VerdictChange `json:"changes"` // the first of them

	before, after *Set
	kinds         map[string]int // changed verdicts by rule, outcome before and after
}

// maxShown bounds the verdicts that the text of an impact shows.
const maxShown = 50

// RuleChange is a rule that is new, gone, or means something else, or whose
// severity is another.
type RuleChange struct {
	Rule   string   `json:"rule"`
	Change string   `json:"change"` // added, removed or changed
	Lines  []string `json:"lines"`  // of its identity: - before, + after
}

// VerdictChange is one verdict that would be another.
type VerdictChange struct {
	TraceID string `json:"trace_id"`
	Rule    string `json:"rule"`
	Scope   string `json:"scope"`
	Subject string `json:"subject"`
	Before  string `json:"before"` // outcome; with its severity where that alone differs; none where there was no finding
	After   string `json:"after"`
	Message string `json:"message"` // of the new verdict, else of the old
}

// NewImpact compares two sets; then [Impact.Add] is called for each trace.
func NewImpact(before, after *Set) *Impact {
	i := &Impact{Rules: []RuleChange{}, List: []VerdictChange{}, before: before, after: after}
	old := map[string]Rule{}
	for _, r := range before.Rules() {
		old[r.ID] = r
	}
	for _, r := range after.Rules() {
		was, known := old[r.ID]
		delete(old, r.ID)
		switch {
		case !known:
			i.Rules = append(i.Rules, RuleChange{Rule: r.ID, Change: "added", Lines: prefixed("+", r.Source)})
		case was.Hash != r.Hash:
			i.Rules = append(i.Rules, RuleChange{Rule: r.ID, Change: "changed", Lines: append(difference(was.Source, r.Source), severities(was, r)...)})
		case was.Severity != r.Severity:
			i.Rules = append(i.Rules, RuleChange{Rule: r.ID, Change: "changed", Lines: severities(was, r)})
		}
	}
	for id, r := range old {
		i.Rules = append(i.Rules, RuleChange{Rule: id, Change: "removed", Lines: prefixed("-", r.Source)})
	}
	sort.Slice(i.Rules, func(a, b int) bool { return i.Rules[a].Rule < i.Rules[b].Rule })
	return i
}

// severities says how the severity of a rule differs, which is no part of its
// identity.
func severities(before, after Rule) []string {
	if before.Severity == after.Severity {
		return nil
	}
	return []string{"- severity: " + before.Severity.String(), "+ severity: " + after.Severity.String()}
}

func prefixed(sign, text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, sign+" "+strings.TrimRight(line, "\n"))
	}
	return lines
}

// difference lists the lines that only one of two identities has.
func difference(before, after string) []string {
	a, b := strings.Split(strings.TrimSpace(before), "\n"), strings.Split(strings.TrimSpace(after), "\n")
	var lines []string
	for _, line := range a {
		if !slices.Contains(b, line) {
			lines = append(lines, "- "+line)
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			lines = append(lines, "+ "+line)
		}
	}
	return lines
}

// quiet reports a verdict of a rule that is new or gone by which nobody is blamed:
// it is counted, and not shown.
func (c *VerdictChange) quiet() bool {
	other := c.Before
	if c.Before == "none" {
		other = c.After
	} else if c.After != "none" {
		return false
	}
	return other == trace.OutcomePass.String() || other == trace.OutcomeNotApplicable.String() || other == trace.OutcomeSkipped.String()
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

type verdictKey struct{ rule, scope, subject string }

// Add evaluates both sets on a trace and records the verdicts that differ.
func (i *Impact) Add(t *trace.Trace) {
	i.Traces++
	before, _ := i.before.Eval(t)
	after, _ := i.after.Eval(t)
	i.compare(t.ID, before, after)
}

// AddSession evaluates the session rules of both sets on a session, whose
// traces were added, and records the verdicts that differ. An empty session
// says that the one trace belongs to none.
func (i *Impact) AddSession(session string, traces []*trace.Trace) {
	before, _ := i.before.EvalSession(session, traces)
	after, _ := i.after.EvalSession(session, traces)
	i.compare(traces[len(traces)-1].ID, before, after)
}

func (i *Impact) compare(traceID string, before, after []trace.Finding) {
	was := map[verdictKey]trace.Finding{}
	for _, f := range before {
		was[keyOf(f)] = f
	}
	for _, f := range after {
		old, known := was[keyOf(f)]
		delete(was, keyOf(f))
		switch {
		case known && old.Outcome == f.Outcome && f.Outcome == trace.OutcomeFail && old.Severity != f.Severity:
			i.note(traceID, f, "fail "+old.Severity.String(), "fail "+f.Severity.String(), firstOf(f.Message, old.Message, f.Reason))
		case !known || old.Outcome != f.Outcome:
			i.note(traceID, f, outcomeOf(old, known), f.Outcome.String(), firstOf(f.Message, old.Message, f.Reason))
		}
	}
	for _, f := range before {
		if _, gone := was[keyOf(f)]; gone {
			i.note(traceID, f, f.Outcome.String(), "none", firstOf(f.Message, f.Reason))
		}
	}
}

func keyOf(f trace.Finding) verdictKey { return verdictKey{f.Rule, f.Scope.String(), f.SubjectID} }

func outcomeOf(f trace.Finding, known bool) string {
	if !known {
		return "none"
	}
	return f.Outcome.String()
}

func (i *Impact) note(traceID string, f trace.Finding, before, after, message string) {
	i.Changed++
	if i.kinds == nil {
		i.kinds = map[string]int{}
	}
	i.kinds[fmt.Sprintf("%s: %s -> %s", f.Rule, before, after)]++
	if len(i.List) < maxChanges {
		i.List = append(i.List, VerdictChange{TraceID: traceID, Rule: f.Rule, Scope: f.Scope.String(), Subject: f.SubjectID, Before: before, After: after, Message: message})
	}
}

// WriteText writes the impact for people: which rules differ and how, then the
// verdicts that would change.
func (i *Impact) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, r := range i.Rules {
		fmt.Fprintf(&b, "%s %s\n", r.Change, r.Rule)
		for _, line := range r.Lines {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	if len(i.Rules) == 0 {
		b.WriteString("the rules mean the same\n")
	}
	fmt.Fprintf(&b, "\n%s, %s would change\n", plural(i.Traces, "trace"), plural(i.Changed, "verdict"))
	for _, key := range slices.Sorted(maps.Keys(i.kinds)) {
		fmt.Fprintf(&b, "%5d  %s\n", i.kinds[key], key)
	}
	shown := 0
	quiet := 0
	for _, c := range i.List {
		switch {
		case c.quiet():
			quiet++
		case shown < maxShown:
			shown++
			fmt.Fprintf(&b, "\n%s %s %s: %s -> %s\n    %s\n", c.TraceID, c.Rule, c.Subject, c.Before, c.After, c.Message)
		}
	}
	if rest := i.Changed - shown - quiet; rest > 0 {
		fmt.Fprintf(&b, "\nand %d more: --format json lists the first %d\n", rest, maxChanges)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
