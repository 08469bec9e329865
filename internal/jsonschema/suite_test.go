package jsonschema_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/jsonschema"
	"github.com/tracegrade/tracegrade/internal/value"
)

// decode reads JSON as spans are read; a bare number or word too.
func decode(t testing.TB, raw []byte) any {
	list, ok := value.Decode("[" + string(raw) + "]").([]any)
	if !ok || len(list) != 1 {
		t.Fatalf("not JSON: %s", raw)
	}
	return list[0]
}

// beyond are the parts of the suite that the package comment leaves out:
// references to other documents, and references that the caller's anchors
// settle.
var beyond = []string{"dynamicRef.json", "refRemote.json", "vocabulary.json"}

// elsewhere marks cases of other files that refer to other documents.
var elsewhere = []string{"remote", "metaschema", "http://json-schema.org", "https://json-schema.org/draft"}

// TestSuite runs the official test suite of JSON Schema, as it comes with a
// module that this one depends on.
func TestSuite(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	for draft, id := range map[string]string{"draft2020-12": "", "draft7": "http://json-schema.org/draft-07/schema#"} {
		files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "jsonschema", "testdata", draft, "*.json"))
		if len(files) < 30 {
			t.Fatalf("%s: %d files of the suite", draft, len(files))
		}
		for _, file := range files {
			if !contains(beyond, filepath.Base(file)) {
				runFile(t, draft, id, file)
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if strings.Contains(s, e) {
			return true
		}
	}
	return false
}

func runFile(t *testing.T, draft, id, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        json.RawMessage
			Valid       bool
		}
	}
	if err := json.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		if strings.Contains(g.Description, "$dynamicRef") {
			continue
		}
		t.Run(draft+"/"+filepath.Base(file)+"/"+g.Description, func(t *testing.T) {
			document := decode(t, g.Schema)
			if m, ok := document.(map[string]any); ok && id != "" && m["$schema"] == nil {
				m["$schema"] = id
			}
			s, err := jsonschema.Compile(document)
			if err != nil {
				if strings.Contains(err.Error(), "other documents") && contains(elsewhere, string(g.Schema)) {
					return
				}
				t.Fatal(err)
			}
			for _, test := range g.Tests {
				if got := s.Errors(decode(t, test.Data)); (len(got) == 0) != test.Valid {
					t.Errorf("%s: %s: %v, want valid %v", test.Description, test.Data, got, test.Valid)
				}
			}
		})
	}
}
