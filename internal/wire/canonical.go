package wire

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// canonical adds a step as the current GenAI semantic conventions have it. A key
// that the span has keeps the producer's value, whatever that means. A record
// that repeats another step gets nothing: whoever counts spans would count it
// twice.
func (w *writer) canonical(a pcommon.Map, s *trace.Step) {
	if !w.Canonical || s.DuplicateOf != "" || operations[s.Kind] == "" {
		return
	}
	c := conventions{a: a, edit: w.Text}
	c.text(keyOperation, operations[s.Kind])
	c.text("gen_ai.conversation.id", s.Session)
	c.text("gen_ai.agent.id", s.Agent.ID)
	c.text("gen_ai.agent.name", s.Agent.Name)
	c.text("gen_ai.agent.version", s.Agent.Version)
	switch s.Kind {
	case trace.KindLLM, trace.KindEmbedding, trace.KindReranker:
		c.model(&s.Model)
		c.usage(&s.Usage)
	}
	c.messages(keyInput, &s.Input)
	c.messages(keyOutput, &s.Output)
	c.value(keyDefinitions, &s.Offered)
	c.call(s)
	if s.Status.Failed {
		c.text(errorType, cmp.Or(s.Status.ErrorType, unnamed(s.Kind)))
	}
	if len(c.added) > 0 {
		putTexts(a, stepWritten, c.added)
	}
}

// unnamed is the type of an error that its producer does not name: what the
// conventions of MCP call that of a tool that says it failed, and the one that all
// conventions have for the rest.
func unnamed(k trace.Kind) string {
	if k == trace.KindTool {
		return "tool_error"
	}
	return "_OTHER"
}

// stripCanonical removes what canonical added.
func stripCanonical(a pcommon.Map) {
	list, ok := a.Get(stepWritten)
	if !ok || list.Type() != pcommon.ValueTypeSlice {
		return
	}
	ours := make(map[string]bool, list.Slice().Len())
	for _, key := range list.Slice().All() {
		ours[key.Str()] = true
	}
	a.RemoveIf(func(key string, _ pcommon.Value) bool { return ours[key] })
}

// conventions puts attributes that a span has not, and remembers which.
type conventions struct {
	a     pcommon.Map
	edit  func(string) string
	added []string
}

// lacks reports whether the span has no such attribute, which is then added.
func (c *conventions) lacks(key string) bool {
	if _, has := c.a.Get(key); has {
		return false
	}
	c.added = append(c.added, key)
	return true
}

func (c *conventions) text(key, s string) {
	if s != "" && c.lacks(key) {
		c.a.PutStr(key, s)
	}
}

func (c *conventions) number(key string, n int64) {
	if n != 0 && c.lacks(key) {
		c.a.PutInt(key, n)
	}
}

func (c *conventions) value(key string, v *trace.Value) {
	if v.Captured() && c.lacks(key) {
		c.a.PutStr(key, c.edit(v.Text()))
	}
}

func (c *conventions) messages(key string, m *trace.Messages) {
	if len(m.List()) > 0 && c.lacks(key) {
		c.a.PutStr(key, encodeMessages(m.List(), c.edit))
	}
}

func (c *conventions) model(m *trace.Model) {
	c.text("gen_ai.provider.name", m.Provider)
	c.text("gen_ai.request.model", m.Request)
	c.text("gen_ai.response.model", m.Response)
	c.text("gen_ai.response.id", m.ResponseID)
	if len(m.FinishReasons) > 0 && c.lacks("gen_ai.response.finish_reasons") {
		putTexts(c.a, "gen_ai.response.finish_reasons", m.FinishReasons)
	}
}

// usage adds tokens that are the step's own: sums over others would be counted
// again by whoever adds them up.
func (c *conventions) usage(u *trace.Usage) {
	if u.Scope != trace.UsageOwn {
		return
	}
	c.number("gen_ai.usage.input_tokens", u.Input)
	c.number("gen_ai.usage.output_tokens", u.Output)
	c.number("gen_ai.usage.reasoning.output_tokens", u.Reasoning)
	c.number("gen_ai.usage.cache_read.input_tokens", u.CacheRead)
	c.number("gen_ai.usage.cache_write.input_tokens", u.CacheWrite)
}

// call adds what a tool or retriever was asked and gave.
func (c *conventions) call(s *trace.Step) {
	t := s.Tool
	if t == nil {
		return
	}
	if s.Kind == trace.KindRetriever || s.Kind == trace.KindReranker || s.Kind == trace.KindMemory {
		c.value(queryKeys[s.Kind], &t.Arguments)
		if key := documentKeys[s.Kind]; len(s.Documents) > 0 && key != "" && c.lacks(key) {
			c.a.PutStr(key, encodeRetrieved(s.Documents, c.edit))
		}
		return
	}
	c.text(keyToolName, t.Name)
	c.text("gen_ai.tool.call.id", t.CallID)
	c.text("gen_ai.tool.description", c.edit(t.Description))
	c.value(keyArguments, &t.Arguments)
	c.value(keyResult, &t.Result)
}

// encodeRetrieved writes documents in the JSON of the conventions, which have an
// id and a score and leave the other names open.
func encodeRetrieved(list []trace.Document, edit func(string) string) string {
	out := make([]any, len(list))
	for i := range list {
		d := &list[i]
		e := map[string]any{}
		for key, text := range map[string]string{"id": d.ID, "title": d.Title, "url": d.URL, "published": d.PublishedAt, "content": d.Content, "source": d.Source} {
			if text != "" {
				e[key] = edit(text)
			}
		}
		if d.Score != nil {
			e["score"] = *d.Score
		}
		out[i] = e
	}
	return trace.EncodeJSON(out)
}

var (
	queryKeys = map[trace.Kind]string{
		trace.KindRetriever: "gen_ai.retrieval.query.text", trace.KindReranker: "gen_ai.rerank.query.text", trace.KindMemory: "gen_ai.memory.query.text",
	}
	documentKeys = map[trace.Kind]string{trace.KindRetriever: "gen_ai.retrieval.documents", trace.KindMemory: "gen_ai.memory.records"}
)
