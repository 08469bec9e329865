package main

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// dialects measures, for each folder of recordings, the CPU that a span takes
// to be read as a step and to be put into its trace. It is the least of several
// tries: the garbage collector is part of it, other processes are not.
func (b *bench) dialects(context.Context) error {
	all, err := readCorpus(b.testdata, "")
	if err != nil {
		return err
	}
	b.head("recorded with", "read as", "spans", "KB a span", "read", "put together", "both")
	folders := map[string][]*recorded{}
	for _, r := range all.list {
		folders[r.folder] = append(folders[r.folder], r)
	}
	reader := normalise.New(normalise.Options{})
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		list := folders[folder]
		read, made := time.Duration(1<<62), time.Duration(1<<62)
		for range 7 {
			r, m := passes(reader, list)
			read, made = min(read, r), min(made, m)
		}
		names, spans, bytes := map[string]bool{}, 0, 0
		for _, t := range list {
			spans += len(t.spans)
			for _, s := range t.spans {
				names[reader.Span(s.resource.Resource(), s.scope.Scope(), s.span).Dialect] = true
				bytes += (&ptrace.ProtoMarshaler{}).SpanSize(s.span)
			}
		}
		delete(names, "unknown")
		us := func(d time.Duration) string { return fmt.Sprintf("%.1f us", float64(d.Nanoseconds())/1e3) }
		b.row(folder, strings.Join(slices.Sorted(maps.Keys(names)), ", "), spans, fmt.Sprintf("%.1f", float64(bytes)/1000/float64(spans)),
			us(read), us(made), us(read+made))
	}
	return nil
}

// passes reads and puts together all traces of a list until that took a while,
// and returns the CPU time of each for one span.
func passes(reader *normalise.Reader, list []*recorded) (read, made time.Duration) {
	runtime.GC()
	spans := 0
	for read+made < 40*time.Millisecond {
		steps := make([][]*trace.Step, len(list))
		began := ownCPU()
		for i, t := range list {
			for _, s := range t.spans {
				steps[i] = append(steps[i], reader.Span(s.resource.Resource(), s.scope.Scope(), s.span))
				spans++
			}
		}
		between := ownCPU()
		for _, s := range steps {
			assemble.Trace(s[0].TraceID, s, nil, trace.Release{Reason: trace.ReleaseEndOfInput})
		}
		read += between - began
		made += ownCPU() - between
	}
	return read / time.Duration(spans), made / time.Duration(spans)
}
