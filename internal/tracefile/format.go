package tracefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/value"
)

// A format is one kind of document that can be read.
type format struct {
	name string
	// looksFor says by what a document is recognised; it is shown for a
	// document that no format recognises.
	looksFor string
	// entry reports whether a line of JSON, the first of a file, is an entry of
	// this format, in which all lines of a file are one document, their list.
	// It is nil where documents stand alone.
	entry func(line string) bool
	// columns reports whether the header of a CSV is that of this format's entries,
	// by which columns it has. It is nil where no table is read.
	columns func(has func(name string) bool) bool
	// detect reports whether a decoded document has this format.
	detect func(doc any) bool
	// A format of spans has read, one of conversations has chats.
	read  func(doc any) (Data, error)
	chats func(doc any) ([]chat, error)
}

// formats is every format besides OTLP, in the order in which they are tried.
var formats = slices.Concat([]format{jaeger, tempo, langfuse, langsmith, spandump, harnesslog}, transcripts, []format{messages})

// Formats lists the names that Options.Format accepts.
func Formats() []string {
	names := []string{"otlp"}
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// CheckFormat reports a name that is not one of [Formats]; empty is fine.
func CheckFormat(name string) error {
	if name == "" || name == "otlp" {
		return nil
	}
	for _, f := range formats {
		if f.name == name {
			return nil
		}
	}
	return fmt.Errorf("input format %q: want one of %s", name, strings.Join(Formats(), ", "))
}

func (f *format) data(doc any, nth int) (Data, error) {
	if f.read != nil {
		return f.read(doc)
	}
	chats, err := f.chats(doc)
	if err != nil {
		return Data{}, err
	}
	return chatData(chats, nth), nil
}

var (
	errUnrecognised = errors.New("no known trace format")
	errMetrics      = errors.New("a document of metrics")
	errEntries      = errors.New("a list of documents")
)

// parser reads documents. It is not safe for concurrent use.
type parser struct {
	traces ptrace.JSONUnmarshaler
	logs   plog.JSONUnmarshaler
	wire   transcoder
}

// otlpKeys are the top-level keys of the OTLP documents, in both spellings
// that the JSON encoding of protobuf allows.
var otlpKeys = map[string]string{
	"resourceSpans": "traces", "resource_spans": "traces",
	"resourceLogs": "logs", "resource_logs": "logs",
	"resourceMetrics": "metrics", "resource_metrics": "metrics",
	"resourceProfiles": "metrics", "resource_profiles": "metrics",
}

// parse reads the bytes of a document that was the nth, from 0, of the equal
// ones of its file.
func (p *parser) parse(b []byte, want string, nth int) (Data, error) {
	if len(b) == 0 || b[0] != '{' && b[0] != '[' {
		return Data{}, notJSON(b)
	}
	// Almost every document is OTLP and says so in its first key; only others
	// are decoded to look at them.
	if signal := otlpKeys[firstKey(b)]; signal != "" && (want == "" || want == "otlp") {
		return p.otlp(signal, b)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return Data{}, fmt.Errorf("JSON: %w", err)
	}
	if list, ok := doc.([]any); ok && len(list) > 0 && !knows(doc, want) && knows(list[0], want) {
		return Data{}, errEntries
	}
	if want != "otlp" {
		for _, f := range formats {
			if f.name == want || want == "" && f.detect(doc) {
				data, err := f.data(doc, nth)
				data.Format = f.name
				if (err == nil || errors.Is(err, errNoEntries)) && want != "" && !f.detect(doc) && (data.Traces == (ptrace.Traces{}) || data.Traces.SpanCount() == 0) {
					err = fmt.Errorf("no %s document: looked for %s", f.name, f.looksFor)
				}
				return data, err
			}
		}
	}
	if signal := otlpSignal(doc); signal != "" {
		return p.otlp(signal, b)
	}
	if rows := rowsOf(doc); rows != nil && knows(rows, want) {
		return p.parse([]byte(jsonText(rows)), want, nth)
	}
	return Data{}, unrecognised(doc)
}

// asJSON is a document that Python printed as JSON; nil where it is none, or is cut off.
func asJSON(b []byte) []byte {
	data, info := value.Parse(string(b))
	if info.Form != value.FormPython || info.Cut {
		return nil
	}
	return []byte(jsonText(data))
}

// otlp reads a document that has a key of the given signal: spans, log records,
// or both where it has both keys.
func (p *parser) otlp(signal string, b []byte) (Data, error) {
	if signal == "metrics" {
		switch {
		case hasKey(b, "resourceSpans", "resource_spans"):
			signal = "traces"
		case hasKey(b, "resourceLogs", "resource_logs"):
			signal = "logs"
		default:
			return Data{}, errMetrics
		}
	}
	d := Data{Format: "otlp"}
	var err error
	if signal == "traces" || hasKey(b, "resourceSpans", "resource_spans") {
		if d.Traces, d.left, err = unmarshalled(b, &tracesLayout, p.unmarshal); err != nil {
			return Data{}, fmt.Errorf("OTLP traces: %w", err)
		}
	}
	if signal == "logs" || hasKey(b, "resourceLogs", "resource_logs") {
		spans := d.left
		if d.Logs, d.left, err = unmarshalled(b, &logsLayout, p.logs.UnmarshalLogs); err != nil {
			return Data{}, fmt.Errorf("OTLP logs: %w", err)
		}
		d.left.join(spans)
	}
	return d, nil
}

// hasKey reports whether a document may have a key, in either of two spellings
// with the same end: somewhere in it stands a text of that name which no
// backslash escapes.
func hasKey(b []byte, key, other string) bool {
	end := []byte(key[len(key)-3:] + `"`)
	for {
		i := bytes.Index(b, end)
		if i < 0 {
			return false
		}
		i += len(end) - 1
		if bytes.HasSuffix(b[:i], []byte(`"`+key)) || bytes.HasSuffix(b[:i], []byte(`"`+other)) {
			return true
		}
		b = b[i:]
	}
}

// entries are the documents that a JSON array holds, each with its place.
func entries(list document) ([]document, error) {
	d := json.NewDecoder(bytes.NewReader(list.bytes))
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("JSON: %w", err)
	}
	var out []document
	counted, place := 0, list.place
	for d.More() {
		var entry json.RawMessage
		if err := d.Decode(&entry); err != nil {
			return nil, fmt.Errorf("JSON: entry %d: %w", len(out), err)
		}
		start := int(d.InputOffset()) - len(entry)
		if place.Line > 0 {
			place.Line += bytes.Count(list.bytes[counted:start], []byte("\n"))
		}
		place.Offset += int64(start - counted)
		counted = start
		out = append(out, document{place, entry})
	}
	return out, nil
}

// knows reports whether a document has the wanted format, or any.
func knows(doc any, want string) bool {
	return (want == "" || want == "otlp") && otlpSignal(doc) != "" ||
		slices.ContainsFunc(formats, func(f format) bool { return (want == "" || want == f.name) && f.detect(doc) })
}

// otlpSignal is what an object of OTLP holds, or "".
func otlpSignal(doc any) string {
	o, _ := doc.(map[string]any)
	for key := range o {
		if signal := otlpKeys[key]; signal != "" {
			return signal
		}
	}
	return ""
}

// firstKey is the first key of a JSON object, or "" where there is none that
// is written plainly.
func firstKey(b []byte) string {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) == 0 || b[0] != '{' {
		return ""
	}
	b = bytes.TrimLeft(b[1:], " \t\r\n")
	if len(b) == 0 || b[0] != '"' {
		return ""
	}
	end := bytes.IndexByte(b[1:], '"')
	if end < 0 {
		return ""
	}
	return string(b[1 : 1+end])
}

func notJSON(b []byte) error {
	return fmt.Errorf("%w: neither JSON nor OTLP protobuf, it begins with %q", errUnrecognised, b[:min(len(b), 20)])
}

// unrecognised says what a document has and what was looked for.
func unrecognised(doc any) error {
	var has string
	switch v := doc.(type) {
	case map[string]any:
		has = "an object with " + keyList(v)
	case []any:
		has = "an empty list"
		if len(v) > 0 {
			has = "a list that begins with " + kindOf(v[0])
			if o, ok := v[0].(map[string]any); ok {
				has = "a list of objects with " + keyList(o)
			}
		}
	default:
		has = kindOf(doc)
	}
	wants := []string{"otlp (resourceSpans or resourceLogs)"}
	for _, f := range formats {
		wants = append(wants, f.name+" ("+f.looksFor+")")
	}
	return fmt.Errorf("%w: %s; looked for %s", errUnrecognised, has, strings.Join(wants, ", "))
}

// keyList names up to eight keys, in alphabetical order.
func keyList(o map[string]any) string {
	keys := slices.Sorted(maps.Keys(o))
	if len(keys) == 0 {
		return "no keys"
	}
	more := ""
	if len(keys) > 8 {
		keys, more = keys[:8], ", …"
	}
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%.40q", k)
	}
	return "the keys " + strings.Join(keys, ", ") + more
}
