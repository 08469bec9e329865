package rubric

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/tracegrade/tracegrade/internal/rubric/judge"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Estimate is what grading would ask of judges, before anything is asked.
type Estimate struct {
	Rubric   string
	Subjects int // that would be asked about
	Calls    int
	// Kept is how many of the calls the cache or a cassette answers, or an equal
	// call before them: they cost nothing.
	Kept int
	// Refused is how many of the calls budgets would not allow, by reason, where
	// each call costs the most that it may.
	Refused map[string]int
	// InputTokens are counted (o200k); OutputMax is the longest replies that are
	// allowed. Both, and what follows, are of the calls that would be made.
	InputTokens int
	OutputMax   int
	// Cost is that of these tokens. CostMax is what the calls cost at most, each
	// with a repair turn: see [pool.Pool.Most].
	Cost, CostMax judge.Bill
	Skipped       int // subjects that would be skipped
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
				into = append(into, Estimate{Rubric: r.ID})
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
		kept, refused := g.foresee(&it)
		for i, m := range it.members {
			e.Calls++
			if kept[i] {
				e.Kept++
				continue
			}
			if refused != "" {
				if e.Refused == nil {
					e.Refused = map[string]int{}
				}
				e.Refused[refused]++
				continue
			}
			c := m.judge.Config
			input := pool.InputTokens(m.prompt.Request)
			e.InputTokens += input
			e.OutputMax += c.MaxOutput
			e.Cost.Add(c.Price, input, c.MaxOutput)
			inputMost, outputMost := g.most(m)
			e.CostMax.Add(c.Price, inputMost, outputMost)
		}
	}
	return into
}

// most is how many tokens an answer costs at most. Who is asked without a pool is
// asked once.
func (g *Grader) most(m member) (input, output int) {
	if p, ok := m.judge.Asker.(interface {
		Most(judge.Request) (int, int)
	}); ok {
		return p.Most(m.prompt.Request)
	}
	return pool.InputTokens(m.prompt.Request), m.judge.Config.MaxOutput
}

// foresee says how the calls of an item would end, as far as the judges' pools can
// tell.
func (g *Grader) foresee(it *item) (kept []bool, refused string) {
	calls, pooled := it.calls()
	if !pooled || g.opened.forecast == nil {
		return make([]bool, len(calls)), ""
	}
	return g.opened.forecast().Foresee(calls)
}

// WriteEstimate prints estimates for people: what `--dry-run` shows.
func WriteEstimate(w io.Writer, estimates []Estimate) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "rubric\tsubjects\tskipped\tcalls\tkept replies\tover budget\tinput tokens\toutput tokens at most\tcost\tcost at most, with repairs")
	all := Estimate{Refused: map[string]int{}}
	row := func(e Estimate) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", e.Rubric, e.Subjects, e.Skipped, e.Calls, e.Kept, e.refused(), e.InputTokens, e.OutputMax, e.Cost, e.CostMax)
	}
	for _, e := range estimates {
		row(e)
		all.Subjects += e.Subjects
		all.Skipped += e.Skipped
		all.Calls += e.Calls
		all.Kept += e.Kept
		for reason, n := range e.Refused {
			all.Refused[reason] += n
		}
		all.InputTokens += e.InputTokens
		all.OutputMax += e.OutputMax
		all.Cost.Include(e.Cost)
		all.CostMax.Include(e.CostMax)
	}
	all.Rubric = "all"
	row(all)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(all.Refused)) {
		if _, err := fmt.Fprintf(w, "%d of %d calls would be skipped, %s, if each cost the most that it may\n", all.Refused[reason], all.Calls, reason); err != nil {
			return err
		}
	}
	return nil
}

// refused is how many calls budgets would not allow.
func (e Estimate) refused() (n int) {
	for _, of := range e.Refused {
		n += of
	}
	return n
}
