package tracefile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// result is what a Read gave, in an order that does not depend on timing.
type result struct {
	names    []string // span names and log bodies
	problems []string
	stats    Stats
	err      error
}

func read(t *testing.T, opts Options, inputs ...string) result {
	t.Helper()
	var got result
	names := make(chan string, 10000)
	got.stats, got.err = Read(context.Background(), inputs, opts, Sink{
		Data: func(d Data) error {
			for _, rs := range d.Traces.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, s := range ss.Spans().All() {
						names <- s.Name()
					}
				}
			}
			for _, rl := range d.Logs.ResourceLogs().All() {
				for _, sl := range rl.ScopeLogs().All() {
					for _, l := range sl.LogRecords().All() {
						names <- "log " + l.Body().AsString()
					}
				}
			}
			return nil
		},
		Problem: func(p *Problem) { got.problems = append(got.problems, p.Error()) },
	})
	close(names)
	for n := range names {
		got.names = append(got.names, n)
	}
	sort.Strings(got.names)
	sort.Strings(got.problems)
	return got
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	traceID = "0102030405060708090a0b0c0d0e0f10"
	spanID  = "0102030405060708"
)

func spanDoc(name string) string {
	return fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":%q,"spanId":%q,"name":%q}]}]}]}`, traceID, spanID, name)
}

func logDoc(body string) string {
	return fmt.Sprintf(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":%q,"spanId":%q,"body":{"stringValue":%q}}]}]}]}`, traceID, spanID, body)
}

// pretty breaks a document over many lines.
func pretty(doc string) string {
	return strings.NewReplacer("{", "{\n  ", "[", "[\n   ", "]", "\n]", "}", "\n}").Replace(doc)
}

func TestDocumentsInAnyLayout(t *testing.T) {
	tests := []struct {
		name, content string
		want          []string
	}{
		{"one a line", spanDoc("a") + "\n" + spanDoc("b") + "\n", []string{"a", "b"}},
		{"no line feed at the end", spanDoc("a") + "\n" + spanDoc("b"), []string{"a", "b"}},
		{"blank lines, carriage returns", "\r\n\n" + spanDoc("a") + "\r\n \n" + spanDoc("b") + "\r\n", []string{"a", "b"}},
		{"pretty-printed", pretty(spanDoc("a")) + "\n", []string{"a"}},
		{"pretty-printed, concatenated", pretty(spanDoc("a")) + "\n" + pretty(spanDoc("b")), []string{"a", "b"}},
		{"two on one line", spanDoc("a") + spanDoc("b") + " " + spanDoc("c"), []string{"a", "b", "c"}},
		{"traces and logs mixed", spanDoc("a") + "\n" + logDoc("x") + "\n" + spanDoc("b"), []string{"a", "b", "log x"}},
		{"brackets and quotes in strings", spanDoc(`}]{"[\`) + "\n" + spanDoc("b"), []string{"b", `}]{"[\`}},
		{"byte order mark", "\ufeff" + spanDoc("a"), []string{"a"}},
		{"a list of documents", "[" + spanDoc("a") + ",\n" + logDoc("x") + "]", []string{"a", "log x"}},
		{"snake case, other key first", `{"version":1,` + strings.ReplaceAll(spanDoc("a"), "resourceSpans", "resource_spans")[1:], []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := read(t, Options{}, write(t, "f", []byte(tt.content)))
			if got.err != nil || len(got.problems) > 0 {
				t.Fatalf("err %v, problems %q", got.err, got.problems)
			}
			if diff := cmp.Diff(tt.want, got.names); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Spans and log records stand in one document as well as in two.
func TestSpansAndLogsInOneDocument(t *testing.T) {
	spans, logs := strings.TrimSuffix(spanDoc("call"), "}"), `"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"said"}}]}]}]`
	quoted := spanDoc(`\"resourceLogs\":[] "resource`)
	tests := []struct {
		doc  string
		want []string
	}{
		{spans + "," + logs + "}", []string{"call", "log said"}},
		{"{" + logs + "," + spans[1:] + "}", []string{"call", "log said"}},
		{`{"resourceSpans":[],` + logs + "}", []string{"log said"}},
		{`{"resource_spans":[],` + strings.Replace(logs, "resourceLogs", "resource_logs", 1) + "}", []string{"log said"}},
		{`{"resourceMetrics":[],` + logs + "}", []string{"log said"}},
		{quoted, []string{`\"resourceLogs\":[] "resource`}},
	}
	for _, tt := range tests {
		got := read(t, Options{}, write(t, "x.json", []byte(tt.doc)))
		if !slices.Equal(got.names, tt.want) || len(got.problems) > 0 {
			t.Errorf("%s\nread %q, problems %q; want %q", tt.doc, got.names, got.problems, tt.want)
		}
	}
}

// A file of a folder that cannot be read is named, and the others are read.
func TestFoldersWithWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "c"), []byte(spanDoc("call")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := read(t, Options{}, dir)
	want := []string{
		filepath.Join(dir, "a") + ": cannot be read: no such file or directory",
		filepath.Join(dir, "b") + ": cannot be read: neither a file nor a folder",
	}
	if !slices.Equal(got.problems, want) || !slices.Equal(got.names, []string{"call"}) || got.err != nil {
		t.Errorf("problems %q, want %q; names %q, error %v", got.problems, want, got.names, got.err)
	}
}

// So is a file that was named itself.
func TestNamedFilesThatAreNotThere(t *testing.T) {
	dir := t.TempDir()
	missing, good := filepath.Join(dir, "missing"), filepath.Join(dir, "good")
	if err := os.WriteFile(good, []byte(spanDoc("call")), 0o600); err != nil {
		t.Fatal(err)
	}
	got := read(t, Options{}, missing, good)
	want := []string{missing + ": cannot be read: no such file or directory"}
	if !slices.Equal(got.problems, want) || !slices.Equal(got.names, []string{"call"}) || got.err != nil {
		t.Errorf("problems %q, want %q; names %q, error %v", got.problems, want, got.names, got.err)
	}
}

func TestWhatCannotBeReadIsNamedAndTheRestIsRead(t *testing.T) {
	tests := []struct {
		name, content string
		want          []string
		problem       string // after the file's path
	}{
		{"cut inside a string", spanDoc("a") + "\n" + spanDoc("bbbb")[:90] + "\n" + spanDoc("c") + "\n", []string{"a", "c"},
			":2: JSON is cut off: the document that begins here never ends"},
		{"cut between tokens", spanDoc("a") + "\n" + `{"resourceSpans":[` + "\n" + spanDoc("c") + "\n", []string{"a", "c"},
			":2: JSON is cut off: the document that begins here never ends"},
		{"cut, written with spaces", spanDoc("a") + "\n" + `{ "resourceSpans": [{"scopeSpans":[` + "\n" + spanDoc("c") + "\n", []string{"a", "c"},
			":2: JSON is cut off: the document that begins here never ends"},
		{"cut at the end of the file", spanDoc("a") + "\n" + spanDoc("b")[:40], []string{"a"},
			":2: JSON is cut off: the document that begins here never ends"},
		{"garbage after a document", spanDoc("a") + " xyz\n" + spanDoc("b"), []string{"a", "b"},
			`:1: no known trace format: neither JSON nor OTLP protobuf, it begins with "xyz"`},
		{"a line before documents", "# exported today\n" + spanDoc("a") + "\n" + spanDoc("b") + "\n", []string{"a", "b"},
			`:1: no known trace format: neither JSON nor OTLP protobuf, it begins with "# exported today"`},
		{"noise", "\x01\x02\xff\xfe\n\x03\n\x04\n", nil,
			`:1: no known trace format: neither JSON nor OTLP protobuf, it begins with "\x01\x02\xff\xfe"`},
		{"empty file", "", nil, ": the file is empty"},
		{"no JSON within its braces", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"flags":01}]}]}]}`, nil, ":1: OTLP traces: "},
		{"something else", `{"name":"x","value":1}`, nil, `:1: no known trace format: an object with the keys "name", "value"; looked for otlp (resourceSpans or resourceLogs)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, "f", []byte(tt.content))
			got := read(t, Options{}, path)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if diff := cmp.Diff(tt.want, got.names); diff != "" {
				t.Error(diff)
			}
			if len(got.problems) != 1 || !strings.HasPrefix(got.problems[0], path+tt.problem) {
				t.Errorf("problems %q, want one that begins with %q", got.problems, path+tt.problem)
			}
			if got.stats.Problems != 1 {
				t.Errorf("counted %d problems, want 1", got.stats.Problems)
			}
		})
	}
}

// Spans without ids are handed on, and nobody misses them without a word.
func TestSpansWithoutIDsAreNamed(t *testing.T) {
	doc := `{"resourceSpans":[{"scopeSpans":[{"spans":[` +
		`{"traceId":"` + traceID + `","spanId":"` + spanID + `","name":"whole"},` +
		`{"traceId":"` + traceID + `","name":"unnamed"},{"traceId":"` + traceID + `","spanId":"","name":"unnamed too"},` +
		`{"spanId":"` + spanID + `","name":"untraced"}]}]}]}`
	path := write(t, "f", []byte(spanDoc("a")+"\n"+doc))
	got := read(t, Options{}, path)
	want := []string{
		path + `:2: spans without a span id: 2, the first is "unnamed"; those that are equal count once`,
		path + `:2: spans without a trace id: 1, the first is "untraced"; they belong to no trace and are not graded`,
	}
	if diff := cmp.Diff(want, got.problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if got.stats.Problems != 1 || got.stats.Untraced != 1 || got.stats.Spans != 5 || len(got.names) != 5 {
		t.Errorf("%+v, %d spans handed on; want 1 problem, 1 untraced of 5 spans", got.stats, len(got.names))
	}
}

func TestLimits(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)
	got := read(t, Options{}, write(t, "deep", []byte(deep+"\n"+spanDoc("a"))))
	if len(got.problems) != 1 || !strings.Contains(got.problems[0], "JSON nests deeper than 10000 levels") {
		t.Errorf("too deep: problems %q", got.problems)
	}
	if diff := cmp.Diff([]string{"a"}, got.names); diff != "" {
		t.Errorf("after a document that is too deep: %s", diff)
	}
	large := strings.ReplaceAll(pretty(spanDoc(strings.Repeat("x", 5000))), "\n", "\n ")
	got = read(t, Options{MaxDocument: 1000}, write(t, "large", []byte(large+"\n"+spanDoc("a"))))
	if len(got.problems) != 1 || !strings.Contains(got.problems[0], ":1: document is too large: more than 1000 bytes") {
		t.Errorf("too large: problems %q", got.problems)
	}
	if diff := cmp.Diff([]string{"a"}, got.names); diff != "" {
		t.Errorf("after a document that is too large: %s", diff)
	}
}

func traces(name string) ptrace.Traces {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetName(name)
	s.SetTraceID(pcommon.TraceID{1})
	s.SetSpanID(pcommon.SpanID{1})
	return td
}

func TestProtobufAndGzip(t *testing.T) {
	tb, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces("a"))
	if err != nil {
		t.Fatal(err)
	}
	ld := plog.NewLogs()
	rec := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	rec.SetTraceID(pcommon.TraceID{1})
	rec.SetSpanID(pcommon.SpanID{1})
	rec.SetTimestamp(7)
	rec.Body().SetStr("x")
	lb, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	if err != nil {
		t.Fatal(err)
	}
	framed := func(messages ...[]byte) []byte {
		var b []byte
		for _, m := range messages {
			b = append(binary.BigEndian.AppendUint32(b, uint32(len(m))), m...)
		}
		return b
	}
	delimited := func(messages ...[]byte) []byte {
		var b []byte
		for _, m := range messages {
			b = append(binary.AppendUvarint(b, uint64(len(m))), m...)
		}
		return b
	}
	named := func(size int) []byte { // a message of this many bytes, by the length of the span's name
		for n := range size {
			b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces(strings.Repeat("n", n)))
			if err != nil {
				t.Fatal(err)
			}
			if len(b) == size {
				return b
			}
		}
		t.Fatalf("no message of %d bytes", size)
		return nil
	}
	nameIn := func(b []byte) []string {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(b)
		if err != nil {
			t.Fatal(err)
		}
		return []string{td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Name()}
	}
	var z bytes.Buffer
	zw := gzip.NewWriter(&z)
	zw.Write([]byte(spanDoc("a")))
	zw.Close()

	tests := []struct {
		name    string
		content []byte
		want    []string
		problem string
	}{
		{"traces", tb, []string{"a"}, ""},
		{"logs", lb, []string{"log x"}, ""},
		{"framed", framed(tb, lb), []string{"a", "log x"}, ""},
		{"framed, cut", framed(tb, lb)[:len(tb)+10], []string{"a"}, fmt.Sprintf(":+%d: protobuf is cut off: a message of %d bytes is announced, 2 are left", len(tb)+4, len(lb))},
		{"delimited", delimited(tb, lb), []string{"a", "log x"}, ""},
		{"delimited, of a length that is a bracket", delimited(named('{')), nameIn(named('{')), ""},
		{"delimited, of a length of two bytes", delimited(named(300)), nameIn(named(300)), ""},
		{"delimited, cut", delimited(tb, lb)[:len(tb)+3], []string{"a"}, fmt.Sprintf(":+%d: protobuf is cut off: a message of %d bytes is announced, 1 are left", len(tb)+1, len(lb))},
		{"JSON after blank lines", []byte("{\n\n\n\n" + spanDoc("a")[1:]), []string{"a"}, ""},
		{"gzip", z.Bytes(), []string{"a"}, ""},
		{"gzip, cut", z.Bytes()[:len(z.Bytes())-4], []string{"a"}, ": gzip is damaged or cut off; what came before is read: unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, "f", tt.content)
			got := read(t, Options{}, path)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if diff := cmp.Diff(tt.want, got.names); diff != "" {
				t.Error(diff)
			}
			var want []string
			if tt.problem != "" {
				want = []string{path + tt.problem}
			}
			if diff := cmp.Diff(want, got.problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Bytes that are no text are said with their place, in every format, and the
// rest is read.
func TestBytesThatAreNoText(t *testing.T) {
	latin1 := strings.Replace(spanDoc("cafE"), "E", "\xe9", 1)
	tests := []struct{ name, content, span, problem string }{
		{"OTLP", spanDoc("a") + "\n" + latin1, "caf\ufffd", fmt.Sprintf(":2: the byte 0xe9 at offset %d is not UTF-8, want text in UTF-8; such bytes are read as U+FFFD", len(spanDoc("a"))+1+strings.IndexByte(latin1, 0xe9))},
		{"OTLP over lines", strings.Replace(latin1, "{", "{\n\n", 1), "caf\ufffd", fmt.Sprintf(":3: the byte 0xe9 at offset %d is not UTF-8, want text in UTF-8; such bytes are read as U+FFFD", 2+strings.IndexByte(latin1, 0xe9))},
		{"messages", `{"messages":[{"role":"user","content":"caf` + "\xe9" + `"},{"role":"assistant","content":"a"}]}`, "chat", ":1: the byte 0xe9 at offset 42 is not UTF-8, want text in UTF-8; such bytes are read as U+FFFD"},
		{"CSV", "name,context.trace_id,context.span_id,start_time\ncaf\xe9,0102030405060708090a0b0c0d0e0f10,0102030405060708,2024-05-01 10:00:00+00:00\n", "caf\ufffd", `:2: column "name" is not UTF-8, want text in UTF-8; such bytes are read as U+FFFD`},
		{"a replacement that was written is text", spanDoc("caf\ufffd"), "caf\ufffd", ""},
		{"another document of a folder", `{"city":"Orl` + "\xe9" + `ans"}`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, "f", []byte(tt.content))
			got := read(t, Options{}, filepath.Dir(path))
			var want []string
			switch {
			case tt.problem != "":
				want = []string{path + tt.problem}
			case tt.span == "":
				want = got.problems // of the format, and of nothing else
				if len(want) != 1 || !strings.Contains(want[0], "no known trace format") {
					t.Errorf("problems %q: want one", want)
				}
			}
			if diff := cmp.Diff(want, got.problems); diff != "" {
				t.Error(diff)
			}
			if tt.span != "" && !slices.Contains(got.names, tt.span) || tt.problem != "" && got.stats.Problems != 0 {
				t.Errorf("spans %q, %d problems: want %q and a warning only", got.names, got.stats.Problems, tt.span)
			}
		})
	}
}

// The decoder of protobuf takes any bytes for text; what is read is none the less.
func TestProtobufThatIsNotUTF8(t *testing.T) {
	td := traces("a")
	s := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	s.SetName("caf\xe9")
	s.Attributes().PutStr("input.value", "th\xe9")
	s.Attributes().PutEmptyMap("m").PutEmptySlice("l").AppendEmpty().SetStr("\xff")
	s.Events().AppendEmpty().Attributes().PutStr("k\xe9y", "fine")
	b, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	path := write(t, "f.pb", b)
	got := read(t, Options{}, path)
	if !slices.Equal(got.names, []string{"caf\ufffd"}) || got.stats.Problems != 0 {
		t.Errorf("spans %q, %d problems", got.names, got.stats.Problems)
	}
	if len(got.problems) != 1 || !strings.HasSuffix(got.problems[0], "the name of a span is not UTF-8 (such texts: 4), want text in UTF-8; such bytes are read as U+FFFD") {
		t.Errorf("problems %q", got.problems)
	}
}

// A file that a shell of Windows wrote is in UTF-16.
func TestUTF16(t *testing.T) {
	text := spanDoc("a – b") + "\n" + spanDoc("c") + "\n"
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		content := order.AppendUint16(nil, 0xfeff)
		for _, c := range utf16.Encode([]rune(text)) {
			content = order.AppendUint16(content, c)
		}
		got := read(t, Options{}, write(t, "f.json", content))
		if want := []string{"a – b", "c"}; !cmp.Equal(got.names, want) || len(got.problems) > 0 {
			t.Errorf("spans %q, problems %q, want %q", got.names, got.problems, want)
		}
	}
}

func TestFoldersStdinAndCounts(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"b.jsonl":       spanDoc("b") + "\n" + `{"resourceMetrics":[]}` + "\n" + `{"resourceSpans":[]}`,
		"sub/a.json":    spanDoc("a"),
		"sub/truth.txt": "nothing of ours",
		".hidden":       spanDoc("hidden"),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var unrecognised int
	stats, err := Read(context.Background(), []string{dir, "-"}, Options{Stdin: strings.NewReader(spanDoc("stdin"))}, Sink{
		Data: func(Data) error { return nil },
		Problem: func(p *Problem) {
			if p.Unrecognised {
				unrecognised++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if unrecognised != 1 {
		t.Errorf("%d files of a folder marked as unrecognised, want 1", unrecognised)
	}
	stats.Bytes = 0
	want := Stats{Files: 4, Documents: 5, Spans: 3, Metrics: 1, Empty: 1, Problems: 1}
	if stats != want {
		t.Errorf("stats %+v, want %+v", stats, want)
	}
}

func TestReadErrors(t *testing.T) {
	if got := read(t, Options{Format: "x"}, "f"); got.err == nil || !strings.HasPrefix(got.err.Error(), `input format "x": want one of otlp`) {
		t.Errorf("unknown format: %v", got.err)
	}
	stop := fmt.Errorf("enough")
	_, err := Read(context.Background(), []string{write(t, "f", []byte(spanDoc("a")))}, Options{}, Sink{
		Data: func(Data) error { return stop }, Problem: func(*Problem) {},
	})
	if err != stop {
		t.Errorf("error of the sink: got %v, want it back", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(spanDoc("a") + "\n" + logDoc("x")))
	f.Add([]byte("[" + spanDoc("a")))
	f.Add([]byte{0, 0, 0, 1, 10})
	f.Add([]byte("\n\n{\"a\":\"\\"))
	f.Add([]byte(`{"type":"user","sessionId":"s","message":{"role":"user","content":"Q"}}` + "\n" + `{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"text","text":"A"}]}}`))
	f.Add([]byte(`{"timestamp":"t","type":"session_meta","payload":{"id":"s"}}` + "\n" + `{"type":"response_item","payload":{"type":"reasoning","summary":[{"text":"x"}]}}` + "\n" + `{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{}}}}`))
	f.Add([]byte(`{"sessionId":"s","projectHash":"p"}` + "\n" + `{"$set":{"messages":[{"id":"1","type":"gemini","content":"A","toolCalls":[{"result":[{"functionResponse":{}}]}]}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		stats, err := Read(context.Background(), []string{"-"}, Options{Stdin: bytes.NewReader(b), MaxDocument: 1 << 16, Workers: 1}, Sink{
			Data: func(Data) error { return nil }, Problem: func(*Problem) {},
		})
		if err != nil {
			t.Fatalf("reading bytes of strangers ended with %v", err)
		}
		if stats.Documents+stats.Problems == 0 && len(bytes.TrimSpace(b)) > 0 {
			t.Fatalf("%q gave neither a document nor a problem", b)
		}
	})
}
