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
// each follow their length: in four bytes, big-endian (what the collector's
// file exporter writes), or as a varint (what protobuf's libraries write as
// delimited).
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
	length := fixedLength
	switch all[0] {
	case '\n':
		return r.protobufMessage(start, all)
	case 0:
	default:
		length = binary.Uvarint
	}
	for offset := 0; offset < len(all); {
		place := start
		place.Offset = int64(offset)
		size, n := length(all[offset:])
		if n <= 0 {
			r.problem(&Problem{Place: place, Err: errors.New("protobuf is cut off inside the length of a message")})
			return nil
		}
		offset += n
		if left := len(all) - offset; size > uint64(left) {
			r.problem(&Problem{Place: place, Err: fmt.Errorf("protobuf is cut off: a message of %d bytes is announced, %d are left", size, left)})
			return nil
		}
		if err := r.protobufMessage(place, all[offset:offset+int(size)]); err != nil {
			return err
		}
		offset += int(size)
	}
	return nil
}

// fixedLength reads a length as binary.Uvarint does, of four bytes.
func fixedLength(b []byte) (size uint64, n int) {
	if len(b) < 4 {
		return 0, 0
	}
	return uint64(binary.BigEndian.Uint32(b)), 4
}

// isDelimited reports whether a file begins with a varint that is the length of
// an OTLP message: one whose first field is a record of resource, scope and URL,
// and fits. The length may be any character, but what follows it is no text.
func isDelimited(head []byte) bool {
	size, n := binary.Uvarint(head)
	if n <= 0 || n >= len(head) || head[n] != '\n' {
		return false
	}
	head = head[n+1:]
	inner, m := binary.Uvarint(head)
	if m <= 0 || m >= len(head) || inner+uint64(m)+1 > size || inner <= ' ' {
		return false // as lines that are blank would be
	}
	const resource, scope, url = 1<<3 | 2, 2<<3 | 2, 3<<3 | 2
	return head[m] == resource || head[m] == scope || head[m] == url
}

// protobufMessage reads one message: traces, or logs. The two have the same
// outer shape and differ in the first field of a record, so that one is never
// read as the other without an error or without records.
func (r *reader) protobufMessage(place Place, b []byte) error {
	var traces ptrace.ProtoUnmarshaler
	td, tracesErr := traces.UnmarshalTraces(b)
	var m mender
	if tracesErr == nil && td.SpanCount() > 0 {
		if m.traces(td); m.texts > 0 {
			r.problem(m.problem(place))
		}
		return r.data(Data{Place: place, Format: "otlp", Traces: td, Logs: plog.NewLogs()})
	}
	var logs plog.ProtoUnmarshaler
	if ld, err := logs.UnmarshalLogs(b); err == nil && ld.LogRecordCount() > 0 {
		if m.logs(ld); m.texts > 0 {
			r.problem(m.problem(place))
		}
		return r.data(Data{Place: place, Format: "otlp", Traces: ptrace.NewTraces(), Logs: ld})
	}
	if tracesErr != nil {
		r.problem(&Problem{Place: place, Err: fmt.Errorf("neither JSON nor OTLP protobuf: %w", tracesErr)})
		return nil
	}
	r.empty(place)
	return nil
}
