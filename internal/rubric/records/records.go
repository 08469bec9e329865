// Package records reads lists that people keep in files: JSONL, or CSV with a
// line of column names.
package records

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Column is one column of CSV, and the key of the same name in JSONL.
type Column[T any] struct {
	Name string
	Set  func(record *T, text string) error // from CSV; JSONL is decoded by T's tags
}

// lineMax is the longest line of JSONL, in bytes.
const lineMax = 1 << 20

var byteOrderMark = []byte("\xef\xbb\xbf") // spreadsheets write it

// Read calls add for each record of a file, in order. The format is told by the
// first character. All mistakes are reported at once, each with its line; name
// is what the file is called in them. An empty file is a mistake.
func Read[T any](name string, r io.Reader, columns []Column[T], add func(T) error) error {
	buffered := bufio.NewReaderSize(r, 64<<10)
	if mark, err := buffered.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		buffered.Discard(len(byteOrderMark))
	}
	first, err := buffered.Peek(1)
	switch {
	case err == io.EOF:
		return fmt.Errorf("%s: the file is empty: want JSON objects, one a line, or CSV with a line of column names", name)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case first[0] == '{':
		return readJSONL(name, buffered, columns, add)
	}
	return readCSV(name, buffered, columns, add)
}

func readJSONL[T any](name string, r io.Reader, columns []Column[T], add func(T) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), lineMax)
	var errs []error
	n := 0
	for lines.Scan() {
		n++
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var record T
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		err := d.Decode(&record)
		switch {
		case err != nil:
			err = fmt.Errorf("%w: want a JSON object with keys %s", err, names(columns))
		case d.More():
			err = errors.New("more than one JSON value: want one a line")
		default:
			err = add(record)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, n, err))
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		errs = append(errs, fmt.Errorf("%s:%d: the line is longer than %d bytes", name, n+1, lineMax))
	} else if err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", name, err))
	}
	return errors.Join(errs...)
}

func readCSV[T any](name string, r io.Reader, columns []Column[T], add func(T) error) error {
	rows := csv.NewReader(r)
	head, err := rows.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var errs []error
	order := make([]*Column[T], len(head))
	for i, h := range head {
		for j := range columns {
			if columns[j].Name == strings.TrimSpace(h) {
				order[i] = &columns[j]
			}
		}
		if order[i] == nil {
			errs = append(errs, fmt.Errorf("%s: column %q: want %s", name, h, names(columns)))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return errors.Join(errs...)
		}
		if err != nil { // of package csv: it names the line, and what follows cannot be told apart
			return errors.Join(append(errs, fmt.Errorf("%s: %w", name, err))...)
		}
		line, _ := rows.FieldPos(0)
		var record T
		bad := false
		for i, text := range row {
			if err := order[i].Set(&record, text); err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: %s %q: %w", name, line, order[i].Name, text, err))
				bad = true
			}
		}
		if bad {
			continue
		}
		if err := add(record); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, line, err))
		}
	}
}

func names[T any](columns []Column[T]) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return strings.Join(list, ", ")
}

// Text is a column that is kept as it is.
func Text[T any](name string, field func(*T) *string) Column[T] {
	return Column[T]{name, func(record *T, text string) error { *field(record) = text; return nil }}
}
