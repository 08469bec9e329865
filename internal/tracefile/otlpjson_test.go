package tracefile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// sameAsPdata compares a document that was read by way of protobuf with what
// pdata's own decoder reads. It reports whether that way was taken.
func sameAsPdata(t *testing.T, doc []byte) (taken bool) {
	t.Helper()
	var p parser
	got, gotErr := p.unmarshal(doc)
	want, wantErr := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(doc)
	taken = (&transcoder{}).traces(doc)
	if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
		t.Fatalf("%.300q: error %v, want %v", doc, gotErr, wantErr)
	}
	if gotErr != nil {
		return taken
	}
	m := ptrace.JSONMarshaler{}
	x, err := m.MarshalTraces(got)
	if err != nil {
		t.Fatal(err)
	}
	y, err := m.MarshalTraces(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Fatalf("%.300q:\nread as %.600s\nwant    %.600s", doc, x, y)
	}
	return taken
}

// Every recorded trace is read by way of protobuf, and reads as pdata reads it.
func TestRecordedTracesAsPdataReadsThem(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/traces/*/*.otlp.jsonl")
	docs := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			if firstKey(line) != "resourceSpans" {
				continue
			}
			docs++
			if !sameAsPdata(t, line) {
				t.Errorf("%s: a document that exporters wrote is left to pdata: %.300s", name, line)
			}
		}
	}
	if docs < 200 {
		t.Errorf("%d documents, want all", docs)
	}
}

// around puts members of a span, or an attribute's value, into a document.
func around(span string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{` + span + `}]}]}]}`
}

func attribute(value string) string {
	return around(`"attributes":[{"key":"k","value":` + value + `}]`)
}

// What is unusual is either read as pdata reads it, or left to pdata.
var unusual = []struct {
	name, doc string
	taken     bool
}{
	{"nothing", `{}`, true},
	{"no spans", `{"resourceSpans":[]}`, true},
	{"spaces", " {\n\t\"resourceSpans\" : [ { \"scopeSpans\" : [ ] } ]\r\n}\n", true},
	{"a resource, scopes and schemas", `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"s"}}],"droppedAttributesCount":2},"scopeSpans":[{"scope":{"name":"n","version":"v","attributes":[{"key":"a","value":{}}],"droppedAttributesCount":1},"schemaUrl":"u","spans":[{}]}],"schemaUrl":"r"}]}`, true},
	{"all of a span", around(`"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","parentSpanId":"","traceState":"a=b","flags":257,"name":"n","kind":3,"startTimeUnixNano":"1544712660000000000","endTimeUnixNano":1544712661000000000,"droppedAttributesCount":1,"droppedEventsCount":2,"droppedLinksCount":3,"events":[{"timeUnixNano":"5","name":"e","attributes":[{"key":"a","value":{"intValue":"-3"}}],"droppedAttributesCount":4}],"links":[{"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"EEE19B7EC3C1B174","traceState":"","attributes":[],"droppedAttributesCount":0,"flags":1}],"status":{"message":"m","code":2}`), true},
	{"values of all types", attribute(`{"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{"values":[{"intValue":"9223372036854775807"},{"intValue":-1},{"doubleValue":0.1},{"doubleValue":-0.0},{"doubleValue":5},{"doubleValue":1.5e-7},{"boolValue":true},{"boolValue":false},{"stringValue":""},{},{"arrayValue":{}},{"kvlistValue":{}}]}}}]}}`), true},
	{"a key twice", around(`"attributes":[{"key":"k","value":{"intValue":1}},{"key":"k","value":{"intValue":2}}]`), true},
	{"two values in one", attribute(`{"intValue":1,"stringValue":"two"}`), true},
	{"escapes", attribute(`{"stringValue":"\"\\\/\b\f\n\r\t\u00e9\u0000\ud83d\ude00 <é😀>"}`), true},
	{"a text that ends within eight bytes", attribute(`{"stringValue":"1234567\\"}`), true},
	{"bytes that are no UTF-8", attribute("{\"stringValue\":\"\xff\xfe\"}"), true},
	{"half a pair of surrogates", attribute(`{"stringValue":"\ud83d \ude00"}`), false},
	{"a surrogate and another escape", attribute(`{"stringValue":"\ud83d\u0041"}`), false},
	{"an escape that is none", attribute(`{"stringValue":"\x41"}`), false},
	{"an escape without its digits", attribute(`{"stringValue":"\u00g1"}`), false},
	{"a line break in a text", attribute("{\"stringValue\":\"a\nb\"}"), false},
	{"a line break after an escape", attribute("{\"stringValue\":\"\\\"a\nb\"}"), false},
	{"bytes", attribute(`{"bytesValue":"aGk="}`), true},
	{"no bytes", attribute(`{"bytesValue":""}`), true},
	{"bytes that are no base64", attribute(`{"bytesValue":"a"}`), false},
	{"null", attribute(`null`), false},
	{"no list", `{"resourceSpans":null}`, false},
	{"an unknown member", around(`"name":"n","other":{"a":[1,"]"]}`), false},
	{"the other spelling", `{"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"5b8efff798038103d269b633813fc60c"}]}]}]}`, false},
	{"numbers by their names", around(`"kind":"SPAN_KIND_CLIENT","status":{"code":"STATUS_CODE_ERROR"}`), true},
	{"a name that is none", around(`"kind":"SPAN_KIND_OTHER"`), false},
	{"a kind in quotes", around(`"kind":"3"`), false},
	{"a negative kind", around(`"kind":-1`), false},
	{"a number too large", attribute(`{"intValue":"9223372036854775808"}`), false},
	{"a fraction for a whole number", attribute(`{"intValue":7.0}`), false},
	{"a number with a zero before it", attribute(`{"intValue":07}`), false},
	{"a number with spaces", attribute(`{"intValue":" 7"}`), false},
	{"a number without an end", attribute(`{"doubleValue":1.}`), false},
	{"a number in quotes", attribute(`{"doubleValue":"1.5"}`), false},
	{"a number beyond all", attribute(`{"doubleValue":1e999}`), false},
	{"a short id", around(`"spanId":"eee1"`), false},
	{"an id that is no hex", around(`"spanId":"eee19b7ec3c1b17g"`), false},
	{"cut", around(`"name":"n"`)[:50], false},
	{"cut in an escape", `{"resourceSpans":[{"schemaUrl":"\`, false},
	{"something after it", `{} {}`, false},
	{"a zero byte after it", "{}\x00", false},
	{"no comma", around(`"name":"n" "kind":1`), false},
	{"a comma too much", around(`"name":"n",`), false},
	{"a word that is none", attribute(`{"boolValue":tru}`), false},
	{"nested as deep as protobuf has it", attribute(strings.Repeat(`{"arrayValue":{"values":[`, 20) + `{}` + strings.Repeat(`]}}`, 20)), true},
	{"nested deeper", attribute(strings.Repeat(`{"arrayValue":{"values":[`, 200) + `{}` + strings.Repeat(`]}}`, 200)), false},
}

func TestUnusualTracesAsPdataReadsThem(t *testing.T) {
	for _, tt := range unusual {
		t.Run(tt.name, func(t *testing.T) {
			if taken := sameAsPdata(t, []byte(tt.doc)); taken != tt.taken {
				t.Errorf("rewritten as protobuf: %v, want %v", taken, tt.taken)
			}
		})
	}
}

func FuzzTracesAsPdataReadsThem(f *testing.F) {
	for _, tt := range unusual {
		f.Add([]byte(tt.doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var p parser
		if p.wire.traces(doc) { // else pdata reads it anyway
			sameAsPdata(t, doc)
		}
	})
}

// The memory of a large document is not kept.
func TestLargeDocumentIsForgotten(t *testing.T) {
	var p parser
	if _, err := p.unmarshal([]byte(around(`"name":"` + strings.Repeat("x", keptMax) + `"`))); err != nil || p.wire.out != nil {
		t.Errorf("%d bytes are kept, %v", cap(p.wire.out), err)
	}
}

// BenchmarkTraces is what reading a span of the recorded traces costs, and what
// it costs pdata's decoder.
func BenchmarkTraces(b *testing.B) {
	files, _ := filepath.Glob("../../testdata/traces/*/S*[0-9].otlp.jsonl")
	var docs [][]byte
	size := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			if firstKey(line) == "resourceSpans" {
				docs = append(docs, line)
				size += len(line)
			}
		}
	}
	var p parser
	for _, way := range []struct {
		name string
		read func([]byte) (ptrace.Traces, error)
	}{{"by way of protobuf", p.unmarshal}, {"pdata", (&ptrace.JSONUnmarshaler{}).UnmarshalTraces}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, doc := range docs {
					if _, err := way.read(doc); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
