package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var (
	kHaystackType = key("haystack.component.type")
	kHaystackName = key("haystack.component.name")
	kHaystackOut  = key("haystack.component.output")
	kHaystackStep = key("haystack.agent.step.llm.output")
)

// haystackEndings tell a component's kind from the end of its type's name.
var haystackEndings = []struct {
	ending string
	kind   trace.Kind
}{
	{"Retriever", trace.KindRetriever}, {"Ranker", trace.KindReranker}, {"Embedder", trace.KindEmbedding}, {"Generator", trace.KindLLM},
	{"ToolInvoker", trace.KindWorkflow}, {"Agent", trace.KindAgent}, {"WebSearch", trace.KindRetriever},
}

// haystack is deepset's Haystack. A generator's model and tokens are in the
// metadata of its replies.
var haystack = dialect{
	name:   "haystack",
	marks:  []string{"haystack.*"},
	scopes: []string{"haystack"},
	kind: func(b *bag) (trace.Kind, string) {
		if !strings.HasPrefix(b.name, "haystack.") {
			return 0, ""
		}
		switch b.name {
		case "haystack.agent.run":
			return named(trace.KindAgent)
		case "haystack.agent.step.llm":
			return named(trace.KindLLM)
		case "haystack.agent.step.tool":
			return named(trace.KindTool)
		case "haystack.component.run":
			t := b.str(kHaystackType)
			for _, e := range haystackEndings {
				if strings.HasSuffix(t, e.ending) {
					return e.kind, keyNames[kHaystackType]
				}
			}
		}
		return named(trace.KindWorkflow)
	},
	fields: fields{
		payloadIn:       {"haystack.agent.step.llm.input", "haystack.component.input", "haystack.agent.input", "haystack.pipeline.input_data"},
		payloadOut:      {"haystack.agent.step.llm.output", "haystack.component.output", "haystack.agent.output", "haystack.pipeline.output_data"},
		toolName:        {"haystack.tool.name", "haystack.component.name"},
		toolDescription: {"haystack.tool.description"},
		arguments:       {"haystack.agent.step.tool.input"},
		result:          {"haystack.agent.step.tool.output"},
		documents:       {"haystack.component.output>documents"},
		query:           {"haystack.component.input>query"},
		offered:         {"haystack.agent.tools"},
	},
	read:  readHaystack,
	noise: []string{"haystack.*"},
	doc: Framework{
		Title:   "Haystack",
		Reads:   "pipelines, components by their type, agents and their steps; model and usage out of the replies' metadata",
		Lacks:   "content unless it is switched on",
		Content: "`HAYSTACK_CONTENT_TRACING_ENABLED=true`",
	},
}

func readHaystack(b *bag, s *trace.Step) {
	if s.Kind == trace.KindAgent { // a component of the pipeline, and its run
		s.Hints.Merge = "haystack.agent"
		if s.Agent.Name == "" {
			s.Agent.Name = b.str(kHaystackName)
		}
	}
	// The invoker runs what a model asked for, perhaps several tools: its results
	// belong to the calls, and it is none itself.
	s.Hints.Tells = strings.HasSuffix(b.str(kHaystackType), "ToolInvoker")
	if s.Kind == trace.KindTool && s.Tool.Name == s.Name {
		s.Tool.Name = ""
	}
	if s.Kind != trace.KindLLM {
		return
	}
	for _, id := range []keyID{kHaystackStep, kHaystackOut} {
		a, ok := b.attr(id)
		if !ok {
			continue
		}
		out, _ := value.Decode(a.val.AsString()).(map[string]any)
		replies, _ := out["replies"].([]any)
		if len(replies) == 0 {
			continue
		}
		reply, _ := replies[0].(map[string]any)
		meta, _ := reply["meta"].(map[string]any)
		if meta == nil {
			meta, _ = reply["_meta"].(map[string]any)
		}
		if model, ok := meta["model"].(string); ok && s.Model.Response == "" {
			s.Model.Response = model
			if s.Model.Request == "" {
				s.Model.Request = model
			}
			s.Model.Provider = b.provider(s)
		}
		if f, ok := meta["finish_reason"].(string); ok && len(s.Model.FinishReasons) == 0 {
			s.Model.FinishReasons = []string{message.Finish(f)}
		}
		if usage, ok := meta["usage"].(map[string]any); ok && s.Usage.Scope == trace.UsageNone {
			s.Usage = openAIUsage(usage)
		}
		return
	}
}

// openAIUsage reads a usage object as OpenAI's APIs write it.
func openAIUsage(m map[string]any) trace.Usage {
	get := func(keys ...string) int64 {
		for _, k := range keys {
			outer, inner, nested := strings.Cut(k, ">")
			v := m[outer]
			if nested {
				details, _ := v.(map[string]any)
				v = details[inner]
			}
			if f, ok := floatOf(v); ok {
				return count(f)
			}
		}
		return 0
	}
	return trace.Usage{
		Input: get("prompt_tokens", "input_tokens"), Output: get("completion_tokens", "output_tokens"),
		Reasoning: get("completion_tokens_details>reasoning_tokens", "output_tokens_details>reasoning_tokens"),
		CacheRead: get("prompt_tokens_details>cached_tokens", "input_tokens_details>cached_tokens"),
		Scope:     trace.UsageOwn,
	}
}
