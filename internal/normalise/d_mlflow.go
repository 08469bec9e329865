package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var (
	kMLflowType = key("mlflow.spanType")
	mlflowKinds = map[string]trace.Kind{
		"llm": trace.KindLLM, "chat_model": trace.KindLLM, "tool": trace.KindTool, "retriever": trace.KindRetriever, "agent": trace.KindAgent,
		"chain": trace.KindWorkflow, "workflow": trace.KindWorkflow, "task": trace.KindWorkflow, "parser": trace.KindWorkflow, "embedding": trace.KindEmbedding,
		"reranker": trace.KindReranker, "guardrail": trace.KindGuardrail, "evaluator": trace.KindEvaluator, "memory": trace.KindMemory,
	}
)

// mlflowSettings are keys under which is how a run or a request was configured,
// beside its inputs.
var mlflowSettings = keysOf("kwargs", "invocation_params")

// mlflow is MLflow's tracing. All its values are JSON, single words included.
var mlflow = dialect{
	name:   "mlflow",
	marks:  []string{"mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.traceRequestId"},
	scopes: []string{"mlflow"},
	kind:   func(b *bag) (trace.Kind, string) { return b.kindOf(kMLflowType, mlflowKinds) },
	fields: fields{
		session:       {"mlflow.trace.session"},
		user:          {"mlflow.trace.user"},
		provider:      {"mlflow.llm.provider"},
		requestModel:  {"mlflow.llm.model", "mlflow.spanInputs>model"},
		responseModel: {"mlflow.spanOutputs>model"},
		responseID:    {"mlflow.spanOutputs>id"},
		finish:        {"mlflow.spanOutputs>choices"},
		offered:       {"mlflow.chat.tools", "mlflow.spanInputs>tools"},
		payloadIn:     {"mlflow.spanInputs"},
		payloadOut:    {"mlflow.spanOutputs"},
		inputTokens:   {"mlflow.chat.tokenUsage>input_tokens"},
		outputTokens:  {"mlflow.chat.tokenUsage>output_tokens"},
		totalTokens:   {"mlflow.chat.tokenUsage>total_tokens"},
		cacheRead:     {"mlflow.chat.tokenUsage>cache_read_input_tokens"},
		cacheWrite:    {"mlflow.chat.tokenUsage>cache_creation_input_tokens"},
		cost:          {"mlflow.llm.cost>total_cost"},
	},
	own: fields{session: {"kwargs>conversation_id"}}, // of the OpenAI Agents SDK's run
	read: func(b *bag, s *trace.Step) {
		if s.Kind == trace.KindAgent && strings.HasPrefix(s.RawOutput.Text(), `{"output_type"`) {
			if m, ok := s.RawOutput.Data().(map[string]any); ok && value.Only(m, "output_type") {
				s.RawOutput = trace.Value{} // how an agent is to answer, not what
			}
		}
		for _, settings := range mlflowSettings {
			b.attr(settings)
		}
	},
	noise: []string{"mlflow.*", "stream_options"}, // settings of a request stand as they were given
	doc: Framework{
		Title:   "MLflow Tracing",
		Reads:   "span type, inputs, outputs, tools offered, usage, documents of retrievers",
		Lacks:   "session and user are trace metadata and often not on spans",
		Content: "on by default",
		Session: "`mlflow.update_current_trace(metadata={\"mlflow.trace.session\": …})`",
	},
}
