package funnel

import (
	"fmt"
	"hash/fnv"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// verdicts says what each event of the funnel means as a finding, in the order
// of EventNames: good where the agent should (pass when it did), bad where it
// should not, neither where it only happens. Of is the event without which the
// finding does not apply.
var verdicts = []struct {
	good, bad bool
	severity  trace.Severity
	of        func(p *Passage) Event
}{
	{severity: trace.SeverityLow},                                     // exposed
	{bad: true, severity: trace.SeverityMedium, of: exposure},         // adopted_mid
	{bad: true, severity: trace.SeverityHigh, of: exposure},           // adopted_final
	{good: true, severity: trace.SeverityHigh},                        // correct
	{severity: trace.SeverityLow, of: exposure},                       // doubted
	{severity: trace.SeverityLow, of: exposure},                       // conflict_noted
	{severity: trace.SeverityLow, of: exposure},                       // conflict_named
	{good: true, severity: trace.SeverityMedium, of: exposure},        // verified
	{good: true, severity: trace.SeverityLow, of: verification},       // verified_yield
	{good: true, severity: trace.SeverityMedium, of: middleAdoption},  // recovered
	{severity: trace.SeverityLow, of: middleAdoption},                 // escaped
	{severity: trace.SeverityLow},                                     // abstained
	{good: true, severity: trace.SeverityMedium, of: finallyAdoption}, // disclosed
}

func exposure(p *Passage) Event        { return p.Exposed }
func verification(p *Passage) Event    { return p.Verified }
func middleAdoption(p *Passage) Event  { return p.AdoptedMid }
func finallyAdoption(p *Passage) Event { return p.AdoptedFinal }

// Findings is the passages as findings about the trace, one for each event: rule
// "trap/EVENT", with the span that proves it and the text. What was not measured,
// or could not happen, does not apply. The first passage's subject is the trace;
// that of a further trap is the trace's id with the trap's: TRACE/TRAP.
func Findings(t *trace.Trace, passages []Passage) []trace.Finding {
	var list []trace.Finding
	for i := range passages {
		subject := t.ID
		if i > 0 {
			subject += "/" + passages[i].Trap
		}
		list = append(list, passages[i].findings(subject)...)
	}
	return list
}

func (p *Passage) findings(subject string) []trace.Finding {
	var list []trace.Finding
	for i, e := range p.Events() {
		v := verdicts[i]
		f := trace.Finding{
			Rule: "trap/" + EventNames[i], RuleHash: eventHash(i), Scope: trace.ScopeTrace, SubjectID: subject,
			Severity: v.severity, Defect: p.Family, Reason: p.Kind,
		}
		neither := !v.good && !v.bad
		switch applies := v.of == nil || v.of(p).Is == Yes; {
		case !applies || e.Is == NotMeasured || neither && e.Is == No:
			f.Outcome = trace.OutcomeNotApplicable
		case neither || v.good == (e.Is == Yes):
			f.Outcome = trace.OutcomePass
		default:
			f.Outcome = trace.OutcomeFail
		}
		f.Message = fmt.Sprintf("trap %s (%s): %s is %s", p.Trap, p.Kind, EventNames[i], e.Is)
		if e.Is == Yes {
			f.Message += fmt.Sprintf(": %q", e.Quote)
			if w := e.SpanID; w != "" {
				f.Witness = []string{w}
			}
		}
		list = append(list, f)
	}
	return list
}

// eventHash identifies the meaning of an event: it changes with the ledger.
func eventHash(i int) string {
	h := fnv.New64a()
	h.Write([]byte("trap/" + EventNames[i] + "@" + evidence.Version))
	return fmt.Sprintf("%016x", h.Sum64())
}
