package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var (
	kEvaluationName  = key("gen_ai.evaluation.name")
	kEvaluationWords = key("gen_ai.evaluation.explanation")
	kEvaluationLabel = key("gen_ai.evaluation.score.label")
	kEvaluationScore = key("gen_ai.evaluation.score.value")
	gEvaluations     = indexed("evaluations")
	gAnnotations     = indexed("annotations")
	guardrailKeys    = map[string]keyID{
		"verdict": key("gen_ai.guardrail.verdict.type"), "reason": key("gen_ai.guardrail.verdict.reason"),
		"action": key("gen_ai.guardrail.action.type"), "name": key("gen_ai.guardrail.component.name"),
	}
)

// verdicts reads what other tools found: evaluations on the span, in attributes
// or an event, and what a guardrail decided. Events of our own are left out.
func (b *bag) verdicts(s *trace.Step) {
	for i := range b.events {
		e := &b.events[i]
		if e.name == "gen_ai.evaluation.result" && !ours(e.attrs) && s.Hints.Evaluation == nil {
			e.used = true
			s.Hints.Evaluation = evaluationOf(e.attrs, "gen_ai.evaluation.", "score.value", "score.label")
		}
	}
	if b.has(kEvaluationName) && s.Hints.Evaluation == nil {
		attrs := map[string]any{}
		for _, id := range []keyID{kEvaluationName, kEvaluationWords, kEvaluationLabel, kEvaluationScore} {
			if a, ok := b.attr(id); ok {
				attrs[a.key] = rawValue(a.val, 0)
			}
		}
		s.Hints.Evaluation = evaluationOf(attrs, "gen_ai.evaluation.", "score.value", "score.label")
	}
	for _, g := range []struct {
		id   keyID
		name string
		item string
	}{{gEvaluations, "evaluations", "evaluation"}, {gAnnotations, "annotations", "annotation"}} {
		data, ok := b.expand(g.id, g.name)
		list, _ := data.([]any)
		if !ok || len(list) == 0 || s.Hints.Evaluation != nil {
			continue
		}
		first, _ := list[0].(map[string]any)
		if inner, ok := first[g.item].(map[string]any); ok {
			s.Hints.Evaluation = evaluationOf(inner, "", "score", "label")
		}
		if len(list) > 1 && !s.RawOutput.Captured() {
			s.RawOutput = trace.DataValue(data)
		}
	}
	if s.Kind == trace.KindGuardrail && !s.RawOutput.Captured() {
		verdict := map[string]any{}
		for name, id := range guardrailKeys {
			if a, ok := b.attr(id); ok {
				verdict[name] = rawValue(a.val, 0)
			}
		}
		if len(verdict) > 0 {
			s.RawOutput = trace.DataValue(verdict)
		}
	}
}

// ours reports whether an event was written by us.
func ours(attrs map[string]any) bool {
	for k := range attrs {
		if strings.HasPrefix(k, "tracegrade.") {
			return true
		}
	}
	return false
}

func evaluationOf(attrs map[string]any, prefix, score, label string) *trace.Evaluation {
	e := &trace.Evaluation{}
	e.Name, _ = attrs[prefix+"name"].(string)
	e.Label, _ = attrs[prefix+label].(string)
	e.Explanation, _ = attrs[prefix+"explanation"].(string)
	e.ErrorType, _ = attrs["error.type"].(string)
	if f, ok := floatOf(attrs[prefix+score]); ok {
		e.Score = &f
	}
	return e
}

var gRerankInput = indexed("reranker.input_documents")

// given reads the documents that a reranker was given.
func (b *bag) given(s *trace.Step) {
	if s.Kind != trace.KindReranker {
		return
	}
	pairs := b.pairs(gRerankInput, "reranker.input_documents")
	if len(pairs) == 0 {
		return
	}
	data, unused := value.Expand(pairs)
	b.outOfRange("reranker.input_documents", unused)
	s.RawInput = trace.DataValue(flatten(data))
}
