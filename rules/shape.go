package rules

import (
	"reflect"
	"strings"
	"time"
)

// The types of this file are what the type checker sees. Their values never
// exist: after checking, each access to a field is replaced by a call of the
// getter in fields.go (a test keeps the two lists equal). What they say about
// names and types is the reference for rule writers.

// Step is a step in an expression.
type Step struct {
	ID            string         `expr:"id"`
	SpanID        string         `expr:"span_id"`
	TraceID       string         `expr:"trace_id"`
	Kind          string         `expr:"kind"`
	Name          string         `expr:"name"`
	Label         string         `expr:"label"`
	Agent         string         `expr:"agent"`
	Service       string         `expr:"service"`
	Session       string         `expr:"session"`
	Turn          int            `expr:"turn"`
	Index         int            `expr:"index"`
	Depth         int            `expr:"depth"`
	OK            bool           `expr:"ok"`
	Error         string         `expr:"error"`
	ErrorType     string         `expr:"error_type"`
	Start         time.Time      `expr:"start"`
	Duration      time.Duration  `expr:"duration"`
	Seconds       float64        `expr:"seconds"`
	Model         string         `expr:"model"`
	Provider      string         `expr:"provider"`
	FinishReasons []string       `expr:"finish_reasons"`
	Input         string         `expr:"input"`
	Output        string         `expr:"output"`
	Reasoning     string         `expr:"reasoning"`
	Tool          *Tool          `expr:"tool"`
	Requested     []*Call        `expr:"requested"`
	Offered       []string       `expr:"offered"`
	Documents     []*Document    `expr:"documents"`
	Usage         *Usage         `expr:"usage"`
	Cost          float64        `expr:"cost"`
	Capture       string         `expr:"capture"`
	Losses        []string       `expr:"losses"`
	Dialect       string         `expr:"dialect"`
	Synthetic     bool           `expr:"synthetic"`
	Attributes    map[string]any `expr:"attributes"`
}

// Tool is the call of a tool, retriever or hand-off step.
type Tool struct {
	Name      string `expr:"name"`
	CallID    string `expr:"call_id"`
	Arguments any    `expr:"arguments"`
	Result    any    `expr:"result"`
	Done      bool   `expr:"done"`
	OK        bool   `expr:"ok"`
	Error     string `expr:"error"`
}

// Call is one tool call that a model asked for.
type Call struct {
	ID        string `expr:"id"`
	Name      string `expr:"name"`
	Arguments any    `expr:"arguments"`
}

// Document is one retrieved document.
type Document struct {
	ID          string  `expr:"id"`
	Title       string  `expr:"title"`
	URL         string  `expr:"url"`
	PublishedAt string  `expr:"published_at"`
	Content     string  `expr:"content"`
	Source      string  `expr:"source"`
	Score       float64 `expr:"score"`
}

// Usage counts tokens.
type Usage struct {
	Input      int  `expr:"input"`
	Output     int  `expr:"output"`
	Reasoning  int  `expr:"reasoning"`
	CacheRead  int  `expr:"cache_read"`
	CacheWrite int  `expr:"cache_write"`
	Total      int  `expr:"total"`
	Known      bool `expr:"known"`
}

// Trace is the trace in an expression.
type Trace struct {
	ID             string        `expr:"id"`
	Session        string        `expr:"session"`
	User           string        `expr:"user"`
	Service        string        `expr:"service"`
	ServiceVersion string        `expr:"service_version"`
	Agent          string        `expr:"agent"`
	AgentVersion   string        `expr:"agent_version"`
	Complete       bool          `expr:"complete"`
	MissingParents int           `expr:"missing_parents"`
	Cycles         int           `expr:"cycles"`
	Release        string        `expr:"release"`
	Turns          int           `expr:"turns"`
	Start          time.Time     `expr:"start"`
	Duration       time.Duration `expr:"duration"`
	Seconds        float64       `expr:"seconds"`
	Usage          *Usage        `expr:"usage"`
	Cost           float64       `expr:"cost"`
	Unjoined       int           `expr:"unjoined"`
}

// Turn is one turn of a conversation.
type Turn struct {
	Number   int    `expr:"number"`
	Question string `expr:"question"`
	Answer   string `expr:"answer"`
	Previous *Turn  `expr:"previous"`
	Step     *Step  `expr:"step"`
}

// Observation is one piece of what a tool returned.
type Observation struct {
	Text      string `expr:"text"`
	Tool      string `expr:"tool"`
	Step      *Step  `expr:"step"`
	Source    string `expr:"source"`
	URL       string `expr:"url"`
	Title     string `expr:"title"`
	Date      string `expr:"date"`
	Authority string `expr:"authority"`
	Document  bool   `expr:"document"`
	Error     bool   `expr:"error"`
}

// Value is one value of the answer or of an argument, and where it comes from.
type Value struct {
	Text         string         `expr:"text"`
	Kind         string         `expr:"kind"`
	Value        string         `expr:"value"`
	Unit         string         `expr:"unit"`
	State        string         `expr:"state"`
	Given        bool           `expr:"given"`
	How          string         `expr:"how"`
	Operands     []string       `expr:"operands"`
	Observations []*Observation `expr:"observations"`
	Sources      []string       `expr:"sources"`
	Trivial      bool           `expr:"trivial"`
	Disputed     bool           `expr:"disputed"`
	Step         *Step          `expr:"step"`
}

// Conflict is two observations that state different values of one thing.
type Conflict struct {
	Subject string       `expr:"subject"`
	A       *Observation `expr:"a"`
	B       *Observation `expr:"b"`
	ValueA  string       `expr:"valueA"`
	ValueB  string       `expr:"valueB"`
	Better  string       `expr:"better"`
	Used    bool         `expr:"used"`
	Named   bool         `expr:"named"`
	Heeded  bool         `expr:"heeded"`
}

// Stale is an observation that is too old for the question.
type Stale struct {
	Observation *Observation `expr:"observation"`
	Date        string       `expr:"date"`
	Asked       string       `expr:"asked"`
	Reason      string       `expr:"reason"`
	Disclosed   bool         `expr:"disclosed"`
	Used        bool         `expr:"used"`
}

// Echo is observations that repeat one origin.
type Echo struct {
	Observations []*Observation `expr:"observations"`
	Similarity   float64        `expr:"similarity"`
}

var (
	observationType  = reflect.TypeFor[*Observation]()
	observationsType = reflect.TypeFor[[]*Observation]()
	valueType        = reflect.TypeFor[*Value]()
	valuesType       = reflect.TypeFor[[]*Value]()
	conflictType     = reflect.TypeFor[*Conflict]()
	conflictsType    = reflect.TypeFor[[]*Conflict]()
	staleType        = reflect.TypeFor[*Stale]()
	staleListType    = reflect.TypeFor[[]*Stale]()
	echoType         = reflect.TypeFor[*Echo]()
	echoesType       = reflect.TypeFor[[]*Echo]()
)

var (
	stepType     = reflect.TypeFor[*Step]()
	stepsType    = reflect.TypeFor[[]*Step]()
	toolType     = reflect.TypeFor[*Tool]()
	callType     = reflect.TypeFor[*Call]()
	documentType = reflect.TypeFor[*Document]()
	usageType    = reflect.TypeFor[*Usage]()
	traceType    = reflect.TypeFor[*Trace]()
	turnType     = reflect.TypeFor[*Turn]()
	turnsType    = reflect.TypeFor[[]*Turn]()
	anyType      = reflect.TypeFor[any]()
)

// owners names the types whose fields are read by getters.
var owners = map[reflect.Type]string{
	stepType: "step", toolType: "tool", callType: "call",
	documentType: "document", usageType: "usage", traceType: "trace",
	observationType: "observation", valueType: "value", conflictType: "conflict",
	staleType: "stale", echoType: "echo", turnType: "turn",
}

// typeName writes a type the way the documentation does.
func typeName(t reflect.Type) string {
	if t == nil {
		return "any"
	}
	if o, ok := owners[t]; ok {
		return o
	}
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "duration"
	case reflect.TypeFor[time.Time]():
		return "time"
	}
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Interface {
			return "list"
		}
		return "list of " + typeName(t.Elem())
	case reflect.Map:
		return "mapping"
	case reflect.Interface:
		return "any"
	case reflect.Float64:
		return "number"
	case reflect.Func:
		return "function"
	}
	return t.Kind().String()
}

// shapeField finds the type of a field of one of the shapes by its name in
// expressions.
func shapeField(owner reflect.Type, name string) (reflect.Type, bool) {
	t := owner.Elem()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("expr") == name {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}

// shapeNames lists the fields of a shape.
func shapeNames(owner reflect.Type) []string {
	t := owner.Elem()
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("expr")
	}
	return names
}

// goTypes rewrites the Go type names of the checker's messages to ours.
var goTypes = strings.NewReplacer(
	"*rules.", "", "rules.", "", "Step", "step", "Tool", "tool", "Call", "call",
	"Document", "document", "Usage", "usage", "Trace", "trace", "Observation", "observation",
	"Value", "value", "Conflict", "conflict", "Stale", "stale", "Echo", "echo", "Turn", "turn",
	"[]interface {}", "list", "interface {}", "any", "map[string]any", "mapping",
	"map[string]interface {}", "mapping", "float64", "number",
	"time.Duration", "duration", "time.Time", "time",
)

// inOurWords is an error of an evaluation in the words of the documentation. What
// an operator or a function of expr cannot work with, it says in Go's.
func inOurWords(msg string) string {
	msg = firstLine(msg)
	if _, kind, ok := strings.Cut(msg, "reflect: call of reflect.Value.Len on "); ok {
		return "want a list, have " + wordOf(strings.TrimSuffix(kind, " Value"))
	}
	if have, want, ok := strings.Cut(msg, ", not "); ok && strings.HasPrefix(have, "interface conversion: ") {
		_, have, _ = strings.Cut(have, " is ")
		return "want " + wordOf(want) + ", have " + wordOf(have)
	}
	return strings.ReplaceAll(goTypes.Replace(msg), "<nil>", "nil")
}

// wordOf is the name of a Go type with its article.
func wordOf(goType string) string {
	switch goType {
	case "zero", "nil", "<nil>":
		return "nil"
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "int", "int64", "float64":
		return "a number"
	}
	return "a " + goTypes.Replace(goType)
}
