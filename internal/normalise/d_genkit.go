package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var (
	kGenkitSubtype = key("genkit:metadata:subtype")
	kGenkitType    = key("genkit:type")
	kGenkitName    = key("genkit:name")
	kGenkitOutput  = key("genkit:output")
	genkitKinds    = map[string]trace.Kind{
		"model": trace.KindLLM, "background-model": trace.KindLLM, "tool": trace.KindTool, "tool.v2": trace.KindTool, "retriever": trace.KindRetriever,
		"embedder": trace.KindEmbedding, "reranker": trace.KindReranker, "evaluator": trace.KindEvaluator, "indexer": trace.KindWorkflow,
		"flow": trace.KindWorkflow, "flowstep": trace.KindWorkflow, "util": trace.KindWorkflow, "prompt": trace.KindWorkflow, "prompttemplate": trace.KindWorkflow,
		"executable-prompt": trace.KindWorkflow, "agent": trace.KindAgent, "action": trace.KindWorkflow, "userengagement": trace.KindWorkflow,
	}
)

// genkit is Firebase Genkit. Usage, finish reason and the provider's raw reply
// are inside the output.
var genkit = dialect{
	name:   "genkit",
	marks:  []string{"genkit:type", "genkit:name", "genkit:metadata:subtype"},
	scopes: []string{"genkit-tracer", "genkit"},
	kind: func(b *bag) (trace.Kind, string) {
		if kind, source := b.kindOf(kGenkitSubtype, genkitKinds); source != "" {
			return kind, source
		}
		return b.kindOf(kGenkitType, genkitKinds)
	},
	fields: fields{
		session:         {"genkit:sessionId", "genkit:metadata:sessionId", "genkit:input>sessionId", "genkit:input>session_id", "genkit:input>threadId", "genkit:input>conversationId"},
		user:            {"genkit:input>userId"},
		payloadIn:       {"genkit:input"},
		payloadOut:      {"genkit:output"},
		toolName:        {"genkit:name"},
		offered:         {"genkit:input>tools"},
		requestModel:    {"genkit:input>model"},
		responseModel:   {"genkit:output>raw>model", "genkit:output>custom>model", "genkit:output>custom>modelVersion"},
		responseID:      {"genkit:output>raw>id", "genkit:output>custom>id"},
		finish:          {"genkit:output>raw>choices", "genkit:output>finishReason"},
		inputTokens:     {"genkit:output>usage>inputTokens"},
		outputTokens:    {"genkit:output>usage>outputTokens"},
		totalTokens:     {"genkit:output>usage>totalTokens"},
		reasoningTokens: {"genkit:output>usage>thoughtsTokens", "genkit:output>raw>usage>completion_tokens_details>reasoning_tokens"},
		cacheRead:       {"genkit:output>usage>cachedContentTokens", "genkit:output>raw>usage>prompt_tokens_details>cached_tokens"},
		query:           {"genkit:input>query"},
		documents:       {"genkit:output>documents"},
	},
	read:  readGenkit,
	noise: []string{"genkit:*"},
	doc: Framework{
		Title:   "Genkit",
		Reads:   "flows, models, tools, retrievers; usage and thoughts out of the model's output; session where a flow's input has one",
		Lacks:   "a session key of its own; a tool that throws ends the flow; a tool that returns {\"error\"} has a successful span (the payload is read)",
		Content: "on by default",
		Session: "a session of the flow, or `session.id` set on its span",
	},
}

func readGenkit(b *bag, s *trace.Step) {
	if s.Kind != trace.KindLLM {
		return
	}
	if name := b.str(kGenkitName); s.Model.Request == "" || s.Model.Request == s.Model.Response {
		s.Model.Request = name[strings.LastIndexByte(name, '/')+1:]
		if before, _, ok := strings.Cut(name, "/"); ok && s.Model.Provider == "" {
			s.Model.Provider = providerOf(before)
		}
	}
	a, ok := b.attr(kGenkitOutput)
	if !ok {
		return
	}
	flat, output := s.Output, a.val.AsString()
	s.Output = trace.LazyMessages(func() []trace.Message {
		for _, k := range []string{"raw", "custom"} {
			if raw := value.Member(output, k); raw != "" {
				return merge(flat.List(), message.Text(raw, message.Output, nil))
			}
		}
		return flat.List()
	})
}
