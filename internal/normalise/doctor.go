package normalise

import (
	"fmt"
	"sort"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Diagnosis says what the steps of one framework lack for grading, and how to
// switch it on.
type Diagnosis struct {
	Framework Framework
	Steps     int // steps that the framework wrote
	Missing   []Missing
	Losses    map[string]int // by reason; see [trace.LossReasons]
}

// Missing is one thing that a number of steps lack.
type Missing struct {
	What  string `json:"what"` // a sentence's subject: "content of model calls"
	Why   string `json:"why"`  // what cannot be graded without it
	Count int    `json:"count"`
	Of    int    `json:"of"`
	// Advice is what to do about it in the framework; empty where nothing is known.
	Advice string `json:"advice,omitempty"`
}

// A need is one thing that grading needs of a step, and how a step is told that
// lacks it.
type need struct {
	what, why string
	of        func(s *trace.Step) bool
	lacks     func(s *trace.Step) bool
	// switched is true where only a switch of the framework can bring it.
	switched bool
}

// needSession is what is needed of a whole trace.
const needSession = "a session id"

var needs = [...]need{
	{"content of model calls", "rules about what the model saw or said do not apply", isKind(trace.KindLLM), withheld, true},
	{"tokens", "budgets and cost cannot be graded", isKind(trace.KindLLM), func(s *trace.Step) bool { return s.Usage.Scope == trace.UsageNone }, false},
	{"arguments and results of tools", "rules about calls, and every check of evidence, do not apply", isKind(trace.KindTool), withheld, true},
	{"tool results", "what the agent then says cannot be checked against them", isKind(trace.KindTool), func(s *trace.Step) bool {
		return !withheld(s) && s.Tool != nil && !s.Tool.Result.Captured() && !s.Status.Failed
	}, false},
	{"tool call ids", "calls are matched by name, arguments and order instead", isKind(trace.KindTool), func(s *trace.Step) bool { return s.Tool == nil || s.Tool.CallID == "" }, false},
	{"retrieved documents", "grounding cannot be checked", isKind(trace.KindRetriever), func(s *trace.Step) bool { return len(s.Documents) == 0 }, false},
	{"uncut content", "a check of evidence does not rest on cut text", nil, func(s *trace.Step) bool { return s.Capture == trace.CapturePartial }, false},
	{"content that is not redacted", "rules about it do not apply", nil, func(s *trace.Step) bool { return s.Capture == trace.CaptureRedacted }, true},
}

func isKind(k trace.Kind) func(*trace.Step) bool {
	return func(s *trace.Step) bool { return s.Kind == k }
}

func withheld(s *trace.Step) bool { return s.Capture == trace.CaptureOff }

// Lacking is what the steps of a trace lack for grading, by framework (dialect) and
// by what it is: the counts of the diagnoses of [Diagnose]. A trace without a session
// id is counted once, for the framework of its first step. Steps of nobody count
// nowhere.
func Lacking(steps []*trace.Step) map[[2]string]int {
	counts := map[[2]string]int{}
	first, session := "", false
	for _, s := range steps {
		session = session || s.Session != ""
		if s.Dialect == "" || s.DuplicateOf != "" {
			continue
		}
		if first == "" {
			first = s.Dialect
		}
		for i := range needs {
			if n := &needs[i]; (n.of == nil || n.of(s)) && n.lacks(s) {
				counts[[2]string{s.Dialect, n.what}]++
			}
		}
	}
	if first != "" && !session {
		counts[[2]string{first, needSession}]++
	}
	return counts
}

// Needs is all that grading needs of steps and traces, each by the subject of
// [Missing] and of [Lacking].
func Needs() []string {
	all := []string{needSession}
	for i := range needs {
		all = append(all, needs[i].what)
	}
	return all
}

// String is one line for people.
func (m Missing) String() string {
	return fmt.Sprintf("%s missing on %d of %d: %s", m.What, m.Count, m.Of, m.Why)
}

// Diagnose looks at the steps of a trace or of a whole file, best after assembly,
// which joins the content of log records and finds the results of tools without
// spans. Frameworks are in the order of the registry; one from which nothing is
// missing has no Missing. Spans of nobody count nowhere.
func Diagnose(steps []*trace.Step) []Diagnosis {
	by := map[string][]*trace.Step{}
	for _, s := range steps {
		if s.DuplicateOf == "" {
			by[s.Dialect] = append(by[s.Dialect], s)
		}
	}
	sessions := false
	for _, s := range steps {
		sessions = sessions || s.Session != ""
	}
	var out []Diagnosis
	for _, f := range Frameworks() {
		if list := by[f.Dialect]; len(list) > 0 {
			out = append(out, diagnose(f, list, sessions))
		}
	}
	return out
}

func diagnose(f Framework, steps []*trace.Step, sessions bool) Diagnosis {
	d := Diagnosis{Framework: f, Steps: len(steps), Losses: map[string]int{}}
	for _, s := range steps {
		for _, l := range s.Losses {
			d.Losses[l.Reason]++
		}
	}
	for i := range needs {
		n := &needs[i]
		m := Missing{What: n.what, Why: n.why}
		if f.Own || n.switched {
			m.Advice = f.Content
		}
		for _, s := range steps {
			if n.of == nil || n.of(s) {
				m.Of++
				if n.lacks(s) {
					m.Count++
				}
			}
		}
		if m.Count > 0 {
			d.Missing = append(d.Missing, m)
		}
	}
	if !sessions {
		d.Missing = append(d.Missing, Missing{What: needSession, Why: "the traces of one conversation cannot be put together", Count: len(steps), Of: len(steps), Advice: f.Session})
	}
	sort.Slice(d.Missing, func(i, j int) bool { return d.Missing[i].What < d.Missing[j].What })
	return d
}
