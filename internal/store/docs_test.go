package store

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated parts of docs/storage.md, and fail")

const docsFile = "../../docs/storage.md"

// The generated parts of docs/storage.md are what the column lists and the
// query files say.
func TestDocsAreFresh(t *testing.T) {
	b, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for name, part := range map[string]string{"tables": tableDocs(), "queries": queryDocs()} {
		from, to := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		before, rest, ok := strings.Cut(text, from)
		_, after, closed := strings.Cut(rest, to)
		if !ok || !closed {
			t.Fatalf("%s has no part %s", docsFile, name)
		}
		text = before + from + part + to + after
	}
	if text == string(b) {
		return
	}
	if *update {
		if err := os.WriteFile(docsFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("%s is stale: run go test ./internal/store -run TestDocsAreFresh -update", docsFile)
}

func tableDocs() string {
	var b strings.Builder
	for _, t := range Tables() {
		fmt.Fprintf(&b, "### %s\n\n%s Key: `%s`.\n\n| column | type | |\n|---|---|---|\n", t.Name, t.Doc, strings.Join(t.Key, ", "))
		for _, c := range t.Columns {
			doc := c.Doc
			if c.Limit > 1<<10 {
				doc += fmt.Sprintf(" (at most %d KiB)", c.Limit>>10)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, c.Type, doc)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func queryDocs() string {
	var b strings.Builder
	b.WriteString("| query | what it answers | parameters |\n|---|---|---|\n")
	for _, q := range Queries() {
		var list []string
		for _, p := range q.Parameters {
			switch {
			case p.Required:
				list = append(list, "**"+p.Name+"**")
			case p.Default == "" || p.Name == "from" || p.Name == "to":
				list = append(list, p.Name)
			default:
				list = append(list, p.Name+"="+p.Default)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", q.Name, q.Description, strings.Join(list, ", "))
	}
	return b.String()
}

// Every SQL example of the docs runs and answers something.
func TestDocsExamplesRun(t *testing.T) {
	b, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t)
	var rows Batch
	rows.Add(history())
	rows.Add(someSteps())
	rows.rule(TraceRow{TraceID: "s", TraceStart: day(13)}, "other", "h1", "low", true)
	insertAll(t, s, rows)
	// The columns of contrib's table that the example names.
	for _, sql := range []string{
		"CREATE TABLE " + s.layout.name("otel_traces") + " (TraceId String, SpanId String, SpanName String, Duration UInt64, SpanAttributes Map(String, String)) ENGINE = MergeTree ORDER BY TraceId",
		"INSERT INTO " + s.layout.name("otel_traces") + " (TraceId, SpanId, SpanName) VALUES ('s', '4', 'execute_tool search')",
	} {
		if err := s.exec(t.Context(), s.conn, "prepare", sql); err != nil {
			t.Fatal(err)
		}
	}
	examples := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(b), -1)
	if len(examples) < 4 {
		t.Errorf("%d examples found", len(examples))
	}
	for _, e := range examples {
		if got := answer(t, s, e[1]); len(got) == 0 {
			t.Errorf("no answer to\n%s", e[1])
		}
	}
}
