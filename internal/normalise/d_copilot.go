package normalise

// copilot is GitHub Copilot, in its CLI and in VS Code, which write the
// conventions.
var copilot = dialect{
	name:   "copilot",
	marks:  []string{"github.copilot.*", "copilot_chat.*"},
	scopes: []string{"github.copilot", "@github/copilot", "copilot-chat"},
	own:    fields{session: {"github.copilot.session_id", "copilot_chat.chat_session_id"}},
	noise:  []string{"github.copilot.*", "copilot_chat.*"}, // its cost is not money
	doc: Framework{
		Title:   "GitHub Copilot",
		Reads:   "agents, model calls, tools",
		Lacks:   "cost in money; the agent's tokens leave out its sub-agents",
		Content: "`COPILOT_OTEL_CAPTURE_CONTENT=true`, or the setting `github.copilot.chat.otel.captureContent`",
	},
}
