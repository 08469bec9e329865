package ruletest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// subject is what a test is about: one trace, or the traces of one session.
type subject struct {
	traces  []*trace.Trace
	session string // empty for one trace that belongs to no session
}

// subject builds or reads the traces of a test.
func (t *Test) subject(o Options) (*subject, error) {
	if t.TraceFile != "" {
		return t.recorded(o)
	}
	if !t.Session {
		tr, err := t.Cases[0].Build()
		if err != nil {
			return nil, err
		}
		return &subject{traces: []*trace.Trace{tr}, session: tr.Session}, nil
	}
	list, err := BuildSession(t.Cases)
	if err != nil {
		return nil, err
	}
	return &subject{traces: list, session: list[0].Session}, nil
}

// recorded reads the file that a test names.
func (t *Test) recorded(o Options) (*subject, error) {
	if o.Open == nil {
		return nil, fmt.Errorf("trace %s: recorded traces cannot be read here", t.TraceFile)
	}
	traces, err := o.Open(t.TraceFile)
	if err != nil {
		return nil, fmt.Errorf("trace %s: %w", t.TraceFile, err)
	}
	sessions := assemble.Sessions(traces)
	if len(sessions) != 1 {
		return nil, fmt.Errorf("trace %s: has %d traces of %d sessions: want one trace, or the traces of one session", t.TraceFile, len(traces), len(sessions))
	}
	return &subject{traces: sessions[0].Traces, session: sessions[0].Name()}, nil
}

// findings is what rules and rubrics say of a test's traces one by one, and
// rules of scope session of all together.
func (f *File) findings(t *Test, set *rules.Set, sub *subject) ([]trace.Finding, error) {
	var all []trace.Finding
	for _, tr := range sub.traces {
		ruled, _ := set.Eval(tr)
		ruled = slices.DeleteFunc(ruled, func(f trace.Finding) bool { return set.OfSession(f.Rule) })
		judged, err := f.ask(t, tr, ruled)
		if err != nil {
			return nil, err
		}
		all = append(append(all, ruled...), judged...)
	}
	ruled, _ := set.EvalSession(sub.session, sub.traces)
	return append(all, ruled...), nil
}

// step finds the step that a witness names.
func (s *subject) step(witness string) *trace.Step {
	for _, tr := range s.traces {
		for _, one := range tr.Steps {
			if one.Witness() == witness {
				return one
			}
		}
	}
	return nil
}

// values is the parts of a rule with their values, for the text of a failure: on the
// subject of a finding, else on the first that the rule fails on, else on the first.
func (s *subject) values(set *rules.Set, rule string, about *trace.Finding) string {
	var show *rules.SubjectExplanation
	rank := 0
	for i := range s.traces {
		e, err := s.explain(set, rule, i)
		if err != nil {
			return "" // a rubric
		}
		for j := range e.Subjects {
			one := &e.Subjects[j].Finding
			r := 1
			switch {
			case about != nil && one.StepID == about.StepID && one.Outcome == about.Outcome:
				r = 3
			case one.Outcome == trace.OutcomeFail || one.Outcome == trace.OutcomeError:
				r = 2
			}
			if r > rank {
				show, rank = &e.Subjects[j], r
			}
		}
	}
	if show == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	rules.WriteValues(&b, show.Values, "    ")
	return strings.TrimRight(b.String(), "\n")
}

func (s *subject) explain(set *rules.Set, rule string, trace int) (*rules.Explanation, error) {
	if set.OfSession(rule) {
		return set.ExplainSession(rule, s.session, s.traces)
	}
	return set.Explain(rule, s.traces[trace])
}
