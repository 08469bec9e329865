package tracefile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.opentelemetry.io/collector/pdata/plog"
)

// isSpanTable reports whether a file begins with the header of a CSV of spans,
// as Phoenix's data frames are saved.
func isSpanTable(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.Contains(line, []byte(",")) && bytes.Contains(line, []byte("context.span_id"))
}

// readTable reads a CSV with a span a row. Cells that hold JSON are decoded.
func (r *reader) readTable(file string, stream *bufio.Reader) error {
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
		place := Place{File: file, Line: line, Offset: rows.InputOffset()}
		if err != nil {
			r.problem(&Problem{Place: place, Err: fmt.Errorf("CSV: %w", err)})
			if len(cells) != len(header) {
				continue
			}
		}
		row := map[string]any{}
		for i, cell := range cells {
			r.addBytes(len(cell) + 1)
			row[header[i]] = cellValue(cell)
		}
		data, err := readSpanDump(row)
		if err != nil {
			r.problem(&Problem{Place: place, Err: err})
			continue
		}
		data.Place, data.Format, data.Logs = place, spandump.name, plog.NewLogs()
		if err := r.data(data); err != nil {
			return err
		}
	}
}

// cellValue decodes a cell that is a JSON object, list or number.
func cellValue(cell string) any {
	if cell == "" || !strings.ContainsRune("{[-0123456789", rune(cell[0])) {
		if cell == "" {
			return nil
		}
		return cell
	}
	d := json.NewDecoder(strings.NewReader(cell))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return cell
	}
	return v
}
