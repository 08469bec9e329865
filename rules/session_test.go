package rules_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A session's turns are those of its traces, in order; a step is of one of its own trace.
func TestTurnsOfSession(t *testing.T) {
	set := compileText(t, `rules:
  - id: r
    severity: low
    scope: session
    let: {told: 'map(turns(), .question + "/" + .answer)', of: 'map(tools(), turnOf(#).number)'}
    assert: "false"
    message: "{told}; {of}"
`)
	first := buildTrace(t, "session: s\nsteps: [{user: 'a?'}, {tool: {name: x}, id: t1}, {answer: a}, {user: 'b?'}, {tool: {name: x}, id: t2}, {answer: b}]")
	second := buildTrace(t, "session: s\nsteps: [{user: 'c?'}, {tool: {name: x}, id: t3}, {answer: c, id: a3}]")
	second.ID, second.Start = "other", second.Start.Add(time.Hour)
	for _, s := range second.Steps {
		s.TraceID = "other"
	}
	findings, _ := set.EvalSession("s", []*trace.Trace{second, first})
	if got, want := findings[0].Message, "a?/a, b?/b, c?/c; 1, 2, 3"; got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}

// Of a conversation each of whose turns is a trace of its own, the messages that a
// model was given tell of the turns before.
func TestTurnsBeforeTheTrace(t *testing.T) {
	set := compileText(t, `rules:
  - id: r
    severity: low
    scope: trace
    let: {turn: 'first(turns())', said: turn.previous}
    assert: "false"
    message: "{len(turns())} {turn.number} {turn.question}; {said.number} {said.question} {said.answer}; {said.previous.number} {said.previous.question}; {said.previous.previous == nil} {said.step == nil}"
`)
	tr := buildTrace(t, "steps: [{user: hi}, {answer: hello}, {user: refund 8}, {answer: shall I}, {user: 'yes'}, {tool: {name: refund}}, {answer: done}]")
	tr.Steps = slices.DeleteFunc(tr.Steps, func(s *trace.Step) bool { return s.Turn == 1 || s.Turn == 2 })
	for _, s := range tr.Steps {
		s.Turn = min(s.Turn, 1)
	}
	findings, _ := set.Eval(tr)
	if got, want := findings[0].Message, "1 1 yes; 0 refund 8 shall I; -1 hi; true true"; got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
	set = compileText(t, `rules: [{id: r, severity: low, scope: session, assert: "false", message: "{len(turns())} {turns()[0].previous.answer}, {turns()[1].previous.answer}"}]`)
	next := buildTrace(t, "steps: [{user: more}, {answer: all}]")
	next.ID, next.Start = "other", next.Start.Add(time.Hour)
	for _, s := range next.Steps {
		s.TraceID = "other"
	}
	findings, _ = set.EvalSession("s", []*trace.Trace{tr, next})
	if got, want := findings[0].Message, "2 shall I, done"; got != want {
		t.Errorf("message of the session = %q, want %q", got, want)
	}
}

func TestSession(t *testing.T) {
	set := compileText(t, `rules:
  - {id: same-answer, severity: low, scope: session, assert: len(distinct(answers)) == 1, message: "{answers}"}
  - {id: one-search, severity: low, scope: session, assert: 'len(tools("search_web")) <= 1'}
  - {id: first-question, severity: low, scope: session, assert: 'question == "first?" and answer == "two" and trace.session == "s"'}
  - {id: a-trace-rule, severity: low, scope: trace, assert: "false"}
`)
	if !set.HasSessionRules() {
		t.Error("HasSessionRules = false")
	}
	first := buildTrace(t, "session: s\nsteps: [{user: 'first?'}, {tool: {name: search_web, result: a}, id: t1}, {answer: one, id: a1}]")
	second := buildTrace(t, "session: s\nsteps: [{user: 'second?'}, {tool: {name: search_web, result: a}, id: t2}, {answer: two, id: a2}]")
	for _, s := range second.Steps {
		s.Start, s.End = s.Start.Add(time.Hour), s.End.Add(time.Hour)
	}
	second.Start, second.End = second.Start.Add(time.Hour), second.End.Add(time.Hour)
	findings, counts := set.EvalSession("s", []*trace.Trace{second, first})
	for i := range findings {
		findings[i].RuleHash = ""
	}
	want := []trace.Finding{
		{Rule: "same-answer", Scope: trace.ScopeSession, SubjectID: "s", Outcome: trace.OutcomeFail, Reason: "assertion_failed", Severity: trace.SeverityLow, Message: "one, two", Witness: []string{"a2"}},
		{Rule: "one-search", Scope: trace.ScopeSession, SubjectID: "s", Outcome: trace.OutcomeFail, Reason: "assertion_failed", Severity: trace.SeverityLow, Witness: []string{"t1", "t2"}},
		{Rule: "first-question", Scope: trace.ScopeSession, SubjectID: "s", Outcome: trace.OutcomePass, Reason: "assertion_holds", Severity: trace.SeverityLow},
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if len(counts) != 3 || counts[0].Fail != 1 || counts[2].Pass != 1 {
		t.Errorf("counts = %+v", counts)
	}
	lone := buildTrace(t, "steps: [{user: 'first?'}, {answer: one}]")
	findings, counts = set.EvalSession("", []*trace.Trace{lone})
	ofTrace, _ := set.Eval(lone)
	if diff := cmp.Diff(ofTrace[:3], findings); diff != "" {
		t.Errorf("a trace of no session is graded otherwise than on its own (-own +session):\n%s", diff)
	}
	for i, f := range findings {
		if f.Outcome != trace.OutcomeNotApplicable || f.Reason != "no_subject" || f.SubjectID != lone.ID || counts[i].NotApplicable != 1 {
			t.Errorf("finding on a trace of no session = %+v", f)
		}
	}
}

// A gateway's trace of the same calls is no part of the conversation.
func TestSessionRecordedTwice(t *testing.T) {
	set := compileText(t, `rules:
  - {id: r, severity: low, scope: session, assert: "false", message: "{questions} {answers} {len(llms())} {len(turns())}"}
`)
	agent := buildTrace(t, "session: s\nsteps: [{user: 'a?'}, {answer: a, id: a1}]")
	gateway := buildTrace(t, "session: s\nsteps: [{user: 'a?'}, {answer: a, id: g1}]")
	gateway.ID = "gateway"
	for _, s := range gateway.Steps {
		s.TraceID, s.Scope, s.Service.Name = "gateway", "gateway", "gateway"
		s.Model.ResponseID = "reply-1"
	}
	for _, s := range agent.Steps {
		if s.Kind == trace.KindLLM {
			s.Model.ResponseID = "reply-1"
		}
	}
	findings, _ := set.EvalSession("s", []*trace.Trace{agent, gateway})
	if got, want := findings[0].Message, "a? a 1 1"; got != want {
		t.Errorf("message = %q, want %q", got, want)
	}
}
