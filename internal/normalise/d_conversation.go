package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kImportUnread = key("tracegrade.import.unread")
	kImportBeside = key("tracegrade.import.beside")
)

// conversations is what package tracefile makes of lists of messages and of the
// logs of agent harnesses, in the conventions.
var conversations = dialect{
	name:   "conversation",
	scopes: []string{"tracegrade.conversation"},
	noise:  []string{"tracegrade.*"},
	read: func(b *bag, s *trace.Step) {
		s.Hints.Tells = s.Kind == trace.KindAgent
		if said := b.peek(kImportUnread); said != "" {
			b.lose("wrong_type", "messages", said)
		}
		for name := range strings.FieldsFuncSeq(b.peek(kImportBeside), func(r rune) bool { return r == '\n' }) {
			b.lose("unmapped", name, "beside the messages")
		}
	},
	doc: Framework{
		Title:   "Conversations on disk",
		Reads:   "lists of messages, or a message a line, as OpenAI, Anthropic, Gemini, ShareGPT, LangChain, Pydantic AI, AutoGen, Semantic Kernel, Google's ADK and the Vercel AI SDK's interfaces write them, the items of the Responses API, requests with their responses, the exports of ChatGPT and Claude, the logs of agent harnesses, the steps of agents (SWE-agent, OpenHands, smolagents, Harbor, CrewAI), whatever state, log or benchmark they stand in, the sessions that Claude Code (`~/.claude/projects`), Codex (`~/.codex/sessions`) and Gemini CLI (`~/.gemini/tmp`) keep, what the first two print (`--output-format stream-json`, `exec --json`), records of a prompt with its completion, and calls that stand in the text (`Action:`, elements of XML, blocks of code): model calls, and the tools that they asked for",
		Lacks:   "whatever messages do not have: spans of tools, tokens, and times unless the messages have one",
		Content: "a conversation has its content; send spans for the rest",
		Session: "`session_id` (or `conversation_id`, `thread_id`) beside the messages of each conversation",
	},
}
