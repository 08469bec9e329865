package trace

import (
	"slices"
	"time"
)

// Kind is what a step did. The zero value is unknown: the span stays in the
// tree as structure, but nothing is known of what it did.
type Kind uint8

const (
	KindUnknown Kind = iota
	KindAgent
	KindLLM
	KindTool
	KindRetriever
	KindEmbedding
	KindReranker
	KindGuardrail
	KindEvaluator
	KindWorkflow // chains, tasks, graph nodes, prompts: structure with a name
	KindMemory
	KindPlan
	KindHandoff
)

// KindNames lists the names of all kinds, in the order of the constants.
var KindNames = []string{
	"unknown", "agent", "llm", "tool", "retriever", "embedding", "reranker",
	"guardrail", "evaluator", "workflow", "memory", "plan", "handoff",
}

// String returns the name that YAML, JSON, OTLP and ClickHouse use.
func (k Kind) String() string { return nameOf(KindNames, int(k)) }

// MarshalText makes a kind its name in JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// ParseKind is the inverse of [Kind.String], "unknown" included.
func ParseKind(s string) (Kind, error) {
	if s == KindNames[0] {
		return KindUnknown, nil
	}
	i, err := parseName("kind", KindNames, s)
	return Kind(i), err
}

// Capture says how much of a step's content the producer recorded.
type Capture uint8

const (
	CaptureFull     Capture = iota // all content that the producer emits when switched on
	CapturePartial                 // cut by a length limit
	CaptureRedacted                // replaced by placeholders
	CaptureOff                     // content capture was not switched on
)

var captureNames = [...]string{"full", "partial", "redacted", "off"}

// String returns the name that YAML, JSON, OTLP and ClickHouse use.
func (c Capture) String() string { return nameOf(captureNames[:], int(c)) }

// MarshalText makes a capture its name in JSON.
func (c Capture) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Step is a span read as something an agent did. Its fields are what the
// producer recorded, in one form for all producers; fields that need the other
// spans of the trace (CausedBy, Turn, DuplicateOf, inherited Agent and Session)
// are filled by package assemble.
type Step struct {
	ID        string // the span id, or derived for a step without a span; unique within the trace
	SpanID    string // 16 lower-case hex digits; empty for a step without a span
	TraceID   string // 32 lower-case hex digits
	ParentID  string // span id of the parent as the span states it; empty for a root
	CausedBy  string // id of the llm step that asked for this call; empty where none did
	Kind      Kind
	Capture   Capture
	Synthetic bool // made by package assemble for a call that has no span
	// KindSource is the evidence that decided the kind: an attribute's key,
	// "name", "event", "fallback", or a reason of package assemble.
	KindSource string
	Dialect    string // the reader that claimed the span, as in docs/frameworks.md
	Name       string // the span's name
	Scope      string // instrumentation scope
	Agent      Agent  // the agent that acted: of the span itself, else of the nearest agent ancestor
	Service    Service
	Session    string
	User       string
	Turn       int // number of the user turn within the trace, from 1; 0 before the first
	Start      time.Time
	End        time.Time
	Status     Status
	Model      Model
	Offered    Value // tool definitions offered to an llm step; see [Step.Tools]
	Input      Messages
	Output     Messages
	// RawInput and RawOutput are the input and output of a step where they are
	// not messages (a workflow's input, a guardrail's verdict). A tool's
	// arguments and result are in Tool instead.
	RawInput    Value
	RawOutput   Value
	Tool        *Tool // tool, handoff, memory and retriever steps; nil where the step is no call
	Documents   []Document
	Usage       Usage
	Cost        Cost
	DuplicateOf string // id of the step that recorded the same thing
	Losses      []Loss
	Attributes  map[string]any // attributes that rules name; see normalise.Options
	Hints       Hints
}

// Agent identifies who acted.
type Agent struct {
	ID, Name, Version string
}

// Service is the resource that emitted the span.
type Service struct {
	Name, Version string
}

// Refused is the type of the failure of a call that a person did not let run.
const Refused = "refused"

// Status is how a step ended.
type Status struct {
	// Failed is true where the producer said so in any of its ways: span
	// status, exception event, error attribute, or error payload.
	Failed    bool
	ErrorType string
	Message   string
	Source    string // where the failure was found: status, exception, attribute, payload
}

// Model identifies the model of an llm, embedding or reranker step.
type Model struct {
	Provider      string
	Request       string   // the name asked for
	Response      string   // the name that answered
	ResponseID    string   // the provider's id of the reply
	FinishReasons []string // normalised: stop, length, tool_call, content_filter, error, other
}

// Tool is one call of a tool.
type Tool struct {
	Name        string
	CallID      string
	CallIDFrom  string // empty where the producer gave the id; "inferred" where assemble matched it
	Type        string
	Description string
	Arguments   Value
	Result      Value
	// Error is what went wrong, as the model or the span was told. Empty for a
	// call that succeeded.
	Error string
}

// Document is one retrieved document. Empty fields were not given.
type Document struct {
	ID          string         `json:"id,omitempty"`
	Title       string         `json:"title,omitempty"`
	URL         string         `json:"url,omitempty"`
	PublishedAt string         `json:"published_at,omitempty"` // as the source wrote it
	Content     string         `json:"content,omitempty"`
	Score       *float64       `json:"score,omitempty"`
	Source      string         `json:"source,omitempty"`   // origin as stated: a domain, an index, a file
	Metadata    map[string]any `json:"metadata,omitempty"` // what else the producer gave
	Field       string         `json:"field,omitempty"`    // where in the step it was found: "documents", or a path into the tool's result
}

// UsageScope says whose tokens a Usage counts.
type UsageScope uint8

const (
	UsageNone      UsageScope = iota // no usage recorded
	UsageOwn                         // of this step alone
	UsageAggregate                   // sums over steps below, or part of what a step above states; never added up again
)

// String returns the name that JSON and ClickHouse use.
func (s UsageScope) String() string {
	return nameOf([]string{"none", "own", "aggregate"}, int(s))
}

// Usage counts tokens. Input includes cache reads and writes, Output includes
// reasoning, whatever the producer's own habit. Scope says whether anything was
// recorded at all; a count that was not is 0.
type Usage struct {
	Input      int64
	Output     int64
	Reasoning  int64
	CacheRead  int64
	CacheWrite int64
	Scope      UsageScope
}

// Add adds the counts of o.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.Output += o.Output
	u.Reasoning += o.Reasoning
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
}

// Cost is money as the producer stated it; the zero value is unknown.
type Cost struct {
	Amount   float64
	Currency string
}

// Loss is one thing that could not be read. Reason is from the closed list
// [LossReasons].
type Loss struct {
	Reason string
	Key    string // attribute, event or field
	Detail string
}

// LossReasons is the closed list of why content was not read.
var LossReasons = []string{
	"cut",          // shortened by an attribute length limit
	"redacted",     // replaced by a placeholder
	"unparsable",   // claimed to be data, and is not
	"unmapped",     // content-bearing, and no field of a step takes it
	"over_limit",   // beyond a limit of ours
	"binary",       // bytes of media, of which size and type are kept
	"wrong_type",   // an attribute of a type that the convention does not have
	"duplicate",    // the same content was read from another carrier
	"unjoined",     // a log record without its span
	"out_of_range", // an index that no list has
	"no_time",      // a start or end that is missing or makes no sense; the step's place comes from what it rests on
	"no_id",        // a span id or trace id that is missing
	"same_id",      // another span of the same id, which is not read: the one that ended last is
}

// Hints are facts that only package assemble uses to put a trace together.
type Hints struct {
	// Pending marks a placeholder that another record of the same span
	// replaces.
	Pending bool
	// Transport marks a span that only carries a call: HTTP, messaging, A2A,
	// MCP protocol noise.
	Transport bool
	// Chunk marks a span that repeats a part of its parent's stream.
	Chunk bool
	// Guess marks a step whose kind follows from common words alone, so that it
	// stands only beside what is of an agent for other reasons.
	Guess bool
	// Tells marks a step whose output is the results of tools that a model asked
	// for before.
	Tells bool
	// PartialUsage marks a model call of which the producer counts only some of
	// the tokens: what had been streamed when it wrote them down.
	PartialUsage bool
	// Merge names what the step repeats, where the producer is known to record
	// one thing several times: steps of one parent chain with equal Merge are one.
	Merge string
	// StreamKey joins the two halves that some producers write for a streamed
	// call; empty where there are none.
	StreamKey string
	RPCID     string // JSON-RPC request id of an MCP call
	RPCSide   string // client or server
	// Continues names the call, by the id of its reply or of its span, whose
	// conversation the provider or the producer put before this step's input,
	// which has only what is new.
	Continues string
	// Dropped is how many of that call's last messages this one no longer has.
	Dropped int
	// NewFrom is the index of the first message of Input+Output that is new in
	// this step, where the producer says so; 0 otherwise.
	NewFrom int
	Links   []Link
	// Unread is what a span that nobody knows carries: it may be a tool's, which
	// the call that asked for it can tell.
	Unread []Value
	// Evaluation is a result that another tool recorded for this span.
	Evaluation *Evaluation
}

// Link points to another span.
type Link struct {
	TraceID, SpanID string
}

// Evaluation is somebody else's gen_ai.evaluation.result.
type Evaluation struct {
	Name, Label, Explanation, ErrorType string
	Score                               *float64
}

// ToolDefinition is one tool that was offered to a model.
type ToolDefinition struct {
	Name        string
	Description string
	Parameters  any // JSON Schema, decoded
}

// Label names the step for people: the tool, the agent or the model, else the
// span's name.
func (s *Step) Label() string {
	switch {
	case s.Tool != nil && s.Tool.Name != "":
		return s.Tool.Name
	case s.Kind == KindAgent && s.Agent.Name != "":
		return s.Agent.Name
	case s.Kind == KindLLM && s.Model.Response != "":
		return s.Model.Response
	case s.Kind == KindLLM && s.Model.Request != "":
		return s.Model.Request
	}
	return s.Name
}

// Witness is the id by which a finding names this step: its span, or the step
// itself where it has none.
func (s *Step) Witness() string {
	if s.SpanID != "" {
		return s.SpanID
	}
	return s.ID
}

// HasSpan reports whether a span says what the step is: one without an id too,
// but neither a log record nor the messages of a model call.
func (s *Step) HasSpan() bool {
	return s.SpanID != "" || slices.ContainsFunc(s.Losses, func(l Loss) bool { return l.Reason == "no_id" })
}

// Reasoning joins the reasoning of the output.
func (s *Step) Reasoning() string {
	var text string
	for _, m := range s.Output.List() {
		if r := m.Reasoning(); r != "" {
			if text != "" {
				text += "\n"
			}
			text += r
		}
	}
	return text
}

// Tools is the tool definitions offered to an llm step, in any of the shapes
// that producers use: {name, description, parameters}, {type, function: {…}},
// {name, input_schema}, and lists of JSON strings of these.
func (s *Step) Tools() []ToolDefinition {
	d := s.definitions()
	if !d.read {
		d.list, d.read = definitions(s.Offered.Data()), true
	}
	return d.list
}

// ShareTools makes s, which was offered the same text as t, read it with t. The
// two steps must then be used by one goroutine at a time.
func (s *Step) ShareTools(t *Step) {
	t.definitions()
	s.Offered = t.Offered
}

func (s *Step) definitions() *definitionList {
	if s.Offered.tools == nil {
		s.Offered.tools = &definitionList{}
	}
	return s.Offered.tools
}

// Lose records that something could not be read.
func (s *Step) Lose(reason, key, detail string) {
	s.Losses = append(s.Losses, Loss{Reason: reason, Key: key, Detail: detail})
}
