package folder_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
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

// Links lead to files and folders as these themselves do, each folder is listed
// once, and what is no file is said and not opened.
func TestLinks(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(elsewhere, "day/a"), filepath.Join(root, "b/c")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"broken": "nowhere", "latest": filepath.Join(elsewhere, "day"), "again": filepath.Join(elsewhere, "day"),
		"file": filepath.Join(elsewhere, "day/a"), "b/round": "..",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{root, link} {
		var got []string
		for path, err := range folder.Files(from) {
			name, _ := filepath.Rel(from, path)
			if err != nil {
				name += "!"
			}
			got = append(got, filepath.ToSlash(name))
		}
		if want := []string{"again/a", "b/c", "broken!", "file", "pipe!"}; !slices.Equal(got, want) {
			t.Errorf("from %s: got %q, want %q", filepath.Base(from), got, want)
		}
	}
	for path, err := range folder.Files(filepath.Join(root, "pipe")) {
		if err != nil {
			t.Errorf("%s, named by the user: %v", path, err)
		}
	}
}
