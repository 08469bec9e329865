package wire

import (
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// steps writes what assembly found out onto the spans that leave now, and
// derives a span for every step that has none.
func (w *writer) steps() {
	merged := map[string]bool{}
	for _, s := range w.g.Trace.Steps {
		if s.DuplicateOf != "" {
			merged[s.DuplicateOf] = true
		}
	}
	for _, s := range w.g.Trace.Steps {
		p, leaves := w.spans[s.SpanID]
		switch {
		case s.SpanID == "":
			w.derivedStep(s)
		case leaves:
			w.putStep(p.span.Attributes(), s, p.own)
			w.content(p.span.Attributes(), s, p.own, merged[s.ID] || w.Joined != nil && w.Joined(p.own))
			w.canonical(p.span.Attributes(), s)
		}
	}
}

// nothing is a step of which nothing is known.
var nothing = &trace.Step{}

// putStep writes what s has and own has not, and with which revision it left.
func (w *writer) putStep(a pcommon.Map, s, own *trace.Step) {
	w.fields = w.fields[:0]
	for i := range stepFields {
		if f := &stepFields[i]; f.differs(s, own) {
			w.fields = append(w.fields, f)
		}
	}
	n := len(w.fields) + 2 // with the revision
	for _, more := range [...]bool{s.Usage != own.Usage, len(s.Attributes) > 0, len(s.Attributes) != len(own.Attributes), len(s.Losses) != len(own.Losses)} {
		if more {
			n++
		}
	}
	if s == w.root { // which carries more than that
		n += identityMax + factsMax
	}
	a.EnsureCapacity(a.Len() + n)
	w.putRevision(a)
	for _, f := range w.fields {
		f.put(a, s)
	}
	if s.Usage != own.Usage {
		list := a.PutEmptySlice(stepUsage)
		for _, n := range []int64{s.Usage.Input, s.Usage.Output, s.Usage.Reasoning, s.Usage.CacheRead, s.Usage.CacheWrite, int64(s.Usage.Scope)} {
			list.AppendEmpty().SetInt(n)
		}
	}
	if len(s.Attributes) > 0 {
		putTexts(a, stepKept, slices.Sorted(maps.Keys(s.Attributes)))
		putForeign(a, s, own)
	}
	if len(s.Losses) != len(own.Losses) {
		list := a.PutEmptySlice(stepLosses)
		for _, l := range s.Losses {
			list.AppendEmpty().SetStr(l.Reason + ":" + l.Key)
		}
	}
}

// putForeign writes attributes that s has from another record than its span.
func putForeign(a pcommon.Map, s, own *trace.Step) {
	if len(s.Attributes) == len(own.Attributes) {
		return
	}
	foreign := a.PutEmptyMap(stepForeign)
	for _, k := range slices.Sorted(maps.Keys(s.Attributes)) {
		if _, has := own.Attributes[k]; !has {
			// A type that OTLP has not becomes text.
			if err := foreign.PutEmpty(k).FromRaw(s.Attributes[k]); err != nil {
				foreign.PutStr(k, trace.EncodeJSON(s.Attributes[k]))
			}
		}
	}
}

// readStep sets on s what putStep wrote.
func readStep(a pcommon.Map, s *trace.Step) {
	for i := range stepFields {
		f := &stepFields[i]
		if v, ok := a.Get(f.key); ok {
			f.set(s, v)
		}
	}
	if v, ok := a.Get(stepID); ok {
		s.ID, s.SpanID = v.Str(), ""
	}
	if v, ok := a.Get(stepUsage); ok && v.Type() == pcommon.ValueTypeSlice && v.Slice().Len() == 6 {
		n := func(i int) int64 { return v.Slice().At(i).Int() }
		s.Usage = trace.Usage{Input: n(0), Output: n(1), Reasoning: n(2), CacheRead: n(3), CacheWrite: n(4)}
		if scope := n(5); scope >= 0 && scope <= int64(trace.UsageAggregate) {
			s.Usage.Scope = trace.UsageScope(scope)
		}
	}
	if v, ok := a.Get(stepForeign); ok && v.Type() == pcommon.ValueTypeMap {
		if s.Attributes == nil {
			s.Attributes = map[string]any{}
		}
		maps.Copy(s.Attributes, v.Map().AsRaw())
	}
	if _, ok := a.Get(stepLosses); ok {
		s.Losses = nil
		for _, l := range texts(a, stepLosses) {
			reason, key, _ := strings.Cut(l, ":")
			s.Lose(reason, key, "")
		}
	}
}

// Restore brings s, the step that a span alone tells, to what it was when it
// was graded. read reads a span; it is used for content that other records
// brought.
func Restore(s *trace.Step, span ptrace.Span, read func(ptrace.Span) *trace.Step) {
	a := span.Attributes()
	if _, graded := a.Get(stepKind); !graded {
		return
	}
	added := texts(a, stepContent)
	if _, derived := a.Get(stepID); derived { // the span tells nothing by itself
		*s = trace.Step{TraceID: s.TraceID, ParentID: s.ParentID, Start: s.Start, End: s.End, Attributes: s.Attributes}
	} else if len(added) > 0 {
		alone := ptrace.NewSpan()
		span.CopyTo(alone)
		alone.Attributes().RemoveIf(func(key string, _ pcommon.Value) bool { return slices.Contains(added, key) })
		kept := s.Attributes
		*s = *read(alone)
		s.Attributes = kept
	}
	if len(added) > 0 {
		restoreContent(s, a, added, read)
	}
	readStep(a, s)
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
	w.putStep(a, s, nothing)
	w.content(a, s, nothing, true)
	w.canonical(a, s)
	w.spans[s.ID] = place{span: span, resource: near.resource}
}

func derivedName(s *trace.Step) string {
	label := s.Label()
	switch op := operations[s.Kind]; {
	case op == "":
		return s.Name
	case label == "":
		return op
	default:
		return op + " " + label
	}
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

// stepField is one thing that assembly may find out about a step: the single
// declaration from which writing, reading and documentation come.
type stepField struct {
	key, kind, meaning string
	differs            func(s, own *trace.Step) bool
	put                func(a pcommon.Map, s *trace.Step)
	set                func(s *trace.Step, v pcommon.Value)
}

// always is a text that is written wherever it is not empty: people look at it.
func always(key, meaning string, field func(*trace.Step) *string) stepField {
	f := changed(key, meaning, field)
	f.differs = func(s, _ *trace.Step) bool { return *field(s) != "" }
	return f
}

// changed is a text that is written where assembly changed it.
func changed(key, meaning string, field func(*trace.Step) *string) stepField {
	key = "tracegrade.step." + key
	return stepField{
		key: key, kind: "string", meaning: meaning,
		differs: func(s, own *trace.Step) bool { return *field(s) != *field(own) },
		put:     func(a pcommon.Map, s *trace.Step) { a.PutStr(key, *field(s)) },
		set:     func(s *trace.Step, v pcommon.Value) { *field(s) = v.Str() },
	}
}

// ofTool is changed for a field of the step's tool, which may be absent.
func ofTool(key, meaning string, field func(*trace.Tool) *string) stepField {
	var none trace.Tool
	get := func(s *trace.Step) string {
		if s.Tool == nil {
			return *field(&none)
		}
		return *field(s.Tool)
	}
	key = "tracegrade.step." + key
	return stepField{
		key: key, kind: "string", meaning: meaning,
		differs: func(s, own *trace.Step) bool { return get(s) != get(own) },
		put:     func(a pcommon.Map, s *trace.Step) { a.PutStr(key, get(s)) },
		set: func(s *trace.Step, v pcommon.Value) {
			if s.Tool == nil {
				s.Tool = &trace.Tool{}
			}
			*field(s.Tool) = v.Str()
		},
	}
}

var stepFields = []stepField{
	{
		key: stepKind, kind: "string", meaning: "what the step did",
		differs: func(_, _ *trace.Step) bool { return true },
		put:     func(a pcommon.Map, s *trace.Step) { a.PutStr(stepKind, s.Kind.String()) },
		set:     func(s *trace.Step, v pcommon.Value) { s.Kind, _ = trace.ParseKind(v.Str()) },
	},
	always("caused_by", "id of the llm step that asked for this call", func(s *trace.Step) *string { return &s.CausedBy }),
	always("duplicate_of", "id of the step that recorded the same thing", func(s *trace.Step) *string { return &s.DuplicateOf }),
	always("agent.name", "name of the agent that acted", func(s *trace.Step) *string { return &s.Agent.Name }),
	always("session", "session of the step", func(s *trace.Step) *string { return &s.Session }),
	{
		key: "tracegrade.step.turn", kind: "int", meaning: "number of the user turn, from 1",
		differs: func(s, _ *trace.Step) bool { return s.Turn != 0 },
		put:     func(a pcommon.Map, s *trace.Step) { a.PutInt("tracegrade.step.turn", int64(s.Turn)) },
		set:     func(s *trace.Step, v pcommon.Value) { s.Turn = int(v.Int()) },
	},
	changed("kind_source", "the evidence that decided the kind", func(s *trace.Step) *string { return &s.KindSource }),
	changed("dialect", "the reader that claimed the record", func(s *trace.Step) *string { return &s.Dialect }),
	changed("name", "name of a step without a span", func(s *trace.Step) *string { return &s.Name }),
	changed("scope", "instrumentation scope of a step without a span", func(s *trace.Step) *string { return &s.Scope }),
	changed("agent.id", "id of the agent that acted", func(s *trace.Step) *string { return &s.Agent.ID }),
	changed("agent.version", "version of the agent that acted", func(s *trace.Step) *string { return &s.Agent.Version }),
	changed("service.name", "service, where the span's resource does not say", func(s *trace.Step) *string { return &s.Service.Name }),
	changed("service.version", "its version", func(s *trace.Step) *string { return &s.Service.Version }),
	changed("user", "user of the step", func(s *trace.Step) *string { return &s.User }),
	changed("parent", "parent, where assembly found another", func(s *trace.Step) *string { return &s.ParentID }),
	changed("error.type", "kind of the error", func(s *trace.Step) *string { return &s.Status.ErrorType }),
	changed("error.message", "what went wrong", func(s *trace.Step) *string { return &s.Status.Message }),
	changed("model.provider", "provider of the model", func(s *trace.Step) *string { return &s.Model.Provider }),
	changed("model.request", "model asked for", func(s *trace.Step) *string { return &s.Model.Request }),
	changed("model.response", "model that answered", func(s *trace.Step) *string { return &s.Model.Response }),
	changed("model.response_id", "the provider's id of the reply", func(s *trace.Step) *string { return &s.Model.ResponseID }),
	ofTool("tool.name", "name of the tool", func(t *trace.Tool) *string { return &t.Name }),
	ofTool("tool.call_id", "id of the call", func(t *trace.Tool) *string { return &t.CallID }),
	ofTool("tool.call_id_from", "inferred, where assembly matched the call", func(t *trace.Tool) *string { return &t.CallIDFrom }),
	ofTool("tool.error", "what the model was told of a failed call", func(t *trace.Tool) *string { return &t.Error }),
	{
		key: "tracegrade.step.model.finish_reasons", kind: "string[]", meaning: "why the model stopped",
		differs: func(s, own *trace.Step) bool { return !slices.Equal(s.Model.FinishReasons, own.Model.FinishReasons) },
		put: func(a pcommon.Map, s *trace.Step) {
			putTexts(a, "tracegrade.step.model.finish_reasons", s.Model.FinishReasons)
		},
		set: func(s *trace.Step, v pcommon.Value) {
			s.Model.FinishReasons = textsOf(v)
		},
	},
	{
		key: "tracegrade.step.failed", kind: "bool", meaning: "the step ended in an error, which only another record tells",
		differs: func(s, own *trace.Step) bool { return s.Status.Failed != own.Status.Failed },
		put:     func(a pcommon.Map, s *trace.Step) { a.PutBool("tracegrade.step.failed", s.Status.Failed) },
		set:     func(s *trace.Step, v pcommon.Value) { s.Status.Failed = v.Bool() },
	},
	{
		key: "tracegrade.step.synthetic", kind: "bool", meaning: "true for a step that assembly made for a call without a span",
		differs: func(s, own *trace.Step) bool { return s.Synthetic },
		put:     func(a pcommon.Map, _ *trace.Step) { a.PutBool("tracegrade.step.synthetic", true) },
		set:     func(s *trace.Step, v pcommon.Value) { s.Synthetic = v.Bool() },
	},
	{
		key: "tracegrade.step.capture", kind: "string", meaning: "how much content was recorded: full, partial, redacted or off",
		differs: func(s, own *trace.Step) bool { return s.Capture != own.Capture },
		put:     func(a pcommon.Map, s *trace.Step) { a.PutStr("tracegrade.step.capture", s.Capture.String()) },
		set: func(s *trace.Step, v pcommon.Value) {
			for c := trace.CaptureFull; c <= trace.CaptureOff; c++ {
				if c.String() == v.Str() {
					s.Capture = c
				}
			}
		},
	},
	{
		key: "tracegrade.step.cost", kind: "double", meaning: "cost, where another record tells it",
		differs: func(s, own *trace.Step) bool { return s.Cost.Amount != own.Cost.Amount },
		put:     func(a pcommon.Map, s *trace.Step) { a.PutDouble("tracegrade.step.cost", s.Cost.Amount) },
		set:     func(s *trace.Step, v pcommon.Value) { s.Cost.Amount = v.Double() },
	},
	changed("cost.currency", "its currency", func(s *trace.Step) *string { return &s.Cost.Currency }),
}
