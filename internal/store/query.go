package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Rows is the answer of a query, read row by row.
type Rows struct {
	rows    driver.Rows
	columns []ResultColumn
	dest    []any
	cancel  context.CancelFunc
	wrap    func(error) error
}

// ResultColumn describes one column of an answer.
type ResultColumn struct {
	Name string
	Type string // ClickHouse type
}

// readers are the words that a statement which reads begins with.
var readers = []string{"SELECT", "WITH", "FROM", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS"}

// beginning is what stands before the first word of a statement, and that word.
var beginning = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?s:\s|\(|(?:--|#!|# )[^\n]*(?:\n|$)|/\*.*?\*/)*(\w*)`)
})

// CheckReads refuses a statement of another kind than those that read. What such
// a statement does to data the server refuses; there are others (KILL, SET,
// SYSTEM) that change none and are no questions.
func CheckReads(sql string) error {
	word := beginning().FindStringSubmatch(sql)[1]
	if slices.Contains(readers, strings.ToUpper(word)) {
		return nil
	}
	return fmt.Errorf("query: a statement that begins with %q: want one that reads: %s", word, strings.Join(readers, ", "))
}

// Query runs one SQL statement that reads, see [CheckReads]. What would write
// all the same is refused by the server. Parameters take the places of {name:Type} in it;
// their values are text in the form that ClickHouse reads.
//
// Tables may be named without the database.
func (s *Store) Query(ctx context.Context, sql string, parameters map[string]string) (*Rows, error) {
	if err := CheckReads(sql); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	options := []clickhouse.QueryOption{clickhouse.WithSettings(clickhouse.Settings{
		// Reading and settings; nothing that changes data or the server.
		"readonly": 2,
		"do_not_merge_across_partitions_select_final": 1,
	})}
	if len(parameters) > 0 {
		options = append(options, clickhouse.WithParameters(escapeParameters(parameters)))
	}
	rows, err := s.conn.Query(clickhouse.Context(ctx, options...), sql)
	if err != nil {
		err = s.wrap(ctx, "query", err)
		cancel()
		return nil, err
	}
	r := &Rows{rows: rows, cancel: cancel, wrap: func(err error) error { return s.wrap(ctx, "query", err) }}
	for _, t := range rows.ColumnTypes() {
		r.columns = append(r.columns, ResultColumn{t.Name(), t.DatabaseTypeName()})
		r.dest = append(r.dest, reflect.New(t.ScanType()).Interface())
	}
	return r, nil
}

// Columns lists the columns of the answer, in order.
func (r *Rows) Columns() []ResultColumn { return r.columns }

// Next moves to the next row, and reports whether there is one.
func (r *Rows) Next() bool { return r.rows.Next() }

// Err is what ended the answer before its last row; nil where nothing did.
func (r *Rows) Err() error { return r.wrap(r.rows.Err()) }

// Values is the current row: strings, numbers, booleans, time.Time in UTC,
// slices and maps of these, and nil for NULL.
func (r *Rows) Values() ([]any, error) {
	// Scan keeps what a pointer pointed to before where a value is NULL.
	for _, d := range r.dest {
		reflect.ValueOf(d).Elem().SetZero()
	}
	if err := r.rows.Scan(r.dest...); err != nil {
		return nil, r.wrap(err)
	}
	values := make([]any, len(r.dest))
	for i, d := range r.dest {
		v := reflect.ValueOf(d).Elem()
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() == reflect.Pointer {
			continue // NULL
		}
		values[i] = v.Interface()
		if t, ok := values[i].(time.Time); ok {
			values[i] = t.UTC()
		}
	}
	return values, nil
}

// Close ends the query and returns what went wrong while rows were read. It
// may be called before the last row, which stops the query.
func (r *Rows) Close() error {
	err := r.wrap(r.rows.Err())
	r.cancel()
	if closed := r.rows.Close(); err == nil && !errors.Is(closed, context.Canceled) {
		err = closed
	}
	return err
}

// escapeParameters writes values as the server reads a parameter's text, in
// which tab, newline and backslash are special.
func escapeParameters(values map[string]string) clickhouse.Parameters {
	p := make(clickhouse.Parameters, len(values))
	for k, v := range values {
		p[k] = parameterText.Replace(v)
	}
	return p
}

// Codes of the server's exceptions.
const (
	unknownTable    = 60
	unknownDatabase = 81
)

// Run runs a named query. Values are checked against the parameters' types;
// those that are not given have their defaults.
func (s *Store) Run(ctx context.Context, name string, values map[string]string) (*Rows, error) {
	q, err := NamedQuery(name)
	if err != nil {
		return nil, err
	}
	parameters, err := q.Bind(values, time.Now())
	if err != nil {
		return nil, err
	}
	sql, err := s.layout.render("query "+name, q.SQL)
	if err != nil {
		return nil, err
	}
	rows, err := s.Query(ctx, sql, parameters)
	if unknown := (*clickhouse.Exception)(nil); errors.As(err, &unknown) && (unknown.Code == unknownTable || unknown.Code == unknownDatabase) && parameters["table"] != "" {
		return nil, fmt.Errorf("%s: there is no table %s.%s: contrib's clickhouse exporter makes it; say with -p database=… and -p table=… where it is: %w",
			name, parameters["database"], parameters["table"], err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rows, nil
}
