// Package trace is the model that all other packages speak: the steps of one
// agent trace, and the findings of grading it. It imports no other package of
// tracegrade and does no work beyond decoding a value on first use.
package trace

import "time"

// Trace is the ordered steps of one trace id. It is what package assemble
// makes, and what rules and rubrics grade.
type Trace struct {
	ID string // 32 lower-case hex digits
	// Revision is the number of distinct spans and log records read. It is the
	// same live, offline and after a restart.
	Revision int
	// Digest identifies the canonical content, whatever the order of arrival.
	Digest     string
	Session    string
	User       string
	Service    Service
	Agent      Agent
	Question   string // what the user asked, of several turns in the one that Answer is of
	Answer     string // text of the final answer
	AnswerStep string // id of the step that gave it; empty where there is none
	Release    Release
	Usage      Usage // over leaves only
	Start      time.Time
	End        time.Time
	// Steps is in the order in which things happened: start time, then cause
	// before effect. Duplicates stay listed and name the step they repeat.
	Steps []*Step
	// Unjoined counts log records that found no span.
	Unjoined int
	// Source is the place of the first document that the trace was read from,
	// file:line; empty for one that arrived.
	Source string
}

// Dated reports whether t is a time that a producer gave. One that it left out
// is 0 in OTLP, which is 1970, and what is read without times is put in order
// with a nanosecond between one thing and the next.
func Dated(t time.Time) bool { return t.Unix() > 0 }

// ReleaseReason says why assembly let a trace go.
type ReleaseReason string

const (
	ReleaseRootQuiet  ReleaseReason = "root_quiet"   // root ended, no open parent, then quiet
	ReleaseIdle       ReleaseReason = "idle"         // nothing arrived for the idle time
	ReleaseMaxAge     ReleaseReason = "max_age"      // too old
	ReleaseSize       ReleaseReason = "size"         // too many spans or bytes
	ReleaseShutdown   ReleaseReason = "shutdown"     // the process is stopping
	ReleaseEndOfInput ReleaseReason = "end_of_input" // offline: the inputs ended
)

// Release says why and how complete a trace left assembly.
type Release struct {
	Reason ReleaseReason
	// Complete is true where the root was seen and no span names a parent that
	// was not, or that is below itself.
	Complete       bool
	MissingParents int
	Cycles         int // of parents; each is cut at its first span
}

// Fragment is content that arrived as a log record, to be joined to its span.
type Fragment struct {
	TraceID    string // empty where the record has none
	SpanID     string // empty where the record has none
	ResponseID string // joins where the ids do not
	// Hash identifies the record (time, ids, name, body, attributes), so that a
	// record that arrives twice counts once.
	Hash  uint64
	Event string // event name
	Time  time.Time
	Input Messages
	// Output may hold several choices, in order.
	Output Messages
	// Step is a step that the record alone describes (producers that log
	// instead of tracing). SpanID and ParentID may be empty.
	Step *Step
	// Attributes that belong on the span, where the producer splits them:
	// model, usage, tool, session. Merged where the span lacks them.
	Facts *Step
}

// Grade is all findings of one trace revision, with the identity of
// everything that produced them.
type Grade struct {
	Trace             *Trace
	Findings          []Finding   // every outcome; what is emitted is chosen later
	Counts            []RuleCount // one per rule that was given the trace, in rule order
	NormaliserVersion string
	GradedAt          time.Time
	// Evidence is the *evidence.Ledger that the rules looked at; nil where none
	// did. The model imports no other package, hence any.
	Evidence any
}

// Step returns the step with the given id, or nil.
func (t *Trace) Step(id string) *Step {
	for _, s := range t.Steps {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// Root returns the step that has no parent among the steps, the earliest if
// there are several, or nil for a trace without steps that have a span.
func (t *Trace) Root() *Step {
	ids := make(map[string]bool, len(t.Steps))
	for _, s := range t.Steps {
		if s.SpanID != "" {
			ids[s.SpanID] = true
		}
	}
	for _, s := range t.Steps {
		if s.SpanID != "" && !ids[s.ParentID] {
			return s
		}
	}
	return nil
}
