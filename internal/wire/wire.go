// Package wire carries grades on spans, so that any exporter can take them and
// ours needs nothing else:
//
//	Write    grade, spans that leave now  -> the same spans with events and attributes
//	Read     one span                     -> what Write put on it
//	Restore  the step that one span tells -> the step as it was graded
//	Strip    span                         -> the span as it was before Write
//
// Batches split traces, so everything that becomes one row rides on ONE span:
//
//   - a finding is a gen_ai.evaluation.result event on the graded span when that
//     span leaves now, else on the anchor;
//   - outcome counts and facts of the trace are attributes of the anchor;
//   - what assembly found out about a step is attributes of its span, and content
//     that came from elsewhere (log records, a second record of the same thing) is
//     gen_ai.* attributes there;
//   - a step without a span is a span of scope [Scope];
//   - where it is asked for, the canonical form of a step is gen_ai.* attributes
//     next to the producer's own, for other backends.
//
// The anchor is the root when it leaves now, else the earliest span that leaves
// now, else a derived span of scope [Scope].
//
// Every span leaves once, so a late span carries the whole findings of the
// revision that it made. names.go lists every attribute.
package wire

import (
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Identity says which revision of which trace the findings and facts on a span
// belong to, and how they were made.
type Identity struct {
	TraceID           string
	Revision          int
	Digest            string
	Session           string
	Service           trace.Service
	Agent             trace.Agent
	Start             time.Time // of the trace
	NormaliserVersion string
	EvidenceVersion   string // empty where no rule looked at evidence
	GradedAt          time.Time
}

// Facts are what is known of a whole trace.
type Facts struct {
	User       string
	Question   string
	Answer     string
	AnswerStep string
	End        time.Time
	Tally      trace.Tally
	// EvidenceCut names what of the evidence was left out because there is too
	// much: observations, links.
	EvidenceCut []string
	Unjoined    int // log records that found no span
	// Late is true for a revision that late spans made: its trace was released,
	// and counted, before.
	Late    bool
	Release trace.Release
	Usage   trace.Usage
	Counts  []trace.RuleCount
}

// Rule is the text behind a rule's hash.
type Rule struct {
	Kind     string // rule, rubric or judge
	ID       string
	Hash     string
	Title    string
	Scope    string
	Severity string
	Defect   string
	Source   string // where the rule was read: a file, or a shipped pack
	Text     string
}

// Span is what [Read] found on one span.
type Span struct {
	Identity *Identity // nil where the span carries neither findings nor facts
	Facts    *Facts    // nil on all spans of a revision but one
	// Step holds what assembly found out about the step of the span, and no
	// more; nil where none was graded, and on carriers. [Restore] adds it to
	// what the span itself says.
	Step *trace.Step
	// Kept are the keys of the attributes, of the span or its resource, that
	// rules name: those of [trace.Step.Attributes].
	Kept []string
	// Revision and GradedAt say with which revision the span left; zero where
	// it was not graded.
	Revision int
	GradedAt time.Time
	Findings []trace.Finding
	Rules    []Rule
	// Observations and Links are evidence of the trace.
	Observations []Observation
	Links        []Link
}

// Carrier reports whether span only carries facts and findings: it is no step.
func Carrier(scope pcommon.InstrumentationScope, span ptrace.Span) bool {
	return scope.Name() == Scope && span.Name() == spanTrace
}

// Own reports whether the spans of scope are derived ones. They are made anew
// whenever a trace is graded, so a grader leaves them out of its input.
func Own(scope pcommon.InstrumentationScope) bool { return scope.Name() == Scope }

const prefix = "tracegrade."

// Strip removes what [Write] added, except gen_ai.* content, so that a graded
// trace can be graded again.
func Strip(span ptrace.Span) {
	if _, ok := span.Attributes().Get(stepKind); ok {
		stripCanonical(span.Attributes())
		span.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return strings.HasPrefix(key, prefix) })
	}
	if span.Events().Len() > 0 {
		span.Events().RemoveIf(ownEvent)
	}
}

// ownEvent tells our findings from somebody else's evaluation results.
func ownEvent(e ptrace.SpanEvent) bool {
	switch e.Name() {
	case EventFinding:
		_, ours := e.Attributes().Get(ruleHash)
		return ours
	case EventRule, EventObservation, EventLink:
		return true
	}
	return false
}
