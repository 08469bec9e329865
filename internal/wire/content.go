package wire

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// content writes a step as attributes of the GenAI semantic conventions. What
// the span has already stays as it is.
func (w *writer) content(a pcommon.Map, s *trace.Step) {
	p := putter{a, w.Text}
	p.text("gen_ai.operation.name", operations[s.Kind])
	p.text("gen_ai.provider.name", s.Model.Provider)
	p.text("gen_ai.request.model", s.Model.Request)
	p.text("gen_ai.response.model", s.Model.Response)
	p.text("gen_ai.response.id", s.Model.ResponseID)
	p.texts("gen_ai.response.finish_reasons", s.Model.FinishReasons)
	p.text("gen_ai.agent.name", s.Agent.Name)
	p.text("gen_ai.conversation.id", s.Session)
	if s.Usage.Scope == trace.UsageOwn {
		p.count("gen_ai.usage.input_tokens", s.Usage.Input)
		p.count("gen_ai.usage.output_tokens", s.Usage.Output)
		p.count("gen_ai.usage.reasoning.output_tokens", s.Usage.Reasoning)
		p.count("gen_ai.usage.cache_read.input_tokens", s.Usage.CacheRead)
		p.count("gen_ai.usage.cache_write.input_tokens", s.Usage.CacheWrite)
	}
	p.messages("gen_ai.input.messages", &s.Input)
	p.messages("gen_ai.output.messages", &s.Output)
	p.value("gen_ai.tool.definitions", &s.Offered)
	if t := s.Tool; t != nil {
		p.text("gen_ai.tool.name", t.Name)
		if t.CallIDFrom == "" {
			p.text("gen_ai.tool.call.id", t.CallID)
		}
		p.text("gen_ai.tool.type", t.Type)
		p.text("gen_ai.tool.description", t.Description)
		p.value("gen_ai.tool.call.arguments", &t.Arguments)
		p.value("gen_ai.tool.call.result", &t.Result)
	}
	if s.Status.Failed {
		p.text("error.type", s.Status.ErrorType)
	}
}

// putter adds attributes that a span lacks; edit is applied to content.
type putter struct {
	a    pcommon.Map
	edit func(string) string
}

func (p putter) lacks(key string) bool {
	_, has := p.a.Get(key)
	return !has
}

func (p putter) text(key, s string) {
	if s != "" && p.lacks(key) {
		p.a.PutStr(key, s)
	}
}

func (p putter) texts(key string, list []string) {
	if len(list) == 0 || !p.lacks(key) {
		return
	}
	to := p.a.PutEmptySlice(key)
	for _, s := range list {
		to.AppendEmpty().SetStr(s)
	}
}

func (p putter) count(key string, n int64) {
	if n != 0 && p.lacks(key) {
		p.a.PutInt(key, n)
	}
}

func (p putter) value(key string, v *trace.Value) {
	if v.Captured() && p.lacks(key) {
		p.a.PutStr(key, p.edit(v.Text()))
	}
}

func (p putter) messages(key string, m *trace.Messages) {
	if m.Captured() && p.lacks(key) {
		p.a.PutStr(key, encodeMessages(m.List(), p.edit))
	}
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
