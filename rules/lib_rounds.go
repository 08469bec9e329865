package rules

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var roundFunctions = []Function{
	{Name: "rounds", Args: []Arg{{Name: "agent", Kind: argStep}}, Result: intType,
		Doc: "how often a task came to an agent before it came to this run of it, by way of another agent: runs of it around this one, or earlier ones below the same agent with the same input and the same output, each with a run of another agent in between; 0 for the first", Example: `all(agents(), rounds(#) == 0)`,
		call: onStep(func(w *run, s *step) any { return w.ix.roundsOf()[s] }, 0)},
}

// running is a run of an agent that others run in.
type running struct {
	step  *step
	agent string
	layer bool // the run around it as another layer of a framework records it
	below *runsBelow
}

// runsBelow is the runs that were below a run, so far.
type runsBelow struct {
	last string // agent of the last one
	same map[saidRun]int
}

type saidRun struct{ agent, input, output string }

// roundsOf is how often a task had come to the agent of a run, in one walk from the
// roots; runs to which it came once are left out.
func (ix *index) roundsOf() map[*step]int {
	if ix.rounds != nil {
		return ix.rounds
	}
	ix.rounds = map[*step]int{}
	f := ix.tree()
	around := map[string]int{} // runs that are open, by agent
	stack := []running{{below: &runsBelow{}}}
	for _, s := range f.walk {
		if s.Kind != trace.KindAgent || s.Agent.Name == "" {
			continue
		}
		for len(stack) > 1 && !f.within(s, stack[len(stack)-1].step) {
			if r := stack[len(stack)-1]; !r.layer {
				around[r.agent]--
			}
			stack = stack[:len(stack)-1]
		}
		up := stack[len(stack)-1]
		if up.agent == s.Agent.Name {
			stack = append(stack, running{s, up.agent, true, up.below})
			continue
		}
		if n := max(around[s.Agent.Name], up.below.add(s)); n > 0 {
			ix.rounds[s] = n
		}
		around[s.Agent.Name]++
		stack = append(stack, running{s, s.Agent.Name, false, &runsBelow{}})
	}
	return ix.rounds
}

// add counts how often a run came that was given and gave the same, each time with
// one of another agent before the next.
func (b *runsBelow) add(s *step) int {
	other := b.last != s.Agent.Name
	b.last = s.Agent.Name
	input, _ := inputText(nil, s)
	output, _ := outputText(nil, s)
	if input == "" || output == "" {
		return 0
	}
	if b.same == nil {
		b.same = map[saidRun]int{}
	}
	run := saidRun{s.Agent.Name, strings.TrimSpace(input), strings.TrimSpace(output)}
	if n, known := b.same[run]; !known || other {
		b.same[run] = n + 1
	}
	return b.same[run] - 1
}
