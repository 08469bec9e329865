package rubric

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tracegrade/tracegrade/internal/jsonschema"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// jsonSchema passes where the text is one JSON document (RFC 8259) that fits
// the schema. It repairs nothing: what the next program could not read fails,
// a fence of Markdown around the document too.
func (c *Check) jsonSchema(text, _ string) result {
	data, err := strictJSON(text)
	if err != nil {
		return result{message: fmt.Sprintf("not JSON: %v: %q", err, firstWords(text, 80))}
	}
	if wrong := c.schema.Errors(data); len(wrong) > 0 {
		texts := make([]string, len(wrong))
		for i, e := range wrong {
			texts[i] = e.String()
		}
		return result{message: firstWords(strings.Join(texts, "; "), 300)}
	}
	return holds(true)
}

// compileSchema reads a schema that stands in a rubric as YAML.
func compileSchema(yaml any) (*jsonschema.Schema, error) {
	text, err := json.Marshal(yaml)
	if err != nil { // what YAML has and JSON has not: keys that are no texts, .nan
		return nil, err
	}
	schema, err := strictJSON(string(text))
	if err != nil {
		return nil, err
	}
	return jsonschema.Compile(schema)
}

// strictJSON decodes one document into what [jsonschema.Schema.Errors] takes.
// The error begins with the line and the byte of the line where the text stops
// being JSON.
func strictJSON(text string) (any, error) {
	raw := []byte(text)
	var document json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(raw, &document); {
	case errors.As(err, &syntax):
		before := raw[:min(max(int(syntax.Offset)-1, 0), len(raw))]
		return nil, fmt.Errorf("line %d, byte %d: %w", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'), err)
	case err != nil:
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(document))
	d.UseNumber()
	var data any
	if err := d.Decode(&data); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return numbered(data), nil
}

// numbered makes the numbers of a document int64 where they are whole and
// small enough, else float64.
func numbered(data any) any {
	switch v := data.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // beyond its range: infinite, which no bound admits
		return f
	case []any:
		for i := range v {
			v[i] = numbered(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbered(v[k])
		}
	}
	return data
}

// dataOf is what a step returned, without the labels of [StepText].
func dataOf(s *trace.Step) string {
	if s.Tool != nil {
		return s.Tool.Result.Text()
	}
	for _, m := range s.Output.List() {
		if text := m.Text(); text != "" {
			return text
		}
	}
	return s.RawOutput.Text()
}
