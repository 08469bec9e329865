package rules_test

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// maxGrowth is how much more CPU time ten times as many steps may take: 15 where
// it is measured (make cost, on a quiet machine). Elsewhere other processes take
// caches away, and only what is quadratic, which takes 100 times as long, fails.
func maxGrowth() float64 {
	if os.Getenv("TRACEGRADE_COST") != "" {
		return 15
	}
	return 40
}

// maxTries is how often a growth is measured before it counts as too much.
const maxTries = 12

// leastCPU is taken for what costs less: below it the time of fresh pages of
// memory counts more than the function.
const leastCPU = 500 * time.Microsecond

// shapes are traces on which naive implementations are quadratic. Each makes
// the parent, the time and the arguments of step i.
var shapes = map[string]func(i int, s *trace.Step){
	"flat": func(i int, s *trace.Step) { s.ParentID = "s0" },
	"deep": func(i int, s *trace.Step) { s.ParentID = fmt.Sprintf("s%d", i-1) },
	"parallel": func(i int, s *trace.Step) {
		s.ParentID = "s0"
		s.Start, s.End = s.Start.Add(-time.Duration(i)*time.Second), s.End.Add(1e5*time.Second)
	},
	"same calls": func(i int, s *trace.Step) {
		s.ParentID = "s0"
		if s.Tool != nil {
			s.Tool.Arguments = trace.DataValue(map[string]any{"query": "the same"})
			s.Status.Failed = true
		}
	},
}

// largeTrace has n steps: a root, then model calls and tool calls in turn.
func largeTrace(n int, shape func(i int, s *trace.Step)) *trace.Trace {
	begin := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	t := &trace.Trace{ID: "t", Question: "Which item costs 1001 dollars?", Answer: "Item 1001 costs $1001.", Start: begin, End: begin.Add(time.Duration(n) * time.Second)}
	cause := ""
	for i := range n {
		s := &trace.Step{ID: fmt.Sprintf("s%d", i), SpanID: fmt.Sprintf("s%d", i), TraceID: "t", Agent: trace.Agent{Name: "a"},
			Start: begin.Add(time.Duration(i) * time.Second), End: begin.Add(time.Duration(i+1) * time.Second), Turn: 1}
		switch {
		case i == 0:
			s.Kind = trace.KindAgent
			s.RawInput, s.RawOutput = trace.TextValue("go"), trace.TextValue("Item 1001 costs $1001.")
		case i%2 == 1:
			s.Kind, s.Model.Response, cause = trace.KindLLM, "m", s.ID
			s.Output = trace.MessageList([]trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{
				{Type: trace.PartText, Text: "looking"},
				{Type: trace.PartToolCall, Name: "search", Value: trace.DataValue(map[string]any{"query": fmt.Sprint("item ", i)})}}}})
			s.Input = trace.MessageList([]trace.Message{{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: "go on"}}}})
			s.Offered = trace.DataValue([]any{map[string]any{"name": "search", "parameters": map[string]any{"type": "object", "required": []any{"query"}}}})
			t.AnswerStep = s.ID
		default:
			s.Kind, s.CausedBy = trace.KindTool, cause
			s.Tool = &trace.Tool{Name: "search", Arguments: trace.DataValue(map[string]any{"query": fmt.Sprint("item ", i)}),
				Result: trace.TextValue(fmt.Sprintf("Item %d costs $%d.", i, i))}
		}
		if i > 0 {
			shape(i, s)
		}
		t.Steps = append(t.Steps, s)
	}
	return t
}

// growthCall writes a call of a function: inside a loop over the trace where
// it may stand there, else once.
func growthCall(f *rules.Function) string {
	element := "#"
	if f.Linear {
		element = "first(tools())"
	}
	var args []string
	for _, a := range f.Args {
		switch a.Kind {
		case "step":
			args = append(args, element)
		case "steps":
			args = append(args, "tools()")
		case "string":
			args = append(args, `"Item 1001 costs $1001."`)
		case "number":
			args = append(args, "50")
		case "int":
			args = append(args, "3")
		case "numbers":
			args = append(args, "map(tools(), .seconds)")
		case "pattern":
			args = append(args, `"sea*"`)
		case "duration":
			args = append(args, element+".duration")
		case "kind":
			args = append(args, `"agent"`)
		case "atom":
			args = append(args, `"money"`)
		case "any":
			args = append(args, "1")
		}
	}
	switch f.Name {
	case "distinct":
		args = []string{"map(tools(), .name)"}
	case "schemaErrors":
		args = []string{"1", `{"type": "number"}`}
	case "argumentErrors":
		args = []string{"#"}
	}
	call := f.Name + "(" + strings.Join(args, ", ") + ")"
	if f.Linear {
		return "type(" + call + `) != "x"`
	}
	return "all(steps(), type(" + call + `) != "x")`
}

// threadCPU is the CPU time of this thread.
func threadCPU(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}

// cpuOf is the least CPU time of some evaluations.
func cpuOf(t *testing.T, set *rules.Set, runs int, tr *trace.Trace) time.Duration {
	t.Helper()
	least := time.Duration(1<<63 - 1)
	for range runs {
		before := threadCPU(t)
		findings, _ := set.Eval(tr)
		least = min(least, threadCPU(t)-before)
		for _, f := range findings {
			if f.Outcome != trace.OutcomePass {
				t.Fatalf("outcome %v: %s", f.Outcome, f.Message)
			}
		}
	}
	return least
}

func TestEveryFunctionIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	most := maxGrowth()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// The collector's share of a thread depends on what else is alive.
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	small, large := map[string]*trace.Trace{}, map[string]*trace.Trace{}
	for name, shape := range shapes {
		small[name], large[name] = largeTrace(1000, shape), largeTrace(10_000, shape)
	}
	for _, f := range rules.Functions() {
		if f.Evidence {
			continue // they look up a ledger, whose making has a growth test in package evidence
		}
		set := compileText(t, oneRule("scope: trace\nassert: '"+growthCall(&f)+"'"))
		for name := range shapes {
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				// Other processes take caches away, which large traces feel more
				// than small ones, and never give time back: the least time of
				// each over the tries counts, as does the best single try.
				growth, few, many := math.Inf(1), time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
				for range maxTries {
					runtime.GC() // what earlier tests left is not collected at this one's cost
					s, l := max(cpuOf(t, set, 3, small[name]), leastCPU), cpuOf(t, set, 2, large[name])
					few, many = min(few, s), min(many, l)
					growth = min(growth, float64(l)/float64(s), float64(many)/float64(few))
					if growth <= most {
						return
					}
				}
				t.Errorf("%s: ten times as many steps take %.1f times as long, want at most %.0f", growthCall(&f), growth, most)
			})
		}
	}
}
