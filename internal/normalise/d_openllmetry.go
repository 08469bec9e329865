package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var (
	kTraceloopKind   = key("traceloop.span.kind")
	kTraceloopEntity = key("traceloop.entity.name")
	kRequestType     = key("llm.request.type")
	kHandoffFrom     = key("gen_ai.handoff.from_agent")
	kHandoffTo       = key("gen_ai.handoff.to_agent")
	kCrewID          = key("crewai.crew.id")
	kCrewTasks       = key("crewai.crew.tasks_output")
	requestTypes     = map[string]trace.Kind{
		"chat": trace.KindLLM, "completion": trace.KindLLM, "embedding": trace.KindEmbedding, "rerank": trace.KindReranker,
	}
)

// openLLMetry is Traceloop's instrumentations, old and new, and their SDK.
var openLLMetry = dialect{
	name:  "openllmetry",
	marks: []string{"traceloop.span.kind", "traceloop.entity.name", "traceloop.entity.input", "llm.request.type", "gen_ai.handoff.from_agent", "gen_ai.handoff.to_agent"},
	scopes: []string{"@traceloop/", "traceloop.tracer", "opentelemetry.instrumentation.openai.v1", "opentelemetry.instrumentation.langchain", "opentelemetry.instrumentation.llamaindex", "opentelemetry.instrumentation.crewai",
		"opentelemetry.instrumentation.chromadb", "opentelemetry.instrumentation.pinecone", "opentelemetry.instrumentation.qdrant", "opentelemetry.instrumentation.milvus",
		"opentelemetry.instrumentation.weaviate", "opentelemetry.instrumentation.lancedb", "opentelemetry.instrumentation.marqo"},
	kind: openLLMetryKind,
	fields: fields{
		session: {"traceloop.association.properties.session_id", "traceloop.association.properties.thread_id", "traceloop.association.properties.conversation_id",
			"traceloop.association.properties.chat_id"},
		user:         {"traceloop.association.properties.user_id"},
		offered:      {"llm.request.functions.*"},
		payloadIn:    {"traceloop.entity.input", "crewai.task.description"},
		payloadOut:   {"traceloop.entity.output", "crewai.crew.result"},
		documents:    {"traceloop.entity.output>documents"},
		inputTokens:  {"llm.usage.prompt_tokens"},
		outputTokens: {"llm.usage.completion_tokens"},
		totalTokens:  {"llm.usage.total_tokens"},
	},
	read: readOpenLLMetry,
	noise: []string{"traceloop.*", "llm.request.*", "llm.usage.*", "llm.headers", "llm.user", "llm.is_streaming", "llm.frequency_penalty", "llm.presence_penalty",
		"llm.chat.*", "llm.top_k", "crewai.*", "gen_ai.task.*", "gen_ai.openai.*", "gen_ai.handoff.*", "gen_ai.workflow.nodes", "gen_ai.workflow.edges"},
	doc: Framework{
		Title:   "OpenLLMetry (Traceloop)",
		Reads:   "kind, messages in the old indexed and the new form, entity input and output, tools offered, usage, association properties, query results of vector databases",
		Lacks:   "the name of LangChain tools in JavaScript (spans are named by class; the name is taken from the model's call); call ids of tools; streaming may lose usage and finish reasons; model calls of CrewAI and of LlamaIndex's agents, unless the model's client is instrumented as well (what a crew's tasks said and asked of tools is then taken from `crewai.crew.tasks_output`)",
		Content: "`TRACELOOP_TRACE_CONTENT=true` (the default)",
		Session: "`Traceloop.set_association_properties({\"session_id\": …})` (`withAssociationProperties` in JavaScript); `thread_id` of LangGraph is read too",
	},
}

func openLLMetryKind(b *bag) (trace.Kind, string) {
	if b.str(kHandoffTo) != "" {
		return trace.KindHandoff, keyNames[kHandoffTo]
	}
	switch b.str(kTraceloopKind) {
	case "workflow":
		return trace.KindWorkflow, keyNames[kTraceloopKind]
	case "agent":
		return trace.KindAgent, keyNames[kTraceloopKind]
	case "tool":
		return trace.KindTool, keyNames[kTraceloopKind]
	case "task":
		if b.str(kPlainTool) != "" { // LlamaIndex's agents
			return trace.KindTool, keyNames[kPlainTool]
		}
		// A task is whatever the operation says, unless that is a wrapper too.
		if kind, source := semconvKind(b); source != "" && kind != trace.KindAgent {
			return kind, source
		}
		if strings.HasSuffix(b.str(kTraceloopEntity), "Retriever") {
			return trace.KindRetriever, keyNames[kTraceloopEntity]
		}
		return trace.KindWorkflow, keyNames[kTraceloopKind]
	}
	if b.has(kCrewID) {
		return trace.KindWorkflow, keyNames[kCrewID]
	}
	return b.kindOf(kRequestType, requestTypes)
}

func readOpenLLMetry(b *bag, s *trace.Step) {
	entity := b.str(kTraceloopEntity)
	switch s.Kind {
	case trace.KindWorkflow:
		// What a crew's tasks said, as Python writes objects; older versions have only the answers there.
		if tasks := b.str(kCrewTasks); strings.Contains(tasks, "messages=[{") {
			s.Output = trace.TextMessages(tasks, outputPayload)
		}
	case trace.KindAgent:
		if s.Agent.Name == "" {
			s.Agent.Name = entity
		}
	case trace.KindTool:
		if entity != "" && !className(entity) && !b.has(kPlainTool) && (s.Tool.Name == "" || s.Tool.Name == nameOfTool(s.Name)) {
			s.Tool.Name = entity
		}
	case trace.KindRetriever:
		if entity != "" {
			s.Tool.Name = entity
		}
	case trace.KindHandoff:
		if to := b.str(kHandoffTo); to != "" {
			s.Tool.Name = "handoff to " + to
			s.Tool.Arguments = trace.DataValue(map[string]any{"from_agent": b.str(kHandoffFrom), "to_agent": to})
		}
	}
}

// queryResults reads the documents that a vector database's span has as events.
func (b *bag) queryResults(s *trace.Step) {
	var list []any
	for i := range b.events {
		e := &b.events[i]
		if e.name != "db.query.result" && e.name != "db.search.result" {
			continue
		}
		e.used = true
		doc := map[string]any{}
		for k, v := range e.attrs {
			k = k[strings.LastIndexByte(k, '.')+1:]
			if text, ok := v.(string); ok && k == "metadata" {
				v = value.Decode(text)
			}
			doc[k] = v
		}
		list = append(list, doc)
	}
	if len(list) > 0 && len(s.Documents) == 0 {
		s.Documents = payload.Listed(list)
	}
}
