package tracefile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// importSpans reads one document and returns a line per span: its ids, name,
// times, status and the attributes asked for.
func importSpans(t *testing.T, format, content string) map[string]ptrace.Span {
	t.Helper()
	spans := map[string]ptrace.Span{}
	_, err := Read(context.Background(), []string{write(t, "f", []byte(content))}, Options{Workers: 1}, Sink{
		Data: func(d Data) error {
			if d.Format != format {
				t.Errorf("detected as %q, want %q", d.Format, format)
			}
			for _, rs := range d.Traces.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, s := range ss.Spans().All() {
						spans[s.Name()] = s
					}
				}
			}
			return nil
		},
		Problem: func(p *Problem) { t.Error(p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return spans
}

// describe writes a span as the lines of its ids, times, status and attributes.
func describe(s ptrace.Span) []string {
	lines := []string{
		fmt.Sprintf("%s/%s<%s", s.TraceID(), s.SpanID(), s.ParentSpanID()),
		fmt.Sprintf("%d+%d", s.StartTimestamp(), s.EndTimestamp()-s.StartTimestamp()),
		fmt.Sprintf("%s %s %s", s.Kind(), s.Status().Code(), s.Status().Message()),
	}
	var attrs []string
	for k, v := range s.Attributes().All() {
		attrs = append(attrs, fmt.Sprintf("%s=%s:%s", k, v.Type(), v.AsString()))
	}
	sort.Strings(attrs)
	for _, e := range s.Events().All() {
		attrs = append(attrs, fmt.Sprintf("event %s@%d %v", e.Name(), e.Timestamp(), e.Attributes().AsRaw()))
	}
	return append(lines, attrs...)
}

func TestImports(t *testing.T) {
	const (
		sorted    = `{"id":"0102030405060708090a0b0c0d0e0f10","messages":[{"content":"q","role":"user"},{"content":"a","role":"assistant"}],"model":"m"}`
		sortedRun = `{"final_answer":"42","internal_logs":[{"input":{"q":1},"observation":"r","thought":"look","tool":"search"}],"question":"q","trace_id":"0102030405060708090a0b0c0d0e0f10"}`
	)
	tests := []struct {
		name, format, content, span string
		want                        []string
	}{
		{
			name: "jaeger", format: "jaeger", span: "chat m",
			content: `{"data":[{"traceID":"af","spans":[{"traceID":"af","spanID":"b1","operationName":"chat m",
				"references":[{"refType":"CHILD_OF","traceID":"af","spanID":"b0"}],"startTime":1700000000000001,"duration":2500,
				"tags":[{"key":"gen_ai.operation.name","type":"string","value":"chat"},{"key":"n","type":"int64","value":7},
				{"key":"span.kind","type":"string","value":"client"},{"key":"error","type":"bool","value":true},{"key":"otel.scope.name","value":"sc"}],
				"logs":[{"timestamp":1700000000000002,"fields":[{"key":"event","value":"exception"},{"key":"exception.message","value":"no"}]}],
				"processID":"p1"}],"processes":{"p1":{"serviceName":"svc","tags":[]}}}],"total":0}`,
			want: []string{
				"000000000000000000000000000000af/00000000000000b1<00000000000000b0",
				"1700000000000001000+2500000", "Client Error ",
				"error=Bool:true", "gen_ai.operation.name=Str:chat", "n=Int:7",
				"event exception@1700000000000002000 map[exception.message:no]",
			},
		},
		{
			name: "tempo, base64 ids, old names", format: "tempo", span: "a",
			content: `{"batches":[{"resource":{"attributes":[]},"instrumentationLibrarySpans":[{"instrumentationLibrary":{"name":"x"},"spans":[
				{"traceId":"AQIDBAUGBwgJCgsMDQ4PEA==","spanId":"AQIDBAUGBwg=","parentSpanId":"","name":"a","kind":"SPAN_KIND_SERVER","startTimeUnixNano":"5","endTimeUnixNano":"7",
				"attributes":[{"key":"k","value":{"stringValue":"v"}}],"status":{"code":"STATUS_CODE_ERROR","message":"m"}}]}]}]}`,
			want: []string{"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "5+2", "Server Error m", "k=Str:v"},
		},
		{
			name: "tempo v2", format: "tempo", span: "a",
			content: `{"trace":{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"AQIDBAUGBwgJCgsMDQ4PEA==","spanId":"AQIDBAUGBwg=","name":"a"}]}]}]}}`,
			want:    []string{"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "0+0", "Unspecified Unset "},
		},
		{
			name: "phoenix, nested attributes", format: "spans", span: "LLM",
			content: `{"name":"LLM","context":{"trace_id":"0102030405060708090a0b0c0d0e0f10","span_id":"0102030405060708"},"parent_id":null,"span_kind":"LLM",
				"start_time":"2024-05-01T10:00:00.5+00:00","end_time":"2024-05-01T10:00:01+00:00","status_code":"OK","status_message":"",
				"attributes":{"llm":{"model_name":"m","input_messages":[{"message":{"role":"user","content":"q"}}],"token_count":{"prompt":3}},"tag":{"tags":["x","y"]}},"events":[]}`,
			want: []string{
				"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "1714557600500000000+500000000", "Unspecified Ok ",
				"llm.input_messages.0.message.content=Str:q", "llm.input_messages.0.message.role=Str:user", "llm.model_name=Str:m",
				"llm.token_count.prompt=Int:3", "openinference.span.kind=Str:LLM", `tag.tags=Slice:["x","y"]`,
			},
		},
		{
			name: "span_attributes and child_spans", format: "spans", span: "child",
			content: `{"trace_id":"0102030405060708090a0b0c0d0e0f10","spans":[{"span_id":"0102030405060708","trace_id":"0102030405060708090a0b0c0d0e0f10","span_name":"root","span_attributes":{},
				"child_spans":[{"timestamp":"2024-05-01T10:00:00Z","trace_id":"0102030405060708090a0b0c0d0e0f10","span_id":"0102030405060709","parent_span_id":"0102030405060708","span_name":"child",
				"span_kind":"Internal","duration":"PT1M1.5S","status_code":"Error","status_message":"bad","span_attributes":{"openinference.span.kind":"TOOL"}}]}]}`,
			want: []string{"0102030405060708090a0b0c0d0e0f10/0102030405060709<0102030405060708", "1714557600000000000+61500000000", "Internal Error bad", "openinference.span.kind=Str:TOOL"},
		},
		{
			name: "ids and attributes side by side", format: "spans", span: "find",
			content: `[{"trace_id":"0102030405060708090a0b0c0d0e0f10","span_id":"0102030405060708","parent_id":null,"name":"find","start_time":"2024-05-01T10:00:00Z","end_time":"2024-05-01T10:00:01Z",
				"attributes":{"type":"tool","input":{"id":7},"output":"Monday"}}]`,
			want: []string{"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "1714557600000000000+1000000000", "Unspecified Unset ", `input=Map:{"id":7}`, "output=Str:Monday", "type=Str:tool"},
		},
		{
			name: "phoenix CSV", format: "spans", span: "q, and more",
			content: "name,context.trace_id,context.span_id,parent_id,start_time,end_time,attributes.openinference.span.kind,attributes.llm.token_count.prompt,attributes.llm.input_messages\n" +
				"\"q, and more\",0102030405060708090a0b0c0d0e0f10,0102030405060708,,2024-05-01 10:00:00+00:00,2024-05-01 10:00:02+00:00,LLM,12,\"[{\"\"message\"\": {\"\"role\"\": \"\"user\"\"}}]\"\n",
			want: []string{
				"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "1714557600000000000+2000000000", "Unspecified Unset ",
				"llm.input_messages.0.message.role=Str:user", "llm.token_count.prompt=Int:12", "openinference.span.kind=Str:LLM",
			},
		},
		{
			name: "a data frame by columns", format: "spans", span: "q",
			content: `{"name":{"0":"p","1":"q"},"context.trace_id":{"0":"0102030405060708090a0b0c0d0e0f10","1":"0102030405060708090a0b0c0d0e0f10"},"context.span_id":{"0":"0102030405060707","1":"0102030405060708"},
				"start_time":{"0":1714557600000,"1":1714557600000},"end_time":{"0":1714557602000,"1":1714557602000},"attributes.llm.model_name":{"0":null,"1":"m"}}`,
			want: []string{"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "1714557600000000000+2000000000", "Unspecified Unset ", "llm.model_name=Str:m"},
		},
		{
			name: "a data frame, split", format: "spans", span: "q",
			content: `{"columns":["name","context.trace_id","context.span_id","start_time"],"index":[0],"data":[["q","0102030405060708090a0b0c0d0e0f10","0102030405060708",1714557600000]]}`,
			want:    []string{"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "1714557600000000000+0", "Unspecified Unset "},
		},
		{
			name: "MLflow", format: "spans", span: "f",
			content: `{"info":{"trace_metadata":{"mlflow.trace.session":"s"}},"data":{"spans":[{"trace_id":"AQIDBAUGBwgJCgsMDQ4PEA==","span_id":"AQIDBAUGBwg=","parent_span_id":null,"name":"f","start_time_unix_nano":5,"end_time_unix_nano":7,
				"status":{"code":"STATUS_CODE_ERROR","message":"no"},"attributes":{"mlflow.spanType":"\"TOOL\""}}]}}`,
			want: []string{"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "5000000000+2000000000", "Unspecified Error no", `mlflow.spanType=Str:"TOOL"`, "mlflow.trace.session=Str:s"},
		},
		{
			name: "Jaeger's third API", format: "tempo", span: "a",
			content: `{"result":{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"a"}]}]}]}}`,
			want:    []string{"0102030405060708090a0b0c0d0e0f10/0102030405060708<", "0+0", "Unspecified Unset "},
		},
		{
			name: "OTLP as protobuf's own JSON has it", format: "otlp", span: "a",
			content: `{"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"AQIDBAUGBwgJCgsMDQ4PEA==","span_id":"AQIDBAUGBwg=","parent_span_id":"AQIDBAUGBwk=","name":"a"}]}]}]}`,
			want:    []string{"0102030405060708090a0b0c0d0e0f10/0102030405060708<0102030405060709", "0+0", "Unspecified Unset "},
		},
		{
			name: "langfuse, a CSV of observations", format: "langfuse", span: "gen",
			content: "id,traceId,type,name,startTime,endTime,model,input,output,inputUsage,outputUsage,sessionId\n" +
				"o-1,0102030405060708090a0b0c0d0e0f10,GENERATION,gen,2024-05-01T10:00:00.000Z,2024-05-01T10:00:01.000Z,m,\"[{\"\"role\"\":\"\"user\"\",\"\"content\"\":\"\"q\"\"}]\",a,3,1,s1\n",
			want: []string{
				"0102030405060708090a0b0c0d0e0f10/" + spanIDOf("o-1").String() + "<", "1714557600000000000+1000000000", "Unspecified Unset ",
				`langfuse.observation.input=Str:[{"content":"q","role":"user"}]`, "langfuse.observation.model.name=Str:m", "langfuse.observation.output=Str:a",
				"langfuse.observation.type=Str:generation", `langfuse.observation.usage_details=Str:{"input":3,"output":1}`, "session.id=Str:s1",
			},
		},
		{
			name: "langsmith, a CSV of runs as Python writes them", format: "langsmith", span: "search",
			content: "id,run_type,name,trace_id,start_time,end_time,inputs,outputs\n" +
				"c-1,tool,search,01020304-0506-0708-090a-0b0c0d0e0f10,2024-05-01T10:00:00,2024-05-01T10:00:01,{'q': 'x'},\n",
			want: []string{
				"0102030405060708090a0b0c0d0e0f10/" + spanIDOf("c-1").String() + "<", "1714557600000000000+1000000000", "Unspecified Unset ",
				`gen_ai.prompt=Str:{"q":"x"}`, "gen_ai.tool.name=Str:search", "langsmith.span.kind=Str:tool",
			},
		},
		{
			name: "langfuse", format: "langfuse", span: "gen",
			content: `{"id":"t-1","name":"run","sessionId":"s1","userId":"u1","output":"bye","observations":[{"id":"o-1","traceId":"0102030405060708090a0b0c0d0e0f10","type":"GENERATION","name":"gen",
				"startTime":"2024-05-01T10:00:00.000Z","endTime":"2024-05-01T10:00:01.000Z","input":[{"role":"user","content":"q"}],"output":"a","model":"m","usageDetails":{"input":3},"level":"ERROR","statusMessage":"oops"}]}`,
			want: []string{
				"0102030405060708090a0b0c0d0e0f10/" + spanIDOf("o-1").String() + "<", "1714557600000000000+1000000000", "Unspecified Error oops",
				`langfuse.observation.input=Str:[{"content":"q","role":"user"}]`, "langfuse.observation.level=Str:ERROR",
				"langfuse.observation.model.name=Str:m", "langfuse.observation.output=Str:a", "langfuse.observation.status_message=Str:oops", "langfuse.observation.type=Str:generation",
				`langfuse.observation.usage_details=Str:{"input":3}`, "langfuse.trace.name=Str:run", "langfuse.trace.output=Str:bye", "session.id=Str:s1", "user.id=Str:u1",
			},
		},
		{
			name: "langsmith, nested runs", format: "langsmith", span: "search",
			content: `[{"id":"01020304-0506-0708-090a-0b0c0d0e0f10","run_type":"chain","name":"root","start_time":"2024-05-01T10:00:00","end_time":"2024-05-01T10:00:09","inputs":{},
				"child_runs":[{"id":"c-1","parent_run_id":"01020304-0506-0708-090a-0b0c0d0e0f10","run_type":"tool","name":"search","start_time":"2024-05-01T10:00:00","end_time":"2024-05-01T10:00:01",
				"inputs":{"input":"q"},"outputs":null,"error":"timeout","extra":{"metadata":{"thread_id":"th"}}}]}]`,
			want: []string{
				"0102030405060708090a0b0c0d0e0f10/" + spanIDOf("c-1").String() + "<" + spanIDOf("01020304-0506-0708-090a-0b0c0d0e0f10").String(),
				"1714557600000000000+1000000000", "Unspecified Error timeout",
				`gen_ai.prompt=Str:{"input":"q"}`, "gen_ai.tool.name=Str:search", "langsmith.metadata.thread_id=Str:th", "langsmith.span.kind=Str:tool",
			},
		},
		{
			name: "messages", format: "messages", span: "chat",
			content: `{"id":"0102030405060708090a0b0c0d0e0f10","model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`,
			want: []string{
				"0102030405060708090a0b0c0d0e0f10/" + conversationSpan(sorted, "/1") + "<" + conversationSpan(sorted, "/root"),
				"3+1", "Unspecified Unset ",
				`gen_ai.input.messages=Str:[{"content":"q","role":"user"}]`, "gen_ai.operation.name=Str:chat",
				`gen_ai.output.messages=Str:[{"content":"a","role":"assistant"}]`, "gen_ai.request.model=Str:m",
			},
		},
		{
			name: "internal_logs", format: "internal_logs", span: "chat",
			content: `{"trace_id":"0102030405060708090a0b0c0d0e0f10","question":"q","final_answer":"42","internal_logs":[{"thought":"look","tool":"search","input":{"q":1},"observation":"r"}]}`,
			want: []string{
				"0102030405060708090a0b0c0d0e0f10/" + conversationSpan(sortedRun, "/3") + "<" + conversationSpan(sortedRun, "/root"),
				"6+1", "Unspecified Unset ",
				`gen_ai.input.messages=Str:[{"content":"q","role":"user"},{"content":"look","role":"assistant","tool_calls":[{"function":{"arguments":{"q":1},"name":"search"},"id":"log_0","type":"function"}]},{"content":"r","name":"search","role":"tool","tool_call_id":"log_0"}]`,
				"gen_ai.operation.name=Str:chat", `gen_ai.output.messages=Str:[{"content":"42","role":"assistant"}]`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spans := importSpans(t, tt.format, tt.content)
			s, ok := spans[tt.span]
			if !ok {
				t.Fatalf("no span %q", tt.span)
			}
			if diff := cmp.Diff(tt.want, describe(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// conversationSpan is the id of a span of a conversation that gives its trace id,
// by the document with its keys in order.
func conversationSpan(sorted, name string) string {
	sum := sha256.Sum256([]byte(sorted))
	span := sha256.Sum256([]byte(hex.EncodeToString(sum[:16]) + name))
	return hex.EncodeToString(span[:8])
}

func TestLongConversationsAreNotQuadratic(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"messages":[{"role":"user","content":"q"}`)
	for range 3000 {
		b.WriteString(`,{"role":"assistant","content":"` + strings.Repeat("x", 1000) + `"},{"role":"user","content":"more"}`)
	}
	b.WriteString("]}")
	data, err := (&parser{}).parse([]byte(b.String()), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	marked, bytes := 0, 0
	for _, rs := range data.Traces.ResourceSpans().All() {
		for _, s := range rs.ScopeSpans().At(0).Spans().All() {
			if _, ok := s.Attributes().Get("tracegrade.import.history"); ok {
				marked++
			}
			if v, ok := s.Attributes().Get("gen_ai.input.messages"); ok {
				bytes += len(v.Str())
			}
		}
	}
	if bytes > 2*maxHistory || marked == 0 {
		t.Errorf("%d bytes of history in all, %d turns marked as cut; want at most %d and some", bytes, marked, 2*maxHistory)
	}
}

func TestTimes(t *testing.T) {
	for in, want := range map[any]int64{
		"2024-05-01T10:00:00Z":          1714557600e9,
		"2024-05-01T12:00:00.25+02:00":  1714557600e9 + 250e6,
		"2024-05-01 10:00:00.5":         1714557600e9 + 500e6,
		"1714557600":                    1714557600e9,
		"1714557600123":                 1714557600123e6,
		"1714557600123456":              1714557600123456e3,
		"1714557600123456789":           1714557600123456789,
		"soon":                          0,
		"-5":                            0,
		"99999999999999999999999999999": 0,
	} {
		if got := int64(timeOf(in)); got != want {
			t.Errorf("timeOf(%q) = %d, want %d", in, got, want)
		}
	}
}

// A data frame that was saved as CSV holds lists as Python writes them, and
// content that is JSON text of its own; saved as JSON lines it has flat keys.
func TestDataFrames(t *testing.T) {
	const columns = "name,context.span_id,context.trace_id,attributes.openinference.span.kind,attributes.input.value,attributes.llm.output_messages,attributes.llm.token_count.prompt\n"
	tests := map[string]string{
		"csv":   columns + `get_tour,a3,pp1,LLM,"{""id"": ""T-19""}","[{'message.role': 'assistant', 'message.content': ""it's 7""}]",50.0` + "\n",
		"lines": `{"name": "get_tour", "context.span_id": "a3", "context.trace_id": "pp1", "attributes.openinference.span.kind": "LLM", "attributes.input.value": "{\"id\": \"T-19\"}", "attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "it's 7"}], "attributes.llm.token_count.prompt": 50}` + "\n",
	}
	want := map[string]string{
		"openinference.span.kind": "LLM", "input.value": `{"id": "T-19"}`, "llm.token_count.prompt": "50",
		"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "it's 7",
	}
	for name, content := range tests {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for k, v := range importSpans(t, "spans", content)["get_tour"].Attributes().All() {
				got[k] = v.AsString()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("attributes (-want +got):\n%s", diff)
			}
		})
	}
}

// A log may tell of a call and of its result in two entries.
func TestHarnessLogOfCallsAndResults(t *testing.T) {
	log := newRunLog()
	var got []string
	for i, entry := range []any{
		map[string]any{"type": "tool_call", "name": "get", "arguments": map[string]any{"id": "1"}},
		map[string]any{"type": "tool_call", "name": "get", "arguments": map[string]any{"id": "2"}},
		map[string]any{"type": "tool_result", "name": "get", "output": "one"},
		map[string]any{"type": "tool_result", "name": "get", "output": "two"},
		map[string]any{"type": "tool_result", "name": "list", "output": "three"},
	} {
		for _, turn := range log.entry(entry, i) {
			got = append(got, fmt.Sprint(turn["role"], " ", turn["tool_call_id"], " ", turn["content"]))
		}
	}
	want := []string{"assistant <nil> ", "assistant <nil> ", "tool log_0 one", "tool log_1 two", "assistant <nil> ", "tool log_4 three"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
}
