package rubric

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Estimate is what grading would ask of judges, before anything is asked.
// Repairs, retries and replies in the cache are not foreseen.
type Estimate struct {
	Rubric   string
	Subjects int // that would be asked about
	Calls    int
	// InputTokens are counted (o200k); OutputMax is the longest replies that are allowed.
	InputTokens int
	OutputMax   int
	// CostMax is in Currency; Priced is false where a judge has no price.
	CostMax  float64
	Currency string
	Priced   bool
	Skipped  int // subjects that would be skipped
}

// Estimate adds what grading one trace would ask to the estimates by rubric,
// which may be nil.
func (g *Grader) Estimate(into []Estimate, t *trace.Trace, ruled []trace.Finding) []Estimate {
	return g.estimate(into, g.items(t, ruled, nil, nil))
}

func (g *Grader) estimate(into []Estimate, items []item) []Estimate {
	if into == nil {
		for _, r := range g.set.rubrics {
			if r.Type == TypeJudge {
				into = append(into, Estimate{Rubric: r.ID, Priced: true})
			}
		}
	}
	place := map[string]int{}
	for i, e := range into {
		place[e.Rubric] = i
	}
	for _, it := range items {
		i, ok := place[it.rubric.ID]
		if !ok {
			continue
		}
		e := &into[i]
		if it.finding.Outcome == trace.OutcomeSkipped {
			e.Skipped++
		}
		if it.members == nil {
			continue
		}
		e.Subjects++
		for _, m := range it.members {
			input := countTokens(m.prompt.Request.System) + countTokens(m.prompt.Request.Messages[0].Text)
			e.Calls++
			e.InputTokens += input
			e.OutputMax += m.judge.Config.MaxOutput
			if p := m.judge.Config.Price; p != nil {
				e.CostMax += p.Of(input, m.judge.Config.MaxOutput)
				e.Currency = p.Currency
			} else {
				e.Priced = false
			}
		}
	}
	return into
}

// WriteEstimate prints estimates for people: what `--dry-run` shows.
func WriteEstimate(w io.Writer, estimates []Estimate) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "rubric\tsubjects\tskipped\tcalls\tinput tokens\toutput tokens at most\tcost at most")
	var all Estimate
	all.Priced = true
	row := func(e Estimate) {
		cost := "no price"
		switch {
		case e.Calls == 0:
			cost = "-"
		case e.Priced:
			cost = fmt.Sprintf("%.4f %s", e.CostMax, e.Currency)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", e.Rubric, e.Subjects, e.Skipped, e.Calls, e.InputTokens, e.OutputMax, cost)
	}
	for _, e := range estimates {
		row(e)
		all.Subjects += e.Subjects
		all.Skipped += e.Skipped
		all.Calls += e.Calls
		all.InputTokens += e.InputTokens
		all.OutputMax += e.OutputMax
		all.CostMax += e.CostMax
		all.Priced = all.Priced && (e.Priced || e.Calls == 0)
		if e.Currency != "" {
			all.Currency = e.Currency
		}
	}
	all.Rubric = "all"
	row(all)
	return t.Flush()
}
