// Package tracefile reads recorded traces and logs in any format it knows and
// hands them on as OTLP data. What a file holds is decided by its content,
// never by its name.
//
//	inputs    paths, folders, "-"         -> byte streams       input.go
//	bytes     gzip, JSON, protobuf        -> documents          frame.go, protobuf.go
//	document  OTLP or a foreign format    -> ptrace, plog       format.go, otlpjson.go, one file per foreign format
//
// A document that cannot be read is a [Problem] with its place; the rest of the
// file is read all the same.
package tracefile

import (
	"cmp"
	"fmt"
	"io"
	"runtime"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// MaxDocument is how many bytes one document (one JSON value, one protobuf
// message) may have unless Options says otherwise.
const MaxDocument = 256 << 20

// Options says how to read. The zero value detects everything.
type Options struct {
	// Format is the name of a format of [Formats] that every document must
	// have; empty detects it by content.
	Format string
	// MaxDocument bounds one document in bytes; 0 means the constant MaxDocument.
	MaxDocument int
	// Workers is how many documents are parsed at once; 0 means one per CPU.
	Workers int
	// Stdin is what the input "-" reads.
	Stdin io.Reader
}

func (o Options) withDefaults() Options {
	if o.MaxDocument <= 0 {
		o.MaxDocument = MaxDocument
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}

// Place is where a document begins.
type Place struct {
	File   string // the path as it was given, or found in a folder; "-" is stdin
	Line   int    // from 1; 0 in a binary file
	Offset int64  // in bytes, of the decompressed content
	Input  int    // the how-manieth file it is in, from 1, in the order of reading
}

// Compare orders places as they were read.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Input, q.Input), cmp.Compare(p.Offset, q.Offset), cmp.Compare(p.Line, q.Line))
}

// String writes file:line, or file:+offset for a binary file, at whose beginning
// it is the file alone.
func (p Place) String() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case p.Offset > 0:
		return fmt.Sprintf("%s:+%d", p.File, p.Offset)
	}
	return p.File
}

// Data is what one document held. Either part may be empty, not both.
type Data struct {
	Place  Place
	Format string
	Traces ptrace.Traces
	Logs   plog.Logs

	conversations []pcommon.TraceID // of each conversation, once
	left          leftOut           // what of it could not be read
}

// Problem is a document, or a file, that could not be read, or not all of it.
type Problem struct {
	Place Place
	Err   error
	// Unrecognised is true where a file found in a folder merely holds
	// something else; a file that was named is expected to hold traces.
	Unrecognised bool
	// Warning is true where all was read, and what it lacks has to be said.
	Warning bool
}

func (p *Problem) Error() string { return fmt.Sprintf("%s: %v", p.Place, p.Err) }
func (p *Problem) Unwrap() error { return p.Err }

// Stats counts what was read.
type Stats struct {
	Files     int
	Documents int
	Bytes     int64 // decompressed
	Spans     int
	Logs      int
	// Metrics counts documents of metrics, which hold nothing to grade.
	Metrics int
	// Empty counts OTLP documents without a single span or log record.
	Empty int
	// Untraced counts spans without a trace id, of all Spans. They belong to no
	// trace; each document that has some is a problem.
	Untraced int
	Problems int
}

// Sink takes what was read. Its methods are called from several goroutines at
// once.
type Sink struct {
	// Data is called per document; an error ends the reading.
	Data func(Data) error
	// Problem is called for what could not be read; reading goes on.
	Problem func(*Problem)
}
