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
	What  string // a sentence's subject: "content of model calls"
	Why   string // what cannot be graded without it
	Count int
	Of    int
	// Advice is what to do about it in the framework; empty where nothing is known.
	Advice string
}

// What only a switch of the framework can bring.
const (
	missingContent  = "content of model calls"
	missingCalls    = "arguments and results of tools"
	missingRedacted = "content that is not redacted"
)

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
	counts := map[string]*Missing{}
	look := func(what, why string, lacks bool) {
		m := counts[what]
		if m == nil {
			m = &Missing{What: what, Why: why}
			if f.Own || what == missingContent || what == missingCalls || what == missingRedacted {
				m.Advice = f.Content
			}
			counts[what] = m
		}
		m.Of++
		if lacks {
			m.Count++
		}
	}
	for _, s := range steps {
		for _, l := range s.Losses {
			d.Losses[l.Reason]++
		}
		switch s.Kind {
		case trace.KindLLM:
			look(missingContent, "rules about what the model saw or said do not apply", s.Capture == trace.CaptureOff)
			look("tokens", "budgets and cost cannot be graded", s.Usage.Scope == trace.UsageNone)
		case trace.KindTool:
			look(missingCalls, "rules about calls, and every check of evidence, do not apply", s.Capture == trace.CaptureOff)
			look("tool results", "what the agent then says cannot be checked against them",
				s.Capture != trace.CaptureOff && s.Tool != nil && !s.Tool.Result.Captured() && !s.Status.Failed)
			look("tool call ids", "calls are matched by name, arguments and order instead", s.Tool == nil || s.Tool.CallID == "")
		case trace.KindRetriever:
			look("retrieved documents", "grounding cannot be checked", len(s.Documents) == 0)
		}
		look("uncut content", "a check of evidence does not rest on cut text", s.Capture == trace.CapturePartial)
		look(missingRedacted, "rules about it do not apply", s.Capture == trace.CaptureRedacted)
	}
	if !sessions {
		d.Missing = append(d.Missing, Missing{What: "a session id", Why: "the traces of one conversation cannot be put together", Count: len(steps), Of: len(steps), Advice: f.Session})
	}
	for _, m := range counts {
		if m.Count > 0 {
			d.Missing = append(d.Missing, *m)
		}
	}
	sort.Slice(d.Missing, func(i, j int) bool { return d.Missing[i].What < d.Missing[j].What })
	return d
}
