package wire

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// steps writes what assembly found out onto the spans that leave now, and
// derives a span for every step that has none.
func (w *writer) steps() {
	for _, s := range w.g.Trace.Steps {
		p, leaves := w.spans[s.SpanID]
		switch {
		case s.Synthetic:
			w.derivedStep(s)
		case leaves:
			w.putStep(p.span.Attributes(), s)
			if w.Joined != nil && w.Joined(s.SpanID) {
				w.content(p.span.Attributes(), s)
			}
		}
	}
}

func (w *writer) putStep(a pcommon.Map, s *trace.Step) {
	a.EnsureCapacity(a.Len() + 10)
	w.putRevision(a)
	a.PutStr(stepKind, s.Kind.String())
	putText(a, stepKindSource, s.KindSource)
	putText(a, stepCausedBy, s.CausedBy)
	putText(a, stepDuplicateOf, s.DuplicateOf)
	putInt(a, stepTurn, int64(s.Turn))
	putText(a, stepAgentID, s.Agent.ID)
	putText(a, stepAgent, s.Agent.Name)
	putText(a, stepAgentVer, s.Agent.Version)
	putText(a, stepSession, s.Session)
	putText(a, stepUser, s.User)
	if s.Tool != nil && s.Tool.CallIDFrom != "" {
		putText(a, stepCallID, s.Tool.CallID)
	}
}

// derivedStep makes the span of a step that has none.
func (w *writer) derivedStep(s *trace.Step) {
	id := s.ID
	if SpanID(id).IsEmpty() {
		id = derivedID(w.g.Trace.ID, "step", s.ID)
	}
	near := w.spans[s.ParentID]
	if asked, leaves := w.spans[s.CausedBy]; leaves {
		near = asked
	}
	span := w.derive(id, derivedName(s), near.resource)
	span.SetParentSpanID(SpanID(s.ParentID))
	span.SetStartTimestamp(stamp(s.Start))
	span.SetEndTimestamp(stamp(s.End))
	if s.Status.Failed {
		span.Status().SetCode(ptrace.StatusCodeError)
		span.Status().SetMessage(w.Text(s.Status.Message))
	}
	a := span.Attributes()
	a.PutStr(stepID, s.ID)
	a.PutBool(stepSynthetic, true)
	putText(a, stepDialect, s.Dialect)
	w.putStep(a, s)
	w.content(a, s)
	w.spans[s.ID] = place{span: span}
}

func derivedName(s *trace.Step) string {
	op := operations[s.Kind]
	if s.Kind == trace.KindUnknown {
		return s.Name
	}
	if label := s.Label(); label != "" {
		return op + " " + label
	}
	return op
}

// operations are the values of gen_ai.operation.name by kind.
var operations = map[trace.Kind]string{
	trace.KindAgent:     "invoke_agent",
	trace.KindLLM:       "chat",
	trace.KindTool:      "execute_tool",
	trace.KindRetriever: "retrieval",
	trace.KindEmbedding: "embeddings",
	trace.KindReranker:  "rerank",
	trace.KindGuardrail: "run_guardrail",
	trace.KindEvaluator: "evaluate",
	trace.KindWorkflow:  "invoke_workflow",
	trace.KindMemory:    "search_memory",
	trace.KindPlan:      "plan",
	trace.KindHandoff:   "agent_handoff",
}
