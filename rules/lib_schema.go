package rules

import (
	"fmt"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/jsonschema"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var schemaFunctions = []Function{
	{Name: "schemaErrors", Args: []Arg{{Name: "value", Kind: argAny}, {Name: "schema", Kind: argAny, check: isSchema}}, Result: textsType,
		Doc: "what is wrong with a value by a JSON Schema, which may be written as a mapping or come from the trace; empty where it fits. References to other documents are not followed.", Example: `len(schemaErrors({"n": 1}, {"type": "object", "required": ["n"]})) == 0`,
		call: func(_ *run, args []any) (any, error) {
			s, err := schemaOf(args[1])
			if err != nil {
				return nil, errText("schemaErrors: %w", err)
			}
			return s.errors(asJSON(args[0])), nil
		}},
	{Name: "argumentErrors", Args: []Arg{{Name: "llm", Kind: argStep}}, Result: textsType, Content: true,
		Doc: "what is wrong with the calls that an llm step asked for, by the definitions of the tools that it was offered: arguments that are no object, or do not fit the tool's schema. A tool that was not offered, or whose schema cannot be read, says nothing.", Example: `len(argumentErrors(first(llms()))) == 0`,
		call: onStep(argumentErrors, []string(nil))},
}

// schema is a compiled JSON Schema, or why there is none.
type schema struct {
	compiled *jsonschema.Schema
	err      error
}

// memo keeps what was made of a text: the same tools are offered in every call
// of every trace. It is emptied when it is full, since the texts come from
// strangers.
type memo[T any] struct {
	mu     sync.Mutex
	byText map[string]T
}

// get returns the value for a text, made by make where it is not kept.
func (m *memo[T]) get(text string, make func() T) T {
	m.mu.Lock()
	v, ok := m.byText[text]
	m.mu.Unlock()
	if ok {
		return v
	}
	v = make()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byText == nil || len(m.byText) >= maxMemo {
		m.byText = map[string]T{}
	}
	m.byText[text] = v
	return v
}

var (
	schemas  memo[*schema]
	toolsets memo[*toolset]
)

// toolset is the tools that were offered to an llm step.
type toolset struct {
	names   []string
	defs    []trace.ToolDefinition
	once    sync.Once
	schemas map[string]*schema
}

// offeredTo reads what was offered to a step.
func offeredTo(s *step) *toolset {
	if s.tools == nil {
		read := func() *toolset {
			t := &toolset{names: []string{}, defs: s.Tools()}
			for _, d := range t.defs {
				t.names = append(t.names, d.Name)
			}
			return t
		}
		if text := s.Offered.Text(); len(text) <= maxSchemaBytes {
			s.tools = toolsets.get(text, read)
		} else {
			s.tools = read()
		}
	}
	return s.tools
}

// compiled is the schemas of the tools, of those whose schema can be read.
func (t *toolset) compiled() map[string]*schema {
	t.once.Do(func() {
		t.schemas = map[string]*schema{}
		for _, d := range t.defs {
			if d.Parameters == nil {
				continue
			}
			if one, err := schemaOf(d.Parameters); err == nil {
				t.schemas[d.Name] = one
			}
		}
	})
	return t.schemas
}

const (
	maxMemo        = 1000
	maxSchemaBytes = 256 << 10
	maxProblems    = 10 // problems reported of one value
)

func schemaOf(data any) (*schema, error) {
	if err := bounded("schema", data); err != nil {
		return nil, err
	}
	text := trace.EncodeJSON(data)
	if len(text) > maxSchemaBytes {
		return nil, errText("the schema has %d bytes: at most %d are read", len(text), maxSchemaBytes)
	}
	s := schemas.get(text, func() *schema { return compileSchema(text) })
	return s, s.err
}

func isSchema(v any) error {
	_, err := schemaOf(v)
	return err
}

func compileSchema(text string) *schema {
	compiled, err := jsonschema.Compile(value.Decode(text))
	if err != nil {
		return &schema{err: errText("%s", firstLine(err.Error()))}
	}
	return &schema{compiled: compiled}
}

// errors says what is wrong with a value, place by place.
func (s *schema) errors(v any) []string {
	var list []string
	for _, e := range s.compiled.Errors(v) {
		if len(list) < maxProblems {
			list = append(list, cut(e.String(), maxValue))
		}
	}
	return list
}

// asJSON is a value of the rule language as decoded JSON.
func asJSON(v any) any {
	list, _ := value.Decode("[" + trace.EncodeJSON(v) + "]").([]any)
	if len(list) != 1 {
		return nil
	}
	return list[0]
}

func argumentErrors(w *run, s *step) any {
	calls, captured := requestedCalls(w, s)
	w.missing = w.missing || !captured || (s.Kind == trace.KindLLM && !s.Offered.Captured() && len(calls) > 0)
	if len(calls) == 0 {
		return []string(nil)
	}
	offered := offeredTo(s).compiled()
	var list []string
	for _, c := range calls {
		call := c.(*trace.Part)
		tool := offered[call.Name]
		if tool == nil || !call.Value.Captured() {
			continue
		}
		args := call.Value.Data()
		if text, isText := args.(string); isText && strings.TrimSpace(text) != "" {
			list = append(list, fmt.Sprintf("%s: the arguments are no JSON object", call.Name))
			continue
		} else if isText || args == nil {
			args = map[string]any{}
		}
		for _, e := range tool.errors(args) {
			list = append(list, call.Name+": "+e)
		}
	}
	return list
}
