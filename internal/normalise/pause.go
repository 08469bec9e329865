package normalise

import "strings"

// pauses reports whether an exception of this type only ends a run for now, or
// leads it elsewhere: frameworks throw it through the spans that are open, to ask
// a person, to wait for what others run, or to go on in another graph. Nothing
// failed. It is told by the last name of the type: one that frameworks use, or
// that says what is missing (ApprovalRequired, HumanFeedbackPending).
func pauses(exception string) bool {
	name := exception[strings.LastIndexAny(exception, ".:/$")+1:]
	switch name {
	case "GraphInterrupt", "NodeInterrupt", "GraphBubbleUp", "ParentCommand", // LangGraph
		"ToolInterruptError",  // Genkit
		"InterruptException",  // Strands
		"CallDeferred",        // Pydantic AI
		"BreakpointException", // Haystack
		"StopAgentRun",        // Agno
		"WorkflowSuspended":   // Mastra
		return true
	}
	words := nameWords(name)
	if n := len(words); n > 0 && (words[n-1] == "error" || words[n-1] == "exception") {
		words = words[:n-1]
	}
	if len(words) < 2 || !lackWords[words[len(words)-1]] {
		return false
	}
	lacks := words[len(words)-2]
	return personWords[lacks] || lacks == "input" && len(words) > 2 && (words[len(words)-3] == "human" || words[len(words)-3] == "user")
}

// personWords are what only a person gives, and lackWords how a name says that it
// is awaited.
var (
	personWords = wordSet("approval confirmation feedback")
	lackWords   = wordSet("needed pending requested required")
)

// pausedBy reports whether the message of a status begins as such an exception
// does when it is printed: GraphInterrupt((Interrupt(value=…),)).
func pausedBy(message string) bool {
	end := strings.IndexFunc(message, func(r rune) bool {
		return !(r == '.' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z')
	})
	if end < 0 {
		end = len(message)
	}
	return end > 0 && pauses(message[:end])
}
