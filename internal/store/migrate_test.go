package store

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

// The tables on the server are those of the column lists.
func TestTablesAreTheColumnLists(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, tab := range Tables() {
			var want []Column
			for _, c := range tab.Columns {
				want = append(want, Column{Name: c.Name, Type: c.Type, Codec: c.Codec, Doc: c.Doc})
			}
			if diff := cmp.Diff(want, columnsOf(t, s, tab.Name)); diff != "" {
				t.Errorf("table %s (-list +server):\n%s", tab.Name, diff)
			}
			var key string
			if err := s.conn.QueryRow(t.Context(), "SELECT sorting_key FROM system.tables WHERE database = ? AND name = ?", s.layout.database, tab.Name).Scan(&key); err != nil {
				t.Fatal(err)
			}
			if want := strings.Join(tab.Key, ", "); strings.Trim(key, "()") != want {
				t.Errorf("table %s is sorted by %s, want %s", tab.Name, key, want)
			}
		}
	})
}

// columnsOf are the columns that the server has for a table or view.
func columnsOf(t *testing.T, s *Store, table string) []Column {
	t.Helper()
	rows, err := s.conn.Query(t.Context(), "DESCRIBE TABLE "+s.layout.name(table))
	if err != nil {
		t.Fatal(err)
	}
	var list []Column
	for rows.Next() {
		var c Column
		var codec, ignore string
		if err := rows.Scan(&c.Name, &c.Type, &ignore, &ignore, &c.Doc, &codec, &ignore); err != nil {
			t.Fatal(err)
		}
		c.Codec = codec
		if inner, ok := strings.CutPrefix(codec, "CODEC("); ok { // older servers
			c.Codec = strings.TrimSuffix(inner, ")")
		}
		list = append(list, c)
	}
	return list
}

// A database of an earlier version comes to the same tables and views as a new
// one: columns that a migration adds are taken away, and it and what follows forgotten.
func TestMigrateAddsColumnsToWhatIsThere(t *testing.T) {
	dsn := storetest.DSN(t)
	s := openConfig(t, Config{DSN: dsn})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	added := regexp.MustCompile("ALTER TABLE (`[^`]+`\\.`([^`]+)`) .*ADD COLUMN IF NOT EXISTS `([^`]+)`")
	tables := map[string]bool{}
	count := 0
	for _, m := range migrations() {
		list, err := s.layout.statements(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range list {
			add := added.FindStringSubmatch(sql)
			if add == nil {
				continue
			}
			count++
			if !tables[add[2]] {
				tables[add[2]] = true
				run(t, s, "DROP VIEW "+s.layout.name(add[2]+"_current"))
			}
			run(t, s, "ALTER TABLE "+add[1]+" DROP COLUMN `"+add[3]+"`")
			run(t, s, fmt.Sprintf("DELETE FROM %s WHERE version >= %d", s.layout.name("schema_migrations"), m.version))
		}
	}
	if count == 0 {
		t.Fatal("no migration adds a column: the test sees none")
	}
	if err := openConfig(t, Config{DSN: dsn}).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tab := range Tables() {
		if !tables[tab.Name] {
			continue
		}
		for _, name := range []string{tab.Name, tab.Name + "_current"} {
			got := columnsOf(t, s, name)
			if len(got) != len(tab.Columns) {
				t.Errorf("%s has %d columns, want %d", name, len(got), len(tab.Columns))
				continue
			}
			for i, c := range tab.Columns {
				if got[i].Name != c.Name || got[i].Type != c.Type {
					t.Errorf("column %d of %s is %s %s, want %s %s", i, name, got[i].Name, got[i].Type, c.Name, c.Type)
				}
			}
		}
	}
}

// Runs that were stored with 0 tokens, because no span stated any, are not measured.
func TestMigrateMakesTokensOfRunsNotMeasured(t *testing.T) {
	dsn := storetest.DSN(t)
	s := openConfig(t, Config{DSN: dsn})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	runs := s.layout.name("runs")
	run(t, s, "DROP VIEW "+s.layout.name("runs_current"))
	for _, c := range []string{"input_tokens", "output_tokens"} {
		run(t, s, "ALTER TABLE "+runs+" DROP COLUMN "+c)
		run(t, s, "ALTER TABLE "+runs+" ADD COLUMN "+c+" UInt64")
	}
	run(t, s, "INSERT INTO "+runs+" (run, input_tokens, output_tokens) VALUES ('none', 0, 0), ('both', 12, 3), ('half', 0, 3)")
	for _, m := range migrations() {
		if strings.HasSuffix(m.name, "tokens_of_runs") {
			run(t, s, fmt.Sprintf("DELETE FROM %s WHERE version >= %d", s.layout.name("schema_migrations"), m.version))
		}
	}
	if err := openConfig(t, Config{DSN: dsn}).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := answer(t, s, "SELECT run, toString(input_tokens), toString(output_tokens) FROM "+s.layout.name("runs_current")+" ORDER BY run")
	if diff := cmp.Diff(fmt.Sprint([][]any{{"both", "12", "3"}, {"half", "0", "3"}, {"none", nil, nil}}), fmt.Sprint(got)); diff != "" {
		t.Errorf("tokens after the migration (-want +got):\n%s", diff)
	}
}

// run runs one statement.
func run(t *testing.T, s *Store, sql string) {
	t.Helper()
	if err := s.conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
}

func TestMigrateByManyAtOnce(t *testing.T) {
	dsn := storetest.DSN(t)
	var wg sync.WaitGroup
	for range 4 {
		s := openConfig(t, Config{DSN: dsn})
		wg.Go(func() {
			for range 2 {
				if err := s.Migrate(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := openConfig(t, Config{DSN: dsn})
	if n := number(t, s, "SELECT count() FROM schema_migrations FINAL"); n != uint64(len(migrations())) {
		t.Errorf("%d migrations recorded, want %d", n, len(migrations()))
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	dsn := storetest.DSN(t)
	s := openConfig(t, Config{DSN: dsn})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.exec(t.Context(), s.conn, "insert into", "INSERT INTO "+s.layout.name("schema_migrations")+" (version, name) VALUES (99, '0099_future')"); err != nil {
		t.Fatal(err)
	}
	old := openConfig(t, Config{DSN: dsn})
	err := old.Insert(t.Context(), &Batch{Traces: []TraceRow{{TraceID: "t"}}})
	if !errors.Is(err, ErrNewerSchema) || Permanent(err) {
		t.Fatalf("got %v, want ErrNewerSchema, for which rows wait", err)
	}
	want := fmt.Sprintf("the schema is from a newer version of tracegrade: database %s is at migration 99, this version knows %d: upgrade tracegrade, or use another database or table_prefix",
		s.layout.database, len(migrations()))
	if err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if n := number(t, s, "SELECT count() FROM traces"); n != 0 {
		t.Errorf("%d rows were written", n)
	}
}

// Who may only read can use a schema that is complete.
func TestMigrateNeedsNoRightsWhereNothingIsMissing(t *testing.T) {
	e := storetest.Engine(t)
	dsn := storetest.DSN(t)
	if err := openConfig(t, Config{DSN: dsn}).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	reader := strings.Replace(dsn, strings.Split(e.DSN(), "@")[0], strings.Split(e.ReadOnlyDSN(), "@")[0], 1)
	s := openConfig(t, Config{DSN: reader})
	if err := s.Migrate(t.Context()); err != nil {
		t.Errorf("complete schema: %v", err)
	}
	if n := number(t, s, "SELECT count() FROM traces_current"); n != 0 {
		t.Errorf("%d rows", n)
	}
	if err := s.Insert(t.Context(), &Batch{Traces: []TraceRow{{}}}); err == nil || !strings.Contains(err.Error(), "ACCESS_DENIED") && !strings.Contains(err.Error(), "Not enough privileges") {
		t.Errorf("a reader inserts: %v", err)
	}
}

func TestPrefixesAreApart(t *testing.T) {
	dsn := storetest.DSN(t)
	a, b := openConfig(t, Config{DSN: dsn, TablePrefix: "a_"}), openConfig(t, Config{DSN: dsn, TablePrefix: "b_"})
	insertAll(t, a, Batch{Traces: []TraceRow{{TraceID: "t"}}})
	insertAll(t, b, Batch{})
	if n := number(t, a, "SELECT count() FROM a_traces_current"); n != 1 {
		t.Errorf("a has %d traces, want 1", n)
	}
	if n := number(t, a, "SELECT count() FROM b_traces_current"); n != 0 {
		t.Errorf("b has %d traces, want 0", n)
	}
	// A verb, which has nothing but a DSN, names the prefix there.
	separator := "?"
	if strings.Contains(dsn, "?") {
		separator = "&"
	}
	a = openConfig(t, Config{DSN: dsn + separator + "table_prefix=a_"})
	rows, err := a.Run(t.Context(), "usage", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, rows); len(got) != 1 {
		t.Errorf("named query reads %v", got)
	}
}

func TestTTL(t *testing.T) {
	dsn := storetest.DSN(t)
	engine := func(s *Store) string {
		t.Helper()
		e, err := s.tableEngine(t.Context(), "findings")
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	keep := openConfig(t, Config{DSN: dsn})
	if err := keep.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := engine(keep); strings.Contains(e, "TTL") {
		t.Errorf("without a ttl: %s", e)
	}
	for _, ttl := range []time.Duration{24 * time.Hour, 48 * time.Hour} {
		s := openConfig(t, Config{DSN: dsn, TTL: ttl})
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e := engine(s); !strings.Contains(e, "TTL ") || !strings.Contains(e, fmt.Sprintf("toIntervalSecond(%d)", int(ttl.Seconds()))) {
			t.Errorf("%v is not in %s", ttl, e)
		}
	}
	// What has none configured leaves it.
	if err := openConfig(t, Config{DSN: dsn}).Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := engine(keep); !strings.Contains(e, "toIntervalSecond(172800)") {
		t.Errorf("the ttl is gone: %s", e)
	}
}

// What is older than the ttl goes; what has no time, or one of a clock that was
// not set, is as old as its grade.
func TestTTLOfRowsWithoutTimes(t *testing.T) {
	s := openConfig(t, Config{DSN: storetest.DSN(t), TTL: 24 * time.Hour})
	now := time.Now() // the server's clock, by which it deletes
	row := func(id string, start, graded time.Time) (TraceRow, StepRow) {
		version := RowVersion(1, graded)
		return TraceRow{TraceID: id, Revision: 1, RowVersion: version, TraceStart: start, TraceEnd: start},
			StepRow{TraceID: id, StepID: "s", Revision: 1, RowVersion: version, StepStart: start, StepEnd: start}
	}
	var b Batch
	for id, at := range map[string][2]time.Time{
		"new":               {now, now},
		"old":               {now.Add(-48 * time.Hour), now},
		"no time":           {earliest, now},
		"a clock not set":   {time.Unix(1764, 0), now},
		"no time, long ago": {earliest, now.Add(-48 * time.Hour)},
	} {
		trace, step := row(id, at[0], at[1])
		b.Traces, b.Steps = append(b.Traces, trace), append(b.Steps, step)
	}
	if err := s.Insert(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"traces", "steps"} {
		if err := s.exec(t.Context(), s.conn, "merge", "OPTIMIZE TABLE "+s.layout.name(table)+" FINAL"); err != nil {
			t.Fatal(err)
		}
		var left []string
		if err := s.conn.QueryRow(t.Context(), "SELECT groupArray(trace_id) FROM (SELECT trace_id FROM "+s.layout.name(table)+" ORDER BY trace_id)").Scan(&left); err != nil {
			t.Fatal(err)
		}
		if want := []string{"a clock not set", "new", "no time"}; !slices.Equal(left, want) {
			t.Errorf("%s: left %q, want %q", table, left, want)
		}
	}
}

// The schema of a cluster is what ClickHouse can read. It is not run here: that
// needs several servers and a keeper.
func TestClusterSchema(t *testing.T) {
	s := open(t)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := Schema(Config{Database: "db", TablePrefix: "p_", Cluster: "main"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"CREATE TABLE IF NOT EXISTS `db`.`p_findings_local` ON CLUSTER 'main' (",
		"ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/db/p_findings', '{replica}', row_version)",
		"CREATE TABLE IF NOT EXISTS `db`.`p_findings` ON CLUSTER 'main' AS `db`.`p_findings_local` ENGINE = Distributed('main', 'db', 'p_findings_local', cityHash64(trace_id))",
		"CREATE VIEW IF NOT EXISTS `db`.`p_findings_current_local` ON CLUSTER 'main' AS",
		"CREATE TABLE IF NOT EXISTS `db`.`p_findings_current` ON CLUSTER 'main' AS `db`.`p_findings_current_local` ENGINE = Distributed(",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the schema lacks %s", want)
		}
	}
	l := layout{database: "db", prefix: "p_", cluster: "main"}
	count := 0
	for _, m := range migrations() {
		list, err := l.statements(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range list {
			if strings.HasPrefix(sql, "CREATE TABLE IF NOT") || strings.HasPrefix(sql, "CREATE VIEW") {
				count++
			}
			var formatted string
			if err := s.conn.QueryRow(t.Context(), "SELECT formatQuery(?)", sql).Scan(&formatted); err != nil {
				t.Errorf("%v\n%s", err, sql)
			}
		}
	}
	if want := 4 * len(Tables()); count != want {
		t.Errorf("%d tables and views made, want %d: a table and a view for each, and both over all shards", count, want)
	}
}

// A time window prunes the partitions of the tables behind the views.
func TestWindowPrunesPartitions(t *testing.T) {
	s := open(t)
	var b Batch
	for month := range 3 {
		row := TraceRow{TraceID: "t", TraceStart: day(0).AddDate(0, month, 0)}
		b.Traces = append(b.Traces, row)
		b.Steps = append(b.Steps, StepRow{TraceID: "t", StepID: "s", StepStart: row.TraceStart})
		b.rule(row, "r", "h", "low", true)
	}
	insertAll(t, s, b)
	for view, want := range map[string]struct {
		column string
		tables int
	}{
		"traces_current": {"trace_start", 1}, "steps_current": {"step_start", 1}, "outcomes_current": {"trace_start", 1}, "findings_current": {"trace_start", 2},
	} {
		var plan strings.Builder
		for _, row := range answer(t, s, fmt.Sprintf("EXPLAIN indexes = 1 SELECT count() FROM %[1]s WHERE %[2]s >= '2026-12-01' AND %[2]s < '2026-12-08'", view, want.column)) {
			fmt.Fprintln(&plan, row[0])
		}
		if n := strings.Count(plan.String(), "Parts: 1/3"); n != want.tables {
			t.Errorf("%s: %d tables are pruned, want %d:\n%s", view, n, want.tables, plan.String())
		}
	}
}
