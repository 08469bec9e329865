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
// data frames of Phoenix, observations of Langfuse, runs of LangSmith; nil where it
// has none.
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
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
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
		data, err := f.read(row)
		if err != nil {
			r.problem(&Problem{Place: place, Err: err})
			continue
		}
		if damaged >= 0 {
			r.problem(&Problem{Place: place, Warning: true, Err: fmt.Errorf("column %.60q is not UTF-8, want text in UTF-8; such bytes are read as U+FFFD", header[damaged])})
		}
		data.Place, data.Format, data.Logs = place, f.name, plog.NewLogs()
		if err := r.data(data); err != nil {
			return err
		}
	}
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
