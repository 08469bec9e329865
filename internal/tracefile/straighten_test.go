package tracefile

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	hexTrace = `"traceId":"5b8efff798038103d269b633813fc60c"`
	hexSpan  = `"spanId":"eee19b7ec3c1b174"`
)

// One value that is not written as OTLP writes it costs at most that value:
// what merely looks otherwise keeps its meaning, the rest is left out and said.
func TestUnusualValuesCostNoDocument(t *testing.T) {
	tests := []struct {
		name, span, want string // members of a span
		left             string // what is said; empty where nothing is lost
	}{
		{"ids in base64", `"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"7uGbfsPBsXQ=","parentSpanId":""`, hexTrace + "," + hexSpan, ""},
		{"ids in base64 of a link", `"links":[{"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"7uGbfsPBsXQ="}]`, `"links":[{` + hexTrace + "," + hexSpan + `}]`, ""},
		{"a UUID", `"traceId":"5b8efff7-9803-8103-d269-b633813fc60c"`, hexTrace, ""},
		{"an id without its zeros", `"spanId":"e1"`, `"spanId":"00000000000000e1"`, ""},
		{"other names and base64", `"trace_id":"W47/95gDgQPSabYzgT/GDA=="`, hexTrace, ""},
		{"a time in words", hexSpan + `,"startTimeUnixNano":"yesterday","name":"chat"`, hexSpan + `,"name":"chat"`, `1, the first is startTimeUnixNano of span "chat": "yesterday", want nanoseconds since 1970`},
		{"a time of RFC 3339", `"startTimeUnixNano":"2026-11-30T08:00:00.5+01:00"`, `"startTimeUnixNano":"1796022000500000000"`, ""},
		{"a time as a float", `"startTimeUnixNano":1.764e18`, `"startTimeUnixNano":"1764000000000000000"`, ""},
		{"a negative time", `"endTimeUnixNano":"-1","startTimeUnixNano":"x"`, ``, `2, the first is startTimeUnixNano of span "": "x", want`},
		{"text for a number", `"attributes":[{"key":"k","value":{"intValue":"many"}}]`, `"attributes":[{"key":"k","value":{"stringValue":"many"}}]`, ""},
		{"a whole number with a fraction", `"attributes":[{"key":"k","value":{"intValue":7.0}},{"key":"l","value":{"intValue":7.5}}]`, `"attributes":[{"key":"k","value":{"intValue":"7"}},{"key":"l","value":{"stringValue":"7.5"}}]`, ""},
		{"truth as text", `"attributes":[{"key":"k","value":{"boolValue":"true"}}]`, `"attributes":[{"key":"k","value":{"boolValue":true}}]`, ""},
		{"no number", `"attributes":[{"key":"k","value":{"doubleValue":{}}}]`, `"attributes":[{"key":"k","value":{"stringValue":"{}"}}]`, ""},
		{"a number for text", `"name":12,"attributes":[{"key":"k","value":{"stringValue":12}}]`, `"name":"12","attributes":[{"key":"k","value":{"stringValue":"12"}}]`, ""},
		{"bytes that are none", `"attributes":[{"key":"k","value":{"bytesValue":"?"}}]`, `"attributes":[{"key":"k","value":{"stringValue":"?"}}]`, ""},
		{"values without their types", `"attributes":[{"key":"k","value":"v"},{"key":"n","value":7},{"key":"l","value":[true,0.5]}]`, `"attributes":[{"key":"k","value":{"stringValue":"v"}},{"key":"n","value":{"intValue":"7"}},{"key":"l","value":{"arrayValue":{"values":[{"boolValue":true},{"doubleValue":0.5}]}}}]`, ""},
		{"attributes as an object", `"attributes":{"n":{"intValue":"7"},"k":"v"}`, `"attributes":[{"key":"k","value":{"stringValue":"v"}},{"key":"n","value":{"intValue":"7"}}]`, ""},
		{"a kind that is none", `"kind":"AGENT","name":"n"`, `"name":"n"`, `1, the first is kind of span "n": "AGENT", want a whole number`},
		{"a kind in quotes", `"kind":"3","status":{"code":"2"}`, `"kind":3,"status":{"code":2}`, ""},
		{"no status, and no list", `"status":"ERROR","events":7`, ``, `2, the first is events of span "": 7, want a list of objects`},
		{"an event that is none", `"events":[3,{"name":"e"}]`, `"events":[{"name":"e"}]`, `1, the first is events of span "": 3, want a list of objects`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// Beside a span of which all is right.
			doc := strings.Replace(around(tt.span), `"spans":[`, `"spans":[{"name":"right",`+hexTrace+`},`, 1)
			want, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(strings.Replace(around(tt.want), `"spans":[`, `"spans":[{"name":"right",`+hexTrace+`},`, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if tt.want != "" {
				if _, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(doc)); err == nil {
					t.Fatal("pdata reads it itself")
				}
			}
			got, err := new(parser).parse([]byte(doc), "", 0)
			if err != nil {
				t.Fatal(err)
			}
			x, _ := (&ptrace.JSONMarshaler{}).MarshalTraces(got.Traces)
			y, _ := (&ptrace.JSONMarshaler{}).MarshalTraces(want)
			if string(x) != string(y) {
				t.Errorf("read as %s\nwant    %s", x, y)
			}
			switch {
			case tt.left == "" && got.left.values > 0:
				t.Errorf("says %v", got.left.err())
			case tt.left != "" && !strings.Contains(got.left.err().Error(), tt.left):
				t.Errorf("says %v, want %s", got.left.err(), tt.left)
			}
		})
	}
}

// So it is with log records, and the spans beside them.
func TestUnusualValuesOfLogRecords(t *testing.T) {
	doc := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[` +
		`{"traceId":"W47/95gDgQPSabYzgT/GDA==","severityNumber":"SEVERITY_NUMBER_INFO","body":"hi","timeUnixNano":"now"},{"eventName":"right"}]}]}],` +
		`"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"n","endTimeUnixNano":"then"}]}]}]}`
	got, err := new(parser).parse([]byte(doc), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	x, _ := (&plog.JSONMarshaler{}).MarshalLogs(got.Logs)
	if want := `{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":[{"severityNumber":9,"body":{"stringValue":"hi"},` + hexTrace + `},{"body":{},"eventName":"right"}]}]}]}`; string(x) != want {
		t.Errorf("read as %s\nwant    %s", x, want)
	}
	if said := got.left.err().Error(); got.Traces.SpanCount() != 1 || !strings.Contains(said, `: 2, the first is endTimeUnixNano of span "n": "then"`) {
		t.Errorf("%d spans, says %s", got.Traces.SpanCount(), said)
	}
}
