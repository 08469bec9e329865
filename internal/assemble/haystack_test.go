package assemble_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// haystack is the bytes of a run in every encoding that a value may have there:
// as it stands, as the texts that JSON in JSON in JSON decodes to, as data, and
// squeezed: without the marks by which encodings differ.
type haystack struct {
	squeezed []string
	data     map[string]bool
	tokens   map[string]bool // "class number", by what its key says that it counts
}

func newHaystack(t testing.TB, pattern string) *haystack {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(tracesDir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	h := &haystack{data: make(map[string]bool), tokens: make(map[string]bool)}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		h.squeezed = append(h.squeezed, squeeze(string(b)))
		for line := range bytes.Lines(b) {
			d := json.NewDecoder(bytes.NewReader(line))
			d.UseNumber()
			var v any
			if d.Decode(&v) == nil {
				h.walk(v, "", 0)
			}
		}
	}
	return h
}

var marks = strings.NewReplacer(" ", "", "\n", "", "\r", "", "\t", "", `"`, "", "'", "", `\`, "")

func squeeze(s string) string { return marks.Replace(s) }

func (h *haystack) walk(v any, path string, depth int) {
	if depth > 40 {
		return
	}
	v = untagged(v)
	switch v := v.(type) {
	case map[string]any:
		h.data[trace.EncodeJSON(v)] = true
		name, _ := v["key"].(string) // of an attribute
		for k, e := range v {
			h.walk(e, path+"."+k+"."+name, depth+1)
		}
	case []any:
		h.data[trace.EncodeJSON(v)] = true
		for _, e := range v {
			h.walk(e, path, depth+1)
		}
	case string:
		h.squeezed = append(h.squeezed, squeeze(v))
		h.number(v, path)
		if inner := value.Decode(v); inner != any(v) {
			h.walk(inner, path, depth+1)
		}
	default:
		h.number(trace.EncodeJSON(v), path)
	}
}

// tokenClasses are the words in keys that say what a number of tokens counts.
var tokenClasses = map[string][]string{
	"input":     {"input", "prompt"},
	"output":    {"output", "completion", "candidates"},
	"reasoning": {"reasoning", "thought"},
	"cached":    {"cache"},
}

func (h *haystack) number(text, path string) {
	path = strings.ToLower(path)
	if !strings.Contains(path, "token") && !strings.Contains(path, "usage") {
		return
	}
	for class, words := range tokenClasses {
		for _, w := range words {
			if strings.Contains(path, w) {
				h.tokens[class+" "+text] = true
			}
		}
	}
}

// untagged turns OTLP's tagged values into what they stand for.
func untagged(v any) any {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return v
	}
	for k, e := range m {
		switch k {
		case "stringValue", "intValue", "doubleValue", "boolValue":
			return e
		case "arrayValue":
			if list, ok := e.(map[string]any); ok {
				values, _ := list["values"].([]any)
				out := make([]any, len(values))
				for i, x := range values {
					out[i] = untagged(x)
				}
				return out
			}
		case "kvlistValue":
			if list, ok := e.(map[string]any); ok {
				out := make(map[string]any)
				values, _ := list["values"].([]any)
				for _, x := range values {
					if kv, ok := x.(map[string]any); ok {
						name, _ := kv["key"].(string)
						out[name] = untagged(kv["value"])
					}
				}
				return out
			}
		}
	}
	return v
}

// text reports whether a text occurs.
func (h *haystack) text(s string) bool {
	s = squeeze(s)
	for _, t := range h.squeezed {
		if strings.Contains(t, s) {
			return true
		}
	}
	return false
}

// json reports whether data occurs, as data or as text.
func (h *haystack) json(data any) bool {
	text := trace.EncodeJSON(data)
	return h.data[text] || h.text(text)
}
