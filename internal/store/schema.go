package store

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

//go:embed schema/*.sql
var schemaFiles embed.FS

// layout is where the tables are and what they are called.
type layout struct {
	database string
	prefix   string
	cluster  string // empty for one server
}

// name is the qualified name of a table or view that is read from and inserted
// into.
func (l layout) name(table string) string { return "`" + l.database + "`.`" + l.prefix + table + "`" }

// local is the qualified name of what holds the rows of one server: on a
// cluster, name is a Distributed table over it.
func (l layout) local(table string) string {
	if l.cluster == "" {
		return l.name(table)
	}
	return l.name(table + "_local")
}

func (l layout) onCluster() string {
	if l.cluster == "" {
		return ""
	}
	return "ON CLUSTER " + quote(l.cluster)
}

// engine is the table engine in which the newest row of a key wins.
func (l layout) engine(table string) string {
	if l.cluster == "" {
		return "ReplacingMergeTree(row_version)"
	}
	return fmt.Sprintf("ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/%s/%s', '{replica}', row_version)", l.database, l.prefix+table)
}

// settings of a table. An insert that is repeated with its token is stored once.
func (l layout) settings() string {
	if l.cluster == "" {
		return "SETTINGS non_replicated_deduplication_window = 1000"
	}
	return "" // replicated tables remember by default
}

// distributed makes the table over all shards; empty for one server.
func (l layout) distributed(table, shard string) string {
	if l.cluster == "" {
		return ""
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s %s AS %s ENGINE = Distributed(%s, %s, %s, %s);",
		l.name(table), l.onCluster(), l.local(table), quote(l.cluster), quote(l.database), quote(l.prefix+table+"_local"), shard)
}

// columns is the body of CREATE TABLE.
func (l layout) columns(name string) (string, error) {
	t, err := tableNamed(name)
	if err != nil {
		return "", err
	}
	lines := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		lines[i] = "    " + c.definition()
	}
	return strings.Join(lines, ",\n"), nil
}

// column is one column as ADD COLUMN takes it, with its place.
func (l layout) column(table, name string) (string, error) {
	t, err := tableNamed(table)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
	if i < 1 {
		return "", fmt.Errorf("table %s: no column %q to add after another", table, name)
	}
	return t.Columns[i].definition() + " AFTER `" + t.Columns[i-1].Name + "`", nil
}

// add is what gives a table that is there columns of a newer list: the table of
// one server, or on a cluster one over all shards.
func (l layout) add(to, table string, names []string) (string, error) {
	var b strings.Builder
	for _, name := range names {
		column, err := l.column(table, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "ALTER TABLE %s %s ADD COLUMN IF NOT EXISTS %s;\n", to, l.onCluster(), column)
	}
	return b.String(), nil
}

// change is what gives columns of a table that is there the type and the comment of
// a newer list.
func (l layout) change(to, table string, names []string) (string, error) {
	t, err := tableNamed(table)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
		if i < 0 {
			return "", fmt.Errorf("table %s: no column %q to change", table, name)
		}
		fmt.Fprintf(&b, "ALTER TABLE %s %s MODIFY COLUMN %s;\n", to, l.onCluster(), t.Columns[i].definition())
	}
	return b.String(), nil
}

// key is the ORDER BY of a table.
func (l layout) key(name string) (string, error) {
	t, err := tableNamed(name)
	return strings.Join(t.Key, ", "), err
}

// newest is the condition under which a row is the newest of its key in all
// partitions. Only of traces in month_ends there can be others than FINAL saw, and
// the older ones of these are few: a row is compared with them by hash, since a
// tuple of texts costs several times as much to look up.
func (l layout) newest(name string) (string, error) {
	key, err := l.key(name)
	older := "SELECT cityHash64(" + key + ", older) FROM (SELECT " + key + ", groupUniqArray(row_version) AS versions FROM " + l.local(name) +
		" WHERE trace_id IN (SELECT trace_id FROM " + l.local("month_ends") + ") GROUP BY " + key + " HAVING length(versions) > 1)" +
		" ARRAY JOIN versions AS older WHERE older != arrayMax(versions)"
	return "cityHash64(" + key + ", row_version) NOT IN (" + older + ")", err
}

// render fills the names of this layout into SQL.
func (l layout) render(name, text string) (string, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"table": l.name, "local": l.local, "onCluster": l.onCluster, "engine": l.engine,
		"cluster": func() string { return l.cluster }, "add": l.add, "change": l.change,
		"settings": l.settings, "distributed": l.distributed, "columns": l.columns, "key": l.key, "newest": l.newest,
		"list": func(s ...string) []string { return s },
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return "", err
	}
	return b.String(), nil
}

// migration is one numbered file of schema/.
type migration struct {
	version uint32
	name    string
	text    string // a template
}

// migrations lists the files in order. A name that is no number, and a number
// that is missing, are mistakes of this program.
func migrations() []migration {
	entries, err := schemaFiles.ReadDir("schema")
	if err != nil {
		panic(err)
	}
	var list []migration
	for _, e := range entries {
		text, err := schemaFiles.ReadFile(path.Join("schema", e.Name()))
		if err != nil {
			panic(err)
		}
		number, _, _ := strings.Cut(e.Name(), "_")
		version, err := strconv.ParseUint(number, 10, 32)
		if err != nil {
			panic("store: schema/" + e.Name() + ": want a name like 0001_what.sql")
		}
		list = append(list, migration{version: uint32(version), name: strings.TrimSuffix(e.Name(), ".sql"), text: string(text)})
	}
	slices.SortFunc(list, func(a, b migration) int { return int(a.version) - int(b.version) })
	for i, m := range list {
		if int(m.version) != i+1 {
			panic(fmt.Sprintf("store: schema/ has %s where number %d should be", m.name, i+1))
		}
	}
	return list
}

// statements renders a migration and splits it. A statement ends with a
// semicolon at the end of a line.
func (l layout) statements(m migration) ([]string, error) {
	text, err := l.render(m.name, m.text)
	if err != nil {
		return nil, fmt.Errorf("migration %s: %w", m.name, err)
	}
	var list []string
	for s := range strings.SplitSeq(text, ";\n") {
		if s = strings.TrimSpace(withoutComments(s)); s != "" {
			list = append(list, strings.TrimSuffix(s, ";"))
		}
	}
	return list, nil
}

// withoutComments drops the lines that are comments.
func withoutComments(sql string) string {
	var b strings.Builder
	for line := range strings.Lines(sql) {
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Schema is the SQL of all migrations as they are run for a configuration, for
// people who apply it themselves and for documentation.
func Schema(c Config) (string, error) {
	l := layout{database: c.Database, prefix: c.TablePrefix, cluster: c.Cluster}
	if l.database == "" {
		l.database = "tracegrade"
	}
	var b strings.Builder
	for _, m := range migrations() {
		list, err := l.statements(m)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "-- %s\n", m.name)
		for _, s := range list {
			b.WriteString(s + ";\n\n")
		}
	}
	return b.String(), nil
}
