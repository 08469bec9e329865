// Package tracegrade_test checks the arrows between packages, as
// docs/architecture.md draws them.
package tracegrade_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tracegrade/tracegrade/"

// levels orders the packages: each imports only what stands on a lower level,
// and its own subpackages. A package takes the entry that fits it best.
var levels = map[string]int{
	"internal/trace":      0, // the model
	"internal/value":      0, // leaves, which know nothing of the model
	"internal/folder":     0,
	"internal/stat":       0,
	"internal/injection":  0,
	"internal/shared":     0,
	"internal/jsonschema": 0,
	"internal/lang":       0,
	"internal/tally":      0,
	"internal/strict":     0, // JSON that people write -> a struct, or mistakes with their places
	"internal/yamldoc":    0, // YAML that people write -> its nodes, or the mistake with its place
	"internal/reckon":     0, // numbers -> arithmetic

	"internal/payload": 1,
	"internal/redact":  1, // text -> the same without secrets
	"internal/message": 1,
	"internal/atom":    1, // text -> values

	"internal/tracefile": 2, // bytes -> spans
	"internal/normalise": 2, // spans -> steps
	"internal/assemble":  2, // steps -> trace
	"internal/evidence":  2, // trace -> observations, values, links
	"internal/admit":     2, // text and failed call -> whether it is told
	"internal/stance":    2, // text and claim -> what the text commits itself to
	"internal/funnel":    3, // trace, ledger and claims -> passages

	"rules":       4,
	"rules/packs": 5,

	"internal/rubric":      6,
	"rubrics":              7,
	"rules/ruletest":       8, // tests rules and rubrics
	"internal/grade":       7,
	"internal/wire":        8,
	"internal/offline":     8,
	"internal/report":      8,
	"internal/store":       9,
	"internal/rubric/card": 9,
	"internal/ruleset":     9,
	"harness":              10,

	"receiver": 11, "processor": 11, "exporter": 11, "connector": 11,
	"cmd": 12, "examples": 12, "deploy": 12,
	"e2e": 13,
}

// pdata may be imported where spans and records are read, written or kept;
// all else of the collector only by components and the distribution.
var (
	pdataUsers     = []string{"internal/tracefile", "internal/normalise", "internal/wire", "internal/store", "internal/offline"}
	collectorUsers = []string{"internal/shared", "receiver", "processor", "exporter", "connector", "cmd/tracegrade", "examples", "e2e"}
)

// pure packages use neither the network nor the clock: a grade must not depend
// on where and when it is made.
var pure = []string{"internal/trace", "internal/lang", "internal/atom", "internal/reckon", "internal/evidence", "internal/stance", "internal/funnel", "internal/stat", "rules"}

type goPackage struct {
	Dir, ImportPath string
	Imports         []string
	GoFiles         []string
	Deps            []string
}

// packages lists the packages of the module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=Dir,ImportPath,Imports,GoFiles,Deps", "./...").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var list []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	if len(list) < 20 {
		t.Fatalf("go list found %d packages", len(list))
	}
	return list
}

// entry is the entry of levels that fits a package best.
func entry(name string) (string, bool) {
	for p := name; p != "."; p = path.Dir(p) {
		if _, ok := levels[p]; ok {
			return p, true
		}
	}
	return "", false
}

func under(name string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") })
}

func TestArrows(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if p.ImportPath+"/" == module {
			continue // this test
		}
		own, ok := entry(name)
		if !ok {
			t.Errorf("package %s has no level: add it to levels", name)
			continue
		}
		for _, imp := range p.Imports {
			if to, ours := strings.CutPrefix(imp, module); ours {
				other, ok := entry(to)
				if ok && other != own && levels[other] >= levels[own] {
					t.Errorf("%s imports %s: level %d may import lower levels only, not %d", name, to, levels[own], levels[other])
				}
			}
			switch {
			case !strings.HasPrefix(imp, "go.opentelemetry.io/collector/"):
			case strings.HasPrefix(imp, "go.opentelemetry.io/collector/pdata/"):
				if !under(name, pdataUsers) && !under(name, collectorUsers) {
					t.Errorf("%s imports %s: spans are read in %s", name, imp, strings.Join(pdataUsers, ", "))
				}
			case !under(name, collectorUsers):
				t.Errorf("%s imports %s: only components and the distribution know the collector", name, imp)
			}
		}
	}
}

func TestPurePackages(t *testing.T) {
	network := []string{"net", "net/http", "net/rpc", "os/exec"}
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	checked := 0
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if !under(name, pure) || name == "rules/ruletest" { // which grades nothing that is kept
			continue
		}
		checked++
		for _, dep := range p.Deps {
			if slices.Contains(network, dep) {
				t.Errorf("%s depends on %s", name, dep)
			}
		}
		for _, file := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := call.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clock, call.Sel.Name) {
						t.Errorf("%s/%s uses time.%s", name, file, call.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if checked < len(pure) {
		t.Errorf("checked %d packages, want at least %d", checked, len(pure))
	}
}
