package offline

import (
	"fmt"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/tracefile"
)

// DefaultMemory is how many bytes of spans and log records are held in memory
// unless Options says otherwise.
const DefaultMemory = 1 << 30

// batch is how many traces out of temporary files are in work together.
const batch = 64

// newOverflow makes the partition of what does not fit into memory. Its items
// are OTLP, with a first byte that says which.
func newOverflow(memory int64) *assemble.Partition[[]byte] {
	same := func(b []byte) ([]byte, error) { return b, nil }
	return assemble.NewPartition(assemble.PartitionOptions{Budget: max(1, memory/4)}, assemble.Codec[[]byte]{Encode: same, Decode: same})
}

const (
	spansItem = 's'
	logsItem  = 'l'
)

// sizeOf is about how much a document takes in memory.
func sizeOf(d tracefile.Data) int64 {
	var spans ptrace.ProtoMarshaler
	var logs plog.ProtoMarshaler
	return int64(spans.TracesSize(d.Traces)) + int64(logs.LogsSize(d.Logs))
}

// spill puts a document into the overflow, a piece a trace.
func (g *groups) spill(d tracefile.Data) error {
	traces := make(map[string]ptrace.Traces)
	replies := make(map[string]string)
	for _, rs := range d.Traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.TraceID().IsEmpty() {
					continue // of no trace; the reader said so
				}
				step := g.reader.Span(rs.Resource(), ss.Scope(), span)
				if r := step.Model.ResponseID; r != "" {
					replies[r] = step.TraceID
				}
				td, ok := traces[step.TraceID]
				if !ok {
					td = ptrace.NewTraces()
					traces[step.TraceID] = td
				}
				keepSpan(td, rs, ss, span)
			}
		}
	}
	logs := make(map[string]plog.Logs)
	for _, rl := range d.Logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, rec := range sl.LogRecords().All() {
				f := g.reader.Log(rl.Resource(), sl.Scope(), rec)
				switch {
				case f == nil:
				case f.TraceID == "":
					g.fragment(f, d.Place)
				default:
					ld, ok := logs[f.TraceID]
					if !ok {
						ld = plog.NewLogs()
						logs[f.TraceID] = ld
					}
					keepRecord(ld, rl, sl, rec)
				}
			}
		}
	}
	if err := g.write(d.Place, traces, logs, replies); err != nil {
		return err
	}
	g.progress(d)
	return nil
}

func keepRecord(ld plog.Logs, rl plog.ResourceLogs, sl plog.ScopeLogs, rec plog.LogRecord) {
	to := ld.ResourceLogs().AppendEmpty()
	rl.Resource().CopyTo(to.Resource())
	scope := to.ScopeLogs().AppendEmpty()
	sl.Scope().CopyTo(scope.Scope())
	rec.CopyTo(scope.LogRecords().AppendEmpty())
}

func (g *groups) write(place tracefile.Place, traces map[string]ptrace.Traces, logs map[string]plog.Logs, replies map[string]string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for r, id := range replies {
		g.replies[r] = id
	}
	note := func(id string) {
		if first, known := g.places[id]; !known || place.Compare(first) < 0 {
			g.places[id] = place
		}
	}
	var spanBytes ptrace.ProtoMarshaler
	for id, td := range traces {
		note(id)
		data, err := spanBytes.MarshalTraces(td)
		if err != nil {
			return fmt.Errorf("write spans of trace %s: %w", id, err)
		}
		if err := g.overflow.Add(id, int64(len(data)), append([]byte{spansItem}, data...)); err != nil {
			return err
		}
	}
	var logBytes plog.ProtoMarshaler
	for id, ld := range logs {
		note(id)
		data, err := logBytes.MarshalLogs(ld)
		if err != nil {
			return fmt.Errorf("write log records of trace %s: %w", id, err)
		}
		if err := g.overflow.Add(id, int64(len(data)), append([]byte{logsItem}, data...)); err != nil {
			return err
		}
	}
	return nil
}

// spilled reads the overflow back, trace by trace, joins each with what is in
// memory of it, and hands them on in batches.
func (g *groups) spilled(work func([]*group) error) error {
	var ready []*group
	err := g.overflow.Each(func(id string, items [][]byte) error {
		for _, item := range items {
			if err := g.unspill(item, g.places[id]); err != nil {
				return fmt.Errorf("read trace %s back: %w", id, err)
			}
		}
		if t := g.remove(id); t != nil {
			ready = append(ready, t)
		}
		if len(ready) < batch {
			return nil
		}
		done := ready
		ready = nil
		return work(done)
	})
	if err != nil || len(ready) == 0 {
		return err
	}
	return work(ready)
}

func (g *groups) unspill(item []byte, place tracefile.Place) error {
	d := tracefile.Data{Place: place, Traces: ptrace.NewTraces(), Logs: plog.NewLogs()}
	var err error
	if item[0] == spansItem {
		var u ptrace.ProtoUnmarshaler
		d.Traces, err = u.UnmarshalTraces(item[1:])
	} else {
		var u plog.ProtoUnmarshaler
		d.Logs, err = u.UnmarshalLogs(item[1:])
	}
	if err != nil {
		return err
	}
	g.read(d)
	return nil
}

// remove takes a group out.
func (g *groups) remove(id string) *group {
	s := g.shardOf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.traces[id]
	delete(s.traces, id)
	return t
}
