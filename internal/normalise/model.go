package normalise

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var kServerAddress = key("server.address")

// model fills the model of a step that calls one.
func (b *bag) model(s *trace.Step) {
	switch s.Kind {
	case trace.KindLLM, trace.KindEmbedding, trace.KindReranker:
	default:
		return
	}
	s.Model.Request = b.text(requestModel)
	s.Model.Response = b.text(responseModel)
	if s.Model.Request == "" {
		s.Model.Request = s.Model.Response
	}
	s.Model.ResponseID = b.text(responseID)
	s.Hints.Continues = b.text(continues)
	s.Model.FinishReasons = b.finishReasons()
	s.Model.Provider = b.provider(s)
}

// finishReasons reads a list, a list in a text, or reasons with commas.
func (b *bag) finishReasons() []string {
	for src := range b.places(finish) {
		v, ok := b.valueAt(src)
		if !ok {
			continue
		}
		if reasons := Finish(v.Data()); len(reasons) > 0 {
			return reasons
		}
	}
	for _, n := range b.groups[gCompletion] { // of the messages
		if a := &b.attrs[n]; strings.HasSuffix(a.key, ".finish_reason") {
			return Finish(a.val.AsString())
		}
	}
	return nil
}

// Finish normalises finish reasons that come as a list or a text.
func Finish(data any) []string {
	var out []string
	switch d := data.(type) {
	case []any:
		for _, e := range d {
			switch e := e.(type) {
			case string:
				out = append(out, message.Finish(e))
			case map[string]any: // a reply's choices
				if s, ok := e["finish_reason"].(string); ok {
					out = append(out, message.Finish(s))
				}
			}
		}
	case string:
		for _, s := range strings.Split(d, ",") {
			if f := message.Finish(strings.TrimSpace(s)); f != "" {
				out = append(out, f)
			}
		}
	}
	return out
}

// providers maps producers' words for a provider to the conventions'.
var providers = map[string]string{
	"openai.chat": "openai", "openai.responses": "openai", "openai.completion": "openai", "open_ai": "openai", "chatopenai": "openai",
	"azure": "azure.ai.openai", "az.ai.openai": "azure.ai.openai", "azure_openai": "azure.ai.openai", "azure-openai": "azure.ai.openai", "azureopenai": "azure.ai.openai",
	"az.ai.inference": "azure.ai.inference",
	"bedrock":         "aws.bedrock", "aws": "aws.bedrock", "amazon-bedrock": "aws.bedrock", "amazon_bedrock": "aws.bedrock", "aws_bedrock": "aws.bedrock", "bedrock_converse": "aws.bedrock",
	"gemini": "gcp.gemini", "google.generative-ai": "gcp.gemini", "google-gla": "gcp.gemini", "google_genai": "gcp.gemini", "googleai": "gcp.gemini", "google.generativeai": "gcp.gemini",
	"vertex_ai": "gcp.vertex_ai", "vertexai": "gcp.vertex_ai", "google.vertex": "gcp.vertex_ai", "google-vertex": "gcp.vertex_ai", "google_vertexai": "gcp.vertex_ai", "vertex": "gcp.vertex_ai",
	"mistral": "mistral_ai", "mistralai": "mistral_ai", "xai": "x_ai", "x-ai": "x_ai", "anthropic.messages": "anthropic", "together": "together_ai",
}

// frameworks are names that producers write as the provider though they are none.
var frameworks = map[string]bool{
	"langchain": true, "langgraph": true, "strands-agents": true, "crewai": true, "autogen": true, "microsoft.agent_framework": true,
	"gcp.vertex.agent": true, "litellm": true, "llamaindex": true, "llama_index": true, "haystack": true, "openai-agents": true, "openai_agents": true,
	"smolagents": true, "dspy": true, "pydantic_ai": true, "agno": true, "google_adk": true, "semantic_kernel": true, "mastra": true, "genkit": true, "vercel": true,
}

// hosts map what a server's address contains to a provider.
var hosts = []struct{ part, provider string }{
	{"openai.azure.com", "azure.ai.openai"}, {"api.openai.com", "openai"}, {"anthropic.com", "anthropic"}, {"bedrock", "aws.bedrock"},
	{"generativelanguage.googleapis.com", "gcp.gemini"}, {"aiplatform.googleapis.com", "gcp.vertex_ai"}, {"mistral.ai", "mistral_ai"},
	{"groq.com", "groq"}, {"x.ai", "x_ai"}, {"deepseek.com", "deepseek"}, {"cohere", "cohere"}, {"openrouter.ai", "openrouter"}, {"together", "together_ai"},
}

// families map the beginning of a model's name to the provider that made it.
var families = []struct{ prefix, provider string }{
	{"gpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"}, {"chatgpt", "openai"}, {"text-embedding-", "openai"},
	{"claude", "anthropic"}, {"gemini", "gcp.gemini"}, {"mistral", "mistral_ai"}, {"ministral", "mistral_ai"}, {"codestral", "mistral_ai"}, {"grok", "x_ai"},
	{"deepseek", "deepseek"}, {"command", "cohere"}, {"us.anthropic.", "aws.bedrock"}, {"eu.anthropic.", "aws.bedrock"}, {"anthropic.", "aws.bedrock"},
	{"us.amazon.", "aws.bedrock"}, {"amazon.", "aws.bedrock"}, {"meta.", "aws.bedrock"},
}

// provider finds who runs the model: the first stated one that is no framework,
// else whom the server's address or the model's name gives away.
func (b *bag) provider(s *trace.Step) string {
	ambiguous := ""
	for src := range b.places(provider) {
		var stated string
		switch src.kind {
		case attribute:
			stated = b.str(src.id)
		case member:
			stated = b.member(src)
		}
		low := strings.ToLower(strings.TrimSpace(stated))
		if low == "" || frameworks[low] || meaningless(low) {
			continue
		}
		if low == "google" {
			ambiguous = low
			continue
		}
		return providerOf(low)
	}
	if host := b.str(kServerAddress); host != "" {
		for _, h := range hosts {
			if strings.Contains(host, h.part) {
				return h.provider
			}
		}
	}
	for _, name := range [...]string{s.Model.Request, s.Model.Response} {
		name = strings.ToLower(name)
		if before, _, ok := strings.Cut(name, "/"); ok { // litellm's provider/model
			if p, ok := providers[before]; ok {
				return p
			}
			name = name[strings.LastIndexByte(name, '/')+1:]
		}
		for _, f := range families {
			if strings.HasPrefix(name, f.prefix) {
				return f.provider
			}
		}
	}
	if ambiguous != "" {
		return "gcp.gemini"
	}
	return ""
}

// providerOf normalises a producer's word for a provider.
func providerOf(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if p, ok := providers[word]; ok {
		return p
	}
	return word
}

// offer finds the tools that were offered to a model.
func (b *bag) offer(s *trace.Step) {
	if s.Kind != trace.KindLLM && s.Kind != trace.KindAgent {
		return
	}
	for src := range b.places(offered) {
		if src.kind == group {
			if v, ok := b.offeredGroup(src); ok {
				s.Offered = v
				return
			}
			continue
		}
		if v, ok := b.valueAt(src); ok && !emptyList(&v) {
			s.Offered = v
			return
		}
	}
	if s.Kind != trace.KindLLM {
		return
	}
	for _, f := range [...]field{payloadIn, messagesIn} {
		for src := range b.places(f) {
			if src.kind != attribute {
				continue
			}
			if v, ok := b.valueAt(src); ok {
				if list := message.Offered(v.Text()); list != nil {
					s.Offered = trace.DataValue(list)
					return
				}
			}
		}
	}
}

// offeredGroup reads tool definitions of which each is an attribute, or several.
// One JSON text each, which is the usual form, is joined and decoded on demand.
func (b *bag) offeredGroup(src *source) (trace.Value, bool) {
	list := b.groups[src.id]
	if len(list) == 0 {
		return trace.Value{}, false
	}
	size := 2
	for i, n := range list {
		a := &b.attrs[n]
		if a.val.Type() != pcommon.ValueTypeStr || !strings.HasSuffix(a.key, "json_schema") || i > 0 && !inOrder(b.attrs[list[i-1]].key, a.key) {
			data, ok := b.expand(src.id, src.name)
			return trace.DataValue(data), ok
		}
		size += len(a.val.Str()) + 1
	}
	var text strings.Builder
	text.Grow(size)
	text.WriteByte('[')
	for i, n := range list {
		a := &b.attrs[n]
		a.used = true
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString(a.val.Str())
	}
	text.WriteByte(']')
	return trace.RawValue(text.String(), value.Decode), true
}

// inOrder reports whether two keys that differ in an index are in its order.
func inOrder(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
