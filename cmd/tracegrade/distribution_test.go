package main

import (
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

type builderModule struct{ Gomod, Import string }

// builderFile reads builder-config.yaml as section -> modules.
func builderFile(t *testing.T) map[string][]builderModule {
	t.Helper()
	data, err := os.ReadFile("../../builder-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]yaml.Node
	if err := yaml.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	out := map[string][]builderModule{}
	for _, section := range []string{"receivers", "processors", "exporters", "connectors", "extensions", "providers"} {
		node := all[section]
		var list []builderModule
		if err := node.Decode(&list); err != nil || len(list) == 0 {
			t.Fatalf("section %s: %d entries, error %v", section, len(list), err)
		}
		out[section] = list
	}
	return out
}

// The builder writes providers into its main.go, which is not ours: so the
// list in collector.go is compared with the builder's file here.
func TestProvidersAreThoseOfTheBuilderFile(t *testing.T) {
	var want []string
	for _, m := range builderFile(t)["providers"] {
		want = append(want, strings.Fields(m.Gomod)[0])
	}
	file, err := parser.ParseFile(token.NewFileSet(), "collector.go", nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, imp := range file.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		if strings.Contains(path, "/confmap/provider/") {
			got = append(got, path)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("collector.go and builder-config.yaml name different providers (-builder +ours):\n%s", diff)
	}
	if n := len(collectorSettings().ConfigProviderSettings.ResolverSettings.ProviderFactories); n != len(want) {
		t.Errorf("%d provider factories, want %d", n, len(want))
	}
}

// The builder alone resolves the versions of its file, the root module those
// of go.mod: both must be the same collector.
func TestBuilderFileHasTheVersionsOfGoMod(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(mod)) {
		if f := strings.Fields(line); len(f) >= 2 {
			versions[f[0]] = f[1]
		}
	}
	for section, list := range builderFile(t) {
		for _, m := range list {
			f := strings.Fields(m.Gomod)
			if f[0] == "github.com/tracegrade/tracegrade" {
				continue
			}
			if got := versions[f[0]]; got != f[1] {
				t.Errorf("%s: %s: builder-config.yaml has %s, go.mod %s", section, f[0], f[1], got)
			}
		}
	}
}

func TestComponentsHaveNoTwinNames(t *testing.T) {
	factories, err := components()
	if err != nil {
		t.Fatal(err)
	}
	if factories.Telemetry == nil {
		t.Error("no telemetry factory: the collector would not start")
	}
}
