package folder_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/internal/folder"
)

func TestFiles(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".root")
	for _, name := range []string{"b.yaml", "a/deep/x.yml", "a/.hidden.yaml", ".git/config.yaml", "z"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, root string
		most       int
		want       []string
		failed     int
	}{
		{"a folder, though hidden itself", root, 9, []string{"a/deep/x.yml", "b.yaml", "z"}, 0},
		{"a file, though hidden", filepath.Join(root, "a/.hidden.yaml"), 9, []string{"a/.hidden.yaml"}, 0},
		{"the loop ends it", root, 1, []string{"a/deep/x.yml"}, 0},
		{"what is not there", filepath.Join(root, "none"), 9, []string{"none"}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			failed := 0
			for path, err := range folder.Files(tt.root) {
				if err != nil {
					failed++
				}
				name, _ := filepath.Rel(root, path)
				if got = append(got, filepath.ToSlash(name)); len(got) == tt.most {
					break
				}
			}
			if !slices.Equal(got, tt.want) || failed != tt.failed {
				t.Errorf("got %q with %d errors, want %q with %d", got, failed, tt.want, tt.failed)
			}
		})
	}
}
