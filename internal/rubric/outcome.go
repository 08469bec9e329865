package rubric

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Reasons of findings that are ours, besides those of packages judge and pool.
const (
	ReasonPass         = "judged_pass"
	ReasonFail         = "judged_fail"
	ReasonNotApply     = "judged_not_applicable"
	ReasonCannotTell   = "judge_abstained"
	ReasonDisagree     = "judges_disagree"
	ReasonContext      = "context"         // what was left out could change the verdict
	ReasonNoContent    = "no_content"      // what the rubric must show was not captured
	ReasonDecided      = "decided_by_rule" // a rule answered it
	ReasonSampledOut   = "sampled_out"
	ReasonSubjects     = "too_many_subjects"
	ReasonNoJudge      = "no_judge"
	ReasonRedaction    = "redaction" // fail-closed: something could not be checked
	ReasonOneOrder     = "one_order" // a measurement in reverse order of what has no order
	ReasonHolds        = "holds"     // deterministic
	ReasonFailed       = "failed"
	ReasonNotReference = "no_reference"
	ReasonCheck        = "check" // a deterministic check that could not be computed
)

// mapped is what a judge's answers come to.
type mapped struct {
	outcome trace.Outcome
	reason  string
	score   *float64
}

// outcomeOf maps answers to an outcome: not applicable where all of those
// conditions hold, else an abstention where a condition rests on one, else pass
// or fail.
func outcomeOf(r *Rubric, answers []Answer) mapped {
	by := map[string]Answer{}
	for _, a := range answers {
		by[a.Question] = a
	}
	if len(r.NotApply) > 0 {
		if holds, _ := all(r.NotApply, by); holds {
			return mapped{outcome: trace.OutcomeNotApplicable, reason: ReasonNotApply}
		}
	}
	m := mapped{outcome: trace.OutcomeFail, reason: ReasonFail}
	holds, abstained := all(r.Pass, by)
	switch {
	case holds:
		m.outcome, m.reason = trace.OutcomePass, ReasonPass
	case abstained:
		return mapped{outcome: trace.OutcomeError, reason: ReasonCannotTell}
	}
	for _, q := range r.Questions {
		if a := by[q.ID]; q.ID == r.Score && a.Verdict != CannotTell {
			score := (a.Number - q.Min) / (q.Max - q.Min)
			m.score = &score
		}
	}
	return m
}

// all reports whether every condition holds. abstained says that none is known
// to be broken, and at least one rests on an abstention.
func all(list []Condition, by map[string]Answer) (holds, abstained bool) {
	holds = true
	for _, c := range list {
		a := by[c.Question]
		switch {
		case a.Verdict == CannotTell:
			holds, abstained = false, true
		case !c.holds(a):
			return false, false
		}
	}
	return holds, abstained
}

// shown reports whether an outcome holds whatever else the material has: it is a
// pass, and each of its conditions rests on a passage that was quoted. That something does not occur,
// no part of the material shows.
func (r *Rubric) shown(ballots []ballot, o trace.Outcome) bool {
	return o == trace.OutcomePass && !slices.ContainsFunc(ballots, func(b ballot) bool {
		return b.outcome == o && slices.ContainsFunc(r.Pass, func(c Condition) bool {
			return !slices.ContainsFunc(b.answers, func(a Answer) bool { return a.Question == c.Question && len(a.Quotes) > 0 })
		})
	})
}

func (c Condition) holds(a Answer) bool {
	if c.Verdicts != nil {
		return contains(c.Verdicts, a.Verdict)
	}
	return (c.Min == nil || a.Number >= *c.Min) && (c.Max == nil || a.Number <= *c.Max)
}

// Unjudged reports whether a finding of a rubric says nothing that it was to say:
// it is an error, or was skipped for another reason than that the rubric wants it so.
func Unjudged(f *trace.Finding) bool {
	switch f.Outcome {
	case trace.OutcomeError:
		return true
	case trace.OutcomeSkipped:
		return f.Reason != ReasonSampledOut && f.Reason != ReasonSubjects
	}
	return false
}

// Unfinished lists the reasons of findings that a later grading can complete:
// what was skipped for want of time, budget or a judge, and what failed on the
// way to one. What was left out on purpose for good (sampling, a limit of
// subjects), and what a judge said, are not among them.
var Unfinished = []string{
	ReasonNoJudge, pool.SkipQueue, pool.SkipLate, pool.SkipDown, pool.SkipCalls, pool.SkipTokens, pool.SkipMoney, pool.SkipSpent, pool.SkipClosed, pool.SkipHold,
	string(judge.ReasonRateLimited), string(judge.ReasonTimeout), string(judge.ReasonServer), string(judge.ReasonNetwork), string(judge.ReasonTLS), string(judge.ReasonNotAPI), string(judge.ReasonAuth), string(judge.ReasonRequest),
}
