package normalise_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/normalise"
)

// nested fills v with objects, or lists, in one another.
func nested(v pcommon.Value, depth int, lists bool) {
	for range depth {
		if lists {
			v = v.SetEmptySlice().AppendEmpty()
		} else {
			v = v.SetEmptyMap().PutEmpty("in")
		}
	}
	v.SetStr("bottom")
}

// What is nested however deep can be written and read back, and its text is
// all there; what is not deep is not touched.
func TestShallowCanBeReadBack(t *testing.T) {
	for _, lists := range []bool{true, false} {
		td := ptrace.NewTraces()
		rs := td.ResourceSpans().AppendEmpty()
		ss := rs.ScopeSpans().AppendEmpty()
		span := ss.Spans().AppendEmpty()
		deep := []pcommon.Map{
			rs.Resource().Attributes(), ss.Scope().Attributes(), span.Attributes(),
			span.Events().AppendEmpty().Attributes(), span.Links().AppendEmpty().Attributes(),
		}
		for _, m := range deep {
			nested(m.PutEmpty("deep"), 500, lists)
			nested(m.PutEmpty("flat"), 5, lists)
		}
		flatBefore, _ := deep[0].Get("flat")
		flat := pcommon.NewValueEmpty()
		flatBefore.CopyTo(flat)

		normalise.Shallow(rs.Resource().Attributes())
		normalise.Shallow(ss.Scope().Attributes())
		normalise.ShallowSpan(span)
		data, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		if err != nil {
			t.Fatal(err)
		}
		back, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			t.Fatalf("lists %v: %v", lists, err)
		}
		got := back.ResourceSpans().At(0).Resource().Attributes()
		v, _ := got.Get("deep")
		for v.Type() == pcommon.ValueTypeMap || v.Type() == pcommon.ValueTypeSlice {
			if lists {
				v = v.Slice().At(0)
			} else {
				v, _ = v.Map().Get("in")
			}
		}
		if !strings.Contains(v.Str(), "bottom") {
			t.Errorf("the bottom is lost: %q", v.Str())
		}
		if got, _ := got.Get("flat"); !got.Equal(flat) {
			t.Errorf("what is not deep became %s", got.AsString())
		}
	}
	record := plog.NewLogRecord()
	nested(record.Body(), 500, true)
	normalise.ShallowRecord(record)
	ld := plog.NewLogs()
	record.CopyTo(ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty())
	data, err := (&plog.ProtoMarshaler{}).MarshalLogs(ld)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(data); err != nil {
		t.Error(err)
	}
}
