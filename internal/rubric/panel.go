package rubric

import (
	"fmt"
	"math"
	"slices"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// ballot is what one member of a panel came to.
type ballot struct {
	mapped
	name     string // of the judge
	asked    string // the model that it was asked as
	hash     string // identity of the judge with prompt and packing
	reply    judge.Reply
	cost     float64
	currency string // empty: unpriced
	answers  []Answer
	prompt   Prompt
	skipped  bool // reason is that of a skip
	message  string
}

// count is the result of a vote.
type count struct {
	mapped
	ballots []ballot
	// agree is how many members came to the outcome, of all that were asked.
	agree, asked int
	skipped      bool
	message      string
}

// vote combines the ballots of a panel. A member whose reply could not be used
// counts against every outcome: what is left must still be a majority of all,
// or all of them. Where no outcome has enough, the trouble that is most
// frequent is the reason, or disagreement where there was none.
func vote(ballots []ballot, unanimous bool) count {
	tally := map[trace.Outcome]int{}
	var troubles []ballot
	for _, b := range ballots {
		if b.skipped || b.outcome == trace.OutcomeError {
			troubles = append(troubles, b)
			continue
		}
		tally[b.outcome]++
	}
	need := len(ballots)/2 + 1
	if unanimous {
		need = len(ballots)
	}
	c := count{ballots: ballots, asked: len(ballots)}
	for _, o := range []trace.Outcome{trace.OutcomePass, trace.OutcomeFail, trace.OutcomeNotApplicable} {
		if tally[o] >= need {
			c.outcome, c.agree = o, tally[o]
			c.reason = map[trace.Outcome]string{trace.OutcomePass: ReasonPass, trace.OutcomeFail: ReasonFail, trace.OutcomeNotApplicable: ReasonNotApply}[o]
			c.score = meanScore(ballots, o)
			return c
		}
	}
	if len(tally) > 1 || len(troubles) == 0 {
		c.outcome, c.reason = trace.OutcomeError, ReasonDisagree
		c.message = fmt.Sprintf("of %d judgements %d pass, %d fail, %d not applicable, %d without a verdict", len(ballots), tally[trace.OutcomePass], tally[trace.OutcomeFail], tally[trace.OutcomeNotApplicable], len(troubles))
		return c
	}
	worst := slices.MaxFunc(troubles, func(a, b ballot) int { return timesOf(troubles, a.reason) - timesOf(troubles, b.reason) })
	c.outcome, c.reason, c.skipped, c.message = trace.OutcomeError, worst.reason, worst.skipped, worst.message
	if worst.skipped {
		c.outcome = trace.OutcomeSkipped
	}
	return c
}

func timesOf(list []ballot, reason string) int {
	n := 0
	for _, b := range list {
		if b.reason == reason {
			n++
		}
	}
	return n
}

// meanScore is the mean of the scores of those who came to the outcome; nil
// where none gave one.
func meanScore(ballots []ballot, o trace.Outcome) *float64 {
	var sum float64
	n := 0
	for _, b := range ballots {
		if b.outcome == o && b.score != nil {
			sum += *b.score
			n++
		}
	}
	if n == 0 {
		return nil
	}
	mean := math.Round(sum/float64(n)*1e12) / 1e12 // the mean of equal scores is that score
	return &mean
}
