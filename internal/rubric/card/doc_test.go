package card

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/rubric"
)

var update = flag.Bool("update", false, "write the generated parts of docs/rubrics.md, and fail")

const page = "../../../docs/rubrics.md"

var yamlBlock = regexp.MustCompile("(?s)```yaml\n# ([a-z_]+\\.yaml)\n(.*?)```")

// The files of docs/rubrics.md are read as its reader would have them read, and
// its rubric is asked about its items.
func TestDocumentedFiles(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, m := range yamlBlock.FindAllStringSubmatch(string(b), -1) {
		files[m[1]] = []byte(m[2])
	}
	if _, err := rubric.ReadConfig("judges.yaml", files["judges.yaml"]); err != nil {
		t.Error(err)
	}
	f, err := rubric.Parse("conflict.yaml", files["conflict.yaml"])
	if err != nil {
		t.Fatal(err)
	}
	set, err := rubric.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	items, err := ReadItems("conflict_items.yaml", files["conflict_items.yaml"])
	if err != nil {
		t.Fatal(err)
	}
	c, err := Measure(t.Context(), set, items, Settings{}, nil, func(only *rubric.Set, ref Reference) (*rubric.Grader, error) {
		return rubric.New(only, rubric.Options{Reference: ref})
	})
	if err != nil || c.NoVerdict[rubric.ReasonNoJudge] != len(items.Items) {
		t.Errorf("%v, %+v: want all %d items to need a judge", err, c, len(items.Items))
	}
}

// The tables of docs/rubrics.md are what the code's lists say.
func TestDocsAreFresh(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	table := func(keys []rubric.Key) string {
		var s strings.Builder
		for _, k := range keys {
			fmt.Fprintf(&s, "| `%s` | %s |\n", k.Name, k.Doc)
		}
		return s.String()
	}
	for name, part := range map[string]string{
		"keys": table(rubric.RubricKeys), "questions": table(rubric.QuestionKeys), "material": table(rubric.Selections()), "check": table(rubric.CheckKeys), "classify": table(rubric.ClassifyKeys),
	} {
		from, to := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
		before, rest, ok := strings.Cut(text, from)
		_, after, closed := strings.Cut(rest, to)
		if !ok || !closed {
			t.Fatalf("%s has no part %s", page, name)
		}
		text = before + from + part + to + after
	}
	if text == string(b) {
		return
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("%s is stale: run go test ./internal/rubric/card -run TestDocsAreFresh -update", page)
}

// The page names every key of the judges' file and every built-in pattern of redaction.
func TestDocumentedConfiguration(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		for i := 0; of.Kind() == reflect.Struct && i < of.NumField(); i++ {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ",")
			names = append(names, name)
			walk(of.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[rubric.Config]())
	for _, p := range redact.Builtins() {
		names = append(names, p[0])
	}
	for _, name := range names {
		if name != "" && !strings.Contains(string(b), "`"+name+"`") && !strings.Contains(string(b), "judges[]."+name+"`") {
			t.Errorf("%s does not name %s", page, name)
		}
	}
}
