package normalise

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// nestMax is how deep the attributes of a span may be nested. A list in a list
// is two messages of OTLP's protobuf and an object in an object three; pdata
// writes any number of them and reads a hundred, so that what is deeper cannot
// be read back from a queue or a file, and takes with it what was written
// together with it.
const nestMax = 24

// Shallow makes the JSON text of every value in m that is nested deeper than
// can be read back.
func Shallow(m pcommon.Map) {
	for _, v := range m.All() {
		shallow(v, 0)
	}
}

func shallow(v pcommon.Value, depth int) {
	switch v.Type() {
	case pcommon.ValueTypeMap:
		if depth == nestMax {
			v.SetStr(v.AsString())
			return
		}
		for _, inner := range v.Map().All() {
			shallow(inner, depth+1)
		}
	case pcommon.ValueTypeSlice:
		if depth == nestMax {
			v.SetStr(v.AsString())
			return
		}
		for _, inner := range v.Slice().All() {
			shallow(inner, depth+1)
		}
	}
}

// ShallowSpan does so for all attributes of a span.
func ShallowSpan(s ptrace.Span) {
	Shallow(s.Attributes())
	for _, e := range s.Events().All() {
		Shallow(e.Attributes())
	}
	for _, l := range s.Links().All() {
		Shallow(l.Attributes())
	}
}

// ShallowRecord does so for the body and the attributes of a log record.
func ShallowRecord(r plog.LogRecord) {
	shallow(r.Body(), 0)
	Shallow(r.Attributes())
}
