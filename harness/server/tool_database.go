package server

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"modernc.org/sqlite" // the driver "sqlite"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// Limits of a query.
const (
	maxRows      = 200
	maxValueSize = 256 << 10
)

var queryDatabase = Tool{
	Name:        "query_database",
	Description: "Run one SQL SELECT on a SQLite database.",
	Params:      []Param{{Name: "sql", Type: "string", Description: "one SELECT statement", Required: true}},
	describe: func(r *Run) string {
		var tables []string
		for _, d := range r.first.docs {
			if d.Surface == trap.Records && !strings.HasPrefix(d.Address, "register_") && !slices.Contains(tables, d.Address) {
				tables = append(tables, d.Address)
			}
		}
		sort.Strings(tables)
		return "Tables include: " + strings.Join(tables, ", ") + "."
	},
	call: func(ctx context.Context, r *Run, a Args) (trap.Reply, error) {
		db, err := r.w.database(ctx)
		if err != nil {
			return trap.Reply{}, err
		}
		return query(ctx, db, r.w.steps, r.w.docs, a.Text("sql"))
	},
	render: func(r *Run, _ Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		rows := reply.Rows
		if rows == nil {
			rows = [][]any{}
			reply.Docs = nil
		}
		more := reply.Total > len(rows) && len(rows) > 0
		body := map[string]any{"columns": append([]string{}, reply.Cols...), "rows": rows, "row_count": len(rows), "has_more": more}
		if more {
			body["total_rows"] = reply.Total
		}
		return body
	},
}

// database is the world's tables, in memory. Rows of documents with fields, and
// of documents with parts.
func (w *world) database(ctx context.Context) (*sql.DB, error) {
	w.dbOnce.Do(func() { w.db, w.dbErr = build(context.WithoutCancel(ctx), w) })
	return w.db, w.dbErr
}

func build(ctx context.Context, w *world) (*sql.DB, error) {
	name := fmt.Sprintf("file:%s-%s-%p?mode=memory&cache=private", w.c.ID, w.arm, w)
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open the case's database: %w", err)
	}
	db.SetMaxOpenConns(1) // the database lives in its one connection
	db.SetConnMaxIdleTime(0)
	db.SetConnMaxLifetime(0)
	for _, d := range w.docs {
		if d.Surface != trap.Records {
			continue
		}
		if err := insert(ctx, db, &d); err != nil {
			return nil, fmt.Errorf("fill the case's database: %w", err)
		}
	}
	w.steps, w.forget, err = limit(ctx, db)
	return db, err
}

// limit makes the connection safe for a stranger's SQL.
func limit(ctx context.Context, db *sql.DB) (*budget, func(), error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	const limitLength, limitAttached = 0, 7 // sqlite3.h: SQLITE_LIMIT_LENGTH, SQLITE_LIMIT_ATTACHED
	for id, v := range map[int]int{limitLength: maxValueSize, limitAttached: 0} {
		if _, err := sqlite.Limit(conn, id, v); err != nil {
			return nil, nil, fmt.Errorf("limit the case's database: %w", err)
		}
	}
	if _, err = conn.ExecContext(ctx, "PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA hard_heap_limit = 268435456"); err != nil {
		return nil, nil, err
	}
	err = conn.Raw(func(c any) error {
		a, ok := c.(sqlite.AuthorizerRegisterer)
		if !ok {
			return errors.New("the driver has no authorizer")
		}
		return a.RegisterAuthorizer(authorize)
	})
	if err != nil {
		return nil, nil, err
	}
	return countSteps(conn)
}

// unstable lists the functions that give another value at another time: random
// ones, and those that can read the clock, which is not the case's day.
var unstable = []string{
	"random", "randomblob", "current_date", "current_time", "current_timestamp",
	"date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff",
	"sqlite_version", "sqlite_source_id", "sqlite_compileoption_used", "sqlite_compileoption_get",
}

// authorize lets a statement read the case's tables and their schema, with
// functions of their arguments alone.
func authorize(action sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
	allowed := false
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRecursive:
		allowed = true
	case sqlite.AuthFunction:
		allowed = !slices.Contains(unstable, strings.ToLower(arg2))
	case sqlite.AuthRead:
		table := strings.ToLower(arg1)
		schema := table == "sqlite_master" || table == "sqlite_schema"
		allowed = schema || !strings.HasPrefix(table, "sqlite_") && !strings.HasPrefix(table, "pragma_") && table != "dbstat"
	}
	if allowed {
		return sqlite.AuthorizerOK
	}
	return sqlite.AuthorizerDeny
}

func insert(ctx context.Context, db *sql.DB, d *trap.Doc) error {
	table := `"` + strings.ReplaceAll(d.Address, `"`, "") + `"`
	if len(d.Parts) > 0 {
		if _, err := db.ExecContext(ctx, "CREATE TABLE "+table+" (name TEXT, num REAL)"); err != nil {
			return err
		}
		for _, p := range d.Parts {
			if _, err := db.ExecContext(ctx, "INSERT INTO "+table+" VALUES (?, ?)", p.Name, p.Num); err != nil {
				return err
			}
		}
		return nil
	}
	const columns = "entity, metric, value, as_of, source, remark"
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS "+table+" ("+columns+")"); err != nil {
		return err
	}
	var values []any
	for _, c := range strings.Split(columns, ", ") {
		values = append(values, d.Fields[c])
	}
	_, err := db.ExecContext(ctx, "INSERT INTO "+table+" ("+columns+") VALUES (?, ?, ?, ?, ?, ?)", values...)
	return err
}

// query runs one statement that reads. The documents whose row is in the
// result are named in the reply, for the journal.
func query(ctx context.Context, db *sql.DB, steps *budget, docs []trap.Doc, text string) (trap.Reply, error) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	first := strings.ToUpper(strings.TrimLeft(text, "( \n\t"))
	if !strings.HasPrefix(first, "SELECT") && !strings.HasPrefix(first, "WITH") && !strings.HasPrefix(first, "VALUES") && !strings.HasPrefix(first, "EXPLAIN") {
		return trap.Reply{}, fmt.Errorf("only SELECT is allowed")
	}
	if hasStatementEnd(text) {
		return trap.Reply{}, fmt.Errorf("one statement at a time")
	}
	// The database has one connection: whoever holds it has the steps for himself.
	conn, err := db.Conn(ctx)
	if err != nil {
		return trap.Reply{}, err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	steps.begin(ctx)
	rows, err := conn.QueryContext(context.WithoutCancel(ctx), text)
	if err != nil {
		return trap.Reply{}, steps.explain(err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return trap.Reply{}, err
	}
	reply := trap.Reply{Cols: cols}
	size := 0
	for rows.Next() {
		cells, into := make([]any, len(cols)), make([]any, len(cols))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return trap.Reply{}, err
		}
		reply.Total++
		for i, c := range cells {
			if b, ok := c.([]byte); ok {
				cells[i] = string(b)
			}
			size += len(fmt.Sprint(cells[i]))
		}
		if reply.Total <= maxRows && size < maxValueSize {
			reply.Rows = append(reply.Rows, cells)
		}
	}
	reply.Docs = behind(docs, text, reply.Rows)
	return reply, steps.explain(rows.Err())
}

// hasStatementEnd reports a semicolon outside of quotes.
func hasStatementEnd(text string) bool {
	var quote rune
	for _, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ';':
			return true
		}
	}
	return false
}

// behind is the documents whose table the query names and whose value, or
// whose sum, is among the cells.
func behind(docs []trap.Doc, text string, rows [][]any) []trap.Doc {
	var found []trap.Doc
	for _, d := range docs {
		if d.Surface != trap.Records || !strings.Contains(text, d.Address) {
			continue
		}
		want := d.Fields["value"]
		if r, ok := d.Fields["remark"].(string); ok && r != "" {
			want = r
		}
		var sum float64
		for _, p := range d.Parts {
			sum += p.Num
		}
		if slices.ContainsFunc(rows, func(row []any) bool {
			return slices.ContainsFunc(row, func(c any) bool { return c != nil && (c == want || len(d.Parts) > 0 && c == sum) })
		}) || len(d.Parts) > 0 && len(rows) > 0 && len(rows) < len(d.Parts) {
			found = append(found, d)
		}
	}
	return found
}
