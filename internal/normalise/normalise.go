// Package normalise reads spans and log records of any instrumented agent as
// steps in one form.
//
// A producer of spans is a dialect: a table of the keys under which it keeps
// each field, the marks by which its spans are known, and small functions for
// what a table cannot say. [dialects] is the list of all of them, in the order in
// which they decide; adding one is a file and a line there.
//
//	bag.go       the attributes and events of one span, keys as numbers
//	lookup.go    the first place of a field that has a value
//	dialect.go   what a dialect is, and how the tables are compiled
//	dialects.go  the list
//	d_*.go       one dialect each; via.go for those that write another's spans
//	read.go      a span -> a step
//	log.go       a log record -> a fragment
//	kind.go model.go content.go events.go tool.go evaluation.go usage.go status.go
//	             one group of fields each
//	capture.go losses.go  how much was recorded, and what was not read
//	registry.go doctor.go  what is known of each producer, for docs and advice
//
// Reading is pure and needs no other span. What is decoded lazily (JSON in
// strings, messages) is decoded by whoever looks at it first. The conversation
// that every model call repeats is decoded once where the caller shares a
// [trace.History] between the messages of a trace: each element of a list of
// messages is found again by its text.
package normalise

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Version identifies the meaning of what this package makes. It changes with the
// first change after a release by which the same span gives another step, here
// or in package assemble, so that grades are compared only where they rest on
// the same reading.
const Version = "2"

// Options say what a Reader keeps beyond the fields of a step.
type Options struct {
	// Attributes are keys of span and resource attributes that rules name; each
	// that a span or its resource has is kept in [trace.Step.Attributes].
	Attributes []string
}

// Reader reads spans and log records. It is safe for concurrent use.
type Reader struct {
	keep []string
	bags sync.Pool
}

// New makes a Reader.
func New(o Options) *Reader {
	c := tables()
	return &Reader{keep: o.Attributes, bags: sync.Pool{New: func() any { return newBag(c) }}}
}

// Span reads a span as a step. It never fails and never returns nil: a span that
// nobody knows is a step of unknown kind, which keeps its place in the tree.
func (r *Reader) Span(resource pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span) *trace.Step {
	b := r.bags.Get().(*bag)
	defer func() {
		b.clear()
		r.bags.Put(b)
	}()
	b.load(resource, scope, span)
	return r.read(b)
}

// Log reads a log record as content that belongs to a span, or as a step of its
// own. It returns nil for a record that carries nothing of an agent.
func (r *Reader) Log(resource pcommon.Resource, scope pcommon.InstrumentationScope, record plog.LogRecord) *trace.Fragment {
	b := r.bags.Get().(*bag)
	defer func() {
		b.clear()
		r.bags.Put(b)
	}()
	return r.log(b, resource, scope, record)
}
