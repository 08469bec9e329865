package normalise

import (
	"fmt"
	"strings"
)

// Framework is what is known of a producer, for docs/frameworks.md and for advice
// on missing content.
type Framework struct {
	Dialect string // as [trace.Step.Dialect] has it
	Title   string // as people know it
	Marks   []string
	Scopes  []string
	// Fields are the fields of a step for which the dialect has keys of its own,
	// taken from its tables; the conventions' keys are read on every span.
	Fields  []string
	Reads   string // what is read
	Lacks   string // what the producer does not emit; empty where nothing is known to miss
	Content string // how to switch content on
	Own     bool   // a team writes such spans itself: whatever they lack is its own to add
	Session string // how to say which conversation a trace is part of
	Tested  string // on whose spans the dialect is tested: [Recorded], [Others] or [Documented]
}

// On whose spans a dialect is tested.
const (
	Recorded   = "recorded runs"         // our own, compared with what truly happened
	Others     = "spans of others"       // from the tests of other projects
	Documented = "documented attributes" // made of what the producer publishes
)

// recorded are the dialects of which runs are in testdata/traces, and others those
// of which spans of other projects are at hand besides.
var (
	recorded = names("ag2 anthropic-sdk autogen crewai dspy genkit google-adk haystack home-made laminar langchain langfuse langsmith langwatch livekit llamaindex logfire mastra microsoft-agent-framework mlflow " +
		"openai-agents openinference openlit openllmetry otel-genai pydantic-ai semantic-kernel smolagents strands vercel-ai")
	others = names("aws-adot codex gemini-cli general kagent litellm")
)

func names(list string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(list) {
		set[name] = true
	}
	return set
}

// tested says on whose spans a dialect is tested.
func tested(dialect string) string {
	switch {
	case recorded[dialect]:
		return Recorded
	case others[dialect]:
		return Others
	}
	return Documented
}

// fieldNames are the names that docs and messages use.
var fieldNames = [fieldCount]string{
	session: "session", user: "user", agentID: "agent", agentName: "agent", agentVersion: "agent", provider: "provider", requestModel: "model",
	responseModel: "model", responseID: "response id", continues: "what the input goes on with", finish: "finish reason", offered: "tools offered", system: "system prompt",
	messagesIn: "messages", messagesOut: "messages", payloadIn: "input", payloadOut: "output", toolName: "tool name", callID: "call id",
	toolType: "tool name", toolDescription: "tool name", arguments: "tool arguments", result: "tool result", failure: "error", success: "error", exit: "error", answered: "error",
	errorType: "error", errorText: "error", documents: "documents", query: "query", inputTokens: "usage", outputTokens: "usage",
	reasoningTokens: "usage", cacheRead: "usage", cacheWrite: "usage", totalTokens: "usage", cost: "cost",
}

// Frameworks lists all known producers, in the order in which they are
// recognised.
func Frameworks() []Framework {
	list := make([]Framework, 0, len(dialects))
	for i := range dialects {
		d := &dialects[i]
		f := d.doc
		if f.Session == "" {
			f.Session = "`session.id` (or `gen_ai.conversation.id`) as an attribute of the spans of a turn"
		}
		f.Dialect, f.Marks, f.Scopes, f.Tested = d.name, d.marks, d.scopes, tested(d.name)
		if f.Scopes == nil {
			f.Scopes = d.under
		}
		seen := map[string]bool{}
		for id := field(0); id < fieldCount; id++ {
			if name := fieldNames[id]; !seen[name] && (len(d.fields[id]) > 0 || len(d.own[id]) > 0) {
				seen[name] = true
				f.Fields = append(f.Fields, name)
			}
		}
		list = append(list, f)
	}
	return list
}

// Markdown is the text of docs/frameworks.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(markdownHead)
	for _, f := range Frameworks() {
		cells := []string{"**" + f.Title + "** (`" + f.Dialect + "`)", recognised(f), strings.Join(f.Fields, ", "), f.Reads, f.Lacks, f.Content, f.Session, f.Tested}
		for i, c := range cells {
			if c == "" {
				cells[i] = "–"
			}
			cells[i] = strings.ReplaceAll(cells[i], "|", "\\|")
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

const markdownHead = `# Frameworks

Generated from the registry of package normalise (` + "`go test ./internal/normalise -run Frameworks -update`" + `); do not edit.

Spans are recognised by attributes first and by the name of the instrumentation scope where no attribute tells, since exporters lose and mix up
scopes. The order of the rows is the order of decision. The keys of the OpenTelemetry GenAI conventions, in all their versions, are read on every span,
and so are the keys of every other dialect; *own keys for* lists the fields for which a dialect adds some. A span that no row recognises is read by
evidence (last row), and its place in the tree is kept in any case.

Ids of conversations are looked for in this order: ` + "`gen_ai.conversation.id`, `session.id`" + `, the dialect's own keys, those of the others.

*Tested on* says what stands behind a row: recorded runs of the framework, of which it is known what truly happened (` + "`testdata/traces`" + `); spans out of the
tests of other projects; or spans made of the attributes that the producer documents, where none were at hand.

With ` + "`write_attributes: true`" + ` the [grade processor](../processor/gradeprocessor/README.md) writes what was read next to the producer's attributes, in the
current GenAI conventions, for backends that read only these.

What could not be read is a loss of the step, and ` + "`tracegrade doctor`" + ` says for a file what is missing for grading and how to switch it on.

| framework (dialect) | recognised by | own keys for | what is read | what it does not emit | how to switch content on | how to set a session id | tested on |
|---|---|---|---|---|---|---|---|
`

// recognised says by what a dialect's spans are known.
func recognised(f Framework) string {
	var parts []string
	for _, m := range f.Marks {
		parts = append(parts, "`"+m+"`")
	}
	if len(f.Scopes) > 0 {
		s := "scope `" + strings.Join(f.Scopes, "`, `") + "`"
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return "evidence"
	}
	return strings.Join(parts, ", ")
}
