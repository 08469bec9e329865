package rules

import (
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Field is one thing that an expression can read of a step, a tool call, a
// document, or the trace; with an empty Owner, a name of its own.
type Field struct {
	Owner   string // step, tool, call, document, usage, trace, or empty
	Name    string
	Type    string   // as the documentation writes it
	Doc     string   //
	Example string   // an expression of type bool, run by the tests
	Values  []string // closed vocabulary, where there is one
	// Content marks what producers record only when told to. A rule that reads
	// it where it was not captured does not apply.
	Content bool
	get     getter
}

// getter reads a field of v, which is what the owner is at run time: *step,
// *tool, *usage or *traceUsage, *trace.Part for call, *trace.Document, *run for
// trace. For a name without owner v is nil.
type getter func(w *run, v any) any

// tool and usage are a step, and traceUsage an evaluation, seen from a side: a
// field of a view is never taken for one of the step itself.
type (
	tool       step
	usage      step
	traceUsage run
)

// stepOf is the step behind a value; nil where there is none.
func stepOf(v any) *step {
	switch v := v.(type) {
	case *step:
		return v
	case *tool:
		return (*step)(v)
	}
	return nil
}

// ofStep makes a getter that reads nil steps as the zero value.
func ofStep[T any](read func(s *step) T) getter {
	return func(_ *run, v any) any {
		s := stepOf(v)
		if s == nil {
			var zero T
			return zero
		}
		return read(s)
	}
}

// content makes a getter that notes when what it reads was not captured.
func content[T any](read func(w *run, s *step) (T, bool)) getter {
	return func(w *run, v any) any {
		s := stepOf(v)
		if s == nil {
			var zero T
			return zero
		}
		value, captured := read(w, s)
		if !captured {
			w.missing = true
		}
		return value
	}
}

var captureValues = []string{"full", "partial", "redacted", "off"}

var finishValues = []string{"stop", "length", "tool_call", "content_filter", "error", "other"}

var stepFields = []Field{
	{Name: "id", Doc: "id of the step: its span id, or derived for a call without a span", Example: `all(steps(), .id != "")`, get: ofStep(func(s *step) string { return s.ID })},
	{Name: "span_id", Doc: "id of the span; empty for a call that has no span", Example: `all(steps(), .synthetic or .span_id != "")`, get: ofStep(func(s *step) string { return s.SpanID })},
	{Name: "trace_id", Doc: "id of the trace that the step belongs to: in a session the steps of several", Example: `all(steps(), .trace_id == trace.id)`, get: ofStep(func(s *step) string { return s.TraceID })},
	{Name: "kind", Doc: "what the step did", Values: trace.KindNames, Example: `all(tools(), .kind == "tool")`, get: ofStep(func(s *step) string { return s.Kind.String() })},
	{Name: "name", Doc: "name of the span, as the producer wrote it", Example: `any(steps(), .name contains "search")`, get: ofStep(func(s *step) string { return s.Name })},
	{Name: "label", Doc: "name for people: the tool, the agent or the model, else the span's name", Example: `any(steps(), .label == "search_web")`, get: ofStep(func(s *step) string { return s.Step.Label() })},
	{Name: "agent", Doc: "name of the agent that acted", Example: `all(steps(), .agent == "shop")`, get: ofStep(func(s *step) string { return s.Agent.Name })},
	{Name: "service", Doc: "name of the service that emitted the span", Example: `all(steps(), .service == "shop-agent")`, get: ofStep(func(s *step) string { return s.Service.Name })},
	{Name: "session", Doc: "id of the conversation", Example: `all(steps(), .session == trace.session)`, get: ofStep(func(s *step) string { return s.Session })},
	{Name: "turn", Doc: "number of the user turn within the trace, from 1; 0 before the first", Example: `all(llms(), .turn <= 1)`, get: ofStep(func(s *step) int { return s.Turn })},
	{Name: "index", Doc: "position in the trace, from 0", Example: `root.index == 0`, get: ofStep(func(s *step) int { return s.pos })},
	{Name: "depth", Doc: "number of ancestors; 0 for a root", Example: `root.depth == 0`, get: ofStep(func(s *step) int { return s.ix.tree().depthOf(s) })},
	{Name: "ok", Doc: "false where the producer said in any way that the step failed", Example: `any(tools(), not .ok)`, get: ofStep((*step).ok)},
	{Name: "error", Doc: "what went wrong, as the model or the span was told; empty where the step succeeded", Example: `any(steps(), .error contains "timeout")`, get: ofStep((*step).errorText)},
	{Name: "error_type", Doc: "type of the failure as the producer names it", Example: `none(steps(), .error_type == "rate_limit")`, get: ofStep(func(s *step) string { return s.Status.ErrorType })},
	{Name: "start", Doc: "when the step began", Example: `all(steps(), .start >= trace.start)`, get: ofStep(func(s *step) time.Time { return s.Start })},
	{Name: "duration", Doc: "how long it took; 0 where the times are missing or reversed", Example: `all(steps(), .duration < duration("1h"))`, get: ofStep((*step).duration)},
	{Name: "seconds", Doc: "duration in seconds", Example: `all(steps(), .seconds < 3600)`, get: ofStep(func(s *step) float64 { return s.duration().Seconds() })},
	{Name: "model", Doc: "name of the model that answered, else of the one asked for", Example: `all(llms(), .model startsWith "gpt")`, get: ofStep((*step).model)},
	{Name: "provider", Doc: "provider of the model", Example: `all(llms(), .provider == "openai")`, get: ofStep(func(s *step) string { return s.Model.Provider })},
	{Name: "finish_reasons", Doc: "why the model stopped", Values: finishValues, Example: `none(llms(), "length" in .finish_reasons)`, get: ofStep(func(s *step) []string { return s.Model.FinishReasons })},
	{Name: "input", Content: true, Doc: "text that went in: the messages of an llm step, the arguments of a tool", Example: `any(llms(), .input contains "price")`, get: content(inputText)},
	{Name: "output", Content: true, Doc: "text that came out: of an llm step what it wrote, of a tool its result", Example: `any(tools(), .output contains "1099")`, get: content(outputText)},
	{Name: "reasoning", Content: true, Doc: "reasoning text of an llm step", Example: `none(llms(), .reasoning contains "secret")`, get: content(func(_ *run, s *step) (string, bool) { return s.Reasoning(), s.Output.Captured() })},
	{Name: "tool", Doc: "the call of a tool, retriever or hand-off step; its fields are empty for other steps", Example: `any(steps("tool"), .tool.name == "search_web")`, get: func(_ *run, v any) any { return toolView(v) }},
	{Name: "requested", Content: true, Doc: "tool calls that an llm step asked others to run; those that the provider ran itself are not among them, but have tool steps as all calls have", Example: `any(llms(), any(.requested, .name == "search_web"))`, get: content(requestedCalls)},
	{Name: "offered", Content: true, Doc: "names of the tools that were offered to an llm step", Example: `all(llms(), "search_web" in .offered)`, get: content(offeredNames)},
	{Name: "documents", Content: true, Doc: "documents that the step retrieved", Example: `any(steps(), any(.documents, .title contains "price"))`, get: content(stepDocuments)},
	{Name: "usage", Doc: "tokens of this step alone; 0 where it only sums up steps below", Example: `all(llms(), .usage.total < 100000)`, get: func(_ *run, v any) any { return (*usage)(stepOf(v)) }},
	{Name: "cost", Doc: "money as the producer stated it; 0 where it did not", Example: `sum(steps(), .cost) < 1`, get: ofStep(func(s *step) float64 { return s.Cost.Amount })},
	{Name: "capture", Doc: "how much of the content the producer recorded", Values: captureValues, Example: `all(steps(), .capture == "full")`, get: ofStep(func(s *step) string { return s.Capture.String() })},
	{Name: "losses", Doc: "reasons why content of the step was not read", Values: trace.LossReasons, Example: `none(steps(), "cut" in .losses)`, get: ofStep((*step).lossReasons)},
	{Name: "dialect", Doc: "reader that understood the span", Example: `all(steps(), .dialect == "test")`, get: ofStep(func(s *step) string { return s.Dialect })},
	{Name: "synthetic", Doc: "true for a call that has no span of its own", Example: `none(steps(), .synthetic)`, get: ofStep(func(s *step) bool { return s.Synthetic })},
	{Name: "attributes", Doc: "attributes of the span, by constant name", Example: `none(steps(), .attributes["tenant"] == "acme")`, get: ofStep(func(s *step) map[string]any { return s.Attributes })},
}

var toolFields = []Field{
	{Name: "name", Doc: "name of the tool", Example: `any(tools(), .tool.name == "search_web")`, get: ofStep((*step).toolName)},
	{Name: "call_id", Doc: "id of the call", Example: `all(tools(), .tool.call_id != "")`, get: ofStep(func(s *step) string { return s.call().CallID })},
	{Name: "arguments", Content: true, Doc: "arguments, decoded where they are JSON; a missing key is nil", Example: `any(tools(), .tool.arguments.query == "price of X200")`, get: content(toolArguments)},
	{Name: "result", Content: true, Doc: "result, decoded where it is JSON; nil for a call that failed", Example: `any(tools("calculator"), .tool.result == 2198)`, get: content(toolResult)},
	{Name: "done", Doc: "true where the call came to an end that was recorded, a result or a failure; false for one that waits for a person, or of which nothing was recorded", Example: `all(tools(), .tool.done)`, get: ofStep(func(s *step) bool { return s.Tool != nil && (s.Tool.Result.Captured() || !s.ok()) })},
	{Name: "ok", Doc: "true where the call succeeded", Example: `any(tools(), .tool.ok)`, get: ofStep(func(s *step) bool { return s.Tool != nil && s.ok() })},
	{Name: "error", Doc: "what went wrong; empty where the call succeeded", Example: `any(tools(), .tool.error contains "timeout")`, get: ofStep((*step).errorText)},
}

var callFields = []Field{
	{Name: "id", Doc: "id of the call", Example: `all(llms(), all(.requested, .id != ""))`, get: ofPart(func(p *trace.Part) string { return p.ID })},
	{Name: "name", Doc: "name of the tool", Example: `any(llms(), any(.requested, .name == "calculator"))`, get: ofPart(func(p *trace.Part) string { return p.Name })},
	{Name: "arguments", Doc: "arguments, decoded where they are JSON", Example: `any(llms(), any(.requested, .arguments.query == "price of X200"))`, get: ofPart(func(p *trace.Part) any { return p.Value.Data() })},
}

func ofPart[T any](read func(p *trace.Part) T) getter {
	return func(_ *run, v any) any {
		if p, ok := v.(*trace.Part); ok && p != nil {
			return read(p)
		}
		var zero T
		return zero
	}
}

var documentFields = []Field{
	{Name: "id", Doc: "id that the source gave", Example: `any(steps(), any(.documents, .id == "d1"))`, get: ofDocument(func(d *trace.Document) string { return d.ID })},
	{Name: "title", Doc: "title", Example: `any(steps(), any(.documents, .title contains "X200"))`, get: ofDocument(func(d *trace.Document) string { return d.Title })},
	{Name: "url", Doc: "address", Example: `all(steps(), all(.documents, .url startsWith "https://"))`, get: ofDocument(func(d *trace.Document) string { return d.URL })},
	{Name: "published_at", Doc: "date of publication as the source wrote it", Example: `any(steps(), any(.documents, .published_at startsWith "2024"))`, get: ofDocument(func(d *trace.Document) string { return d.PublishedAt })},
	{Name: "content", Doc: "text of the document", Example: `any(steps(), any(.documents, .content contains "$1099"))`, get: ofDocument(func(d *trace.Document) string { return d.Content })},
	{Name: "source", Doc: "origin as stated: a domain, an index, a file", Example: `all(steps(), all(.documents, .source != "unknown"))`, get: ofDocument(func(d *trace.Document) string { return d.Source })},
	{Name: "score", Doc: "score of the retriever; 0 where it gave none", Example: `all(steps(), all(.documents, .score >= 0))`, get: ofDocument(func(d *trace.Document) float64 {
		if d.Score == nil {
			return 0
		}
		return *d.Score
	})},
}

func ofDocument[T any](read func(d *trace.Document) T) getter {
	return func(_ *run, v any) any {
		if d, ok := v.(*trace.Document); ok && d != nil {
			return read(d)
		}
		var zero T
		return zero
	}
}

var usageFields = []Field{
	{Name: "input", Doc: "tokens in, cache included", Example: `sum(llms(), .usage.input) > 0`, get: ofUsage(func(u trace.Usage) any { return int(u.Input) })},
	{Name: "output", Doc: "tokens out, reasoning included", Example: `sum(llms(), .usage.output) > 0`, get: ofUsage(func(u trace.Usage) any { return int(u.Output) })},
	{Name: "reasoning", Doc: "tokens of reasoning", Example: `trace.usage.reasoning == 0`, get: ofUsage(func(u trace.Usage) any { return int(u.Reasoning) })},
	{Name: "cache_read", Doc: "tokens read from a cache", Example: `trace.usage.cache_read == 0`, get: ofUsage(func(u trace.Usage) any { return int(u.CacheRead) })},
	{Name: "cache_write", Doc: "tokens written to a cache", Example: `trace.usage.cache_write == 0`, get: ofUsage(func(u trace.Usage) any { return int(u.CacheWrite) })},
	{Name: "total", Doc: "input plus output", Example: `trace.usage.total > 0`, get: ofUsage(func(u trace.Usage) any { return int(u.Input + u.Output) })},
	{Name: "known", Doc: "whether the producer recorded tokens at all", Example: `trace.usage.known`, get: ofUsage(func(u trace.Usage) any { return u.Scope == trace.UsageOwn })},
}

// ofUsage reads the tokens of a step, or of the trace over its leaves.
func ofUsage(read func(u trace.Usage) any) getter {
	return func(w *run, v any) any {
		switch o := v.(type) {
		case *usage:
			if o != nil && o.Usage.Scope == trace.UsageOwn {
				return read(o.Usage)
			}
		case *traceUsage:
			u := o.ix.trace.Usage
			if u != (trace.Usage{}) {
				u.Scope = trace.UsageOwn
			}
			return read(u)
		}
		return read(trace.Usage{})
	}
}

var traceFields = []Field{
	{Name: "id", Doc: "trace id", Example: `trace.id != ""`, get: ofTrace(func(t *trace.Trace) any { return t.ID })},
	{Name: "session", Doc: "id of the conversation", Example: `trace.session == "s1"`, get: ofTrace(func(t *trace.Trace) any { return t.Session })},
	{Name: "user", Doc: "id of the user", Example: `trace.user == ""`, get: ofTrace(func(t *trace.Trace) any { return t.User })},
	{Name: "service", Doc: "name of the service", Example: `trace.service == "shop-agent"`, get: ofTrace(func(t *trace.Trace) any { return t.Service.Name })},
	{Name: "service_version", Doc: "version of the service", Example: `trace.service_version == "1.4.0"`, get: ofTrace(func(t *trace.Trace) any { return t.Service.Version })},
	{Name: "agent", Doc: "name of the agent", Example: `trace.agent == "shop"`, get: ofTrace(func(t *trace.Trace) any { return t.Agent.Name })},
	{Name: "agent_version", Doc: "version of the agent", Example: `trace.agent_version == ""`, get: ofTrace(func(t *trace.Trace) any { return t.Agent.Version })},
	{Name: "complete", Doc: "whether the root was seen, no parent is missing, and no parents form a cycle", Example: `trace.complete`, get: ofTrace(func(t *trace.Trace) any { return t.Release.Complete })},
	{Name: "missing_parents", Doc: "number of spans whose parent was not seen", Example: `trace.missing_parents == 0`, get: ofTrace(func(t *trace.Trace) any { return t.Release.MissingParents })},
	{Name: "cycles", Doc: "number of cycles that parents formed, each cut at its first span", Example: `trace.cycles == 0`, get: ofTrace(func(t *trace.Trace) any { return t.Release.Cycles })},
	{Name: "release", Doc: "why assembly let the trace go", Values: []string{"root_quiet", "idle", "max_age", "size", "shutdown", "end_of_input"}, Example: `trace.release == "end_of_input"`, get: ofTrace(func(t *trace.Trace) any { return string(t.Release.Reason) })},
	{Name: "turns", Doc: "number of user turns", Example: `trace.turns == 1`, get: func(w *run, _ any) any { return w.ix.turns() }},
	{Name: "start", Doc: "when the trace began", Example: `trace.start <= root.start`, get: ofTrace(func(t *trace.Trace) any { return t.Start })},
	{Name: "duration", Doc: "time from the first start to the last end", Example: `trace.duration < duration("1h")`, get: ofTrace(func(t *trace.Trace) any { return max(0, t.End.Sub(t.Start)) })},
	{Name: "seconds", Doc: "duration in seconds", Example: `trace.seconds < 3600`, get: ofTrace(func(t *trace.Trace) any { return max(0, t.End.Sub(t.Start)).Seconds() })},
	{Name: "usage", Doc: "tokens over the leaves, so that nothing counts twice", Example: `trace.usage.input > 0`, get: func(w *run, _ any) any { return (*traceUsage)(w) }},
	{Name: "cost", Doc: "money over all steps, as producers stated it", Example: `trace.cost < 1`, get: func(w *run, _ any) any { return w.ix.cost() }},
	{Name: "unjoined", Doc: "log records that found no span", Example: `trace.unjoined == 0`, get: ofTrace(func(t *trace.Trace) any { return t.Unjoined })},
}

func ofTrace(read func(t *trace.Trace) any) getter {
	return func(w *run, _ any) any { return read(w.ix.trace) }
}

// nameFields are the names that stand alone in an expression.
var nameFields = []Field{
	{Name: "step", Type: "step", Doc: "scope span: the step that the rule is about", Example: ``, get: func(w *run, _ any) any { return w.step }},
	{Name: "trace", Type: "trace", Doc: "facts about the whole trace", Example: `trace.complete`, get: func(w *run, _ any) any { return w }},
	{Name: "root", Type: "step", Doc: "first step without a parent", Example: `root.ok`, get: func(w *run, _ any) any { return w.ix.tree().root }},
	{Name: "answerStep", Type: "step", Doc: "step that gave the final answer; nil where there is none", Example: `answerStep.kind == "llm"`, get: func(w *run, _ any) any { return w.ix.answerStep() }},
	{Name: "answer", Type: "string", Content: true, Doc: "text of the final answer", Example: `answer contains "1,099"`, get: answerText},
	{Name: "answers", Type: "list of string", Content: true, Doc: "final answers of the traces of a session, in order; of one trace, its own", Example: `len(answers) == 1 and answers[0] == answer`, get: func(w *run, _ any) any {
		if !w.ix.hasContent() {
			w.missing = true
		}
		return w.ix.answers()
	}},
	{Name: "questions", Type: "list of string", Content: true, Doc: "the question of each trace of a session, in order; of one trace, its own", Example: `len(questions) == 1`, get: func(w *run, _ any) any {
		if !w.ix.hasContent() {
			w.missing = true
		}
		return w.ix.questions()
	}},
	{Name: "question", Type: "string", Content: true, Doc: "what the user asked, of several turns in the one that the answer is of; of a session, in its first trace", Example: `question contains "price"`, get: questionText},
}

func answerText(w *run, _ any) any {
	t := w.ix.trace
	if !t.AnswerCaptured() {
		w.missing = true
	}
	return t.Answer
}

func questionText(w *run, _ any) any {
	t := w.ix.trace
	if t.Question == "" && (!w.ix.hasContent() || w.ix.inputMissing()) {
		w.missing = true
	}
	return t.Question
}

// toolView is the step itself: a tool is read through its step.
func toolView(v any) any {
	if s := stepOf(v); s != nil && s.Tool != nil {
		return (*tool)(s)
	}
	return (*tool)(nil)
}

func inputText(_ *run, s *step) (string, bool) {
	if s.Tool != nil && s.Kind != trace.KindLLM {
		return s.Tool.Arguments.Text(), s.Tool.Arguments.Captured() || s.Capture == trace.CaptureFull
	}
	if s.Input.Captured() {
		return messagesText(s.Input.List()), s.Capture != trace.CaptureRedacted
	}
	return s.RawInput.Text(), s.RawInput.Captured()
}

func outputText(_ *run, s *step) (string, bool) {
	if s.Tool != nil && s.Kind != trace.KindLLM {
		if !s.Tool.Result.Captured() {
			return s.Tool.Error, s.Status.Failed || s.Tool.Error != ""
		}
		return s.Tool.Result.Text(), s.Capture != trace.CaptureRedacted
	}
	if s.Output.Captured() {
		return messagesText(s.Output.List()), s.Capture != trace.CaptureRedacted
	}
	return s.RawOutput.Text(), s.RawOutput.Captured()
}

// messagesText joins the text of messages and of the tool results in them.
func messagesText(list []trace.Message) string {
	var b strings.Builder
	for i := range list {
		for j := range list[i].Parts {
			p := &list[i].Parts[j]
			text := p.Text
			if p.Type == trace.PartToolResult {
				text = p.Value.Text()
			} else if p.Type != trace.PartText {
				continue
			}
			if text == "" {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(text)
		}
	}
	return b.String()
}

func toolArguments(_ *run, s *step) (any, bool) {
	if s.Tool == nil {
		return nil, true
	}
	captured := s.Tool.Arguments.Captured() || s.Capture == trace.CaptureFull
	return s.Tool.Arguments.Data(), captured && s.Capture != trace.CaptureRedacted
}

func toolResult(_ *run, s *step) (any, bool) {
	if s.Tool == nil {
		return nil, true
	}
	captured := s.Tool.Result.Captured() || !s.ok()
	return s.Tool.Result.Data(), captured && s.Capture != trace.CaptureRedacted
}

func requestedCalls(_ *run, s *step) ([]any, bool) {
	if s.Kind != trace.KindLLM {
		return nil, true
	}
	if s.requested == nil {
		list := s.Output.List()
		s.requested = []any{}
		for i := range list {
			for j := range list[i].Parts {
				if p := &list[i].Parts[j]; p.Type == trace.PartToolCall && !trace.Answered(list, p) {
					s.requested = append(s.requested, p)
				}
			}
		}
	}
	return s.requested, s.Output.Captured() || s.Spoke()
}

func offeredNames(_ *run, s *step) ([]string, bool) {
	return offeredTo(s).names, s.Kind != trace.KindLLM || s.Offered.Captured()
}

func stepDocuments(_ *run, s *step) ([]any, bool) {
	list := make([]any, len(s.Documents))
	for i := range s.Documents {
		list[i] = &s.Documents[i]
	}
	return list, len(list) > 0 || s.Capture == trace.CaptureFull || s.Capture == trace.CapturePartial
}
