package rubric

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

const consistent = `
rubrics:
  - id: consistent
    title: The agent does not contradict itself within a conversation
    severity: high
    scope: session
    when: len(steps("llm")) > 1
    material: [conversation]
    questions:
      - id: contradicts
        ask: Does the agent say something that it contradicts in another exchange?
    pass: {contradicts: no}
`

// A rubric of scope session is asked once about all traces of a conversation, in
// their order, and never about one of them alone.
func TestSession(t *testing.T) {
	exchange := func(n int, question, answer string) *trace.Trace {
		m := newTrace(question)
		m.ID, m.Session = strings.Repeat("0", 31)+string(rune('0'+n)), "s1"
		m.Start = m.Start.Add(time.Duration(n) * time.Minute)
		return m.answers(answer)
	}
	first, second := exchange(1, "How large is it?", "12 hectares."), exchange(2, "Sure?", "No: 13 hectares.")
	j := says([3]string{"contradicts", "yes", "No: 13 hectares."})
	g := grader(t, compile(t, consistent), mainJudge(j))

	live := &trace.Grade{Trace: first}
	g.Grade(context.Background(), live)
	if len(live.Findings) != 1 || live.Findings[0].SubjectID != "s1" {
		t.Fatalf("live: %+v", live.Findings)
	}
	wantFinding(t, live.Findings[0], trace.OutcomeSkipped, "session_open")
	closed := &trace.Grade{Trace: first}
	g.Closed().Grade(context.Background(), closed)
	if len(closed.Findings)+len(closed.Counts) != 0 {
		t.Errorf("a trace of a closed session: %+v", closed)
	}

	session := &trace.Grade{Trace: second}
	g.Session(context.Background(), session, "s1", []*trace.Trace{second, first})
	if len(session.Findings) != 1 || len(session.Counts) != 1 || len(j.asked) != 1 {
		t.Fatalf("%d findings, %d requests: want one of each", len(session.Findings), len(j.asked))
	}
	f := session.Findings[0]
	wantFinding(t, f, trace.OutcomeFail, ReasonFail)
	if f.Scope != trace.ScopeSession || f.SubjectID != "s1" {
		t.Errorf("finding on %s %s, want session s1", f.Scope, f.SubjectID)
	}
	if got := section(j.asked[0], "exchange 1"); got != "user: How large is it?\nagent: 12 hectares." {
		t.Errorf("exchange 1: %q", got)
	}
	if got := section(j.asked[0], "exchange 2"); got != "user: Sure?\nagent: No: 13 hectares." {
		t.Errorf("exchange 2: %q", got)
	}

	alone := &trace.Grade{Trace: first}
	g.Session(context.Background(), alone, "s1", []*trace.Trace{first})
	if alone.Findings[0].Outcome != trace.OutcomeNotApplicable {
		t.Errorf("one exchange: %+v, want the guard to hold it back", alone.Findings[0])
	}
}
