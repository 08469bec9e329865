package tracefile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tracegrade/tracegrade/internal/value"
)

// tableOf is the format of which a file has the header of a CSV with an entry a row:
// data frames of Phoenix, observations of Langfuse, runs of LangSmith, messages; nil
// where it has none.
func tableOf(head []byte) *format {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if !bytes.Contains(line, []byte(",")) || bytes.ContainsAny(line, "{[") {
		return nil
	}
	names, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(line, []byte("\ufeff")))).Read()
	if err != nil {
		return nil
	}
	for i := range formats {
		if f := &formats[i]; f.columns != nil && f.columns(func(name string) bool { return slices.Contains(names, name) }) {
			return f
		}
	}
	return nil
}

// readTable reads a CSV with an entry a row. Cells that hold JSON are decoded.
func (r *reader) readTable(start Place, stream *bufio.Reader, f *format) error {
	rows := csv.NewReader(stream)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if err != nil {
		return fmt.Errorf("CSV: %w", err)
	}
	header = append([]string(nil), header...)
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	var all []any // where the rows are one document
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return r.readRows(start, f, all)
		}
		line, _ := rows.FieldPos(0)
		place := Place{File: start.File, Input: start.Input, Line: line, Offset: rows.InputOffset()}
		if err != nil {
			r.problem(&Problem{Place: place, Err: fmt.Errorf("CSV: %w", err)})
			if len(cells) != len(header) {
				continue
			}
		}
		row := map[string]any{}
		damaged := -1 // the first cell that is not text
		for i, cell := range cells {
			r.addBytes(len(cell) + 1)
			if !utf8.ValidString(cell) {
				cell = strings.ToValidUTF8(cell, string(replacement))
				if damaged < 0 {
					damaged = i
				}
			}
			row[header[i]] = cellValue(header[i], cell)
		}
		if damaged >= 0 {
			r.problem(&Problem{Place: place, Warning: true, Err: fmt.Errorf("column %.60q is not UTF-8, want text in UTF-8; such bytes are read as U+FFFD", header[damaged])})
		}
		if f.read == nil {
			if place.Offset > int64(r.opts.MaxDocument) {
				r.problem(&Problem{Place: place, Err: fmt.Errorf("%w: the table has more than %d bytes; what came before this row is read", errTooLarge, r.opts.MaxDocument)})
				return r.readRows(start, f, all)
			}
			all = append(all, row)
			continue
		}
		data, err := f.read(row)
		if err != nil {
			r.problem(&Problem{Place: place, Err: err})
			continue
		}
		data.Place, data.Format, data.Logs = place, f.name, plog.NewLogs()
		if err := r.data(data); err != nil {
			return err
		}
	}
}

// readRows reads rows that are one document.
func (r *reader) readRows(start Place, f *format, rows []any) error {
	if len(rows) == 0 {
		return nil
	}
	start.Line = 1
	data, err := f.data(rows, 0)
	if err != nil {
		r.problem(&Problem{Place: start, Err: err})
		return nil
	}
	data.Place, data.Format, data.Logs = start, f.name, plog.NewLogs()
	return r.data(data)
}

// cellValue decodes a cell: a number, or a list or object as JSON or as Python
// writes them. Where a column is one attribute, its text is the value: an object
// in it, and whatever an input or output is, was text on the span too.
func cellValue(column, cell string) any {
	if cell == "" {
		return nil
	}
	attribute := strings.HasPrefix(column, "attributes.")
	if attribute && (strings.HasSuffix(column, ".value") || cell[0] == '{') {
		return cell
	}
	switch cell[0] {
	case '{', '[':
		switch v := value.Decode(cell).(type) {
		case map[string]any, []any:
			return v
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		d := json.NewDecoder(strings.NewReader(cell))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil && !d.More() {
			return v
		}
	}
	return cell
}
