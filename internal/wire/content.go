package wire

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Keys of the content of a step in the GenAI semantic conventions.
const (
	keyOperation   = "gen_ai.operation.name"
	keyInput       = "gen_ai.input.messages"
	keyOutput      = "gen_ai.output.messages"
	keyDefinitions = "gen_ai.tool.definitions"
	keyToolName    = "gen_ai.tool.name"
	keyArguments   = "gen_ai.tool.call.arguments"
	keyResult      = "gen_ai.tool.call.result"
)

// content writes content of s that own lacks, as attributes of the semantic
// conventions, and lists what it added in stepContent. With compare it also
// writes what differs, which takes decoding both.
func (w *writer) content(a pcommon.Map, s, own *trace.Step, compare bool) {
	p := putter{a: a, edit: w.Text, compare: compare}
	p.messages(keyInput, &s.Input, &own.Input)
	p.messages(keyOutput, &s.Output, &own.Output)
	p.value(keyDefinitions, &s.Offered, &own.Offered)
	if s.Tool != nil {
		had := own.Tool
		if had == nil {
			had = noTool
		}
		// The llm step that asked for the call may state them in full.
		p.compare = compare || s.CausedBy != ""
		p.value(keyArguments, &s.Tool.Arguments, &had.Arguments)
		p.compare = compare
		p.value(keyResult, &s.Tool.Result, &had.Result)
	}
	p.value(rawInput, &s.RawInput, &own.RawInput)
	p.value(rawOutput, &s.RawOutput, &own.RawOutput)
	if len(s.Documents) != len(own.Documents) {
		p.put(documents, trace.EncodeDocuments(s.Documents, w.Text))
	}
	if len(p.added) == 0 {
		return
	}
	p.text(keyOperation, operations[s.Kind])
	if s.Tool != nil {
		p.text(keyToolName, s.Tool.Name)
	}
	putTexts(a, stepContent, p.added)
}

var noTool = &trace.Tool{}

// restoreContent sets on s the content that the attributes named by keys hold.
// They are read as a span of their own, so that it does not matter which
// producer's span they were put on.
func restoreContent(s *trace.Step, a pcommon.Map, keys []string, read func(ptrace.Span) *trace.Step) {
	alone := ptrace.NewSpan()
	b := alone.Attributes()
	for _, key := range append([]string{keyOperation, keyToolName}, keys...) {
		if v, ok := a.Get(key); ok {
			v.CopyTo(b.PutEmpty(key))
		}
	}
	from := read(alone)
	if from.Tool == nil {
		from.Tool = &trace.Tool{}
	}
	tool := func() *trace.Tool {
		if s.Tool == nil {
			s.Tool = &trace.Tool{}
		}
		return s.Tool
	}
	for _, key := range keys {
		switch key {
		case keyInput:
			s.Input = from.Input
		case keyOutput:
			s.Output = from.Output
		case keyDefinitions:
			s.Offered = from.Offered
		case keyArguments:
			tool().Arguments = from.Tool.Arguments
		case keyResult:
			tool().Result = from.Tool.Result
		case rawInput:
			s.RawInput = trace.TextValue(text(a, key))
		case rawOutput:
			s.RawOutput = trace.TextValue(text(a, key))
		case documents:
			s.Documents = trace.DecodeDocuments(text(a, key))
		}
	}
}

// putter adds content and remembers what it added.
type putter struct {
	a       pcommon.Map
	edit    func(string) string
	compare bool
	added   []string
}

// text adds a text that the span has not.
func (p *putter) text(key, s string) {
	if _, has := p.a.Get(key); !has && s != "" {
		p.put(key, s)
	}
}

func (p *putter) put(key, s string) {
	p.a.PutStr(key, s)
	p.added = append(p.added, key)
}

func (p *putter) value(key string, v, own *trace.Value) {
	if v.Captured() && (!own.Captured() || p.compare && own.Text() != v.Text()) {
		p.put(key, p.edit(v.Text()))
	}
}

func (p *putter) messages(key string, m, own *trace.Messages) {
	// assemble changes messages only by putting others together.
	if m.Captured() && (!own.Captured() || (p.compare || m.Made()) && !m.Copies(own) && !sameMessages(m.List(), own.List())) {
		p.put(key, encodeMessages(m.List(), p.edit))
	}
}

// sameMessages compares what is written of messages.
func sameMessages(x, y []trace.Message) bool {
	return slices.EqualFunc(x, y, func(m, n trace.Message) bool {
		return m.Role == n.Role && m.Name == n.Name && m.FinishReason == n.FinishReason &&
			slices.EqualFunc(m.Parts, n.Parts, func(p, q trace.Part) bool {
				return p.Type == q.Type && p.Text == q.Text && p.ID == q.ID && p.Name == q.Name && p.IsError == q.IsError &&
					p.URI == q.URI && p.Value.Captured() == q.Value.Captured() && p.Value.Text() == q.Value.Text()
			})
	})
}

// encodeMessages writes messages in the JSON of the semantic conventions.
// Arguments and results are written as the text that they came as, so that
// reading them back gives the same text.
func encodeMessages(list []trace.Message, edit func(string) string) string {
	out := make([]any, len(list))
	for i := range list {
		m := &list[i]
		parts := make([]any, len(m.Parts))
		for j := range m.Parts {
			parts[j] = encodePart(&m.Parts[j], edit)
		}
		e := map[string]any{"role": string(m.Role), "parts": parts}
		if m.Name != "" {
			e["name"] = m.Name
		}
		if m.FinishReason != "" {
			e["finish_reason"] = m.FinishReason
		}
		out[i] = e
	}
	return trace.EncodeJSON(out)
}

func encodePart(p *trace.Part, edit func(string) string) map[string]any {
	e := map[string]any{"type": string(p.Type)}
	set := func(key, s string) {
		if s != "" {
			e[key] = s
		}
	}
	switch p.Type {
	case trace.PartText, trace.PartReasoning:
		e["content"] = edit(p.Text)
	case trace.PartToolCall:
		set("id", p.ID)
		set("name", p.Name)
		if p.Value.Captured() {
			e["arguments"] = edit(p.Value.Text())
		}
	case trace.PartToolResult:
		e["type"] = "tool_call_response"
		set("id", p.ID)
		set("name", p.Name)
		if p.Value.Captured() {
			e["response"] = edit(p.Value.Text())
		}
		if p.IsError {
			e["is_error"] = true
		}
	case trace.PartMedia:
		e["type"] = "uri"
		set("modality", p.Modality)
		set("mime_type", p.MIME)
		set("uri", p.URI)
	case trace.PartOther:
		if raw, ok := p.Value.Data().(map[string]any); ok {
			return raw
		}
		e["type"] = "generic"
		e["content"] = edit(p.Value.Text())
	}
	return e
}
