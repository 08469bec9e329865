package report

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Rows is an answer that is read row by row.
type Rows interface {
	Next() bool
	Values() ([]any, error)
	// Err is why Next found no further row; nil at the end.
	Err() error
}

// TableFormats lists the formats of Table.
var TableFormats = []string{"table", "json", "csv"}

// Table writes an answer: table for people, json as a list of objects, csv
// with a header. A table holds at most maxTableRows rows and says when there
// are more. An answer that breaks off is an error: of json and csv what came
// before may have been written, without an end.
func Table(w io.Writer, format string, columns []string, rows Rows) error {
	b := bufio.NewWriter(w)
	var err error
	switch format {
	case "table":
		err = textTable(b, columns, rows)
	case "json":
		err = jsonTable(b, columns, rows)
	case "csv":
		err = csvTable(b, columns, rows)
	default:
		return fmt.Errorf("format %q: want %s", format, strings.Join(TableFormats, ", "))
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

const (
	maxTableRows = 1000
	maxCell      = 80 // runes of one cell of a text table
)

// textTable aligns columns; numbers stand to the right.
func textTable(w io.Writer, columns []string, rows Rows) error {
	cells := [][]string{columns}
	right := make([]bool, len(columns))
	more := false
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		if len(cells) > maxTableRows {
			more = true
			break
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = Line(shown(v), maxCell)
			if len(cells) == 1 {
				right[i] = isNumber(v)
			}
		}
		cells = append(cells, row)
	}
	if err := rows.Err(); err != nil && !more {
		return err
	}
	width := make([]int, len(columns))
	for _, row := range cells {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, row := range cells {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			if right[i] {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
			line.WriteString("  ")
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
	if more {
		fmt.Fprintf(w, "… more than %d rows; use LIMIT, or --format json or csv for all\n", maxTableRows)
	} else {
		fmt.Fprintf(w, "(%s)\n", plural(len(cells)-1, "row"))
	}
	return nil
}

func jsonTable(w io.Writer, columns []string, rows Rows) error {
	n := 0
	io.WriteString(w, "[")
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		if n++; n > 1 {
			io.WriteString(w, ",")
		}
		io.WriteString(w, "\n{")
		for i, v := range values {
			if i > 0 {
				io.WriteString(w, ",")
			}
			key, _ := marshal(columns[i])
			value, err := marshal(jsonCell(v))
			if err != nil {
				return fmt.Errorf("column %s: %w", columns[i], err)
			}
			fmt.Fprintf(w, "%s:%s", key, value)
		}
		io.WriteString(w, "}")
	}
	if err := rows.Err(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "]\n")
	return err
}

func csvTable(w io.Writer, columns []string, rows Rows) error {
	c := csv.NewWriter(w)
	if err := c.Write(columns); err != nil {
		return err
	}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return err
		}
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = cell(v)
		}
		if err := c.Write(row); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	c.Flush()
	return c.Error()
}

// shown is a value as a person reads it: of a number, whole digits and as much of
// the rest as makes six, without an exponent where it has an ordinary size.
func shown(v any) string {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Float32 && r.Kind() != reflect.Float64 {
		return cell(v)
	}
	const digits, high = 6, 1e15
	f := r.Float()
	size := math.Abs(f)
	if size >= 1 && size < high {
		whole := len(strconv.FormatFloat(math.Trunc(size), 'f', 0, 64))
		text := strconv.FormatFloat(f, 'f', max(digits-whole, 0), 64)
		if strings.Contains(text, ".") {
			text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// exact is the shortest text that reads back as the same number, written as JSON
// writes it.
func exact(f float64, bits int) string {
	form := byte('f')
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		form = 'e'
	}
	return strconv.FormatFloat(f, form, -1, bits)
}

// cell is a value as text, in which nothing is lost; NULL is empty.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case float64:
		return exact(v, 64)
	case float32:
		return exact(float64(v), 32)
	case fmt.Stringer:
		return v.String()
	}
	switch reflect.ValueOf(v).Kind() {
	case reflect.Slice, reflect.Map:
		if b, err := marshal(jsonCell(v)); err == nil {
			return string(b)
		}
	}
	return fmt.Sprint(v)
}

// jsonCell is a value as JSON can hold it: a number that is none becomes null.
func jsonCell(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	case json.Marshaler, time.Time:
		return v
	case fmt.Stringer:
		return v.String()
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice {
		list := make([]any, r.Len())
		for i := range list {
			list[i] = jsonCell(r.Index(i).Interface())
		}
		return list
	}
	return v
}

func isNumber(v any) bool {
	switch reflect.ValueOf(v).Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return true
	}
	return false
}
