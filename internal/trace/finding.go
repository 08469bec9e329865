package trace

import "fmt"

// Outcome is what one rule or rubric found on one subject.
//
// The zero value is not a conclusion: a Finding that nobody filled in must not
// read as a pass.
type Outcome uint8

const (
	OutcomeUnset         Outcome = iota
	OutcomePass                  // the subject occurs and the assertion holds
	OutcomeFail                  // the subject occurs and the assertion does not hold
	OutcomeNotApplicable         // the subject does not occur, or its content was not captured
	OutcomeError                 // could not be evaluated; says nothing about the agent
	OutcomeSkipped               // not evaluated on purpose: sampling, budget, queue, readiness
)

var outcomeNames = [...]string{"unset", "pass", "fail", "not_applicable", "error", "skipped"}

// String returns the name that YAML, JSON, OTLP and ClickHouse use.
func (o Outcome) String() string { return nameOf(outcomeNames[:], int(o)) }

// ParseOutcome is the inverse of [Outcome.String]; "unset" is not accepted.
func ParseOutcome(s string) (Outcome, error) {
	i, err := parseName("outcome", outcomeNames[:], s)
	return Outcome(i), err
}

// MarshalText makes an outcome its name in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (o *Outcome) UnmarshalText(b []byte) (err error) { *o, err = ParseOutcome(string(b)); return err }

// Severity says how bad a failed rule is. It belongs to the rule, not to the
// trace. The zero value is unset.
type Severity uint8

const (
	SeverityUnset Severity = iota
	SeverityLow
	SeverityMedium
	SeverityHigh
	SeverityCritical
)

var severityNames = [...]string{"unset", "low", "medium", "high", "critical"}

// String returns the name that YAML, JSON, OTLP and ClickHouse use.
func (s Severity) String() string { return nameOf(severityNames[:], int(s)) }

// ParseSeverity is the inverse of [Severity.String]; "unset" is not accepted.
func ParseSeverity(s string) (Severity, error) {
	i, err := parseName("severity", severityNames[:], s)
	return Severity(i), err
}

// MarshalText makes a severity its name in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Severity) UnmarshalText(b []byte) (err error) {
	*s, err = ParseSeverity(string(b))
	return err
}

// Scope is what a rule or rubric has as its subject. The zero value is unset.
type Scope uint8

const (
	ScopeUnset Scope = iota
	ScopeSpan
	ScopeTrace
	ScopeSession
)

var scopeNames = [...]string{"unset", "span", "trace", "session"}

// String returns the name that YAML, JSON, OTLP and ClickHouse use.
func (s Scope) String() string { return nameOf(scopeNames[:], int(s)) }

// ParseScope is the inverse of [Scope.String]; "unset" is not accepted.
func ParseScope(s string) (Scope, error) {
	i, err := parseName("scope", scopeNames[:], s)
	return Scope(i), err
}

// MarshalText makes a scope its name in JSON.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Scope) UnmarshalText(b []byte) (err error) { *s, err = ParseScope(string(b)); return err }

// Defects lists the four families of evidence-grounding defects: the values
// that Finding.Defect may have, besides empty.
var Defects = []string{
	"uncritical_acceptance",
	"relevance_misjudgment",
	"conflict_mishandling",
	"temporal_context_neglect",
}

// Finding is one rule or rubric on one subject.
type Finding struct {
	Rule      string   // id of the rule or rubric
	RuleHash  string   // identity of its meaning
	JudgeHash string   // identity of the judge, rubrics only
	Scope     Scope    // what SubjectID names
	SubjectID string   // step id, trace id or session id; TRACE/TRAP of a second trap
	SpanID    string   // the span of the subject; empty for a step without a span and for wider scopes
	StepID    string   // the step of the subject; empty for wider scopes
	Outcome   Outcome  //
	Severity  Severity //
	Defect    string   // one of Defects, or empty
	Score     *float64 // 0..1, nil where the rule states none
	Reason    string   // a code: stable, for programs
	Message   string   // a sentence, for people
	Witness   []string // ids of the spans (or steps without a span) that prove the outcome
	Judges    []Judgement
}

// Judgement is what one judge model said about one rubric.
type Judgement struct {
	Name     string // of the judge, as rubrics ask for it; empty for a classifier
	Model    string // as the server names it, with @ and the fingerprint of its configuration where it tells
	Hash     string
	Outcome  Outcome
	Calls    int // to the model, repair turns included; 0 where the reply was kept
	Tokens   int
	Cost     float64 // in Currency; 0 when unpriced, and where the reply was kept
	Currency string  // of the judge's price; empty when unpriced
}

// Agreement is the share of the judgements that came to the finding's verdict;
// nil where it has none, or nobody was asked.
func (f *Finding) Agreement() *float64 {
	if len(f.Judges) == 0 || f.Outcome == OutcomeError || f.Outcome == OutcomeSkipped || f.Outcome == OutcomeUnset {
		return nil
	}
	agree := 0
	for _, j := range f.Judges {
		if j.Outcome == f.Outcome {
			agree++
		}
	}
	share := float64(agree) / float64(len(f.Judges))
	return &share
}

// Stored reports whether the finding is kept one by one. Of passes and of what
// does not apply only the counts are kept, except for rubrics, whose every
// answer cost a judge call.
func (f *Finding) Stored() bool {
	switch f.Outcome {
	case OutcomeFail, OutcomeError, OutcomeSkipped:
		return true
	case OutcomePass, OutcomeNotApplicable:
		return f.JudgeHash != ""
	case OutcomeUnset:
	}
	return false
}

// RuleCount says how often one rule came to each outcome on one trace: the
// denominators. NotApplicable is 0 or 1.
type RuleCount struct {
	Rule          string
	RuleHash      string
	JudgeHash     string
	Pass          int
	Fail          int
	NotApplicable int
	Error         int
	Skipped       int
}

// Add counts one outcome. It panics on [OutcomeUnset], which no evaluator may return.
func (c *RuleCount) Add(o Outcome) {
	switch o {
	case OutcomePass:
		c.Pass++
	case OutcomeFail:
		c.Fail++
	case OutcomeNotApplicable:
		c.NotApplicable++
	case OutcomeError:
		c.Error++
	case OutcomeSkipped:
		c.Skipped++
	case OutcomeUnset:
		panic("trace: an unset outcome was counted for rule " + c.Rule)
	}
}

// nameOf returns names[i], or a text that shows an invalid number.
func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", "invalid", i)
}

// parseName finds s in names, of which the first is the unset value.
func parseName(what string, names []string, s string) (int, error) {
	for i, n := range names {
		if i > 0 && n == s {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s %q: want %s", what, s, orList(names[1:]))
}

// orList writes "a, b or c".
func orList(names []string) string {
	s := names[0]
	for i, n := range names[1:] {
		if i == len(names)-2 {
			s += " or " + n
		} else {
			s += ", " + n
		}
	}
	return s
}
