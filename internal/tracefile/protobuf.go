package tracefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// readProtobuf reads a file of OTLP protobuf: one message, or messages that
// each follow their length in four bytes, big-endian (what the collector's
// file exporter writes).
func (r *reader) readProtobuf(start Place, stream io.Reader) error {
	all, err := io.ReadAll(io.LimitReader(stream, int64(r.opts.MaxDocument)+1))
	if err != nil {
		return err
	}
	if len(all) > r.opts.MaxDocument {
		r.problem(&Problem{Place: start, Err: fmt.Errorf("%w: more than %d bytes", errTooLarge, r.opts.MaxDocument)})
		return nil
	}
	r.addBytes(len(all))
	if all[0] != 0 {
		return r.protobufMessage(start, all)
	}
	for offset := 0; offset < len(all); {
		place := start
		place.Offset = int64(offset)
		if len(all)-offset < 4 {
			r.problem(&Problem{Place: place, Err: errors.New("protobuf is cut off inside the length of a message")})
			return nil
		}
		size := int(binary.BigEndian.Uint32(all[offset:]))
		offset += 4
		if size > len(all)-offset {
			r.problem(&Problem{Place: place, Err: fmt.Errorf("protobuf is cut off: a message of %d bytes is announced, %d are left", size, len(all)-offset)})
			return nil
		}
		if err := r.protobufMessage(place, all[offset:offset+size]); err != nil {
			return err
		}
		offset += size
	}
	return nil
}

// protobufMessage reads one message: traces, or logs. The two have the same
// outer shape and differ in the first field of a record, so that one is never
// read as the other without an error or without records.
func (r *reader) protobufMessage(place Place, b []byte) error {
	var traces ptrace.ProtoUnmarshaler
	td, tracesErr := traces.UnmarshalTraces(b)
	if tracesErr == nil && td.SpanCount() > 0 {
		return r.data(Data{Place: place, Format: "otlp", Traces: td, Logs: plog.NewLogs()})
	}
	var logs plog.ProtoUnmarshaler
	if ld, err := logs.UnmarshalLogs(b); err == nil && ld.LogRecordCount() > 0 {
		return r.data(Data{Place: place, Format: "otlp", Traces: ptrace.NewTraces(), Logs: ld})
	}
	if tracesErr != nil {
		r.problem(&Problem{Place: place, Err: fmt.Errorf("neither JSON nor OTLP protobuf: %w", tracesErr)})
		return nil
	}
	r.empty(place)
	return nil
}
