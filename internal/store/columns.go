package store

import (
	"fmt"
	"slices"
	"time"
)

// Column describes one column of a table. It is the single declaration from
// which DDL, insert, reading and docs/storage.md come.
type Column struct {
	Name  string
	Type  string // ClickHouse type, the same on every supported server
	Codec string // compression; empty for the server's default
	Doc   string // one line for people
	// Limit is the most bytes of text that are stored, of a list per entry; 0
	// means no limit. What is longer is cut, and the column's name is added to the
	// row's "cut".
	Limit int
	// Content marks text that the agent, its user or its tools wrote: what a
	// redaction policy looks at.
	Content bool
}

// definition is the column as CREATE TABLE and ADD COLUMN write it.
func (c Column) definition() string {
	s := "`" + c.Name + "` " + c.Type + " COMMENT " + quote(c.Doc)
	if c.Codec != "" {
		s += " CODEC(" + c.Codec + ")"
	}
	return s
}

// ClickHouse types that columns have. Nothing here is newer than the last two
// LTS lines.
const (
	typeText   = "String"
	typeWord   = "LowCardinality(String)" // few distinct values
	typeTime   = "DateTime64(9, 'UTC')"
	typeDate   = "Nullable(DateTime64(9, 'UTC'))"
	typeCount  = "UInt32"
	typeTokens = "UInt64"
	typeMaybe  = "Nullable(UInt64)" // NULL: not measured
	typeNumber = "Float64"
	typeScore  = "Nullable(Float64)"
	typeBool   = "Bool"
	typeIDs    = "Array(String)"
	typeWords  = "Array(LowCardinality(String))"
	typeMap    = "Map(LowCardinality(String), String)"
	typeCounts = "Map(LowCardinality(String), UInt32)"

	codecTime = "Delta(8), ZSTD(1)"
	codecText = "ZSTD(3)"
)

// Limits of text columns, in bytes.
const (
	limitName    = 1 << 10
	limitMessage = 8 << 10
	limitContent = 64 << 10
	limitRule    = 256 << 10
	limitList    = 1000 // entries
)

// column is a Column with its place in the row.
type column[R any] struct {
	Column
	// values is the column's values of rows as a slice that clickhouse-go
	// appends in one call.
	values func(rows []R) any
	// pointer is where Scan puts the column's value.
	pointer func(row *R) any
	// text is the column's text, for columns of text that have a limit.
	text func(row *R) *string
	// shorten brings the column within its limit, for lists and maps; it
	// reports whether it took anything away.
	shorten func(row *R) bool
}

// col is a column whose value lies where field points.
func col[R, T any](name, typ, doc string, field func(*R) *T) column[R] {
	return column[R]{
		Column: Column{Name: name, Type: typ, Doc: doc},
		values: func(rows []R) any {
			out := make([]T, len(rows))
			for i := range rows {
				out[i] = *field(&rows[i])
			}
			return out
		},
		pointer: func(row *R) any { return field(row) },
	}
}

// text is a column of text that is cut at limit bytes.
func text[R any](name, typ string, limit int, doc string, field func(*R) *string) column[R] {
	c := col(name, typ, doc, field)
	c.Limit, c.text = limit, field
	if limit >= limitMessage {
		c.Codec = codecText
	}
	return c
}

// content is a column of text that agents, users or tools wrote.
func content[R any](name string, limit int, doc string, field func(*R) *string) column[R] {
	c := text(name, typeText, limit, doc, field)
	c.Content = true
	return c
}

// list is a column of at most limitList texts, each of at most limitName bytes.
func list[R any](name, typ, doc string, field func(*R) *[]string) column[R] {
	c := col(name, typ, doc, field)
	c.Limit = limitName
	c.shorten = func(row *R) bool {
		p := field(row)
		cut := len(*p) > limitList
		if cut {
			*p = (*p)[:limitList:limitList]
		}
		for i, s := range *p {
			if short, was := cutText(s, limitName); short != s {
				*p = slices.Clone(*p) // the caller's list stays as it is
				(*p)[i] = short
				cut = cut || was
			}
		}
		return cut
	}
	return c
}

// timeCol is a column of nanosecond times in UTC.
func timeCol[R any](name, doc string, field func(*R) *time.Time) column[R] {
	c := col(name, typeTime, doc, field)
	c.Codec = codecTime
	return c
}

// cutCol is the column that says which texts of the row were cut.
func cutCol[R any](field func(*R) *[]string) column[R] {
	return col("cut", typeWords, "columns of this row whose text was cut at its limit", field)
}

// table is the column list of one table.
type table[R any] struct {
	name    string
	doc     string
	key     []string // ORDER BY: of rows with one key the newest wins
	columns []column[R]
	cut     func(*R) *[]string
}

// Table describes a table for schema rendering and for docs.
type Table struct {
	Name    string
	Doc     string
	Key     []string // of rows with one key the newest wins
	Columns []Column
}

func (t *table[R]) describe() Table {
	d := Table{Name: t.name, Doc: t.doc, Key: t.key}
	for _, c := range t.columns {
		d.Columns = append(d.Columns, c.Column)
	}
	return d
}

// limit brings every text within its column's limit, names the columns that it
// cut, and returns how many bytes of text the row has.
func (t *table[R]) limit(row *R) (size int) {
	for i := range t.columns {
		c := &t.columns[i]
		cut := false
		switch {
		case c.text != nil:
			p := c.text(row)
			*p, cut = cutText(*p, c.Limit)
			size += len(*p)
		case c.shorten != nil:
			cut = c.shorten(row)
		}
		if cut {
			t.markCut(row, c.Name)
		}
	}
	return size
}

// markCut adds a column to the row's list of those that were cut.
func (t *table[R]) markCut(row *R, column string) {
	if names := t.cut(row); !slices.Contains(*names, column) {
		*names = append(*names, column)
	}
}

// contents calls visit with the address of every text that people or programs
// outside tracegrade wrote.
func (t *table[R]) contents(rows []R, visit func(*string)) {
	for _, c := range t.columns {
		if !c.Content {
			continue
		}
		for i := range rows {
			visit(c.text(&rows[i]))
		}
	}
}

// Tables lists the tables that rows are inserted into.
func Tables() []Table {
	return []Table{
		traces.describe(), steps.describe(), findings.describe(), outcomes.describe(),
		rules.describe(), observations.describe(), links.describe(), labels.describe(), sentinels.describe(), runs.describe(), journal.describe(), monthEnds.describe(),
	}
}

// tableNamed finds a table.
func tableNamed(name string) (Table, error) {
	for _, t := range Tables() {
		if t.Name == name {
			return t, nil
		}
	}
	return Table{}, fmt.Errorf("no table %q", name)
}
