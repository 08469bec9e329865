package ruletest

// Case is the trace of a test in compact form.
type Case struct {
	Session        string      `yaml:"session"`
	User           string      `yaml:"user"`
	Service        string      `yaml:"service"` // name, or name@version
	Agent          string      `yaml:"agent"`   // name, or name@version; default "agent"
	Capture        string      `yaml:"capture"` // full (default), partial, redacted or off
	Complete       *bool       `yaml:"complete"`
	Unjoined       int         `yaml:"unjoined"`        // log records without a span
	MissingParents int         `yaml:"missing_parents"` // spans whose parent was not seen
	Cycles         int         `yaml:"cycles"`          // that parents formed
	Bare           bool        `yaml:"bare"`            // no agent step at the root
	Steps          []StepEntry `yaml:"steps"`
	Claims         []Claim     `yaml:"claims"` // the traps that were planted
}

// StepEntry is one entry of steps: exactly one of the first group, and any of
// the second.
type StepEntry struct {
	User      string      `yaml:"user"`      // a user message
	System    string      `yaml:"system"`    // instructions
	Answer    string      `yaml:"answer"`    // an llm step that gives the answer
	LLM       *LLMEntry   `yaml:"llm"`       // an llm step
	Tool      *ToolEntry  `yaml:"tool"`      // a tool call
	Retriever *ToolEntry  `yaml:"retriever"` // a retrieval
	Agent     string      `yaml:"agent"`     // an agent with steps of its own
	Handoff   string      `yaml:"handoff"`   // a hand-off to an agent
	Parallel  []StepEntry `yaml:"parallel"`  // steps that run at the same time
	Step      *AnyEntry   `yaml:"step"`      // any other kind

	Steps      []StepEntry    `yaml:"steps"` // children
	ID         string         `yaml:"id"`
	Seconds    float64        `yaml:"seconds"` // how long it takes; default 1
	Attributes map[string]any `yaml:"attributes"`
	Capture    string         `yaml:"capture"`
	Losses     []string       `yaml:"losses"`
	CausedBy   string         `yaml:"caused_by"` // id; default: the llm step before a call
	Cost       float64        `yaml:"cost"`
	Synthetic  bool           `yaml:"synthetic"`    // a call without a span
	Dialect    string         `yaml:"dialect"`      // reader of the span; default test
	Tokens     int64          `yaml:"input_tokens"` // of a step that is no llm step
	Input      string         `yaml:"input"`        // what an agent is told to do
	Output     string         `yaml:"output"`       // what an agent reports
}

// LLMEntry is one model call.
type LLMEntry struct {
	Model     string           `yaml:"model"`
	Provider  string           `yaml:"provider"`
	Text      string           `yaml:"text"`
	Reasoning string           `yaml:"reasoning"`
	Calls     []map[string]any `yaml:"calls"` // each {tool: arguments}
	Offered   []any            `yaml:"offered"`
	Finish    string           `yaml:"finish"`
	Input     int64            `yaml:"input_tokens"`
	Output    int64            `yaml:"output_tokens"`
	Error     string           `yaml:"error"`
	Saw       string           `yaml:"saw"` // text of the input instead of the messages so far
}

// ToolEntry is one call of a tool or retriever.
type ToolEntry struct {
	Name      string          `yaml:"name"`
	Args      any             `yaml:"args"`
	Result    any             `yaml:"result"`
	Error     string          `yaml:"error"`
	ErrorType string          `yaml:"error_type"`
	Documents []DocumentEntry `yaml:"documents"`
}

// DocumentEntry is one retrieved document.
type DocumentEntry struct {
	ID        string   `yaml:"id"`
	Title     string   `yaml:"title"`
	URL       string   `yaml:"url"`
	Published string   `yaml:"published_at"`
	Content   string   `yaml:"content"`
	Source    string   `yaml:"source"`
	Score     *float64 `yaml:"score"`
}

// AnyEntry is a step of another kind.
type AnyEntry struct {
	Kind   string `yaml:"kind"`
	Name   string `yaml:"name"`
	Input  string `yaml:"input"`
	Output string `yaml:"output"`
	Error  string `yaml:"error"`
}
